//! Pairs whose bodies are apart: a pass finds no more than a bound on their gap.
//!
//! The points of a body that may be touched lie in a ball. If the balls of two bodies are several pressure
//! cells apart, their distance is the gap that is reported for the pair, and its cells are not evaluated. The
//! present positions and the rows of W alone decide, so that a resumed run gives the same bits.
//!
//! A list of neighbours ([`crate::broad::Neighbours`]) would save nothing: a time loop takes the length of
//! its next step from the gap of every pair, so that each pair is visited in any case.

use nalgebra::Vector3;

use super::super::BodyState;
use super::super::pair::{PairModel, Pairs};
use crate::broad::Ball;
use crate::geometry::Faces;
use crate::shape::Shape;

/// Largest number of pairs of which none is left out: bounds of single cells are nearer to the gaps, so that
/// time steps may be longer.
const FEW: usize = 16;

/// Distance of balls from which on a pair is left out, in radii of its largest cell. The evaluation of a cell
/// at this distance gives a bound only, too.
const CELLS: f64 = 4.0;

/// Which pairs the present pass leaves out.
#[derive(Debug, Clone, Default)]
pub(super) struct Apart {
    /// How far faces of a body may lie outside the ball of their points \[m\].
    bulges: Vec<f64>,
    /// Distance of the balls of each pair from which on it is left out \[m\]; empty for few pairs.
    distances: Vec<f64>,
    /// Around the points of each body; inertial frame.
    balls: Vec<Ball>,
    /// Gap that is reported for each pair that is left out \[m\].
    gaps: Vec<Option<f64>>,
}

impl Apart {
    /// For all pairs of a problem.
    pub(super) fn new(n_bodies: usize, pairs: &Pairs) -> Self {
        if pairs.len() <= FEW {
            return Self::default();
        }
        let mut bulges = vec![0.0; n_bodies];
        for zone in pairs.zones().iter().filter_map(|zone| zone.as_faces()) {
            bulges[zone.body] = f64::max(bulges[zone.body], bulge(zone.faces));
        }
        let distance = |(k, pair)| CELLS * largest_cell(pair, &pairs.first(k).faces.reference);
        let nothing = Ball { center: Vector3::zeros(), radius: 0.0 };
        Self {
            bulges,
            distances: pairs.iter().enumerate().map(distance).collect(),
            balls: vec![nothing; n_bodies],
            gaps: vec![None; pairs.len()],
        }
    }

    /// Finds the pairs to be left out in this pass.
    ///
    /// * `positions` — of the points of each body in its frame \[m\]
    /// * `is_needed` — pairs that are evaluated wherever they are
    pub(super) fn sort_out(
        &mut self,
        states: &[BodyState<'_>],
        positions: &[Vec<Vector3<f64>>],
        pairs: &Pairs,
        is_needed: impl Fn(usize) -> bool,
    ) {
        if self.distances.is_empty() {
            return;
        }
        for (body, (state, points)) in states.iter().zip(positions).enumerate() {
            let Ball { center, radius } = Ball::around(points);
            let center = state.rot_ib * center + state.r_ib_i;
            self.balls[body] = Ball { center, radius: radius + self.bulges[body] };
        }
        for (k, distance) in self.distances.iter().enumerate() {
            let gap = clearance(pairs, k, states, &self.balls);
            self.gaps[k] = (gap > *distance && !is_needed(k)).then_some(gap);
        }
    }

    /// Gap that is reported for a pair \[m\]; `None` if the pair is evaluated.
    pub(super) fn gap(&self, pair: usize) -> Option<f64> {
        self.gaps.get(pair).copied().flatten()
    }

    /// Middle of the points of a body, inertial frame \[m\].
    pub(super) fn middle(&self, body: usize) -> Vector3<f64> {
        self.balls[body].center
    }
}

/// A bound from below on all gaps of a pair \[m\].
fn clearance(pairs: &Pairs, k: usize, states: &[BodyState<'_>], balls: &[Ball]) -> f64 {
    let (ball, second) = (&balls[pairs.bodies(k)[0]], pairs.second(k));
    match &second.shape {
        // The rounding of a rim stands out by its radius, and a point beside it below the surface is nearer
        // by another.
        Shape::Faces(faces) => ball.clearance(&balls[second.body]) - 2.0 * faces.rim_radius,
        shape => {
            let state = &states[second.body];
            let x = state.rot_ib.tr_mul(&(ball.center - state.r_ib_i));
            shape.closest(0, &x).map_or(f64::NEG_INFINITY, |foot| foot.gap - ball.radius)
        }
    }
}

/// How far faces may lie outside a ball around their points \[m\]: zero if their Bezier points are means of
/// the points with positive weights. Twice the reference size, as faces deform.
fn bulge(faces: &Faces) -> f64 {
    let growth = faces.growth();
    if growth <= 1.0 {
        return 0.0;
    }
    let of_face = |face: &carom_fem::Face| {
        let points: Vec<_> = face.points.iter().map(|&k| faces.reference[k as usize]).collect();
        Ball::around(&points).radius
    };
    2.0 * growth * faces.surface.faces.iter().map(of_face).fold(0.0, f64::max)
}

/// Radius of the largest cell of a pair in its reference position \[m\].
fn largest_cell(pair: &PairModel, reference: &[Vector3<f64>]) -> f64 {
    let of_cell = |cell: usize| {
        let points: Vec<_> = pair.cells.points(cell).iter().map(|&k| reference[k as usize]).collect();
        Ball::around(&points).radius
    };
    (0..pair.cells.len()).map(of_cell).fold(0.0, f64::max)
}
