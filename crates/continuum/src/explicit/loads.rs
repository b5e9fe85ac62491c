//! Loads on a deformable body: pressures that follow its faces, and forces and torques with factors that are
//! functions of time.

use carom_dynamics::{Axes, TimeFunction};
use carom_fem::{Body, Discretisation};
use nalgebra::{Matrix3, Vector3};

use super::SetupError;
use super::pressed::Pressed;
use super::problem::{Place, Problem};
use crate::statics::loads::{shares, torque_forces};

/// The loads on one body.
pub(crate) struct Loads {
    pressures: Vec<Pressed>,
    reference: Vec<[f64; 3]>,
    forces: Vec<Spread>,
}

/// A force and torque spread over points, for a scale of 1.
struct Spread {
    /// Points and the force on each \[N\].
    on_points: Vec<(u32, [f64; 3])>,
    /// Points of shells and beams, and the moment on each \[N m\].
    moments: Vec<(u32, [f64; 3])>,
    scale: TimeFunction,
}

impl Loads {
    /// The loads of the body of this number.
    ///
    /// * `pose` — rotation from source to inertial axes, and position of the source origin
    pub(crate) fn new(
        problem: &Problem,
        number: usize,
        body: &Body,
        discretisation: &Discretisation,
        (rotation, _): (Matrix3<f64>, Vector3<f64>),
    ) -> Result<Self, SetupError> {
        let mut pressures = Vec::new();
        for pressure in problem.pressures.iter().filter(|load| load.body == number) {
            pressures
                .push(Pressed::new(&body.surface_of_set(discretisation, &pressure.set)?, pressure.value));
        }
        let mut forces = Vec::new();
        for load in problem.loads.iter().filter(|load| load.body == number) {
            let set = match &load.at {
                Place::Set(set) => set.as_str(),
                Place::Point { name, .. } => {
                    return Err(SetupError::PointForce {
                        body: body.name.clone(),
                        part: name.clone(),
                        known: body.set_names().join(", "),
                    });
                }
            };
            let turned = |v: [f64; 3]| -> [f64; 3] {
                match load.axes {
                    Axes::Body => (rotation * Vector3::from(v)).into(),
                    Axes::Inertial => v,
                }
            };
            let (force, torque) = (turned(load.force), turned(load.torque));
            let shares = shares(body, discretisation, set)?;
            let mut all: Vec<[f64; 3]> = shares.iter().map(|w| force.map(|f| f * w)).collect();
            let mut moments = Vec::new();
            if discretisation.is_structural() && torque != [0.0; 3] {
                let on_points = (0..).zip(&shares).filter(|(_, share)| **share != 0.0);
                moments = on_points.map(|(point, share)| (point, torque.map(|t| t * share))).collect();
            } else if torque != [0.0; 3] {
                let spread = torque_forces(&shares, &discretisation.points, torque);
                let spread = spread
                    .ok_or_else(|| SetupError::NoLever { body: body.name.clone(), part: set.to_owned() })?;
                for (sum, f) in all.iter_mut().zip(spread) {
                    (0..3).for_each(|d| sum[d] += f[d]);
                }
            }
            let on_points = (0..).zip(all).filter(|(_, f)| *f != [0.0; 3]).collect();
            forces.push(Spread { on_points, moments, scale: load.scale.clone() });
        }
        Ok(Self { pressures, reference: discretisation.points.clone(), forces })
    }

    /// Hands the pressures over, to a scheme that evaluates them at places of its own.
    pub(crate) fn take_pressures(&mut self) -> Vec<Pressed> {
        std::mem::take(&mut self.pressures)
    }

    /// The moments on the points of shells and beams at a time \[N m\].
    pub(super) fn moments(&self, time: f64, moments: &mut [f64]) {
        if self.forces.iter().all(|spread| spread.moments.is_empty()) {
            return;
        }
        moments.fill(0.0);
        for spread in &self.forces {
            let scale = spread.scale.at(time).value;
            for (point, moment) in &spread.moments {
                (0..3).for_each(|d| moments[3 * *point as usize + d] += scale * moment[d]);
            }
        }
    }

    /// The forces at a time \[N\].
    ///
    /// * `u` — displacement of all points \[m\]
    pub(crate) fn forces(&mut self, time: f64, u: &[f64], forces: &mut [f64]) {
        if self.pressures.is_empty() && self.forces.is_empty() {
            return;
        }
        forces.fill(0.0);
        for spread in &self.forces {
            let scale = spread.scale.at(time).value;
            for (point, force) in &spread.on_points {
                (0..3).for_each(|d| forces[3 * *point as usize + d] += scale * force[d]);
            }
        }
        let place = |point: u32| {
            let k = point as usize;
            Vector3::from(self.reference[k]) + Vector3::from_column_slice(&u[3 * k..3 * k + 3])
        };
        self.pressures.iter().for_each(|pressed| pressed.add_forces(place, forces));
    }
}
