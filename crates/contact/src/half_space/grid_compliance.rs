//! The compliance of a body on a grid, with the weights that made it.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use nalgebra::Vector3;

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
    /// Part A − H of the places, in the order of `places`.
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
    /// Forces of the loads at [`Self::places`] that forces on the cells make, c f; three for each place if
    /// there are three for each cell.
    pub fn spread(&self, force: &[f64]) -> Vec<f64> {
        combined(&self.weights, force)
    }

    /// Displacement of the cells into the body by modes, cᵀ φ with φ_j = −⟨s_j, n·φ⟩: one row for each cell,
    /// one column for each mode. Its transpose makes modal forces of forces on the cells.
    ///
    /// * `values` — of the modes at all places, 3 rows each, in the axes of the body
    /// * `normal` — out of the body
    ///
    /// # Panics
    ///
    /// If the values lack rows of a place.
    pub fn modal_rows(&self, values: &Mat<f64>, normal: &Vector3<f64>) -> Mat<f64> {
        let of_place = Mat::from_fn(self.places.len(), values.ncols(), |row, k| {
            -(0..3).map(|a| normal[a] * values[(3 * self.places[row] + a, k)]).sum::<f64>()
        });
        self.weights.transpose() * of_place
    }

    /// The force along the plane on the cells, because the compliance changes where they move:
    /// −∂(½ fᵀ C f)/∂x \[N\].
    ///
    /// Without it the work on a contact that wanders over the surface is not that of the stored energy.
    pub fn wandering_force(&self, force: &[f64]) -> [f64; 2] {
        let loads = self.spread(force);
        let n = loads.len();
        let answer: Vec<f64> =
            (0..n).map(|i| (0..n).map(|k| self.far[(i, k)] * loads[k]).sum::<f64>()).collect();
        [0, 1].map(|a| {
            let change = combined(&self.gradients[a], force);
            -change.iter().zip(&answer).map(|(c, u)| c * u).sum::<f64>()
        })
    }
}

/// Σ_cells c f with one or three components.
fn combined(weights: &Mat<f64>, force: &[f64]) -> Vec<f64> {
    let (places, cells) = (weights.nrows(), weights.ncols());
    let stride = force.len() / cells.max(1);
    let one = |m: usize| {
        let (place, a) = (m / stride, m % stride);
        (0..cells).map(|cell| weights[(place, cell)] * force[stride * cell + a]).sum::<f64>()
    };
    (0..places * stride).map(one).collect()
}

/// cᵀ D c, made symmetric to the last bit; D has one or three rows for each place.
pub(super) fn sandwiched(weights: &Mat<f64>, far: &Mat<f64>) -> Mat<f64> {
    let stride = far.nrows() / weights.nrows().max(1);
    let wide = if stride == 1 {
        weights.clone()
    } else {
        Mat::from_fn(stride * weights.nrows(), stride * weights.ncols(), |i, k| {
            if i % stride == k % stride { weights[(i / stride, k / stride)] } else { 0.0 }
        })
    };
    // Serial products: the matrices are small, and sums keep their order on any number of threads.
    let mut answer = Mat::zeros(far.nrows(), wide.ncols());
    matmul(answer.as_mut(), Accum::Replace, far.as_ref(), wide.as_ref(), 1.0, Par::Seq);
    let mut product = Mat::zeros(wide.ncols(), wide.ncols());
    matmul(product.as_mut(), Accum::Replace, wide.transpose(), answer.as_ref(), 1.0, Par::Seq);
    Mat::from_fn(product.nrows(), product.ncols(), |i, k| 0.5 * (product[(i, k)] + product[(k, i)]))
}
