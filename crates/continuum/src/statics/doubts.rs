//! Warnings about the accuracy of a static run.

use super::outcome::{LoadStep, PairOutcome};

/// Number of pressure cells under pressure for an accuracy of a few percent.
const FEW_CELLS: usize = 12;

/// Unbalanced forces on free motions, relative to all forces, above which there is a warning.
const LEFT_OVER: f64 = 1e-7;

/// Ratio of deflection to extent above which linear statics has an error of more than 1 %: about (δ/L)².
const DEFLECTION: f64 = 0.1;

/// Faces of the second surface to the contact radius, below which its own indentation causes an error of more
/// than 2 % of the force at a given approach.
const FACES: f64 = 1.7;

/// Warnings: unbalanced forces, bodies that deflect beyond linear theory, surfaces that do not resolve their
/// contact.
pub(super) fn doubts(outcome: &LoadStep) -> Vec<String> {
    let mut doubts = Vec::new();
    if outcome.residual > LEFT_OVER {
        doubts.push(format!(
            "unbalanced forces of {:.1e} of all forces remain in directions without resistance: add a \
             [[support]] if they matter",
            outcome.residual
        ));
    }
    for body in outcome.bodies.iter().filter(|body| body.deflection > DEFLECTION) {
        doubts.push(format!(
            "body `{}`: outside linear theory under the full load: deflection over length {:.3e}, limit \
             {DEFLECTION:.2e} (the deflection is off by some {:.2} %): lower the load, or divide the body \
             into several reduced bodies joined by `fixed` joints in a dynamic scheme",
            body.name,
            body.deflection,
            100.0 * body.deflection * body.deflection
        ));
    }
    doubts.extend(outcome.pairs.iter().filter(|pair| pair.n_cells > 0 && !pair.is_full).flat_map(coarse));
    doubts
}

/// Warnings about surfaces of a pair with too few pressure cells or faces in the contact area.
fn coarse(pair: &PairOutcome) -> Vec<String> {
    let mut coarse = Vec::new();
    if pair.n_cells < FEW_CELLS {
        coarse.push(format!(
            "contact {}: only {} pressure cells of `{}` carry the force: expect errors of several \
             percent; refine the zone",
            pair.name, pair.n_cells, pair.surface
        ));
    }
    if let Some(faces) = pair.second_resolution.filter(|faces| *faces < FACES) {
        coarse.push(format!(
            "contact {}: the mesh of `{}` is too coarse: {faces:.2} faces to the contact radius, \
             limit {FACES}: its indentation is missing, and the force at a given approach is too large by \
             several percent, up to a factor of two; refine `{}` there",
            pair.name, pair.second, pair.second
        ));
    }
    coarse
}
