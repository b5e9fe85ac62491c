//! Lumped mass: a positive mass for each point, whose sum is the mass of the body.
//!
//! ```text
//! row sum:           m_i = ∫ ρ R_i dV
//! diagonal scaling:  m_i = m_cell M_ii / Σ_j M_jj,   M_ii = ∫ ρ R_i² dV
//! ```
//!
//! Row sums keep the centre of mass, and their frequencies converge with the order of linear elements. They
//! are positive for NURBS and linear cells, and for hex27; a block that has a cell with a row sum that is not
//! positive (hex20, tet10) is lumped by diagonal scaling.
//!
//! Frequencies of long waves of NURBS converge with order 2 as well. Waves as short as the knot spans in two
//! or three directions are far too slow, since their inertia is that of the coefficients: a cube of degree 2
//! has such a mode at 0.36 of its lowest true frequency with 4 spans a side, at 0.68 with 8; it grows with
//! 1/h. Meshes have no such modes.
//!
//! # Source
//!
//! Hinton, Rock & Zienkiewicz (1976), Earthquake Engineering and Structural Dynamics 4, 245–249.

use carom_mesh::CellRef;
use rayon::prelude::*;

use crate::assembly::AssemblyError;
use crate::quadrature::{Integrand, QuadratureRule, cell_rule};
use crate::{CellEvaluator, Discretisation};

/// How the mass of a block of cells was lumped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lumping {
    /// m_i = ∫ ρ R_i dV.
    RowSum,
    /// In proportion to the diagonal of the consistent mass.
    DiagonalScaling,
}

/// Lumped mass of the points and cells of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct LumpedMass {
    /// Mass of each point \[kg\]; zero for points without cells.
    pub points: Vec<f64>,
    /// How each block was lumped.
    pub lumping: Vec<Lumping>,
    /// For each block the masses of the points of its cells, cell after cell.
    cells: Vec<Vec<f64>>,
}

impl LumpedMass {
    /// Lumps the mass of a body.
    ///
    /// # Errors
    ///
    /// [`AssemblyError::InvertedCell`] for a cell with det J ≤ 0 at a quadrature point, and
    /// [`AssemblyError::NotSolid`].
    pub fn new(discretisation: &Discretisation, rule: QuadratureRule) -> Result<Self, AssemblyError> {
        discretisation.solid_dofs_per_point("the lumped mass")?;
        let (mut lumping, mut cells) = (Vec::new(), Vec::new());
        for i_block in 0..discretisation.blocks.len() {
            let (found, masses) = of_block(discretisation, i_block, rule)?;
            lumping.push(found);
            cells.push(masses);
        }
        Ok(Self { points: at_points(discretisation, &cells), lumping, cells })
    }

    /// Multiplies the mass of each cell by a factor.
    ///
    /// * `factors` — for each block the factor of each cell, above 0
    ///
    /// # Panics
    ///
    /// If the numbers of blocks or cells differ.
    pub fn scale(&mut self, discretisation: &Discretisation, factors: &[Vec<f64>]) {
        assert_eq!(factors.len(), self.cells.len(), "a list of factors for each block");
        for ((block, masses), factors) in discretisation.blocks.iter().zip(&mut self.cells).zip(factors) {
            assert_eq!(factors.len(), block.n_cells(), "a factor for each cell");
            for (masses, factor) in masses.chunks_exact_mut(block.n_cell_points()).zip(factors) {
                masses.iter_mut().for_each(|mass| *mass *= factor);
            }
        }
        self.points = at_points(discretisation, &self.cells);
    }

    /// The masses of the points of a cell, in the order of its functions \[kg\].
    ///
    /// # Panics
    ///
    /// If there is no such cell.
    pub fn of_cell(&self, discretisation: &Discretisation, cell: CellRef) -> &[f64] {
        let n = discretisation.blocks[cell.block as usize].n_cell_points();
        self.of_cell_with(n, cell)
    }

    pub(crate) fn of_cell_with(&self, n: usize, cell: CellRef) -> &[f64] {
        &self.cells[cell.block as usize][n * cell.cell as usize..n * (cell.cell as usize + 1)]
    }

    /// The mass of the body \[kg\].
    pub fn total(&self) -> f64 {
        self.points.iter().sum()
    }
}

/// The mass of each point, from those of the points of all cells.
fn at_points(discretisation: &Discretisation, cells: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![[0.0; 3]; discretisation.n_cell_point_ids()];
    for (block, masses) in discretisation.blocks.iter().zip(cells) {
        let mut ids = vec![0; block.n_cell_points()];
        for (cell, masses) in masses.chunks_exact(ids.len()).enumerate() {
            block.basis(cell).point_ids_into(&mut ids);
            for (&id, mass) in ids.iter().zip(masses) {
                sums[id as usize][0] += mass;
            }
        }
    }
    discretisation.gathered(sums).into_iter().map(|[mass, ..]| mass).collect()
}

/// Masses of the points of the cells of a block.
fn of_block(
    discretisation: &Discretisation,
    i_block: usize,
    rule: QuadratureRule,
) -> Result<(Lumping, Vec<f64>), AssemblyError> {
    let block = &discretisation.blocks[i_block];
    let density = discretisation.materials[block.material].density;
    let rule = cell_rule(&block.cells, Integrand::Mass, rule);
    let n = block.n_cell_points();
    let mut sums = vec![0.0; n * block.n_cells()];
    let mut diagonals = sums.clone();
    let cells = sums.par_chunks_mut(n).zip(diagonals.par_chunks_mut(n)).enumerate();
    cells.try_for_each_init(
        || CellEvaluator::new(discretisation),
        |evaluator, (cell, (sums, diagonals))| {
            let cell = CellRef { block: i_block as u32, cell: cell as u32 };
            evaluator.enter(cell);
            for (&xi, &weight) in rule.points.iter().zip(&rule.weights) {
                let point = evaluator.at(xi);
                // A NaN is rejected too.
                if !(point.det > 0.0 && point.det.is_finite()) {
                    let (position, det) = (point.position, point.det);
                    return Err(AssemblyError::InvertedCell { cell, xi, position, det });
                }
                let factor = density * weight * point.det;
                for ((sum, diagonal), value) in sums.iter_mut().zip(&mut *diagonals).zip(evaluator.values()) {
                    *sum += factor * value;
                    *diagonal += factor * value * value;
                }
            }
            Ok(())
        },
    )?;
    if sums.iter().all(|&sum| sum > 0.0) {
        return Ok((Lumping::RowSum, sums));
    }
    for (sums, diagonals) in sums.chunks_exact(n).zip(diagonals.chunks_exact_mut(n)) {
        let scale = sums.iter().sum::<f64>() / diagonals.iter().sum::<f64>();
        diagonals.iter_mut().for_each(|mass| *mass *= scale);
    }
    Ok((Lumping::DiagonalScaling, diagonals))
}
