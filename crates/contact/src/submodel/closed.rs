//! Forces of the rows of closed contact, for integrators with equations of their own: the derivative of the
//! contact forces by motions of the bodies is
//!
//! ```text
//! ∂f/∂x ≈ −Bᵀ (W + d)⁻¹ B    over the rows with a force
//! ```
//!
//! without the forces' change by turning normals.

use nalgebra::Vector3;

use super::gaps::Gaps;
use super::row::Row;
use super::solution::Wrench;

/// Forces of a unit of a row's force on one of its two bodies.
#[derive(Debug, Clone, Copy)]
pub struct RowForce<'a> {
    /// Number of the body.
    pub body: usize,
    /// Forces on its points in its frame.
    pub on_points: &'a [(u32, [f64; 3])],
    /// Sum of the forces, including those that act on no point, about its origin.
    pub wrench: Wrench,
}

/// Forces of a unit of a row's force on its two bodies, at the positions of the last pass.
pub(super) fn row_forces<'a>(row: &'a Row, [one, two]: [usize; 2], gaps: &Gaps) -> [RowForce<'a>; 2] {
    let of = |body: usize, on_points: &'a [(u32, [f64; 3])], other: [[f64; 3]; 2]| {
        let [force_b, moment_b] = other.map(Vector3::from);
        let mut wrench = Wrench { force_b, moment_b };
        let positions = gaps.positions(body);
        for (point, force) in on_points {
            let force = Vector3::from(*force);
            wrench.force_b += force;
            wrench.moment_b += positions[*point as usize].cross(&force);
        }
        RowForce { body, on_points, wrench }
    };
    [of(one, &row.first, [[0.0; 3]; 2]), of(two, &row.second, row.reaction)]
}
