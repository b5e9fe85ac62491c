//! Pairs whose bodies are apart: a pass finds no more than a bound on their gap.
//!
//! The points of a body that may be touched lie in a ball. If the balls of two bodies are several pressure
//! cells apart, the cells of their pairs are not evaluated, and the distance of the balls is a bound on the
//! gap. A tree over the balls finds the pairs that are near without a visit to the others; only pairs whose
//! second zone has no faces are visited one by one. The present positions and the rows of W alone decide, so
//! that a resumed run gives the same bits.

use nalgebra::Vector3;

use super::super::BodyState;
use super::super::pair::{PairModel, Pairs};
use crate::broad::{Ball, Bounds, NOTHING, Node, Tree, separation};
use crate::geometry::Faces;
use crate::shape::Shape;

/// Largest number of pairs of which none is left out: bounds of single cells are nearer to the gaps, so that
/// time steps may be longer.
const FEW: usize = 16;

/// Distance of balls from which on a pair is left out, in radii of its largest cell. The evaluation of a cell
/// at this distance gives a bound only, too.
const CELLS: f64 = 4.0;

/// Which pairs the present pass evaluates.
#[derive(Debug, Clone, Default)]
pub(super) struct Apart {
    /// How far faces of a body may lie outside the ball of their points \[m\].
    bulges: Vec<f64>,
    /// Distance of the balls of each pair from which on it is left out \[m\]; empty for few pairs.
    distances: Vec<f64>,
    /// Half of the largest of these distances over the pairs of each body \[m\].
    reaches: Vec<f64>,
    /// Pairs of two zones with faces by their bodies, the smaller number first; ascending.
    by_bodies: Vec<([u32; 2], u32)>,
    /// Pairs whose second zone has no faces, and the bounds on their gaps \[m\].
    shaped: Vec<(u32, f64)>,
    /// Around the points of each body; inertial frame.
    balls: Vec<Ball>,
    centers: Vec<Vector3<f64>>,
    tree: Tree,
    /// Boxes and largest speeds of the nodes of the tree.
    boxes: Vec<Bounds>,
    speeds: Vec<f64>,
    /// Memory for searching.
    stack: Vec<u32>,
    /// Numbers of the pairs that the present pass evaluates, ascending, and whether a pair is one of them.
    near: Vec<u32>,
    is_near: Vec<bool>,
    /// Pairs that the last pass has evaluated and the present one leaves out.
    left: Vec<u32>,
}

impl Apart {
    /// For all pairs of a problem.
    pub(super) fn new(n_bodies: usize, pairs: &Pairs) -> Self {
        let n = pairs.len();
        if n <= FEW {
            return Self { near: (0..n as u32).collect(), is_near: vec![true; n], ..Self::default() };
        }
        let mut bulges = vec![0.0; n_bodies];
        for zone in pairs.zones().iter().filter_map(|zone| zone.as_faces()) {
            bulges[zone.body] = f64::max(bulges[zone.body], bulge(zone.faces));
        }
        let distance = |(k, pair)| CELLS * largest_cell(pair, &pairs.first(k).faces.reference);
        let distances: Vec<f64> = pairs.iter().enumerate().map(distance).collect();
        let mut reaches = vec![0.0; n_bodies];
        let (mut by_bodies, mut shaped) = (Vec::new(), Vec::new());
        for (k, distance) in distances.iter().enumerate() {
            let Some(faces) = pairs.second(k).shape.as_faces() else {
                shaped.push((k as u32, f64::NEG_INFINITY));
                continue;
            };
            let bodies = pairs.bodies(k);
            for body in bodies {
                reaches[body] = f64::max(reaches[body], 0.5 * distance + faces.rim_radius);
            }
            let [a, b] = bodies.map(|body| body as u32);
            by_bodies.push(([a.min(b), a.max(b)], k as u32));
        }
        by_bodies.sort_unstable();
        Self {
            bulges,
            distances,
            reaches,
            by_bodies,
            shaped,
            balls: vec![Ball { center: Vector3::zeros(), radius: 0.0 }; n_bodies],
            centers: vec![Vector3::zeros(); n_bodies],
            is_near: vec![false; n],
            ..Self::default()
        }
    }

