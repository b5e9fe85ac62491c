//! The pairs of a system that a step considers: those whose bodies are near enough to touch.

use carom_contact::broad::Neighbours;
use nalgebra::Vector3;

use crate::body::RigidBody;
use crate::pair::Pair;
use crate::stage::Stage;
use crate::state::State;

/// Pairs that may touch in a step.
pub(crate) struct Nearby {
    neighbours: Neighbours,
    /// The other body and the number of each pair, by the body with the smaller number; ascending.
    by_body: Vec<Vec<[u32; 2]>>,
    /// Numbers of the pairs that may touch, ascending.
    pairs: Vec<u32>,
    /// Pairs that could touch before the last search.
    before: Vec<u32>,
    /// True if all pairs are considered, wherever the bodies are.
    is_few: bool,
}

/// Pairs of a body for which memory is reserved.
const FORESEEN: usize = 16;

/// Up to this number of pairs, considering all of them costs less than a search by position.
const FEW: usize = 100;

impl Nearby {
    /// Pairs of a system that has not moved yet.
    ///
    /// * `slack` — distance within which bodies count as touching, at most \[m\]
    pub(crate) fn new(pairs: &[Pair], n_bodies: usize, slack: f64) -> Self {
        let mut radii = vec![0.0_f64; n_bodies];
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
        // A pair with a closed spring may be listed twice.
        let room = || Vec::with_capacity(2 * pairs.len().min(FORESEEN * n_bodies));
        let mut nearby = Self {
            neighbours: Neighbours::new(radii),
            pairs: room(),
            before: room(),
            by_body,
            is_few: pairs.len() <= FEW,
        };
        nearby.restart(pairs);
        nearby
    }

    /// Forgets the positions of the bodies, but keeps pairs with closed springs.
    pub(crate) fn restart(&mut self, pairs: &[Pair]) {
        self.neighbours.forget();
        self.pairs.clear();
        let kept = (0..).zip(pairs).filter(|(_, pair)| self.is_few || pair.is_closed());
        self.pairs.extend(kept.map(|(number, _)| number));
    }

    /// Numbers of the pairs that may touch, ascending.
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
        pairs: &mut [Pair],
        has_struck: bool,
    ) {
        if self.is_few {
            return;
        }
        let covers = |(body, place): (usize, &Vector3<f64>)| self.neighbours.covers(body, place);
        let ends = stages.iter().map(|stage| &stage.next.position).enumerate();
        let starts = states.iter().map(|state| &state.position).enumerate();
        if !ends.into_iter().all(covers) || has_struck && !starts.into_iter().all(covers) {
            self.search(bodies, states, stages, pairs);
        }
    }

    #[cold]
    fn search(&mut self, bodies: &[RigidBody], states: &[State], stages: &[Stage], pairs: &mut [Pair]) {
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
        }
        // A pair with a closed spring is kept until the spring has opened.
        self.pairs.extend(self.before.iter().filter(|&&number| pairs[number as usize].is_closed()));
        self.pairs.sort_unstable();
        self.pairs.dedup();
        for &number in &self.pairs {
            // The bound of a pair that was far apart is out of date.
            if self.before.binary_search(&number).is_err() {
                pairs[number as usize].due = 0;
            }
        }
    }
}
