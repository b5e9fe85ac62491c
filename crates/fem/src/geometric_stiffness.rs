//! Geometric stiffness of displacement fields in a stressed body.
//!
//! A field φ changes the strain of a body by ½ ∂φᵀ∂φ in second order. In a body with the stress σ this takes
//! the energy
//!
//! ```text
//! ½ qᵀ K q ,     K_kl = ∫ tr(∂φ_k σ ∂φ_lᵀ) dV ,     (∂φ)_ab = ∂φ_a/∂X_b
//! ```
//!
//! so that a tensioned body is stiffer against bending, and a compressed one softer.

use carom_mesh::CellRef;
use carom_progress::Progress;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use crate::evaluator::CellEvaluator;
use crate::quadrature::{Integrand, Quadrature, cell_rule};
use crate::recovery::Gradients;
use crate::stress::{Stress, of_gradient};
use crate::{Discretisation, QuadratureRule};

/// Cells whose contributions are summed before those of others: the sums have one order, whatever the
/// threads.
const PIECE: usize = 256;

/// K of displacement fields under the stress of each of some states of linear elasticity, symmetric; none if
/// the user stopped it.
///
/// * `stressed` — displacements of these states, dofs × states \[m\]
/// * `fields` — φ, dofs × fields
///
/// # Panics
///
/// If an array has fewer rows than the body has dofs.
pub fn geometric_stiffness(
    discretisation: &Discretisation,
    stressed: MatRef<'_, f64>,
    fields: MatRef<'_, f64>,
    progress: &dyn Progress,
) -> Option<Vec<Mat<f64>>> {
    let rules: Vec<Quadrature> = discretisation
        .blocks
        .iter()
        .map(|block| cell_rule(&block.cells, Integrand::Stiffness, QuadratureRule::Default))
        .collect();
    let cells: Vec<CellRef> = discretisation.cells().collect();
    let pieces: Vec<&[CellRef]> = cells.chunks(PIECE).collect();
    let n = fields.ncols();
    let mut sums = vec![Mat::zeros(n, n); stressed.ncols()];
    progress.begin("geometric stiffness", pieces.len() as u64);
    // Some pieces at a time, so that their sums take little memory.
    let mut n_done = 0;
    for group in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
        let parts: Vec<Vec<Mat<f64>>> =
            group.par_iter().map(|piece| of_piece(discretisation, &rules, piece, stressed, fields)).collect();
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        n_done += group.len();
        progress.set(n_done as u64);
        if progress.interrupted() {
            return None;
        }
    }
    progress.end();
    Some(sums.into_iter().map(|k| Mat::from_fn(n, n, |i, j| 0.5 * (k[(i, j)] + k[(j, i)]))).collect())
}

/// The part of some cells.
fn of_piece(
    discretisation: &Discretisation,
    rules: &[Quadrature],
    cells: &[CellRef],
    stressed: MatRef<'_, f64>,
    fields: MatRef<'_, f64>,
) -> Vec<Mat<f64>> {
    let (n, n_states) = (fields.ncols(), stressed.ncols());
    let mut sums = vec![Mat::zeros(n, n); n_states];
    let mut evaluator = CellEvaluator::new(discretisation);
    let [mut of_states, mut of_fields] = [Gradients::new(n_states), Gradients::new(n)];
    let mut volumes = Vec::new();
    for cell in cells {
        let rule = &rules[cell.block as usize];
        let material = &discretisation.materials[discretisation.blocks[cell.block as usize].material];
        evaluator.enter(*cell);
        of_states.begin(discretisation, evaluator.ids(), stressed, &(0..n_states));
        of_fields.begin(discretisation, evaluator.ids(), fields, &(0..n));
        volumes.clear();
        for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            of_states.add_point(&evaluator);
            of_fields.add_point(&evaluator);
            volumes.push(weight * point.det);
        }
        of_states.evaluate();
        of_fields.evaluate();
        // Rows (q, a, b) of ∂φ, and the same times σ and the volume.
        let rows = 9 * volumes.len();
        let mut slopes = Mat::zeros(rows, n);
        for (q, k) in (0..volumes.len()).flat_map(|q| (0..n).map(move |k| (q, k))) {
            let h = of_fields.of(q, k);
            (0..9).for_each(|i| slopes[(9 * q + i, k)] = h[i / 3][i % 3]);
        }
        let mut loaded = Mat::zeros(rows, n);
        for (state, sum) in sums.iter_mut().enumerate() {
            for (q, &volume) in volumes.iter().enumerate() {
                let s = full(&of_gradient(material, &of_states.of(q, state)));
                for (k, row) in (0..n).flat_map(|k| (0..3).map(move |a| (k, 9 * q + 3 * a))) {
                    for b in 0..3 {
                        loaded[(row + b, k)] =
                            volume * (0..3).map(|c| s[b][c] * slopes[(row + c, k)]).sum::<f64>();
                    }
                }
            }
            matmul(sum.as_mut(), Accum::Add, slopes.transpose(), loaded.as_ref(), 1.0, Par::Seq);
        }
    }
    sums
}

/// σ as a matrix.
fn full([xx, yy, zz, xy, yz, xz]: &Stress) -> [[f64; 3]; 3] {
    [[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]]
}
