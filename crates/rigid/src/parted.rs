//! Two blocks: the direction in which they can part is the normal of all their contacts.
//!
//! Where blocks overlap a little, a corner near the edge of a face lies nearer to the adjacent face than to
//! the one through which it came, and edges cross on several sides at once. Each such contact by itself is
//! possible, but together they hold the blocks in each other or push them out sideways. A direction of the
//! pair decides: while the blocks are apart, the one along which they close last; as long as they overlap,
//! the one along which they overlap least, where the present one has a start.

use carom_contact::shape::{ALONG, Crossing, Edge, meeting};
use carom_contact::{Block, Law, Parting, Shape};
use nalgebra::Vector3;

use crate::held::Held;
use crate::pair::{Ball, Pair};
use crate::search::Relative;

/// Overlap by which another direction must be better than the present one, as a part of the smallest half
/// length.
const STAYS: f64 = 0.02;

/// A body whose points are the corners of a block, on a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks {
    /// The block of the points, frame of the first body.
    first: Block,
    /// The block of the surface, frame of the second body.
    second: Block,
    /// Largest distance of a corner from the centre of mass of the first body \[m\].
    radius: f64,
    /// The direction of [`Parting`] of the contacts in this step.
    direction: usize,
    /// The same where the blocks overlap at its end, which the next step may keep.
    kept: Option<u8>,
}

/// How two blocks stand at the end of a step.
pub(crate) enum Stand {
    /// Farther apart than contacts are, by at least this distance \[m\].
    Apart(f64),
    /// Near each other, with the normal of all contacts: from the second body to the first, frame of the
    /// second.
    Near(Vector3<f64>),
}

impl Blocks {
    /// The blocks of the points and of the surface of a pair; `None` for other points and surfaces, and for
    /// springs, each of which has a gap of its own.
    pub(crate) fn of(law: Law, points: &[Ball], shape: &Shape) -> Option<Box<Self>> {
        let (Law::Hard, Shape::Block(second)) = (law, shape) else { return None };
        let first = block_of(points)?;
        let radius = points.iter().map(|point| point.center.norm()).fold(0.0, f64::max);
        Some(Box::new(Self { first, second: *second, radius, direction: 0, kept: None }))
    }

    /// A bound of the distances of the corners from the centre of mass of the second body \[m\].
    pub(crate) fn farthest(&self, relative: &Relative) -> f64 {
        relative.place(&Vector3::zeros()).norm() + self.radius
    }

    fn parting(&self, relative: &Relative) -> Parting {
        let first = self.first.moved(|x| relative.place(x), |v| relative.turn(v));
        Parting::new(&first, &self.second)
    }

    /// Finds how the blocks stand at the end of a step, and chooses their direction.
    ///
    /// * `margin` — distance from which on blocks count as near \[m\]
    /// * `flush` — distance within which they touch, as positions are rounded numbers \[m\]
    pub(crate) fn stand(
        &mut self,
        start: impl FnOnce() -> Relative,
        end: &Relative,
        [margin, flush]: [f64; 2],
    ) -> Stand {
        let after = self.parting(end);
        let (distance, _) = after.largest();
        if distance > margin {
            self.kept = None;
            return Stand::Apart(distance);
        }
        let before = self.parting(&start());
        let direction = last_to_close(&before, &after, flush).unwrap_or_else(|| self.least_overlap(&before));
        self.direction = direction;
        // Whether a pair that does not overlap is looked at must not change the next step.
        self.kept = (distance < 0.0).then_some(direction as u8);
        Stand::Near(after.normal(direction))
    }

    /// The direction in which the blocks overlap least, or the present one if that is as good.
    fn least_overlap(&self, before: &Parting) -> usize {
        let (best, direction) = before.largest();
        let tolerance = STAYS * self.first.half.min().min(self.second.half.min());
        match self.kept.map(usize::from) {
            Some(present) if before.distance(present) >= best - tolerance => present,
            _ => direction,
        }
    }

    /// Depth of the overlap \[m\]; below 0 if the blocks are apart.
    pub(crate) fn overlap(&self, relative: &Relative) -> f64 {
        -self.parting(relative).largest().0
    }

    /// The plane of the face of the second block that faces along a normal; `None` if no face does.
    pub(crate) fn face(&self, normal: &Vector3<f64>) -> Option<Held> {
        let along = self.second.axes.tr_mul(normal);
        let axis = along.iamax();
        if along[axis].abs() < ALONG {
            return None;
        }
        let normal = along[axis].signum() * self.second.axes.column(axis);
        Some(Held { normal, offset: normal.dot(&self.second.center) + self.second.half[axis] })
    }

    /// The crossing of two edges if they touch along the present direction.
    ///
    /// * `edge` — of the first body, frame of the second
    pub(crate) fn touching(&self, relative: &Relative, edge: &Edge, other: &Edge) -> Option<Crossing> {
        let direction = self.parting(relative).normal(self.direction);
        meeting(edge, other, &direction)
    }

    /// True if the foot of a point on a face lies within the face.
    pub(crate) fn is_on(&self, face: &Held, point: &Vector3<f64>, flush: f64) -> bool {
        let beyond = self.second.axes.tr_mul(&(point - self.second.center)).abs() - self.second.half;
        let across = self.second.axes.tr_mul(&face.normal).iamax();
        (0..3).all(|axis| axis == across || beyond[axis] <= flush)
    }
}

impl Pair {
    /// The direction of two blocks that overlap, see [`Blocks`].
    pub(crate) fn direction(&self) -> Option<u8> {
        self.blocks.as_ref().and_then(|blocks| blocks.kept)
    }

    /// Gives two blocks the direction that they had.
    pub(crate) fn set_direction(&mut self, direction: Option<u8>) {
        if let Some(blocks) = &mut self.blocks {
            blocks.kept = direction.filter(|&d| usize::from(d) < Parting::DIRECTIONS);
        }
    }
}

/// Of the directions along which blocks are apart at the start of a step, the one in which they are apart
/// longest.
fn last_to_close(before: &Parting, after: &Parting, flush: f64) -> Option<usize> {
    let part = |direction: usize| {
        let [from, to] = [before, after].map(|parting| parting.distance(direction));
        let part = if to >= 0.0 { 1.0 + to } else { from / (from - to) };
        (from > flush).then_some((part, direction))
    };
    let all = (0..Parting::DIRECTIONS).filter_map(part);
    all.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, direction)| direction)
}

/// Number of corners of a block.
pub(crate) const CORNERS: usize = 8;

/// The block whose corners are these points.
pub(crate) fn block_of(points: &[Ball]) -> Option<Block> {
    /// Rounding of the corners, relative to the smallest half length.
    const ROUNDING: f64 = 1e-9;
    let &[first, .., last] = points else { return None };
    if points.len() != CORNERS || points.iter().any(|p| p.radius > 0.0 || p.edges.contains(&Vector3::zeros()))
    {
        return None;
    }
    let center = 0.5 * (first.center + last.center);
    let axes = nalgebra::Matrix3::from_columns(&first.edges);
    let half = axes.tr_mul(&(center - first.center));
    let is_corner = |p: &Ball| {
        let place = axes.tr_mul(&(p.center - center)).abs();
        (place - half).amax() <= ROUNDING * half.min()
    };
    let is_block = (axes.tr_mul(&axes) - nalgebra::Matrix3::identity()).amax() <= ROUNDING;
    (half.min() > 0.0 && is_block && points.iter().all(is_corner)).then_some(Block { center, half, axes })
}
