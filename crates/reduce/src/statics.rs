//! Static response of a reduced body to loads on its interface.

use carom_linalg::DenseEigenError;
use faer::Mat;

use crate::free::FreeShapes;
use crate::reduced::ReducedBody;

/// Static response of a reduced body to loads at its interface points: u = Φ Ω⁻² Φᵀ f.
///
/// For a free body this is the response under inertia relief: in the Buckens frame modes are orthogonal to
/// rigid motion, so that the rigid acceleration does not contribute.
#[derive(Debug, Clone)]
pub struct Statics<'a> {
    model: FreeShapes<'a>,
}

impl<'a> Statics<'a> {
    /// The statics of a model in any frame.
    ///
    /// # Errors
    ///
    /// [`DenseEigenError`] if its free vibrations cannot be found.
    pub fn new(model: &'a ReducedBody) -> Result<Self, DenseEigenError> {
        Ok(Self { model: FreeShapes::new(model)? })
    }

    /// Indices of points among those of the boundary; `None` if one is missing.
    pub fn rows_of(&self, points: &[u32]) -> Option<Vec<usize>> {
        points.iter().map(|point| self.model.boundary.points.binary_search(point).ok()).collect()
    }

    /// Φᵀ f of all modes for forces on some points.
    ///
    /// * `rows` — the points, [`Self::rows_of`]
    /// * `force` — one per point \[N\]
    pub fn modal_force(&self, rows: &[usize], force: &[[f64; 3]]) -> Vec<f64> {
        let values = &self.model.boundary.values;
        (0..values.ncols())
            .map(|k| {
                let column = values.col(k);
                rows.iter()
                    .zip(force)
                    .map(|(&row, f)| (0..3).map(|a| column[3 * row + a] * f[a]).sum::<f64>())
                    .sum()
            })
            .collect()
    }

    /// Motion of a marker in the direction of a unit load on it: \[m/N\] for forces, \[rad/(N m)\] for
    /// moments.
    ///
    /// * `direction` — 0 to 2 along x, y, z, 3 to 5 about them
    ///
    /// # Panics
    ///
    /// If there is no such marker.
    pub fn marker_compliance(&self, marker: usize, direction: usize) -> f64 {
        let marker = &self.model.markers[marker];
        let values = if direction < 3 { &marker.translation } else { &marker.rotation };
        let of_mode = |(k, omega): (usize, &f64)| (values[(direction % 3, k)] / omega).powi(2);
        self.model.omega.iter().enumerate().map(of_mode).sum()
    }

    /// Displacements of points under forces on the same points \[m\].
    pub fn displacement(&self, rows: &[usize], force: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let load = self.modal_force(rows, force);
        let q = Mat::from_fn(load.len(), 1, |k, _| load[k] / self.model.omega[k].powi(2));
        let values = &self.model.boundary.values;
        let component = |dof: usize| (values.row(dof) * q.col(0)).to_owned();
        rows.iter().map(|&row| [0, 1, 2].map(|a| component(3 * row + a))).collect()
    }
}
