//! A system taken apart for integrators that solve for its joints themselves: see
//! [`carom_integrate::SecondOrder`].
//!
//! Velocities are (ṙ, ω, q̇) of each body that is free, r in inertial and ω in body axes, and q̇ of each that
//! is held; increments move
//!
//! ```text
//! r ← r + ξ_r,   b ← b ⊗ Exp(ξ_ω),   q ← q + ξ_q
//! ```
//!
//! and a change of (P, L, p) means (ΔP, Aᵀ (ΔL − r × ΔP), Δp) in the directions of the velocities.

use crate::contact::BodyForces;
use crate::layout::{Layout, put, quaternion, vector};
use crate::system::System;
use crate::system_error::RateError;
use carom_dynamics::{Pose, rotation};
use carom_integrate::{Displacement, Reading, SecondOrder};
use nalgebra::Vector3;

use crate::body::Body;

/// Where velocities lie, body by body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Directions {
    /// Start of each body.
    starts: Vec<usize>,
    /// Components of y of the position and the momentum of each velocity, and its body.
    components: Vec<([usize; 2], usize)>,
}

impl Directions {
    pub(crate) fn new(bodies: &[Body], layout: &Layout) -> Self {
        let mut directions = Self::default();
        for (i, body) in bodies.iter().enumerate() {
            directions.starts.push(directions.components.len());
            if !body.fixed {
                let (r, p) = (layout.position(i), layout.momentum(i));
                directions.components.extend((0..3).map(|a| ([r + a, p + a], i)));
                // The vector part of the quaternion is what a small rotation changes.
                directions.components.extend((0..3).map(|a| ([r + 4 + a, p + 3 + a], i)));
            }
            let (q, p) = (layout.modal(i), layout.modal_momentum(i));
            directions.components.extend((0..body.frame.n).map(|k| ([q + k, p + k], i)));
        }
        directions
    }

    /// Start of the modal velocities of a body.
    fn modal(&self, i: usize, body: &Body) -> usize {
        self.starts[i] + if body.fixed { 0 } else { 6 }
    }
}

impl System {
    /// Poses and terms of the mass matrices at the positions in y.
    fn set_positions(&mut self, y: &[f64]) {
        let layout = &self.layout;
        for (i, body) in self.bodies.iter().enumerate() {
            let rotation = rotation::matrix(&quaternion(y, layout.quaternion(i)));
            self.poses[i] = Pose { position: vector(y, layout.position(i)), rotation };
            self.kinetics[i].set_modal(&body.frame, &y[layout.modal(i)..layout.modal(i) + body.frame.n]);
        }
    }

    /// Moves the positions in y.
    fn move_by(&self, increment: &[f64], y: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.bodies.iter().enumerate() {
            let start = self.directions.starts[i];
            if !body.fixed {
                let (r, b) = (layout.position(i), layout.quaternion(i));
                let position = vector(y, r) + vector(increment, start);
                put(y, r, &position);
                let turn = rotation::from_vector(&vector(increment, start + 3));
                let turned = rotation::product(&quaternion(y, b), &turn);
                y[b..b + 4].copy_from_slice(&turned);
            }
            let (q, modal) = (layout.modal(i), self.directions.modal(i, body));
            for (y, change) in y[q..].iter_mut().zip(&increment[modal..modal + body.frame.n]) {
                *y += change;
            }
        }
    }

    /// Writes the momenta M z at the positions that were set last to y; velocities become z.
    fn set_momenta(&mut self, velocity: &[f64], y: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.bodies.iter().enumerate() {
            let (kinetics, pose) = (&mut self.kinetics[i], &self.poses[i]);
            let (n, p) = (body.frame.n, layout.modal_momentum(i));
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            let z = &mut kinetics.velocities;
            z.modal.copy_from_slice(&velocity[modal..modal + n]);
            (z.v, z.omega) = if body.fixed {
                (Vector3::zeros(), Vector3::zeros())
            } else {
                (pose.rotation.tr_mul(&vector(velocity, start)), vector(velocity, start + 3))
            };
            let (linear, angular) = kinetics.momenta(&body.frame, &kinetics.velocities, &mut y[p..p + n]);
            if !body.fixed {
                let momentum = pose.rotation * linear;
                let ang_momentum = pose.rotation * angular + pose.position.cross(&momentum);
                put(y, layout.momentum(i), &momentum);
                put(y, layout.ang_momentum(i), &ang_momentum);
            }
        }
    }

