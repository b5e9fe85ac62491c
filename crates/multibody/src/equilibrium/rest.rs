//! Sizes, masses and forces of a system at rest.

use carom_integrate::SecondOrder;
use nalgebra::{DMatrix, Vector3};

use crate::bodies::BodiesAt;
use crate::layout::{put, vector};
use crate::system::System;
use crate::system_error::RateError;

impl System {
    /// Largest radius of gyration of the bodies \[m\].
    pub(crate) fn size_of_bodies(&self) -> f64 {
        let radii = (0..self.bodies().len()).map(|i| self.states().gyration_radius(i));
        radii.fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Radius of gyration of the body of a velocity \[m\].
    pub(super) fn size_at(&self, velocity: usize) -> f64 {
        let states = self.states();
        let body = states.parts().partition_point(|part| part.velocities.end <= velocity);
        states.gyration_radius(body).max(f64::MIN_POSITIVE)
    }

    /// Increment of a velocity's position that moves bodies by `size`: `size` itself, 1 of rotations, and of
    /// modes the coordinate with this amplitude.
    pub(crate) fn unit_of(&self, velocity: usize, size: f64) -> f64 {
        let states = self.states();
        let parts = states.parts();
        let body = parts.partition_point(|part| part.velocities.end <= velocity);
        let of = &self.bodies()[body];
        match (velocity - parts[body].velocities.start, of.fixed) {
            (0..3, false) => size,
            (3..6, false) => 1.0,
            (k, held) => size / of.amplitudes[if held { k } else { k - 6 }].max(f64::MIN_POSITIVE),
        }
    }

    /// M and G at the state that was set last, over the velocities of all bodies.
    pub(crate) fn masses_and_rows(&mut self) -> (DMatrix<f64>, DMatrix<f64>) {
        let (n, m) = (self.velocities(), self.constraints());
        let (mut mass, mut rows) = (DMatrix::zeros(n, n), DMatrix::zeros(m, n));
        for (body, part) in self.states().parts().into_iter().enumerate() {
            let range = part.velocities;
            let mut column = vec![0.0; range.len()];
            for velocity in range.clone() {
                self.mass_column(velocity, &mut column);
                mass.view_mut((range.start, velocity), (range.len(), 1)).copy_from_slice(&column);
            }
            let mut row = vec![0.0; range.len()];
            for constraint in 0..m {
                self.constraint(constraint, body, &mut row, &mut column);
                for (k, value) in row.iter().enumerate() {
                    rows[(constraint, range.start + k)] = *value;
                }
            }
        }
        (mass, rows)
    }

    /// Positions of all bodies \[m\].
    pub(super) fn places(&self, y: &[f64]) -> Vec<Vector3<f64>> {
        (0..self.bodies().len()).map(|i| vector(y, self.layout().position(i))).collect()
    }

    /// Largest distance of a body from its place \[m\].
    pub(super) fn moved(&self, places: &[Vector3<f64>], y: &[f64]) -> f64 {
        let moved = self.places(y).into_iter().zip(places).map(|(now, then)| (now - then).norm());
        moved.fold(0.0, f64::max)
    }

    /// Takes all momenta out of y.
    pub(super) fn stop(&mut self, y: &mut [f64]) -> Result<(), RateError> {
        let zero = Vector3::zeros();
        for (i, body) in self.bodies().iter().enumerate() {
            put(y, self.layout().momentum(i), &zero);
            put(y, self.layout().ang_momentum(i), &zero);
            let p = self.layout().modal_momentum(i);
            y[p..p + body.frame.n].fill(0.0);
        }
        for start in [self.layout().external_impulse(), self.layout().external_ang_impulse()] {
            put(y, start, &zero);
        }
        self.set_state(y)
    }

    /// Sum of the forces that act at y, at which they were evaluated: weights, loads, springs, contact,
    /// reactions, elasticity; torques over the size of the bodies \[N\].
    pub(super) fn acting_forces(&self, y: &[f64]) -> f64 {
        let size = self.size_of_bodies();
        let at: BodiesAt<'_> = self.states().at(0.0, y);
        let g = self.loads().gravity().norm();
        let carried = self.bodies().iter().filter(|body| !body.fixed || body.frame.n > 0);
        let weights: f64 = carried.map(|body| body.frame.mass * g).sum();
        let norm = |vector: [f64; 3]| Vector3::from(vector).norm();
        let of_load = |load: &carom_dynamics::PointLoad| {
            (norm(load.force) + norm(load.torque) / size) * load.scale.at(0.0).value.abs()
        };
        let loads: f64 = self.loads().point_loads.iter().map(of_load).sum();
        let mut springs = 0.0;
        self.elements().for_actions(at, |_, action| {
            springs += action.wrenches.iter().map(|(f, t)| f.norm() + t.norm() / size).sum::<f64>();
        });
        let contacts: f64 = self.contacts().reactions().map(|(_, reaction)| reaction.force.norm()).sum();
        let reactions = self.joints().rows().map(|row| {
            let [f, t, ..] = row.jacobian;
            row.multiplier.abs() * (f.norm() + t.norm() / size)
        });
        let mut elastic = 0.0;
        for (i, body) in self.bodies().iter().enumerate() {
            let q = self.states().modal_in(i, y);
            for (k, amplitude) in body.amplitudes.iter().enumerate().take(body.frame.n) {
                let force = body.frame.stiffness_modal.row_times(k, q).abs();
                elastic += force / amplitude.max(f64::MIN_POSITIVE);
            }
        }
        weights + loads + springs + contacts + reactions.sum::<f64>() + elastic
    }
}
