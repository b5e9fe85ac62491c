//! The entries of a square matrix in compressed columns, with scales of its rows and columns.

use sprs::CsMatView;

use super::{SparseError, Symmetric};

/// Passes of scaling: each takes the square root of the largest entry of a row and of a column.
const PASSES: usize = 3;

/// Largest exponent of a scale.
const MAX_EXPONENT: f64 = 900.0;

/// A square matrix A in compressed columns, with scales R and C for which R A C has entries near 1.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    pub(super) n: usize,
    /// Start of each column, n + 1.
    pub(super) starts: Vec<usize>,
    /// Row of each entry, ascending in a column.
    pub(super) rows: Vec<usize>,
    /// Entries of A.
    pub(super) values: Vec<f64>,
    /// Entries of R A C.
    pub(super) scaled: Vec<f64>,
    /// R and C, powers of two.
    pub(super) scales: [Vec<f64>; 2],
    /// Place of each entry of the caller's matrix, and of its mirror image in a symmetric one.
    places: Vec<[usize; 2]>,
    is_symmetric: bool,
}

impl Columns {
    /// The pattern of a general matrix; values are zero.
    pub(super) fn general(matrix: &CsMatView<'_, f64>) -> Result<Self, SparseError> {
        let (rows, columns) = matrix.shape();
        if rows != columns {
            return Err(SparseError::NotSquare { rows, columns });
        }
        Ok(Self::new(matrix, false))
    }

    /// The pattern of both triangles of a symmetric matrix; values are zero.
    pub(super) fn symmetric(matrix: &Symmetric) -> Self {
        Self::new(&matrix.lower(), true)
    }

    fn new(matrix: &CsMatView<'_, f64>, is_symmetric: bool) -> Self {
        let n = matrix.rows();
        let both = |(row, column): (usize, usize)| {
            let mirror = (is_symmetric && row != column).then_some((column, row));
            std::iter::once((row, column)).chain(mirror)
        };
        let mut starts = vec![0; n + 1];
        for (_, place) in matrix {
            both(place).for_each(|(_, column)| starts[column + 1] += 1);
        }
        (0..n).for_each(|j| starts[j + 1] += starts[j]);
        let n_entries = starts[n];
        let mut next = starts.clone();
        let mut rows = vec![0; n_entries];
        let mut places = vec![[usize::MAX; 2]; matrix.nnz()];
        // The rows of a column come in ascending order: those of mirrored entries when their own row is
        // read, the others later.
        for (places, (_, place)) in places.iter_mut().zip(matrix) {
            for (out, (row, column)) in places.iter_mut().zip(both(place)) {
                rows[next[column]] = row;
                *out = next[column];
                next[column] += 1;
            }
        }
        let scales = [vec![1.0; n], vec![1.0; n]];
        let values = vec![0.0; n_entries];
        Self { n, starts, rows, scaled: values.clone(), values, scales, places, is_symmetric }
    }

    /// Takes the values of a matrix of the same pattern and scales them.
    pub(super) fn load(&mut self, matrix: &CsMatView<'_, f64>) -> Result<(), SparseError> {
        self.check_pattern(matrix)?;
        for (places, (&value, (row, column))) in self.places.iter().zip(matrix) {
            if !value.is_finite() {
                return Err(SparseError::NotFinite { row, column, value });
            }
            self.values[places[0]] = value;
            if places[1] != usize::MAX {
                self.values[places[1]] = value;
            }
        }
        self.scale();
        Ok(())
    }

    fn check_pattern(&self, matrix: &CsMatView<'_, f64>) -> Result<(), SparseError> {
        let is_same = matrix.shape() == (self.n, self.n)
            && matrix.nnz() == self.places.len()
            && self.places.iter().zip(matrix).all(|(&[place, _], (_, (row, column)))| {
                self.rows[place] == row && (self.starts[column]..self.starts[column + 1]).contains(&place)
            });
        if is_same {
            return Ok(());
        }
        Err(SparseError::Pattern {
            n: matrix.rows(),
            n_entries: matrix.nnz(),
            n_analysed: self.n,
            n_entries_analysed: self.places.len(),
        })
    }

    /// Scales rows and columns by powers of two so that their largest entries are near 1 (Ruiz).
    pub(super) fn scale(&mut self) {
        self.scaled.copy_from_slice(&self.values);
        self.scales.iter_mut().for_each(|scales| scales.fill(1.0));
        let mut largest = [vec![0.0_f64; self.n], vec![0.0_f64; self.n]];
        for _ in 0..PASSES {
            largest.iter_mut().for_each(|sizes| sizes.fill(0.0));
            for j in 0..self.n {
                for e in self.starts[j]..self.starts[j + 1] {
                    let size = self.scaled[e].abs();
                    let i = self.rows[e];
                    largest[0][i] = largest[0][i].max(size);
                    largest[1][j] = largest[1][j].max(size);
                }
            }
            for (scales, sizes) in self.scales.iter_mut().zip(&mut largest) {
                for (scale, size) in scales.iter_mut().zip(sizes) {
                    *size = root_of_inverse(*size);
                    *scale *= *size;
                }
            }
            for j in 0..self.n {
                for e in self.starts[j]..self.starts[j + 1] {
                    self.scaled[e] *= largest[0][self.rows[e]] * largest[1][j];
                }
            }
        }
    }

    /// Rows and values of column `j` of A.
    pub(super) fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[j]..self.starts[j + 1];
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// Whether the matrix has two triangles of the same values.
    pub(super) fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// Largest sum of magnitudes of a column of the scaled matrix, its norm of 1.
    pub(super) fn scaled_norm(&self) -> f64 {
        let column = |j| self.scaled[self.starts[j]..self.starts[j + 1]].iter().map(|x: &f64| x.abs()).sum();
        (0..self.n).map(column).fold(0.0, f64::max)
    }

    /// y = R A C x, or of its transpose.
    pub(super) fn scaled_product(&self, x: &[f64], y: &mut [f64], is_transposed: bool) {
        y.fill(0.0);
        for j in 0..self.n {
            for e in self.starts[j]..self.starts[j + 1] {
                let i = self.rows[e];
                if is_transposed {
                    y[j] += self.scaled[e] * x[i];
                } else {
                    y[i] += self.scaled[e] * x[j];
                }
            }
        }
    }
}

/// A power of two near 1 / √size; 1 for a row of zeros.
fn root_of_inverse(size: f64) -> f64 {
    if size > 0.0 { (-0.5 * size.log2()).round().clamp(-MAX_EXPONENT, MAX_EXPONENT).exp2() } else { 1.0 }
}
