//! Dense LU factors, real or complex, in memory that is kept.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{Auto, Mat, Par, Spec};

/// P A = L U of one size.
pub(crate) struct Lu<T> {
    /// Number of rows; there may be room for more.
    size: usize,
    factors: Mat<T>,
    right: Mat<T>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    memory: MemBuffer,
}

impl<T> std::fmt::Debug for Lu<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lu").field("n", &self.forward.len()).finish_non_exhaustive()
    }
}

impl<T: ComplexField + Copy> Lu<T> {
    pub(crate) fn new(n: usize) -> Self {
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

    /// Makes it a matrix of n rows, of which there must be room for.
    pub(crate) fn set_size(&mut self, n: usize) {
        self.size = n.min(self.forward.len());
    }

    /// Factorises the matrix of these entries.
    pub(crate) fn factorise(&mut self, entry: impl Fn(usize, usize) -> T) {
        self.factorise_columns(|j, column| {
            column.iter_mut().enumerate().for_each(|(i, out)| *out = entry(i, j));
        });
    }

    /// Factorises the matrix whose columns `write` writes, each by its number.
    pub(crate) fn factorise_columns(&mut self, mut write: impl FnMut(usize, &mut [T])) {
        let n = self.size;
        for j in 0..n {
            write(j, &mut self.factors.col_as_slice_mut(j)[..n]);
        }
        let stack = MemStack::new(&mut self.memory);
        lu_in_place(
            self.factors.as_mut().submatrix_mut(0, 0, n, n),
            &mut self.forward[..n],
            &mut self.inverse[..n],
            Par::Seq,
            stack,
            spec::<T>(),
        );
    }

    /// Solves for one right-hand side and hands its numbers over; not finite for a singular matrix.
    pub(crate) fn solve(&mut self, right: impl Fn(usize) -> T, mut take: impl FnMut(usize, T)) {
        let n = self.size;
        for i in 0..n {
            self.right[(i, 0)] = right(i);
        }
        let permutation = PermRef::new_checked(&self.forward[..n], &self.inverse[..n], n);
        let stack = MemStack::new(&mut self.memory);
        let factors = self.factors.as_ref().submatrix(0, 0, n, n);
        let right = self.right.as_mut().submatrix_mut(0, 0, n, 1);
        solve_in_place(factors, factors, permutation, right, Par::Seq, stack);
        for i in 0..n {
            take(i, self.right[(i, 0)]);
        }
    }
}

fn spec<T: ComplexField>() -> Spec<PartialPivLuParams, T> {
    <PartialPivLuParams as Auto<T>>::auto().into()
}
