//! The quadrature rules of mesh cells, which stand in the crate `mesh`, and those of knot spans.

pub use carom_mesh::quadrature::*;

/// Number of Gauss points per direction on a NURBS span of degree p.
pub fn spline_points(degree: usize, rule: QuadratureRule) -> usize {
    match rule {
        QuadratureRule::Default => degree + 1,
        QuadratureRule::High => degree + 3,
    }
}
