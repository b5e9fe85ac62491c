//! Points, weights and cells of a body: the basis of assembly, stress, loads and surfaces.

mod error;
mod sources;

use carom_mesh::{CellRef, CellShape, FaceRef, Section};
use thiserror::Error;

use crate::basis::{CellBasis, SplineCells};
use crate::{Body, Geometry, Material};
use sources::{Parts, leaf_cells, mesh_cells, patch_cells};

pub use error::DiscretisationError;

/// Error of an operation that is defined for solids only: their points have three displacements each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "{operation} is for solids, whose points have {SOLID_DOFS} dofs each; a point of this body has \
     {dofs_per_point}: use a scheme that takes such bodies whole, or mesh the body with solid cells"
)]
pub struct NotSolid {
    /// The operation that needs a solid.
    pub operation: &'static str,
    /// Degrees of freedom of a point of the body.
    pub dofs_per_point: usize,
}

/// Degrees of freedom of a point of a solid: its displacement.
const SOLID_DOFS: usize = 3;

/// Degrees of freedom of a point of shells and beams: its displacement and its rotation.
const STRUCTURAL_DOFS: usize = 6;

/// The cells of one block.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Mesh cells of one kind.
    Lagrange {
        /// Their kind.
        shape: CellShape,
        /// Nodes, cell after cell.
        connectivity: Vec<u32>,
    },
    /// The knot spans of a patch.
    Spline(SplineCells),
}

/// Cells of one kind and one material: a block of a mesh or a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The cells.
    pub cells: Cells,
    /// Index into [`Discretisation::materials`].
    pub material: usize,
    /// Section of shells or beams.
    pub section: Option<Section>,
}

impl Block {
    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        match &self.cells {
            Cells::Lagrange { shape, connectivity } => connectivity.len() / shape.n_nodes(),
            Cells::Spline(cells) => cells.n_cells(),
        }
    }

    /// Number of functions of each cell.
    pub fn n_cell_points(&self) -> usize {
        match &self.cells {
            Cells::Lagrange { shape, .. } => shape.n_nodes(),
            Cells::Spline(cells) => cells.n_cell_points(),
        }
    }

    /// Number of faces of each cell.
    pub fn n_cell_faces(&self) -> usize {
        match &self.cells {
            Cells::Lagrange { shape, .. } => shape.n_faces(),
            Cells::Spline(_) => 6,
        }
    }

    /// The basis of a cell.
    pub fn basis(&self, cell: usize) -> CellBasis<'_> {
        match &self.cells {
            Cells::Lagrange { shape, connectivity } => {
                let n = shape.n_nodes();
                CellBasis::Lagrange { shape: *shape, nodes: &connectivity[n * cell..n * (cell + 1)] }
            }
            Cells::Spline(cells) => CellBasis::Spline { cells, span: cells.span_of_cell(cell) },
        }
    }
}

/// A body as functions over points.
///
/// ```text
/// x(ξ) = Σ R_i(ξ) P_i,   u(ξ) = Σ R_i(ξ) u_i    in every cell
/// ```
///
/// A cell of a locally refined body may also use *hanging* points. They have numbers from n_points on, and
/// the value of a field there is a fixed combination of its values at points of the body
/// ([`Discretisation::value`]). They have no dofs: matrices, loads and surfaces are over the points of the
/// body alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Discretisation {
    /// Nodes or control points P_i \[m\].
    pub points: Vec<[f64; 3]>,
    /// Weight of each point, 1 for nodes.
    pub weights: Vec<f64>,
    /// For each hanging point the points on which it depends, with factors c_i ≥ 0 whose sum is 1; empty for
    /// most bodies.
    pub hanging: Vec<Vec<(u32, f64)>>,
    /// The cells.
    pub blocks: Vec<Block>,
    /// Materials of the body.
    pub materials: Vec<Material>,
    /// Degrees of freedom of each point: 3 for solids, the displacement; 6 for shells and beams, whose points
    /// also rotate. The first three are the displacement for every body.
    pub dofs_per_point: usize,
}

