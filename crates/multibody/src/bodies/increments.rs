//! Positions of the bodies moved by increments of the tangent space, and momenta of given velocities.
//!
//! Velocities are (ṙ, ω, q̇) of each body that is free, r in inertial and ω in body axes, and q̇ of each that
//! is held; increments move
//!
//! ```text
//! r ← r + ξ_r,   b ← b ⊗ Exp(ξ_ω),   q ← q + ξ_q
//! ```
//!
//! and a change of (P, L, p) means (ΔP, Aᵀ (ΔL − r × ΔP), Δp) in the directions of the velocities.

use carom_dynamics::{Pose, rotation};
use carom_integrate::Part;
use nalgebra::Vector3;

use super::Bodies;
use crate::body::Body;
use crate::contact::BodyForces;
use crate::layout::{Layout, add, put, quaternion, vector};

/// Where velocities lie, body by body.
#[derive(Debug, Clone, Default)]
pub(super) struct Directions {
    /// Start of each body.
    starts: Vec<usize>,
    /// Components of y of the position and the momentum of each velocity, and its body.
    components: Vec<([usize; 2], usize)>,
}

impl Directions {
    pub(super) fn new(bodies: &[Body], layout: &Layout) -> Self {
        let mut directions = Self::default();
        for (i, body) in bodies.iter().enumerate() {
            directions.starts.push(directions.components.len());
            if !body.fixed {
                let (r, p) = (layout.position(i), layout.momentum(i));
                directions.components.extend((0..3).map(|a| ([r + a, p + a], i)));
                // A small rotation changes the vector part of the quaternion.
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

impl Bodies {
    /// Number of velocities.
    pub(crate) fn n_velocities(&self) -> usize {
        self.directions.components.len()
    }

    /// The velocities of each body.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let Directions { starts, components } = &self.directions;
        let ends = starts.iter().skip(1).copied().chain([components.len()]);
        let all = starts.iter().zip(ends).zip(&self.all);
        all.map(|((&start, end), body)| Part { velocities: start..end, is_held: body.fixed }).collect()
    }

    /// Components of y of the position and the momentum of a velocity.
    pub(crate) fn components(&self, velocity: usize) -> [usize; 2] {
        self.directions.components[velocity].0
    }

    /// True for the velocity of a mode above the split.
    pub(crate) fn is_high_mode(&self, velocity: usize) -> bool {
        let body = self.directions.components[velocity].1;
        let mode = velocity.checked_sub(self.directions.modal(body, &self.all[body]));
        mode.is_some_and(|k| self.all[body].high_frequency(k) > 0.0)
    }

    /// Size of the component of y that an increment changes: lengths are as large as the system, angles 1;
    /// modal coordinates as large as they are, or as large as needed to move the ends of joints by `size`.
    ///
    /// * `size` — length of the system \[m\]
    pub(crate) fn magnitude(&self, y: &[f64], velocity: usize, size: f64) -> f64 {
        let ([component, _], body) = self.directions.components[velocity];
        let (r, q) = (self.layout.position(body), self.layout.modal(body));
        if component >= q {
            y[component].abs().max(size / self.all[body].amplitudes[component - q])
        } else if component >= r + 3 {
            1.0
        } else {
            vector(y, r).amax().max(size)
        }
    }

    /// Sets poses and terms of the mass matrices to the positions in y; those that are set are kept.
    pub(crate) fn set_positions(&mut self, y: &[f64]) {
        let layout = &self.layout;
        let (mut placed, mut has_moved) = (&mut self.placed[..], false);
        for (i, body) in self.all.iter().enumerate() {
            let (start, modal) = (layout.position(i), layout.modal(i));
            let end = modal + body.frame.n;
            let (known, rest) = placed.split_at_mut(end - start);
            placed = rest;
            if known == &y[start..end] {
                continue;
            }
            known.copy_from_slice(&y[start..end]);
            has_moved = true;
            let rotation = rotation::matrix(&quaternion(y, layout.quaternion(i)));
            self.poses[i] = Pose { position: vector(y, start), rotation };
            self.kinetics[i].set_modal(&body.frame, &y[modal..end]);
        }
        self.moves += u64::from(has_moved);
    }

    /// Moves the positions in y by an increment of all velocities.
    pub(crate) fn move_by(&self, increment: &[f64], y: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.all.iter().enumerate() {
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

    /// Writes the momenta M z at the positions that were set last to y; the velocities become z.
    pub(crate) fn set_momenta(&mut self, velocity: &[f64], y: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.all.iter().enumerate() {
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

    /// Adds impulses on all bodies to the momenta in y.
    pub(crate) fn add_impulses(&self, impulses: &[BodyForces], y: &mut [f64]) {
        let layout = &self.layout;
        for (i, impulse) in impulses.iter().enumerate() {
            if !self.all[i].fixed {
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

    /// Writes column `velocity` of the mass matrix over the velocities of its body.
    pub(crate) fn mass_column(&self, velocity: usize, column: &mut [f64]) {
        column.fill(0.0);
        let i = self.directions.components[velocity].1;
        let (body, kinetics, a) = (&self.all[i], &self.kinetics[i], &self.poses[i].rotation);
        let frame = &body.frame;
        let first = self.directions.starts[i];
        let (start, modal) = (0, self.directions.modal(i, body) - first);
        let velocity = velocity - first;
        if velocity >= modal {
            let k = velocity - modal;
            if !body.fixed {
                put(column, start, &(a * vector(&kinetics.coupling_t, 3 * k)));
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
            &kinetics.coupling_t
        } else {
            put(column, start, &(a * axis.cross(mc)));
            put(column, start + 3, &(kinetics.inertia * axis));
            &kinetics.coupling_r
        };
        for (k, entry) in column[modal..modal + frame.n].iter_mut().enumerate() {
            *entry = vector(coupling, 3 * k).dot(&axis);
        }
    }

    /// Writes all velocities z.
    pub(crate) fn write_velocities(&self, out: &mut [f64]) {
        for (i, body) in self.all.iter().enumerate() {
            let velocities = &self.kinetics[i].velocities;
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                put(out, start, &(self.poses[i].rotation * velocities.v));
                put(out, start + 3, &velocities.omega);
            }
            out[modal..modal + body.frame.n].copy_from_slice(&velocities.modal);
        }
    }

    /// Writes z' of the accelerations that were set last.
    pub(crate) fn write_accelerations(&self, out: &mut [f64]) {
        for (i, body) in self.all.iter().enumerate() {
            let acceleration = &self.accelerations[i];
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                put(out, start, &(self.poses[i].rotation * acceleration.translation));
                put(out, start + 3, &acceleration.rotation);
            }
            out[modal..modal + body.frame.n].copy_from_slice(&acceleration.modal);
        }
    }

    /// Writes a change of the momenta of y in the directions of the velocities.
    pub(crate) fn pull_back(&self, y: &[f64], change: &[f64], out: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.all.iter().enumerate() {
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

    /// Writes generalised forces in the directions of the velocities.
    pub(crate) fn pull_back_forces(&self, forces: &[BodyForces], row: &mut [f64]) {
        for (i, (body, forces)) in self.all.iter().zip(forces).enumerate() {
            let (start, modal) = (self.directions.starts[i], self.directions.modal(i, body));
            if !body.fixed {
                let pose = &self.poses[i];
                put(row, start, &forces.force);
                let moment = forces.moment - pose.position.cross(&forces.force);
                put(row, start + 3, &pose.rotation.tr_mul(&moment));
            }
            row[modal..modal + body.frame.n].copy_from_slice(&forces.modal);
        }
    }

    /// Adds vectors over (v, ω, q̇) of one body, v in body axes, in the directions of its velocities.
    pub(crate) fn add_on_body(
        &self,
        i: usize,
        translation: &Vector3<f64>,
        rotation: &Vector3<f64>,
        modal_part: &[f64],
        out: &mut [f64],
    ) {
        let body = &self.all[i];
        let modal = if body.fixed { 0 } else { 6 };
        if !body.fixed {
            add(out, 0, &(self.poses[i].rotation * translation));
            add(out, 3, rotation);
        }
        out[modal..modal + body.frame.n].iter_mut().zip(modal_part).for_each(|(out, part)| *out += part);
    }
}
