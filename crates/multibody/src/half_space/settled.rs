//! Which neighbouring pairs an evaluation of forces need not look at.
//!
//! A pair without a force keeps a position with a known gap, and up to a way from there an evaluation finds
//! no force and changes nothing (`Pair::slack`). No surface point of body i has moved by more than
//!
//! ```text
//! m_i = |r_i − r_i⁰| + ‖A_i − A_i⁰‖ d_i ,     d ≥ |r_a − r_b| + ρ_a + ρ_b  of all of its pairs
//! ```
//!
//! since the end of a step at which the list was made, and no pair by more than m_a + m_b. A pair is
//! *settled* while each of its bodies has moved by less than half of what was left of that way. As long as
//! this holds for all bodies, an evaluation looks at the other neighbours alone, and costs nothing for
//! bodies that fly. Pairs with friction, which follow their bodies in each step, pairs with modes, whose
//! surfaces move in their bodies, and planes are never settled.
//!
//! Before a step that may be longer than `time` all are looked at. So the list changes neither steps nor
//! forces, and no checkpoint has it.

use std::sync::Arc;

use nalgebra::{Matrix3, Vector3};

use super::laying::Laying;
use super::pair::{Apart, Pair, Scope, Side};
use crate::contact::{Motion, Reaction};

/// Way of a body, in that of the fastest one in the last step, below which a pair is not worth settling.
const LEAST_WAY: f64 = 8.0;

/// The same of a gap.
const LEAST_GAP: f64 = 16.0;

/// Part of its way by which a body has moved when the list is made anew, at the end of a step.
const RENEW: f64 = 0.5;

/// Steps after which the list is made anew in any case: where steps have become shorter, more pairs are worth
/// settling.
const OLDEST: u32 = 16;

/// How long a pair without a force stays as it is.
#[derive(Debug, Clone, Copy)]
struct Slack {
    /// Way of both bodies against each other up to which an evaluation finds no force, and the end of a step
    /// changes nothing \[m\].
    way: f64,
    /// The gap is not less until then \[m\].
    gap: f64,
    /// Radii of balls about both origins that hold the surfaces, together \[m\].
    reach: f64,
}

/// A body when the list was made.
#[derive(Debug, Clone, Copy)]
struct Place {
    rotation: Matrix3<f64>,
    origin: Vector3<f64>,
    /// d_i \[m\].
    lever: f64,
    /// How far it may move \[m\]; infinite without a settled pair.
    way: f64,
    /// The least gap of its settled pairs while they are settled \[m\].
    gap: f64,
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Settled {
    places: Vec<Place>,
    /// Orientations and origins at the last evaluation, and origins at the end of the last step \[m\].
    poses: Vec<(Matrix3<f64>, Vector3<f64>)>,
    ends: Vec<Vector3<f64>>,
    /// Neighbours that are not settled, ascending.
    others: Vec<u32>,
    is_set: bool,
    /// Largest m_i at the last evaluation, in the way of the body.
    moved: f64,
    /// Steps since the list was made.
    age: u32,
}

impl Settled {
    /// For a system with these numbers of pairs and bodies.
    pub(super) fn new(pairs: usize, bodies: usize) -> Self {
        let (rotation, origin) = (Matrix3::identity(), Vector3::zeros());
        let place = Place { rotation, origin, lever: 0.0, way: f64::INFINITY, gap: f64::INFINITY };
        Self {
            places: vec![place; bodies],
            poses: vec![(rotation, origin); bodies],
            ends: vec![origin; bodies],
            others: Vec::with_capacity(pairs),
            ..Self::default()
        }
    }

    /// Takes the positions of an evaluation of forces. True if settled pairs have no force there.
    pub(super) fn place(&mut self, motion: &Motion<'_>) -> bool {
        for (body, to) in self.poses.iter_mut().enumerate() {
            let pose = motion.pose(body);
            *to = (pose.rotation, pose.position);
        }
        if !self.is_set {
            return false;
        }
        let moved = |(place, (rotation, origin)): (&Place, &(Matrix3<f64>, Vector3<f64>))| {
            let turned = (rotation - place.rotation).norm() * place.lever;
            ((origin - place.origin).norm() + turned) / place.way
        };
        self.moved = self.places.iter().zip(&self.poses).map(moved).fold(0.0, f64::max);
        self.moved < 1.0
    }

    /// True if pairs may be settled.
    pub(super) fn is_set(&self) -> bool {
        self.is_set
    }

