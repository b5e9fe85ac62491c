//! Dense systems with partial pivoting in memory that is kept.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::{Auto, Mat, Par, Spec};

/// Solves A x = b of changing size; nothing is allocated up to the size of [`Self::resize`].
pub(super) struct DenseLu {
    matrix: Mat<f64>,
    rhs: Mat<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    memory: MemBuffer,
}

impl Default for DenseLu {
    fn default() -> Self {
        Self {
            matrix: Mat::new(),
            rhs: Mat::new(),
            forward: Vec::new(),
            inverse: Vec::new(),
            memory: MemBuffer::new(lu_in_place_scratch::<usize, f64>(0, 0, Par::Seq, spec())),
        }
    }
}

impl DenseLu {
    pub(super) fn resize(&mut self, capacity: usize) {
        if self.matrix.nrows() >= capacity {
            return;
        }
        self.matrix = Mat::zeros(capacity, capacity);
        self.rhs = Mat::zeros(capacity, 1);
        self.forward.resize(capacity, 0);
        self.inverse.resize(capacity, 0);
        let factor = lu_in_place_scratch::<usize, f64>(capacity, capacity, Par::Seq, spec());
        let solve = solve_in_place_scratch::<usize, f64>(capacity, 1, Par::Seq);
        self.memory = MemBuffer::new(factor.or(solve));
    }

    /// Solves the k × k system; false if it is singular to working precision. The solution is read by
    /// [`Self::x`].
    pub(super) fn solve(
        &mut self,
        k: usize,
        a: impl Fn(usize, usize) -> f64,
        b: impl Fn(usize) -> f64,
    ) -> bool {
        self.resize(k);
        if k == 0 {
            return true;
        }
        for j in 0..k {
            for i in 0..k {
                self.matrix[(i, j)] = a(i, j);
            }
            self.rhs[(j, 0)] = b(j);
        }
        let mut matrix = self.matrix.as_mut().submatrix_mut(0, 0, k, k);
        let stack = MemStack::new(&mut self.memory);
        let (forward, inverse) = (&mut self.forward[..k], &mut self.inverse[..k]);
        let (_, permutation) = lu_in_place(matrix.as_mut(), forward, inverse, Par::Seq, stack, spec());
        let rhs = self.rhs.as_mut().submatrix_mut(0, 0, k, 1);
        solve_in_place(matrix.as_ref(), matrix.as_ref(), permutation, rhs, Par::Seq, stack);
        (0..k).all(|i| self.rhs[(i, 0)].is_finite())
    }

    /// Entry of the last solution.
    pub(super) fn x(&self, i: usize) -> f64 {
        self.rhs[(i, 0)]
    }
}

fn spec() -> Spec<PartialPivLuParams, f64> {
    <PartialPivLuParams as Auto<f64>>::auto().into()
}
