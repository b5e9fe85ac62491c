//! Loads on the rigid bodies of a run.

use carom_dynamics::{Axes, TimeFunction};
use carom_fem::Discretisation;
use carom_rigid::System;
use nalgebra::Vector3;

use super::SetupError;
use super::problem::{BodySpec, Place, Problem};
use super::which::Which;
use crate::statics::loads::shares;

/// A force and torque at a place of a body.
pub(super) struct RigidLoad {
    pub(super) body: usize,
    /// Place in the axes of the body.
    pub(super) place_b: Vector3<f64>,
    pub(super) force: Vector3<f64>,
    pub(super) torque: Vector3<f64>,
    pub(super) axes: Axes,
    pub(super) scale: TimeFunction,
}

/// The loads of the rigid bodies of a problem.
pub(super) fn loads(
    problem: &Problem,
    which: &[Which],
    system: &System,
) -> Result<Vec<RigidLoad>, SetupError> {
    let mut loads = Vec::new();
    for (number, spec) in problem.bodies.iter().enumerate() {
        let Which::Rigid(k) = which[number] else { continue };
        let name = || spec.geometry.name.clone();
        if problem.supports.iter().any(|support| support.body == number) {
            return Err(SetupError::RigidSupport { body: name() });
        }
        if problem.pressures.iter().any(|pressure| pressure.body == number) {
            return Err(SetupError::RigidPressure { body: name() });
        }
        let body = &system.bodies[k];
        for load in problem.loads.iter().filter(|load| load.body == number) {
            let place = match &load.at {
                Place::Point { position, .. } => Vector3::from(*position),
                Place::Set(set) => center_of_set(spec, set)?,
            };
            // Vectors in source axes are transformed to body axes; inertial ones are not.
            let vector = |v: [f64; 3]| match load.axes {
                Axes::Body => body.vector_b(&v.into()),
                Axes::Inertial => v.into(),
            };
            loads.push(RigidLoad {
                body: k,
                place_b: body.point_b(&place),
                force: vector(load.force),
                torque: vector(load.torque),
                axes: load.axes,
                scale: load.scale.clone(),
            });
        }
    }
    Ok(loads)
}

/// Point of action of a force on a set of a rigid body, in source coordinates.
fn center_of_set(spec: &BodySpec, set: &str) -> Result<Vector3<f64>, SetupError> {
    let body = &spec.geometry;
    let discretisation = Discretisation::new(body)
        .map_err(|source| SetupError::Discretisation { body: body.name.clone(), source })?;
    let shares = shares(body, &discretisation, set)?;
    let points = discretisation.points.iter().zip(&shares);
    Ok(points.map(|(x, w)| *w * Vector3::from(*x)).sum())
}
