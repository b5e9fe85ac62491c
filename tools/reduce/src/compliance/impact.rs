//! Estimate of the impact that the flags describe, by Hertz' theory.

use carom_cli::{Category, Failure, FailureContext};
use carom_contact::region::impact::{Impact, ImpactError, Partner, Target};
use carom_fem::Material;
use carom_reduce::ReducedBody;
use nalgebra::Vector3;
use serde::Serialize;

use crate::args::{Against, ComplianceArgs};

/// The figures of an [`Impact`] with their keys.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct ImpactReport {
    pub(super) velocity: f64,
    pub(super) mass: f64,
    pub(super) radius: f64,
    pub(super) modulus: f64,
    pub(super) duration: f64,
    pub(super) peak_force: f64,
    pub(super) contact_radius: f64,
    pub(super) approach: f64,
}

/// Estimates the impact at a place of the model with the body of the flags.
///
/// * `curvatures` — principal curvatures of the surface at the place \[1/m\]
pub(super) fn estimate(
    model: &ReducedBody,
    material: Option<&Material>,
    place: &Vector3<f64>,
    normal: &Vector3<f64>,
    curvatures: [f64; 2],
    velocity: f64,
    args: &ComplianceArgs,
) -> Result<ImpactReport, Failure> {
    let material = material.ok_or_else(|| {
        Failure::new(
            Category::Input,
            "the model has several materials and does not record which one the region has",
        )
        .hint("name the body file too")
    })?;
    let (young, poisson) = match &args.against {
        Against::Rigid => (f64::INFINITY, 0.0),
        Against::Elastic { young, poisson } => (*young, *poisson),
        Against::Named(name) => {
            let material = Material::named(name).or_fail(Category::Usage)?;
            (material.young, material.poisson)
        }
    };
    let partner = Partner { young, poisson, radius: args.against_radius, mass: args.mass };
    let is_free = model.held.is_empty();
    let target = Target {
        young: material.young,
        poisson: material.poisson,
        curvatures: args.radius.map_or(curvatures, |radius| [1.0 / radius; 2]),
        position_b: *place,
        mobility: if is_free { model.invariants.mobility(place, normal) } else { 0.0 },
    };
    let found = Impact::estimate(&target, &partner, velocity).map_err(|error| {
        let hint = match error {
            ImpactError::Flat => {
                "give the radius of this body's surface (--radius), or of the other's (--against-radius)"
            }
            ImpactError::Immovable => "give the mass of the other body (--mass)",
        };
        Failure::from_error(Category::Usage, error).hint(hint)
    })?;
    let Impact { velocity, mass, radius, modulus, duration, peak_force, contact_radius, approach } = found;
    Ok(ImpactReport { velocity, mass, radius, modulus, duration, peak_force, contact_radius, approach })
}
