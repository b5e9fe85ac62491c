//! A body as a grid of VTK cells.

use carom_fem::{Body, Geometry};
use carom_mesh::{CellRef, CellShape, FaceRef, FaceShape, Mesh};
use carom_nurbs::Multipatch;
use carom_vtk::order::hexahedron_order;
use carom_vtk::{CellType, Grid};

use crate::gluing::glue;
use crate::lattice::PatchLattice;
use crate::surface;

/// A body as a grid of VTK cells, with the way from values at the body's points to values at the points of the grid.
///
/// The grid of a NURBS body has rational Bezier cells of exactly its shape: points are their control points, and every
/// point field is made of control values too.
#[derive(Debug, Clone)]
pub struct BodyGrid {
    /// Points in the axes of the source geometry, cells, weights; no fields yet.
    pub grid: Grid,
    /// Body cell of each grid cell.
    pub cells: Vec<CellRef>,
    /// Face of the body cell that each grid cell is, if the grid is the surface; empty if it is the volume.
    pub faces: Vec<FaceRef>,
    pub(crate) source: Source,
}

/// Where the points of a grid come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// Node of each grid point.
    Nodes(Vec<u32>),
    /// Patches in Bezier form.
    Lattice(LatticeSource),
}

/// Bezier lattices of the patches, and the grid points that they share.
#[derive(Debug, Clone)]
pub(crate) struct LatticeSource {
    pub(crate) patches: Vec<PatchLattice>,
    /// Body points of the control points of each patch.
    pub(crate) point_ids: Vec<Vec<u32>>,
    /// For each patch, the grid point of each lattice point; `u32::MAX` if the grid does not have it.
    pub(crate) grid_points: Vec<Vec<u32>>,
}

impl LatticeSource {
    /// Values at lattice points, gathered to the grid.
    fn to_grid<const D: usize>(
        &self,
        n_points: usize,
        of_patch: impl Fn(usize) -> Vec<[f64; D]>,
    ) -> Vec<[f64; D]> {
        let mut out = vec![[0.0; D]; n_points];
        for (patch, numbers) in self.grid_points.iter().enumerate() {
            for (value, &number) in of_patch(patch).into_iter().zip(numbers) {
                if number != u32::MAX {
                    out[number as usize] = value;
                }
            }
        }
        out
    }

    /// Values at the control points of a patch, from values at body points.
    pub(crate) fn at_patch<const D: usize>(&self, patch: usize, values: &[[f64; D]]) -> Vec<[f64; D]> {
        self.point_ids[patch].iter().map(|&id| values[id as usize]).collect()
    }
}

impl BodyGrid {
    /// The whole body: its cells, or a Bezier hexahedron for each knot span.
    pub fn volume(body: &Body) -> Self {
        match &body.geometry {
            Geometry::Mesh(mesh) => mesh_volume(mesh),
            Geometry::Nurbs(multipatch) => nurbs_volume(multipatch, &body.material_of_block),
        }
    }

    /// The surface of the body: faces of its cells, or a Bezier quadrilateral for each span of its outer sides.
    /// Normals point outwards. It shows the same picture as the volume, in a fraction of the space.
    pub fn surface(body: &Body) -> Self {
        match &body.geometry {
            Geometry::Mesh(mesh) => surface::of_mesh(mesh),
            Geometry::Nurbs(multipatch) => surface::of_nurbs(multipatch, &body.material_of_block),
        }
    }

    /// Carries values at the body's points (nodes, control points) to the points of the grid; linear, and exact as a
    /// function: what is a rigid motion or a mode of the body is the same on the grid.
    ///
    /// # Panics
    ///
    /// If `values` is shorter than the body has points.
    pub fn at_points<const D: usize>(&self, values: &[[f64; D]]) -> Vec<[f64; D]> {
        match &self.source {
            Source::Nodes(nodes) => nodes.iter().map(|&node| values[node as usize]).collect(),
            Source::Lattice(source) => source.to_grid(self.grid.points.len(), |patch| {
                source.patches[patch].rational(&source.at_patch(patch, values))
            }),
        }
    }

