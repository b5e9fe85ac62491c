//! Loads over the whole surface of small bodies that are made alike: one model serves all of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use carom_continuum::half_space::{PlaceSpec, Touching, expected_places};
use carom_fem::Body;
use carom_fem::plausible::bounds;
use carom_format::scenario::model::{BodySource, BodySpec, Scenario};
use nalgebra::Vector3;

use super::ForesightError;
use super::region::ball;

/// Bodies that are made alike, without a reduction, and touch with their whole surfaces.
#[derive(Debug, Clone)]
pub(super) struct Alike {
    /// Numbers of the bodies.
    pub(super) bodies: Vec<usize>,
    /// Number of places of the whole surface.
    pub(super) places: usize,
    /// True if they have one model with loads over the whole surface: their regions have as many places.
    pub(super) is_shared: bool,
    /// The region of the whole surface.
    whole: String,
    /// Regions so far, and the number of their places.
    regions: BTreeSet<String>,
    of_regions: usize,
}

/// All bodies that may share a model.
#[derive(Debug, Clone)]
pub(super) struct Sharing(Vec<Alike>);

impl Sharing {
    /// Before any region is laid.
    pub(super) fn new(scenario: &Scenario, geometries: &[Option<Arc<Body>>]) -> Self {
        let ends = |i: usize| {
            let name = &scenario.body[i].name;
            scenario.contact.iter().flat_map(|pair| &pair.between).filter(move |end| end.body == *name)
        };
        let is_open = |i: &usize| {
            let spec = &scenario.body[*i];
            let is_made = !spec.rigid && !matches!(spec.source, BodySource::Rom { .. });
            is_made && spec.reduce.is_none() && ends(*i).all(|end| end.part.is_empty())
        };
        let open: Vec<usize> = (0..scenario.body.len()).filter(is_open).collect();
        let mut all = Vec::new();
        for (k, &first) in open.iter().enumerate() {
            let alike = |&i: &usize| are_alike(&scenario.body[first], &scenario.body[i]);
            let is_first = !open[..k].iter().any(alike);
            let Some(body) = geometries[first].as_ref().filter(|_| is_first) else {
                continue;
            };
            let bodies: Vec<usize> = open[k..].iter().copied().filter(alike).collect();
            // One region has no more places than the whole surface.
            if bodies.iter().flat_map(|&i| ends(i)).nth(1).is_none() {
                continue;
            }
            let whole = whole_surface(body);
            // A large body would have more places than are possible.
            let Ok(places) = expected_places(body, &whole) else { continue };
            let whole = whole.to_string();
            let (regions, of_regions) = (BTreeSet::new(), 0);
            all.push(Alike { bodies, places, is_shared: false, whole, regions, of_regions });
        }
        Self(all)
    }

    /// The region of the whole surface, if the body shares a model.
    pub(super) fn whole_of(&self, body: usize) -> Option<&str> {
        self.shared_with(body).map(|alike| alike.whole.as_str())
    }

    /// The bodies that share a model with this one.
    pub(super) fn shared_with(&self, body: usize) -> Option<&Alike> {
        self.0.iter().find(|alike| alike.is_shared && alike.bodies.contains(&body))
    }

    /// Numbers of the bodies with the model of this one, itself among them.
    pub(super) fn model_of(&self, body: usize) -> Vec<usize> {
        self.shared_with(body).map_or(vec![body], |alike| alike.bodies.clone())
    }

    /// Takes in a region that was laid on a body; from as many places on as the whole surface has, the bodies
    /// share a model.
    pub(super) fn take(
        &mut self,
        number: usize,
        body: &Body,
        region: &PlaceSpec,
    ) -> Result<(), ForesightError> {
        let Some(alike) = self.0.iter_mut().find(|alike| alike.bodies.contains(&number)) else {
            return Ok(());
        };
        if alike.regions.insert(region.to_string()) {
            alike.of_regions += expected_places(body, region)?;
            alike.is_shared = alike.of_regions >= alike.places;
        }
        Ok(())
    }

    /// Replaces the regions that were laid on bodies that share a model.
    pub(super) fn apply(&self, completed: &mut Scenario) {
        for alike in self.0.iter().filter(|alike| alike.is_shared) {
            alike.bodies.iter().for_each(|&i| lay(completed, i, &alike.whole));
        }
    }
}

/// True if two bodies are the same but for their names and their motion.
fn are_alike(a: &BodySpec, b: &BodySpec) -> bool {
    a.source == b.source && a.material == b.material && a.refine == b.refine && a.zone == b.zone
}

fn whole_surface(body: &Body) -> PlaceSpec {
    let [low, high] = bounds(body).map(Vector3::from);
    // Control points of splines lie outside, none of a surface does.
    ball(&Touching::Whole, &(0.5 * (low + high)), 0.5 * (high - low).norm())
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
