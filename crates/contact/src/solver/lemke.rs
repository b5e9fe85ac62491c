//! Lemke's complementary pivoting with lexicographic ratios.

use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, SolveCore};

use super::{LcpError, residual};

/// Lemke's algorithm for w − M z − e z₀ = q with its tableau kept for the next solve.
///
/// It ends with a solution if M is copositive-plus (positive semi-definite, for instance) and one exists, or if M is a
/// P-matrix. Ties are broken lexicographically, so that it cannot cycle.
#[derive(Debug, Clone, Default)]
pub struct Lemke {
    n: usize,
    /// n rows of \[w | z | z₀ | q\], 2n + 2 wide. The columns of w hold the inverse of the basis.
    rows: Vec<f64>,
    /// Variable in the basis of each row: w_i is i, z_i is n + i, z₀ is 2n.
    basis: Vec<usize>,
}

/// Relative size below which an entry of the entering column is not taken as pivot.
const SMALL_PIVOT: f64 = 1e-11;

/// Solves w = M z + q, z, w ≥ 0, z·w = 0 by Lemke's algorithm; returns z and the number of pivots.
///
/// * `m` — entry (row, column) of M, n × n
/// * `q` — length n
///
/// # Errors
///
/// [`LcpError::Ray`] without a solution; [`LcpError::Inaccurate`] if max |min(z, w)| > 1e-10 max(1, max |q|).
///
/// # Source
///
/// Cottle, Pang & Stone, *The Linear Complementarity Problem*, algorithm 4.4.5.
pub fn lemke(m: impl Fn(usize, usize) -> f64, q: &[f64]) -> Result<(Vec<f64>, usize), LcpError> {
    let mut z = vec![0.0; q.len()];
    let pivots = Lemke::default().solve(&m, q, &mut z)?;
    let allowed = 1e-10 * q.iter().fold(1.0f64, |a, b| a.max(b.abs()));
    let residual = residual(&m, q, &z);
    // The comparison fails for a residual that is not a number.
    if residual <= allowed { Ok((z, pivots)) } else { Err(LcpError::Inaccurate { residual, allowed }) }
}

impl Lemke {
    /// As [`lemke`], into `z`, with the tableau of earlier calls; the residual is the caller's to check.
    ///
    /// # Errors
    ///
    /// [`LcpError`] on a ray, too many pivots, or entries that are not finite.
    pub fn solve(
        &mut self,
        m: impl Fn(usize, usize) -> f64,
        q: &[f64],
        z: &mut [f64],
    ) -> Result<usize, LcpError> {
        z.fill(0.0);
        self.fill(&m, q)?;
        let n = self.n;
        if q.iter().all(|&q| q >= 0.0) {
            return Ok(0);
        }
        // z₀ enters for the lexicographically smallest row (q_i, e_i): the others then stay positive.
        let row = (0..n).min_by(|&a, &b| self.compare(a, 1.0, b, 1.0)).expect("n > 0 as some q < 0");
        let mut entering = self.pivot(row, 2 * n);
        let limit = 100 + 50 * n;
        for pivots in 2..=limit {
            let Some(row) = self.leaving_row(entering) else {
                return Err(LcpError::Ray { pivots: pivots - 1 });
            };
            let z0_leaves = self.basis[row] == 2 * n;
            entering = self.pivot(row, entering);
            if z0_leaves {
                self.finish(&m, q, z);
                return Ok(pivots);
            }
        }
        self.read(z);
        Err(LcpError::PivotLimit { pivots: limit, residual: residual(&m, q, z) })
    }

