//! Internal force, energy and tangent of a body in large deformation, for any constitutive law.
//!
//! ```text
//! x = X + u,   H = Σ_i u_i ⊗ ∂R_i/∂X,   f_i = ∫ P(E₃ + H) ∂R_i/∂X dV,   K_ij = ∫ ∂R_i/∂X · A · ∂R_j/∂X dV
//! ```
//!
//! over the undeformed body. [`InternalForce`] holds the constant data: groups of neighbouring cells, their
//! points, and the map of the undeformed cell at each quadrature point. A *sweep* maps displacement gradients
//! to stresses at all points by a [`PointMap`]: the stress of a law, its derivative, or a map of the scheme,
//! such as a discrete gradient over both ends of a step. [`TangentAssembly`] assembles the matrix of
//! symmetric tangents over a fixed sparsity pattern, [`GeneralTangentAssembly`] that of others;
//! [`element_frequencies`] bounds the critical time step.
//!
//! Cells of one kind are computed [`LANES`] at a time. NURBS cells are summed
//! direction by direction (sum factorisation): the force of a cell of degree p costs (p+1)⁴ operations
//! instead of (p+1)⁶, its tangent (p+1)⁷ instead of (p+1)⁹. Neighbouring cells share a group and its sums;
//! the sums of the groups at a point are added in the order of the groups. The bits do not depend on the
//! number of threads, and nothing is allocated after [`InternalForce::new`].
//!
//! ```
//! # use std::collections::BTreeMap;
//! use carom_fem::constitutive::{ElasticModuli, SaintVenantKirchhoff};
//! use carom_fem::internal_force::{InternalForce, PointRule};
//! use carom_fem::{Body, Discretisation, Geometry, Material};
//! use carom_mesh::{CellBlock, CellShape, Mesh};
//!
//! let points = CellShape::Hex8.reference_nodes().to_vec();
//! let cells = CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() };
//! let body = Body {
//!     name: "cube".into(),
//!     geometry: Geometry::Mesh(Mesh { points, blocks: vec![cells], sets: BTreeMap::new() }),
//!     materials: vec![Material::named("steel")?],
//!     material_of_block: vec![0],
//!     sections: Vec::new(),
//! };
//! let discretisation = Discretisation::new(&body)?;
//! let law = SaintVenantKirchhoff::new(ElasticModuli::of(&body.materials[0]));
//! let mut internal = InternalForce::new(&discretisation, PointRule::default())?;
//! let mut history = internal.history(&[law]);
//!
//! // A half turn about z: no force.
//! let u: Vec<f64> = discretisation.points.iter().flat_map(|p| [-2.0 * p[0], -2.0 * p[1], 0.0]).collect();
//! let mut force = vec![0.0; u.len()];
//! internal.force(&[law], &u, &mut history, &mut force)?;
//! assert!(force.iter().all(|f| f.abs() < 1e-3), "of a modulus of 210e9");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell_map;
mod certified;
mod chunk;
pub(crate) mod dilatation;
mod elements;
pub(crate) mod frequencies;
mod gather;
mod general_tangent;
mod groups;
mod history;
mod hourglass;
pub(crate) mod lagrange;
mod lanczos;
mod line_tangent;
mod maps;
mod one_point;
mod pairs;
mod point_map;
mod point_rule;
mod point_stress;
mod rounds;
mod shape;
mod spline;
mod stretch;
mod tangent;
mod viscosity;

use carom_mesh::{CellRef, CellShape};
use rayon::prelude::*;
use thiserror::Error;

use crate::assembly::AssemblyError;
use crate::constitutive::{LANES, Law};
use crate::{Cells, Discretisation};
use cell_map::{CellMap, PointByPoint};
use chunk::{Chunk, Fields};
use dilatation::MeanDilatation;
use gather::{Gather, Hanging};
use history::ChunkHistory;
use hourglass::OnePoint;
use lagrange::LagrangeShape;
use one_point::{N_COEFFICIENTS, OnePointShape};
use point_map::{Dissipated, Hourglass, LawMap, Product, Stored, Stress};
use shape::Shape;
use spline::SplineShape;

pub use frequencies::{ElementFrequencies, element_frequencies};
pub use general_tangent::GeneralTangentAssembly;
pub use history::History;
pub(crate) use history::HistoryPlace;
pub use point_map::{PointMap, PointTangent};
pub use point_rule::PointRule;
pub use point_stress::{PointCount, PointStress};
pub use stretch::largest_stretch;
pub use tangent::TangentAssembly;
pub use viscosity::BulkViscosity;

