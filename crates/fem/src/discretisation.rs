//! Points, weights and cells of a body: what assembly, stress, loads and surfaces are written over.

use carom_mesh::{CellRef, CellShape, FaceRef, Mesh};
use carom_nurbs::basis::MAX_DEGREE;
use carom_nurbs::{KnotVector, Multipatch, Patch};
use thiserror::Error;

use crate::basis::{CellBasis, LineSpan, SplineCells};
use crate::material::MaterialError;
use crate::{Body, Geometry, Material};

/// Why a body is no discretisation.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DiscretisationError {
    /// It has no cells.
    #[error("body `{body}` has no cells")]
    Empty {
        /// Name of the body.
        body: String,
    },
    /// The materials do not cover the blocks.
    #[error("body `{body}` has {n_blocks} blocks of cells, but materials for {n_given}; give one each")]
    MaterialCount {
        /// Name of the body.
        body: String,
        /// Number of blocks or patches.
        n_blocks: usize,
        /// Length of the list of materials by block.
        n_given: usize,
    },
    /// A block names a material that the body does not have.
    #[error(
        "body `{body}`: block {block} has material number {material}, but there are {n_materials} (counted from 0)"
    )]
    NoSuchMaterial {
        /// Name of the body.
        body: String,
        /// Number of the block.
        block: usize,
        /// The number given.
        material: usize,
        /// Number of materials.
        n_materials: usize,
    },
    /// A material is impossible.
    #[error("body `{body}`: {source}")]
    Material {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: MaterialError,
    },
    /// A cell or patch names a point that does not exist.
    #[error("body `{body}`: block {block} uses point {point}, but there are {n_points} (counted from 0)")]
    NoSuchPoint {
        /// Name of the body.
        body: String,
        /// Number of the block or patch.
        block: usize,
        /// The number given.
        point: u32,
        /// Number of points.
        n_points: usize,
    },
    /// A list has a length that does not fit the others.
    #[error("body `{body}`: block {block}: {list} has {found} entries, not {expected}")]
    Length {
        /// Name of the body.
        body: String,
        /// Number of the block or patch.
        block: usize,
        /// Which list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// The length that it must have (for the connectivity of a mesh: a multiple of it).
        expected: usize,
    },
    /// The degree of a patch cannot be evaluated.
    #[error(
        "body `{body}`: patch {patch}: direction {direction} has degree {degree}; degrees from 1 to {MAX_DEGREE} are possible"
    )]
    Degree {
        /// Name of the body.
        body: String,
        /// Number of the patch.
        patch: usize,
        /// 0, 1 or 2.
        direction: usize,
        /// Its degree.
        degree: usize,
    },
    /// A weight is not positive.
    #[error(
        "body `{body}`: patch {patch}: the weight of control point {point} is {weight}; it must be above 0"
    )]
    Weight {
        /// Name of the body.
        body: String,
        /// Number of the patch.
        patch: usize,
        /// Number of the control point in the patch.
        point: usize,
        /// The weight.
        weight: f64,
    },
}

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
#[derive(Debug, Clone, PartialEq)]
pub struct Discretisation {
    /// Nodes or control points P_i \[m\].
    pub points: Vec<[f64; 3]>,
    /// Weight of each point, 1 for nodes.
    pub weights: Vec<f64>,
    /// The cells.
    pub blocks: Vec<Block>,
    /// Materials of the body.
    pub materials: Vec<Material>,
}

