//! Directions in which two blocks can part: the normal of their contact, whatever feature of either touches.

use nalgebra::{Matrix3, Vector3};

use super::Block;

/// Sine of the angle below which edges of both blocks count as parallel: their faces have the direction then.
const PARALLEL: f64 = 0.02;

/// Two blocks in one frame, with the distances between them along the normals of their faces and of planes
/// along one edge of each.
///
/// Two convex bodies are apart if and only if a plane lies between them, and for blocks the plane of a face
/// or of two edges does if any does. Along a unit vector n
///
/// ```text
/// s(n) = |n·(a − b)| − Σ_k h_a,k |n·a_k| − Σ_k h_b,k |n·b_k|
/// ```
///
/// with centres a and b, half lengths h and axes a_k and b_k. The largest s is a lower bound of the distance
/// of the blocks; the blocks overlap where it is negative, and are out of each other after a shift by it.
///
/// # Source
///
/// Gottschalk, Lin & Manocha (1996), OBBTree, SIGGRAPH '96, 171–180, section 5.
#[derive(Debug, Clone, Copy)]
pub struct Parting {
    /// From the centre of the second block to that of the first, in the axes of the second \[m\].
    between: Vector3<f64>,
    /// Axes of the first block as columns, in the axes of the second.
    turned: Matrix3<f64>,
    half: [Vector3<f64>; 2],
    axes: Matrix3<f64>,
}

impl Parting {
    /// Number of directions: three faces of either block, and nine pairs of edges.
    pub const DIRECTIONS: usize = 15;

    /// Two blocks in one frame.
    pub fn new(first: &Block, second: &Block) -> Self {
        Self {
            between: second.axes.tr_mul(&(first.center - second.center)),
            turned: second.axes.tr_mul(&first.axes),
            half: [first.half, second.half],
            axes: second.axes,
        }
    }

    /// A direction in the axes of the second block, towards the first; `None` for edges that are parallel.
    fn towards(&self, direction: usize) -> Option<Vector3<f64>> {
        let n = match direction {
            0..3 => Vector3::ith(direction, 1.0),
            3..6 => self.turned.column(direction - 3).into_owned(),
            _ => {
                let [i, j] = [(direction - 6) / 3, (direction - 6) % 3];
                let across = self.turned.column(i).cross(&Vector3::ith(j, 1.0));
                let sine = across.norm();
                if sine < PARALLEL {
                    return None;
                }
                across / sine
            }
        };
        Some(if n.dot(&self.between) < 0.0 { -n } else { n })
    }

    /// Distance along a direction, negative for an overlap \[m\]; −∞ for edges that are parallel.
    ///
    /// * `direction` — 0 to 2 for faces of the second block, to 5 for those of the first, 6 + 3 i + j for
    ///   edge i of the first with edge j of the second
    pub fn distance(&self, direction: usize) -> f64 {
        let Some(n) = self.towards(direction) else { return f64::NEG_INFINITY };
        let [first, second] = &self.half;
        n.dot(&self.between) - first.dot(&self.turned.tr_mul(&n).abs()) - second.dot(&n.abs())
    }

    /// The unit vector of a direction, from the second block towards the first; zero for edges that are
    /// parallel.
    pub fn normal(&self, direction: usize) -> Vector3<f64> {
        self.towards(direction).map_or_else(Vector3::zeros, |n| self.axes * n)
    }

    /// The largest distance along any direction \[m\], and its direction.
    pub fn largest(&self) -> (f64, usize) {
        let all = (0..Self::DIRECTIONS).map(|direction| (self.distance(direction), direction));
        all.fold((f64::NEG_INFINITY, 0), |best, found| if found.0 > best.0 { found } else { best })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;

    use super::*;

    fn block(center: [f64; 3], size: [f64; 3], axis: [f64; 3], degrees: f64) -> Block {
        let axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
        let axes = Rotation3::from_axis_angle(&axis, degrees.to_radians()).into_inner();
        Block { center: center.into(), half: 0.5 * Vector3::from(size), axes }
    }

    /// Blocks along the axes, a block on its edge above a face, and two edges across each other.
    #[test]
    fn distances_are_those_of_faces_and_edges() {
        let base = block([0.0; 3], [2.0, 2.0, 2.0], [0.0, 0.0, 1.0], 0.0);
        let flat = block([0.3, 0.2, 1.75], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0], 30.0);
        let (distance, direction) = Parting::new(&flat, &base).largest();
        assert!((distance - 0.25).abs() < 1e-15);
        assert!((Parting::new(&flat, &base).normal(direction) - Vector3::z()).norm() < 1e-15);
        let root = 2.0_f64.sqrt();
        let on_edge = block([0.3, 0.2, 1.0 + 0.5 * root - 0.1], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0], 45.0);
        let parting = Parting::new(&on_edge, &base);
        let (distance, direction) = parting.largest();
        assert!((distance + 0.1).abs() < 1e-15 && (parting.normal(direction) - Vector3::z()).norm() < 1e-15);
        let below = block([0.0, 0.0, 0.0], [4.0, 1.0, 1.0], [1.0, 0.0, 0.0], 45.0);
        let above = block([0.1, -0.2, root + 0.05], [1.0, 4.0, 1.0], [0.0, 1.0, 0.0], 45.0);
        let parting = Parting::new(&above, &below);
        let (distance, direction) = parting.largest();
        assert!((distance - 0.05).abs() < 1e-15 && direction >= 6);
        assert!((parting.normal(direction) - Vector3::z()).norm() < 1e-15);
    }

    /// Two blocks are apart exactly where no point of one lies in the other: against the points of a grid in
    /// one of them.
    #[test]
    fn blocks_overlap_where_they_have_a_common_point() {
        let base = block([0.0; 3], [1.0, 0.6, 0.4], [0.2, 0.1, 1.0], 20.0);
        let mut counts = [0, 0];
        for k in 0..400 {
            let turn = |factor: f64| (factor * f64::from(k)).sin();
            let center = [turn(1.3), 0.8 * turn(2.1), 0.7 * turn(0.9)];
            let other = block(center, [0.7, 0.3, 0.5], [turn(0.3), turn(0.7), 1.0], 180.0 * turn(1.7));
            let (distance, _) = Parting::new(&other, &base).largest();
            // Points of the grid lie at most 0.018 from any point of the block.
            let at = |i: i32| f64::from(i) / 15.0 - 1.0;
            let grid = (0..31).flat_map(|i| (0..31).flat_map(move |j| (0..31).map(move |l| [i, j, l])));
            let is_inside = |[i, j, l]: [i32; 3]| {
                let x =
                    other.center + other.axes * Vector3::new(at(i), at(j), at(l)).component_mul(&other.half);
                let y = base.axes.tr_mul(&(x - base.center)).abs() - base.half;
                y.max() < 0.0
            };
            let overlaps = grid.into_iter().any(is_inside);
            assert!(!overlaps || distance < 0.0, "{k}: {distance}");
            assert!(overlaps || distance > -0.05, "{k}: {distance}");
            counts[usize::from(overlaps)] += 1;
        }
        assert!(counts.iter().all(|&n| n > 50), "{counts:?}");
    }
}
