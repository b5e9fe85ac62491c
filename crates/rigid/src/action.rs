//! Forces and springs that act on rigid bodies in a step.
//!
//! Their impulses act where those of contacts do: at x_n + dt/2 v_n, with the orientation A_n Exp(dt/2 ω_n),
//! in the middle of the step. With the motion of a step this is the leapfrog rule,
//!
//! ```text
//! x_mid = x_n + dt/2 v_n ,   v_{n+1} = v_n + dt/m f(x_mid, t_n + dt/2) ,   x_{n+1} = x_mid + dt/2 v_{n+1}
//! ```
//!
//! of second order, symmetric in time: the energy of springs has an error without a drift, and momenta are
//! exact. A damper acts with the rate of the length in the middle of the step,
//!
//! ```text
//! r_mid = (r_n + dt/2 (a − w f))/(1 + dt/2 w c) ,   w = Σ e·M⁻¹ e
//! ```
//!
//! f the pull of the spring, c the damping, w the mobility of its ends along it, and a the acceleration by
//! all else, joints and other loads, which is that of the step before: of second order, and stable for any c.
//! After a step in which one of its bodies was struck, a is 0: an impact changes velocities at once.

use carom_dynamics::{Axes, JointAction, JointState, TimeFunction, rotation};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::body::RigidBody;
use crate::joint::JointEnd;
use crate::state::State;
use crate::system::System;

/// A force and a torque at a place of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceSpec {
    /// Index of the body.
    pub body: usize,
    /// The place, source coordinates of the body \[m\].
    pub point: Vector3<f64>,
    /// Force \[N\].
    pub force: Vector3<f64>,
    /// Torque \[N m\].
    pub torque: Vector3<f64>,
    /// Axes of both: inertial ones, or those of the source geometry.
    pub axes: Axes,
    /// Function of time that multiplies both.
    pub scale: TimeFunction,
}

/// A spring with a damper between two points, which pulls with k (ℓ − ℓ₀) + c ℓ̇ + F₀.
#[derive(Debug, Clone, PartialEq)]
pub struct SpringSpec {
    /// Name, as shown to the user.
    pub name: String,
    /// Its ends; their triads have no meaning.
    pub ends: [JointEnd; 2],
    /// k \[N/m\].
    pub stiffness: f64,
    /// c \[N s/m\].
    pub damping: f64,
    /// ℓ₀ \[m\].
    pub free: f64,
    /// F₀ \[N\].
    pub preload: f64,
}

/// A spring that cannot act.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpringError {
    /// Its ends are not on two bodies, or a body and the ground.
    #[error("spring `{spring}`: it needs two of the rigid bodies, or one of them and the ground")]
    Bodies {
        /// Name of the spring.
        spring: String,
    },
    /// The step is longer than leapfrog steps may be.
    #[error(
        "spring `{spring}`: steps of {dt:.3e} s are too long for its vibration, whose limit is {limit:.3e} \
         s: shorten `simulation.time_step`"
    )]
    Step {
        /// Name of the spring.
        spring: String,
        /// \[s\].
        dt: f64,
        /// 2/ω \[s\].
        limit: f64,
    },
}

impl SpringError {
    /// Name of the spring.
    pub fn spring(&self) -> &str {
        match self {
            Self::Bodies { spring } | Self::Step { spring, .. } => spring,
        }
    }
}

/// A force in the frame of its body.
#[derive(Debug, Clone)]
struct Force {
    body: usize,
    point_b: Vector3<f64>,
    /// Source → inertial axes is body → inertial times this.
    source: Matrix3<f64>,
    spec: ForceSpec,
}

/// A spring in the frames of its bodies.
#[derive(Debug, Clone)]
struct Spring {
    spec: SpringSpec,
    /// Points in the frames of the bodies, or in inertial coordinates \[m\].
    points: [Vector3<f64>; 2],
    /// The pull of spring and preload, and that of the damper, in the last step \[N\]; their direction from
    /// the first end to the second.
    pulls: [f64; 2],
    direction: Vector3<f64>,
    /// From the centre of mass of each end's body to the end in the middle of the step, inertial axes \[m\].
    arms: [Vector3<f64>; 2],
    /// Rate of the length at the start of the step \[m/s\].
    rate_before: f64,
    /// Second derivative of the length in the last step by all else \[m/s²\].
    by_others: f64,
}

