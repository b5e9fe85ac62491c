//! A floating body by central differences: coordinates at t_n, momenta at t_{n±1/2}.
//!
//! ```text
//! p₊ = p₋ + dt̃ [f(x_n) + ½ ∂T/∂q(z₋, x_n) + ½ ∂T/∂q(z₊, x_n)],     z± = M(x_n)⁻¹ p±
//! x_{n+1} = x_n ∘ ½ dt z₊ ∘ ½ dt M(x_{n+1})⁻¹ p₊
//! ```
//!
//! p are the linear momentum, the angular momentum about the inertial origin, and the momenta of the modes,
//! so that forces alone change the first two: both are kept to round-off. The scheme is the Störmer-Verlet
//! method for the kinetic energy T = ½ pᵀ M(q)⁻¹ p: it can be reversed in time, has order 2, and its error of
//! the energy does not grow. Without modes or rotation it is that of explicit dynamics of points
//! (`carom_continuum::explicit`), whose contacts push this body by [`Leapfrog::push`].
//!
//! Steps must be shorter than 2/ω of the highest mode ([`Leapfrog::critical_step`]).
//!
//! # Source
//!
//! Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), eq. (I.1.22): the method for Hamiltonians
//! that are not separable. docs/theory/floating-frame.md, section 3.4.

use carom_dynamics::{Placement, Pose, rotation};
use nalgebra::{Matrix3, Vector3};

use crate::body::Body;
use crate::kinetics::{Kinetics, MassError};
use crate::velocities::Velocities;

/// Largest number of iterations for the terms that depend on the end of a step. Each gains several digits.
const ITERATIONS: usize = 40;

/// Momenta, or forces on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Momenta {
    /// P \[N s\], or a force \[N\].
    pub linear: Vector3<f64>,
    /// L about the inertial origin \[N m s\], or a moment \[N m\].
    pub angular: Vector3<f64>,
    /// Of the modes.
    pub modal: Vec<f64>,
}

impl Momenta {
    /// Zero, for n modes.
    pub fn zero(n: usize) -> Self {
        Self { linear: Vector3::zeros(), angular: Vector3::zeros(), modal: vec![0.0; n] }
    }

    /// Adds a multiple.
    pub fn add(&mut self, factor: f64, other: &Self) {
        self.linear += factor * other.linear;
        self.angular += factor * other.angular;
        self.modal.iter_mut().zip(&other.modal).for_each(|(a, b)| *a += factor * b);
    }

    /// Sets all numbers to those of another one.
    fn copy_from(&mut self, other: &Self) {
        (self.linear, self.angular) = (other.linear, other.angular);
        self.modal.copy_from_slice(&other.modal);
    }

    fn clear(&mut self) {
        (self.linear, self.angular) = (Vector3::zeros(), Vector3::zeros());
        self.modal.fill(0.0);
    }
}

/// Coordinates with the terms of the mass matrix at them.
#[derive(Debug, Clone)]
struct Place {
    pose: Pose,
    quaternion: [f64; 4],
    modal: Vec<f64>,
    kinetics: Kinetics,
}

impl Place {
    /// The velocities of momenta at this place, in its kinetics.
    fn solve(&mut self, body: &Body, momenta: &Momenta) -> Result<&Velocities, MassError> {
        self.kinetics.set_modal(&body.frame, &self.modal);
        if body.fixed {
            self.kinetics.solve_fixed(&body.frame, &momenta.modal);
        } else {
            self.kinetics.invert(&body.frame, &self.modal)?;
            let (linear, angular) = self.in_body(momenta);
            self.kinetics.solve_free(&body.frame, &linear, &angular, &momenta.modal);
        }
        Ok(&self.kinetics.velocities)
    }

    /// Linear momentum, and angular momentum about the frame origin, in body axes.
    fn in_body(&self, momenta: &Momenta) -> (Vector3<f64>, Vector3<f64>) {
        let turn = &self.pose.rotation;
        let spin = momenta.angular - self.pose.position.cross(&momenta.linear);
        (turn.tr_mul(&momenta.linear), turn.tr_mul(&spin))
    }

    /// z·p: twice the kinetic energy if both belong together.
    fn product(&self, body: &Body, z: &Velocities, momenta: &Momenta) -> f64 {
        let modal: f64 = z.modal.iter().zip(&momenta.modal).map(|(rate, p)| rate * p).sum();
        if body.fixed {
            return modal;
        }
        let (linear, angular) = self.in_body(momenta);
        z.v.dot(&linear) + z.omega.dot(&angular) + modal
    }
}

