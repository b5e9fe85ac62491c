//! A spring with a damper in a step: its pull in the middle, and the rates that the next step needs.

use carom_dynamics::{JointAction, JointState, rotation};
use nalgebra::{Matrix3, Vector3};

use super::rotation_after;
use crate::body::RigidBody;
use crate::joint::coordinate::{Coordinate, JointSpring};
use crate::joint::{JointEnd, Place, RowNow};
use crate::state::State;

/// A spring in the frames of its bodies.
#[derive(Debug, Clone)]
pub(super) struct Spring {
    pub(super) name: String,
    /// The joint whose coordinate it acts on; none for a spring of its own.
    pub(super) joint: Option<usize>,
    pub(super) ends: [JointEnd; 2],
    pub(super) coordinate: Coordinate,
    pub(super) law: JointSpring,
    /// The coordinate at the start of the step, with full turns \[m or rad\].
    pub(super) value: f64,
    /// The pulls of spring and preload, and of the damper, in the last step: against the coordinate \[N or N
    /// m\].
    pub(super) pulls: [f64; 2],
    /// Direction and moments of a unit of force along the coordinate in the middle of the step.
    pub(super) unit: RowNow,
    /// Moment of that force about the first end \[m\].
    about_first: Vector3<f64>,
    /// Rate of the coordinate at the start of the step \[m/s or rad/s\].
    rate_before: f64,
    /// Second derivative of the coordinate in the last step by all else \[m/s² or rad/s²\].
    by_others: f64,
}

/// Bodies of a system with their states.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a> {
    pub(super) bodies: &'a [RigidBody],
    pub(super) states: &'a [State],
}

impl Spring {
    /// A spring on a coordinate of two ends.
    ///
    /// * `joint` — number of the joint to which the coordinate belongs
    pub(super) fn new(
        (name, joint): (String, Option<usize>),
        ends: [JointEnd; 2],
        (coordinate, law): (Coordinate, JointSpring),
        at: Bodies<'_>,
    ) -> Self {
        let mut spring = Self {
            name,
            joint,
            ends,
            coordinate,
            law,
            value: 0.0,
            pulls: [0.0; 2],
            unit: RowNow { direction: Vector3::x(), ..RowNow::default() },
            about_first: Vector3::zeros(),
            rate_before: 0.0,
            by_others: 0.0,
        };
        spring.follow(at);
        spring
    }

    /// Numbers of [`Spring::memory`].
    pub(super) const NUMBERS: usize = 10;

    /// All that the next step and its frame need.
    pub(super) fn memory(&self) -> [f64; Self::NUMBERS] {
        let [a, b] = self.pulls;
        let ([x, y, z], [u, v, w]) = (self.unit.direction.into(), self.about_first.into());
        [a, b, x, y, z, u, v, w, self.by_others, self.value]
    }

    pub(super) fn remember(&mut self, &[a, b, x, y, z, u, v, w, others, value]: &[f64; Self::NUMBERS]) {
        self.pulls = [a, b];
        (self.unit.direction, self.about_first) = (Vector3::new(x, y, z), Vector3::new(u, v, w));
        (self.by_others, self.value) = (others, value);
    }

    /// The coordinate after a time at the velocities of the states, and the first end.
    fn at(&self, at: Bodies<'_>, time: f64) -> (RowNow, Place) {
        let [first, second] = self.ends.each_ref().map(|end| match end.body {
            Some(number) => {
                let (body, state) = (&at.bodies[number], &at.states[number]);
                let moved = if body.fixed { Vector3::zeros() } else { time / body.mass * state.momentum };
                end.place(&(state.position + moved), &rotation_after(body, state, time))
            }
            None => end.on_ground(),
        });
        let mut now = self.coordinate.at(&first, &second);
        now.value = self.coordinate.counted(now.value, self.value);
        if self.coordinate == Coordinate::Length && now.direction == Vector3::zeros() {
            // Ends that meet have no direction: the last one stays.
            now.direction = self.unit.direction;
            let arm = |place: &Place| (second.position - place.center).cross(&now.direction);
            now.moments = [arm(&first), -arm(&second)];
        }
        (now, first)
    }

    /// E = ½ k (u − u₀)² + F₀ (u − u₀) at the value \[J\].
    pub(super) fn potential(&self) -> f64 {
        let stretch = self.value - self.law.free;
        (0.5 * self.law.stiffness * stretch + self.law.preload) * stretch
    }

