//! Refinement of solutions and their backward error.

use faer::{ColRef, Mat, MatMut};

use super::SparseError;
use super::columns::Columns;

/// Refinements of a solution at most.
const MAX_REFINEMENTS: usize = 4;

/// Backward error that is rounding: there is nothing to refine.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// Largest backward error of a solution.
const LIMIT: f64 = 1e-8;

/// How well a solution fulfils its equations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    /// Largest backward error of all right-hand sides,
    ///
    /// ```text
    /// ω = max_i |b − A x|_i / (|A| |x| + |b|)_i
    /// ```
    ///
    /// x is the exact solution of a system whose entries differ by no more than this part from those of A and
    /// b. In a row whose denominator is rounding, ‖A_i‖₁ ‖x‖∞ of the scaled columns takes the place of
    /// \|b\|_i.
    pub backward_error: f64,
    /// Steps of refinement, the most of all right-hand sides.
    pub refinements: usize,
}

/// Memory of refinements, kept between solutions.
#[derive(Debug, Clone)]
pub(super) struct Work {
    right: Mat<f64>,
    correction: Mat<f64>,
    best: Mat<f64>,
    /// (|A| |x|)_i of one right-hand side.
    sizes: Vec<f64>,
    /// ‖A_i‖₁ with scaled columns.
    row_sums: Vec<f64>,
    errors: Vec<f64>,
}

impl Default for Work {
    fn default() -> Self {
        let (right, correction, best) = (Mat::new(), Mat::new(), Mat::new());
        Self { right, correction, best, sizes: Vec::new(), row_sums: Vec::new(), errors: Vec::new() }
    }
}

impl Work {
    fn resize(&mut self, n: usize, n_cols: usize) {
        if self.right.nrows() != n || self.right.ncols() < n_cols {
            for matrix in [&mut self.right, &mut self.correction, &mut self.best] {
                *matrix = Mat::zeros(n, n_cols);
            }
        }
        self.sizes.resize(n, 0.0);
        self.row_sums.resize(n, 0.0);
        self.errors.clear();
        self.errors.resize(n_cols, f64::INFINITY);
    }
}

/// Solves A x = b, or Aᵀ x = b, in place by factors of R A C, and refines.
///
/// * `solve` — solves with the factors of R A C, or of its transpose, in place
///
/// # Errors
///
/// [`SparseError::Dimension`], [`SparseError::RightHandSide`], [`SparseError::Inaccurate`]
pub(super) fn solve_refined(
    columns: &Columns,
    work: &mut Work,
    mut x: MatMut<'_, f64>,
    is_transposed: bool,
    mut solve: impl FnMut(MatMut<'_, f64>),
) -> Result<Solved, SparseError> {
    check(columns, x.as_mut())?;
    let n_cols = x.ncols();
    work.resize(columns.n, n_cols);
    let system = System { columns, is_transposed };
    system.row_sums(&mut work.row_sums);
    work.right.as_mut().subcols_mut(0, n_cols).copy_from(x.as_mut());
    system.solve_scaled(x.as_mut(), &mut solve);
    let mut refinements = 0;
    loop {
        let is_better = update_best(&system, work, x.as_mut());
        if !is_better || refinements == MAX_REFINEMENTS {
            break;
        }
        refinements += 1;
        let mut correction = work.correction.as_mut().subcols_mut(0, n_cols);
        system.solve_scaled(correction.as_mut(), &mut solve);
        x += correction;
    }
    x.copy_from(work.best.as_ref().subcols(0, n_cols));
    let backward_error = work.errors.iter().fold(0.0, |a: f64, &b| a.max(b));
    // An infinite error stands for a solution that is not finite.
    if backward_error <= LIMIT {
        Ok(Solved { backward_error, refinements })
    } else {
        Err(SparseError::Inaccurate { backward_error, refinements, limit: LIMIT })
    }
}

/// Keeps those solutions that are better than before, with their errors; writes the residuals of those worth
/// a refinement, zeros for the others. True if there is one.
fn update_best(system: &System<'_>, work: &mut Work, x: MatMut<'_, f64>) -> bool {
    let mut is_worth = false;
    for k in 0..x.ncols() {
        let residual = work.correction.col_as_slice_mut(k);
        let right = work.right.col_as_slice(k);
        let before = work.errors[k];
        let x = x.as_ref().col(k);
        let error = system.residual(x, right, &work.row_sums, &mut work.sizes, residual);
        if error < before {
            work.errors[k] = error;
            work.best.as_mut().col_mut(k).copy_from(x);
        }
        if error > ROUNDING && error < 0.5 * before {
            is_worth = true;
        } else {
            residual.fill(0.0);
        }
    }
    is_worth
}

fn check(columns: &Columns, x: MatMut<'_, f64>) -> Result<(), SparseError> {
    if x.nrows() != columns.n {
        return Err(SparseError::Dimension { expected: columns.n, found: x.nrows() });
    }
    for column in 0..x.ncols() {
        for row in 0..x.nrows() {
            let value = x[(row, column)];
            if !value.is_finite() {
                return Err(SparseError::RightHandSide { row, column, value });
            }
        }
    }
    Ok(())
}

/// A or Aᵀ.
struct System<'a> {
    columns: &'a Columns,
    is_transposed: bool,
}

