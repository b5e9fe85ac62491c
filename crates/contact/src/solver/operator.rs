//! The matrix of a complementarity problem: dense, sparse, or only its product with a vector.

use carom_linalg::sparse::CsMatI;

use super::LcpError;

/// The square matrix M of a complementarity problem.
pub trait Operator {
    /// Number of unknowns.
    fn n(&self) -> usize;

    /// y = M x; both of length n.
    fn apply_into(&self, x: &[f64], y: &mut [f64]);

    /// M_ii of all rows, length n: the preconditioner of conjugate gradients.
    fn diagonal_into(&self, diagonal: &mut [f64]);

    /// The entries, where they are at hand; methods that pivot, factorise or relax row by row need them.
    fn entries(&self) -> Entries<'_> {
        Entries::Product
    }
}

/// Size of M: its largest |M_ij|, of products alone its largest |M_ii|; 1 where all are zero. It turns z into
/// units of w.
///
/// * `diagonal` — memory of length n
pub(super) fn size(m: &dyn Operator, diagonal: &mut [f64]) -> f64 {
    let largest = match m.entries() {
        Entries::Dense(m) => largest(m.values.iter().copied()),
        Entries::Sparse(m) => largest(m.rows.data().iter().copied()),
        Entries::Product => {
            m.diagonal_into(diagonal);
            largest(diagonal.iter().copied())
        }
    };
    if largest > 0.0 { largest } else { 1.0 }
}

/// How the entries of an [`Operator`] are stored.
#[derive(Debug, Clone, Copy)]
pub enum Entries<'a> {
    /// All of them.
    Dense(&'a Dense),
    /// Those that are not zero.
    Sparse(&'a Sparse),
    /// Unknown: only products are.
    Product,
}

/// All n × n entries, row by row.
#[derive(Debug, Clone, Default)]
pub struct Dense {
    n: usize,
    values: Vec<f64>,
}

impl Dense {
    /// From n × n values, row by row.
    ///
    /// # Errors
    ///
    /// [`LcpError::Size`] for another number of values, [`LcpError::NotFinite`] for NaN or ∞.
    pub fn new(n: usize, values: Vec<f64>) -> Result<Self, LcpError> {
        if n.checked_mul(n) != Some(values.len()) {
            return Err(LcpError::Size { rows: n, columns: n, length: values.len() });
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            return Err(LcpError::NotFinite { row: k / n, column: k % n });
        }
        Ok(Self { n, values })
    }

    /// Sets all entries anew, in the memory that it has.
    ///
    /// * `entry` — value at (row, column)
    ///
    /// # Errors
    ///
    /// [`LcpError::NotFinite`] for NaN or ∞.
    pub fn fill(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) -> Result<(), LcpError> {
        self.n = n;
        self.values.clear();
        self.values.extend((0..n * n).map(|k| entry(k / n, k % n)));
        match self.values.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(LcpError::NotFinite { row: k / n, column: k % n }),
            None => Ok(()),
        }
    }

    /// Columns of row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// Entry (row, column).
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.n + j]
    }

    /// Whether M = Mᵀ to 1e-14 of the larger diagonal entry.
    pub fn is_symmetric(&self) -> bool {
        (0..self.n).all(|i| {
            (0..i).all(|j| {
                let scale = self.at(i, i).abs().max(self.at(j, j).abs());
                (self.at(i, j) - self.at(j, i)).abs() <= 1e-14 * scale
            })
        })
    }
}

impl Operator for Dense {
    fn n(&self) -> usize {
        self.n
    }

    fn apply_into(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = dot(self.row(i), x);
        }
    }

    fn diagonal_into(&self, diagonal: &mut [f64]) {
        (0..self.n).for_each(|i| diagonal[i] = self.at(i, i));
    }

    fn entries(&self) -> Entries<'_> {
        Entries::Dense(self)
    }
}

/// Entries that are not zero, in compressed rows: square, finite, columns ascending.
#[derive(Debug, Clone)]
pub struct Sparse {
    rows: CsMatI<f64, u32, usize>,
}

impl Default for Sparse {
    fn default() -> Self {
        Self { rows: CsMatI::zero((0, 0)) }
    }
}

