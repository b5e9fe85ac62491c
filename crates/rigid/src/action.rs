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
//! After a step with contact of its bodies a is 0, as an impact is no acceleration.

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
            let pull = (spring.pulls[0] + spring.pulls[1]) * spring.direction;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(body) = spring.spec.ends[side].body else { continue };
                let arm = rotation_after(&self.bodies[body], &self.states[body], half) * spring.points[side];
                let [sum, moment] = &mut actions.sums[body];
                *sum += sign * pull;
                *moment += arm.cross(&(sign * pull));
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
        // The motion of a body in the step: of its centre, and turned, in its axes at the start.
        let half = 0.5 * self.dt;
        let motion = |body: usize| {
            let stage = &self.stages[body];
            (half * (stage.velocity_old + stage.velocity), half * (stage.omega_old + stage.turn.omega_b))
        };
        let work = |body: usize, force: &Vector3<f64>, torque: &Vector3<f64>| {
            if self.bodies[body].fixed {
                return 0.0;
            }
            let (moved, turned) = motion(body);
            force.dot(&moved) + self.stages[body].rot_ib.tr_mul(torque).dot(&turned)
        };
        for (body, [force, torque]) in self.actions.of_forces.iter().enumerate() {
            books.forces += work(body, force, torque);
        }
        let rotation_mid = |body: usize| {
            let (spec, stage) = (&self.bodies[body], &self.stages[body]);
            stage.rot_ib
                * rotation::matrix(&rotation::from_vector(&(half * stage.omega_old)))
                * if spec.fixed { 0.0 } else { 1.0 }
        };
        let mut elastic = 0.0;
        for spring in &self.actions.springs {
            let mut shortened = 0.0;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(body) = spring.spec.ends[side].body else { continue };
                let arm = rotation_mid(body) * spring.points[side];
                shortened += sign * work(body, &spring.direction, &arm.cross(&spring.direction));
            }
            elastic += spring.pulls[0] * shortened;
            books.damping -= spring.pulls[1] * shortened;
        }
        let touched = |body: usize| self.contacts.iter().any(|contact| contact.bodies.contains(&body));
        for spring in &mut self.actions.springs {
            let has_struck = spring.spec.ends.iter().filter_map(|end| end.body).any(touched);
            let rate = spring.rate(&self.bodies, &self.states);
            let by_pull = spring.mobility(&spring.direction, &self.bodies, &self.states)
                * (spring.pulls[0] + spring.pulls[1]);
            let by_others = (rate - spring.rate_before) / self.dt + by_pull;
            spring.by_others = if has_struck { 0.0 } else { by_others };
        }
        let potential = self.actions.potential(&self.bodies, &self.states);
        books.numerical -= elastic + potential - books.potential;
        books.potential = potential;
        self.actions.books = books;
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
