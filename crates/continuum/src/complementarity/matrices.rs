//! Products with stiffness and mass, exact for translations, and the stiffness of the scalar wave equation.

use carom_fem::assembly::assemble;
use carom_fem::{AssemblyError, Body, Discretisation, QuadratureRule, SystemMatrices};
use carom_linalg::{BlockMatrix, NodeMatrix};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

use super::{SetupError, Stiffness};

/// Stiffness and consistent mass of a body, points in inertial axes.
pub(super) fn assembled(
    body: &Body,
    discretisation: &Discretisation,
    kind: Stiffness,
) -> Result<SystemMatrices, SetupError> {
    let wrong = |source: AssemblyError| SetupError::Assembly { body: body.name.clone(), source };
    if kind == Stiffness::Elastic {
        return assemble(discretisation, QuadratureRule::Default, &Silent).map_err(wrong);
    }
    let mut without_contraction = discretisation.clone();
    without_contraction.materials.iter_mut().for_each(|material| material.poisson = 0.0);
    let mut made = assemble(&without_contraction, QuadratureRule::Default, &Silent).map_err(wrong)?;
    made.stiffness.values.iter_mut().for_each(|block| *block = laplacian(block));
    Ok(made)
}

/// E ∫ ∇R_i·∇R_j dV E₃ from the block of an elastic stiffness with ν = 0.
///
/// ```text
/// K_ij = μ ∇R_j ∇R_iᵀ + μ (∇R_i·∇R_j) E₃,   tr K_ij = 4 μ ∇R_i·∇R_j = 2 E ∇R_i·∇R_j
/// ```
fn laplacian(block: &[f64; 9]) -> [f64; 9] {
    let of_component = 0.5 * (block[0] + block[4] + block[8]);
    let mut out = [0.0; 9];
    [0, 4, 8].into_iter().for_each(|k| out[k] = of_component);
    out
}

fn of_point(values: &[f64], point: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * point..3 * point + 3])
}

/// y ← K u = Σ_j K_ij (u_j − u_i): rows of a stiffness have the sum zero, and a translation gives no
/// rounding.
pub(super) fn stiffness_product(k: &BlockMatrix, u: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for column in 0..k.graph.n_nodes() {
        let (first, rows) = k.graph.column(column);
        for (&row, block) in rows.iter().zip(&k.values[first..]) {
            let row = row as usize;
            if row == column {
                continue;
            }
            let along = of_point(u, column) - of_point(u, row);
            let block = Matrix3::from_row_slice(block);
            let (of_row, of_column) = (block * along, block.tr_mul(&along));
            for d in 0..3 {
                y[3 * row + d] += of_row[d];
                y[3 * column + d] -= of_column[d];
            }
        }
    }
}

/// uᵀ (K u), u from its mean: a translation gives no rounding.
pub(super) fn quadratic(u: &[f64], ku: &[f64]) -> f64 {
    let points = u.as_chunks::<3>().0;
    let mean = points.iter().map(|u| Vector3::from(*u)).sum::<Vector3<f64>>() / points.len() as f64;
    let pairs = points.iter().zip(ku.as_chunks::<3>().0);
    pairs.map(|(u, f)| (Vector3::from(*u) - mean).dot(&Vector3::from(*f))).sum()
}

/// y ← (M_s ⊗ E₃) x.
pub(super) fn mass_product(m: &NodeMatrix, x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for column in 0..m.graph.n_nodes() {
        let (first, rows) = m.graph.column(column);
        for (&row, &mass) in rows.iter().zip(&m.values[first..]) {
            let row = row as usize;
            for d in 0..3 {
                y[3 * row + d] += mass * x[3 * column + d];
                if row != column {
                    y[3 * column + d] += mass * x[3 * row + d];
                }
            }
        }
    }
}

/// y ← M_s x of values at the points.
pub(super) fn node_product(m: &NodeMatrix, x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    for column in 0..m.graph.n_nodes() {
        let (first, rows) = m.graph.column(column);
        for (&row, &mass) in rows.iter().zip(&m.values[first..]) {
            let row = row as usize;
            y[row] += mass * x[column];
            if row != column {
                y[column] += mass * x[row];
            }
        }
    }
}
