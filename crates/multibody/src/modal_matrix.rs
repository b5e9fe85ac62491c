//! Matrices over the modes of a body: most of them are diagonal, since modes uncouple mass and stiffness.

use std::ops::Index;

use nalgebra::DMatrix;

/// A symmetric n × n matrix, diagonal where that is all there is of it.
#[derive(Debug, Clone, PartialEq)]
pub enum ModalMatrix {
    /// Its diagonal; everything else is zero.
    Diagonal(Vec<f64>),
    /// All of it.
    Full(DMatrix<f64>),
}

impl ModalMatrix {
    /// Number of rows.
    pub fn n(&self) -> usize {
        match self {
            Self::Diagonal(diagonal) => diagonal.len(),
            Self::Full(matrix) => matrix.nrows(),
        }
    }

    /// (A x)_k.
    pub fn row_times(&self, k: usize, x: &[f64]) -> f64 {
        match self {
            Self::Diagonal(diagonal) => diagonal[k] * x[k],
            // The column is the row, and lies in one piece.
            Self::Full(matrix) => matrix.column(k).iter().zip(x).map(|(a, x)| a * x).sum(),
        }
    }

    /// xᵀ A x.
    pub fn square(&self, x: &[f64]) -> f64 {
        (0..x.len().min(self.n())).map(|k| x[k] * self.row_times(k, x)).sum()
    }

    /// Writes column k to `out`.
    pub fn write_column(&self, k: usize, out: &mut [f64]) {
        match self {
            Self::Diagonal(diagonal) => {
                out.fill(0.0);
                out[k] = diagonal[k];
            }
            Self::Full(matrix) => out.copy_from_slice(matrix.column(k).as_slice()),
        }
    }

    /// All entries.
    pub fn dense(&self) -> DMatrix<f64> {
        match self {
            Self::Diagonal(diagonal) => {
                DMatrix::from_fn(
                    diagonal.len(),
                    diagonal.len(),
                    |i, j| {
                        if i == j { diagonal[i] } else { 0.0 }
                    },
                )
            }
            Self::Full(matrix) => matrix.clone(),
        }
    }
}

/// The symmetric part of a square matrix.
impl From<DMatrix<f64>> for ModalMatrix {
    fn from(matrix: DMatrix<f64>) -> Self {
        let n = matrix.nrows();
        let is_diagonal = (0..n).all(|j| (0..n).all(|i| i == j || matrix[(i, j)] == 0.0));
        if is_diagonal {
            return Self::Diagonal(matrix.diagonal().as_slice().to_vec());
        }
        Self::Full(0.5 * (&matrix + matrix.transpose()))
    }
}

impl Index<(usize, usize)> for ModalMatrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        match self {
            Self::Diagonal(diagonal) if i == j => &diagonal[i],
            Self::Diagonal(_) => &0.0,
            Self::Full(matrix) => &matrix[(i, j)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_equal_those_of_the_full_matrix_for_every_kept_part() {
        let x = [1.0, -2.0, 0.5];
        let full = DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.0, 1.0, 5.0, -2.0, 0.0, -2.0, 6.0]);
        let diagonal = DMatrix::from_row_slice(3, 3, &[4.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 6.0]);
        for matrix in [full, diagonal] {
            let kept = ModalMatrix::from(matrix.clone());
            let product = &matrix * nalgebra::DVector::from_column_slice(&x);
            let mut column = [f64::NAN; 3];
            for k in 0..3 {
                assert_eq!(kept.row_times(k, &x), product[k]);
                kept.write_column(k, &mut column);
                assert_eq!(column, matrix.column(k).as_slice());
                assert!((0..3).all(|i| kept[(i, k)] == matrix[(i, k)]));
            }
            assert_eq!(kept.square(&x), product.iter().zip(&x).map(|(a, x)| x * a).sum::<f64>());
            assert_eq!(kept.dense(), matrix);
        }
        assert!(matches!(ModalMatrix::from(DMatrix::identity(2, 2)), ModalMatrix::Diagonal(_)));
        let skew = DMatrix::from_row_slice(2, 2, &[1.0, 0.5, 0.3, 1.0]);
        assert_eq!(ModalMatrix::from(skew)[(1, 0)], 0.4);
    }
}
