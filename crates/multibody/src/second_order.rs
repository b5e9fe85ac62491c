//! A system taken apart for integrators that solve for its joints themselves: see [`carom_integrate::SecondOrder`].
//!
//! Velocities are (ṙ, ω, q̇) of each body that is free, r in inertial and ω in body axes, and q̇ of each that is held; increments move
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

    /// Adds what the impulses −Gᵀ λ of the joints' multipliers are to the momenta in y.
    pub(crate) fn add_impulses(&mut self, y: &mut [f64]) {
        let (layout, impulses) = (&self.layout, &mut self.forces);
        impulses.iter_mut().for_each(BodyForces::clear);
        self.constraints.apply(impulses, |_, _| {});
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

    fn is_position(&self, component: usize) -> bool {
        self.layout.is_position(component)
    }

    /// Lengths are as large as the system, angles 1, modal coordinates as large as they are.
    fn magnitude(&self, y: &[f64], velocity: usize) -> f64 {
        let ([component, _], body) = self.directions.components[velocity];
        let (r, q) = (self.layout.position(body), self.layout.modal(body));
        if component >= q {
            y[component].abs()
        } else if component >= r + 3 {
            1.0
        } else {
            vector(y, r).amax().max(self.constraints.size())
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
        self.momenta(step.velocity, y);
        if !step.impulse.is_empty() {
            self.set_joints(time, y);
            let multipliers = self.constraints.multipliers.iter_mut().zip(step.impulse);
            multipliers.for_each(|(multiplier, impulse)| *multiplier = -impulse);
            self.add_impulses(y);
        }
        Ok(())
    }

    fn momenta(&mut self, velocity: &[f64], y: &mut [f64]) {
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
        // Forces hold the reactions by now: these accelerations are those with joints.
        self.set_free_accelerations();
        for (i, body) in self.bodies.iter().enumerate() {
            let (a, n) = (&self.poses[i].rotation, body.frame.n);
            let (velocities, acceleration) = (&self.kinetics[i].velocities, &self.free[i]);
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                put(&mut reading.velocity, start, &(a * velocities.v));
                put(&mut reading.velocity, start + 3, &velocities.omega);
                put(&mut reading.acceleration, start, &(a * acceleration.translation));
                put(&mut reading.acceleration, start + 3, &acceleration.rotation);
            }
            reading.velocity[modal..modal + n].copy_from_slice(&velocities.modal);
            reading.acceleration[modal..modal + n].copy_from_slice(&acceleration.modal);
        }
        reading.multipliers.copy_from_slice(&self.constraints.multipliers);
        self.constraints.read(&mut reading.value, &mut reading.value_rate);
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

    fn constraint(&self, constraint: usize, row: &mut [f64], column: &mut [f64]) {
        row.fill(0.0);
        column.fill(0.0);
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
