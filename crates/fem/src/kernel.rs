//! Element matrices of mesh cells: one kernel for every kind; those of NURBS patches are in
//! [`crate::tensor`].
//!
//! With weighted gradients G (3n × q, column k holds √(w det J) ∂R_i/∂x_a at quadrature point k in row a n +
//! i):
//!
//! ```text
//! S = G Gᵀ,   S_ab,ij = Σ_k w det J ∂R_i/∂x_a ∂R_j/∂x_b
//! K_ab,ij = λ S_ab,ij + μ S_ba,ij + μ δ_ab (S_xx + S_yy + S_zz)_ij
//! M_ij = ρ Σ_k w det J R_i R_j
//! ```

use carom_mesh::CellShape;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};

use crate::basis::eval_lagrange;
use crate::evaluator::{determinant, dot};
use crate::quadrature::Quadrature;

/// Products with at most this many rows are summed by plain loops: a call to faer costs more.
const SMALL_ROWS: usize = 30;

/// Shape functions of a kind of cell at the points of a quadrature rule.
#[derive(Debug, Clone)]
pub(crate) struct ShapeTable {
    pub(crate) rule: Quadrature,
    /// Point after point.
    values: Vec<f64>,
    gradients: [Vec<f64>; 3],
}

impl ShapeTable {
    pub(crate) fn new(shape: CellShape, rule: Quadrature) -> Self {
        let n = shape.n_nodes();
        let size = n * rule.points.len();
        let (mut values, mut gradients) =
            (vec![0.0; size], [vec![0.0; size], vec![0.0; size], vec![0.0; size]]);
        let [gx, gy, gz] = &mut gradients;
        for (k, &xi) in rule.points.iter().enumerate() {
            let range = n * k..n * (k + 1);
            let rows = [&mut gx[range.clone()], &mut gy[range.clone()], &mut gz[range.clone()]];
            eval_lagrange(shape, xi, &mut values[range], rows);
        }
        Self { rule, values, gradients }
    }

    /// Functions and their derivatives with respect to ξ at point k of the rule.
    fn load(&self, k: usize, values: &mut [f64], gradients: [&mut [f64]; 3]) {
        let range = values.len() * k..values.len() * (k + 1);
        values.copy_from_slice(&self.values[range.clone()]);
        for (gradient, slope) in gradients.into_iter().zip(&self.gradients) {
            gradient.copy_from_slice(&slope[range.clone()]);
        }
    }
}

/// A point at which a cell is inverted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inverted {
    pub(crate) position: [f64; 3],
    pub(crate) xi: [f64; 3],
    pub(crate) det: f64,
}

/// Work space of the kernel for the cells of one block.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    n: usize,
    values: Vec<f64>,
    gradients: [Vec<f64>; 3],
    gradient_factor: Vec<f64>,
    value_factor: Vec<f64>,
    /// S, 3n × 3n by columns, lower triangle.
    pub(crate) s: Vec<f64>,
    /// M/ρ, n × n by columns, lower triangle.
    pub(crate) m: Vec<f64>,
}

impl Kernel {
    pub(crate) fn new(n: usize, stiffness: &ShapeTable, mass: &ShapeTable) -> Self {
        let (n_stiffness, n_mass) = (stiffness.rule.points.len(), mass.rule.points.len());
        Self {
            n,
            values: vec![0.0; n],
            gradients: std::array::from_fn(|_| vec![0.0; n]),
            gradient_factor: vec![0.0; 3 * n * n_stiffness],
            value_factor: vec![0.0; n * n_mass],
            s: vec![0.0; 9 * n * n],
            m: vec![0.0; n * n],
        }
    }

    /// Fills S and M/ρ of one cell.
    ///
    /// * `coordinates` — x, y, z of the cell's points
    pub(crate) fn compute(
        &mut self,
        tables: [&ShapeTable; 2],
        same_rule: bool,
        coordinates: &[Vec<f64>; 3],
    ) -> Result<(), Inverted> {
        let n = self.n;
        let [stiffness, mass] = tables;
        let n_stiffness = stiffness.rule.points.len();
        for k in 0..n_stiffness {
            let (jacobian, det) = self.map(stiffness, k, coordinates)?;
            let root = (stiffness.rule.weights[k] * det).sqrt();
            self.push_gradients(k, &jacobian, root / det);
            if same_rule {
                self.push_values(k, root);
            }
        }
        let n_mass = mass.rule.points.len();
        if !same_rule {
            for k in 0..n_mass {
                let (_, det) = self.map(mass, k, coordinates)?;
                self.push_values(k, (mass.rule.weights[k] * det).sqrt());
            }
        }
        lower_product(&self.gradient_factor, 3 * n, n_stiffness, &mut self.s);
        lower_product(&self.value_factor, n, n_mass, &mut self.m);
        Ok(())
    }