impl Discretisation {
    /// The discretisation of a body, all of its numbers checked.
    ///
    /// # Errors
    ///
    /// [`DiscretisationError`] names the block and the number that do not fit.
    pub fn new(body: &Body) -> Result<Self, DiscretisationError> {
        let (points, weights, cells) = match &body.geometry {
            Geometry::Mesh(mesh) => mesh_cells(&body.name, mesh)?,
            Geometry::Nurbs(multipatch) => patch_cells(&body.name, multipatch)?,
        };
        if body.material_of_block.len() != cells.len() {
            return Err(DiscretisationError::MaterialCount {
                body: body.name.clone(),
                n_blocks: cells.len(),
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
        for (block, (cells, &material)) in cells.into_iter().zip(&body.material_of_block).enumerate() {
            if material >= n_materials {
                let body = body.name.clone();
                return Err(DiscretisationError::NoSuchMaterial { body, block, material, n_materials });
            }
            blocks.push(Block { cells, material });
        }
        if blocks.iter().all(|block| block.n_cells() == 0) {
            return Err(DiscretisationError::Empty { body: body.name.clone() });
        }
        Ok(Self { points, weights, blocks, materials: body.materials.clone() })
    }

    /// Number of points (nodes or control points).
    pub fn n_points(&self) -> usize {
        self.points.len()
    }

    /// Number of degrees of freedom, three a point.
    pub fn n_dofs(&self) -> usize {
        3 * self.points.len()
    }

    /// Number of degrees of freedom of the points that cells use: those of the body itself.
    pub fn n_used_dofs(&self) -> usize {
        3 * self.point_is_used().iter().filter(|used| **used).count()
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
                used[id as usize] = true;
            }
        }
        used
    }
}

type Parts = (Vec<[f64; 3]>, Vec<f64>, Vec<Cells>);

fn mesh_cells(body: &str, mesh: &Mesh) -> Result<Parts, DiscretisationError> {
    let n_points = mesh.points.len();
    let mut blocks = Vec::with_capacity(mesh.blocks.len());
    for (i_block, block) in mesh.blocks.iter().enumerate() {
        check_points(body, i_block, &block.connectivity, n_points)?;
        if block.connectivity.len() % block.shape.n_nodes() != 0 {
            return Err(DiscretisationError::Length {
                body: body.to_owned(),
                block: i_block,
                list: "the connectivity",
                found: block.connectivity.len(),
                expected: block.shape.n_nodes(),
            });
        }
        blocks.push(Cells::Lagrange { shape: block.shape, connectivity: block.connectivity.clone() });
    }
    Ok((mesh.points.clone(), vec![1.0; n_points], blocks))
}

fn check_points(body: &str, block: usize, ids: &[u32], n_points: usize) -> Result<(), DiscretisationError> {
    match ids.iter().find(|&&id| id as usize >= n_points) {
        Some(&point) => {
            Err(DiscretisationError::NoSuchPoint { body: body.to_owned(), block, point, n_points })
        }
        None => Ok(()),
    }
}

fn patch_cells(body: &str, multipatch: &Multipatch) -> Result<Parts, DiscretisationError> {
    let n_points = multipatch.n_points;
    let mut points = vec![[0.0; 3]; n_points];
    let mut weights = vec![1.0; n_points];
    let mut blocks = Vec::with_capacity(multipatch.patches.len());
    for (i_patch, patch) in multipatch.patches.iter().enumerate() {
        let ids = multipatch.point_ids.get(i_patch).map_or(&[][..], Vec::as_slice);
        let n_functions = patch.basis.each_ref().map(KnotVector::n_functions);
        let expected = n_functions.iter().product();
        for (list, found) in [
            ("the list of control points", patch.points.len()),
            ("the list of weights", patch.weights.len()),
            ("the list of glued points", ids.len()),
        ] {
            if found != expected {
                let body = body.to_owned();
                return Err(DiscretisationError::Length { body, block: i_patch, list, found, expected });
            }
        }
        check_points(body, i_patch, ids, n_points)?;
        let degrees = patch.basis.each_ref().map(KnotVector::degree);
        if let Some(direction) = degrees.iter().position(|p| !(1..=MAX_DEGREE).contains(p)) {
            let degree = degrees[direction];
            return Err(DiscretisationError::Degree {
                body: body.to_owned(),
                patch: i_patch,
                direction,
                degree,
            });
        }
        if let Some(point) = patch.weights.iter().position(|&w| !(w > 0.0 && w.is_finite())) {
            let weight = patch.weights[point];
            return Err(DiscretisationError::Weight { body: body.to_owned(), patch: i_patch, point, weight });
        }
        for ((&id, point), &weight) in ids.iter().zip(&patch.points).zip(&patch.weights) {
            points[id as usize] = *point;
            weights[id as usize] = weight;
        }
        blocks.push(Cells::Spline(SplineCells {
            degrees,
            n_functions,
            lines: std::array::from_fn(|d| line_spans(patch, d)),
            point_ids: ids.to_vec(),
            weights: patch.weights.clone(),
        }));
    }
    Ok((points, weights, blocks))
}

fn line_spans(patch: &Patch, direction: usize) -> Vec<LineSpan> {
    let basis = &patch.basis[direction];
    let knots = basis.knots();
    let spans = basis.spans().into_iter().zip(basis.extraction());
    spans
        .map(|(span, operator)| LineSpan {
            first: basis.first_function(span),
            interval: [knots[span], knots[span + 1]],
            operator,
        })
        .collect()
}
