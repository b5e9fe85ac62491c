//! Masses, points and surfaces of undeformed bodies.

use carom_contact::Shape;
use carom_dynamics::Placement;
use carom_fem::{Body, Discretisation, SetError, Surface, SurfaceError};
use carom_format::scenario::model::{BodySource, BodySpec};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::discretised::Bodies;

/// Errors from evaluating the geometry of a body.
#[derive(Debug, Error)]
pub enum GeometryError {
    /// The body cannot be discretised.
    #[error("body `{body}`: {source}")]
    Discretisation {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: carom_fem::DiscretisationError,
    },
    /// A set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A surface has a face that cannot be evaluated.
    #[error("the surface `{set}`: {source}")]
    Face {
        /// `BODY:SET`.
        set: String,
        /// What is wrong.
        source: SurfaceError,
    },
}

/// The discretisation of a body of a scenario.
pub(crate) fn discretisation(name: &str, geometry: &Body) -> Result<Discretisation, GeometryError> {
    Discretisation::new(geometry)
        .map_err(|source| GeometryError::Discretisation { body: name.to_owned(), source })
}

/// Mass \[kg\], inertia about the centre of mass \[kg m²\] and centre of mass \[m\] of a rigid body in source
/// axes: as given, or those of its geometry.
///
/// * `known` — the bodies of the scenario; equal ones are integrated once
pub(crate) fn rigid_mass<'a>(
    spec: &BodySpec,
    geometry: &'a Body,
    known: &Bodies<'a>,
) -> Result<(f64, Matrix3<f64>, Vector3<f64>), GeometryError> {
    if let Some(given) = &spec.mass_properties {
        let ([xx, yy, zz], [xy, xz, yz]) = (given.inertia, given.products);
        let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        return Ok((given.mass, inertia, Vector3::from(given.center)));
    }
    let discretised = known
        .of(geometry)
        .map_err(|source| GeometryError::Discretisation { body: spec.name.clone(), source })?;
    let p = discretised.properties();
    Ok((p.mass, Matrix3::from_fn(|i, j| p.inertia[i][j]), Vector3::from(p.center_of_mass)))
}

/// A set of a body: the discretisation of the whole body, the faces of the set, and the places of their
/// points in source coordinates \[m\].
///
/// * `name` — of the body in the scenario
pub(crate) fn surface_of_set(
    name: &str,
    geometry: &Body,
    set: &str,
) -> Result<(Discretisation, Surface, Vec<Vector3<f64>>), GeometryError> {
    let discretisation = discretisation(name, geometry)?;
    let surface = geometry.surface_of_set(&discretisation, set)?;
    let position = |&point: &u32| Vector3::from(discretisation.points[point as usize]);
    let positions = surface.points.iter().map(position).collect();
    Ok((discretisation, surface, positions))
}

/// The faces of a set as a shape that can be touched.
///
/// * `name` — of the body in the scenario
/// * `positions` — of the points of the surface in source coordinates \[m\]
pub(crate) fn shape(
    name: &str,
    set: &str,
    surface: Surface,
    positions: &[Vector3<f64>],
) -> Result<Shape, GeometryError> {
    Shape::faces(surface, positions)
        .map_err(|source| GeometryError::Face { set: format!("{name}:{set}"), source })
}

/// Radius of a body that is made as a solid ball about its origin \[m\].
pub(crate) fn radius_of_ball(spec: &BodySpec) -> Option<f64> {
    match &spec.source {
        BodySource::Make { make } if make.shape == "ball" && make.inner_radius.is_none() => make.radius,
        _ => None,
    }
}

/// Place and motion of a body at the start.
pub(crate) fn placement(spec: &BodySpec) -> Placement {
    Placement {
        origin: spec.position,
        velocity: spec.velocity,
        angular_velocity: spec.angular_velocity,
        ..Placement::rotated(spec.rotation.axis, spec.rotation.degrees)
    }
}
