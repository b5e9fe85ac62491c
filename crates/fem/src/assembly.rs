//! Assembly of stiffness and mass.
//!
//! Every entry is a sum in a fixed order, that of the cells for meshes (`mesh_cells`) and that of tiles for
//! NURBS patches (`tensor`): the result has the same bits for any number of threads.

mod hanging;
mod mesh_cells;

use std::sync::Arc;

use carom_linalg::{BlockMatrix, GraphError, NodeGraph, NodeMatrix};
use carom_mesh::CellRef;
use carom_progress::Progress;
use rayon::prelude::*;
use thiserror::Error;

use crate::coupling::node_graph;
use crate::evaluator::{CellEvaluator, CellPoint};
use crate::kernel::Inverted;
use crate::quadrature::{Quadrature, QuadratureRule, spline_points};
use crate::tensor::{self, Column, Stopped};
use crate::{Block, Cells, Discretisation, NotSolid, SplineCells};

pub(crate) use hanging::without_hanging;

/// Errors from the assembly of stiffness and mass.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AssemblyError {
    /// A cell is inverted or collapsed.
    #[error(
        "cell {} of block {} (counted from 0) is inverted: det J = {det:e} m³ at ξ = ({}, {}, {}), near \
         ({:.6e}, {:.6e}, {:.6e}) m, must be above 0; repair the mesh there, or renumber its nodes if all \
         cells are inverted",
        .cell.cell, .cell.block, .xi[0], .xi[1], .xi[2], .position[0], .position[1], .position[2]
    )]
    InvertedCell {
        /// The cell.
        cell: CellRef,
        /// Parameters of the point in its reference cell.
        xi: [f64; 3],
        /// The point \[m\].
        position: [f64; 3],
        /// det J there \[m³\].
        det: f64,
    },
    /// The points of the body have other dofs than three displacements.
    #[error(transparent)]
    NotSolid(#[from] NotSolid),
    /// The graph of the points could not be built.
    #[error("cannot build the sparsity pattern: {0}")]
    Graph(#[from] GraphError),
    /// The user stopped the assembly.
    #[error("interrupted during assembly")]
    Interrupted,
}

/// Stiffness and mass of a body over the same graph of points.
#[derive(Debug, Clone)]
pub struct SystemMatrices {
    /// K \[N/m\].
    pub stiffness: BlockMatrix,
    /// M_s \[kg\], M = M_s ⊗ E₃.
    pub mass: NodeMatrix,
}

/// Assembles stiffness and mass.
///
/// ```text
/// K_ij = ∫ λ ∇R_i ∇R_jᵀ + μ ∇R_j ∇R_iᵀ + μ (∇R_i·∇R_j) E₃ dV,   (M_s)_ij = ∫ ρ R_i R_j dV
/// ```
///
/// # Errors
///
/// [`AssemblyError::InvertedCell`] for the first cell with det J ≤ 0 at a quadrature point;
/// [`AssemblyError::NotSolid`]; [`AssemblyError::Interrupted`].
pub fn assemble(
    discretisation: &Discretisation,
    rule: QuadratureRule,
    progress: &dyn Progress,
) -> Result<SystemMatrices, AssemblyError> {
    discretisation.solid_dofs_per_point("the stiffness and mass of linear elasticity")?;
    if !discretisation.hanging.is_empty() {
        let free = assemble(&discretisation.with_free_hanging_points(), rule, progress)?;
        return without_hanging(discretisation, node_graph(discretisation)?, &free, progress);
    }
    progress.begin("assembly", discretisation.n_cells() as u64);
    let graph = Arc::new(node_graph(discretisation)?);
    let n_entries = graph.n_entries();
    let mut target =
        Target { stiffness: written(n_entries, [0.0; 9]), mass: written(n_entries, 0.0), graph: &graph };
    let mut n_done = 0;
    for (i_block, block) in discretisation.blocks.iter().enumerate() {
        if let Cells::Lagrange { shape, .. } = &block.cells {
            mesh_cells::add_block(discretisation, i_block, *shape, rule, &mut target, &mut n_done, progress)?;
        }
    }
    add_patches(discretisation, rule, &mut target, &mut n_done, progress)?;
    let Target { stiffness, mass, .. } = target;
    progress.end();
    Ok(SystemMatrices {
        stiffness: BlockMatrix { graph: Arc::clone(&graph), values: stiffness },
        mass: NodeMatrix { graph, values: mass },
    })
}

/// Floating-point operations of the contractions by which NURBS cells are assembled, for benchmarks.
pub fn contraction_operations(discretisation: &Discretisation, rule: QuadratureRule) -> f64 {
    let of_block = |block: &Block| match &block.cells {
        Cells::Spline(cells) => tensor::contraction_operations(cells, rule, discretisation.n_points()) as f64,
        Cells::Lagrange { .. } => 0.0,
    };
    discretisation.blocks.iter().map(of_block).sum()
}

/// n copies of a value in memory that is already mapped.
///
/// The system maps the memory of `vec![0.0; n]` page by page at the first access, and again at the first
/// write if that access was a read: all other threads are then interrupted. Sums begin with a read; these
/// interruptions cost a third of the time of two threads.
fn written<T: Copy + Send + Sync>(n: usize, value: T) -> Vec<T> {
    (0..n).into_par_iter().map(|_| value).collect()
}

/// The matrices under assembly.
struct Target<'a> {
    graph: &'a NodeGraph,
    stiffness: Vec<[f64; 9]>,
    mass: Vec<f64>,
}

