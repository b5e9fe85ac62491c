//! Which of many pairs an evaluation looks at.
//!
//! Each body has a ball about the origin of its frame that holds its surfaces. The gap of a pair is at least
//! the clearance of both balls,
//!
//! ```text
//! g ≥ c = |r_a − r_b| − ρ_a − ρ_b
//! ```
//!
//! A pair with c ≥ (ρ_a + ρ_b)/4 at the positions of the list is left out as long as no body has moved by
//! more than a quarter of the least clearance of its pairs: then half of each clearance is left. The list is
//! made anew at the end of a step in which a body has moved by half of that; positions of trial states beyond
//! it are looked at with all pairs, and so is the first step, after which each pair knows where its bodies
//! are nearest. So the list changes no force, and costs a time that grows with the number of bodies, but for
//! the rare ends of steps at which it is made.

use nalgebra::Vector3;

use super::pair::Pair;
use crate::contact::Motion;

/// Pairs up to which all are looked at.
const FEW: usize = 64;

/// Least clearance of a pair that is left out, in the sum of both radii.
const LEAST: f64 = 0.25;

/// Part of the least clearance of its pairs by which a body may move.
const MAY_MOVE: f64 = 0.25;

/// Part of that at which the list is made anew at the end of a step.
const RENEW: f64 = 0.5;

/// Radii of balls with room for deflections: linear theory does not hold beyond.
const DEFLECTION: f64 = 1.1;

/// The list.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// Bodies and ρ_a + ρ_b of each pair \[m\]; infinite with a plane. Empty of few pairs, of which none is
    /// left out.
    pairs: Vec<([u32; 2], f64)>,
    /// Origins of all bodies at which the list was made, and at the last evaluation \[m\].
    anchors: Vec<Vector3<f64>>,
    origins: Vec<Vector3<f64>>,
    /// How far each body may move from there \[m\].
    ways: Vec<f64>,
    /// Pairs of the list, ascending.
    listed: Vec<u32>,
    all: Vec<u32>,
    is_set: bool,
    /// True if the last evaluation had to look at all pairs.
    looks_at_all: bool,
}

impl Neighbours {
    /// For the pairs of a system with this number of bodies.
    pub(super) fn new(pairs: &[Pair], bodies: usize) -> Self {
        let all = (0..pairs.len() as u32).collect();
        if pairs.len() <= FEW {
            return Self { all, looks_at_all: true, ..Self::default() };
        }
        let radii = |pair: &Pair| {
            let radius = |k: usize| {
                if pair.sides[k].hull.is_bounded() { pair.sides[k].hull.reach } else { f64::INFINITY }
            };
            (pair.bodies().map(|body| body as u32), DEFLECTION * (radius(0) + radius(1)))
        };
        Self {
            pairs: pairs.iter().map(radii).collect(),
            anchors: vec![Vector3::zeros(); bodies],
            origins: vec![Vector3::zeros(); bodies],
            ways: vec![0.0; bodies],
            listed: Vec::with_capacity(pairs.len()),
            all,
            looks_at_all: true,
            ..Self::default()
        }
    }

    /// True if pairs may be left out.
    pub(super) fn are_listed(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Takes the positions of an evaluation. True if other pairs than before are looked at.
    pub(super) fn place(&mut self, motion: &Motion<'_>) -> bool {
        if !self.are_listed() {
            return false;
        }
        for (body, origin) in self.origins.iter_mut().enumerate() {
            *origin = motion.pose(body).position;
        }
        let before = self.looks_at_all;
        self.looks_at_all = !self.is_set || self.moved() > 1.0;
        before != self.looks_at_all
    }

    /// Pairs that the last evaluation looked at, ascending.
    pub(super) fn near(&self) -> &[u32] {
        if self.looks_at_all { &self.all } else { &self.listed }
    }

    /// All other pairs, ascending.
    pub(super) fn left_out(&self) -> impl Iterator<Item = usize> {
        let mut near = self.near().iter().peekable();
        (0..self.all.len()).filter(move |&pair| near.next_if(|next| **next as usize == pair).is_none())
    }

    /// True if the last evaluation had to look at all pairs.
    pub(super) fn look_at_all(&self) -> bool {
        self.looks_at_all
    }

    /// Bound from below on the gap of a pair at the last evaluation \[m\].
    pub(super) fn clearance(&self, pair: usize) -> f64 {
        self.clearance_at(&self.origins, pair)
    }

    fn clearance_at(&self, origins: &[Vector3<f64>], pair: usize) -> f64 {
        let ([a, b], radii) = self.pairs[pair];
        (origins[a as usize] - origins[b as usize]).norm() - radii
    }

    /// Largest motion of a body since the list was made, in that by which it may move.
    fn moved(&self) -> f64 {
        let bodies = self.origins.iter().zip(&self.anchors).zip(&self.ways);
        bodies.map(|((now, then), way)| (now - then).norm() / way).fold(0.0, f64::max)
    }

    /// Bound from below on the time in which a pair that was left out may touch \[s\]. It touches only if one
    /// of its bodies moves by half of its clearance, twice the way that it may.
    ///
    /// * `speed` — of the origin of a body \[m/s\]
    pub(super) fn time_apart(&self, speed: impl Fn(usize) -> f64) -> f64 {
        let left = |body: usize| {
            let moved = (self.origins[body] - self.anchors[body]).norm();
            (2.0 * self.ways[body] - moved).max(0.0)
        };
        (0..self.ways.len()).map(|body| left(body) / speed(body)).fold(f64::INFINITY, f64::min)
    }

    /// Takes the last evaluation as the end of a step. True if other pairs are looked at from now on.
    pub(super) fn accept(&mut self) -> bool {
        let renews = self.are_listed() && (!self.is_set || self.moved() > RENEW);
        if renews {
            self.renew();
            self.looks_at_all = false;
        }
        renews
    }

    /// Makes the list at the origins of the last evaluation.
    fn renew(&mut self) {
        self.anchors.copy_from_slice(&self.origins);
        self.ways.fill(f64::INFINITY);
        self.listed.clear();
        for pair in 0..self.pairs.len() {
            let ([a, b], radii) = self.pairs[pair];
            let clearance = self.clearance_at(&self.anchors, pair);
            if clearance < LEAST * radii || !radii.is_finite() {
                self.listed.push(pair as u32);
            } else {
                for body in [a, b] {
                    let way = &mut self.ways[body as usize];
                    *way = way.min(MAY_MOVE * clearance);
                }
            }
        }
        self.is_set = true;
    }

    /// Appends the positions at which the list was made to the numbers of a checkpoint.
    pub(super) fn write(&self, out: &mut Vec<f64>) {
        if self.is_set {
            out.extend(self.anchors.iter().flat_map(|x| x.iter()));
        }
    }

    /// The inverse of [`Self::write`]: takes all numbers, none of a run that had not begun. False if they do
    /// not fit.
    pub(super) fn restore(&mut self, numbers: &[f64]) -> bool {
        (self.is_set, self.looks_at_all) = (false, true);
        if numbers.is_empty() {
            return true;
        }
        let fits = self.are_listed() && numbers.len() == 3 * self.anchors.len();
        if fits {
            let places = numbers.as_chunks::<3>().0.iter();
            self.origins.iter_mut().zip(places).for_each(|(to, x)| *to = Vector3::from(*x));
            self.renew();
            self.looks_at_all = false;
        }
        fits
    }
}
