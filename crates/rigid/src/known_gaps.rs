//! Gaps of the balls of a tree as they were when they were last computed. Bodies move little in a step, so
//! that one gap bounds those of many steps.
//!
//! The gap of a point from a closed surface changes by no more than the length of the way of the point:
//!
//! ```text
//! |g(x) − g(x₀)| ≤ |x − x₀|
//! ```
//!
//! in the frame of the surface. A ball is looked at again only where these bounds do not decide.

use nalgebra::Vector3;

use crate::moving::Moving;
use crate::pair::Ball;
use crate::surface::Surface;

/// The gap of the centre of a ball, and the place of it at that time in the frame of the surface \[m\].
#[derive(Debug, Clone, Copy)]
struct Known {
    center: Vector3<f64>,
    gap: f64,
}

/// Known gaps of the balls of a pair: the nodes of the tree of its moving points, then its points.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownGaps {
    nodes: usize,
    of_balls: Vec<Known>,
    /// The leaf or point that was nearest.
    pub(crate) nearest: usize,
}

impl KnownGaps {
    /// Nothing is known yet of a pair with these points.
    pub(crate) fn none(points: &[Ball], moving: Option<&Moving>, surface: &Surface) -> Self {
        let nodes = moving.map_or(0, |moving| moving.tree.len());
        // Without a hull a point can go around the rim of a surface, where its gap jumps.
        let number = if surface.has_hull() { nodes + points.len() } else { 0 };
        // Comparisons with NaN decide nothing.
        let unknown = Known { center: Vector3::zeros(), gap: f64::NAN };
        Self { nodes, of_balls: vec![unknown; number], nearest: 0 }
    }

    /// Number of the first point.
    pub(crate) fn first_point(&self) -> usize {
        self.nodes
    }

    /// A bound below the gap of a ball of which the gap is asked where it lies above `near` and below `most`.
    /// In between, the bound is the gap itself.
    ///
    /// * `there` — the ball of this number, frame of the surface
    pub(crate) fn bound(
        &mut self,
        number: usize,
        surface: &mut Surface,
        sheet: usize,
        there: &Ball,
        [near, most]: [f64; 2],
    ) -> f64 {
        let [least, largest] = self.range(number, surface, there);
        if least > most || largest <= near {
            return least;
        }
        let gap = surface.gap(sheet, there).0;
        self.remember(number, there, gap);
        gap
    }

    /// Bounds of the gap of a ball by what is known.
    pub(crate) fn range(&self, number: usize, surface: &Surface, there: &Ball) -> [f64; 2] {
        let outside = surface.least_gap(there);
        let known = self.of_balls.get(number).filter(|known| known.gap.is_finite());
        let Some(known) = known else { return [outside, f64::INFINITY] };
        let middle = known.gap - there.radius;
        let moved = (there.center - known.center).norm() + ROUNDING * known.gap.abs();
        [(middle - moved).max(outside), middle + moved]
    }

    /// Keeps the gap of a ball from the nearest face.
    pub(crate) fn remember(&mut self, number: usize, there: &Ball, gap: f64) {
        if let Some(known) = self.of_balls.get_mut(number) {
            *known = Known { center: there.center, gap: gap + there.radius };
        }
    }
}

/// Rounding of a gap as a part of it.
const ROUNDING: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::tests::of_box;

    /// A ball wanders about a box: bounds lie below its gap, are the gap itself between both limits, and few
    /// need a look at the faces.
    #[test]
    fn bounds_of_a_moving_ball_lie_below_its_gap() {
        let mut surface = of_box(None, 1.0);
        let ball = Ball::new(Vector3::zeros(), 0.02);
        let mut known = KnownGaps::none(&[ball], None, &surface);
        let [near, most] = [0.01, 0.1];
        let (mut looks, mut between, mut last) = (0, 0, Vector3::repeat(f64::NAN));
        for k in 0..8000 {
            let turn = |factor: f64| 0.8 * (1e-3 * factor * f64::from(k)).sin();
            let there = Ball { center: Vector3::new(turn(1.1), turn(2.3), turn(3.7)), ..ball };
            let bound = known.bound(0, &mut surface, 0, &there, [near, most]);
            let gap = surface.gap(0, &there).0;
            assert!(bound <= gap + 1e-12, "{bound} for {gap}");
            assert!((gap > most) == (bound > most), "{bound} for {gap}");
            if near < gap && gap <= most {
                between += 1;
                assert_eq!(bound, gap);
            }
            looks += usize::from(known.of_balls[0].center != last);
            last = known.of_balls[0].center;
        }
        assert!(between > 300 && looks < between + 200, "{looks} looks, {between} between the limits");
    }

    /// Beyond the rim of an open surface the gap of a point jumps: nothing is known of it.
    #[test]
    fn gaps_of_an_open_surface_are_looked_at_each_time() {
        let mut surface = of_box(Some("top"), 1.0);
        let ball = Ball::new(Vector3::new(0.1, 0.2, 0.9), 0.02);
        let mut known = KnownGaps::none(&[ball], None, &surface);
        known.bound(0, &mut surface, 0, &ball, [0.0, 1.0]);
        assert_eq!(known.range(0, &surface, &ball), [f64::NEG_INFINITY, f64::INFINITY]);
    }
}
