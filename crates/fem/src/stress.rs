//! Stress from point displacements.
//!
//! Mesh cells: stress is sampled where it is most accurate (one point of a tet4, four of a tet10, 2×2×2 of hexahedra),
//! extrapolated to the nodes of the cell and averaged over the cells that share a node, within each material.
//! NURBS have no nodes: their stress is evaluated at points of cells ([`at_point`]), `carom-scene` fits Bezier cells to it.

use carom_mesh::{CellRef, CellShape};

use crate::evaluator::{CellEvaluator, CellPoint};
use crate::quadrature::{Quadrature, gauss_legendre};
use crate::{Cells, Discretisation, Material};

/// Cauchy stress of linear elasticity, components xx, yy, zz, xy, yz, xz (VTK's order) \[Pa\].
pub type Stress = [f64; 6];

/// σ = λ tr(ε) E₃ + 2 μ ε with ε = ½ (H + Hᵀ) of a displacement gradient H, entry `[a][b]` = ∂u_a/∂x_b.
pub fn of_gradient(material: &Material, h: &[[f64; 3]; 3]) -> Stress {
    let (lambda, mu) = material.lame();
    let pressure = lambda * (h[0][0] + h[1][1] + h[2][2]);
    [
        pressure + 2.0 * mu * h[0][0],
        pressure + 2.0 * mu * h[1][1],
        pressure + 2.0 * mu * h[2][2],
        mu * (h[0][1] + h[1][0]),
        mu * (h[1][2] + h[2][1]),
        mu * (h[0][2] + h[2][0]),
    ]
}

/// Von Mises' equivalent stress √(3/2 s:s), s the deviator \[Pa\].
pub fn von_mises(stress: &Stress) -> f64 {
    let [xx, yy, zz, xy, yz, xz] = *stress;
    let shear = xy * xy + yz * yz + xz * xz;
    (0.5 * ((xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2)) + 3.0 * shear).sqrt()
}

/// Stress of a cell at one point with its position and map.
///
/// * `evaluator` — work space of the discretisation
/// * `xi` — parameters in the reference cell
/// * `displacement` — u of all body points \[m\]
///
/// Where the map collapses (det J = 0, at the edges of degenerate patches) the stress is not finite.
///
/// # Panics
///
/// If the cell does not exist or `displacement` is shorter than the list of points.
pub fn at_point(
    discretisation: &Discretisation,
    evaluator: &mut CellEvaluator<'_>,
    cell: CellRef,
    xi: [f64; 3],
    displacement: &[[f64; 3]],
) -> (CellPoint, Stress) {
    evaluator.enter(cell);
    let point = evaluator.at(xi);
    evaluator.physical_gradients(&point);
    let material = &discretisation.materials[discretisation.blocks[cell.block as usize].material];
    (point, of_gradient(material, &evaluator.displacement_gradient(displacement)))
}

/// Stress at the nodes of a mesh body, averaged over the cells around each node; zero at nodes without cells.
///
/// Blocks of different materials are averaged together at the nodes that they share: look at such a body block by block.
///
/// * `displacement` — u of all points \[m\]
///
/// Cells of NURBS blocks are passed over: their points are no places of the body.
///
/// # Panics
///
/// If `displacement` is shorter than the list of points.
pub fn at_nodes(discretisation: &Discretisation, displacement: &[[f64; 3]]) -> Vec<Stress> {
    let mut sum = vec![[0.0; 6]; discretisation.n_points()];
    let mut count = vec![0_u32; discretisation.n_points()];
    let mut evaluator = CellEvaluator::new(discretisation);
    for (i_block, block) in discretisation.blocks.iter().enumerate() {
        let Cells::Lagrange { shape, .. } = block.cells else { continue };
        let recovery = Recovery::new(shape);
        let mut samples = vec![[0.0; 6]; recovery.points.len()];
        for cell in 0..block.n_cells() {
            let cell = CellRef { block: i_block as u32, cell: cell as u32 };
            for (sample, &xi) in samples.iter_mut().zip(&recovery.points) {
                *sample = at_point(discretisation, &mut evaluator, cell, xi, displacement).1;
            }
            for (row, &id) in recovery.rows.iter().zip(evaluator.ids()) {
                count[id as usize] += 1;
                for (factor, sample) in row.iter().zip(&samples) {
                    for c in 0..6 {
                        sum[id as usize][c] += factor * sample[c];
                    }
                }
            }
        }
    }
    for (stress, &n) in sum.iter_mut().zip(&count) {
        if n > 0 {
            *stress = stress.map(|s| s / f64::from(n));
        }
    }
    sum
}

/// Where the stress of a kind of cell is sampled, and how nodal values follow: s_node = Σ row · samples.
struct Recovery {
    points: Vec<[f64; 3]>,
    rows: Vec<Vec<f64>>,
}

impl Recovery {
    fn new(shape: CellShape) -> Self {
        let nodes = shape.reference_nodes();
        match shape {
            CellShape::Tet4 => Self { points: vec![[0.25; 3]], rows: vec![vec![1.0]; nodes.len()] },
            CellShape::Tet10 => {
                let points = Quadrature::tetrahedron_4().points;
                // At sample k the barycentric coordinate k is b, the others a: linear interpolation inverts that.
                let a = points[0][0];
                let b = 1.0 - 3.0 * a;
                let row = |x: &[f64; 3]| {
                    [1.0 - x[0] - x[1] - x[2], x[0], x[1], x[2]].map(|l| (l - a) / (b - a)).to_vec()
                };
                Self { rows: nodes.iter().map(row).collect(), points }
            }
            _ => {
                let (x, _) = gauss_legendre(2);
                let points = Quadrature::cube([2; 3]).points;
                let line = |t: f64| [(x[1] - t) / (x[1] - x[0]), (t - x[0]) / (x[1] - x[0])];
                let row = |node: &[f64; 3]| {
                    let [u, v, w] = node.map(line);
                    (0..8).map(|k| u[k & 1] * v[k >> 1 & 1] * w[k >> 2]).collect()
                };
                Self { rows: nodes.iter().map(row).collect(), points }
            }
        }
    }
}
