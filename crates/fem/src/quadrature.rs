//! The quadrature rules of knot spans; those of mesh cells are in the crate `mesh`.

pub use carom_mesh::quadrature::*;

use crate::Cells;

/// Number of Gauss points per direction of a knot span of degree p.
pub fn spline_points(degree: usize, rule: QuadratureRule) -> usize {
    match rule {
        QuadratureRule::Default => degree + 1,
        QuadratureRule::High => degree + 3,
    }
}

/// The rule of the cells of a block.
pub(crate) fn cell_rule(cells: &Cells, integrand: Integrand, rule: QuadratureRule) -> Quadrature {
    match cells {
        Cells::Lagrange { shape, .. } => Quadrature::for_cell(*shape, integrand, rule),
        Cells::Spline(cells) => Quadrature::cube(cells.degrees.map(|p| spline_points(p, rule))),
    }
}
