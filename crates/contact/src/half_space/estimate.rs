//! Two parts of a body's displacement under the forces of a contact, which bound its error: they follow from
//! the response to loads at places.

use faer::Mat;

use super::weights::Order;
use super::{ComplianceError, PlacedBody, PressureGrid};

/// Parts of the displacement of a body under the forces of a contact, weighted by the forces \[m\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResponseParts {
    /// By how much linear weights would change it: the mesh and the distance of places limit both orders.
    pub weights: f64,
    /// The part of the residual compliance, which follows the forces at once.
    pub residual: f64,
}

impl PlacedBody {
    /// The parts of the displacement fᵀ u/Σf under forces on the cells of a grid:
    ///
    /// ```text
    /// weights  = |l₁ᵀ D l₁ − l₂ᵀ D l₂|/Σf ,   D = nᵀ A n − H ,   l = c f by linear and by quadratic weights
    /// residual = l₂ᵀ nᵀ A n l₂/Σf
    /// ```
    ///
    /// * `grid` — its plane in the axes of the body, the normal outward
    ///
    /// # Errors
    ///
    /// [`ComplianceError::Weights`] if places do not surround a loaded cell.
    pub fn response_parts(
        &self,
        grid: &PressureGrid,
        forces: &[f64],
    ) -> Result<ResponseParts, ComplianceError> {
        let total: f64 = forces.iter().sum();
        if total <= 0.0 {
            return Ok(ResponseParts::default());
        }
        let plane = self.in_plane(grid);
        let mut loads = [vec![0.0; self.positions.len()], vec![0.0; self.positions.len()]];
        for (order, loads) in [Order::Linear, Order::Quadratic].into_iter().zip(&mut loads) {
            for (cell, force) in forces.iter().enumerate().filter(|(_, force)| **force > 0.0) {
                let weights = plane.weights(grid.middle(cell), grid.side, order)?;
                for (place, value) in weights.places.iter().zip(&weights.values) {
                    loads[*place] += value * force;
                }
            }
        }
        let is_loaded = |place: &usize| loads.iter().any(|loads| loads[*place] != 0.0);
        let places: Vec<usize> = (0..self.positions.len()).filter(is_loaded).collect();
        let [linear, quadratic] =
            loads.each_ref().map(|loads| places.iter().map(|place| loads[*place]).collect::<Vec<_>>());
        let far = self.normal_part(grid, &places);
        let normal = grid.plane.axes.row(2).transpose();
        let residual = Mat::from_fn(places.len(), places.len(), |a, b| {
            normal.dot(&(self.block(places[a], places[b]) * normal))
        });
        Ok(ResponseParts {
            weights: (quadratic_form(&far, &linear) - quadratic_form(&far, &quadratic)).abs() / total,
            residual: quadratic_form(&residual, &quadratic) / total,
        })
    }
}

/// lᵀ D l.
fn quadratic_form(matrix: &Mat<f64>, l: &[f64]) -> f64 {
    let row = |i: usize| (0..l.len()).map(|k| matrix[(i, k)] * l[k]).sum::<f64>();
    (0..l.len()).map(|i| l[i] * row(i)).sum()
}
