//! Dense LU factors, real or complex, in memory that is kept.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{Auto, Mat, Par, Spec};

/// P A = L U of one size.
pub(crate) struct Lu<T> {
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
            factors: Mat::zeros(n, n),
            right: Mat::zeros(n, 1),
            forward: vec![0; n],
            inverse: vec![0; n],
            memory: MemBuffer::new(factor.or(solve)),
        }
    }

    /// Factorises the matrix of these entries.
    pub(crate) fn factorise(&mut self, entry: impl Fn(usize, usize) -> T) {
        self.factorise_columns(|j, column| {
            column.iter_mut().enumerate().for_each(|(i, out)| *out = entry(i, j));
        });
    }

    /// Factorises the matrix whose columns `write` writes, each by its number.
    pub(crate) fn factorise_columns(&mut self, mut write: impl FnMut(usize, &mut [T])) {
        for j in 0..self.factors.ncols() {
            write(j, self.factors.col_as_slice_mut(j));
        }
        let stack = MemStack::new(&mut self.memory);
        lu_in_place(
            self.factors.as_mut(),
            &mut self.forward,
            &mut self.inverse,
            Par::Seq,
            stack,
            spec::<T>(),
        );
    }

    /// Solves for one right-hand side and hands its numbers over; not finite for a singular matrix.
    pub(crate) fn solve(&mut self, right: impl Fn(usize) -> T, mut take: impl FnMut(usize, T)) {
        let n = self.factors.nrows();
        for i in 0..n {
            self.right[(i, 0)] = right(i);
        }
        let permutation = PermRef::new_checked(&self.forward, &self.inverse, n);
        let stack = MemStack::new(&mut self.memory);
        let factors = self.factors.as_ref();
        solve_in_place(factors, factors, permutation, self.right.as_mut(), Par::Seq, stack);
        for i in 0..n {
            take(i, self.right[(i, 0)]);
        }
    }
}

fn spec<T: ComplexField>() -> Spec<PartialPivLuParams, T> {
    <PartialPivLuParams as Auto<T>>::auto().into()
}
