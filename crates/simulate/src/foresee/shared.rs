//! Loads over the whole surface of small bodies that are made alike: one model serves all of them.

use std::sync::Arc;

use carom_continuum::half_space::{PlaceSpec, Touching, expected_places};
use carom_fem::Body;
use carom_fem::plausible::bounds;
use carom_format::scenario::model::{BodySource, BodySpec, Scenario};
use nalgebra::Vector3;

use super::ForesightError;
use super::region::ball;

/// Bodies that share a model with loads over their whole surface.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    /// Numbers of the bodies.
    pub(super) bodies: Vec<usize>,
    /// Places of their regions, which would be as many models as the bodies have different regions.
    pub(super) of_regions: usize,
    /// Places of the whole surface.
    pub(super) of_surface: usize,
}

impl Shared {
    /// The bodies that share a model with this one, itself among them.
    pub(super) fn with(all: &[Self], body: usize) -> Vec<usize> {
        let found = all.iter().find(|shared| shared.bodies.contains(&body));
        found.map_or(vec![body], |shared| shared.bodies.clone())
    }
}

/// Replaces the regions that were laid by one over the whole surface, where all bodies that are made alike
/// then have fewer places to reduce.
///
/// * `completed` — with a region in each contact
/// * `given` — the scenario before
pub(super) fn share(
    completed: &mut Scenario,
    given: &Scenario,
    geometries: &[Option<Arc<Body>>],
) -> Result<Vec<Shared>, ForesightError> {
    let is_open = |i: usize| given.body[i].reduce.is_none() && has_regions(&completed.body[i]);
    let open: Vec<usize> = (0..given.body.len()).filter(|&i| is_open(i)).collect();
    let mut found = Vec::new();
    for (k, &first) in open.iter().enumerate() {
        let alike = |&i: &usize| are_alike(&completed.body[first], &completed.body[i]);
        let Some(body) = geometries[first].as_ref().filter(|_| !open[..k].iter().any(alike)) else {
            continue;
        };
        let bodies: Vec<usize> = open[k..].iter().copied().filter(alike).collect();
        let regions = regions_of(completed, &bodies);
        // One region has no more places than the whole surface.
        if regions.len() < 2 {
            continue;
        }
        let whole = whole_surface(body);
        // A large body would have more places than are possible.
        let Ok(of_surface) = expected_places(body, &whole) else { continue };
        let mut of_regions = 0;
        for region in &regions {
            of_regions += expected_places(body, region)?;
        }
        if of_surface <= of_regions {
            bodies.iter().for_each(|&i| lay(completed, i, &whole.to_string()));
            found.push(Shared { bodies, of_regions, of_surface });
        }
    }
    Ok(found)
}

/// True if all loads of a body lie in regions of its whole surface.
fn has_regions(spec: &BodySpec) -> bool {
    let is_region =
        |text: &String| matches!(text.parse(), Ok(PlaceSpec::Ball { touching: Touching::Whole, .. }));
    let reduce = spec.reduce.as_ref().filter(|reduce| reduce.is_bare() && !spec.rigid);
    reduce.is_some_and(|reduce| !reduce.places.is_empty() && reduce.places.iter().all(is_region))
}

/// True if two bodies are the same but for their names and their motion.
fn are_alike(a: &BodySpec, b: &BodySpec) -> bool {
    let is_made = !matches!(a.source, BodySource::Rom { .. });
    is_made && a.source == b.source && a.material == b.material && a.refine == b.refine && a.zone == b.zone
}

fn whole_surface(body: &Body) -> PlaceSpec {
    let [low, high] = bounds(body).map(Vector3::from);
    // Control points of splines lie outside, none of a surface does.
    ball(&Touching::Whole, &(0.5 * (low + high)), 0.5 * (high - low).norm())
}

/// The regions of the different models that the bodies would have.
fn regions_of(completed: &Scenario, bodies: &[usize]) -> Vec<PlaceSpec> {
    let mut models: Vec<&Vec<String>> =
        bodies.iter().filter_map(|&i| Some(&completed.body[i].reduce.as_ref()?.places)).collect();
    models.sort();
    models.dedup();
    models.into_iter().flatten().filter_map(|text| text.parse().ok()).collect()
}

/// Gives a body one region, and its contacts the name of it.
fn lay(completed: &mut Scenario, body: usize, region: &str) {
    let Scenario { body: specs, contact, .. } = completed;
    let spec = &mut specs[body];
    let Some(reduce) = &mut spec.reduce else { return };
    let ends = contact.iter_mut().flat_map(|pair| &mut pair.between);
    for end in ends.filter(|end| end.body == spec.name && reduce.places.contains(&end.part)) {
        region.clone_into(&mut end.part);
    }
    reduce.places = vec![region.to_owned()];
}
