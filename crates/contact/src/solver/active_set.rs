//! Primal-dual active sets with a Cholesky factor of the active block.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve;
use faer::{Auto, Mat, MatRef, Par, Spec};

use super::{LcpError, Lemke};

/// The method that found a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Active sets.
    #[default]
    ActiveSet,
    /// Lemke's algorithm, because the active sets cycled or a block was not positive definite.
    Lemke,
}

/// Report of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// The method that found the solution.
    pub method: Method,
    /// Active sets tried, or pivots.
    pub iterations: usize,
    /// Factorisations made; 0 if the factor of the last solve could be used again.
    pub factorisations: usize,
    /// Size of the active set.
    pub n_active: usize,
}

/// Solver for symmetric positive definite M, which it keeps with the factor of its last active block.
///
/// ```text
/// A = {i : z_i > 0 or w_i < 0}:   M_AA z_A = −q_A,  z_I = 0,  w_I = q_I + M_IA z_A,   until A repeats
/// ```
///
/// M is scaled to unit diagonal. After [`Self::resize`] to the largest size nothing is allocated; without it
/// the factor grows with the largest active set, which is a small part of a grid of contact.
pub struct ActiveSet {
    n: usize,
    /// Scaled matrix in the leading n × n block, both triangles.
    matrix: Mat<f64>,
    /// s_i = 1/√M_ii.
    scale: Vec<f64>,
    factor: Mat<f64>,
    /// Rows of the factor.
    factored: Vec<u32>,
    active: Vec<u32>,
    next: Vec<u32>,
    q: Vec<f64>,
    z: Vec<f64>,
    w: Vec<f64>,
    rhs: Mat<f64>,
    memory: MemBuffer,
    fallback: Lemke,
}

impl Default for ActiveSet {
    fn default() -> Self {
        Self::new()
    }
}

/// Active sets tried before the fallback; warm starts need one or two, cold ones two to four.
const MAX_SETS: usize = 40;

/// A factor that is too small gets room for this part of the active set in addition.
const GROWTH: usize = 4;

impl ActiveSet {
    /// A solver without memory for any problem yet.
    pub fn new() -> Self {
        Self {
            n: 0,
            matrix: Mat::new(),
            scale: Vec::new(),
            factor: Mat::new(),
            factored: Vec::new(),
            active: Vec::new(),
            next: Vec::new(),
            q: Vec::new(),
            z: Vec::new(),
            w: Vec::new(),
            rhs: Mat::new(),
            memory: MemBuffer::new(cholesky_in_place_scratch::<f64>(0, Par::Seq, spec())),
            fallback: Lemke::default(),
        }
    }

    /// Number of unknowns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Makes room for problems of up to `capacity` unknowns, all of which may be active.
    pub fn resize(&mut self, capacity: usize) {
        self.make_room(capacity);
        if self.factor.nrows() < capacity {
            self.factor = Mat::zeros(capacity, capacity);
            self.factored.clear();
        }
    }