    /// Adds what the impulses −Gᵀ λ of the joints' multipliers are to the momenta in y; returns impulse and
    /// angular impulse of the ground.
    pub(crate) fn add_impulses(&mut self, y: &mut [f64]) -> [Vector3<f64>; 2] {
        let (layout, impulses) = (&self.layout, &mut self.forces);
        impulses.iter_mut().for_each(BodyForces::clear);
        let mut of_ground = [Vector3::zeros(); 2];
        self.constraints.apply(impulses, |impulse, ang_impulse| {
            of_ground[0] += impulse;
            of_ground[1] += ang_impulse;
        });
        for (i, impulse) in impulses.iter().enumerate() {
            if !self.bodies[i].fixed {
                let (p, l) = (layout.momentum(i), layout.ang_momentum(i));
                let (momentum, ang_momentum) = (vector(y, p), vector(y, l));
                put(y, p, &(momentum + impulse.force));
                put(y, l, &(ang_momentum + impulse.moment));
            }
            for (k, change) in impulse.modal.iter().enumerate() {
                y[layout.modal_momentum(i) + k] += change;
            }
        }
        of_ground
    }
}

impl SecondOrder for System {
    fn velocities(&self) -> usize {
        self.directions.components.len()
    }

    fn constraints(&self) -> usize {
        self.constraints.rows.len()
    }

    fn components(&self, velocity: usize) -> [usize; 2] {
        self.directions.components[velocity].0
    }

    /// Modes above the split: others are followed.
    fn is_internal(&self, velocity: usize) -> bool {
        let body = self.directions.components[velocity].1;
        let mode = velocity.checked_sub(self.directions.modal(body, &self.bodies[body]));
        mode.is_some_and(|k| self.bodies[body].high_frequency(k) > 0.0)
    }

    fn is_position(&self, component: usize) -> bool {
        self.layout.is_position(component)
    }

    /// Lengths are as large as the system, angles 1; modal coordinates as large as they are, or as what moves
    /// the ends of joints by its size.
    fn magnitude(&self, y: &[f64], velocity: usize) -> f64 {
        let ([component, _], body) = self.directions.components[velocity];
        let (r, q) = (self.layout.position(body), self.layout.modal(body));
        let size = self.constraints.size();
        if component >= q {
            y[component].abs().max(size / self.bodies[body].amplitudes[component - q])
        } else if component >= r + 3 {
            1.0
        } else {
            vector(y, r).amax().max(size)
        }
    }

    fn closure(&self, constraint: usize) -> f64 {
        if self.constraints.rows[constraint].1.is_length() { self.constraints.size() } else { 1.0 }
    }

    fn place(
        &mut self,
        time: f64,
        from: &[f64],
        step: Displacement<'_>,
        y: &mut [f64],
    ) -> Result<(), RateError> {
        y.copy_from_slice(from);
        self.move_by(step.increment, y);
        self.set_positions(y);
        self.set_momenta(step.velocity, y);
        if !step.impulse.is_empty() {
            self.set_joints(time, y);
            let multipliers = self.constraints.multipliers.iter_mut().zip(step.impulse);
            multipliers.for_each(|(multiplier, impulse)| *multiplier = -impulse);
            self.add_impulses(y);
        }
        Ok(())
    }

    fn mass_column(&self, velocity: usize, column: &mut [f64]) {
        column.fill(0.0);
        let i = self.directions.components[velocity].1;
        let (body, kinetics, a) = (&self.bodies[i], &self.kinetics[i], &self.poses[i].rotation);
        let frame = &body.frame;
        let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
        if velocity >= modal {
            let k = velocity - modal;
            if !body.fixed {
                put(column, start, &(a * vector(&frame.coupling_t, 3 * k)));
                put(column, start + 3, &vector(&kinetics.coupling_r, 3 * k));
            }
            frame.mass_modal.write_column(k, &mut column[modal..modal + frame.n]);
            return;
        }
        let mut axis = Vector3::zeros();
        axis[(velocity - start) % 3] = 1.0;
        let mc = &kinetics.first_moment;
        let coupling = if velocity < start + 3 {
            put(column, start, &(frame.mass * axis));
            axis = a.tr_mul(&axis);
            put(column, start + 3, &mc.cross(&axis));
            &frame.coupling_t
        } else {
            put(column, start, &(a * axis.cross(mc)));
            put(column, start + 3, &(kinetics.inertia * axis));
            &kinetics.coupling_r
        };
        for (k, entry) in column[modal..modal + frame.n].iter_mut().enumerate() {
            *entry = vector(coupling, 3 * k).dot(&axis);
        }
    }