    /// Finds the pairs that this pass evaluates.
    ///
    /// * `positions` — of the points of each body in its frame \[m\]
    /// * `needed` — pairs that are evaluated wherever they are
    pub(super) fn sort_out(
        &mut self,
        states: &[BodyState<'_>],
        positions: &[Vec<Vector3<f64>>],
        pairs: &Pairs,
        needed: impl Iterator<Item = usize>,
    ) {
        if self.distances.is_empty() {
            return;
        }
        for (body, (state, points)) in states.iter().zip(positions).enumerate() {
            let Ball { center, radius } = Ball::around(points);
            let center = state.rot_ib * center + state.r_ib_i;
            self.balls[body] = Ball { center, radius: radius + self.bulges[body] };
            self.centers[body] = center;
        }
        std::mem::swap(&mut self.left, &mut self.near);
        self.left.iter().for_each(|&k| self.is_near[k as usize] = false);
        self.near.clear();
        self.near.extend(needed.map(|k| k as u32));
        for (k, gap) in &mut self.shaped {
            *gap = clearance(pairs, *k as usize, states, &self.balls);
            if *gap <= self.distances[*k as usize] {
                self.near.push(*k);
            }
        }
        self.search(states, pairs);
        self.near.sort_unstable();
        self.near.dedup();
        self.near.iter().for_each(|&k| self.is_near[k as usize] = true);
        self.left.retain(|&k| !self.is_near[k as usize]);
    }

    /// Adds the pairs of faces that are near.
    fn search(&mut self, states: &[BodyState<'_>], pairs: &Pairs) {
        self.tree.rebuild(&self.centers, &mut self.stack);
        let (balls, reaches) = (&self.balls, &self.reaches);
        let around = |body: u32| around(&balls[body as usize], reaches[body as usize]);
        self.boxes.resize(self.tree.n_nodes(), NOTHING);
        self.tree.refit(&mut self.boxes, around);
        for body in 0..balls.len() as u32 {
            let (near, by_bodies, distances) = (&mut self.near, &self.by_bodies, &self.distances);
            self.tree.overlapping(&self.boxes, &around(body), &mut self.stack, |other| {
                if other <= body {
                    return;
                }
                for k in of_bodies(by_bodies, [body, other]) {
                    if clearance(pairs, k, states, balls) <= distances[k] {
                        near.push(k as u32);
                    }
                }
            });
        }
    }

    /// Numbers of the pairs that this pass evaluates, ascending.
    pub(super) fn near(&self) -> &[u32] {
        &self.near
    }

    /// Pairs that the last pass has evaluated and the present one leaves out.
    pub(super) fn left(&self) -> &[u32] {
        &self.left
    }

    /// True if this pass leaves a pair out.
    pub(super) fn is_apart(&self, pair: usize) -> bool {
        !self.is_near[pair]
    }

    /// Bound from below on the gaps of a pair that is left out, at the positions of the last pass \[m\].
    pub(super) fn gap(&self, pair: usize, pairs: &Pairs) -> f64 {
        match self.shaped.binary_search_by_key(&(pair as u32), |(k, _)| *k) {
            Ok(place) => self.shaped[place].1,
            Err(_) => of_balls(pairs, pair, &self.balls),
        }
    }

    /// The least time in which the zones of a pair that is left out may touch: the least quotient of the
    /// bound on its gap and the speed at which it closes \[s\]; infinite without such a pair.
    ///
    /// * `speed` — of each body: the speeds of two bodies add up to at least that of their pair \[m/s\]
    /// * `closing` — upper bound of the speed at which the gap of a pair closes \[m/s\]
    pub(super) fn least_time(
        &mut self,
        pairs: &Pairs,
        speed: impl Fn(usize) -> f64,
        closing: impl Fn(usize) -> f64,
    ) -> f64 {
        let time = |gap: f64, k: usize| {
            let closing = closing(k);
            if closing > 0.0 { gap.max(0.0) / closing } else { f64::INFINITY }
        };
        let shaped = self.shaped.iter().filter(|(k, _)| !self.is_near[*k as usize]);
        let mut least = shaped.map(|(k, gap)| time(*gap, *k as usize)).fold(f64::INFINITY, f64::min);
        if self.by_bodies.is_empty() {
            return least;
        }
        let balls = &self.balls;
        self.tree.refit(&mut self.boxes, |body| around(&balls[body as usize], 0.0));
        self.speeds.resize(self.tree.n_nodes(), 0.0);
        for k in (0..self.tree.n_nodes()).rev() {
            self.speeds[k] = match self.tree.node(k as u32) {
                Node::Leaf(body) => speed(body as usize),
                Node::Inner([a, b]) => self.speeds[a as usize].max(self.speeds[b as usize]),
            };
        }
        self.stack.clear();
        self.stack.extend([0, 0]);
        while let (Some(b), Some(a)) = (self.stack.pop(), self.stack.pop()) {
            let apart = separation(&self.boxes[a as usize], &self.boxes[b as usize]);
            if apart >= least * (self.speeds[a as usize] + self.speeds[b as usize]) {
                continue;
            }
            match [a, b].map(|node| self.tree.node(node)) {
                [Node::Leaf(one), Node::Leaf(two)] => {
                    let all = of_bodies(&self.by_bodies, [one.min(two), one.max(two)]);
                    for k in all.filter(|&k| !self.is_near[k]) {
                        least = least.min(time(of_balls(pairs, k, balls), k));
                    }
                }
                // Two children of one node, and each with itself.
                [Node::Inner([c, d]), _] if a == b => self.stack.extend([c, d, c, c, d, d]),
                [Node::Inner([c, d]), Node::Leaf(_)] => self.stack.extend([c, b, d, b]),
                [Node::Leaf(_), Node::Inner([c, d])] => self.stack.extend([a, c, a, d]),
                [Node::Inner([c, d]), Node::Inner([e, f])] => {
                    self.stack.extend([c, e, c, f, d, e, d, f]);
                }
            }
        }
        least
    }
}

/// A box around a ball and a distance from it.
fn around(ball: &Ball, distance: f64) -> Bounds {
    let reach = Vector3::repeat(ball.radius + distance);
    [ball.center - reach, ball.center + reach]
}

/// Pairs of two bodies, the smaller number first.
fn of_bodies(by_bodies: &[([u32; 2], u32)], bodies: [u32; 2]) -> impl Iterator<Item = usize> + '_ {
    let first = by_bodies.partition_point(|(these, _)| *these < bodies);
    by_bodies[first..].iter().take_while(move |(these, _)| *these == bodies).map(|(_, k)| *k as usize)
}

/// A bound from below on all gaps of a pair of zones with faces \[m\].
fn of_balls(pairs: &Pairs, k: usize, balls: &[Ball]) -> f64 {
    // The rounding of a rim stands out by its radius, and a point beside it below the surface is nearer by
    // another.
    let rim = pairs.second(k).shape.as_faces().map_or(0.0, |faces| faces.rim_radius);
    let [one, two] = pairs.bodies(k);
    balls[one].clearance(&balls[two]) - 2.0 * rim
}

/// A bound from below on all gaps of a pair \[m\].
fn clearance(pairs: &Pairs, k: usize, states: &[BodyState<'_>], balls: &[Ball]) -> f64 {
    let (ball, second) = (&balls[pairs.bodies(k)[0]], pairs.second(k));
    match &second.shape {
        Shape::Faces(_) => of_balls(pairs, k, balls),
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
