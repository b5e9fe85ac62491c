//! Small linear systems with redundant equations, as of two contacts at one place or of the four feet of a
//! block.

/// A pivot below this fraction of the largest one belongs to a redundant equation.
const REDUNDANT: f64 = 1e-10;

/// Solves A x = b by elimination with complete pivoting; unknowns whose equations repeat others are set to
/// zero.
///
/// * `matrix` — A, n × n, row by row, overwritten
/// * `values` — b at entry, x at exit
/// * `columns` — room for n numbers
pub(crate) fn solve(matrix: &mut [f64], values: &mut [f64], columns: &mut Vec<usize>) {
    let n = values.len();
    columns.clear();
    columns.extend(0..n);
    let mut largest = 0.0_f64;
    let mut rank = n;
    for k in 0..n {
        let Some((row, column, pivot)) = largest_entry(matrix, n, k) else {
            rank = k;
            break;
        };
        largest = largest.max(pivot);
        if pivot <= REDUNDANT * largest {
            rank = k;
            break;
        }
        for j in 0..n {
            matrix.swap(k * n + j, row * n + j);
        }
        values.swap(k, row);
        for i in 0..n {
            matrix.swap(i * n + k, i * n + column);
        }
        columns.swap(k, column);
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n + k..];
        for (i, row) in (k + 1..n).zip(below.chunks_exact_mut(n)) {
            let row = &mut row[k..];
            let factor = row[0] / pivot_row[0];
            for (entry, pivot) in row.iter_mut().zip(pivot_row) {
                *entry -= factor * pivot;
            }
            values[i] -= factor * values[k];
        }
    }
    values[rank..].fill(0.0);
    for i in (0..rank).rev() {
        let sum: f64 = (i + 1..rank).map(|j| matrix[i * n + j] * values[j]).sum();
        values[i] = (values[i] - sum) / matrix[i * n + i];
    }
    // Back to the order of the unknowns.
    for k in 0..n {
        while columns[k] != k {
            let to = columns[k];
            values.swap(k, to);
            columns.swap(k, to);
        }
    }
}

/// The rows of a symmetric positive semi-definite matrix that those before them determine, ascending, by
/// Cholesky's method without pivoting.
///
/// * `matrix` — n × n with a diagonal of ones, overwritten
pub(crate) fn dependent(matrix: &mut [f64], n: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for k in 0..n {
        let pivot = matrix[k * n + k];
        // The diagonal of ones has become the squared distance of the row from those before it.
        let is_independent = pivot > REDUNDANT;
        if !is_independent {
            found.push(k);
            continue;
        }
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        for row in below.chunks_exact_mut(n) {
            let factor = row[k] / pivot;
            row.iter_mut().zip(pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    found
}

/// The largest entry of the rows and columns from k on.
fn largest_entry(matrix: &[f64], n: usize, k: usize) -> Option<(usize, usize, f64)> {
    let mut largest = (k, k, 0.0_f64);
    for (i, row) in matrix.chunks_exact(n).enumerate().skip(k) {
        for (j, entry) in row.iter().enumerate().skip(k) {
            // NaN stays the largest.
            if entry.abs() >= largest.2 || entry.is_nan() {
                largest = (i, j, entry.abs());
            }
        }
    }
    (largest.2 > 0.0 && largest.2.is_finite()).then_some(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_system_is_solved() {
        let a = [0.0, 2.0, 1.0, 1.0, -1.0, 3.0, 4.0, 0.5, -2.0];
        let x = [1.5, -2.0, 0.25];
        let mut b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[3 * i + j] * x[j]).sum()).collect();
        solve(&mut a.clone(), &mut b, &mut Vec::new());
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-15), "{b:?}");
    }

    #[test]
    fn rows_that_earlier_ones_determine_are_found() {
        // Gram matrix of the unit vectors along x, xy, y, z, yz: the third and the last are sums of others.
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let rows = [[1.0, 0.0, 0.0], [h, h, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, h, h]];
        let dot = |a: usize, b: usize| (0..3).map(|k| rows[a][k] * rows[b][k]).sum::<f64>();
        let mut matrix: Vec<f64> = (0..25).map(|k| dot(k / 5, k % 5)).collect();
        assert_eq!(dependent(&mut matrix, 5), [2, 4]);
    }

    #[test]
    fn repeated_equations_are_left_out() {
        // Rows and columns 0 and 2 repeat one contact.
        let a = [2.0, 1.0, 2.0, 1.0, 3.0, 1.0, 2.0, 1.0, 2.0];
        let mut x = [4.0, 7.0, 4.0];
        solve(&mut a.clone(), &mut x, &mut Vec::new());
        let product = |i: usize| (0..3).map(|j| a[3 * i + j] * x[j]).sum::<f64>();
        assert!((product(0) - 4.0).abs() < 1e-14 && (product(1) - 7.0).abs() < 1e-14);
        assert_eq!(x[0] * x[2], 0.0);
    }
}
