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

    /// Adds what the impulses −Gᵀ λ of the joints' multipliers are to the momenta in y; returns impulse and angular impulse of the ground.
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

    fn is_position(&self, component: usize) -> bool {
        self.layout.is_position(component)
    }

    /// Lengths are as large as the system, angles 1; modal coordinates as large as they are, or as what moves the ends of joints by its size.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::{Joint, JointEnd, JointKind};
    use carom_dynamics::{Loads, Placement};
    use carom_integrate::{ConstraintForm, Integrator, IntegratorKind, Ode, SpectralRadius, Tolerances};
    use nalgebra::Matrix3;

    const FORMS: [ConstraintForm; 2] = [ConstraintForm::Index3, ConstraintForm::Stabilised];

    /// A heavy top of 1.5 kg whose point is held, tilted, spinning and thrown aside.
    fn top() -> (System, Vec<f64>) {
        let inertia = Matrix3::from_diagonal(&Vector3::new(6e-3, 7e-3, 4e-3));
        let body = Body::rigid("top", 1.5, inertia, Vector3::zeros()).unwrap();
        let point = Vector3::new(0.0, 0.0, -0.15);
        let end = |body_index, place: Vector3<f64>| JointEnd {
            body: body_index,
            marker: body.frame_marker(place),
            triad_b: Matrix3::identity(),
        };
        let joint = Joint {
            name: "point".into(),
            kind: JointKind::Spherical,
            ends: [end(None, Vector3::zeros()), end(Some(0), point)],
        };
        let turn = rotation::from_vector(&Vector3::new(0.5, 0.3, 0.0));
        let place = Placement {
            origin: (-(rotation::matrix(&turn) * point)).into(),
            quaternion: turn,
            angular_velocity: [2.0, 3.0, 25.0],
            ..Placement::default()
        };
        let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
        let mut system =
            System::new(vec![body], loads, Vec::new()).unwrap().with_joints(vec![joint]).unwrap();
        let mut y = system.initial_state(&[place]).unwrap();
        system.assemble(&mut y).unwrap();
        (system, y)
    }

    /// State and multipliers after steps of one length.
    fn spin(kind: IntegratorKind, tolerances: Tolerances, h: f64, end: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut system, mut y) = top();
        let mut integrator = Integrator::new(kind, tolerances);
        let mut time = 0.0;
        while time < end {
            let latest = if time + 1.5 * h > end { end } else { time + h };
            integrator.attempt(&mut system, time, &y, latest).unwrap();
            time = integrator.accept(&mut y);
        }
        (y, system.constraints.multipliers)
    }

    fn largest(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Against Radau IIA, whose multipliers are those of the accelerations.
    #[test]
    fn a_heavy_top_converges_with_order_two_in_its_multipliers() {
        let n = top().1.len();
        let (y, _) = spin(IntegratorKind::Radau5, Tolerances::uniform(0.0, 1e-12, n), 1e-2, 0.3);
        let (mut system, _) = top();
        system.rate(0.3, &y, &mut vec![0.0; n]).unwrap();
        let multipliers = system.constraints.multipliers.clone();
        for form in FORMS {
            for rho in [0.0, 0.6, 0.9] {
                let kind = IntegratorKind::GeneralisedAlpha(SpectralRadius::new(rho).unwrap(), form);
                let [coarse, fine] = [2e-3, 1e-3].map(|h| {
                    let exactly = Tolerances { newton: Some(vec![1e-12; n]), ..Tolerances::none(n) };
                    let found = spin(kind, exactly, h, 0.3);
                    let momenta = system.layout.momentum(0)..system.layout.momentum(0) + 6;
                    let position = largest(&found.0[..7], &y[..7]);
                    [
                        position,
                        largest(&found.0[momenta.clone()], &y[momenta]),
                        largest(&found.1, &multipliers),
                    ]
                });
                for k in 0..3 {
                    let order = (coarse[k] / fine[k]).log2();
                    assert!(
                        (1.85..2.25).contains(&order),
                        "{form:?} {rho}: {coarse:?} {fine:?}, {k}: {order}"
                    );
                }
            }
        }
    }

    /// Positions keep to joints to rounding, velocities to rounding or to second order of the step.
    #[test]
    fn joints_stay_closed_as_the_form_says() {
        let drift = |form: ConstraintForm, h: f64| {
            let (mut system, mut y) = top();
            let exactly = Tolerances { newton: Some(vec![1e-10; y.len()]), ..Tolerances::none(y.len()) };
            let kind = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, form);
            let mut integrator = Integrator::new(kind, exactly);
            let (mut gap, mut speed) = (0.0_f64, 0.0_f64);
            let mut time = 0.0;
            for _ in 0..300 {
                integrator.attempt(&mut system, time, &y, time + h).unwrap();
                time = integrator.accept(&mut y);
                system.evaluate_joints(time, &y).unwrap();
                let (mut values, mut rates) = ([0.0; 3], [0.0; 3]);
                system.constraints.read(&mut values, &mut rates);
                gap = gap.max(largest(&values, &[0.0; 3]));
                speed = speed.max(largest(&rates, &[0.0; 3]));
            }
            (gap, speed)
        };
        let (gap, speed) = drift(ConstraintForm::Stabilised, 2e-3);
        assert!(gap < 1e-14 && speed < 1e-11, "{gap:e} {speed:e}");
        let [coarse, fine] = [2e-3, 1e-3].map(|h| drift(ConstraintForm::Index3, h));
        let order = (coarse.1 / fine.1).log2();
        assert!(coarse.0 < 1e-14 && (1.7..2.3).contains(&order), "{coarse:?} {fine:?} {order}");
    }
}
