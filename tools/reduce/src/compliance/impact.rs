//! The impact that a user has in mind, by Hertz' theory.

use carom_cli::{Category, Failure, FailureContext};
use carom_contact::closed_form::{HertzPair, contact_modulus};
use carom_fem::Material;
use carom_reduce::ReducedBody;
use nalgebra::{Matrix3, Vector3};
use serde::Serialize;

use crate::args::{Against, ComplianceArgs};

/// Duration and size of an impact in the middle of a region.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Impact {
    pub(super) velocity: f64,
    /// 1/m* = 1/m₁ + 1/m₂, of this body that of the place that is hit [kg].
    pub(super) mass: f64,
    /// R_e of both surfaces [m].
    pub(super) radius: f64,
    /// E* [Pa].
    pub(super) modulus: f64,
    pub(super) duration: f64,
    pub(super) peak_force: f64,
    pub(super) contact_radius: f64,
    pub(super) approach: f64,
}

/// Estimates an impact.
///
/// The place at r of a free body gives way to a push along n like a mass 1/m + (r × n)·I⁻¹(r × n) inverted.
/// With principal curvatures κ₁, κ₂ of both surfaces together, R_e = 1/√(κ₁ κ₂): the circle of the same
/// product.
pub(super) fn estimate(
    model: &ReducedBody,
    material: Option<&Material>,
    place: &Vector3<f64>,
    normal: &Vector3<f64>,
    curvatures: [f64; 2],
    velocity: f64,
    args: &ComplianceArgs,
) -> Result<Impact, Failure> {
    let material = material.ok_or_else(|| {
        Failure::new(
            Category::Input,
            "the model has several materials, and does not say which lies at the region",
        )
        .hint("name the body file too")
    })?;
    let other = match &args.against {
        Against::Rigid => (f64::INFINITY, 0.0),
        Against::Elastic { young, poisson } => (*young, *poisson),
        Against::Named(name) => {
            let material = Material::named(name).or_fail(Category::Usage)?;
            (material.young, material.poisson)
        }
    };
    let own_curvatures = args.radius.map_or(curvatures, |radius| [1.0 / radius; 2]);
    let relative = own_curvatures.map(|k| k + args.against_radius.map_or(0.0, |radius| 1.0 / radius));
    // Faces that are flat have curvatures of rounding.
    let least = 1e-6 / place.norm().max(f64::MIN_POSITIVE);
    if relative.iter().any(|&k| k <= least) {
        return Err(Failure::new(
            Category::Usage,
            "surfaces that are flat together in some direction have no Hertz contact",
        )
        .hint("give the radius of this body's surface (--radius), or of the other's (--against-radius)"));
    }
    let arm = place.cross(normal);
    let inertia = Matrix3::from_fn(|a, b| model.invariants.inertia[a][b]);
    let turn = inertia.try_inverse().map_or(0.0, |inverse| arm.dot(&(inverse * arm)));
    // A body that is held does not move as a whole.
    let own = if model.held.is_empty() { 1.0 / model.invariants.mass + turn } else { 0.0 };
    let mass = 1.0 / (own + args.mass.map_or(0.0, |mass| 1.0 / mass));
    if !mass.is_finite() {
        return Err(Failure::new(Category::Usage, "the body is held, and the other does not move")
            .hint("give the mass of the other body (--mass)"));
    }
    let pair = HertzPair {
        modulus: contact_modulus([material.young, other.0], [material.poisson, other.1]),
        radius: 1.0 / (relative[0] * relative[1]).sqrt(),
    };
    let found = pair.impact(mass, velocity);
    Ok(Impact {
        velocity,
        mass,
        radius: pair.radius,
        modulus: pair.modulus,
        duration: found.duration,
        peak_force: found.peak.force,
        contact_radius: found.peak.contact_radius,
        approach: found.peak.approach,
    })
}
