//! The one dense LU factorisation: partial pivoting, real or complex, in memory that is kept.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use faer::traits::{ComplexField, math_utils};
use faer::{Auto, Mat, Par, Spec};

/// Factors P A = L U of matrices of changing size; nothing is allocated up to the size of
/// [`DenseLu::reserve`].
///
/// ```
/// use carom_linalg::DenseLu;
///
/// // 2 x + y = 3 and x + 3 y = 5.
/// let a = [[2.0, 1.0], [1.0, 3.0]];
/// let mut lu = DenseLu::<f64>::default();
/// assert!(lu.solve_system(2, |i, j| a[i][j], |i| [3.0, 5.0][i]));
/// assert!((lu.x(0) - 0.8).abs() < 1e-15 && (lu.x(1) - 1.4).abs() < 1e-15);
/// ```
pub struct DenseLu<T> {
    /// Number of rows; there may be room for more.
    size: usize,
    factors: Mat<T>,
    right: Mat<T>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    memory: MemBuffer,
}

impl<T> std::fmt::Debug for DenseLu<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DenseLu").field("n", &self.size).finish_non_exhaustive()
    }
}

impl<T: ComplexField + Copy> Default for DenseLu<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T: ComplexField + Copy> DenseLu<T> {
    /// Memory for matrices of up to `n` rows, set to this size.
    pub fn new(n: usize) -> Self {
        let factor = lu_in_place_scratch::<usize, T>(n, n, Par::Seq, spec::<T>());
        let solve = solve_in_place_scratch::<usize, T>(n, 1, Par::Seq);
        Self {
            size: n,
            factors: Mat::zeros(n, n),
            right: Mat::zeros(n, 1),
            forward: vec![0; n],
            inverse: vec![0; n],
            memory: MemBuffer::new(factor.or(solve)),
        }
    }

    /// Makes room for matrices of `n` rows.
    pub fn reserve(&mut self, n: usize) {
        if self.forward.len() < n {
            *self = Self::new(n);
        }
    }

    /// Makes it a matrix of n rows, its numbers undefined.
    pub fn set_size(&mut self, n: usize) {
        self.reserve(n);
        self.size = n;
    }

    /// Factorises the matrix of these entries.
    ///
    /// * `entry` — value at (row, column)
    pub fn factorise(&mut self, entry: impl Fn(usize, usize) -> T) {
        self.factorise_columns(|j, column| {
            column.iter_mut().enumerate().for_each(|(i, out)| *out = entry(i, j));
        });
    }

    /// Factorises the matrix whose columns `write` writes, each by its number.
    pub fn factorise_columns(&mut self, mut write: impl FnMut(usize, &mut [T])) {
        let n = self.size;
        for j in 0..n {
            write(j, &mut self.factors.col_as_slice_mut(j)[..n]);
        }
        lu_in_place(
            self.factors.as_mut().submatrix_mut(0, 0, n, n),
            &mut self.forward[..n],
            &mut self.inverse[..n],
            Par::Seq,
            MemStack::new(&mut self.memory),
            spec::<T>(),
        );
    }

    /// Solves for one right-hand side and hands its numbers over; not finite for a singular matrix.
    ///
    /// * `take` — called with number and value of each unknown
    pub fn solve(&mut self, right: impl Fn(usize) -> T, mut take: impl FnMut(usize, T)) {
        let n = self.size;
        for i in 0..n {
            self.right[(i, 0)] = right(i);
        }
        let permutation = PermRef::new_checked(&self.forward[..n], &self.inverse[..n], n);
        let factors = self.factors.as_ref().submatrix(0, 0, n, n);
        let right = self.right.as_mut().submatrix_mut(0, 0, n, 1);
        solve_in_place(factors, factors, permutation, right, Par::Seq, MemStack::new(&mut self.memory));
        for i in 0..n {
            take(i, self.right[(i, 0)]);
        }
    }

    /// Factorises an n × n matrix and solves for one right-hand side; false if it is singular to working
    /// precision. The solution is read by [`DenseLu::x`].
    pub fn solve_system(
        &mut self,
        n: usize,
        entry: impl Fn(usize, usize) -> T,
        right: impl Fn(usize) -> T,
    ) -> bool {
        self.set_size(n);
        self.factorise(entry);
        let mut is_finite = true;
        self.solve(right, |_, x| is_finite &= math_utils::is_finite(&x));
        is_finite
    }

    /// Unknown `i` of the last solution.
    pub fn x(&self, i: usize) -> T {
        self.right[(i, 0)]
    }
}

fn spec<T: ComplexField>() -> Spec<PartialPivLuParams, T> {
    <PartialPivLuParams as Auto<T>>::auto().into()
}

#[cfg(test)]
mod tests {
    use faer::c64;

    use super::*;

    /// A matrix whose largest entries are not on the diagonal.
    fn entry(i: usize, j: usize) -> f64 {
        ((7 * i + 3 * j * j + 1) % 11) as f64 - 5.0 + if i + 1 == j { 9.0 } else { 0.0 }
    }

    #[test]
    fn solutions_satisfy_their_equations_at_every_size() {
        let mut lu = DenseLu::default();
        for n in [1, 2, 5, 40, 3, 0, 41] {
            let right = |i: usize| (i as f64).cos();
            assert!(lu.solve_system(n, entry, right));
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| entry(i, j) * lu.x(j)).sum();
                let size: f64 = (0..n).map(|j| (entry(i, j) * lu.x(j)).abs()).sum();
                assert!((sum - right(i)).abs() < 1e-13 * (size + 1.0), "row {i} of {n}");
            }
        }
    }

    #[test]
    fn complex_systems_are_solved() {
        let entry = |i: usize, j: usize| c64::new(entry(i, j), entry(j, i) - 2.0);
        let mut lu = DenseLu::new(9);
        lu.factorise(entry);
        let mut x = [c64::new(0.0, 0.0); 9];
        lu.solve(|i| c64::new(1.0, i as f64), |i, value| x[i] = value);
        for i in 0..9 {
            let sum = (0..9).fold(c64::new(0.0, 0.0), |sum, j| sum + entry(i, j) * x[j]);
            assert!((sum - c64::new(1.0, i as f64)).norm() < 1e-12, "row {i}");
        }
    }

    #[test]
    fn singular_matrices_are_found() {
        let mut lu = DenseLu::default();
        assert!(!lu.solve_system(3, |_, j| j as f64, |_| 1.0));
        assert!(!lu.solve_system(1, |_, _| 0.0, |_| 1.0));
    }
}
