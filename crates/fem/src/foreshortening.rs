//! Loads of the strain of second order of displacement fields.
//!
//! A displacement φ q changes the strain of a body by ½ Σ q_k q_l sym(∂φ_kᵀ ∂φ_l) in second order. A body
//! without forces answers with a displacement w that is linear in these strains: it becomes shorter where it
//! bends. The forces that correspond to them are
//!
//! ```text
//! p_kl = ∫ Bᵀ C sym(∂φ_kᵀ ∂φ_l) dV ,     (∂φ)_ab = ∂φ_a/∂X_b
//! ```
//!
//! By reciprocity the geometric stiffness of the stress of any force f is `K_kl = fᵀ w_kl`, w_kl being the
//! static response to p_kl (docs/theory/stiffening.md, eq. (131)).

use carom_mesh::CellRef;
use faer::{Mat, MatRef};
use rayon::prelude::*;

use crate::evaluator::CellEvaluator;
use crate::quadrature::{Integrand, Quadrature, cell_rule};
use crate::recovery::Gradients;
use crate::stress::of_gradient;
use crate::{Discretisation, QuadratureRule};

/// Cells that are evaluated together.
const PIECE: usize = 256;

/// p of pairs of fields, dofs × pairs.
///
/// * `fields` — φ, dofs × fields
/// * `pairs` — numbers of two fields each
///
/// # Panics
///
/// If the fields have fewer rows than the body has dofs, or a pair has a number without a field.
pub fn loads_of_pairs(
    discretisation: &Discretisation,
    fields: MatRef<'_, f64>,
    pairs: &[[usize; 2]],
) -> Mat<f64> {
    let rules: Vec<Quadrature> = discretisation
        .blocks
        .iter()
        .map(|block| cell_rule(&block.cells, Integrand::Stiffness, QuadratureRule::Default))
        .collect();
    let cells: Vec<CellRef> = discretisation.cells().collect();
    let pieces: Vec<&[CellRef]> = cells.chunks(PIECE).collect();
    let mut sums = vec![vec![[0.0; 3]; discretisation.n_cell_point_ids()]; pairs.len()];
    // Some pieces at a time, so that their forces take little memory; they are added in one order.
    for group in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
        let parts: Vec<Vec<CellForces>> =
            group.par_iter().map(|piece| of_piece(discretisation, &rules, piece, fields, pairs)).collect();
        for CellForces { ids, forces } in parts.into_iter().flatten() {
            for (sum, forces) in sums.iter_mut().zip(forces.chunks_exact(ids.len())) {
                for (&id, force) in ids.iter().zip(forces) {
                    (0..3).for_each(|a| sum[id as usize][a] += force[a]);
                }
            }
        }
    }
    let mut loads = Mat::zeros(discretisation.n_dofs(), pairs.len());
    for (k, sum) in sums.into_iter().enumerate() {
        for (point, force) in discretisation.gathered(sum).iter().enumerate() {
            (0..3).for_each(|a| loads[(discretisation.dofs_per_point * point + a, k)] = force[a]);
        }
    }
    loads
}

/// Forces on the points of a cell, those of one pair after the other.
struct CellForces {
    ids: Vec<u32>,
    forces: Vec<[f64; 3]>,
}

fn of_piece(
    discretisation: &Discretisation,
    rules: &[Quadrature],
    cells: &[CellRef],
    fields: MatRef<'_, f64>,
    pairs: &[[usize; 2]],
) -> Vec<CellForces> {
    let mut evaluator = CellEvaluator::new(discretisation);
    let mut of_fields = Gradients::new(fields.ncols());
    let (mut volumes, mut slopes) = (Vec::new(), Vec::new());
    let mut of_cell = |cell: &CellRef| {
        let rule = &rules[cell.block as usize];
        let material = &discretisation.materials[discretisation.blocks[cell.block as usize].material];
        evaluator.enter(*cell);
        let ids = evaluator.ids().to_vec();
        of_fields.begin(discretisation, &ids, fields, &(0..fields.ncols()));
        volumes.clear();
        slopes.clear();
        for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            of_fields.add_point(&evaluator);
            let [x, y, z] = evaluator.physical();
            slopes.extend(x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z]));
            volumes.push(weight * point.det);
        }
        of_fields.evaluate();
        let mut forces = vec![[0.0; 3]; ids.len() * pairs.len()];
        for (&[k, l], forces) in pairs.iter().zip(forces.chunks_exact_mut(ids.len())) {
            for (q, (volume, slopes)) in volumes.iter().zip(slopes.chunks_exact(ids.len())).enumerate() {
                let [of_k, of_l] = [k, l].map(|field| of_fields.of(q, field));
                let product = [0, 1, 2].map(|b| {
                    [0, 1, 2].map(|c| volume * (0..3).map(|a| of_k[a][b] * of_l[a][c]).sum::<f64>())
                });
                // The stress takes the symmetric part.
                let [xx, yy, zz, xy, yz, xz] = of_gradient(material, &product);
                for (force, [x, y, z]) in forces.iter_mut().zip(slopes) {
                    force[0] += xx * x + xy * y + xz * z;
                    force[1] += xy * x + yy * y + yz * z;
                    force[2] += xz * x + yz * y + zz * z;
                }
            }
        }
        CellForces { ids, forces }
    };
    cells.iter().map(&mut of_cell).collect()
}
