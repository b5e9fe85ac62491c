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
//!
//! Springs of joints act in the same way on an angle or a shift instead of the length (`joint::coordinate`).

mod spring;

use carom_dynamics::{Axes, JointState, TimeFunction, rotation};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::body::RigidBody;
use crate::joint::coordinate::{Coordinate, JointSpring};
use crate::joint::{JointEnd, Joints};
use crate::state::State;
use crate::system::System;
use spring::{Bodies, Spring, prepared};

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
    /// Those of joints, then those of their own.
    springs: Vec<Spring>,
    given: Vec<SpringSpec>,
    /// Force and torque about the centre of mass of each body.
    sums: Vec<[Vector3<f64>; 2]>,
    /// The same of the forces alone.
    of_forces: Vec<[Vector3<f64>; 2]>,
    pub(crate) books: ActionBooks,
}

impl Actions {
    fn new(forces: &[ForceSpec], springs: &[SpringSpec], system: &System) -> Result<Self, SpringError> {
        let bodies = &system.bodies;
        let at = Bodies { bodies, states: &system.states };
        let force = |spec: &ForceSpec| Force {
            body: spec.body,
            point_b: bodies[spec.body].point_b(&spec.point),
            source: rotation::matrix(&bodies[spec.body].axes).transpose(),
            spec: spec.clone(),
        };
        let of_joints = of_joints(&system.joints, at);
        let alone = springs.iter().map(|spec| {
            let [a, b] = spec.ends.map(|end| end.body);
            if a == b || [a, b].iter().flatten().any(|&body| body >= bodies.len()) {
                return Err(SpringError::Bodies { spring: spec.name.clone() });
            }
            let ends = spec.ends.each_ref().map(|end| prepared(end, bodies));
            let SpringSpec { stiffness, damping, free, preload, .. } = *spec;
            let law = JointSpring { stiffness, damping, free, preload };
            Ok(Spring::new((spec.name.clone(), None), ends, (Coordinate::Length, law), at))
        });
        let n = bodies.len();
        let mut actions = Self {
            forces: forces.iter().map(force).collect(),
            springs: of_joints.map(Ok).chain(alone).collect::<Result<_, _>>()?,
            given: springs.to_vec(),
            sums: vec![[Vector3::zeros(); 2]; n],
            of_forces: vec![[Vector3::zeros(); 2]; n],
            books: ActionBooks::default(),
        };
        actions.check_step(system)?;
        actions.books.potential = actions.potential();
        actions.books.at_start = actions.books.potential;
        Ok(actions)
    }

    /// Refuses steps beyond the limit of a spring alone, with the mobility that joints leave at the start.
    fn check_step(&self, system: &System) -> Result<(), SpringError> {
        let at = Bodies { bodies: &system.bodies, states: &system.states };
        let joined = system.at_rest();
        for spring in self.springs.iter().filter(|spring| spring.law.stiffness > 0.0) {
            let mobility = joined.mobility(&spring.loads_now(at), &system.states);
            let limit = 2.0 / (spring.law.stiffness * mobility).sqrt();
            if system.dt >= limit {
                return Err(SpringError::Step { spring: spring.name.clone(), dt: system.dt, limit });
            }
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.forces.is_empty() && self.springs.is_empty()
    }

    /// The memory of the springs, for checkpoints and snapshots.
    pub(crate) fn memory(&self) -> impl Iterator<Item = f64> + '_ {
        self.springs.iter().flat_map(Spring::memory)
    }

    pub(crate) fn remember(&mut self, numbers: &[f64]) {
        let arrays = numbers.as_chunks::<{ Spring::NUMBERS }>().0;
        self.springs.iter_mut().zip(arrays).for_each(|(spring, numbers)| spring.remember(numbers));
    }

    fn potential(&self) -> f64 {
        self.springs.iter().map(Spring::potential).sum()
    }
}

/// The springs of joints.
fn of_joints<'a>(joints: &'a Joints, at: Bodies<'a>) -> impl Iterator<Item = Spring> + 'a {
    joints.springs.iter().map(move |&(number, coordinate, law)| {
        let joint = &joints.all[number];
        Spring::new((joint.name.clone(), Some(number)), joint.ends, (coordinate, law), at)
    })
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
    /// Lets forces and springs act from now on, besides the springs of joints.
    ///
    /// # Errors
    ///
    /// [`SpringError`] for a spring without two ends, or one that is too stiff for the step.
    pub fn act(&mut self, forces: &[ForceSpec], springs: &[SpringSpec]) -> Result<(), SpringError> {
        self.actions = Actions::new(forces, springs, self)?;
        Ok(())
    }

    /// Takes the springs of the joints in addition to the forces and springs that act.
    pub(crate) fn act_on_joints(&mut self) -> Result<(), SpringError> {
        let forces: Vec<ForceSpec> = self.actions.forces.iter().map(|force| force.spec.clone()).collect();
        let springs = self.actions.given.clone();
        self.act(&forces, &springs)
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
        let at = Bodies { bodies: &self.bodies, states: &self.states };
        for spring in &mut actions.springs {
            spring.pull(at, self.dt);
            let pull = spring.pulls[0] + spring.pulls[1];
            for (body, [force, torque]) in spring.loads(&spring.unit) {
                let [sum, moment] = &mut actions.sums[body];
                *sum -= pull * force;
                *moment -= pull * torque;
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
        let mut actions = std::mem::take(&mut self.actions);
        let mut books = actions.books;
        for (body, load) in actions.of_forces.iter().enumerate() {
            books.forces += self.work_in_step(body, load);
        }
        let mut elastic = 0.0;
        let at = Bodies { bodies: &self.bodies, states: &self.states };
        for spring in &mut actions.springs {
            let loads = spring.loads(&spring.unit);
            let grown: f64 = loads.map(|(body, load)| self.work_in_step(body, &load)).sum();
            elastic -= spring.pulls[0] * grown;
            books.damping += spring.pulls[1] * grown;
            spring.follow(at);
            let mut bodies = spring.ends.iter().filter_map(|end| end.body);
            let is_struck = bodies.any(|body| self.was_struck(body));
            spring.note_acceleration(at, self.dt, is_struck);
        }
        let potential = actions.potential();
        books.numerical -= elastic + potential - books.potential;
        books.potential = potential;
        actions.books = books;
        self.actions = actions;
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

    /// True if a contact or a stop had an impulse in the last step on a body, or on one that joints connect
    /// with it.
    fn was_struck(&self, body: usize) -> bool {
        let group = |body: usize| self.joints.group_of.get(body).copied().flatten();
        let own = group(body);
        let is_near = |other: usize| other == body || own.is_some() && group(other) == own;
        let mut struck = self.contacts.iter().filter(|contact| contact.impulse != [0.0; 3]);
        struck.any(|contact| contact.bodies.into_iter().flatten().any(is_near))
    }

    /// Value, rate and force of each spring that belongs to no joint: those of the last step.
    pub fn spring_states(&self) -> impl Iterator<Item = JointState> + '_ {
        let at = Bodies { bodies: &self.bodies, states: &self.states };
        let alone = self.actions.springs.iter().filter(|spring| spring.joint.is_none());
        alone.map(move |spring| spring.state(at))
    }

    /// The same of the springs of joints, with the numbers of these.
    pub(crate) fn joint_spring_states(&self) -> impl Iterator<Item = (usize, JointState)> + '_ {
        let at = Bodies { bodies: &self.bodies, states: &self.states };
        self.actions.springs.iter().filter_map(move |spring| Some((spring.joint?, spring.state(at))))
    }
}
