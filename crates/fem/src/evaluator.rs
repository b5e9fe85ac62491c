//! Evaluation of fields and geometry in one cell at a time, without allocation.

use carom_mesh::CellRef;

use crate::basis::CellBasis;
use crate::quadrature::Quadrature;
use crate::{Block, Discretisation};

/// Sum of the products of two rows, in eight interleaved partial sums so that it vectorises.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// The map x(ξ) of a cell at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellPoint {
    /// x \[m\].
    pub position: [f64; 3],
    /// J, entry `[a][d]` = ∂x_a/∂ξ_d \[m\].
    pub jacobian: [[f64; 3]; 3],
    /// det J \[m³\].
    pub det: f64,
}

impl CellPoint {
    /// Derivatives ∂ξ_d/∂x_a in entry `[d][a]`; not finite where det J = 0.
    pub fn inverse(&self) -> [[f64; 3]; 3] {
        let cofactors = self.cofactors();
        std::array::from_fn(|d| std::array::from_fn(|a| cofactors[a][d] / self.det))
    }

    /// Cofactors of J: det J · J⁻ᵀ, entry `[a][d]`. Column d is the vector area of a surface ξ_d = const.
    pub fn cofactors(&self) -> [[f64; 3]; 3] {
        let j = &self.jacobian;
        std::array::from_fn(|a| {
            std::array::from_fn(|d| {
                let (b, c, e, f) = ((a + 1) % 3, (a + 2) % 3, (d + 1) % 3, (d + 2) % 3);
                j[b][e] * j[c][f] - j[b][f] * j[c][e]
            })
        })
    }
}

/// det of a 3×3 matrix.
pub(crate) fn determinant(j: &[[f64; 3]; 3]) -> f64 {
    j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) - j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0])
        + j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0])
}

/// Work space for the functions of one cell at one point. It allocates in [`CellEvaluator::new`] only.
#[derive(Debug, Clone)]
pub struct CellEvaluator<'a> {
    discretisation: &'a Discretisation,
    basis: Option<CellBasis<'a>>,
    n: usize,
    ids: Vec<u32>,
    coordinates: [Vec<f64>; 3],
    values: Vec<f64>,
    gradients: [Vec<f64>; 3],
    physical: [Vec<f64>; 3],
}

impl<'a> CellEvaluator<'a> {
    /// Work space for any cell of the discretisation.
    pub fn new(discretisation: &'a Discretisation) -> Self {
        let n = discretisation.max_cell_points();
        let three = || std::array::from_fn(|_| vec![0.0; n]);
        Self {
            discretisation,
            basis: None,
            n: 0,
            ids: vec![0; n],
            coordinates: three(),
            values: vec![0.0; n],
            gradients: three(),
            physical: three(),
        }
    }

    /// Selects the cell of the following evaluations.
    ///
    /// # Panics
    ///
    /// If the discretisation has no such cell.
    pub fn enter(&mut self, cell: CellRef) {
        let basis = self.discretisation.basis(cell);
        self.n = basis.n_points();
        basis.point_ids_into(&mut self.ids[..self.n]);
        for (k, &id) in self.ids[..self.n].iter().enumerate() {
            let point = self.discretisation.value(id, &self.discretisation.points);
            for d in 0..3 {
                self.coordinates[d][k] = point[d];
            }
        }
        self.basis = Some(basis);
    }

    /// Body points of the cell's functions; hanging ones have numbers from n_points on.
    pub fn ids(&self) -> &[u32] {
        &self.ids[..self.n]
    }

    /// The functions of the cell with the body points that they move: number of the function, point, factor.
    /// Hanging points are those that determine them.
    pub fn terms(&self) -> Vec<(usize, u32, f64)> {
        let n = self.discretisation.n_points();
        let mut terms = Vec::with_capacity(self.n);
        for (function, &id) in self.ids().iter().enumerate() {
            match (id as usize).checked_sub(n) {
                None => terms.push((function, id, 1.0)),
                Some(hanging) => {
                    let of = &self.discretisation.hanging[hanging];
                    terms.extend(of.iter().map(|&(point, factor)| (function, point, factor)));
                }
            }
        }
        terms
    }

    /// Values R_i at the last point.
    pub fn values(&self) -> &[f64] {
        &self.values[..self.n]
    }

    /// Derivatives ∂R_i/∂ξ_d at the last point.
    pub fn gradients(&self) -> [&[f64]; 3] {
        self.gradients.each_ref().map(|g| &g[..self.n])
    }

    /// Derivatives ∂R_i/∂x_a at the last point, after [`Self::physical_gradients`].
    pub fn physical(&self) -> [&[f64]; 3] {
        self.physical.each_ref().map(|g| &g[..self.n])
    }

    /// Evaluates the functions and the geometry at ξ.
    ///
    /// # Panics
    ///
    /// If no cell was entered.
    pub fn at(&mut self, xi: [f64; 3]) -> CellPoint {
        let n = self.n;
        let [gx, gy, gz] = &mut self.gradients;
        let basis = self.basis.expect("a cell was entered before it is evaluated");
        basis.eval(xi, &mut self.values[..n], [&mut gx[..n], &mut gy[..n], &mut gz[..n]]);
        let position = std::array::from_fn(|a| dot(&self.values[..n], &self.coordinates[a][..n]));
        let jacobian = std::array::from_fn(|a| {
            std::array::from_fn(|d| dot(&self.gradients[d][..n], &self.coordinates[a][..n]))
        });
        CellPoint { position, jacobian, det: determinant(&jacobian) }
    }

    /// Turns the derivatives at the last point into those with respect to x: ∂R/∂x_a = Σ_d ∂R/∂ξ_d ∂ξ_d/∂x_a.
    pub fn physical_gradients(&mut self, point: &CellPoint) {
        let inverse = point.inverse();
        let [gx, gy, gz] = self.gradients.each_ref().map(|g| &g[..self.n]);
        for a in 0..3 {
            for (k, out) in self.physical[a][..self.n].iter_mut().enumerate() {
                *out = inverse[0][a] * gx[k] + inverse[1][a] * gy[k] + inverse[2][a] * gz[k];
            }
        }
    }

    /// The displacement gradient H, entry `[a][b]` = ∂u_a/∂x_b, at the last point.
    ///
    /// * `displacement` — u of all body points \[m\]
    pub fn displacement_gradient(&self, displacement: &[[f64; 3]]) -> [[f64; 3]; 3] {
        let mut h = [[0.0; 3]; 3];
        for (k, &id) in self.ids().iter().enumerate() {
            let u = self.discretisation.value(id, displacement);
            for a in 0..3 {
                for b in 0..3 {
                    h[a][b] += u[a] * self.physical[b][k];
                }
            }
        }
        h
    }
}

/// Calls `visit(block, evaluator, point, weight)` at the quadrature points of every cell of some blocks.
pub(crate) fn integrate_cells(
    discretisation: &Discretisation,
    blocks: std::ops::Range<usize>,
    rule: &dyn Fn(&Block) -> Quadrature,
    mut visit: impl FnMut(&Block, &CellEvaluator<'_>, &CellPoint, f64),
) {
    let mut evaluator = CellEvaluator::new(discretisation);
    for i_block in blocks {
        let block = &discretisation.blocks[i_block];
        let rule = rule(block);
        for cell in 0..block.n_cells() {
            evaluator.enter(CellRef { block: i_block as u32, cell: cell as u32 });
            for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
                let point = evaluator.at(xi);
                visit(block, &evaluator, &point, weight);
            }
        }
    }
}
