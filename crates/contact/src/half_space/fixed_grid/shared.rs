//! A grid as a part of a problem with several grids: its gaps and forces apart from each other.
//!
//! The caller solves for the forces of all grids together. What the forces of one grid do to the gaps of
//! another one on the same body follows from the modes of the body, to which the forces of each are read.

use faer::Mat;

use super::{Acting, FixedGrid, GridSums, Position};
use crate::Shape;

impl FixedGrid {
    /// Gaps of the cells at a position without forces on them \[m\]; the forces found for them are taken by
    /// [`Self::load`].
    ///
    /// * `second` — the surface of the second body
    pub fn free_gaps(&mut self, second: &Shape, at: &Position<'_>) -> &[f64] {
        for (modes, modal) in self.modes.iter_mut().zip(at.modal) {
            if let Some(modes) = modes {
                modes.displace(modal);
            }
        }
        self.place_second(second, at);
        self.find_gaps();
        let mut least = (f64::INFINITY, 0);
        for (cell, &gap) in self.gaps.iter().enumerate() {
            if gap < least.0 {
                least = (gap, cell);
            }
        }
        let surface_gap = if least.0.is_finite() { self.surface_gap(least.1) } else { least.0 };
        self.sums = GridSums { least_gap: least, surface_gap, ..GridSums::default() };
        self.samples.iter_mut().for_each(|sample| sample.force = 0.0);
        &self.gaps
    }

    /// Takes normal forces that were found for the gaps of [`Self::free_gaps`] \[N\]. The cells keep the
    /// weights of the place at which the grid was laid, so that the forces have one potential;
    /// [`GridSums::elastic_energy`] lacks the work of other grids.
    pub fn load(&mut self, forces: &[f64]) {
        self.forces.copy_from_slice(forces);
        self.add_up();
        self.along = Acting::default();
    }

    /// Change of the gap of each cell by each mode of a body, cells × modes, with the normals of the cells
    /// for which the compliance was made:
    ///
    /// ```text
    /// r_ik = −n_i · φ_ik ,     n_i out of the body
    /// ```
    ///
    /// * `body` — 0 or 1; none of a body without modes
    pub fn gap_rows(&self, body: usize) -> Option<Mat<f64>> {
        let (modes, planes) = (self.modes[body].as_ref()?, &self.planes[body]);
        Some(Mat::from_fn(self.grid.len(), modes.len(), |cell, k| {
            -(planes[cell].axes.row(2) * modes.value(cell, k))[0]
        }))
    }
}
