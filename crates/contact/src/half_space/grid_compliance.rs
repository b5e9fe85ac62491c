//! The compliance of a body on a grid, with the weights that made it.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use nalgebra::{Matrix3, Vector3};

use super::Directions;
use super::weights::Fallback;

/// The compliance of a body on a grid.
#[derive(Debug, Clone)]
pub struct GridCompliance {
    /// C: normal displacements into the body, n × n, or with tangents 3n × 3n \[m/N\].
    pub matrix: Mat<f64>,
    /// Places that take part.
    pub places: Vec<usize>,
    /// c, places × cells.
    pub weights: Mat<f64>,
    /// ∂c/∂x and ∂c/∂y over the position of the cells in the plane \[1/m\].
    pub gradients: [Mat<f64>; 2],
    /// Inward normal and two tangents of each cell as rows, in the axes of the body.
    pub frames: Vec<Matrix3<f64>>,
    /// Part A − H of the places, in the order of `places`: 3 × 3 blocks in the axes of the body \[m/N\].
    pub far: Mat<f64>,
    /// Cells with linear weights and the reason of the first of them; all cells after a fallback.
    pub linear: Option<(usize, Fallback)>,
    /// Largest share of a cell's weights, Σ|c| over loads that an edge cuts. Above ½ the contact is nearer to
    /// the edge than r₀, and the edge's part of the compliance is not resolved.
    pub cut_share: f64,
    /// Smallest pivot of `matrix` scaled to unit diagonal.
    pub pivot: f64,
}

impl GridCompliance {
    /// Modes at the middles of the cells, Σ_j c_j ⟨s_j, φ⟩: three rows for each cell in the axes of the body,
    /// one column for each mode. Its transpose makes modal forces of forces on the cells.
    ///
    /// * `values` — of the modes at all places, 3 rows each, in the axes of the body
    ///
    /// # Panics
    ///
    /// If the values lack rows of a place.
    pub fn modal_values(&self, values: &Mat<f64>) -> Mat<f64> {
        Mat::from_fn(3 * self.frames.len(), values.ncols(), |i, k| {
            let of_place =
                |(row, j): (usize, &usize)| self.weights[(row, i / 3)] * values[(3 * j + i % 3, k)];
            self.places.iter().enumerate().map(of_place).sum()
        })
    }

    /// The force along the plane on the cells, because the compliance changes where they move:
    /// −∂(½ fᵀ C f)/∂x \[N\].
    ///
    /// Without it the work on a contact that wanders over the surface is not that of the stored energy.
    pub fn wandering_force(&self, force: &[f64]) -> [f64; 2] {
        let loads = self.spread(&self.weights, force);
        let n = loads.len();
        let answer: Vec<f64> =
            (0..n).map(|i| (0..n).map(|k| self.far[(i, k)] * loads[k]).sum::<f64>()).collect();
        [0, 1].map(|a| {
            let change = self.spread(&self.gradients[a], force);
            -change.iter().zip(&answer).map(|(c, u)| c * u).sum::<f64>()
        })
    }

    /// Σ_cells c f in the axes of the body, three numbers for each place.
    fn spread(&self, weights: &Mat<f64>, force: &[f64]) -> Vec<f64> {
        let stride = force.len() / self.frames.len().max(1);
        let mut loads = vec![0.0; 3 * weights.nrows()];
        for (cell, frame) in self.frames.iter().enumerate() {
            let of_cell = &force[stride * cell..stride * (cell + 1)];
            let along: Vector3<f64> = (0..stride).map(|r| of_cell[r] * frame.row(r).transpose()).sum();
            for (load, weight) in loads.chunks_exact_mut(3).zip(weights.col_as_slice(cell)) {
                (0..3).for_each(|a| load[a] += weight * along[a]);
            }
        }
        loads
    }
}

/// Weights times the directions of the cells: three rows for each place, and one column or three for each
/// cell.
pub(super) fn along_frames(weights: &Mat<f64>, frames: &[Matrix3<f64>], directions: Directions) -> Mat<f64> {
    let stride = if directions == Directions::All { 3 } else { 1 };
    Mat::from_fn(3 * weights.nrows(), stride * frames.len(), |i, k| {
        weights[(i / 3, k / stride)] * frames[k / stride][(k % stride, i % 3)]
    })
}

/// Wᵀ D W, made symmetric to the last bit.
pub(super) fn sandwiched(wide: &Mat<f64>, far: &Mat<f64>) -> Mat<f64> {
    // Serial products: the matrices are small, and sums keep their order on any number of threads.
    let mut answer = Mat::zeros(far.nrows(), wide.ncols());
    matmul(answer.as_mut(), Accum::Replace, far.as_ref(), wide.as_ref(), 1.0, Par::Seq);
    let mut product = Mat::zeros(wide.ncols(), wide.ncols());
    matmul(product.as_mut(), Accum::Replace, wide.transpose(), answer.as_ref(), 1.0, Par::Seq);
    Mat::from_fn(product.nrows(), product.ncols(), |i, k| 0.5 * (product[(i, k)] + product[(k, i)]))
}
