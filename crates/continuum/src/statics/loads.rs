//! Forces on the points of a body by its loads.

use carom_dynamics::Axes;
use carom_fem::loads::{gravity_force, pressure_force, total_force};
use carom_fem::{Body, Discretisation, SetError, SystemMatrices, mass_properties};
use nalgebra::{Matrix3, Vector3};

use super::SetupError;
use super::problem::{Force, Place, Problem};

/// Forces on a body under the full load, inertial axes.
pub(super) struct Loads {
    /// On each point \[N\].
    pub(super) at_points: Vec<[f64; 3]>,
    /// On places of a rigid body: place \[m\], force \[N\], torque \[N m\].
    pub(super) at_places: Vec<([f64; 3], [f64; 3], [f64; 3])>,
}

/// The body with the loads.
pub(super) struct Loaded<'a> {
    /// Its number.
    pub(super) number: usize,
    pub(super) body: &'a Body,
    /// The discretisation with its points in inertial axes.
    pub(super) discretisation: &'a Discretisation,
    /// Rotation from body to inertial axes, and position of the source origin.
    pub(super) rotation: Matrix3<f64>,
    pub(super) origin: Vector3<f64>,
}

impl Loads {
    /// All loads of a body.
    ///
    /// * `system` — mass of a deformable body; `None` for a rigid one
    pub(super) fn new(
        problem: &Problem,
        on: &Loaded<'_>,
        system: Option<&SystemMatrices>,
    ) -> Result<Self, SetupError> {
        let n = on.discretisation.n_points();
        let mut loads = Self { at_points: vec![[0.0; 3]; n], at_places: Vec::new() };
        let gravity = problem.gravity;
        match system {
            Some(system) => loads.add(&gravity_force(&system.mass, gravity)),
            None => {
                let mass = mass_properties(on.discretisation);
                loads.at_places.push((mass.center_of_mass, gravity.map(|g| g * mass.mass), [0.0; 3]));
            }
        }
        for pressure in problem.pressures.iter().filter(|load| load.body == on.number) {
            let faces = on.body.faces_of_set(&pressure.set)?;
            loads.add(&pressure_force(on.discretisation, &faces, pressure.value));
        }
        for force in problem.forces.iter().filter(|load| load.body == on.number) {
            loads.add_force(on, force, system.is_none())?;
        }
        Ok(loads)
    }

    fn add(&mut self, forces: &[[f64; 3]]) {
        for (sum, f) in self.at_points.iter_mut().zip(forces) {
            (0..3).for_each(|d| sum[d] += f[d]);
        }
    }

    fn add_force(&mut self, on: &Loaded<'_>, load: &Force, rigid: bool) -> Result<(), SetupError> {
        let turn = |v: [f64; 3]| -> [f64; 3] {
            match load.axes {
                Axes::Body => (on.rotation * Vector3::from(v)).into(),
                Axes::Inertial => v,
            }
        };
        let (force, torque) = (turn(load.force), turn(load.torque));
        let set = match &load.at {
            Place::Point { position, .. } if rigid => {
                let place = on.origin + on.rotation * Vector3::from(*position);
                self.at_places.push((place.into(), force, torque));
                return Ok(());
            }
            Place::Point { name, .. } => {
                return Err(SetupError::PointForce {
                    body: on.body.name.clone(),
                    part: name.clone(),
                    known: on.body.set_names().join(", "),
                });
            }
            Place::Set(set) => set.as_str(),
        };
        let shares = shares(on.body, on.discretisation, set)?;
        self.add(&shares.iter().map(|w| force.map(|f| f * w)).collect::<Vec<_>>());
        if torque != [0.0; 3] {
            let spread = torque_forces(&shares, &on.discretisation.points, torque)
                .ok_or_else(|| SetupError::NoLever { body: on.body.name.clone(), part: set.to_owned() })?;
            self.add(&spread);
        }
        Ok(())
    }
}

/// Shares of the points in a force on a set: by area, or evenly over the points of a set without faces. Their
/// sum is 1.
pub(crate) fn shares(body: &Body, discretisation: &Discretisation, set: &str) -> Result<Vec<f64>, SetError> {
    match body.faces_of_set(set) {
        Ok(faces) => {
            let forces = total_force(discretisation, &faces, [1.0, 0.0, 0.0]);
            Ok(forces.into_iter().map(|f| f[0]).collect())
        }
        Err(SetError::NoFaces { .. }) => {
            let points = body.points_of_set(discretisation, set)?;
            let mut shares = vec![0.0; discretisation.n_points()];
            points.iter().for_each(|&k| shares[k as usize] = 1.0 / points.len() as f64);
            Ok(shares)
        }
        Err(error) => Err(error),
    }
}

/// Forces of a torque: f = w ω × (x − c) about the middle c of the shares w, with ω such that Σ x × f is the
/// torque.
pub(crate) fn torque_forces(shares: &[f64], points: &[[f64; 3]], torque: [f64; 3]) -> Option<Vec<[f64; 3]>> {
    let at = |i: usize| Vector3::from(points[i]);
    let total: f64 = shares.iter().sum();
    let center: Vector3<f64> = (0..points.len()).map(|i| at(i) * shares[i]).sum::<Vector3<f64>>() / total;
    let mut inertia = Matrix3::zeros();
    for (i, w) in shares.iter().enumerate() {
        let r = at(i) - center;
        inertia += (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * *w;
    }
    let eigen = inertia.symmetric_eigen();
    if eigen.eigenvalues.min() <= 1e-12 * eigen.eigenvalues.max() {
        return None;
    }
    let omega = inertia.try_inverse()? * Vector3::from(torque);
    Some((0..points.len()).map(|i| (omega.cross(&(at(i) - center)) * shares[i]).into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_of_a_torque_have_its_moment_and_zero_resultant() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.5]];
        let torque = [1.0, -2.0, 3.0];
        let forces = torque_forces(&[0.1, 0.4, 0.2, 0.3], &points, torque).unwrap();
        let sum: Vector3<f64> = forces.iter().map(|&f| Vector3::from(f)).sum();
        let moment: Vector3<f64> =
            points.iter().zip(&forces).map(|(&x, &f)| Vector3::from(x).cross(&Vector3::from(f))).sum();
        assert!(sum.norm() < 1e-14 && (moment - Vector3::from(torque)).norm() < 1e-14);
        assert!(torque_forces(&[0.5, 0.5, 0.0, 0.0], &points, torque).is_none(), "two points on a line");
    }
}