/// A rigid or reduced body that moves in explicit steps.
#[derive(Debug, Clone)]
pub struct Leapfrog {
    body: Body,
    /// x_n, and x_{n+1} while it is sought.
    now: Place,
    next: Place,
    /// p₋ and p₊.
    momenta: [Momenta; 2],
    /// z₋ and z₊, both at x_n.
    velocities: [Velocities; 2],
    /// Forces of loads at t_n, and these with gravity.
    loads: Momenta,
    forces: Momenta,
    /// K q + D q̇ − ∂T/∂q of the present step.
    internal: Vec<f64>,
    /// D q̇ of the present step, a part of it.
    damping: Vec<f64>,
    /// Impulses of contacts in the present step, and their mean force in the previous one.
    pushed: Momenta,
    last: Momenta,
    estimate: Momenta,
    rates: [Vec<f64>; 2],
    gravity: Vector3<f64>,
}

impl Leapfrog {
    /// The body at its start, undeformed. Its momenta are those of t₀ until [`Leapfrog::start`].
    ///
    /// # Errors
    ///
    /// [`MassError`] if its mass matrix is not positive definite.
    pub fn new(body: Body, placement: &Placement, gravity: Vector3<f64>) -> Result<Self, MassError> {
        let state = body.placed(placement);
        let n = body.frame.n;
        let now = Place {
            pose: Pose { position: state.position, rotation: rotation::matrix(&state.quaternion) },
            quaternion: state.quaternion,
            modal: state.modal,
            kinetics: Kinetics::new(n),
        };
        let momenta = if body.fixed {
            Momenta::zero(n)
        } else {
            Momenta { linear: state.momentum, angular: state.ang_momentum, modal: state.modal_momentum }
        };
        let mut made = Self {
            next: now.clone(),
            velocities: [0, 1].map(|_| now.kinetics.velocities.clone()),
            now,
            momenta: [momenta.clone(), momenta],
            loads: Momenta::zero(n),
            forces: Momenta::zero(n),
            internal: vec![0.0; n],
            damping: vec![0.0; n],
            pushed: Momenta::zero(n),
            last: Momenta::zero(n),
            estimate: Momenta::zero(n),
            rates: [vec![0.0; n], vec![0.0; n]],
            gravity,
            body,
        };
        made.velocities[0].clone_from(made.now.solve(&made.body, &made.momenta[0])?);
        Ok(made)
    }

    /// Sets coordinates of the modes and their momenta; before [`Leapfrog::start`].
    ///
    /// # Errors
    ///
    /// [`MassError`].
    ///
    /// # Panics
    ///
    /// If their number is not that of the modes.
    pub fn set_modal(&mut self, modal: &[f64], momenta: &[f64]) -> Result<(), MassError> {
        self.now.modal.copy_from_slice(modal);
        self.momenta[0].modal.copy_from_slice(momenta);
        self.velocities[0].clone_from(self.now.solve(&self.body, &self.momenta[0])?);
        Ok(())
    }

