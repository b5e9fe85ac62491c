//! Bodies as a repeated run would have them: `carom run` repeats a run with finer cells where the error that
//! it estimates is well above the accuracy that the scenario wants.

use std::sync::Arc;

use carom_fem::Body;
use carom_format::scenario::model::{BodySource, Scenario};
use carom_progress::Silent;

use super::ingredients::material;
use super::source;
use crate::prepared::Workshop;
use crate::refinement::{MeshNow, finer_elements};

/// A body with the cells of a repeated run; none if a repeat would not change them: cells that the scenario
/// gives, bodies without contact on half-space grids, meshes that would become large.
///
/// * `given`, `completed` — the scenario without and with the values that it leaves open
/// * `geometries` — of the bodies, where they are known
pub(super) fn body_of_repeat(
    (given, completed): (&Scenario, &Scenario),
    number: usize,
    geometries: &[Option<Arc<Body>>],
    workshop: Workshop<'_>,
) -> Option<Arc<Body>> {
    let (BodySource::Make { make: own }, BodySource::Make { make }) =
        (&given.body[number].source, &completed.body[number].source)
    else {
        return None;
    };
    if !own.elements.is_empty() || make.elements.is_empty() {
        return None;
    }
    let name = &completed.body[number].name;
    let on_grid = completed.contact.iter().filter(|pair| pair.is_on_grid());
    let pairs: Vec<_> = on_grid.filter(|pair| pair.between.iter().any(|end| end.body == *name)).collect();
    // A pair has two finer meshes or none.
    let is_large = |name: &String| {
        let of = completed.body.iter().position(|spec| spec.name == *name && !spec.rigid);
        let geometry = of.and_then(|of| geometries[of].as_ref());
        geometry.is_some_and(|body| MeshNow::is_large_with(3 * body.n_points()))
    };
    if pairs.is_empty() || pairs.iter().flat_map(|pair| &pair.between).any(|end| is_large(&end.body)) {
        return None;
    }
    let mut spec = completed.body[number].clone();
    if let BodySource::Make { make } = &mut spec.source {
        make.elements = finer_elements(&make.elements);
    }
    let material = material(completed, &spec).ok()?;
    let body = source::make(&spec, material, workshop.scenario_folder, &mut Vec::new(), &Silent);
    body.ok().map(Arc::new)
}