/// Largest number of displacement fields that a sweep reads.
pub const MAX_FIELDS: usize = 3;

/// Errors from a sweep over the cells of a body.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SweepError {
    /// The deformation inverts a cell, or is not finite.
    #[error(
        "cell {} of block {} (counted from 0) is inverted: det F = {det:e}, must be above 0",
        .cell.cell, .cell.block
    )]
    Inverted {
        /// The cell with the smallest det F.
        cell: CellRef,
        /// det F at one of its points.
        det: f64,
    },
    /// The ends of a beam have turned too far against each other.
    #[error(
        "beam {} of block {} (counted from 0) is bent by {angle:.2} rad, must be below 2.5 rad; use more \
         beams there",
        .cell.cell, .cell.block
    )]
    Bent {
        /// The beam.
        cell: CellRef,
        /// Relative rotation of its ends \[rad\].
        angle: f64,
    },
}

/// The cells of a body prepared for internal forces.
#[derive(Debug, Clone)]
pub struct InternalForce {
    rule: PointRule,
    dofs_per_point: usize,
    n_points: usize,
    blocks: Vec<Part>,
    hanging: Hanging,
    gather: Gather,
}

/// The groups of cells of a block.
#[derive(Debug, Clone)]
enum Part {
    Lagrange(LagrangeShape, Vec<Chunk<3>>),
    Spline(Box<SplineShape>, Vec<Chunk<4>>),
    /// Linear cells with mean dilatation.
    Dilated(LagrangeShape, Vec<Chunk<3>>),
    /// Hexahedra with one point and hourglass control.
    OnePoint(Box<OnePointShape>, Vec<Chunk<N_COEFFICIENTS>>),
}

impl InternalForce {
    /// Groups the cells and computes their maps at all points.
    ///
    /// # Errors
    ///
    /// [`AssemblyError::InvertedCell`] for a cell with det J ≤ 0 at a quadrature point, and
    /// [`AssemblyError::NotSolid`].
    pub fn new(discretisation: &Discretisation, rule: PointRule) -> Result<Self, AssemblyError> {
        let dofs_per_point = discretisation.solid_dofs_per_point("the internal force")?;
        let part = |(i_block, block): (usize, &crate::Block)| match &block.cells {
            Cells::Lagrange { shape: CellShape::Hex8, .. } if rule == PointRule::OnePoint => {
                let shape = Box::new(OnePointShape::new());
                chunk::chunks(discretisation, i_block, &*shape).map(|chunks| Part::OnePoint(shape, chunks))
            }
            Cells::Lagrange { shape, .. } => {
                let is_dilated = rule.has_mean_dilatation(*shape);
                let shape = LagrangeShape::new(*shape, rule);
                let part = if is_dilated { Part::Dilated } else { Part::Lagrange };
                chunk::chunks(discretisation, i_block, &shape).map(|chunks| part(shape, chunks))
            }
            Cells::Spline(cells) => {
                let shape = Box::new(SplineShape::new(cells, rule));
                chunk::chunks(discretisation, i_block, &*shape).map(|chunks| Part::Spline(shape, chunks))
            }
        };
        let blocks = discretisation.blocks.iter().enumerate().map(part).collect::<Result<Vec<_>, _>>()?;
        let lists = blocks.iter().map(|part| part.points_of_chunks()).collect::<Vec<_>>();
        let gather = Gather::new(discretisation.n_cell_point_ids(), &lists);
        Ok(Self {
            rule,
            dofs_per_point,
            n_points: discretisation.n_points(),
            gather,
            blocks,
            hanging: Hanging::new(discretisation),
        })
    }

    /// Number of degrees of freedom of each point.
    pub fn dofs_per_point(&self) -> usize {
        self.dofs_per_point
    }

    /// Length of displacements and forces: dof `dofs_per_point` · point + component.
    pub fn n_dofs(&self) -> usize {
        self.dofs_per_point * self.n_points
    }

    /// Number of quadrature points of all cells.
    pub fn n_quadrature_points(&self) -> usize {
        self.blocks.iter().map(Part::n_quadrature_points).sum()
    }

    /// The history of a body in its undeformed state.
    ///
    /// * `laws` — one for each block
    pub fn history<L: Law>(&self, laws: &[L]) -> History {
        self.check_count(laws.len());
        History::new(self.blocks.iter().map(|part| (part.batch_points(), part.n_more_history())), laws)
    }

