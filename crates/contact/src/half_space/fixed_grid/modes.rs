//! Modes of a body at the cells of a grid.

use faer::Mat;
use nalgebra::Vector3;

use crate::half_space::GridCompliance;

/// Modes of a body at the middles of the cells.
#[derive(Debug, Clone)]
pub(super) struct ModesOnGrid {
    /// φ, three rows for each cell in the axes of the body, one column for each mode.
    values: Mat<f64>,
    /// φ q of each cell at the last evaluation \[m\].
    pub(super) displaced: Vec<Vector3<f64>>,
    /// The same at the anchor of friction \[m\].
    pub(super) before: Vec<Vector3<f64>>,
}

impl ModesOnGrid {
    /// * `values` — of the modes at all places
    pub(super) fn new(own: &GridCompliance, values: &Mat<f64>) -> Self {
        let values = own.modal_values(values);
        let none = vec![Vector3::zeros(); values.nrows() / 3];
        Self { values, displaced: none.clone(), before: none }
    }

    /// Number of modes.
    pub(super) fn len(&self) -> usize {
        self.values.ncols()
    }

    /// φ of a mode at a cell.
    pub(super) fn value(&self, cell: usize, mode: usize) -> Vector3<f64> {
        Vector3::from_fn(|a, _| self.values[(3 * cell + a, mode)])
    }

    pub(super) fn displace(&mut self, modal: &[f64]) {
        combine(&self.values, modal, &mut self.displaced);
    }

    pub(super) fn displace_before(&mut self, modal: &[f64]) {
        combine(&self.values, modal, &mut self.before);
    }

    pub(super) fn of_cell(&self, cell: usize, numbers: &[f64]) -> Vector3<f64> {
        let row =
            |a: usize| numbers.iter().enumerate().map(|(k, q)| self.values[(3 * cell + a, k)] * q).sum();
        Vector3::from_fn(|a, _| row(a))
    }

    /// Adds the forces of the modes under a force on a cell, in the axes of the body.
    pub(super) fn add_force(&self, cell: usize, force: &Vector3<f64>, modal: &mut [f64]) {
        for (k, target) in modal.iter_mut().enumerate().take(self.values.ncols()) {
            *target += (0..3).map(|a| self.values[(3 * cell + a, k)] * force[a]).sum::<f64>();
        }
    }
}

/// Σ φ q of all cells.
fn combine(values: &Mat<f64>, modal: &[f64], into: &mut [Vector3<f64>]) {
    into.fill(Vector3::zeros());
    for (k, q) in modal.iter().enumerate() {
        for (sum, phi) in into.iter_mut().zip(values.col_as_slice(k).as_chunks::<3>().0) {
            *sum += *q * Vector3::from(*phi);
        }
    }
}
