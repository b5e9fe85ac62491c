//! Two parts of a body's displacement under the forces of a contact, which bound its error: they follow from
//! the response to loads at places.

use faer::Mat;
use nalgebra::Vector3;

use super::weights::Order;
use super::{ComplianceError, PlacedBody};
use crate::patch::PatchPlane;

/// Parts of the displacement of a body under the forces of a contact, weighted by the forces \[m\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResponseParts {
    /// By how much linear weights would change it: the mesh and the distance of places limit both orders.
    pub weights: f64,
    /// The part of the residual compliance, which follows the forces at once.
    pub residual: f64,
    /// Bound of the part that the mesh of the body leaves out of the residual compliance; zero if unknown.
    pub mesh: f64,
}

/// The parts of the displacement, with the forces on the places.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The parts.
    pub parts: ResponseParts,
    /// Places that the forces act on, with the share of each in the force, in axes of the body.
    pub shares: Vec<(usize, Vector3<f64>)>,
}

impl PlacedBody {
    /// The parts of the displacement fᵀ u/Σf under forces on the cells of a grid:
    ///
    /// ```text
    /// weights  = |l₁ᵀ D l₁ − l₂ᵀ D l₂|/Σf ,   D = A − H ,   l = Σ c n f by linear and by quadratic weights
    /// residual = l₂ᵀ A l₂/Σf
    /// mesh     = (Σ_j |l₂_j · n_j| √δA_jj)²/Σf ≥ l₂ᵀ δA l₂/Σf
    /// ```
    ///
    /// with the errors δA of the places by the mesh, a positive semi-definite matrix whose diagonal is known.
    ///
    /// * `planes` — the plane of each cell in the axes of the body, the normal outward
    /// * `sides` — of a cell \[m\]
    ///
    /// # Errors
    ///
    /// [`ComplianceError::Weights`] if places do not surround a loaded cell.
    pub fn response_parts(
        &self,
        (planes, sides): (&[PatchPlane], [f64; 2]),
        forces: &[f64],
    ) -> Result<Response, ComplianceError> {
        let total: f64 = forces.iter().sum();
        if total <= 0.0 {
            return Ok(Response::default());
        }
        let loaded = || forces.iter().enumerate().filter(|(_, force)| **force > 0.0);
        let below: Vec<PatchPlane> = loaded().map(|(cell, _)| planes[cell]).collect();
        let mut loads =
            [vec![Vector3::zeros(); self.positions.len()], vec![Vector3::zeros(); self.positions.len()]];
        for (order, loads) in [Order::Linear, Order::Quadratic].into_iter().zip(&mut loads) {
            let points = self.weights_on(&below, sides, order)?;
            for ((weights, plane), (_, force)) in points.iter().zip(&below).zip(loaded()) {
                for (place, value) in weights.places.iter().zip(&weights.values) {
                    loads[*place] += value * force * plane.axes.row(2).transpose();
                }
            }
        }
        let is_loaded = |place: &usize| loads.iter().any(|loads| loads[*place] != Vector3::zeros());
        let places: Vec<usize> = (0..self.positions.len()).filter(is_loaded).collect();
        let of_places = |loads: &Vec<Vector3<f64>>| -> Vec<f64> {
            places.iter().flat_map(|place| <[f64; 3]>::from(loads[*place])).collect()
        };
        let [linear, quadratic] = loads.each_ref().map(of_places);
        let far = self.far_part(&places);
        let residual = Mat::from_fn(3 * places.len(), 3 * places.len(), |i, k| {
            self.response[(3 * places[i / 3] + i % 3, 3 * places[k / 3] + k % 3)]
        });
        let along = |place: &usize| loads[1][*place].dot(&self.normals[*place]).abs();
        let mesh: f64 = places
            .iter()
            .map(|place| along(place) * self.mesh_errors.get(*place).copied().unwrap_or(0.0).sqrt())
            .sum();
        let parts = ResponseParts {
            weights: (quadratic_form(&far, &linear) - quadratic_form(&far, &quadratic)).abs() / total,
            residual: quadratic_form(&residual, &quadratic) / total,
            mesh: mesh * mesh / total,
        };
        let shares = places.iter().map(|&place| (place, loads[1][place] / total)).collect();
        Ok(Response { parts, shares })
    }
}

/// lᵀ D l.
fn quadratic_form(matrix: &Mat<f64>, l: &[f64]) -> f64 {
    let row = |i: usize| (0..l.len()).map(|k| matrix[(i, k)] * l[k]).sum::<f64>();
    (0..l.len()).map(|i| l[i] * row(i)).sum()
}
