//! Stress from point displacements.
//!
//! [`at_point`] evaluates one cell, [`at_nodes`] a mesh; [`StressSites`] has both for many displacement
//! fields at once. For NURBS `carom-scene` fits Bezier cells to the stress at points of cells.

use carom_mesh::CellRef;

use crate::evaluator::{CellEvaluator, CellPoint};
use crate::{Discretisation, Material, StressSites};

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
/// Blocks of different materials are averaged together at the nodes that they share; [`StressSites`] keeps
/// them apart.
///
/// * `displacement` — u of all points \[m\]
///
/// Cells of NURBS blocks are passed over: their points are no places of the body.
///
/// # Panics
///
/// If `displacement` is shorter than the list of points.
pub fn at_nodes(discretisation: &Discretisation, displacement: &[[f64; 3]]) -> Vec<Stress> {
    StressSites::mesh_nodes(discretisation).node_averages(discretisation, displacement)
}