    fn fill(&mut self, m: &impl Fn(usize, usize) -> f64, q: &[f64]) -> Result<(), LcpError> {
        let n = q.len();
        self.n = n;
        let width = self.width();
        self.rows.clear();
        self.rows.resize(n * width, 0.0);
        self.basis.clear();
        self.basis.extend(0..n);
        for i in 0..n {
            let row = &mut self.rows[i * width..(i + 1) * width];
            row[i] = 1.0;
            (0..n).for_each(|j| row[n + j] = -m(i, j));
            row[2 * n] = -1.0;
            row[2 * n + 1] = q[i];
            if let Some(column) = row.iter().position(|x| !x.is_finite()) {
                return Err(LcpError::NotFinite {
                    row: i,
                    column: if column > 2 * n { n } else { column - n },
                });
            }
        }
        Ok(())
    }

    fn width(&self) -> usize {
        2 * self.n + 2
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.rows[row * self.width() + column]
    }

    /// Lexicographic order of the rows (q, B⁻¹) of a and b divided by their pivots.
    fn compare(&self, a: usize, pivot_a: f64, b: usize, pivot_b: f64) -> std::cmp::Ordering {
        let columns = std::iter::once(2 * self.n + 1).chain(0..self.n);
        columns
            .map(|c| (self.at(a, c) / pivot_a).total_cmp(&(self.at(b, c) / pivot_b)))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    }

    fn leaving_row(&self, entering: usize) -> Option<usize> {
        let largest = (0..self.n).map(|i| self.at(i, entering).abs()).fold(0.0, f64::max);
        let candidate = |&i: &usize| self.at(i, entering) > SMALL_PIVOT * largest;
        let ratio = |i: usize| self.at(i, 2 * self.n + 1) / self.at(i, entering);
        let best = (0..self.n).filter(candidate).map(ratio).fold(f64::INFINITY, f64::min);
        // z₀ may leave as soon as it is among the smallest ratios.
        let z0 = (0..self.n).find(|&i| self.basis[i] == 2 * self.n && candidate(&i));
        if let Some(i) = z0.filter(|&i| ratio(i) <= best + 1e-14 * best.abs()) {
            return Some(i);
        }
        (0..self.n)
            .filter(candidate)
            .min_by(|&a, &b| self.compare(a, self.at(a, entering), b, self.at(b, entering)))
    }

    /// Brings `entering` into the basis of `row`; returns the complement of what left.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let (n, width) = (self.n, self.width());
        let scale = 1.0 / self.at(row, entering);
        self.rows[row * width..(row + 1) * width].iter_mut().for_each(|x| *x *= scale);
        let (before, rest) = self.rows.split_at_mut(row * width);
        let (pivot_row, after) = rest.split_at_mut(width);
        for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let factor = other[entering];
            if factor != 0.0 {
                other.iter_mut().zip(&*pivot_row).for_each(|(x, p)| *x -= factor * p);
            }
        }
        let left = std::mem::replace(&mut self.basis[row], entering);
        if left < n { left + n } else { left.saturating_sub(n) }
    }

    fn read(&self, z: &mut [f64]) {
        let n = self.n;
        z.fill(0.0);
        for (row, &variable) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                z[variable - n] = self.at(row, 2 * n + 1).max(0.0);
            }
        }
    }

    /// z from the final basis: solved anew from M, since the tableau has gathered the round-off of all pivots.
    fn finish(&self, m: &impl Fn(usize, usize) -> f64, q: &[f64], z: &mut [f64]) {
        self.read(z);
        let n = self.n;
        let active: Vec<usize> =
            self.basis.iter().filter(|&&v| (n..2 * n).contains(&v)).map(|v| v - n).collect();
        if active.is_empty() {
            return;
        }
        let block = Mat::from_fn(active.len(), active.len(), |a, b| m(active[a], active[b]));
        let mut x = Mat::from_fn(active.len(), 1, |a, _| -q[active[a]]);
        PartialPivLu::new(block.as_ref()).solve_in_place_with_conj(faer::Conj::No, x.as_mut());
        let mut polished = vec![0.0; n];
        active.iter().enumerate().for_each(|(a, &i)| polished[i] = x[(a, 0)].max(0.0));
        if residual(m, q, &polished) < residual(m, q, z) {
            z.copy_from_slice(&polished);
        }
    }
}