    /// Takes the coordinate of the end of a step.
    pub(super) fn follow(&mut self, at: Bodies<'_>) {
        self.value = self.at(at, 0.0).0.value;
    }

    /// Bodies with the force and torque of a unit of force along the coordinate.
    pub(super) fn loads(&self, unit: &RowNow) -> impl Iterator<Item = (usize, [Vector3<f64>; 2])> + use<> {
        let (bodies, unit) = (self.ends.each_ref().map(|end| end.body), *unit);
        [(0, 1.0), (1, -1.0)].into_iter().filter_map(move |(side, sign)| {
            Some((bodies[side]?, [sign * unit.direction, unit.moments[side]]))
        })
    }

    /// The unit loads at the present states.
    pub(super) fn loads_now(&self, at: Bodies<'_>) -> Vec<(usize, [Vector3<f64>; 2])> {
        self.loads(&self.at(at, 0.0).0).collect()
    }

    /// Rate of the coordinate by a unit of impulse along it, each body alone \[1/kg or 1/(kg m²)\].
    fn mobility(&self, at: Bodies<'_>) -> f64 {
        let of = |(body, [force, torque]): (usize, [Vector3<f64>; 2])| {
            let (spec, state) = (&at.bodies[body], &at.states[body]);
            if spec.fixed {
                return 0.0;
            }
            let torque_b = rotation::matrix(&state.quaternion).tr_mul(&torque);
            force.norm_squared() / spec.mass + torque_b.dot(&torque_b.component_div(&spec.inertia))
        };
        self.loads(&self.unit).map(of).sum()
    }

    /// Rate of the coordinate at the states \[m/s or rad/s\].
    fn rate(&self, at: Bodies<'_>) -> f64 {
        let (now, _) = self.at(at, 0.0);
        let of = |(body, [force, torque]): (usize, [Vector3<f64>; 2])| {
            let (spec, state) = (&at.bodies[body], &at.states[body]);
            if spec.fixed {
                return 0.0;
            }
            force.dot(&state.momentum) / spec.mass + torque.dot(&spec.angular_velocity(state))
        };
        self.loads(&now).map(of).sum()
    }

    /// The pulls in the middle of a step, and where they act.
    pub(super) fn pull(&mut self, at: Bodies<'_>, dt: f64) {
        let (now, first) = self.at(at, 0.5 * dt);
        self.unit = now;
        // From the side of a body, as the ground has its own end as centre.
        self.about_first = now.moments[0] + (first.center - first.position).cross(&now.direction);
        let elastic = self.law.stiffness * (now.value - self.law.free) + self.law.preload;
        let mobility = 0.5 * dt * self.mobility(at);
        self.rate_before = self.rate(at);
        let rate = self.rate_before + 0.5 * dt * self.by_others;
        let in_middle = (rate - mobility * elastic) / (1.0 + mobility * self.law.damping);
        self.pulls = [elastic, self.law.damping * in_middle];
    }

    /// The acceleration of the coordinate by all else in the step that has ended; 0 after an impact.
    pub(super) fn note_acceleration(&mut self, at: Bodies<'_>, dt: f64, is_struck: bool) {
        let by_pull = self.mobility(at) * (self.pulls[0] + self.pulls[1]);
        let by_others = (self.rate(at) - self.rate_before) / dt + by_pull;
        self.by_others = if is_struck { 0.0 } else { by_others };
    }

    /// Value, rate and force, those of the last step.
    pub(super) fn state(&self, at: Bodies<'_>) -> JointState {
        let force = -(self.pulls[0] + self.pulls[1]);
        let action = JointAction {
            value: self.value,
            rate: self.rate(at),
            spring: Some(force),
            ..JointAction::default()
        };
        let mut state = JointState {
            force: (-force * self.unit.direction).into(),
            torque: (-force * self.about_first).into(),
            ..JointState::default()
        };
        state.actions[usize::from(self.coordinate.is_angle())] = Some(action);
        state
    }
}

/// A spring of its own between two ends of bodies or the ground, in source coordinates.
pub(super) fn prepared(end: &JointEnd, bodies: &[RigidBody]) -> JointEnd {
    match end.body {
        Some(body) => {
            JointEnd { point: bodies[body].point_b(&end.point), triad: Matrix3::identity(), ..*end }
        }
        None => *end,
    }
}
