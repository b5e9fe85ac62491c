//! Modes of a body at the cells of a grid.

use faer::Mat;
use nalgebra::Vector3;

use super::GridBody;
use crate::foreshortening::Foreshortening;
use crate::half_space::GridCompliance;

/// Modes of a body at the middles of the cells.
#[derive(Debug, Clone)]
pub(super) struct ModesOnGrid {
    /// φ, three rows for each cell in the axes of the body, one column for each mode.
    values: Mat<f64>,
    /// The displacement of second order at the same places.
    foreshortening: Option<Foreshortening>,
    /// Displacement of each cell at the last evaluation \[m\].
    pub(super) displaced: Vec<Vector3<f64>>,
    /// The same at the anchor of friction \[m\].
    pub(super) before: Vec<Vector3<f64>>,
    /// Modal coordinates at the last evaluation.
    modal: Vec<f64>,
    /// Three numbers for each cell.
    work: Vec<f64>,
}

impl ModesOnGrid {
    /// None of a body without modes.
    pub(super) fn new(own: &GridCompliance, body: &GridBody<'_>) -> Option<Self> {
        let values = own.modal_values(body.values?);
        let none = vec![Vector3::zeros(); values.nrows() / 3];
        let at_cells = |of_places: &Foreshortening| of_places.at(|values| own.modal_values(values));
        Some(Self {
            foreshortening: body.foreshortening.map(at_cells),
            displaced: none.clone(),
            before: none,
            modal: vec![0.0; values.ncols()],
            work: vec![0.0; values.nrows()],
            values,
        })
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
        self.modal.clear();
        self.modal.extend_from_slice(modal);
        self.combine(modal);
        self.displaced.iter_mut().zip(self.work.as_chunks::<3>().0).for_each(|(u, x)| *u = Vector3::from(*x));
    }

    pub(super) fn displace_before(&mut self, modal: &[f64]) {
        self.combine(modal);
        self.before.iter_mut().zip(self.work.as_chunks::<3>().0).for_each(|(u, x)| *u = Vector3::from(*x));
    }

    /// Displacement of all cells.
    fn combine(&mut self, modal: &[f64]) {
        let Self { values, foreshortening, work, .. } = self;
        work.fill(0.0);
        for (k, q) in modal.iter().enumerate() {
            work.iter_mut().zip(values.col_as_slice(k)).for_each(|(sum, phi)| *sum += q * phi);
        }
        if let Some(foreshortening) = foreshortening {
            foreshortening.add_displacement(modal, work);
        }
    }

    /// Displacement of a cell \[m\].
    pub(super) fn displacement_of(&self, cell: usize, modal: &[f64]) -> Vector3<f64> {
        let second = self.foreshortening.as_ref().map(|second| second.displacement_of(cell, modal));
        self.linear(cell, modal) + second.unwrap_or_default()
    }

    /// Velocity of a cell at the last evaluation \[m/s\].
    pub(super) fn velocity_of(&self, cell: usize, rates: &[f64]) -> Vector3<f64> {
        let second = self.foreshortening.as_ref().map(|second| second.rate_of(cell, &self.modal, rates));
        self.linear(cell, rates) + second.unwrap_or_default()
    }

    /// Σ φ of a cell times numbers of the modes.
    fn linear(&self, cell: usize, numbers: &[f64]) -> Vector3<f64> {
        let row =
            |a: usize| numbers.iter().enumerate().map(|(k, q)| self.values[(3 * cell + a, k)] * q).sum();
        Vector3::from_fn(|a, _| row(a))
    }

    /// Adds the forces of the modes under forces on cells, in the axes of the body.
    ///
    /// * `forces` — number of a cell, and the force on it \[N\]
    pub(super) fn add_forces<F>(&self, forces: impl Fn() -> F, modal: &mut [f64])
    where
        F: Iterator<Item = (usize, Vector3<f64>)>,
    {
        for (cell, force) in forces() {
            for (k, target) in modal.iter_mut().enumerate().take(self.values.ncols()) {
                *target += (0..3).map(|a| self.values[(3 * cell + a, k)] * force[a]).sum::<f64>();
            }
        }
        if let Some(foreshortening) = &self.foreshortening {
            let plain = || forces().map(|(cell, force)| (cell, force.into()));
            foreshortening.add_forces(&self.modal, plain, modal);
        }
    }
}
