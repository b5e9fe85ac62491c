//! The quadrature rules of knot spans; those of mesh cells are in the crate `mesh`.

pub use carom_mesh::quadrature::*;

/// Number of Gauss points per direction of a knot span of degree p.
pub fn spline_points(degree: usize, rule: QuadratureRule) -> usize {
    match rule {
        QuadratureRule::Default => degree + 1,
        QuadratureRule::High => degree + 3,
    }
}
