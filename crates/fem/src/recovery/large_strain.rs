//! Stress at sites of a body in large deformation.

use carom_mesh::CellRef;

use super::StressSites;
use crate::constitutive::Law;
use crate::evaluator::CellEvaluator;
use crate::stress::{Stress, cauchy_of_gradient};
use crate::{Discretisation, NotSolid};

impl StressSites {
    /// Cauchy's stress at the sites of a body in large deformation, by its laws \[Pa\].
    ///
    /// Directions are those of the deformed body: a body that is turned as a whole has no stress, one that is
    /// stretched and turned has the turned stress. Sites keep their undeformed positions.
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
    /// If a list is too short, or a law has history variables: see [`StressSites::stress_by`].
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

    /// Stress at the sites, where a function gives the stress at each sample of a cell \[Pa\].
    ///
    /// A scheme with history has the stress itself, and reads it at the sample nearest to its own point.
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
        let mut sums = vec![[0.0; 6]; self.len()];
        let mut evaluator = CellEvaluator::new(discretisation);
        let mut samples = Vec::new();
        for own in &self.cells {
            let scheme = &self.schemes[own.scheme];
            evaluator.enter(own.cell);
            samples.clear();
            for (s, &xi) in scheme.points.iter().enumerate() {
                // Where the map collapses there is no gradient, and the site is left to its neighbours.
                if scheme.rows.is_none() && own.targets[s] == u32::MAX {
                    samples.push([0.0; 6]);
                    continue;
                }
                let point = evaluator.at(xi);
                evaluator.physical_gradients(&point);
                samples.push(stress(own.cell, s, &evaluator.displacement_gradient(displacement)));
            }
            for (row, &site) in own.targets.iter().enumerate().filter(|(_, site)| **site != u32::MAX) {
                let sum: &mut Stress = &mut sums[site as usize];
                let mut add = |factor: f64, sample: &Stress| {
                    (0..6).for_each(|c| sum[c] += factor * sample[c]);
                };
                match &scheme.rows {
                    None => add(1.0, &samples[row]),
                    Some(rows) => rows[row].iter().zip(&samples).for_each(|(&factor, s)| add(factor, s)),
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
