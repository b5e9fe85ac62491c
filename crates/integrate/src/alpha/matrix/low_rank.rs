//! Low-rank correction of the factors of a step, by the formula of Sherman, Morrison and Woodbury.
//!
//! Some forces of a system act along a few rows b of the velocities, and which rows these are changes from
//! iteration to iteration ([`SecondOrder::for_low_rank_rows`]). The derivatives by differences exclude these
//! forces; their part of the matrix is added as a correction of rank r, the number of rows. With J of
//! [`super::StepMatrix`] without them, B the r rows and S their compliance,
//!
//! ```text
//! (J + h² κ Bᵀ S⁻¹ B)⁻¹ d = x − X y,    x = J⁻¹ d,    X = J⁻¹ Bᵀ,    (S/(h² κ) + B X) y = B x
//! ```
//!
//! The factors of J stay as they are; the matrix of the small problem is r × r. X and its factors serve
//! through the iterations of a step, until other rows are active.
//!
//! # Source
//!
//! Golub & Van Loan, Matrix Computations (2013), 2.1.4.

use carom_linalg::dense::dot;
use faer::Mat;

use crate::second_order::SecondOrder;
use carom_linalg::DenseLu;

/// The rows that are active, and the correction for them.
#[derive(Debug)]
pub(super) struct LowRankCorrection {
    /// Numbers of the active rows, and those found at an evaluation.
    active: Vec<usize>,
    found: Vec<usize>,
    /// Bᵀ, N × r, and X, all unknowns × r: with room for more columns.
    rows: Mat<f64>,
    columns: Mat<f64>,
    /// Factors of S/(h² κ) + B X.
    small: Option<DenseLu<f64>>,
    /// B x.
    products: Vec<f64>,
}

impl LowRankCorrection {
    pub(super) fn none() -> Self {
        Self {
            active: Vec::new(),
            found: Vec::new(),
            rows: Mat::new(),
            columns: Mat::new(),
            small: None,
            products: Vec::new(),
        }
    }

    /// Drops all rows, as a new step or new factors of J make them invalid.
    pub(super) fn clear(&mut self) {
        self.active.clear();
    }

    /// True if at least one row is active.
    pub(super) fn is_active(&self) -> bool {
        !self.active.is_empty()
    }

    /// Updates the rows that are active at the last evaluation; true if other rows were active before.
    ///
    /// * `n`, `size` — numbers of velocities and of all unknowns
    /// * `share` — h² κ
    /// * `solve` — turns a row b into its column J⁻¹ bᵀ
    pub(super) fn update<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        (n, size): (usize, usize),
        share: f64,
        mut solve: impl FnMut(&[f64], &mut [f64]),
    ) -> bool {
        self.found.clear();
        let found = &mut self.found;
        system.for_low_rank_rows(&mut |row| found.push(row));
        if self.found == self.active {
            return false;
        }
        self.active.clone_from(&self.found);
        let r = self.active.len();
        grow(&mut self.rows, n, r);
        grow(&mut self.columns, size, r);
        for (k, number) in self.active.iter().enumerate() {
            let row = self.rows.col_as_slice_mut(k);
            system.low_rank_row(*number, row);
            solve(row, self.columns.col_as_slice_mut(k));
        }
        self.factorise(system, share);
        true
    }

    fn factorise<E: std::error::Error + 'static>(&mut self, system: &dyn SecondOrder<Error = E>, share: f64) {
        let r = self.active.len();
        if r == 0 {
            return;
        }
        if self.products.len() < r {
            let room = r + r / 2;
            self.small = Some(DenseLu::new(room));
            self.products = vec![0.0; room];
        }
        let Self { rows, columns, active, small, .. } = self;
        let entry = |i: usize, j: usize| {
            let compliance = system.low_rank_compliance(active[i], active[j]) / share;
            compliance + dot(rows.col_as_slice(i), columns.col_as_slice(j))
        };
        if let Some(small) = small {
            small.set_size(r);
            small.factorise(entry);
        }
    }

    /// Turns x = J⁻¹ d into the solution of the corrected matrix, x − X y.
    pub(super) fn apply(&mut self, x: &mut [f64]) {
        let Self { rows, columns, active, small, products, .. } = self;
        let Some(small) = small else { return };
        for (k, product) in products[..active.len()].iter_mut().enumerate() {
            *product = dot(rows.col_as_slice(k), x);
        }
        let mut subtract = |i: usize, y: f64| {
            let column = columns.col_as_slice(i);
            x.iter_mut().zip(column).for_each(|(x, column)| *x -= y * column);
        };
        small.solve(|i| products[i], &mut subtract);
    }
}

/// Makes room for this number of columns.
fn grow(matrix: &mut Mat<f64>, rows: usize, columns: usize) {
    if matrix.nrows() != rows || matrix.ncols() < columns {
        *matrix = Mat::zeros(rows, columns + columns / 2);
    }
}