    /// The internal force f(X + u) \[N\].
    ///
    /// * `laws` — one for each block
    /// * `u` — displacement of all points \[m\]
    /// * `history` — its accepted state is read; its present state is written
    /// * `force` — receives f
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`]; `force` is not to be used then.
    ///
    /// # Panics
    ///
    /// If a list has another length than [`InternalForce::n_dofs`], or the history is of another body.
    pub fn force<L: Law>(
        &mut self,
        laws: &[L],
        u: &[f64],
        history: &mut History,
        force: &mut [f64],
    ) -> Result<(), SweepError> {
        self.sweep_law(laws, |law| Stress(law), [u], history, Some(force)).map(drop)
    }

    /// The energy stored in the body, ∫ ψ dV, hourglass modes included \[J\].
    ///
    /// * `history` — that of this state is read: of the last force or of [`InternalForce::history`]
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`].
    ///
    /// # Panics
    ///
    /// As [`InternalForce::force`].
    pub fn stored_energy<L: Law>(
        &mut self,
        laws: &[L],
        u: &[f64],
        history: &mut History,
    ) -> Result<f64, SweepError> {
        self.sweep_law(laws, |law| Stored(law), [u], history, None)
    }

    /// The energy that the material has dissipated up to the state of the last force \[J\].
    ///
    /// # Panics
    ///
    /// If the history is of another body.
    pub fn dissipated_energy<L: Law>(&mut self, laws: &[L], history: &mut History) -> f64 {
        let found = self.run(laws, [], history, None, |part, law, history, fields, _| {
            part.sweep_points(&PointByPoint(Dissipated(law)), history, fields, false);
        });
        found.expect("no field can turn a cell inside out")
    }

    /// The energy of hourglass control: stored in the hourglass modes, and dissipated by them up to the state
    /// of the last force \[J\]. Zero unless cells have one point.
    ///
    /// [`InternalForce::stored_energy`] includes the first.
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`].
    ///
    /// # Panics
    ///
    /// As [`InternalForce::force`].
    pub fn hourglass_energy<L: Law>(
        &mut self,
        laws: &[L],
        u: &[f64],
        history: &mut History,
    ) -> Result<[f64; 2], SweepError> {
        if !self.blocks.iter().any(|part| matches!(part, Part::OnePoint(..))) {
            return Ok([0.0; 2]);
        }
        let stored = self.sweep_law(laws, |law| Hourglass(law), [u], history, None)?;
        let parts = self.blocks.iter().zip(&history.blocks);
        let dissipated = parts.map(|(part, history)| part.hourglass_loss(history)).sum();
        Ok([stored, dissipated])
    }

    /// The product of the tangent ∂f/∂u at u with a direction \[N\], without its matrix.
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`].
    ///
    /// # Panics
    ///
    /// As [`InternalForce::force`].
    pub fn tangent_product<L: Law>(
        &mut self,
        laws: &[L],
        u: &[f64],
        history: &mut History,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), SweepError> {
        self.sweep_law(laws, |law| Product(law), [u, direction], history, Some(product)).map(drop)
    }

    /// A sweep over all cells: gradients of some fields at each quadrature point, a map to a stress and a
    /// density, forces from the stress. Returns the integral of the density.
    ///
    /// * `laws` — one for each block
    /// * `map` — the map of the points of a block with that law
    /// * `fields` — displacements of all points \[m\]
    /// * `force` — receives ∫ P ∂R_i/∂X dV, if given
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`] if the checked field of the map has det F ≤ 0 at a point.
    ///
    /// # Panics
    ///
    /// As [`InternalForce::force`], and if the rule is [`PointRule::MeanDilatation`] or
    /// [`PointRule::OnePoint`]: the stress at a point then depends on other points.
    pub fn sweep<'l, const N: usize, L: Sync, M: PointMap<N> + 'l>(
        &mut self,
        laws: &'l [L],
        map: impl Fn(&'l L) -> M + Sync,
        fields: [&[f64]; N],
        history: &mut History,
        force: Option<&mut [f64]>,
    ) -> Result<f64, SweepError> {
        let is_by_points =
            self.blocks.iter().all(|part| matches!(part, Part::Lagrange(..) | Part::Spline(..)));
        assert!(is_by_points, "a map of points is for cells whose points are independent");
        self.run(laws, fields, history, force, |part, law, history, fields, has_force| {
            part.sweep_points(&PointByPoint(map(law)), history, fields, has_force);
        })
    }

    /// As [`InternalForce::sweep`], for a map of the law: all kinds of cells.
    fn sweep_law<'l, const N: usize, L: Law, M: LawMap<N> + 'l>(
        &mut self,
        laws: &'l [L],
        map: impl Fn(&'l L) -> M + Sync,
        fields: [&[f64]; N],
        history: &mut History,
        force: Option<&mut [f64]>,
    ) -> Result<f64, SweepError> {
        self.run(laws, fields, history, force, |part, law, history, fields, has_force| {
            let map = map(law);
            match part {
                Part::Dilated(shape, chunks) => {
                    sweep(chunks, shape, &MeanDilatation(map), fields, history, has_force);
                }
                Part::OnePoint(shape, chunks) => {
                    sweep(chunks, &**shape, &OnePoint(map), fields, history, has_force);
                }
                part => part.sweep_points(&PointByPoint(map), history, fields, has_force),
            }
        })
    }

    /// A sweep over all blocks by a function for each.
    fn run<'l, const N: usize, L: Sync>(
        &mut self,
        laws: &'l [L],
        fields: [&[f64]; N],
        history: &mut History,
        force: Option<&mut [f64]>,
        sweep_part: impl Fn(&mut Part, &'l L, &mut [ChunkHistory], Fields<'_, N>, bool) + Sync,
    ) -> Result<f64, SweepError> {
        self.check_count(laws.len());
        fields.iter().for_each(|field| assert_eq!(field.len(), self.n_dofs(), "one number a dof"));
        assert!(history.blocks.len() == laws.len(), "the history has the blocks of the body");
        let has_force = force.is_some();
        self.hanging.expand(&fields);
        let fields = Fields { at_points: fields.map(|f| f.as_chunks().0), hanging: &self.hanging };
        let parts = self.blocks.par_iter_mut().zip(laws).zip(&mut history.blocks);
        parts.for_each(|((part, law), history)| sweep_part(part, law, history, fields, has_force));
        self.check_dets()?;
        if let Some(force) = force {
            assert_eq!(force.len(), self.n_dofs(), "one number a dof");
            self.gather_force(force);
        }
        Ok(self.blocks.iter().map(Part::integral).sum())
    }

    /// An error if a cell was inverted in the last sweep.
    fn check_dets(&self) -> Result<(), SweepError> {
        match self.least_det() {
            Some((det, cell)) if !(det > 0.0 && det.is_finite()) => Err(SweepError::Inverted { cell, det }),
            _ => Ok(()),
        }
    }

    /// The smallest det F of the last sweep with its cell; a NaN counts as smallest.
    fn least_det(&self) -> Option<(f64, CellRef)> {
        let of_part = |(block, part): (usize, &Part)| {
            part.least_det().map(|(det, cell)| (det, CellRef { block: block as u32, cell }))
        };
        let key = |det: f64| if det.is_nan() { f64::NEG_INFINITY } else { det };
        self.blocks.iter().enumerate().filter_map(of_part).min_by(|a, b| key(a.0).total_cmp(&key(b.0)))
    }

    /// Adds the forces of all groups at each point, in the order of the groups.
    fn gather_force(&mut self, force: &mut [f64]) {
        let (force, _) = force.as_chunks_mut::<3>();
        let blocks = &self.blocks;
        let of_group = |[block, chunk, local]: [u32; 3]| blocks[block as usize].force(chunk, local);
        self.gather.sum(force, self.n_points, self.hanging.forces_mut(), of_group);
        self.hanging.fold(force);
    }

    fn check_count(&self, n_laws: usize) {
        assert_eq!(n_laws, self.blocks.len(), "one law for each block of the body");
    }
}

/// Sweeps over the groups of a block.
fn sweep<const A: usize, const N: usize, S: Shape<A>, M: CellMap<A, N>>(
    chunks: &mut [Chunk<A>],
    shape: &S,
    map: &M,
    fields: Fields<'_, N>,
    history: &mut [ChunkHistory],
    has_force: bool,
) {
    let chunks = chunks.par_iter_mut().zip(history);
    chunks.for_each(|(chunk, history)| chunk.sweep(shape, map, fields, history, has_force));
}

/// Calls an expression for the chunks of a part, whatever its kind.
macro_rules! of_chunks {
    ($part:ident, $chunks:ident => $call:expr) => {
        match $part {
            Part::Lagrange(_, $chunks) | Part::Dilated(_, $chunks) => $call,
            Part::Spline(_, $chunks) => $call,
            Part::OnePoint(_, $chunks) => $call,
        }
    };
}

/// Calls an expression for the shape and the chunks of a part, whatever its kind.
macro_rules! of_shape {
    ($part:ident, $shape:ident, $chunks:ident => $call:expr) => {
        match $part {
            Part::Lagrange($shape, $chunks) | Part::Dilated($shape, $chunks) => $call,
            Part::Spline($shape, $chunks) => {
                let $shape = &**$shape;
                $call
            }
            Part::OnePoint($shape, $chunks) => {
                let $shape = &**$shape;
                $call
            }
        }
    };
}
use {of_chunks, of_shape};

impl InternalForce {
    /// Where the history of a cell is.
    ///
    /// # Panics
    ///
    /// If the body has no such cell.
    pub(crate) fn history_place(&self, cell: CellRef) -> HistoryPlace {
        let part = &self.blocks[cell.block as usize];
        let n_points = part.cells_and_points()[1];
        let found = of_chunks!(part, chunks => chunks.iter().enumerate().find_map(|(chunk, own)| {
            own.place_of(cell.cell).map(|[batch, lane]| (chunk, batch, lane))
        }));
        let (chunk, batch, lane) = found.expect("each cell of the body is in a group");
        HistoryPlace { block: cell.block as usize, chunk, first: n_points * batch, lane }
    }
}

impl Part {
    /// A sweep of a map of points.
    fn sweep_points<const N: usize, M>(
        &mut self,
        map: &PointByPoint<M>,
        history: &mut [ChunkHistory],
        fields: Fields<'_, N>,
        has_force: bool,
    ) where
        M: PointMap<N>,
    {
        of_shape!(self, shape, chunks => sweep(chunks, shape, map, fields, history, has_force));
    }

    /// History variables of a point of a law with history in addition to those of the law.
    fn n_more_history(&self) -> usize {
        if matches!(self, Self::OnePoint(..)) { hourglass::N_HISTORY } else { 0 }
    }

    /// The energy that hourglass modes have dissipated \[J\].
    fn hourglass_loss(&self, history: &[ChunkHistory]) -> f64 {
        let Self::OnePoint(_, chunks) = self else { return 0.0 };
        let of_chunk = |(chunk, history): (&Chunk<N_COEFFICIENTS>, &ChunkHistory)| -> f64 {
            if history.n == 0 {
                return 0.0;
            }
            let densities = history.new.iter().skip(history.n - 1).step_by(history.n);
            let of_batch = densities.zip(&chunk.maps);
            of_batch.map(|(density, maps)| (0..LANES).map(|l| density[l] * maps.volume[l]).sum::<f64>()).sum()
        };
        chunks.iter().zip(history).map(of_chunk).sum()
    }

    fn points_of_chunks(&self) -> Vec<&[u32]> {
        of_chunks!(self, chunks => chunks.iter().map(|chunk| chunk.points.as_slice()).collect())
    }

    /// Batches times quadrature points of each chunk.
    fn batch_points(&self) -> Vec<usize> {
        of_chunks!(self, chunks => chunks.iter().map(|chunk| chunk.maps.len()).collect())
    }

    /// Number of cells, and of quadrature points of a cell.
    fn cells_and_points(&self) -> [usize; 2] {
        let n_points = of_shape!(self, shape, _chunks => shape.n_points());
        let n_cells = of_chunks!(self, chunks => chunks.iter().map(Chunk::n_cells).sum());
        [n_cells, n_points]
    }

    fn n_quadrature_points(&self) -> usize {
        self.cells_and_points().iter().product()
    }

    fn integral(&self) -> f64 {
        of_chunks!(self, chunks => chunks.iter().map(|chunk| chunk.integral).sum())
    }

    fn least_det(&self) -> Option<(f64, u32)> {
        let key = |det: f64| if det.is_nan() { f64::NEG_INFINITY } else { det };
        let least = of_chunks!(self, chunks => {
            chunks.iter().map(|chunk| chunk.least_det).min_by(|a, b| key(a.0).total_cmp(&key(b.0)))
        });
        least.filter(|(det, _)| *det != f64::INFINITY)
    }

    #[inline(always)]
    fn force(&self, chunk: u32, local: u32) -> [f64; 3] {
        of_chunks!(self, chunks => chunks[chunk as usize].force[local as usize])
    }
}