    /// Makes room for matrices of up to `capacity` unknowns.
    fn make_room(&mut self, capacity: usize) {
        if self.matrix.nrows() >= capacity {
            return;
        }
        self.matrix = Mat::zeros(capacity, capacity);
        self.rhs = Mat::zeros(capacity, 1);
        for v in [&mut self.scale, &mut self.q, &mut self.z, &mut self.w] {
            v.resize(capacity, 0.0);
        }
        for v in [&mut self.factored, &mut self.active, &mut self.next] {
            v.clear();
            v.reserve(capacity);
        }
        self.memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(capacity, Par::Seq, spec()));
        self.n = 0;
    }

    /// Takes a new matrix. `m(i, j)` is called for j ≤ i; the diagonal must be positive.
    pub fn set_matrix(&mut self, n: usize, m: impl Fn(usize, usize) -> f64) {
        self.make_room(n);
        self.n = n;
        self.factored.clear();
        for i in 0..n {
            self.scale[i] = m(i, i).max(f64::MIN_POSITIVE).sqrt().recip();
        }
        for j in 0..n {
            for i in j..n {
                let value = m(i, j) * self.scale[i] * self.scale[j];
                self.matrix[(i, j)] = value;
                self.matrix[(j, i)] = value;
            }
        }
    }

    /// Entry of the matrix, to round-off.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix[(i, j)] / (self.scale[i] * self.scale[j])
    }

    /// Memory of the matrix and the factor \[bytes\].
    pub fn bytes(&self) -> usize {
        [&self.matrix, &self.factor].map(|own| size_of::<f64>() * own.nrows() * own.ncols()).iter().sum()
    }

    /// Solves for z, whose positive entries at entry are the first active set.
    ///
    /// # Errors
    ///
    /// [`LcpError`] if the fallback fails too: M is not positive semi-definite, or something is not finite.
    pub fn solve(&mut self, q: &[f64], z: &mut [f64]) -> Result<Report, LcpError> {
        self.take(q, z)?;
        let mut report = Report::default();
        if !self.iterate(&mut report) {
            report = self.fall_back(report)?;
        }
        self.give(z);
        Ok(report)
    }

    /// As [`Self::solve`] without the fallback; the number of sets tried, as an error if the last one is not
    /// the right one.
    pub(super) fn solve_alone(&mut self, q: &[f64], z: &mut [f64]) -> Result<usize, usize> {
        let mut report = Report::default();
        if self.take(q, z).is_err() || !self.iterate(&mut report) {
            return Err(report.iterations);
        }
        self.give(z);
        Ok(report.iterations)
    }

    /// The scaled problem and its first set.
    fn take(&mut self, q: &[f64], z: &[f64]) -> Result<(), LcpError> {
        let n = self.n;
        if q.len() != n || z.len() != n {
            return Err(LcpError::Size { rows: n, columns: n, length: q.len().min(z.len()) });
        }
        if let Some(row) = q.iter().position(|x| !x.is_finite()) {
            return Err(LcpError::NotFinite { row, column: n });
        }
        (0..n).for_each(|i| self.q[i] = q[i] * self.scale[i]);
        self.active.clear();
        self.active.extend((0..n as u32).filter(|&i| z[i as usize] > 0.0));
        Ok(())
    }

    fn give(&self, z: &mut [f64]) {
        (0..self.n).for_each(|i| z[i] = (self.z[i] * self.scale[i]).max(0.0));
    }

    /// The iteration over active sets on the scaled problem; false if they cycle or a block is not positive
    /// definite.
    fn iterate(&mut self, report: &mut Report) -> bool {
        // Unscaled round-off: entries below this do not change the set.
        let largest = self.q[..self.n].iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let noise = 1e-14 * largest;
        for iteration in 1..=MAX_SETS {
            report.iterations = iteration;
            if self.factored != self.active {
                report.factorisations += 1;
                if !self.factorise() {
                    break;
                }
            }
            self.solve_active();
            self.next.clear();
            for i in 0..self.n {
                let was_active = self.z[i] != 0.0;
                if (was_active && self.z[i] > -noise) || (!was_active && self.w[i] < -noise) {
                    self.next.push(i as u32);
                }
            }
            if self.next == self.active {
                report.n_active = self.active.len();
                return true;
            }
            std::mem::swap(&mut self.active, &mut self.next);
        }
        false
    }

    /// Cholesky factor of the active block; false if it is not positive definite.
    fn factorise(&mut self) -> bool {
        let k = self.active.len();
        self.factored.clear();
        if self.factor.nrows() < k {
            let room = (k + k / GROWTH).min(self.matrix.nrows());
            self.factor = Mat::zeros(room, room);
        }
        for (b, &j) in self.active.iter().enumerate() {
            for (a, &i) in self.active.iter().enumerate().skip(b) {
                self.factor[(a, b)] = self.matrix[(i as usize, j as usize)];
            }
        }
        let block = self.factor.as_mut().submatrix_mut(0, 0, k, k);
        let stack = MemStack::new(&mut self.memory);
        let done = cholesky_in_place(block, LltRegularization::default(), Par::Seq, stack, spec()).is_ok();
        if done {
            self.factored.extend_from_slice(&self.active);
        }
        done
    }

    /// z on the active set, w on the others.
    fn solve_active(&mut self) {
        let k = self.active.len();
        self.w[..self.n].copy_from_slice(&self.q[..self.n]);
        self.z[..self.n].fill(0.0);
        if k == 0 {
            return;
        }
        for (a, &i) in self.active.iter().enumerate() {
            self.rhs[(a, 0)] = -self.q[i as usize];
        }
        let factor: MatRef<'_, f64> = self.factor.as_ref().submatrix(0, 0, k, k);
        let mut x = self.rhs.as_mut().submatrix_mut(0, 0, k, 1);
        triangular_solve::solve_lower_triangular_in_place(factor, x.as_mut(), Par::Seq);
        triangular_solve::solve_upper_triangular_in_place(factor.transpose(), x.as_mut(), Par::Seq);
        for (a, &j) in self.active.iter().enumerate() {
            let (value, column) = (self.rhs[(a, 0)], self.matrix.col_as_slice(j as usize));
            // An exact zero would make the unknown look inactive.
            self.z[j as usize] = if value == 0.0 { -f64::MIN_POSITIVE } else { value };
            for (w, m) in self.w[..self.n].iter_mut().zip(column) {
                *w += m * value;
            }
        }
    }

    fn fall_back(&mut self, mut report: Report) -> Result<Report, LcpError> {
        let n = self.n;
        let matrix = &self.matrix;
        report.method = Method::Lemke;
        report.iterations = self.fallback.solve(|i, j| matrix[(i, j)], &self.q[..n], &mut self.z[..n])?;
        report.n_active = self.z[..n].iter().filter(|&&z| z > 0.0).count();
        Ok(report)
    }
}

fn spec() -> Spec<LltParams, f64> {
    <LltParams as Auto<f64>>::auto().into()
}