impl Discretisation {
    /// The discretisation of a body, all of its numbers checked.
    ///
    /// # Errors
    ///
    /// [`DiscretisationError`] names the block and the number that do not fit.
    pub fn new(body: &Body) -> Result<Self, DiscretisationError> {
        let Parts { points, weights, hanging, cells, n_sources } = match &body.geometry {
            Geometry::Mesh(mesh) => mesh_cells(&body.name, mesh)?,
            Geometry::Nurbs(multipatch) if multipatch.hierarchy.is_some() => {
                leaf_cells(&body.name, multipatch)?
            }
            Geometry::Nurbs(multipatch) => patch_cells(&body.name, multipatch)?,
        };
        if body.material_of_block.len() != n_sources {
            return Err(DiscretisationError::MaterialCount {
                body: body.name.clone(),
                n_blocks: n_sources,
                n_given: body.material_of_block.len(),
            });
        }
        for material in &body.materials {
            material
                .check()
                .map_err(|source| DiscretisationError::Material { body: body.name.clone(), source })?;
        }
        let n_materials = body.materials.len();
        let mut blocks = Vec::with_capacity(cells.len());
        for (source, cells) in cells {
            let material = body.material_of_block[source];
            if material >= n_materials {
                let body = body.name.clone();
                return Err(DiscretisationError::NoSuchMaterial {
                    body,
                    block: source,
                    material,
                    n_materials,
                });
            }
            let section = body.section(source);
            sources::check_section(&body.name, source, &cells, section)?;
            blocks.push(Block { cells, material, section });
        }
        if blocks.iter().all(|block| block.n_cells() == 0) {
            return Err(DiscretisationError::Empty { body: body.name.clone() });
        }
        let n_structural = blocks.iter().filter(|block| block.section.is_some()).count();
        if n_structural > 0 && n_structural < blocks.len() {
            return Err(DiscretisationError::Mixed { body: body.name.clone() });
        }
        Ok(Self {
            points,
            weights,
            hanging,
            blocks,
            materials: body.materials.clone(),
            dofs_per_point: if n_structural > 0 { STRUCTURAL_DOFS } else { SOLID_DOFS },
        })
    }

    /// Points and hanging points.
    pub fn n_cell_point_ids(&self) -> usize {
        self.points.len() + self.hanging.len()
    }

