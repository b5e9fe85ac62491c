//! Numbering of dofs: point p has the dofs 3 p, 3 p + 1, 3 p + 2 along x, y, z.

/// All three dofs of points.
pub(crate) fn dofs(points: &[u32]) -> Vec<usize> {
    points.iter().flat_map(|&point| (0..3).map(move |i| 3 * point as usize + i)).collect()
}
