//! Stress from point displacements.
//!
//! [`at_point`] evaluates one cell; [`crate::StressSites`] has nodes and Gauss points for many displacement
//! fields at once. For NURBS `carom-scene` fits Bezier cells to the stress at points of cells.

use carom_mesh::CellRef;

use crate::constitutive::{LANES, Lanes, Law, Tensor, ZERO, cauchy_stress};
use crate::evaluator::{CellEvaluator, CellPoint};
use crate::{Discretisation, Material};

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

/// Rotates a stress to other axes: R σ Rᵀ, where `rotation` maps components in the old axes to the new ones.
pub fn rotated(stress: &Stress, rotation: &[[f64; 3]; 3]) -> Stress {
    let [xx, yy, zz, xy, yz, xz] = *stress;
    let full = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let entry = |a: usize, b: usize| -> f64 {
        (0..3).map(|c| (0..3).map(|d| rotation[a][c] * full[c][d] * rotation[b][d]).sum::<f64>()).sum()
    };
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)]
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

/// Cauchy's stress of a law without history, σ = P Fᵀ / det F \[Pa\].
///
/// * `h` — displacement gradient, entry `[a][b]` = ∂u_a/∂X_b
///
/// # Panics
///
/// If the law has history variables: their values are the scheme's.
pub fn cauchy_of_gradient<L: Law>(law: &L, h: &[[f64; 3]; 3]) -> Stress {
    assert_eq!(law.n_history(), 0, "the stress of a law with history is that of the scheme's own points");
    let gradient: Tensor = std::array::from_fn(|k| [h[k / 3][k % 3]; LANES]);
    let mut pk1 = [ZERO; 9];
    law.stress(&gradient, &[], &mut [], &mut pk1);
    // In a small-strain law P is σ.
    let first = |lanes: Lanes| lanes[0];
    if law.is_objective() {
        return cauchy_stress(&gradient, &pk1).map(first);
    }
    [pk1[0], pk1[4], pk1[8], pk1[1], pk1[5], pk1[2]].map(first)
}

/// Cauchy's stress of a cell in large deformation at one point, with its undeformed position and map.
///
/// * `laws` — one for each block, without history
///
/// Otherwise as [`at_point`].
///
/// # Panics
///
/// As [`at_point`], and if the law has history variables.
pub fn cauchy_at_point<L: Law>(
    laws: &[L],
    evaluator: &mut CellEvaluator<'_>,
    cell: CellRef,
    xi: [f64; 3],
    displacement: &[[f64; 3]],
) -> (CellPoint, Stress) {
    evaluator.enter(cell);
    let point = evaluator.at(xi);
    evaluator.physical_gradients(&point);
    let gradient = evaluator.displacement_gradient(displacement);
    (point, cauchy_of_gradient(&laws[cell.block as usize], &gradient))
}