impl System<'_> {
    /// Calls `add` with row, column and value of each entry, in a fixed order.
    fn for_each(&self, mut add: impl FnMut(usize, usize, f64)) {
        for j in 0..self.columns.n {
            if self.is_transposed {
                self.columns.column(j).for_each(|(i, value)| add(j, i, value));
            } else {
                self.columns.column(j).for_each(|(i, value)| add(i, j, value));
            }
        }
    }

    /// Scales of the columns: x over them has entries of one unit.
    fn scales_of_unknowns(&self) -> &[f64] {
        &self.columns.scales[usize::from(!self.is_transposed)]
    }

    fn row_sums(&self, sums: &mut [f64]) {
        let scales = self.scales_of_unknowns();
        sums.fill(0.0);
        self.for_each(|i, j, value| sums[i] += value.abs() * scales[j]);
    }

    /// x ← C (R A C)⁻¹ R x.
    fn solve_scaled(&self, mut x: MatMut<'_, f64>, solve: &mut impl FnMut(MatMut<'_, f64>)) {
        let [rows, columns] = &self.columns.scales;
        let (before, after) = if self.is_transposed { (columns, rows) } else { (rows, columns) };
        multiply(x.as_mut(), before);
        solve(x.as_mut());
        multiply(x, after);
    }

    /// r = b − A x, and its backward error: infinite for a solution that is not finite.
    fn residual(
        &self,
        x: ColRef<'_, f64>,
        right: &[f64],
        row_sums: &[f64],
        sizes: &mut [f64],
        residual: &mut [f64],
    ) -> f64 {
        residual.copy_from_slice(right);
        sizes.fill(0.0);
        self.for_each(|i, j, value| {
            residual[i] -= value * x[j];
            sizes[i] += (value * x[j]).abs();
        });
        let scaled = x.iter().zip(self.scales_of_unknowns()).map(|(x, scale)| (x / scale).abs());
        let largest = scaled.fold(0.0, f64::max);
        let rounding = 1000.0 * self.columns.n as f64 * f64::EPSILON;
        let mut error = 0.0_f64;
        for i in 0..right.len() {
            let by_norm = row_sums[i] * largest;
            let mut size = sizes[i] + right[i].abs();
            if size <= rounding * (by_norm + right[i].abs()) {
                size = sizes[i] + by_norm;
            }
            if !residual[i].is_finite() || !size.is_finite() {
                return f64::INFINITY;
            }
            if residual[i] != 0.0 {
                error = error.max(residual[i].abs() / size);
            }
        }
        error
    }
}

fn multiply(mut x: MatMut<'_, f64>, scales: &[f64]) {
    for k in 0..x.ncols() {
        x.as_mut().col_mut(k).iter_mut().zip(scales).for_each(|(x, scale)| *x *= scale);
    }
}
