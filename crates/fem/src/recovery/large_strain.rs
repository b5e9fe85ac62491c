//! Stress at sites of a body in large deformation: from a law at the deformation gradient, or from the stress
//! of the scheme's own points.

use std::collections::HashMap;

use carom_mesh::CellRef;

use super::scheme::Scheme;
use super::{CellSamples, PointFit, StressSites};
use crate::constitutive::Law;
use crate::evaluator::CellEvaluator;
use crate::internal_force::PointStress;
use crate::stress::{Stress, cauchy_of_gradient};
use crate::{Block, Discretisation, NotSolid};

impl StressSites {
    /// Cauchy's stress at the sites of a body in large deformation, by its laws \[Pa\].
    ///
    /// Components refer to fixed axes: a rotated body has no stress, a stretched and rotated body has the
    /// rotated stress. Sites keep their undeformed positions.
    ///
    /// * `laws` — one for each block
    /// * `displacement` — u of all points \[m\]
    ///
    /// # Errors
    ///
    /// [`NotSolid`].
    ///
    /// # Panics
    ///
    /// If a list is too short, or a law has history variables: see [`StressSites::from_points`].
    pub fn cauchy<L: Law>(
        &self,
        discretisation: &Discretisation,
        laws: &[L],
        displacement: &[[f64; 3]],
    ) -> Result<Vec<Stress>, NotSolid> {
        discretisation.solid_dofs_per_point("the stress of solid cells")?;
        Ok(self.stress_by(discretisation, displacement, |cell, _, h| {
            cauchy_of_gradient(&laws[cell.block as usize], h)
        }))
    }

    /// Stress at the sites from the stress at the quadrature points of the cells \[Pa\].
    ///
    /// In each cell of a mesh the least-squares fit of the linear functions of its kind goes through the
    /// points (constant for one point); in a NURBS cell the polynomial through the Gauss points.
    ///
    /// * `discretisation` — that of the sites
    /// * `points` — stress of the same body
    ///
    /// # Panics
    ///
    /// If the stress is of another body.
    pub fn from_points(&self, discretisation: &Discretisation, points: &PointStress) -> Vec<Stress> {
        let fit_of = |scheme: &Scheme, block: &Block| {
            let fit = PointFit::new(&block.cells, points.rule);
            scheme.points.iter().map(|&xi| fit.row(xi)).collect()
        };
        let mut fits: HashMap<(usize, u32), Vec<Vec<f64>>> = HashMap::new();
        self.averaged(|own, scheme, samples| {
            let block = own.cell.block;
            let fit = fits
                .entry((own.scheme, block))
                .or_insert_with(|| fit_of(scheme, &discretisation.blocks[block as usize]));
            let stresses = points.of_cell(own.cell);
            samples.extend(fit.iter().map(|row| PointFit::sum(row, stresses)));
        })
    }

    /// Stress at the sites, where a function gives the stress at each sample of a cell \[Pa\].
    ///
    /// * `displacement` — u of all points \[m\]
    /// * `stress` — of a cell, the number of the sample in it, and ∂u_a/∂X_b there in entry `[a][b]`
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the list of points.
    pub fn stress_by(
        &self,
        discretisation: &Discretisation,
        displacement: &[[f64; 3]],
        mut stress: impl FnMut(CellRef, usize, &[[f64; 3]; 3]) -> Stress,
    ) -> Vec<Stress> {
        let mut evaluator = CellEvaluator::new(discretisation);
        self.averaged(|own, scheme, samples| {
            evaluator.enter(own.cell);
            for (s, &xi) in scheme.points.iter().enumerate() {
                // At a collapsed point there is no gradient; the neighbouring cells determine the site.
                if scheme.rows.is_none() && own.targets[s] == u32::MAX {
                    samples.push([0.0; 6]);
                    continue;
                }
                let point = evaluator.at(xi);
                evaluator.physical_gradients(&point);
                samples.push(stress(own.cell, s, &evaluator.displacement_gradient(displacement)));
            }
        })
    }

    /// Stress at the sites, averaged over their cells.
    ///
    /// * `sample` — appends the stresses at the samples of a cell
    fn averaged(&self, mut sample: impl FnMut(&CellSamples, &Scheme, &mut Vec<Stress>)) -> Vec<Stress> {
        let mut sums = vec![[0.0; 6]; self.len()];
        let mut samples = Vec::new();
        for own in &self.cells {
            let scheme = &self.schemes[own.scheme];
            samples.clear();
            sample(own, scheme, &mut samples);
            for (row, &site) in own.targets.iter().enumerate().filter(|(_, site)| **site != u32::MAX) {
                let sum: &mut Stress = &mut sums[site as usize];
                let mut add = |factor: f64, sample: &Stress| {
                    (0..6).for_each(|c| sum[c] += factor * sample[c]);
                };
                match &scheme.rows {
                    None => add(1.0, &samples[row]),
                    Some(rows) => rows.row(row).iter().zip(&samples).for_each(|(&factor, s)| add(factor, s)),
                }
            }
        }
        for (sum, &count) in sums.iter_mut().zip(&self.counts) {
            if count > 1 {
                *sum = sum.map(|s| s / f64::from(count));
            }
        }
        sums
    }
}
