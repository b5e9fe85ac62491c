//! From values at the quadrature points of a cell to a value at any of its points.

use carom_mesh::{CellShape, lagrange};
use faer::Mat;

use crate::Cells;
use crate::internal_force::{PointRule, PointStress};
use crate::quadrature::{QuadratureRule, gauss_legendre, spline_points};
use crate::stress::Stress;

/// Functions through values at the quadrature points of the cells of a block.
///
/// ```text
/// mesh:   s(ξ) = s̄ + (N(ξ) − N̄)ᵀ A⁺ (s − s̄),   A_qi = N_i(ξ_q) − N̄_i
/// NURBS:  s(ξ) = Σ_q l_q(ξ) s_q
/// ```
///
/// with the functions N of the linear cell of the kind, means over the points barred, and the polynomials l_q
/// that are 1 at one Gauss point and 0 at the others. A constant is reproduced by any rule, a linear function
/// where the points determine it.
#[derive(Debug, Clone)]
pub struct PointFit(Fit);

#[derive(Debug, Clone)]
enum Fit {
    /// Least squares.
    Linear {
        shape: CellShape,
        /// N̄.
        mean: Vec<f64>,
        /// A⁺, functions × points.
        inverse: Mat<f64>,
    },
    /// Gauss points of each direction.
    Lattice([Vec<f64>; 3]),
}

impl PointFit {
    /// The fit of the cells of a block.
    pub fn new(cells: &Cells, rule: PointRule) -> Self {
        match cells {
            Cells::Lagrange { shape, .. } => {
                let linear = shape.table().linear;
                let points = PointStress::quadrature_points(cells, rule);
                let (n, n_points) = (linear.n_nodes(), points.len());
                let mut values = vec![vec![0.0; n]; n_points];
                values.iter_mut().zip(&points).for_each(|(row, &xi)| lagrange::values_into(linear, xi, row));
                let mean: Vec<f64> =
                    (0..n).map(|i| values.iter().map(|row| row[i]).sum::<f64>() / n_points as f64).collect();
                let matrix = Mat::from_fn(n_points, n, |q, i| values[q][i] - mean[i]);
                let inverse = if n_points > 1 {
                    matrix.svd().expect("a small finite matrix").pseudoinverse()
                } else {
                    Mat::zeros(n, 1)
                };
                Self(Fit::Linear { shape: linear, mean, inverse })
            }
            Cells::Spline(cells) => {
                let rule = match rule {
                    PointRule::Cell(rule) => rule,
                    _ => QuadratureRule::Default,
                };
                Self(Fit::Lattice(cells.degrees.map(|p| gauss_legendre(spline_points(p, rule)).0)))
            }
        }
    }

    /// Factors of the values at the quadrature points in the value at ξ.
    pub fn row(&self, xi: [f64; 3]) -> Vec<f64> {
        match &self.0 {
            Fit::Linear { shape, mean, inverse } => {
                let mut values = vec![0.0; mean.len()];
                lagrange::values_into(*shape, xi, &mut values);
                let n_points = inverse.ncols();
                let slopes: Vec<f64> = (0..n_points)
                    .map(|q| (0..mean.len()).map(|i| (values[i] - mean[i]) * inverse[(i, q)]).sum())
                    .collect();
                // A⁺ (s − s̄): the mean is subtracted from each factor.
                let mean_slope = slopes.iter().sum::<f64>() / n_points as f64;
                slopes.iter().map(|slope| slope - mean_slope + 1.0 / n_points as f64).collect()
            }
            Fit::Lattice(points) => {
                let [x, y, z]: [Vec<f64>; 3] = std::array::from_fn(|d| polynomials(&points[d], xi[d]));
                let n = x.len() * y.len() * z.len();
                let place = |q: usize| [q % x.len(), q / x.len() % y.len(), q / (x.len() * y.len())];
                (0..n).map(place).map(|[i, j, k]| x[i] * y[j] * z[k]).collect()
            }
        }
    }

    /// The stress by a row of factors.
    pub fn sum(row: &[f64], stresses: &[Stress]) -> Stress {
        let mut sum = [0.0; 6];
        for (factor, stress) in row.iter().zip(stresses) {
            (0..6).for_each(|c| sum[c] += factor * stress[c]);
        }
        sum
    }
}

/// The polynomials that are 1 at one of the points and 0 at the others, at t.
fn polynomials(points: &[f64], t: f64) -> Vec<f64> {
    let of = |q: usize| {
        let others = points.iter().enumerate().filter(|(k, _)| *k != q);
        others.map(|(_, x)| (t - x) / (points[q] - x)).product()
    };
    (0..points.len()).map(of).collect()
}
