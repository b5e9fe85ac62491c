//! Error of displacement fields by their mesh, from the stress that is recovered at the nodes (Zienkiewicz
//! and Zhu 1987).
//!
//! Stress jumps between cells. The recovered stress σ* — extrapolated from the points of a cell at which
//! stress is most accurate, averaged over cells, interpolated — is nearer to the true one than the stress σ
//! of the cells, so that the difference of both measures the error of σ.

use carom_mesh::CellRef;
use faer::MatRef;
use rayon::prelude::*;

use super::scheme::lattice_factors;
use super::{CHUNK, CellSamples, Gradients, StressSites, gather};
use crate::evaluator::CellEvaluator;
use crate::quadrature::{Integrand, Quadrature, spline_points};
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
/// there.
struct Rules(Vec<(Quadrature, Vec<Vec<f64>>)>);

impl Rules {
    fn new(discretisation: &Discretisation) -> Self {
        let of_block = |cells: &Cells| {
            let rule = match cells {
                Cells::Lagrange { shape, .. } => {
                    Quadrature::for_cell(*shape, Integrand::Stiffness, QuadratureRule::Default)
                }
                Cells::Spline(cells) => {
                    Quadrature::cube(cells.degrees.map(|p| spline_points(p, QuadratureRule::Default)))
                }
            };
            let factors = |&xi: &[f64; 3]| match cells {
                Cells::Lagrange { shape, .. } => {
                    let mut values = vec![0.0; shape.n_nodes()];
                    carom_mesh::lagrange::values_into(*shape, xi, &mut values);
                    values
                }
                Cells::Spline(cells) => lattice_factors(cells.degrees, xi),
            };
            let factors = rule.points.iter().map(factors).collect();
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
    let mut local = vec![0.0; 3 * discretisation.max_cell_points() * width];
    let mut gradients = Gradients::new(width);
    let mut smooth = vec![0.0; 6 * width];
    for CellSamples { cell, targets, .. } in &sites.cells {
        let CellRef { block, .. } = *cell;
        let (rule, factors) = &rules[block as usize];
        let material = &discretisation.materials[discretisation.blocks[block as usize].material];
        evaluator.enter(*cell);
        gather(discretisation, evaluator.ids(), u, &(0..width), &mut local);
        for ((&xi, &weight), factors) in rule.points.iter().zip(&rule.weights).zip(factors) {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            let volume = weight * point.det;
            gradients.evaluate(&evaluator, &local);
            smooth.fill(0.0);
            for (&site, factor) in targets.iter().zip(factors) {
                let at = &recovered[6 * site as usize * width..];
                smooth.iter_mut().zip(at).for_each(|(sum, stress)| *sum += factor * stress);
            }
            for (k, energies) in energies.iter_mut().enumerate() {
                let own = of_gradient(material, &gradients.of(k));
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
