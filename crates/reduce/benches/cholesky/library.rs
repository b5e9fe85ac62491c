//! Times of faer's sparse Cholesky factorisation in its supernodal form.

use carom_linalg::{BlockMatrix, DofSet, NodeMatrix};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, MatRef, Par, Side};

/// K + sM over the free dofs, its lower triangle column by column.
pub(crate) struct LowerTriangle {
    col_ptr: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl LowerTriangle {
    pub(crate) fn new(k: &BlockMatrix, m: &NodeMatrix, shift: f64, free: &DofSet) -> Self {
        let mut number = vec![usize::MAX; k.n_dofs()];
        free.to_vec().iter().enumerate().for_each(|(i, &dof)| number[dof] = i);
        let (mut col_ptr, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for node in 0..k.graph.n_nodes() {
            let (start, node_rows) = k.graph.column(node);
            for j in (0..3).filter(|&j| free.of_node(node)[j]) {
                for (e, &row_node) in (start..).zip(node_rows) {
                    let first = if row_node as usize == node { j } else { 0 };
                    for i in (first..3).filter(|&i| free.of_node(row_node as usize)[i]) {
                        rows.push(number[3 * row_node as usize + i]);
                        let mass = if i == j { shift * m.values[e] } else { 0.0 };
                        values.push(k.values[e][3 * i + j] + mass);
                    }
                }
                col_ptr.push(rows.len());
            }
        }
        Self { col_ptr, rows, values }
    }

    pub(crate) fn n_entries(&self) -> usize {
        self.rows.len()
    }

    fn n(&self) -> usize {
        self.col_ptr.len() - 1
    }

    fn structure(&self) -> SymbolicSparseColMatRef<'_, usize> {
        SymbolicSparseColMatRef::new_checked(self.n(), self.n(), &self.col_ptr, None, &self.rows)
    }

    /// Largest |b − A x| over |A| |x|, row by row.
    pub(crate) fn backward_error(&self, x: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
        let mut worst = 0.0_f64;
        for k in 0..x.ncols() {
            let (x, b) = (x.col(k), b.col(k));
            let mut rest: Vec<f64> = b.iter().copied().collect();
            let mut scale = vec![0.0; self.n()];
            for col in 0..self.n() {
                for e in self.col_ptr[col]..self.col_ptr[col + 1] {
                    let (row, value) = (self.rows[e], self.values[e]);
                    rest[row] -= value * x[col];
                    scale[row] += (value * x[col]).abs();
                    if row != col {
                        rest[col] -= value * x[row];
                        scale[col] += (value * x[row]).abs();
                    }
                }
            }
            worst = rest.iter().zip(&scale).fold(worst, |worst, (r, s)| worst.max(r.abs() / s));
        }
        worst
    }
}

/// Structure of the library's factor.
pub(crate) struct Library {
    symbolic: SymbolicCholesky<usize>,
    par: Par,
}

impl Library {
    /// Finds the structure in a given order of the dofs, or in the library's own (approximate minimum
    /// degree).
    pub(crate) fn new(matrix: &LowerTriangle, order: Option<&[usize]>, threads: usize) -> Self {
        let mut inverse = vec![0; matrix.n()];
        order.iter().for_each(|order| order.iter().enumerate().for_each(|(i, &dof)| inverse[dof] = i));
        let ordering = match order {
            Some(order) => SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, matrix.n())),
            None => SymmetricOrdering::Amd,
        };
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(matrix.structure(), Side::Lower, ordering, params)
            .expect("the machine has the memory");
        Self { symbolic, par: if threads == 1 { Par::Seq } else { Par::rayon(threads) } }
    }

    pub(crate) fn factorise(&self, matrix: &LowerTriangle) -> Vec<f64> {
        let mut values = vec![0.0; self.symbolic.len_val()];
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(self.par, Default::default());
        let mut memory = MemBuffer::new(scratch);
        self.symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(matrix.structure(), &matrix.values),
                Side::Lower,
                Default::default(),
                self.par,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .expect("the matrix is positive definite");
        values
    }

    pub(crate) fn solve(&self, values: &[f64], x: MatMut<'_, f64>) {
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(x.ncols(), self.par);
        let mut memory = MemBuffer::new(scratch);
        let factor = LltRef::new(&self.symbolic, values);
        factor.solve_in_place_with_conj(Conj::No, x, self.par, MemStack::new(&mut memory));
    }
}
