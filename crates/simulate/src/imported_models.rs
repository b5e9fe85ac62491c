//! Models from files of other programs that a scenario uses as they were not made for.
//!
//! The modes of a SID_FEM file belong to its frame. If the frame is tied to nodes, `fixed = true` holds these
//! nodes. If it follows the mean motion of the body (Ct = 0), `fixed = true` holds this mean: gravity and the
//! reactions act on the modes as in free flight, so that nothing bends the body against a support.

use carom_format::scenario::model::{BodySpec, Scenario};
use carom_reduce::ReducedBody;

use crate::prepared::{Prepared, PreparedModel};

/// |Ct_k| in √m, with modes of unit mass, up to which a frame follows the mean motion.
const NO_COUPLING: f64 = 1e-6;

/// A warning for each such model.
pub(crate) fn doubtful_imports(scenario: &Scenario, prepared: &Prepared) -> Vec<String> {
    let mut warnings = Vec::new();
    for (spec, ready) in scenario.body.iter().zip(&prepared.bodies) {
        let PreparedModel::Reduced(model) = &ready.model else { continue };
        warnings.extend(mean_is_held(spec, model));
    }
    warnings
}

/// The warning if `fixed = true` holds the mean motion of a model, and no part of it.
fn mean_is_held(spec: &BodySpec, model: &ReducedBody) -> Option<String> {
    // Bodies that were reduced here have the checksum of their mesh.
    let is_imported = model.body_checksum.is_empty() && model.held.is_empty();
    if !(spec.fixed && is_imported) {
        return None;
    }
    let coupling = &model.invariants.coupling_t;
    let of_mode = |k: usize| (0..3).map(|a| coupling[(a, k)].powi(2)).sum::<f64>().sqrt();
    let largest = (0..coupling.ncols()).map(of_mode).fold(0.0, f64::max) / model.invariants.mass.sqrt();
    let lowest = model.omega.iter().copied().reduce(f64::min)? / std::f64::consts::TAU;
    (largest <= NO_COUPLING).then(|| {
        format!(
            "body `{}`: `fixed = true` holds the mean motion of its mass and no part of it, as the modes of \
             its model are those of a free body (Ct is at most {largest:.1e} of the square root of its \
             mass): its weight does not bend it, and its lowest frequency stays that of the free body, \
             {lowest:.4e} Hz. Import a file whose frame is tied to the nodes that are held, where Ct is not \
             0; or leave out `fixed` and hold nodes by joints to the ground; or reduce its mesh with \
             `reduce.fix`",
            spec.name
        )
    })
}
