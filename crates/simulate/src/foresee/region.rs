//! Places of loads where bodies are expected to meet, and the names by which a contact refers to them.

use std::sync::Arc;

use carom_continuum::half_space::{PlaceSpec, Touching, mesh_edge};
use carom_fem::Body;
use carom_format::scenario::model::{Compliance, End, ReduceSpec, Scenario};
use nalgebra::Vector3;

use super::rigid_run::Outlook;
use super::shared::Sharing;
use super::{ForesightError, body_of, end_has};
use crate::parts::Parts;

/// Radius of a region beyond the places of the middle of the contact, in contact radii: the grid of a contact
/// reaches to 1.4 of them.
pub(super) const MARGIN: f64 = 2.5;

/// The same in edges of the faces: deformable bodies meet a little beside the place where rigid ones do.
const MARGIN_EDGES: f64 = 0.5;

/// Radius of a region of bodies that do not touch in gaps between them, of which a bound from below is known.
const GAPS: f64 = 1.2;

/// Radius of a region of bodies that come near each other without touching \[m\].
const LEAST_RADIUS: f64 = 1e-6;

/// The region of an end of a pair around the places where the rigid bodies met.
///
/// * `side` — of the pair
pub(super) fn region_of(
    (end, side): (&End, usize),
    outlook: &Outlook,
    body: &Body,
    is_rigid: bool,
) -> Result<PlaceSpec, ForesightError> {
    let touched = outlook.touched.unwrap_or_else(|| unreachable!("a region is laid where bodies met"));
    let [low, high] = touched.boxes[side];
    let touching = if end.part.is_empty() { Touching::Whole } else { Touching::Set(end.part.clone()) };
    let half = 0.5 * (high - low).norm();
    let around = |radius: f64| ball(&touching, &(0.5 * (low + high)), radius);
    // Points of bodies that did not touch lie up to the gap off the other surface.
    let near = half + touched.radius.max(GAPS * touched.gap).max(LEAST_RADIUS);
    // A rigid body gets no loads.
    let edge = if is_rigid { 0.0 } else { mesh_edge(body, &around(near))? };
    Ok(around(near.max(half + (MARGIN * touched.radius).max(MARGIN_EDGES * edge))))
}

/// Mean edge of the faces of an end where the rigid bodies met \[m\].
pub(super) fn edge_there(
    end: &End,
    side: usize,
    outlook: &Outlook,
    body: &Body,
) -> Result<f64, ForesightError> {
    Ok(mesh_edge(body, &region_of((end, side), outlook, body, false)?)?)
}

/// A region with readable numbers: its middle and radius to a hundredth of its radius.
pub(super) fn ball(touching: &Touching, center: &Vector3<f64>, radius: f64) -> PlaceSpec {
    let digits = (2.0 - radius.log10().floor()).max(0.0) as usize;
    // Rounded up.
    let radius = radius + 0.5 * 10f64.powi(-(digits as i32));
    PlaceSpec::around(touching.clone(), (*center).into(), radius, digits)
}

/// Gives the bodies of a pair places where they met, or over their whole surface, and names them in the
/// contact.
pub(super) fn regions(
    (scenario, sharing): (&mut Scenario, &mut Sharing),
    pair: usize,
    outlook: &Outlook,
    geometries: &[Option<Arc<Body>>],
    parts: &[Parts<'_>],
) -> Result<(), ForesightError> {
    let fields = scenario.fields_of_models();
    for side in 0..2 {
        let end = scenario.contact[pair].between[side].clone();
        let Some((number, spec)) = body_of(scenario, &end) else { continue };
        if end_has(spec, &parts[number], &end, Compliance::HalfSpace) {
            continue;
        }
        let Some(body) = &geometries[number] else { continue };
        let name = match sharing.whole_of(number) {
            Some(whole) => whole.to_owned(),
            None => {
                let region = region_of((&end, side), outlook, body, spec.rigid)?;
                sharing.take(number, body, &region)?;
                region.to_string()
            }
        };
        let spec = &mut scenario.body[number];
        if !spec.rigid {
            let reduce = spec.reduce.get_or_insert_with(|| ReduceSpec::of_places(fields));
            if !reduce.places.contains(&name) {
                reduce.places.push(name.clone());
            }
        }
        scenario.contact[pair].between[side].part = name;
    }
    Ok(())
}
