//! Size and signs of the factors of a symmetric matrix.

use faer::sparse::linalg::cholesky::supernodal::SupernodalIntranodeLbltRef;

use super::Inertia;

type Factors<'a> = SupernodalIntranodeLbltRef<'a, usize, f64>;

/// ‖ |L| |D| |Lᵀ| ‖∞, the bound of rounding in L D Lᵀ; infinite or not a number if a pivot is zero.
pub(super) fn of_factors(factors: Factors<'_>, subdiagonal: &[f64]) -> f64 {
    let (_, inverse) = factors.perm().arrays();
    let mut sums = vec![0.0_f64; subdiagonal.len()];
    for s in 0..factors.symbolic().n_supernodes() {
        let supernode = factors.supernode(s);
        let (l, start) = (supernode.val(), supernode.start());
        let n_cols = l.ncols();
        let place = |i: usize| if i < n_cols { start + i } else { inverse[supernode.pattern()[i - n_cols]] };
        // t = |Lᵀ| 1 of these columns.
        let t: Vec<f64> =
            (0..n_cols).map(|j| 1.0 + (j + 1..l.nrows()).map(|i| l[(i, j)].abs()).sum::<f64>()).collect();
        for j in 0..n_cols {
            // u = |D| t.
            let mut u = l[(j, j)].abs() * t[j];
            if subdiagonal[start + j] != 0.0 {
                u += subdiagonal[start + j].abs() * t[j + 1];
            }
            if j > 0 && subdiagonal[start + j - 1] != 0.0 {
                u += subdiagonal[start + j - 1].abs() * t[j - 1];
            }
            sums[start + j] += u;
            (j + 1..l.nrows()).for_each(|i| sums[place(i)] += l[(i, j)].abs() * u);
        }
    }
    sums.iter().fold(0.0, |a: f64, &b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
}

/// Signs of the eigenvalues of the blocks of D.
pub(super) fn inertia(factors: Factors<'_>, subdiagonal: &[f64]) -> Inertia {
    let mut inertia = Inertia::default();
    let mut count = |is_positive: bool| {
        if is_positive {
            inertia.positive += 1;
        } else {
            inertia.negative += 1;
        }
    };
    for s in 0..factors.symbolic().n_supernodes() {
        let supernode = factors.supernode(s);
        let (l, start) = (supernode.val(), supernode.start());
        let mut j = 0;
        while j < l.ncols() {
            let d = subdiagonal[start + j];
            if d == 0.0 {
                count(l[(j, j)] > 0.0);
                j += 1;
            } else {
                // The eigenvalues have the signs of the trace, or different ones if |d| is large.
                let (a, b) = (l[(j, j)], l[(j + 1, j + 1)]);
                let have_one_sign = a / d * (b / d) > 1.0;
                count(!have_one_sign || a > 0.0);
                count(have_one_sign && a > 0.0);
                j += 2;
            }
        }
    }
    inertia
}