/// Energies of the actions since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ActionBooks {
    /// Work of forces \[J\].
    pub(crate) forces: f64,
    /// Taken by dampers \[J\].
    pub(crate) damping: f64,
    /// Work of springs and the change of their potential, which leapfrog steps leave \[J\].
    pub(crate) numerical: f64,
    /// Of the springs now, and at the start \[J\].
    pub(crate) potential: f64,
    pub(crate) at_start: f64,
}

/// The forces and springs of a system.
#[derive(Debug, Clone, Default)]
pub(crate) struct Actions {
    forces: Vec<Force>,
    springs: Vec<Spring>,
    /// Force and torque about the centre of mass of each body.
    sums: Vec<[Vector3<f64>; 2]>,
    /// The same of the forces alone.
    of_forces: Vec<[Vector3<f64>; 2]>,
    pub(crate) books: ActionBooks,
}

/// A point of a body, or of the ground, in motion.
struct Moving {
    place: Vector3<f64>,
    velocity: Vector3<f64>,
}

impl Actions {
    pub(crate) fn new(
        forces: &[ForceSpec],
        springs: &[SpringSpec],
        system: &System,
    ) -> Result<Self, SpringError> {
        let bodies = &system.bodies;
        let force = |spec: &ForceSpec| Force {
            body: spec.body,
            point_b: bodies[spec.body].point_b(&spec.point),
            source: rotation::matrix(&bodies[spec.body].axes).transpose(),
            spec: spec.clone(),
        };
        let springs = springs.iter().map(|spec| {
            let [a, b] = spec.ends.map(|end| end.body);
            if a == b || [a, b].iter().flatten().any(|&body| body >= bodies.len()) {
                return Err(SpringError::Bodies { spring: spec.name.clone() });
            }
            let points = spec.ends.map(|end| match end.body {
                Some(body) => bodies[body].point_b(&end.point),
                None => end.point,
            });
            Ok(Spring {
                spec: spec.clone(),
                points,
                pulls: [0.0; 2],
                direction: Vector3::x(),
                arms: [Vector3::zeros(); 2],
                rate_before: 0.0,
                by_others: 0.0,
            })
        });
        let n = bodies.len();
        let mut actions = Self {
            forces: forces.iter().map(force).collect(),
            springs: springs.collect::<Result<_, _>>()?,
            sums: vec![[Vector3::zeros(); 2]; n],
            of_forces: vec![[Vector3::zeros(); 2]; n],
            books: ActionBooks::default(),
        };
        actions.check_step(system)?;
        actions.books.potential = actions.potential(bodies, &system.states);
        actions.books.at_start = actions.books.potential;
        Ok(actions)
    }

    /// Refuses steps beyond the limit of a spring alone.
    fn check_step(&self, system: &System) -> Result<(), SpringError> {
        for spring in &self.springs {
            let [a, b] = spring.ends(&system.bodies, &system.states, 0.0);
            let direction = (b.place - a.place).try_normalize(0.0).unwrap_or_else(Vector3::x);
            let mobility = spring.mobility(&direction, &system.bodies, &system.states);
            let limit = 2.0 / (spring.spec.stiffness * mobility).sqrt();
            if system.dt >= limit {
                return Err(SpringError::Step { spring: spring.spec.name.clone(), dt: system.dt, limit });
            }
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forces.is_empty() && self.springs.is_empty()
    }

    /// Pulls and directions of the springs in the last step, for checkpoints.
    pub(crate) fn pulls(&self) -> Vec<f64> {
        let of = |spring: &Spring| {
            let [a, b] = spring.pulls;
            let [x, y, z] = spring.direction.into();
            [a, b, x, y, z, spring.by_others]
        };
        self.springs.iter().flat_map(of).collect()
    }

    pub(crate) fn set_pulls(&mut self, numbers: &[f64]) {
        for (spring, &[a, b, x, y, z, others]) in self.springs.iter_mut().zip(numbers.as_chunks::<6>().0) {
            (spring.pulls, spring.direction) = ([a, b], Vector3::new(x, y, z));
            spring.by_others = others;
        }
    }

    fn potential(&self, bodies: &[RigidBody], states: &[State]) -> f64 {
        self.springs.iter().map(|spring| spring.potential(bodies, states)).sum()
    }
}

impl Spring {
    /// Its ends after half a step.
    fn ends(&self, bodies: &[RigidBody], states: &[State], half: f64) -> [Moving; 2] {
        [0, 1].map(|side| match self.spec.ends[side].body {
            Some(body) => moving(&bodies[body], &states[body], &self.points[side], half),
            None => Moving { place: self.points[side], velocity: Vector3::zeros() },
        })
    }

