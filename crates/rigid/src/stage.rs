//! One body within a step: the motion without contact, then the motion with the impulses of contacts.

use carom_dynamics::{BodyMotion, rotation};
use nalgebra::{Matrix3, Vector3};

use crate::body::RigidBody;
use crate::state::State;
use crate::turn::{TooFast, Turn};

/// A body within a step.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// A_n: principal axes → inertial axes at the start.
    pub(crate) rot_ib: Matrix3<f64>,
    /// A half-way of the motion without contact; set where contacts need it.
    pub(crate) rot_mid: Matrix3<f64>,
    /// W_n \[rad/s\].
    pub(crate) omega_old: Vector3<f64>,
    /// A_nᵀ s_n \[N m s\].
    pub(crate) spin_b: Vector3<f64>,
    /// v_n \[m/s\].
    pub(crate) velocity_old: Vector3<f64>,
    /// v_{n+1} \[m/s\].
    pub(crate) velocity: Vector3<f64>,
    /// x_n + dt/2 v_n, the origin of the arms of impulses, as Δ(x × p) = (x_n + dt/2 v_n) × Δp exactly
    /// \[m\].
    pub(crate) position_mid: Vector3<f64>,
    /// The rotation of the step.
    pub(crate) turn: Turn,
    /// Force and torque about the centre of mass from outside, constant over the step, inertial axes \[N\],
    /// \[N m\].
    load: [Vector3<f64>; 2],
    /// True if it is not zero.
    pub(crate) is_loaded: bool,
    /// Number of the step for which it was given.
    loaded_in: u64,
    /// The moment of the load over the step, axes of the body at the start \[N m s\].
    load_moment_b: Vector3<f64>,
    /// Impulse of contacts, inertial axes \[N s\].
    pub(crate) impulse: Vector3<f64>,
    /// Their moment about the centre of mass, axes of the body at the start \[N m s\].
    pub(crate) moment_b: Vector3<f64>,
    /// dW_{n+1}/dm \[1/(kg m²)\].
    pub(crate) d_omega: Matrix3<f64>,
    /// True while contacts act on it in this step.
    pub(crate) touched: bool,
    /// T_n \[J\].
    pub(crate) kinetic: f64,
    /// The state at the end of the step.
    pub(crate) next: State,
}

impl Stage {
    pub(crate) fn new(state: &State) -> Self {
        Self {
            rot_ib: rotation::matrix(&state.quaternion),
            rot_mid: Matrix3::identity(),
            omega_old: Vector3::zeros(),
            spin_b: Vector3::zeros(),
            velocity_old: Vector3::zeros(),
            velocity: Vector3::zeros(),
            position_mid: state.position,
            turn: Turn::NONE,
            load: [Vector3::zeros(); 2],
            is_loaded: false,
            loaded_in: 0,
            load_moment_b: Vector3::zeros(),
            impulse: Vector3::zeros(),
            moment_b: Vector3::zeros(),
            d_omega: Matrix3::zeros(),
            touched: false,
            kinetic: 0.0,
            next: *state,
        }
    }

