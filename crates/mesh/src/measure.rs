//! Volumes of cells and meshes, exact for the polynomial geometry of the cells.

use crate::{CellShape, Mesh, lagrange};

/// Three Gauss points on \[0,1\] and their weights: exact to degree 5.
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// Points and weights that integrate det ∂x/∂ξ of a cell exactly.
///
/// The rule is the tensor product of Gauss points on the unit cube, mapped onto the reference cell. The
/// determinant of the cell times that of the map has degree 5 at most in each direction of the cube.
/// Hexahedra of second order have degree 5. The cubic of a tet10 has 5 with the factor (1−u)²(1−v) of the
/// map. A wedge15 has 4 with the factor 1−u and 5 along its axis. A pyramid13 has 5 across and 3 with the
/// factor (1−t)² along its axis.
#[derive(Debug, Clone)]
pub struct VolumeRule {
    shape: CellShape,
    weights: Vec<f64>,
    /// Gradients of all nodes, point after point.
    gradients: Vec<[f64; 3]>,
}

impl VolumeRule {
    /// The rule for cells of this kind.
    pub fn new(shape: CellShape) -> Self {
        let (mut weights, mut gradients) = (Vec::new(), Vec::new());
        let n = shape.n_nodes();
        for (u, wu) in GAUSS {
            for (v, wv) in GAUSS {
                for (w, ww) in GAUSS {
                    let (xi, factor) = (shape.table().collapse)([u, v, w]);
                    weights.push(wu * wv * ww * factor);
                    let start = gradients.len();
                    gradients.resize(start + n, [0.0; 3]);
                    lagrange::gradients_into(shape, xi, &mut gradients[start..]);
                }
            }
        }
        Self { shape, weights, gradients }
    }

    /// ∫ det(∂x/∂ξ) dξ \[m³\], negative for an inverted cell.
    ///
    /// * `nodes` — coordinates of the cell's nodes \[m\]
    pub fn volume(&self, nodes: &[[f64; 3]]) -> f64 {
        self.weights.iter().zip(self.determinants(nodes)).map(|(weight, det)| weight * det).sum()
    }

    /// det ∂x/∂ξ at the points of the rule.
    ///
    /// * `nodes` — coordinates of the cell's nodes \[m\]
    pub fn determinants<'a>(&'a self, nodes: &'a [[f64; 3]]) -> impl Iterator<Item = f64> + 'a {
        let gradients = self.gradients.chunks_exact(self.shape.n_nodes());
        gradients.map(|g| lagrange::determinant(&lagrange::jacobian_columns(g, nodes)))
    }
}

impl Mesh {
    /// Coordinates of a cell's nodes in its order, written into `coordinates`; returns the written part.
    ///
    /// # Panics
    ///
    /// If a node number is beyond the points.
    pub fn coordinates_into<'a>(
        &self,
        nodes: &[u32],
        coordinates: &'a mut [[f64; 3]; CellShape::MAX_NODES],
    ) -> &'a [[f64; 3]] {
        for (x, &node) in coordinates.iter_mut().zip(nodes) {
            *x = self.points[node as usize];
        }
        &coordinates[..nodes.len()]
    }

    /// Volume of all cells \[m³\], exact for their polynomial geometry.
    pub fn volume(&self) -> f64 {
        let mut buffer = [[0.0; 3]; CellShape::MAX_NODES];
        let of_block = |block: &crate::CellBlock| {
            let rule = VolumeRule::new(block.shape);
            block.cells().map(|nodes| rule.volume(self.coordinates_into(nodes, &mut buffer))).sum::<f64>()
        };
        self.blocks.iter().map(of_block).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_cells_have_their_volume() {
        for shape in CellShape::SOLIDS {
            let volume = VolumeRule::new(shape).volume(shape.reference_nodes());
            assert!((volume - shape.reference_volume()).abs() < 1e-15, "{}: {volume}", shape.name());
        }
    }

    #[test]
    fn volumes_of_curved_cells_are_exact_with_the_default_points() {
        for shape in CellShape::SOLIDS {
            let wave = |a: f64| (5.0 * a).sin();
            let bend = |x: &[f64; 3]| {
                let [a, b, c] = [x[0] + 2.0 * x[1], x[1] + 2.0 * x[2], x[2] + 2.0 * x[0]].map(wave);
                [x[0] + 0.05 * b, x[1] + 0.05 * c, x[2] + 0.05 * a]
            };
            let nodes: Vec<[f64; 3]> = shape.reference_nodes().iter().map(bend).collect();
            let cube = crate::quadrature::Quadrature::cube([6; 3]);
            let mut gradients = vec![[0.0; 3]; shape.n_nodes()];
            let mut volume = 0.0;
            for (&u, weight) in cube.points.iter().zip(&cube.weights) {
                let (xi, factor) = (shape.table().collapse)(u);
                lagrange::gradients_into(shape, xi, &mut gradients);
                let columns = lagrange::jacobian_columns(&gradients, &nodes);
                volume += weight * factor * lagrange::determinant(&columns);
            }
            let found = VolumeRule::new(shape).volume(&nodes);
            assert!((found / volume - 1.0).abs() < 1e-13, "{}: {found}, not {volume}", shape.name());
        }
    }

    #[test]
    fn the_volume_of_a_curved_tetrahedron_is_the_integral_of_its_determinant() {
        // x = ξ, y = η, z = ζ(1 + ξ) by moving nodes: det = 1 + ξ, ∫ over the simplex = 1/6 + 1/24.
        let nodes: Vec<[f64; 3]> =
            CellShape::Tet10.reference_nodes().iter().map(|x| [x[0], x[1], x[2] * (1.0 + x[0])]).collect();
        let volume = VolumeRule::new(CellShape::Tet10).volume(&nodes);
        assert!((volume - 5.0 / 24.0).abs() < 1e-15, "{volume}");
    }
}