    /// True if the list is to be made anew at the end of this step.
    pub(super) fn is_spent(&self) -> bool {
        !self.is_set || self.moved > RENEW || self.age >= OLDEST
    }

    /// Neighbours that are not settled, ascending.
    pub(super) fn others(&self) -> &[u32] {
        &self.others
    }

    /// All neighbours are looked at from now on.
    pub(super) fn forget(&mut self) {
        self.is_set = false;
    }

    /// Makes the list of these neighbours at the end of a step, for which all of them were evaluated.
    pub(super) fn renew(&mut self, pairs: &mut [Pair], reactions: &mut [Reaction], near: &[u32]) {
        let mut step: f64 = 0.0;
        for ((place, end), &(rotation, origin)) in self.places.iter_mut().zip(&self.ends).zip(&self.poses) {
            step = step.max((origin - end).norm());
            *place = Place { rotation, origin, lever: 0.0, way: f64::INFINITY, gap: f64::INFINITY };
        }
        self.others.clear();
        for &number in near {
            let pair = &mut pairs[number as usize];
            let [a, b] = pair.bodies();
            let slack = pair
                .slack()
                .filter(|slack| 0.5 * slack.way > LEAST_WAY * step && slack.gap > LEAST_GAP * step);
            let Some(slack) = slack else {
                self.others.push(number);
                continue;
            };
            // As an evaluation that finds it settled leaves it.
            pair.scope = Scope::ForceAlone { is_settled: true };
            reactions[number as usize] = Reaction::NONE;
            let lever = (self.places[a].origin - self.places[b].origin).norm() + slack.reach;
            for body in [a, b] {
                let place = &mut self.places[body];
                place.lever = place.lever.max(lever);
                place.way = place.way.min(0.5 * slack.way);
                place.gap = place.gap.min(slack.gap);
            }
        }
        (self.is_set, self.moved, self.age) = (true, 0.0, 0);
    }

    /// Takes the last evaluation as the end of a step.
    pub(super) fn end_step(&mut self) {
        self.ends.iter_mut().zip(&self.poses).for_each(|(end, (_, origin))| *end = *origin);
        self.age += 1;
    }

    /// Bound from below on the time in which a settled pair may touch \[s\]. With s_i the speed of any point
    /// of a body, a gap g closes with s_a + s_b at most, and g/(s_a + s_b) ≥ g/(2 max s).
    ///
    /// * `motion` — speed of the origin of a body \[m/s\] and its angular speed \[rad/s\]
    pub(super) fn time(&self, motion: impl Fn(usize) -> (f64, f64)) -> f64 {
        if !self.is_set {
            return f64::INFINITY;
        }
        let time = |(body, place): (usize, &Place)| {
            let (speed, turning) = motion(body);
            0.5 * place.gap / (speed + turning * place.lever)
        };
        let flying = self.places.iter().enumerate().filter(|(_, place)| place.gap.is_finite());
        flying.map(time).fold(f64::INFINITY, f64::min)
    }
}

impl Pair {
    /// How long the pair stays as its last evaluation, at the end of a step, has found it; none of a pair
    /// that is evaluated in any case.
    fn slack(&self) -> Option<Slack> {
        let moves = |side: &Side| side.values.as_ref().is_some_and(|values| values.ncols() > 0);
        let is_steady = |side: &Arc<Side>| side.hull.is_bounded() && !moves(side);
        if self.failure.is_some() || self.friction > 0.0 || !self.sides.iter().all(is_steady) {
            return None;
        }
        let last = self.last.as_ref().filter(|last| last.gap > 0.0)?;
        let laying = self.at(last);
        let reach = self.sides.iter().map(|side| side.hull.reach).sum();
        let from = |at: &Apart, most: f64| {
            let most = most.min(Laying::SETTLED * at.gap);
            Slack { way: most - laying.way_from((at.rotation, at.origin)), gap: at.gap - most, reach }
        };
        if let Some(plan) = &self.memory.plan {
            return self.memory.open.map(|open| from(&open, Laying::MOVED * plan.side));
        }
        let known = self.memory.far.map(|far| from(&far.at, f64::INFINITY));
        let gap = laying.near_gap();
        let far = laying.bound(&self.memory).map(|bound| Slack { way: bound - gap, gap, reach });
        known.into_iter().chain(far).max_by(|a, b| a.way.total_cmp(&b.way))
    }
}
