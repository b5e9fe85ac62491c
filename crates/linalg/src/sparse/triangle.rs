//! The lower triangle of a symmetric matrix in its elimination order, with zeros that keep partners in one
//! dense block.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::cholesky::simplicial::{
    prefactorize_symbolic_cholesky, prefactorize_symbolic_cholesky_scratch,
};
use faer::sparse::linalg::cholesky::supernodal::{
    SymbolicSupernodalCholesky, factorize_supernodal_symbolic_cholesky,
    factorize_supernodal_symbolic_cholesky_scratch,
};
use faer::sparse::linalg::{SymbolicSupernodalParams, qr};

use super::columns::Columns;
use super::order::Order;

/// The lower triangle of P A Pᵀ in compressed columns.
#[derive(Debug, Clone)]
pub(super) struct Triangle {
    pub(super) starts: Vec<usize>,
    pub(super) rows: Vec<usize>,
    pub(super) values: Vec<f64>,
    /// Place of each entry of A that lies in the triangle; `usize::MAX` for the others.
    places: Vec<usize>,
}

impl Triangle {
    /// The order in which subtrees of the elimination tree follow each other, the triangle in this order, and
    /// the structure of its factor; `None` if memory is too small.
    ///
    /// * `partner` — of each row; partners follow each other in `order`
    pub(super) fn analyse(
        columns: &Columns,
        partner: &[usize],
        order: Order,
    ) -> Option<(Order, Self, SymbolicSupernodalCholesky<usize>)> {
        let n = columns.n;
        let upper = Padded { columns, partner, order: &order }.upper();
        let request = prefactorize_symbolic_cholesky_scratch::<usize>(n, upper.1.len())
            .or(qr::postorder_scratch::<usize>(n))
            .or(factorize_supernodal_symbolic_cholesky_scratch::<usize>(n));
        let mut memory = MemBuffer::try_new(request).ok()?;
        let stack = MemStack::new(&mut memory);
        let (mut tree, mut counts, mut places) = (vec![0_isize; n], vec![0_usize; n], vec![0_usize; n]);
        let pattern_of_upper = pattern(n, &upper.0, &upper.1);
        let forest = prefactorize_symbolic_cholesky(&mut tree, &mut counts, pattern_of_upper, stack);
        qr::postorder(&mut places, forest, stack);
        let order = order.of(&places);
        let padded = Padded { columns, partner, order: &order };
        let upper = padded.upper();
        let pattern_of_upper = pattern(n, &upper.0, &upper.1);
        let forest = prefactorize_symbolic_cholesky(&mut tree, &mut counts, pattern_of_upper, stack);
        let parameters = SymbolicSupernodalParams::default();
        let symbolic =
            factorize_supernodal_symbolic_cholesky(pattern_of_upper, forest, &counts, stack, parameters)
                .ok()?;
        let lower = padded.lower();
        Some((order, lower, symbolic))
    }

    /// Takes the values of both triangles of A.
    pub(super) fn load(&mut self, values: &[f64]) {
        for (&place, &value) in self.places.iter().zip(values) {
            if place != usize::MAX {
                self.values[place] = value;
            }
        }
    }
}

/// A pattern in which partners couple to the same rows.
struct Padded<'a> {
    columns: &'a Columns,
    partner: &'a [usize],
    order: &'a Order,
}

impl Padded<'_> {
    /// Places of the rows of the column at a place, ascending.
    fn places(&self, column: usize, out: &mut Vec<usize>) {
        out.clear();
        let row = self.order.forward[column];
        for j in [row, self.partner[row]] {
            out.push(self.order.inverse[j]);
            for &i in &self.columns.rows[self.columns.starts[j]..self.columns.starts[j + 1]] {
                out.extend([i, self.partner[i]].map(|i| self.order.inverse[i]));
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    fn part(&self, is_part: impl Fn(usize, usize) -> bool) -> (Vec<usize>, Vec<usize>) {
        let n = self.columns.n;
        let (mut starts, mut rows) = (Vec::with_capacity(n + 1), Vec::new());
        starts.push(0);
        let mut places = Vec::new();
        for column in 0..n {
            self.places(column, &mut places);
            rows.extend(places.iter().filter(|&&row| is_part(row, column)));
            starts.push(rows.len());
        }
        (starts, rows)
    }

    fn upper(&self) -> (Vec<usize>, Vec<usize>) {
        self.part(|row, column| row <= column)
    }

    fn lower(&self) -> Triangle {
        let (starts, rows) = self.part(|row, column| row >= column);
        let mut places = Vec::with_capacity(self.columns.rows.len());
        for j in 0..self.columns.n {
            let column = self.order.inverse[j];
            let range = starts[column]..starts[column + 1];
            for &i in &self.columns.rows[self.columns.starts[j]..self.columns.starts[j + 1]] {
                let found = rows[range.clone()].binary_search(&self.order.inverse[i]);
                places.push(found.map_or(usize::MAX, |k| range.start + k));
            }
        }
        let values = vec![0.0; rows.len()];
        Triangle { starts, rows, values, places }
    }
}

pub(super) fn pattern<'a>(
    n: usize,
    starts: &'a [usize],
    rows: &'a [usize],
) -> SymbolicSparseColMatRef<'a, usize> {
    SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows)
}
