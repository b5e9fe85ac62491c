//! Models from files of other programs that a scenario uses as they were not made for.
//!
//! The modes of a SID_FEM file belong to its frame. If the frame is tied to nodes, `fixed = true` holds these
//! nodes. If it follows the mean motion of the body (Ct = 0), `fixed = true` holds this mean: gravity and the
//! reactions act on the modes as in free flight, so that nothing bends the body against a support.
//!
//! In a frame that is tied to nodes many modes carry nearly all of the inertia, and the mass matrix loses its
//! positive definiteness at small deflections (docs/theory/stiffening.md, section 14.4).

use std::sync::Arc;

use carom_format::scenario::model::{BodySpec, Scenario};
use carom_multibody::{Body, Indefinite};
use carom_reduce::ReducedBody;

use crate::prepared::{Prepared, PreparedBody, PreparedModel};

/// Deflection over the length of a body up to which linear theory holds, decision 33.
const DEFLECTION: f64 = 0.1;

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

/// A note for each model in a frame that is tied to points, with the deflection that ends a run.
pub(crate) fn tied_frames(scenario: &Scenario, prepared: &Prepared) -> Vec<String> {
    let all = scenario.body.iter().zip(&prepared.bodies);
    let of_body = |(spec, ready): (&BodySpec, &PreparedBody)| match &ready.model {
        PreparedModel::Reduced(model) => loses_definiteness(spec, model),
        _ => None,
    };
    all.filter_map(of_body).collect()
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

/// The note if the mass matrix of a body that moves loses its definiteness within the range of linear
/// theory.
fn loses_definiteness(spec: &BodySpec, model: &Arc<ReducedBody>) -> Option<String> {
    // Only these bodies can lose it; of others the integrals of all modes stay in their file.
    let has_slopes =
        model.stiffening.as_ref().is_some_and(|it| !(it.weight.is_empty() && it.turning.is_empty()));
    if spec.fixed || !model.held.is_empty() || !has_slopes {
        return None;
    }
    let ends = |a: usize| {
        let along = || model.boundary.positions_b.iter().map(|x| x[a]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let length = (0..3).map(ends).fold(0.0, f64::max);
    // A model that cannot be read ends the run elsewhere, or not at all: it gets no note.
    let of_lowest = |n: usize| {
        let body = Body::with_dynamic_modes(model.clone(), n).ok()?;
        body.indefinite_within(DEFLECTION * length)
    };
    let n = model.omega.len();
    let Indefinite { mode, deflection, .. } = of_lowest(n)?;
    let fewer = (1..n).rev().find_map(|fewer| match of_lowest(fewer) {
        None => Some((fewer, format!("{:.1e} m", DEFLECTION * length))),
        Some(loss) if loss.deflection >= 2.0 * deflection => {
            Some((fewer, format!("{:.1e} m", loss.deflection)))
        }
        Some(_) => None,
    });
    let way = match fewer {
        Some((1, bears)) => format!("import a file with its lowest mode alone, which bears {bears}"),
        Some((fewer, bears)) => format!("import a file with its {fewer} lowest modes, which bear {bears}"),
        None => "import a file whose frame follows its mean motion (Ct = 0)".to_owned(),
    };
    Some(format!(
        "body `{}`: its {n} modes in a frame that is tied to some of its points carry nearly all of its \
         inertia, and its mass matrix loses its positive definiteness at a deflection of {deflection:.3e} m \
         in mode {}, {:.1e} of its length (linear theory holds up to {DEFLECTION}): a run ends there; if the \
         body bends so far, {way}",
        spec.name,
        mode + 1,
        deflection / length
    ))
}