    /// Sets the momenta back by half a step of the length dt, p_{−1/2} = p₀ − ½ dt f(x₀).
    ///
    /// # Errors
    ///
    /// [`MassError`].
    pub fn start(&mut self, dt: f64) -> Result<(), MassError> {
        self.predict(-0.5 * dt)?;
        self.momenta.swap(0, 1);
        self.velocities.swap(0, 1);
        Ok(())
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The longest stable step, 2/ω of the highest mode; infinite without modes \[s\].
    pub fn critical_step(&self) -> f64 {
        let stiffness = &self.body.frame.stiffness_modal;
        let mass = &self.body.frame.mass_modal;
        let n = self.body.frame.n;
        // Gershgorin's bound for a mass that is the identity, as the modes of a reduced body have it.
        let bound = |i: usize| (0..n).map(|j| stiffness[(i, j)].abs()).sum::<f64>() / mass[(i, i)];
        let largest = (0..n).map(bound).fold(0.0, f64::max);
        if largest > 0.0 { 2.0 / largest.sqrt() } else { f64::INFINITY }
    }

    /// Pose of the body frame at t_n.
    pub fn pose(&self) -> &Pose {
        &self.now.pose
    }

    /// Unit quaternion of that pose.
    pub fn quaternion(&self) -> &[f64; 4] {
        &self.now.quaternion
    }

    /// Coordinates of the modes at t_n.
    pub fn modal(&self) -> &[f64] {
        &self.now.modal
    }

    /// Velocities z₋ and z₊ at x_n, in body axes.
    pub fn velocities(&self) -> &[Velocities; 2] {
        &self.velocities
    }

    /// Momenta at t_{n−1/2} and t_{n+1/2}.
    pub fn momenta(&self) -> &[Momenta; 2] {
        &self.momenta
    }

    /// Sets the forces of loads, from the coming step on; gravity is added to them.
    pub fn load(&mut self, forces: &Momenta) {
        self.loads.copy_from(forces);
    }

    /// Computes p₊ without contact. The terms of velocity, ∂T/∂q and damping, already include the mean
    /// contact force of the previous step, so that they are means over both sides of t_n to second order.
    ///
    /// # Errors
    ///
    /// [`MassError`].
    pub fn predict(&mut self, dt_mean: f64) -> Result<(), MassError> {
        self.pushed.clear();
        self.add_gravity();
        let frame = &self.body.frame;
        let [behind, ahead] = &mut self.momenta;
        ahead.copy_from(behind);
        ahead.add(dt_mean, &self.forces);
        self.rates[0].fill(0.0);
        self.now.kinetics.velocities.clone_from(&self.velocities[0]);
        self.now.kinetics.add_kinetic_force(frame, &mut self.rates[0]);
        let n = frame.n;
        let mut last_change = f64::INFINITY;
        for _ in 0..ITERATIONS {
            self.estimate.copy_from(&self.momenta[1]);
            self.estimate.add(dt_mean, &self.last);
            self.velocities[1].clone_from(self.now.solve(&self.body, &self.estimate)?);
            self.rates[1].fill(0.0);
            self.now.kinetics.add_kinetic_force(&self.body.frame, &mut self.rates[1]);
            self.damp();
            let mut change = 0.0_f64;
            for k in 0..n {
                let kinetic = 0.5 * (self.rates[0][k] + self.rates[1][k]);
                let stiff = self.body.frame.stiffness_modal.row_times(k, &self.now.modal);
                self.internal[k] = stiff + self.damping[k] - kinetic;
                let p = self.momenta[0].modal[k] + dt_mean * (self.forces.modal[k] - self.internal[k]);
                change = change.max((p - self.momenta[1].modal[k]).abs());
                self.momenta[1].modal[k] = p;
            }
            // Further iterations change rounding alone.
            if change == 0.0 || change >= 0.5 * last_change {
                break;
            }
            last_change = change;
        }
        self.velocities[1].clone_from(self.now.solve(&self.body, &self.momenta[1])?);
        Ok(())
    }

    /// D ½ (q̇₋ + q̇₊).
    fn damp(&mut self) {
        let Some(damping) = &self.body.frame.damping_modal else { return };
        let [behind, ahead] = &self.velocities;
        for (rate, (a, b)) in self.estimate.modal.iter_mut().zip(behind.modal.iter().zip(&ahead.modal)) {
            *rate = 0.5 * (a + b);
        }
        for (k, force) in self.damping.iter_mut().enumerate() {
            *force = damping.row_times(k, &self.estimate.modal);
        }
    }

    /// Loads and gravity.
    fn add_gravity(&mut self) {
        let Self { body, now, forces, loads, gravity, .. } = self;
        forces.copy_from(loads);
        if *gravity == Vector3::zeros() {
            return;
        }
        if !body.fixed {
            let moment = now.pose.rotation * now.kinetics.first_moment;
            forces.linear += body.frame.mass * *gravity;
            forces.angular += (body.frame.mass * now.pose.position + moment).cross(gravity);
        }
        let in_body = now.pose.rotation.tr_mul(gravity);
        for (sum, column) in forces.modal.iter_mut().zip(now.kinetics.coupling_t.as_chunks::<3>().0) {
            *sum += in_body.dot(&Vector3::from(*column));
        }
    }

    /// Adds an impulse to p₊; [`Leapfrog::settle`] then updates z₊.
    pub fn push(&mut self, impulse: &Momenta) {
        self.pushed.add(1.0, impulse);
        self.momenta[1].add(1.0, impulse);
        if self.body.fixed {
            (self.momenta[1].linear, self.momenta[1].angular) = (Vector3::zeros(), Vector3::zeros());
        }
    }

    /// z₊ of p₊ with all impulses.
    ///
    /// # Errors
    ///
    /// [`MassError`].
    pub fn settle(&mut self) -> Result<(), MassError> {
        self.velocities[1].clone_from(self.now.solve(&self.body, &self.momenta[1])?);
        Ok(())
    }

    /// The response M(x_n)⁻¹ to an impulse, as velocities (v, ω) in body axes and of the modes.
    ///
    /// * `linear`, `angular` — in body axes, about the frame origin
    pub fn respond(
        &self,
        (linear, angular): (&Vector3<f64>, &Vector3<f64>),
        modal: &[f64],
        rates: &mut [f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        if self.body.fixed {
            Kinetics::apply_inverse_modal_mass(&self.body.frame, modal, rates);
            return (Vector3::zeros(), Vector3::zeros());
        }
        self.now.kinetics.apply_inverse_mass(&self.body.frame, linear, angular, modal, rates)
    }

    /// Moves the coordinates from t_n to t_{n+1}. Returns the change of the kinetic energy by that of the
    /// mass matrix, T(p₊, x_{n+1}) − T(p₊, x_n) \[J\].
    ///
    /// * `dt_mean` — dt̃ of the impulses of this step \[s\]
    ///
    /// # Errors
    ///
    /// [`MassError`].
    pub fn advance(&mut self, dt: f64, dt_mean: f64) -> Result<f64, MassError> {
        self.seek(dt)?;
        let before = self.now.product(&self.body, &self.velocities[1], &self.momenta[1]);
        let after = self.next.product(&self.body, &self.next.kinetics.velocities, &self.momenta[1]);
        self.last.copy_from(&self.pushed);
        let scale = 1.0 / dt_mean;
        self.last.linear *= scale;
        self.last.angular *= scale;
        self.last.modal.iter_mut().for_each(|p| *p *= scale);
        std::mem::swap(&mut self.now, &mut self.next);
        let [behind, ahead] = &mut self.momenta;
        behind.copy_from(ahead);
        self.velocities[0].clone_from(&self.now.kinetics.velocities);
        Ok(0.5 * (after - before))
    }

    /// Finds x_{n+1}, which depends on M(x_{n+1}).
    fn seek(&mut self, dt: f64) -> Result<(), MassError> {
        let Self { body, now, next, momenta, velocities, .. } = self;
        let (half, start) = (0.5 * dt, &velocities[1]);
        let turned = rotation::product(&now.quaternion, &rotation::from_vector(&(half * start.omega)));
        let first = now.pose.position + half * (now.pose.rotation * start.v);
        let mut end = start.clone();
        next.pose = now.pose;
        let mut last_change = f64::INFINITY;
        for _ in 0..ITERATIONS {
            next.quaternion = rotation::product(&turned, &rotation::from_vector(&(half * end.omega)));
            rotation::normalise(&mut next.quaternion);
            next.pose.rotation = rotation::matrix(&next.quaternion);
            next.pose.position = first + half * (next.pose.rotation * end.v);
            for (k, q) in next.modal.iter_mut().enumerate() {
                *q = now.modal[k] + half * (start.modal[k] + end.modal[k]);
            }
            let found = next.solve(body, &momenta[1])?;
            let change = (found.v - end.v).norm()
                + (found.omega - end.omega).norm()
                + found.modal.iter().zip(&end.modal).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            end.clone_from(found);
            if change == 0.0 || change >= 0.5 * last_change {
                return Ok(());
            }
            last_change = change;
        }
        Ok(())
    }

    /// Numbers of [`Leapfrog::to_numbers`].
    pub fn n_numbers(&self) -> usize {
        19 + 3 * self.body.frame.n
    }

    /// The state between steps, for checkpoints: coordinates, p₋, and the mean force of the last contacts.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(self.n_numbers());
        numbers.extend(self.now.pose.position.iter().chain(&self.now.quaternion).chain(&self.now.modal));
        for momenta in [&self.momenta[0], &self.last] {
            numbers.extend(momenta.linear.iter().chain(&momenta.angular).chain(&momenta.modal));
        }
        numbers
    }

    /// Sets the state that [`Leapfrog::to_numbers`] gave.
    ///
    /// # Errors
    ///
    /// [`MassError`] for modes out of range.
    ///
    /// # Panics
    ///
    /// If the numbers are not [`Leapfrog::n_numbers`].
    pub fn read_numbers(&mut self, numbers: &[f64]) -> Result<(), MassError> {
        assert_eq!(numbers.len(), self.n_numbers(), "numbers of the same body");
        let n = self.body.frame.n;
        let vector = |at: usize| Vector3::from_column_slice(&numbers[at..at + 3]);
        self.now.pose.position = vector(0);
        self.now.quaternion.copy_from_slice(&numbers[3..7]);
        self.now.pose.rotation = rotation::matrix(&self.now.quaternion);
        self.now.modal.copy_from_slice(&numbers[7..7 + n]);
        for (momenta, start) in [(&mut self.momenta[0], 7 + n), (&mut self.last, 13 + 2 * n)] {
            (momenta.linear, momenta.angular) = (vector(start), vector(start + 3));
            momenta.modal.copy_from_slice(&numbers[start + 6..start + 6 + n]);
        }
        self.velocities[0].clone_from(self.now.solve(&self.body, &self.momenta[0])?);
        Ok(())
    }

    /// ½ z₋·((1 − 2θ) p₋ + 2θ p₊), the kinetic energy at t_n of central differences \[J\].
    ///
    /// * `share` — θ, the part of the time between both momenta that lies before t_n: ½ in constant steps
    pub fn kinetic_energy(&self, share: f64) -> f64 {
        let [behind, ahead] =
            [0, 1].map(|side| self.now.product(&self.body, &self.velocities[0], &self.momenta[side]));
        0.5 * (1.0 - 2.0 * share) * behind + share * ahead
    }

    /// ½ qᵀ K q at t_n \[J\].
    pub fn elastic_energy(&self) -> f64 {
        0.5 * self.body.frame.stiffness_modal.square(&self.now.modal)
    }

    /// Powers of forces on the coordinates at t_n: f·z₋ and f·(z₋ + z₊) \[W\].
    pub fn powers(&self, forces: &Momenta) -> [f64; 2] {
        let [behind, ahead] = &self.velocities;
        let powers = [behind, ahead].map(|z| self.now.product(&self.body, z, forces));
        [powers[0], powers[0] + powers[1]]
    }

    /// Forces of loads and gravity at t_n.
    pub fn forces(&self) -> &Momenta {
        &self.forces
    }

    /// Powers of the internal forces, K q + D q̇ − ∂T/∂q, and of the damping in them, each as
    /// [`Leapfrog::powers`] \[W\].
    pub fn internal_powers(&self) -> [[f64; 2]; 2] {
        let [behind, ahead] = &self.velocities;
        [&self.internal, &self.damping].map(|forces| {
            let [a, b] =
                [behind, ahead].map(|z| forces.iter().zip(&z.modal).map(|(f, rate)| f * rate).sum::<f64>());
            [a, a + b]
        })
    }

    /// Position at t_n of a material point.
    ///
    /// * `reference` — in the body frame \[m\]
    /// * `rows` — modes at the point, 3 numbers for each mode
    pub fn position(&self, reference: &Vector3<f64>, rows: &[f64]) -> Vector3<f64> {
        self.now.pose.position + self.now.pose.rotation * shifted(reference, rows, &self.now.modal)
    }

    /// Velocities of a material point by z₋ and z₊ \[m/s\].
    pub fn point_velocities(&self, reference: &Vector3<f64>, rows: &[f64]) -> [Vector3<f64>; 2] {
        let c = shifted(reference, rows, &self.now.modal);
        self.velocities.each_ref().map(|z| {
            let relative = shifted(&z.v, rows, &z.modal);
            self.now.pose.rotation * (relative + z.omega.cross(&c))
        })
    }

    /// Adds a force at a material point, inertial axes, to forces or impulses.
    pub fn add_point_force(
        &self,
        reference: &Vector3<f64>,
        rows: &[f64],
        force: &Vector3<f64>,
        sum: &mut Momenta,
    ) {
        sum.linear += force;
        sum.angular += self.position(reference, rows).cross(force);
        let in_body = self.now.pose.rotation.tr_mul(force);
        for (modal, row) in sum.modal.iter_mut().zip(rows.as_chunks::<3>().0) {
            *modal += in_body.dot(&Vector3::from(*row));
        }
    }

    /// ∫ c dm at t_n in body axes \[kg m\].
    pub fn first_moment(&self) -> &Vector3<f64> {
        &self.now.kinetics.first_moment
    }

    /// Rotation from body to inertial axes at t_n.
    pub fn rotation(&self) -> &Matrix3<f64> {
        &self.now.pose.rotation
    }
}

/// x + Σ_k φ_k q_k.
fn shifted(x: &Vector3<f64>, rows: &[f64], q: &[f64]) -> Vector3<f64> {
    rows.as_chunks::<3>().0.iter().zip(q).fold(*x, |sum, (row, q)| sum + *q * Vector3::from(*row))
}