    fn length(&self, bodies: &[RigidBody], states: &[State]) -> f64 {
        let [a, b] = self.ends(bodies, states, 0.0);
        (b.place - a.place).norm()
    }

    fn potential(&self, bodies: &[RigidBody], states: &[State]) -> f64 {
        let stretch = self.length(bodies, states) - self.spec.free;
        (0.5 * self.spec.stiffness * stretch + self.spec.preload) * stretch
    }

    /// Rate of the length by a unit of impulse along it \[1/kg\].
    fn mobility(&self, direction: &Vector3<f64>, bodies: &[RigidBody], states: &[State]) -> f64 {
        let of_end = |side: usize| {
            let Some(body) = self.spec.ends[side].body.filter(|&body| !bodies[body].fixed) else {
                return 0.0;
            };
            let (body, state) = (&bodies[body], &states[body]);
            let direction_b = rotation::matrix(&state.quaternion).tr_mul(direction);
            let moment = self.points[side].cross(&direction_b);
            1.0 / body.mass + moment.dot(&moment.component_div(&body.inertia))
        };
        of_end(0) + of_end(1)
    }

    /// Rate of the length \[m/s\].
    fn rate(&self, bodies: &[RigidBody], states: &[State]) -> f64 {
        let [a, b] = self.ends(bodies, states, 0.0);
        let direction = (b.place - a.place).try_normalize(f64::MIN_POSITIVE).unwrap_or(self.direction);
        (b.velocity - a.velocity).dot(&direction)
    }

    /// The pulls in the middle of a step, and their direction.
    fn pull(&mut self, bodies: &[RigidBody], states: &[State], dt: f64) {
        let [a, b] = self.ends(bodies, states, 0.5 * dt);
        let apart = b.place - a.place;
        // Ends that meet have no direction: the last one stays.
        self.direction = apart.try_normalize(f64::MIN_POSITIVE).unwrap_or(self.direction);
        let elastic = self.spec.stiffness * (apart.norm() - self.spec.free) + self.spec.preload;
        let mobility = 0.5 * dt * self.mobility(&self.direction, bodies, states);
        self.rate_before = self.rate(bodies, states);
        let rate = self.rate_before + 0.5 * dt * self.by_others;
        let in_middle = (rate - mobility * elastic) / (1.0 + mobility * self.spec.damping);
        self.pulls = [elastic, self.spec.damping * in_middle];
        self.arms = [0, 1].map(|side| {
            let body = self.spec.ends[side].body;
            let turned = body.map(|body| rotation_after(&bodies[body], &states[body], 0.5 * dt));
            turned.map_or_else(Vector3::zeros, |turned| turned * self.points[side])
        });
    }

    /// The bodies at its ends with the force and the torque of a pull of 1 N in the middle of the step.
    fn unit_loads(&self) -> impl Iterator<Item = (usize, [Vector3<f64>; 2])> + '_ {
        [(0, 1.0), (1, -1.0)].into_iter().filter_map(|(side, sign)| {
            let force = sign * self.direction;
            Some((self.spec.ends[side].body?, [force, self.arms[side].cross(&force)]))
        })
    }
}

/// A point of a body after half a step of its velocities.
fn moving(body: &RigidBody, state: &State, point_b: &Vector3<f64>, half: f64) -> Moving {
    if body.fixed {
        let place = state.position + rotation::matrix(&state.quaternion) * point_b;
        return Moving { place, velocity: Vector3::zeros() };
    }
    let velocity = state.momentum / body.mass;
    let rotation = rotation_after(body, state, half);
    let arm = rotation * point_b;
    let omega = body.angular_velocity(state);
    Moving { place: state.position + half * velocity + arm, velocity: velocity + omega.cross(&arm) }
}

/// A Exp(t ω).
fn rotation_after(body: &RigidBody, state: &State, time: f64) -> Matrix3<f64> {
    let turn = rotation::matrix(&state.quaternion);
    if body.fixed || time == 0.0 {
        return turn;
    }
    let omega_b = turn.tr_mul(&state.spin).component_div(&body.inertia);
    turn * rotation::matrix(&rotation::from_vector(&(time * omega_b)))
}

impl System {
    /// Lets forces and springs act from now on.
    ///
    /// # Errors
    ///
    /// [`SpringError`] for a spring without two ends, or one that is too stiff for the step.
    pub fn act(&mut self, forces: &[ForceSpec], springs: &[SpringSpec]) -> Result<(), SpringError> {
        self.actions = Actions::new(forces, springs, self)?;
        Ok(())
    }

