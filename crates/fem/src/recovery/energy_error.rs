//! Error of displacement fields by their mesh, from the stress that is recovered at the nodes (Zienkiewicz
//! and Zhu 1987).
//!
//! Stress jumps between cells. The recovered stress σ* — extrapolated from the points of a cell at which
//! stress is most accurate, averaged over cells, interpolated — is nearer to the true one than the stress σ
//! of the cells, so that the difference of both measures the error of σ.

use carom_mesh::CellRef;
use faer::{Mat, MatRef};
use rayon::prelude::*;

use super::scheme::{lattice_factors, matrix};
use super::{CHUNK, CellSamples, Gradients, StressSites, product};
use crate::evaluator::CellEvaluator;
use crate::quadrature::{Integrand, Quadrature, cell_rule};
use crate::stress::{Stress, of_gradient};
use crate::{Body, Cells, Discretisation, Material, QuadratureRule};

/// By how much the strain energy of each field is too small, relative to it:
///
/// ```text
/// ε = ∫ (σ* − σ) : C⁻¹ : (σ* − σ) dV / ∫ σ : C⁻¹ : σ dV
/// ```
///
/// A displacement method is too stiff. The displacement under a given load at the load is too small by ε of
/// itself, and the square of the frequency of a mode too large by ε of itself. Zero of a field without
/// strain.
///
/// * `displacement` — dofs × fields \[m\]
///
/// # Panics
///
/// If `displacement` has fewer rows than the body has dofs.
pub fn energy_errors(
    body: &Body,
    discretisation: &Discretisation,
    displacement: MatRef<'_, f64>,
) -> Vec<f64> {
    let sites = StressSites::extrapolated(body, discretisation);
    let rules = Rules::new(discretisation);
    let starts: Vec<usize> = (0..displacement.ncols()).step_by(CHUNK).collect();
    let parts: Vec<Vec<f64>> = starts
        .par_iter()
        .map(|&start| {
            let width = CHUNK.min(displacement.ncols() - start);
            of_fields(&sites, &rules, discretisation, displacement.subcols(start, width))
        })
        .collect();
    parts.concat()
}

/// The points of integration of each block, and the factors of the recovered stress at the sites of a cell
/// (columns) there (rows).
struct Rules(Vec<(Quadrature, Mat<f64>)>);

impl Rules {
    fn new(discretisation: &Discretisation) -> Self {
        let of_block = |cells: &Cells| {
            let rule = cell_rule(cells, Integrand::Stiffness, QuadratureRule::Default);
            let factors = |&xi: &[f64; 3]| match cells {
                Cells::Lagrange { shape, .. } => {
                    let mut values = vec![0.0; shape.n_nodes()];
                    carom_mesh::lagrange::values_into(*shape, xi, &mut values);
                    values
                }
                Cells::Spline(cells) => lattice_factors(cells.degrees, xi),
            };
            let factors = matrix(rule.points.iter().map(factors));
            (rule, factors)
        };
        Self(discretisation.blocks.iter().map(|block| of_block(&block.cells)).collect())
    }
}

/// ε of a few fields.
fn of_fields(
    sites: &StressSites,
    Rules(rules): &Rules,
    discretisation: &Discretisation,
    u: MatRef<'_, f64>,
) -> Vec<f64> {
    let width = u.ncols();
    let recovered = sites.chunk(discretisation, u, 0..width);
    let mut energies = vec![[0.0; 2]; width];
    let mut evaluator = CellEvaluator::new(discretisation);
    let mut gradients = Gradients::new(width);
    let (mut volumes, mut at_sites, mut smooth) = (Vec::new(), Vec::new(), Vec::new());
    for CellSamples { cell, targets, .. } in &sites.cells {
        let CellRef { block, .. } = *cell;
        let (rule, factors) = &rules[block as usize];
        let material = &discretisation.materials[discretisation.blocks[block as usize].material];
        evaluator.enter(*cell);
        gradients.begin(discretisation, evaluator.ids(), u, &(0..width));
        volumes.clear();
        for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            gradients.add_point(&evaluator);
            volumes.push(weight * point.det);
        }
        gradients.evaluate();
        at_sites.clear();
        for &site in targets {
            at_sites.extend_from_slice(&recovered[6 * site as usize * width..][..6 * width]);
        }
        product(factors.as_ref(), &at_sites, 6 * width, &mut smooth);
        for (q, (&volume, smooth)) in volumes.iter().zip(smooth.chunks_exact(6 * width)).enumerate() {
            for (k, energies) in energies.iter_mut().enumerate() {
                let own = of_gradient(material, &gradients.of(q, k));
                let difference = std::array::from_fn(|c| smooth[c * width + k] - own[c]);
                energies[0] += volume * twice_energy(material, &own);
                energies[1] += volume * twice_energy(material, &difference);
            }
        }
    }
    energies.iter().map(|[own, error]| if *own > 0.0 { error / own } else { 0.0 }).collect()
}

/// σ : C⁻¹ : σ \[J/m³\].
fn twice_energy(material: &Material, stress: &Stress) -> f64 {
    let [xx, yy, zz, xy, yz, xz] = stress;
    let trace = xx + yy + zz;
    let square = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + xz * xz);
    ((1.0 + material.poisson) * square - material.poisson * trace * trace) / material.young
}