    fn rate_with(
        &mut self,
        time: f64,
        y: &[f64],
        multipliers: &[f64],
        rate: &mut [f64],
    ) -> Result<(), RateError> {
        self.apply_forces(time, y)?;
        if !self.constraints.is_empty() {
            self.set_joints(time, y);
            self.constraints.multipliers.copy_from_slice(multipliers);
            self.apply_reactions();
        }
        self.write_rates(y, rate);
        Ok(())
    }

    fn read(&mut self, reading: &mut Reading) {
        for (i, body) in self.bodies.iter().enumerate() {
            let velocities = &self.kinetics[i].velocities;
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                put(&mut reading.velocity, start, &(self.poses[i].rotation * velocities.v));
                put(&mut reading.velocity, start + 3, &velocities.omega);
            }
            reading.velocity[modal..modal + body.frame.n].copy_from_slice(&velocities.modal);
        }
        reading.multipliers.copy_from_slice(&self.constraints.multipliers);
        self.constraints.read(&mut reading.value, &mut reading.value_rate);
    }

    /// Forces hold the reactions by now: these accelerations are those with joints.
    fn accelerations(&mut self, out: &mut [f64]) {
        self.set_free_accelerations();
        for (i, body) in self.bodies.iter().enumerate() {
            let acceleration = &self.free[i];
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                put(out, start, &(self.poses[i].rotation * acceleration.translation));
                put(out, start + 3, &acceleration.rotation);
            }
            out[modal..modal + body.frame.n].copy_from_slice(&acceleration.modal);
        }
    }

    fn pull_back(&self, y: &[f64], change: &[f64], out: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.bodies.iter().enumerate() {
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                let a = rotation::matrix(&quaternion(y, layout.quaternion(i)));
                let momentum = vector(change, layout.momentum(i));
                let carried = vector(y, layout.position(i)).cross(&momentum);
                put(out, start, &momentum);
                put(out, start + 3, &a.tr_mul(&(vector(change, layout.ang_momentum(i)) - carried)));
            }
            let p = layout.modal_momentum(i);
            out[modal..modal + body.frame.n].copy_from_slice(&change[p..p + body.frame.n]);
        }
    }

    /// The low-rank forces are those of contact models that expose their rows.
    fn omit_low_rank(&mut self, omit: bool) {
        self.leaves_out_contacts = omit;
    }

    fn for_low_rank_rows(&self, visit: &mut dyn FnMut(usize)) {
        self.for_closed_rows(visit);
    }

    fn low_rank_compliance(&self, row: usize, other: usize) -> f64 {
        self.compliance_of_rows(row, other)
    }

    fn low_rank_row(&mut self, number: usize, row: &mut [f64]) {
        self.set_forces_of_row(number);
        for (i, (body, unit)) in self.bodies.iter().zip(&self.row_forces).enumerate() {
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                let pose = &self.poses[i];
                put(row, start, &unit.force);
                let moment = unit.moment - pose.position.cross(&unit.force);
                put(row, start + 3, &pose.rotation.tr_mul(&moment));
            }
            row[modal..modal + body.frame.n].copy_from_slice(&unit.modal);
        }
    }

    fn constraint(&mut self, constraint: usize, row: &mut [f64], column: &mut [f64]) {
        row.fill(0.0);
        column.fill(0.0);
        self.constraints.set_column(constraint, &self.bodies, &self.kinetics);
        for side in self.constraints.sides(constraint) {
            let Some(i) = side.body else { continue };
            let body = &self.bodies[i];
            let a = &self.poses[i].rotation;
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                put(row, start, &(a * side.force));
                put(row, start + 3, &side.moment);
                put(column, start, &(a * side.velocity));
                put(column, start + 3, &side.omega);
            }
            row[modal..modal + body.frame.n].copy_from_slice(&side.modal);
            column[modal..modal + body.frame.n].copy_from_slice(&side.rate);
        }
    }
}

#[cfg(test)]
mod tests;