    /// Functions, J and det J at point k of a rule.
    fn map(
        &mut self,
        table: &ShapeTable,
        k: usize,
        coordinates: &[Vec<f64>; 3],
    ) -> Result<([[f64; 3]; 3], f64), Inverted> {
        let [gx, gy, gz] = &mut self.gradients;
        table.load(k, &mut self.values, [gx, gy, gz]);
        let jacobian: [[f64; 3]; 3] =
            std::array::from_fn(|a| std::array::from_fn(|d| dot(&self.gradients[d], &coordinates[a])));
        let det = determinant(&jacobian);
        // A NaN is rejected too.
        if det > 0.0 && det.is_finite() {
            return Ok((jacobian, det));
        }
        let position = std::array::from_fn(|a| dot(&self.values, &coordinates[a]));
        Err(Inverted { position, xi: table.rule.points[k], det })
    }

    /// Column k of G: `scale` · cof(J) ∂R/∂ξ, where cof(J) / det J = J⁻ᵀ.
    fn push_gradients(&mut self, k: usize, jacobian: &[[f64; 3]; 3], scale: f64) {
        let n = self.n;
        let [gx, gy, gz] = &self.gradients;
        let j = jacobian;
        for a in 0..3 {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let cofactor: [f64; 3] = std::array::from_fn(|d| {
                let (e, f) = ((d + 1) % 3, (d + 2) % 3);
                scale * (j[b][e] * j[c][f] - j[b][f] * j[c][e])
            });
            let column = &mut self.gradient_factor[n * (3 * k + a)..n * (3 * k + a + 1)];
            for i in 0..n {
                column[i] = cofactor[0] * gx[i] + cofactor[1] * gy[i] + cofactor[2] * gz[i];
            }
        }
    }

    /// Column k of the factor of M: `scale` · R.
    fn push_values(&mut self, k: usize, scale: f64) {
        let column = &mut self.value_factor[self.n * k..self.n * (k + 1)];
        for (out, value) in column.iter_mut().zip(&self.values) {
            *out = scale * value;
        }
    }

    /// The block K_ij (row-major) of local points i, j for Lamé's constants.
    pub(crate) fn stiffness_block(&self, i: usize, j: usize, lambda: f64, mu: f64) -> [f64; 9] {
        let (n, rows) = (self.n, 3 * self.n);
        let (low, high) = (i.min(j), i.max(j));
        let diagonal: [f64; 3] = std::array::from_fn(|a| self.s[rows * (a * n + low) + a * n + high]);
        // S_ab,ij with a > b lies below the diagonal; S_ba,ij = S_ab,ji.
        let below = |a: usize, b: usize, i: usize, j: usize| self.s[rows * (b * n + j) + a * n + i];
        let trace = mu * (diagonal[0] + diagonal[1] + diagonal[2]);
        let mut block = [0.0; 9];
        for a in 0..3 {
            block[4 * a] = (lambda + mu) * diagonal[a] + trace;
            for b in 0..a {
                let (s_ab, s_ba) = (below(a, b, i, j), below(a, b, j, i));
                block[3 * a + b] = lambda * s_ab + mu * s_ba;
                block[3 * b + a] = lambda * s_ba + mu * s_ab;
            }
        }
        block
    }

    /// M_ij/ρ of local points i, j.
    pub(crate) fn mass_entry(&self, i: usize, j: usize) -> f64 {
        self.m[self.n * i.min(j) + i.max(j)]
    }
}

/// Lower triangle of A Aᵀ for A (rows × columns, by columns).
fn lower_product(a: &[f64], rows: usize, columns: usize, out: &mut [f64]) {
    if rows <= SMALL_ROWS {
        out.fill(0.0);
        for column in a.chunks_exact(rows) {
            for j in 0..rows {
                let factor = column[j];
                for (sum, x) in out[rows * j + j..rows * (j + 1)].iter_mut().zip(&column[j..]) {
                    *sum += factor * x;
                }
            }
        }
        return;
    }
    let factor = MatRef::from_column_major_slice(a, rows, columns);
    matmul(
        MatMut::from_column_major_slice_mut(out, rows, rows),
        BlockStructure::TriangularLower,
        Accum::Replace,
        factor,
        BlockStructure::Rectangular,
        factor.transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}
