//! Stress at sites from the strains of cells whose points are coupled: mean dilatation, one point.

use carom_mesh::CellRef;

use super::StressSites;
use crate::constitutive::{LANES, Lanes, Tensor, each};
use crate::evaluator::CellEvaluator;
use crate::internal_force::PointRule;
use crate::internal_force::dilatation::{change_of, modified_gradient};
use crate::internal_force::lagrange::points;
use crate::quadrature::Quadrature;
use crate::stress::Stress;
use crate::{Cells, Discretisation};
use carom_mesh::CellShape;

/// The strain of a cell that its points share.
enum Shared {
    /// None: each point has its own gradient.
    Nothing,
    /// θ − 1, or the mean of tr H in the linear form.
    Dilatation(f64),
    /// The mean of H over the cell.
    Gradient([[f64; 3]; 3]),
}

impl StressSites {
    /// Stress at the sites from the gradients that the points of a rule have: with one volume ratio in a cell
    /// of mean dilatation, with the mean gradient in a cell of one point \[Pa\].
    ///
    /// * `displacement` — u of all points \[m\]
    /// * `rule` — that of the scheme
    /// * `is_large` — false for a law of small strains
    /// * `stress` — of a cell at a gradient, entry `[a][b]` = ∂u_a/∂X_b
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the list of points.
    pub fn stress_by_rule(
        &self,
        discretisation: &Discretisation,
        displacement: &[[f64; 3]],
        rule: PointRule,
        is_large: bool,
        mut stress: impl FnMut(CellRef, &[[f64; 3]; 3]) -> Stress,
    ) -> Vec<Stress> {
        let rules: Vec<Option<(CellShape, Quadrature)>> = discretisation
            .blocks
            .iter()
            .map(|block| match &block.cells {
                Cells::Lagrange { shape, .. } => Some((*shape, points(*shape, PointRule::MeanDilatation))),
                Cells::Spline(_) => None,
            })
            .collect();
        let mut evaluator = CellEvaluator::new(discretisation);
        let mut shared = (None, Shared::Nothing);
        self.stress_by(discretisation, displacement, |cell, _, h| {
            if shared.0 != Some(cell) {
                let own = rules[cell.block as usize].as_ref().map_or(Shared::Nothing, |(shape, points)| {
                    evaluator.enter(cell);
                    Shared::of_cell(&mut evaluator, (*shape, points), displacement, rule, is_large)
                });
                shared = (Some(cell), own);
            }
            match &shared.1 {
                Shared::Nothing => stress(cell, h),
                Shared::Dilatation(mean) => {
                    let modified = modified_gradient(&batch(h), &[*mean; LANES], is_large);
                    stress(cell, &each(|a| each(|b| modified[3 * a + b][0])))
                }
                Shared::Gradient(mean) => stress(cell, mean),
            }
        })
    }
}

impl Shared {
    fn of_cell(
        evaluator: &mut CellEvaluator<'_>,
        (shape, points): (CellShape, &Quadrature),
        displacement: &[[f64; 3]],
        rule: PointRule,
        is_large: bool,
    ) -> Self {
        let is_mean = rule == PointRule::OnePoint && shape == CellShape::Hex8;
        if !is_mean && !rule.has_mean_dilatation(shape) {
            return Self::Nothing;
        }
        let (mut volume, mut change, mut gradient) = (0.0, 0.0, [[0.0; 3]; 3]);
        for (&xi, &weight) in points.points.iter().zip(&points.weights) {
            let point = evaluator.at(xi);
            evaluator.physical_gradients(&point);
            let h = evaluator.displacement_gradient(displacement);
            let dv = weight * point.det;
            volume += dv;
            change += dv * change_of(&batch(&h), is_large)[0];
            for (sum, h) in gradient.as_flattened_mut().iter_mut().zip(h.as_flattened()) {
                *sum += dv * h;
            }
        }
        if is_mean {
            return Self::Gradient(gradient.map(|row| row.map(|sum| sum / volume)));
        }
        Self::Dilatation(change / volume)
    }
}

fn batch(h: &[[f64; 3]; 3]) -> Tensor {
    each::<9, Lanes>(|k| [h[k / 3][k % 3]; LANES])
}