    /// The motion without contact.
    ///
    /// ```text
    /// v_{n+1} = v_n + dt g,   x_{n+1} = x_n + dt/2 (v_n + v_{n+1}),   s_{n+1} = s_n,   A_{n+1} = A_n Exp(Θ)
    /// ```
    ///
    /// A load from outside adds its impulses to both momenta.
    #[inline]
    pub(crate) fn predict(
        &mut self,
        body: &RigidBody,
        state: &State,
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> Result<(), TooFast> {
        if body.fixed {
            return Ok(());
        }
        self.velocity_old = state.momentum / body.mass;
        self.velocity = self.velocity_old + dt * gravity;
        if self.is_loaded {
            self.velocity += (dt / body.mass) * self.load[0];
        }
        self.position_mid = state.position + 0.5 * dt * self.velocity_old;
        self.kinetic = 0.5 * state.momentum.dot(&self.velocity_old);
        self.next.moved(state, 0.5 * dt * (self.velocity_old + self.velocity));
        self.next.momentum = state.momentum + (body.mass * dt) * gravity;
        self.next.spin = state.spin;
        self.rot_ib = rotation::matrix(&state.quaternion);
        if self.is_loaded {
            let [impulse, moment] = self.load.map(|load| dt * load);
            self.next.momentum += impulse;
            self.next.spin += moment;
            self.load_moment_b = self.rot_ib.tr_mul(&moment);
        }
        if state.spin == Vector3::zeros() && self.load_moment_b == Vector3::zeros() {
            (self.spin_b, self.omega_old, self.turn) = (Vector3::zeros(), Vector3::zeros(), Turn::NONE);
            self.next.quaternion = state.quaternion;
            return Ok(());
        }
        self.spin_b = self.rot_ib.tr_mul(&state.spin);
        self.omega_old = self.spin_b.component_div(&body.inertia);
        self.kinetic += 0.5 * self.spin_b.dot(&self.omega_old);
        let mut spin = self.spin_b;
        if self.is_loaded {
            spin += self.load_moment_b;
        }
        self.turn = Turn::solve(&body.inertia, &self.omega_old, &spin, dt)?;
        self.next.quaternion = self.turn.turned(&state.quaternion);
        Ok(())
    }

    /// Starts to collect impulses: computes the orientation half-way, that of the sum of both quaternions.
    pub(crate) fn touch(&mut self, state: &State) {
        if !self.touched {
            self.touched = true;
            let (a, b) = (&state.quaternion, &self.next.quaternion);
            self.rot_mid = rotation::matrix(&std::array::from_fn(|i| a[i] + b[i]));
        }
    }

    /// Velocities at the end with the collected impulses, and their derivatives by further impulses.
    pub(crate) fn respond(
        &mut self,
        body: &RigidBody,
        gravity: &Vector3<f64>,
        dt: f64,
    ) -> Result<(), TooFast> {
        if body.fixed {
            return Ok(());
        }
        let outside = dt * gravity + (dt / body.mass) * self.load[0];
        self.velocity = self.velocity_old + outside + self.impulse / body.mass;
        let spin = self.spin_b + self.load_moment_b + self.moment_b;
        self.turn = Turn::solve(&body.inertia, &self.omega_old, &spin, dt)?;
        self.d_omega = self.turn.d_omega_d_spin(&body.inertia, &self.omega_old, &spin, dt);
        Ok(())
    }

    /// The motion of the end of an arm at the start of the step.
    pub(crate) fn motion_before(&self, body: &RigidBody, arm: &Vector3<f64>) -> BodyMotion {
        self.motion(body, self.velocity_old, self.omega_old, arm)
    }

    /// The motion of the end of an arm with the collected impulses; the rotation in the axes of the body at
    /// the start.
    pub(crate) fn motion_after(&self, body: &RigidBody, arm: &Vector3<f64>) -> BodyMotion {
        self.motion(body, self.velocity, self.turn.omega_b, arm)
    }

    fn motion(
        &self,
        body: &RigidBody,
        v: Vector3<f64>,
        omega_b: Vector3<f64>,
        arm: &Vector3<f64>,
    ) -> BodyMotion {
        let omega = self.rot_ib * omega_b;
        let momentum = (!body.fixed).then(|| body.mass * v);
        BodyMotion { velocity: v + omega.cross(arm), omega, momentum }
    }

    /// The state at the end with the collected impulses.
    pub(crate) fn finish(&mut self, body: &RigidBody, state: &State, gravity: &Vector3<f64>, dt: f64) {
        self.touched = false;
        if body.fixed {
            return;
        }
        let outside = (body.mass * dt) * gravity + dt * self.load[0];
        self.next.momentum = state.momentum + outside + self.impulse;
        self.next.moved(state, 0.5 * dt * (self.velocity_old + self.velocity));
        self.next.spin = state.spin + dt * self.load[1] + self.rot_ib * self.moment_b;
        self.next.quaternion = self.turn.turned(&state.quaternion);
    }

    /// The force and torque from outside of the coming steps.
    pub(crate) fn load(&self) -> [Vector3<f64>; 2] {
        self.load
    }

    /// Replaces them; false if the bounds of pairs hold as before: without a load, and with the load that the
    /// step has already.
    pub(crate) fn set_load(&mut self, load: [Vector3<f64>; 2], step: u64) -> bool {
        let is_known = self.load == load && (!self.is_loaded || self.loaded_in == step);
        self.load = load;
        self.loaded_in = step;
        self.is_loaded = load != [Vector3::zeros(); 2];
        self.load_moment_b = Vector3::zeros();
        !is_known
    }

    /// Work of the load in the step: the mean of the velocities at both ends is that of the scheme \[J\].
    pub(crate) fn load_work(&self, dt: f64) -> f64 {
        0.5 * dt * self.load[0].dot(&(self.velocity_old + self.velocity))
            + 0.5 * self.load_moment_b.dot(&(self.omega_old + self.turn.omega_b))
    }
}
