//! Rigid bodies that touch a body which is not much softer: their compliance is missing from the contact.
//!
//! ```text
//! 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂,   F ∝ E*^(2/5) in an impact, F ∝ E* at a given approach
//! ```
//!
//! A rigid body drops its term, the part s of the sum: the force is too large by (1 − s)^(−2/5) − 1, 32 % for
//! two bodies of one material, or by (1 − s)⁻¹ − 1.
//!
//! The material of the rigid body tells both cases apart: a wall of steel would deform as steel does, and a
//! wall whose material is a million times as stiff is meant to be rigid.

use carom_dynamics::ContactEvent;
use carom_fem::{MATERIALS, Material};
use carom_format::scenario::model::Scenario;

use crate::prepared::{Prepared, PreparedModel};

/// Error of the force above which there is a warning.
const LIMIT: f64 = 0.02;

/// Warnings of the rigid bodies that touched a flexible one.
pub(crate) fn too_rigid(scenario: &Scenario, prepared: &Prepared, events: &[ContactEvent]) -> Vec<String> {
    let (power, of) = match scenario.simulation.scheme.row().has_time {
        false => (-1.0, "at a given approach"),
        true => (-0.4, "of an impact"),
    };
    let number = |name: &str| scenario.body.iter().position(|body| body.name == name);
    let mut warnings = Vec::new();
    // On half-space grids rigid bodies are as elastic as their material.
    for (pair, spec) in scenario.contact.iter().enumerate().filter(|(_, spec)| !spec.is_on_grid()) {
        if !events.iter().any(|event| event.pair == pair && event.peak_force > 0.0) {
            continue;
        }
        let [Some(first), Some(second)] = spec.between.each_ref().map(|end| number(&end.body)) else {
            continue;
        };
        for (rigid, flexible) in [(first, second), (second, first)] {
            let PreparedModel::Rigid(body) = &prepared.bodies[rigid].model else { continue };
            let of_partner = match &prepared.bodies[flexible].model {
                PreparedModel::Reduced(partner) => partner.materials.first(),
                PreparedModel::Deformable(partner) => partner.materials.first(),
                PreparedModel::Rigid(_) => None,
            };
            let Some(of_partner) = of_partner else { continue };
            let given = body.materials.first();
            let Some((name, own)) = given.map(|m| (m.name.clone(), compliance(m))).or_else(as_steel) else {
                continue;
            };
            let share = own / (own + compliance(of_partner));
            let excess = (1.0 - share).powf(power) - 1.0;
            if excess > LIMIT {
                let (rigid, flexible) = (&scenario.body[rigid].name, &scenario.body[flexible].name);
                warnings.push(format!(
                    "body `{rigid}`: it is rigid, and `{flexible}`, which it touches, is not much softer: \
                     {:.1} % of the compliance of contact {} are left out ({name}), and the force {of} is \
                     too large by up to {:.0} % (limit {:.0} %): make `{rigid}` flexible, or, if it is meant \
                     to be rigid, give it a material that is (young = 1e15)",
                    100.0 * share,
                    spec.between.each_ref().map(ToString::to_string).join(" / "),
                    100.0 * excess,
                    100.0 * LIMIT
                ));
            }
        }
    }
    warnings
}

/// (1 − ν²)/E \[1/Pa\].
fn compliance(material: &Material) -> f64 {
    (1.0 - material.poisson * material.poisson) / material.young
}

/// The compliance of steel, for a body without a material.
fn as_steel() -> Option<(String, f64)> {
    let steel = MATERIALS.iter().find(|row| row.name == "steel")?;
    Some(("if it were of steel".to_owned(), (1.0 - steel.poisson * steel.poisson) / steel.young))
}