    /// The points of the body that move a cell: those of its functions, in their order. If some of them hang,
    /// all points on which its functions depend, ascending.
    pub fn points_of(&self, basis: CellBasis<'_>) -> Vec<u32> {
        let mut ids = vec![0; basis.n_points()];
        basis.point_ids_into(&mut ids);
        let n_points = self.n_points() as u32;
        if ids.iter().all(|&id| id < n_points) {
            return ids;
        }
        let mut points: Vec<u32> = ids.iter().copied().filter(|&id| id < n_points).collect();
        for hanging in ids.iter().filter_map(|id| id.checked_sub(n_points)) {
            points.extend(self.hanging[hanging as usize].iter().map(|&(point, _)| point));
        }
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The value of a field at a point or a hanging point.
    ///
    /// * `values` — one a point
    ///
    /// # Panics
    ///
    /// If there is no such point.
    pub fn value<const D: usize>(&self, id: u32, values: &[[f64; D]]) -> [f64; D] {
        let Some(hanging) = (id as usize).checked_sub(self.points.len()) else { return values[id as usize] };
        let mut sum = [0.0; D];
        for &(point, factor) in &self.hanging[hanging] {
            for (s, v) in sum.iter_mut().zip(values[point as usize]) {
                *s += factor * v;
            }
        }
        sum
    }

    /// Distributes forces on hanging points to the points on which they depend, and removes the hanging
    /// points: the transpose of [`Self::value`].
    ///
    /// * `values` — one for each point, then one for each hanging point
    pub fn gathered(&self, mut values: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
        let (at_points, at_hanging) = values.split_at_mut(self.points.len());
        for (row, value) in self.hanging.iter().zip(at_hanging) {
            for &(point, factor) in row {
                for (s, v) in at_points[point as usize].iter_mut().zip(value.iter()) {
                    *s += factor * v;
                }
            }
        }
        values.truncate(self.points.len());
        values
    }

    /// The same cells with hanging points as independent points.
    pub(crate) fn with_free_hanging_points(&self) -> Self {
        let mut free = Self { hanging: Vec::new(), ..self.clone() };
        free.points
            .extend((self.points.len()..self.n_cell_point_ids()).map(|k| self.value(k as u32, &self.points)));
        free.weights.resize(free.points.len(), 1.0);
        free
    }

    /// Number of points (nodes or control points).
    pub fn n_points(&self) -> usize {
        self.points.len()
    }

    /// Number of degrees of freedom of all points.
    pub fn n_dofs(&self) -> usize {
        self.dofs_per_point * self.points.len()
    }

    /// True for shells and beams, whose points rotate.
    pub fn is_structural(&self) -> bool {
        self.dofs_per_point == STRUCTURAL_DOFS
    }

    /// The number of degrees of freedom of a point, if they are a displacement only.
    ///
    /// * `operation` — subject of the error's sentence, such as "the reduction"
    ///
    /// # Errors
    ///
    /// [`NotSolid`] names the operation.
    pub fn solid_dofs_per_point(&self, operation: &'static str) -> Result<usize, NotSolid> {
        if self.dofs_per_point == SOLID_DOFS {
            return Ok(SOLID_DOFS);
        }
        Err(NotSolid { operation, dofs_per_point: self.dofs_per_point })
    }

    /// Number of degrees of freedom of the points that cells use: those of the body itself.
    pub fn n_used_dofs(&self) -> usize {
        self.dofs_per_point * self.point_is_used().iter().filter(|used| **used).count()
    }

    /// Number of cells of all blocks.
    pub fn n_cells(&self) -> usize {
        self.blocks.iter().map(Block::n_cells).sum()
    }

    /// All cells, block by block.
    pub fn cells(&self) -> impl Iterator<Item = CellRef> + '_ {
        self.blocks.iter().enumerate().flat_map(|(block, cells)| {
            (0..cells.n_cells()).map(move |cell| CellRef { block: block as u32, cell: cell as u32 })
        })
    }

    /// The basis of a cell.
    ///
    /// # Panics
    ///
    /// If the body has no such cell.
    pub fn basis(&self, cell: CellRef) -> CellBasis<'_> {
        self.blocks[cell.block as usize].basis(cell.cell as usize)
    }

    /// Whether the body has this face.
    pub fn has_face(&self, face: FaceRef) -> bool {
        self.blocks
            .get(face.block as usize)
            .is_some_and(|b| (face.cell as usize) < b.n_cells() && (face.face as usize) < b.n_cell_faces())
    }

    /// Largest number of functions of any cell: the size of a buffer that holds one.
    pub fn max_cell_points(&self) -> usize {
        self.blocks.iter().map(Block::n_cell_points).max().unwrap_or(0)
    }

    /// For each point, whether a cell uses it. Points without cells carry neither stiffness nor mass.
    pub fn point_is_used(&self) -> Vec<bool> {
        let mut used = vec![false; self.points.len()];
        for block in &self.blocks {
            let ids = match &block.cells {
                Cells::Lagrange { connectivity, .. } => connectivity,
                Cells::Spline(cells) => &cells.point_ids,
            };
            for &id in ids {
                // Hanging points depend on points that cells use; unused places of a lattice have no point.
                if let Some(used) = used.get_mut(id as usize) {
                    *used = true;
                }
            }
        }
        used
    }
}
