//! Cholesky factorisation of G M⁻¹ Gᵀ in an envelope: rows of a joint couple with those of joints on the same
//! bodies, so that a chain of bodies costs in proportion to its length.

use super::row_order::RowOrder;

/// A symmetric positive definite matrix: each row from its first entry to the diagonal, then the factor in
/// the same place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skyline {
    /// Number of the caller of each row and column.
    order: Vec<usize>,
    /// First column of each row.
    first: Vec<usize>,
    /// Where each row begins in `values`, and the end of the last one.
    starts: Vec<usize>,
    values: Vec<f64>,
    /// The first row with a pivot that the last factorisation raised.
    raised: Option<usize>,
    /// Solution in the order of the rows.
    x: Vec<f64>,
}

/// A row that those before it determine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dependent {
    /// Its number.
    pub(crate) row: usize,
}

impl Skyline {
    /// Room for rows in this order.
    pub(super) fn new(RowOrder { order, first }: RowOrder) -> Self {
        let mut starts = vec![0];
        for (i, first) in first.iter().enumerate() {
            starts.push(starts[i] + i + 1 - first);
        }
        let (values, x) = (vec![0.0; starts[first.len()]], vec![0.0; first.len()]);
        Self { values, x, starts, order, first, raised: None }
    }

    /// Number of rows.
    pub(crate) fn n(&self) -> usize {
        self.first.len()
    }

    /// The first row with a pivot that the last factorisation raised.
    pub(crate) fn raised(&self) -> Option<usize> {
        self.raised
    }

    /// Pivot of each row over its diagonal entry, by the last factorisation.
    pub(crate) fn pivots(&self) -> Vec<f64> {
        let of = |row: &[f64]| {
            let square: f64 = row.iter().map(|x| x * x).sum();
            row[row.len() - 1].powi(2) / square
        };
        let mut pivots = vec![0.0; self.n()];
        self.order.iter().enumerate().for_each(|(i, &number)| pivots[number] = of(self.row(i)));
        pivots
    }

    /// Entries of a row, its first column first.
    fn row(&self, i: usize) -> &[f64] {
        &self.values[self.starts[i]..self.starts[i + 1]]
    }

    /// Fills the envelope with a(i, j) and factorises it.
    ///
    /// * `accepted` — the pivot to use for a row, its pivot and its diagonal entry; none if the row depends
    ///   on those before it
    ///
    /// # Errors
    ///
    /// The first row without a pivot.
    pub(crate) fn factorise(
        &mut self,
        a: impl Fn(usize, usize) -> f64,
        accepted: impl Fn(usize, f64, f64) -> Option<f64>,
    ) -> Result<(), Dependent> {
        self.raised = None;
        for i in 0..self.n() {
            let (done, rest) = self.values.split_at_mut(self.starts[i]);
            let row = &mut rest[..self.starts[i + 1] - self.starts[i]];
            let first = self.first[i];
            let mut square = 0.0;
            for j in first..i {
                let other = &done[self.starts[j]..self.starts[j + 1]];
                let from = first.max(self.first[j]);
                let pairs = row[from - first..j - first].iter().zip(&other[from - self.first[j]..]);
                let sum: f64 = pairs.map(|(x, y)| x * y).sum();
                let value = (a(self.order[i], self.order[j]) - sum) / other[other.len() - 1];
                row[j - first] = value;
                square += value * value;
            }
            let number = self.order[i];
            let diagonal = a(number, number);
            let found = diagonal - square;
            let pivot = accepted(number, found, diagonal).ok_or(Dependent { row: number })?;
            if pivot > found {
                self.raised.get_or_insert(number);
            }
            row[i - first] = pivot.sqrt();
        }
        Ok(())
    }

    /// Solves A x = b with the factor; `b` becomes x.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let mut x = std::mem::take(&mut self.x);
        x.iter_mut().zip(&self.order).for_each(|(x, &number)| *x = b[number]);
        for i in 0..self.n() {
            let (row, first) = (self.row(i), self.first[i]);
            let (diagonal, before) = (row[i - first], &row[..i - first]);
            let sum: f64 = before.iter().zip(&x[first..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - sum) / diagonal;
        }
        for i in (0..self.n()).rev() {
            let (row, first) = (self.row(i), self.first[i]);
            x[i] /= row[i - first];
            let value = x[i];
            for (x, l) in x[first..i].iter_mut().zip(row) {
                *x -= l * value;
            }
        }
        x.iter().zip(&self.order).for_each(|(x, &number)| b[number] = *x);
        self.x = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(smallest: f64) -> impl Fn(usize, f64, f64) -> Option<f64> {
        move |_, pivot, diagonal| (pivot > smallest * diagonal).then_some(pivot)
    }

    /// A chain: each row couples with the one before, the last also with the second.
    fn entry(i: usize, j: usize) -> f64 {
        match i - j {
            0 => 4.0 + i as f64,
            1 => -1.5,
            _ if (i, j) == (5, 1) => 0.7,
            _ => 0.0,
        }
    }

    #[test]
    fn solution_satisfies_the_equations() {
        let entry = |i: usize, j: usize| entry(i.max(j), i.min(j));
        let orders = [
            (vec![0, 1, 2, 3, 4, 5], vec![0, 0, 1, 2, 3, 1]),
            (vec![3, 2, 0, 1, 5, 4], vec![0, 0, 2, 1, 3, 0]),
        ];
        for (order, first) in orders {
            let mut matrix = Skyline::new(RowOrder { order, first });
            matrix.factorise(entry, above(1e-12)).unwrap();
            let b = [1.0, -2.0, 0.5, 3.0, 0.0, 1.5];
            let mut x = b;
            matrix.solve(&mut x);
            for i in 0..6 {
                let sum: f64 = (0..6).map(|j| entry(i, j) * x[j]).sum();
                assert!((sum - b[i]).abs() < 1e-14, "{i}");
            }
        }
    }

    #[test]
    fn a_dependent_row_is_found() {
        // Row 2 is the sum of rows 0 and 1.
        let a = [[2.0, 0.5, 2.5], [0.5, 1.0, 1.5], [2.5, 1.5, 4.0]];
        let mut matrix = Skyline::new(RowOrder { order: vec![0, 1, 2], first: vec![0, 0, 0] });
        let found = matrix.factorise(|i, j| a[i][j], above(1e-12));
        assert_eq!(found, Err(Dependent { row: 2 }));
    }
}