    /// The forces of the coming step.
    pub(crate) fn apply_actions(&mut self) {
        if self.actions.is_empty() {
            return;
        }
        let mut actions = std::mem::take(&mut self.actions);
        let half = 0.5 * self.dt;
        let time = self.start_of_step + half;
        actions.of_forces.fill([Vector3::zeros(); 2]);
        for force in &actions.forces {
            let (body, state) = (&self.bodies[force.body], &self.states[force.body]);
            let turn = rotation_after(body, state, half);
            let scale = force.spec.scale.at(time).value;
            let turned = |v: &Vector3<f64>| match force.spec.axes {
                Axes::Body => scale * (turn * (force.source * v)),
                Axes::Inertial => scale * v,
            };
            let (pushed, arm) = (turned(&force.spec.force), turn * force.point_b);
            let [sum, moment] = &mut actions.of_forces[force.body];
            *sum += pushed;
            *moment += turned(&force.spec.torque) + arm.cross(&pushed);
        }
        actions.sums.clone_from(&actions.of_forces);
        for spring in &mut actions.springs {
            spring.pull(&self.bodies, &self.states, self.dt);
            let pull = spring.pulls[0] + spring.pulls[1];
            for (body, [force, torque]) in spring.unit_loads() {
                let [sum, moment] = &mut actions.sums[body];
                *sum += pull * force;
                *moment += pull * torque;
            }
        }
        for (body, [force, torque]) in actions.sums.iter().enumerate() {
            self.load(body, *force, *torque);
        }
        self.actions = actions;
    }

    /// Works of the step that has been accepted.
    pub(crate) fn book_actions(&mut self) {
        if self.actions.is_empty() {
            return;
        }
        let mut books = self.actions.books;
        for (body, load) in self.actions.of_forces.iter().enumerate() {
            books.forces += self.work_in_step(body, load);
        }
        let mut elastic = 0.0;
        for spring in &self.actions.springs {
            let loads = spring.unit_loads();
            let shortened: f64 = loads.map(|(body, load)| self.work_in_step(body, &load)).sum();
            elastic += spring.pulls[0] * shortened;
            books.damping -= spring.pulls[1] * shortened;
        }
        let potential = self.actions.potential(&self.bodies, &self.states);
        books.numerical -= elastic + potential - books.potential;
        books.potential = potential;
        self.actions.books = books;
        self.note_accelerations();
    }

    /// Work of a force and a torque that a body had in the step: those of its mean velocities \[J\].
    fn work_in_step(&self, body: usize, [force, torque]: &[Vector3<f64>; 2]) -> f64 {
        if self.bodies[body].fixed {
            return 0.0;
        }
        let stage = &self.stages[body];
        let moved = stage.velocity_old + stage.velocity;
        let turned = stage.omega_old + stage.turn.omega_b;
        0.5 * self.dt * (force.dot(&moved) + stage.rot_ib.tr_mul(torque).dot(&turned))
    }

    /// The accelerations of springs by all else in the step, for the next one.
    fn note_accelerations(&mut self) {
        let has_struck = |body: usize| {
            let mut struck = self.contacts.iter().filter(|contact| contact.impulse != [0.0; 3]);
            struck.any(|contact| contact.bodies.contains(&body))
        };
        for spring in &mut self.actions.springs {
            let rate = spring.rate(&self.bodies, &self.states);
            let mobility = spring.mobility(&spring.direction, &self.bodies, &self.states);
            let by_pull = mobility * (spring.pulls[0] + spring.pulls[1]);
            let is_struck = spring.spec.ends.iter().filter_map(|end| end.body).any(has_struck);
            let by_others = (rate - spring.rate_before) / self.dt + by_pull;
            spring.by_others = if is_struck { 0.0 } else { by_others };
        }
    }

    /// Length, rate and force of each spring: those of the last step.
    pub fn spring_states(&self) -> impl Iterator<Item = JointState> + '_ {
        self.actions.springs.iter().map(|spring| {
            let [a, b] = spring.ends(&self.bodies, &self.states, 0.0);
            let pull = spring.pulls[0] + spring.pulls[1];
            let action = JointAction {
                value: (b.place - a.place).norm(),
                rate: (b.velocity - a.velocity).dot(&spring.direction),
                spring: Some(-pull),
                ..JointAction::default()
            };
            JointState {
                force: (-pull * spring.direction).into(),
                actions: [Some(action), None],
                ..JointState::default()
            }
        })
    }
}