/// Adds the cells of all NURBS patches.
fn add_patches(
    discretisation: &Discretisation,
    rule: QuadratureRule,
    target: &mut Target<'_>,
    n_done: &mut u64,
    progress: &dyn Progress,
) -> Result<(), AssemblyError> {
    let mut columns = Vec::new();
    for (i_block, block) in discretisation.blocks.iter().enumerate() {
        let Cells::Spline(cells) = &block.cells else { continue };
        if columns.is_empty() {
            columns = target.columns();
        }
        tensor::add_patch(discretisation, i_block, cells, rule, &mut columns, n_done, progress).map_err(
            |stopped| match stopped {
                Stopped::Interrupted => AssemblyError::Interrupted,
                Stopped::Inverted(cell, found) => {
                    let (cell, inverted) =
                        first_inverted(discretisation, i_block, cells, rule).unwrap_or((cell, found));
                    inverted_cell(i_block, cell, inverted)
                }
            },
        )?;
    }
    Ok(())
}

impl Target<'_> {
    /// The values of all columns.
    fn columns(&mut self) -> Vec<Option<Column<'_>>> {
        let (mut stiffness, mut mass) = (&mut self.stiffness[..], &mut self.mass[..]);
        let mut columns = Vec::with_capacity(self.graph.n_nodes());
        for col in 0..self.graph.n_nodes() {
            let (_, rows) = self.graph.column(col);
            let (of_column, rest) = stiffness.split_at_mut(rows.len());
            let (of_mass, rest_of_mass) = mass.split_at_mut(rows.len());
            columns.push(Some(Column { rows, stiffness: of_column, mass: of_mass }));
            (stiffness, mass) = (rest, rest_of_mass);
        }
        columns
    }
}

/// The first cell of a patch with det J ≤ 0 at a quadrature point, and the first such point.
fn first_inverted(
    discretisation: &Discretisation,
    i_block: usize,
    cells: &SplineCells,
    rule: QuadratureRule,
) -> Option<(usize, Inverted)> {
    let points = Quadrature::cube(cells.degrees.map(|p| spline_points(p, rule))).points;
    let mut evaluator = CellEvaluator::new(discretisation);
    for cell in 0..cells.n_cells() {
        evaluator.enter(CellRef { block: i_block as u32, cell: cell as u32 });
        for &xi in &points {
            let CellPoint { position, det, .. } = evaluator.at(xi);
            // A NaN is rejected too.
            if !(det > 0.0 && det.is_finite()) {
                return Some((cell, Inverted { position, xi, det }));
            }
        }
    }
    None
}

fn inverted_cell(i_block: usize, cell: usize, inverted: Inverted) -> AssemblyError {
    let Inverted { position, xi, det } = inverted;
    AssemblyError::InvertedCell {
        cell: CellRef { block: i_block as u32, cell: cell as u32 },
        xi,
        position,
        det,
    }
}
