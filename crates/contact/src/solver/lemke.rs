//! Lemke's complementary pivoting with lexicographic ratios.

use super::operator::largest;
use super::outcome::ACCEPTED;
use super::{LcpError, residual};
use carom_linalg::DenseLu;

/// Lemke's algorithm for w − M z − e z₀ = q with its tableau kept for the next solve; columns of the basis
/// are not stored.
///
/// It ends with a solution if M is copositive-plus (positive semi-definite, for instance) and one exists, or
/// if M is a P-matrix. Ties are broken lexicographically, so that it cannot cycle.
#[derive(Default)]
pub struct Lemke {
    n: usize,
    /// The power of two nearest to 1/max |M_ij|, by which M is multiplied and z divided: entries of a column
    /// of the tableau are then alike, whatever the units of M are.
    unit: f64,
    /// n rows of the n + 1 variables that are not in the basis and of q, n + 2 wide.
    rows: Vec<f64>,
    /// Row of the last pivot.
    pivot_row: Vec<f64>,
    /// Variable in the basis of each row: w_i is i, z_i is n + i, z₀ is 2n.
    basis: Vec<usize>,
    /// Where each variable is: its row if in the basis, n + its column if not.
    place: Vec<usize>,
    lu: DenseLu<f64>,
    active: Vec<usize>,
    polished: Vec<f64>,
}

/// Relative size below which an entry of the entering column is no pivot candidate.
const SMALL_PIVOT: f64 = 1e-11;

/// Solves w = M z + q, z, w ≥ 0, z·w = 0 by Lemke's algorithm; returns z and the number of pivots.
///
/// * `m` — entry (row, column) of M, n × n
/// * `q` — length n
///
/// # Errors
///
/// [`LcpError::Ray`] without a solution; [`LcpError::Inaccurate`] if max |min(a z, w)| > 1e-10 max |q| with
/// the largest |M_ij| as a.
///
/// # Source
///
/// Cottle, Pang & Stone, *The Linear Complementarity Problem*, algorithm 4.4.5.
pub fn lemke(m: impl Fn(usize, usize) -> f64, q: &[f64]) -> Result<(Vec<f64>, usize), LcpError> {
    let mut z = vec![0.0; q.len()];
    let pivots = Lemke::default().solve(&m, q, &mut z)?;
    let n = q.len();
    let allowed = ACCEPTED * largest(q.iter().copied());
    let size = largest((0..n * n).map(|k| m(k / n, k % n)));
    let w = |i: usize| q[i] + (0..n).map(|j| m(i, j) * z[j]).sum::<f64>();
    let residual = largest((0..n).map(|i| (size * z[i]).min(w(i))));
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
        self.pivot_row.resize(width, 0.0);
        self.basis.clear();
        self.basis.extend(0..n);
        self.place.clear();
        self.place.extend(0..=2 * n);
        let size = largest((0..n * n).map(|k| m(k / n, k % n)));
        self.unit = if size > 0.0 && size.is_finite() { (-size.log2().round()).exp2() } else { 1.0 };
        for i in 0..n {
            let row = &mut self.rows[i * width..(i + 1) * width];
            (0..n).for_each(|j| row[j] = -self.unit * m(i, j));
            row[n] = -1.0;
            row[n + 1] = q[i];
            if let Some(column) = row.iter().position(|x| !x.is_finite()) {
                return Err(LcpError::NotFinite { row: i, column: column.min(n) });
            }
        }
        Ok(())
    }

    fn width(&self) -> usize {
        self.n + 2
    }

    /// Entry of a row in the column of a variable; those in the basis have a one in their row.
    fn at(&self, row: usize, variable: usize) -> f64 {
        match self.place[variable].checked_sub(self.n) {
            Some(column) => self.rows[row * self.width() + column],
            None => f64::from(u8::from(self.place[variable] == row)),
        }
    }

    /// The right-hand side of a row.
    fn rhs(&self, row: usize) -> f64 {
        self.rows[row * self.width() + self.n + 1]
    }

    /// Lexicographic order of the rows (q, B⁻¹) of a and b divided by their pivots; the columns of w hold
    /// B⁻¹.
    fn compare(&self, a: usize, pivot_a: f64, b: usize, pivot_b: f64) -> std::cmp::Ordering {
        let first = (self.rhs(a) / pivot_a).total_cmp(&(self.rhs(b) / pivot_b));
        let next = |w: usize| (self.at(a, w) / pivot_a).total_cmp(&(self.at(b, w) / pivot_b));
        first.then_with(|| {
            (0..self.n).map(next).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        })
    }

    fn leaving_row(&self, entering: usize) -> Option<usize> {
        let largest = (0..self.n).map(|i| self.at(i, entering).abs()).fold(0.0, f64::max);
        let candidate = |&i: &usize| self.at(i, entering) > SMALL_PIVOT * largest;
        let ratio = |i: usize| self.rhs(i) / self.at(i, entering);
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

    /// Brings `entering` into the basis of `row`; returns the complement of the variable that left.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let (n, width) = (self.n, self.width());
        let column = self.place[entering] - n;
        let scale = 1.0 / self.at(row, entering);
        self.pivot_row.copy_from_slice(&self.rows[row * width..(row + 1) * width]);
        // The column becomes that of the variable which leaves, so far a unit vector.
        self.pivot_row[column] = 1.0;
        self.pivot_row.iter_mut().for_each(|x| *x *= scale);
        for (i, other) in self.rows.chunks_exact_mut(width).enumerate() {
            let factor = std::mem::replace(&mut other[column], 0.0);
            if i == row {
                other.copy_from_slice(&self.pivot_row);
            } else if factor != 0.0 {
                other.iter_mut().zip(&self.pivot_row).for_each(|(x, p)| *x -= factor * p);
            }
        }
        let left = std::mem::replace(&mut self.basis[row], entering);
        self.place[entering] = row;
        self.place[left] = n + column;
        if left < n { left + n } else { left.saturating_sub(n) }
    }

    fn read(&self, z: &mut [f64]) {
        let n = self.n;
        z.fill(0.0);
        for (row, &variable) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                z[variable - n] = self.unit * self.rhs(row).max(0.0);
            }
        }
    }

    /// z from the final basis: solved anew from M, since the tableau has gathered the round-off of all
    /// pivots.
    fn finish(&mut self, m: &impl Fn(usize, usize) -> f64, q: &[f64], z: &mut [f64]) {
        self.read(z);
        let n = self.n;
        self.active.clear();
        self.active.extend(self.basis.iter().filter(|&&v| (n..2 * n).contains(&v)).map(|v| v - n));
        let active = &self.active;
        if !self.lu.solve_system(active.len(), |a, b| m(active[a], active[b]), |a| -q[active[a]]) {
            return;
        }
        self.polished.clear();
        self.polished.resize(n, 0.0);
        active.iter().enumerate().for_each(|(a, &i)| self.polished[i] = self.lu.x(a).max(0.0));
        if residual(m, q, &self.polished) < residual(m, q, z) {
            z.copy_from_slice(&self.polished);
        }
    }
}
