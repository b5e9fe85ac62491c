//! A rectangular block: the distance from its faces, edges and corners.

use nalgebra::{Matrix3, Vector3};

use super::Edge;
use crate::geometry::jet::Jet;
use crate::geometry::{FootPoint, Site, across};

/// A rectangular block in the frame of its body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Centre \[m\].
    pub center: Vector3<f64>,
    /// Half lengths along its axes \[m\].
    pub half: Vector3<f64>,
    /// Its axes as columns, orthonormal.
    pub axes: Matrix3<f64>,
}

/// Height up to which a corner may stand over the edge of a face, as a part of the smallest half length.
pub const FLUSH: f64 = 1e-6;

/// Smallest sine of the angle between edges and a face that their corner touches.
const DIP: f64 = -0.5;

impl Block {
    /// A block along the axes of the frame.
    pub fn new(center: Vector3<f64>, half: Vector3<f64>) -> Self {
        Self { center, half, axes: Matrix3::identity() }
    }

    /// The same block in another frame.
    pub fn moved(
        &self,
        point: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        vector: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Self {
        let columns = [0, 1, 2].map(|i| vector(&self.axes.column(i).into_owned()));
        Self { center: point(&self.center), half: self.half, axes: Matrix3::from_columns(&columns) }
    }

    /// The edges of the block, those along its first axis first.
    pub fn edges(&self) -> [Edge; 12] {
        let edges = Edge::of_block(Vector3::zeros(), 2.0 * self.half);
        edges.map(|edge| edge.map(|x| self.center + self.axes * x, |v| self.axes * v))
    }

    /// Signed distance of a point and its gradient. Faces that the edges of a corner would penetrate count
    /// only if the corner is clearly beyond them.
    #[inline]
    pub fn distance(&self, x: &Vector3<f64>, corner: &[Vector3<f64>; 3]) -> (f64, Vector3<f64>) {
        let edges = corner.map(|edge| self.axes.tr_mul(&edge));
        let (distance, normal) = from_block(&self.axes.tr_mul(&(x - self.center)), &self.half, &edges);
        (distance, self.axes * normal)
    }

    /// Closest point to `x`; if `x` is inside, on the nearest face. ξ are distances along two fixed
    /// directions of the face, zero beyond edges and corners, which are the sites of the foot point.
    pub fn closest(&self, x: &Vector3<f64>) -> FootPoint {
        let (gap, n) = self.distance(x, &[Vector3::zeros(); 3]);
        let (y, d) = (x - n * gap, across(&n));
        let beyond =
            (self.axes.tr_mul(&(x - self.center)).abs() - self.half).iter().filter(|b| **b > 0.0).count();
        let site = match beyond {
            0 | 1 => Site::Interior,
            2 => Site::Edge(0),
            _ => Site::Corner(0),
        };
        let from = y - self.center;
        let xi = if site == Site::Interior { [from.dot(&d[0]), from.dot(&d[1])] } else { [0.0; 2] };
        let jet = Jet { y, d, dd: [Vector3::zeros(); 3] };
        FootPoint::new(0, xi, site, false, gap, n, &jet)
    }
}

/// Signed distance from a block around the origin along the axes, and its gradient.
fn from_block(x: &Vector3<f64>, half: &Vector3<f64>, edges: &[Vector3<f64>; 3]) -> (f64, Vector3<f64>) {
    let sign = x.map(|x| if x < 0.0 { -1.0 } else { 1.0 });
    let mut beyond = x.abs() - half;
    let pierced = |axis: usize| edges.iter().any(|edge| sign[axis] * edge[axis] < DIP);
    let ignored = [0, 1, 2].map(|axis| beyond[axis] <= FLUSH * half.min() && pierced(axis));
    if ignored.contains(&false) {
        (0..3).filter(|&axis| ignored[axis]).for_each(|axis| beyond[axis] = f64::NEG_INFINITY);
    }
    let outside = beyond.map(|b| b.max(0.0));
    let distance = outside.norm();
    if distance > 0.0 {
        return (distance, outside.component_mul(&sign) / distance);
    }
    let face = beyond.imax();
    (beyond[face], Vector3::ith(face, sign[face]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_inside_a_block_is_measured_to_the_nearest_face() {
        let half = Vector3::new(1.0, 2.0, 3.0);
        let (distance, normal) = from_block(&Vector3::new(-0.75, 0.5, 2.5), &half, &[Vector3::zeros(); 3]);
        assert_eq!((distance, normal), (-0.25, -Vector3::x()));
        let (distance, normal) = from_block(&Vector3::new(4.0, 6.0, 0.0), &half, &[Vector3::zeros(); 3]);
        assert_eq!((distance, normal), (5.0, Vector3::new(0.6, 0.8, 0.0)));
    }

    /// The lower corner of a block that stands flush on an equal one touches its top face, whatever the
    /// rounding.
    #[test]
    fn a_flush_corner_meets_the_top_face() {
        let half = Vector3::new(1.0, 1.0, 1.0);
        let edges = [-Vector3::x(), -Vector3::y(), Vector3::z()];
        for x in [[1.0 + 1e-16, 1.0, 1.0 - 1e-15], [1.0, 1.0 + 1e-12, 1.0 - 1e-9], [0.999, 1.0, 1.0 - 1e-4]] {
            let (distance, normal) = from_block(&x.into(), &half, &edges);
            assert_eq!(normal, Vector3::z(), "{x:?}");
            assert!((distance - (x[2] - 1.0)).abs() < 1e-16, "{x:?}");
        }
        // Clearly next to the block it touches nothing.
        assert!(from_block(&Vector3::new(1.1, 0.5, 0.9), &half, &edges).0 > 0.09);
    }
}