impl Sparse {
    /// From triplets (row, column, value) in any order; values at the same place are added.
    ///
    /// # Errors
    ///
    /// [`LcpError::Size`] for a row or column beyond n, [`LcpError::NotFinite`] for NaN or ∞.
    pub fn new(n: usize, triplets: &[(usize, usize, f64)]) -> Result<Self, LcpError> {
        for &(row, column, value) in triplets {
            if row >= n || column >= n {
                return Err(LcpError::Size { rows: n, columns: n, length: row.max(column) + 1 });
            }
            if !value.is_finite() {
                return Err(LcpError::NotFinite { row, column });
            }
        }
        let mut sorted = triplets.to_vec();
        sorted.sort_by_key(|&(row, column, _)| (row, column));
        let (mut starts, mut columns, mut values) = (vec![0; n + 1], Vec::new(), Vec::<f64>::new());
        let mut last = None;
        for (row, column, value) in sorted {
            if last == Some((row, column)) {
                *values.last_mut().expect("there was a last entry") += value;
            } else {
                columns.push(column as u32);
                values.push(value);
                starts[row + 1] += 1;
            }
            last = Some((row, column));
        }
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        Ok(Self { rows: CsMatI::new((n, n), starts, columns, values) })
    }

    /// Columns and values of row `i`, columns ascending.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.rows.indptr().outer_inds_sz(i);
        (&self.rows.indices()[range.clone()], &self.rows.data()[range])
    }

    /// Entry (row, column).
    pub fn at(&self, i: usize, j: usize) -> f64 {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).map_or(0.0, |k| values[k])
    }

    /// Number of stored entries.
    pub fn n_entries(&self) -> usize {
        self.rows.nnz()
    }

    /// Whether M = Mᵀ to 1e-14 of the larger diagonal entry.
    pub fn is_symmetric(&self) -> bool {
        (0..self.n()).all(|i| {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).all(|(&j, value)| {
                let j = j as usize;
                let scale = self.at(i, i).abs().max(self.at(j, j).abs());
                (value - self.at(j, i)).abs() <= 1e-14 * scale
            })
        })
    }
}

impl Operator for Sparse {
    fn n(&self) -> usize {
        self.rows.rows()
    }

    fn apply_into(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.row_times(i, x);
        }
    }

    fn diagonal_into(&self, diagonal: &mut [f64]) {
        (0..self.n()).for_each(|i| diagonal[i] = self.at(i, i));
    }

    fn entries(&self) -> Entries<'_> {
        Entries::Sparse(self)
    }
}

impl Sparse {
    fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).map(|(&j, value)| value * x[j as usize]).sum()
    }
}

impl Entries<'_> {
    /// Entry (row, column); `None` where only products are known.
    pub fn at(&self, i: usize, j: usize) -> Option<f64> {
        match self {
            Self::Dense(m) => Some(m.at(i, j)),
            Self::Sparse(m) => Some(m.at(i, j)),
            Self::Product => None,
        }
    }

    /// Row i times x; `None` where only products are known.
    pub fn row_times(&self, i: usize, x: &[f64]) -> Option<f64> {
        match self {
            Self::Dense(m) => Some(dot(m.row(i), x)),
            Self::Sparse(m) => Some(m.row_times(i, x)),
            Self::Product => None,
        }
    }

    /// Whether the entries are known and symmetric.
    pub fn are_symmetric(&self) -> bool {
        match self {
            Self::Dense(m) => m.is_symmetric(),
            Self::Sparse(m) => m.is_symmetric(),
            Self::Product => false,
        }
    }
}

/// w = M z + q.
pub(super) fn product_plus(m: &dyn Operator, q: &[f64], z: &[f64], w: &mut [f64]) {
    m.apply_into(z, w);
    w.iter_mut().zip(q).for_each(|(w, q)| *w += q);
}

/// Sum of products in eight lanes of fixed order.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks_a, chunks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = chunks_a.remainder().iter().zip(chunks_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in chunks_a.zip(chunks_b) {
        (0..8).for_each(|k| lanes[k] += a[k] * b[k]);
    }
    lanes.iter().sum::<f64>() + rest
}

/// Largest absolute value; NaN if there is one.
pub(super) fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |a: f64, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b.abs()) })
}
