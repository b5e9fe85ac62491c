//! The pairs of a system that a step considers: those whose bodies are near enough to touch.

use carom_contact::broad::Neighbours;
use nalgebra::Vector3;

use crate::body::RigidBody;
use crate::crowd::Crowds;
use crate::pair::Pair;
use crate::stage::Stage;
use crate::state::State;
use crate::system::PairReport;

/// The pairs of a system with their reports. The pairs of crowds come and go.
pub(crate) type Lists<'a> = (&'a mut Vec<Pair>, &'a mut Vec<PairReport>);

/// Pairs that may touch in a step.
pub(crate) struct Nearby {
    neighbours: Neighbours,
    pub(crate) crowds: Crowds,
    /// The other body and the number of each pair that was given one by one, by the body with the smaller
    /// number; ascending.
    by_body: Vec<Vec<[u32; 2]>>,
    /// Numbers of the pairs that may touch, by their keys.
    pairs: Vec<u32>,
    /// Pairs that could touch before the last search.
    before: Vec<u32>,
    /// True if all pairs are considered, wherever the bodies are.
    is_few: bool,
    /// True if a body has moved since the end of the last step.
    have_moved: bool,
}

/// Pairs of a body for which memory is reserved.
const FORESEEN: usize = 16;

/// Up to this number of pairs, considering all of them costs less than a search by position.
const FEW: usize = 100;

impl Nearby {
    /// Pairs of a system that has not moved yet; those of crowds follow with a restart.
    ///
    /// * `slack` — distance within which bodies count as touching, at most \[m\]
    pub(crate) fn new(pairs: &[Pair], crowds: Crowds, n_bodies: usize, slack: f64) -> Self {
        let mut radii: Vec<f64> = (0..n_bodies).map(|body| crowds.radius(body)).collect();
        radii.iter_mut().filter(|radius| **radius > 0.0).for_each(|radius| *radius += slack);
        for pair in pairs {
            for (body, radius) in pair.bodies.into_iter().zip(pair.radii()) {
                radii[body] = radii[body].max(radius + slack);
            }
        }
        let mut by_body = vec![Vec::new(); n_bodies];
        for (number, pair) in pairs.iter().enumerate() {
            let [a, b] = pair.bodies;
            by_body[a.min(b)].push([a.max(b) as u32, number as u32]);
        }
        by_body.iter_mut().for_each(|pairs| pairs.sort_unstable());
        let n_pairs = pairs.len() + crowds.most_pairs();
        // A pair with a closed spring may be listed twice.
        let room = || Vec::with_capacity(2 * n_pairs.min(FORESEEN * n_bodies));
        Self {
            neighbours: Neighbours::new(radii),
            pairs: room(),
            before: room(),
            by_body,
            is_few: n_pairs <= FEW,
            have_moved: false,
            crowds,
        }
    }

    /// Forgets the positions of the bodies, but keeps pairs with closed springs.
    pub(crate) fn restart(&mut self, bodies: &[RigidBody], (pairs, reports): Lists<'_>) {
        self.neighbours.forget();
        self.pairs.clear();
        if self.is_few {
            let n = bodies.len() as u32;
            for [a, b] in (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])) {
                self.crowds.meet([a, b], bodies, (&mut *pairs, &mut *reports), |_| {});
            }
            self.pairs.extend(0..pairs.len() as u32);
        } else {
            let closed = (0..).zip(&*pairs).filter(|(_, pair)| pair.is_closed());
            self.pairs.extend(closed.map(|(number, _)| number));
        }
        self.pairs.sort_unstable_by_key(|&number| pairs[number as usize].key);
    }

    /// Notes that bodies have been put elsewhere.
    pub(crate) fn have_moved(&mut self) {
        self.have_moved = true;
    }

    /// Numbers of the pairs that may touch, by their keys.
    #[inline]
    pub(crate) fn pairs(&self) -> &[u32] {
        &self.pairs
    }

    /// Brings the pairs up to date with the motion of a step.
    ///
    /// * `has_struck` — true if impulses have moved bodies elsewhere than the last step had expected
    #[inline]
    pub(crate) fn update(
        &mut self,
        bodies: &[RigidBody],
        states: &[State],
        stages: &[Stage],
        lists: Lists<'_>,
        has_struck: bool,
    ) {
        let has_struck = std::mem::take(&mut self.have_moved) || has_struck;
        if self.is_few {
            return;
        }
        let covers = |(body, place): (usize, &Vector3<f64>)| self.neighbours.covers(body, place);
        let ends = stages.iter().map(|stage| &stage.next.position).enumerate();
        let starts = states.iter().map(|state| &state.position).enumerate();
        if !ends.into_iter().all(covers) || has_struck && !starts.into_iter().all(covers) {
            self.search(bodies, states, stages, lists);
        }
    }

    #[cold]
    fn search(
        &mut self,
        bodies: &[RigidBody],
        states: &[State],
        stages: &[Stage],
        (pairs, reports): Lists<'_>,
    ) {
        let motion = bodies.iter().zip(states).zip(stages).map(|((body, state), stage)| {
            let way = if body.fixed { Vector3::zeros() } else { stage.next.position - state.position };
            (state.position, way.norm())
        });
        self.neighbours.search(motion);
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        for &[a, b] in self.neighbours.pairs() {
            let of_first = &self.by_body[a as usize];
            let first = of_first.partition_point(|[other, _]| *other < b);
            let same = of_first[first..].iter().take_while(|[other, _]| *other == b);
            self.pairs.extend(same.map(|[_, number]| number));
            let list = &mut self.pairs;
            self.crowds.meet([a, b], bodies, (&mut *pairs, &mut *reports), |number| list.push(number));
        }
        // A pair with a closed spring is kept until the spring has opened.
        self.pairs.extend(self.before.iter().filter(|&&number| pairs[number as usize].is_closed()));
        self.pairs.sort_unstable_by_key(|&number| pairs[number as usize].key);
        self.pairs.dedup();
        for &number in &self.pairs {
            // The bound of a pair that was far apart is out of date.
            let key = pairs[number as usize].key;
            if self.before.binary_search_by_key(&key, |&before| pairs[before as usize].key).is_err() {
                pairs[number as usize].due = 0;
            }
        }
        self.crowds.drop_far(&self.pairs, pairs, reports);
    }
}