    /// A value for each grid cell from values on faces of body cells (contact pressure): zero where none is given; in a
    /// volume a cell shows the largest of its faces.
    pub fn face_values(&self, values: &[(FaceRef, f64)]) -> Vec<f64> {
        let mut sorted = values.to_vec();
        sorted.sort_by_key(|(face, _)| *face);
        let of_face = |face: FaceRef| {
            let start = sorted.partition_point(|(f, _)| *f < face);
            sorted[start..].iter().take_while(|(f, _)| *f == face).map(|(_, v)| *v).fold(0.0, f64::max)
        };
        let of_cell = |cell: CellRef| {
            let key = |face: &FaceRef| (face.block, face.cell);
            let start = sorted.partition_point(|(f, _)| key(f) < (cell.block, cell.cell));
            let own = sorted[start..].iter().take_while(|(f, _)| key(f) == (cell.block, cell.cell));
            own.map(|(_, v)| *v).fold(0.0, f64::max)
        };
        if self.faces.is_empty() {
            self.cells.iter().map(|&cell| of_cell(cell)).collect()
        } else {
            self.faces.iter().map(|&face| of_face(face)).collect()
        }
    }
}

fn mesh_volume(mesh: &Mesh) -> BodyGrid {
    let mut grid = Grid { points: mesh.points.clone(), ..Grid::default() };
    let mut cells = Vec::with_capacity(mesh.n_cells());
    for (cell, shape, nodes) in mesh.cells() {
        grid.push_cell(cell_type(shape), [0; 3], nodes.iter().copied());
        cells.push(cell);
    }
    let nodes = (0..mesh.points.len() as u32).collect();
    BodyGrid { grid, cells, faces: Vec::new(), source: Source::Nodes(nodes) }
}

fn nurbs_volume(multipatch: &Multipatch, groups: &[usize]) -> BodyGrid {
    let patches: Vec<PatchLattice> = multipatch.patches.iter().map(PatchLattice::new).collect();
    let (grid_points, n_points) = glue(multipatch, &patches, groups);
    let mut grid = Grid { rational_weights: vec![1.0; n_points], ..Grid::default() };
    let mut cells = Vec::new();
    for (patch, lattice) in patches.iter().enumerate() {
        for (&number, &weight) in grid_points[patch].iter().zip(&lattice.weights) {
            grid.rational_weights[number as usize] = weight;
        }
        let order = hexahedron_order(lattice.degrees);
        let degrees = lattice.degrees.map(|p| p as u8);
        for cell in 0..lattice.n_cells() {
            let points: Vec<u32> = lattice.cell_points(cell).map(|index| grid_points[patch][index]).collect();
            grid.push_cell(CellType::BezierHexahedron, degrees, order.iter().map(|&n| points[n]));
            cells.push(CellRef { block: patch as u32, cell: cell as u32 });
        }
    }
    grid.points = vec![[0.0; 3]; n_points];
    let source = LatticeSource { patches, point_ids: multipatch.point_ids.clone(), grid_points };
    finish(grid, cells, Vec::new(), source, multipatch)
}

/// Puts the points of a NURBS body into its grid.
pub(crate) fn finish(
    mut grid: Grid,
    cells: Vec<CellRef>,
    faces: Vec<FaceRef>,
    source: LatticeSource,
    multipatch: &Multipatch,
) -> BodyGrid {
    grid.points = source.to_grid(grid.points.len(), |patch| {
        source.patches[patch].rational(&multipatch.patches[patch].points)
    });
    // Polynomial bodies need no weights; VTK is faster without.
    if grid.rational_weights.iter().all(|w| (w - 1.0).abs() < 1e-14) {
        grid.rational_weights.clear();
    }
    BodyGrid { grid, cells, faces, source: Source::Lattice(source) }
}

/// VTK's cell of a kind of mesh cell; the node orders agree.
fn cell_type(shape: CellShape) -> CellType {
    match shape {
        CellShape::Tet4 => CellType::Tetra,
        CellShape::Tet10 => CellType::QuadraticTetra,
        CellShape::Hex8 => CellType::Hexahedron,
        CellShape::Hex20 => CellType::QuadraticHexahedron,
        CellShape::Hex27 => CellType::TriquadraticHexahedron,
    }
}

/// VTK's cell of a kind of face; the node orders agree.
pub(crate) fn face_type(shape: FaceShape) -> CellType {
    match shape {
        FaceShape::Tri3 => CellType::Triangle,
        FaceShape::Tri6 => CellType::QuadraticTriangle,
        FaceShape::Quad4 => CellType::Quad,
        FaceShape::Quad8 => CellType::QuadraticQuad,
        FaceShape::Quad9 => CellType::BiquadraticQuad,
    }
}
