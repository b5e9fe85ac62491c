//! Sizes and curvatures of contact zones.

use super::spec::{ContactSetupError, ContactSpec};
use crate::body::Body;
use crate::contact::HertzNumbers;
use carom_contact::closed_form::contact_modulus;
use carom_contact::geometry::Faces;
use carom_contact::pressure::PressureCells;
use carom_contact::submodel::Zone;
use carom_contact::{Law, Shape, Stiffness};

/// Radius of a ball about the frame origin that holds a zone \[m\]; the distance of a plane.
pub(super) fn reach(zone: &Zone) -> f64 {
    match &zone.shape {
        Shape::Planes(planes) => planes.iter().map(|plane| plane.origin.norm()).fold(0.0, f64::max),
        Shape::Cavity(sphere) => sphere.center.norm() + sphere.radius,
        shape => shape.radius(),
    }
}

/// E* of the materials, or the stiffness of the contact of two rigid bodies; R_e of the most curved places.
/// Faces that are flat count with the distance from the frame origin as radius: a ball of flat facets gets
/// its radius, a flat end of a rod changes little.
pub(super) fn hertz_numbers(
    bodies: &[Body],
    spec: &ContactSpec,
    zones: &[Zone],
) -> Result<HertzNumbers, ContactSetupError> {
    let materials = spec.bodies.map(|body| bodies[body].reduced.as_ref().and_then(|r| r.materials.first()));
    let curvature: f64 = zones.iter().map(largest_curvature).sum();
    let radius = spec.radius.unwrap_or(1.0 / curvature);
    let modulus = match (spec.modulus, materials) {
        (Some(modulus), _) => modulus,
        (None, [None, None]) => {
            let Law::Penalty(Stiffness::PerArea(stiffness)) = spec.law else {
                let [first, second] = spec.bodies.map(|body| bodies[body].name.clone());
                return Err(ContactSetupError::NoModulus { first, second });
            };
            let area = zones.iter().map(area).fold(f64::INFINITY, f64::min);
            return Ok(HertzNumbers { modulus: f64::INFINITY, radius, foundation: Some([stiffness, area]) });
        }
        (None, materials) => contact_modulus(
            materials.map(|material| material.map_or(f64::INFINITY, |m| m.young)),
            materials.map(|material| material.map_or(0.0, |m| m.poisson)),
        ),
    };
    Ok(HertzNumbers { modulus, radius, foundation: None })
}

/// Area of the faces of a zone \[m²\]; infinite without faces.
fn area(zone: &Zone) -> f64 {
    let area = |faces: &Faces| PressureCells::new(faces, &faces.reference).area.iter().sum();
    zone.shape.as_faces().map_or(f64::INFINITY, area)
}

/// Largest convex curvature in the middles of the faces of a zone, at least 1/reach; 0 of a plane \[1/m\].
fn largest_curvature(zone: &Zone) -> f64 {
    let largest = zone.shape.convex_curvatures()[1];
    match &zone.shape {
        Shape::Faces(_) => largest.max(1.0 / reach(zone).max(f64::MIN_POSITIVE)),
        _ => largest,
    }
}
