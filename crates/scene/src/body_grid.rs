//! A body as a grid of VTK cells.

use std::sync::Arc;

use carom_fem::{Body, Geometry};
use carom_mesh::{CellRef, FaceRef, Mesh};
use carom_nurbs::bezier::{BezierCell, BezierMesh};
use carom_nurbs::{Multipatch, Side};
use carom_vtk::order::{hexahedron_order, quadrilateral_order};
use carom_vtk::{CellType, Grid};

use crate::tessellate::tessellate;

/// A body as a grid of VTK cells, with the map from values at the body's points to values at the points of
/// the grid.
///
/// The grid of a NURBS body has rational Bezier cells with its exact shape: points are control points, and
/// point fields consist of control values.
#[derive(Debug, Clone)]
pub struct BodyGrid {
    /// Points in the axes of the source geometry, cells, weights; no fields yet.
    pub grid: Grid,
    /// Body cell of each grid cell.
    pub cells: Vec<CellRef>,
    /// Body face of each grid cell, if the grid is the surface; empty if it is the volume.
    pub faces: Vec<FaceRef>,
    pub(crate) source: Source,
}

/// The source of the points of a grid.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// Node of each grid point.
    Nodes(Vec<u32>),
    /// Bezier control points; grid points have their numbers.
    Bezier(Arc<BezierMesh>),
}

impl BodyGrid {
    /// The whole body: its cells, or a Bezier hexahedron for each knot span.
    pub fn volume(body: &Body) -> Self {
        match &body.geometry {
            Geometry::Mesh(mesh) => mesh_volume(mesh),
            Geometry::Nurbs(multipatch) => of_bezier(multipatch, multipatch.bezier()),
        }
    }

    /// The surface of the body: faces of its cells, or a Bezier quadrilateral for each knot span of its outer
    /// sides. Normals point outwards. It gives the same picture as the volume with much less data.
    pub fn surface(body: &Body) -> Self {
        match &body.geometry {
            Geometry::Mesh(mesh) => mesh_surface(mesh, body.boundary_faces()),
            Geometry::Nurbs(multipatch) => of_bezier(multipatch, multipatch.bezier_surface()),
        }
    }

    /// Maps values at the body's points (nodes, control points) to the points of the grid. The map is linear
    /// and exact: rigid motions and modes of the body are the same functions on the grid.
    ///
    /// # Panics
    ///
    /// If `values` is shorter than the body has points.
    pub fn at_points<const D: usize>(&self, values: &[[f64; D]]) -> Vec<[f64; D]> {
        match &self.source {
            Source::Nodes(nodes) => nodes.iter().map(|&node| values[node as usize]).collect(),
            Source::Bezier(mesh) => {
                let mut out = vec![[0.0; D]; mesh.points.len()];
                mesh.field_into(values, &mut out);
                out
            }
        }
    }

    /// A value for each grid cell from values on faces of body cells (contact pressure): zero by default; in
    /// a volume a cell has the largest value of its faces.
    pub fn face_values(&self, values: &[(FaceRef, f64)]) -> Vec<f64> {
        let mut sorted = values.to_vec();
        sorted.sort_by_key(|(face, _)| *face);
        let cell_key = |face: &FaceRef| (face.block, face.cell);
        let of_cell = |cell: &CellRef| {
            let start = sorted.partition_point(|(f, _)| cell_key(f) < (cell.block, cell.cell));
            let own = sorted[start..].iter().take_while(|(f, _)| cell_key(f) == (cell.block, cell.cell));
            own.map(|(_, v)| *v).fold(0.0, f64::max)
        };
        let of_face =
            |face: &FaceRef| sorted.binary_search_by_key(face, |(f, _)| *f).map_or(0.0, |n| sorted[n].1);
        if self.faces.is_empty() {
            self.cells.iter().map(of_cell).collect()
        } else {
            self.faces.iter().map(of_face).collect()
        }
    }

    /// Points of a face of a surface grid at parameters 0, 1/n, … 1 of both directions (of a triangle: those
    /// with ξ₁ + ξ₂ ≤ 1), and the numbers of those around it.
    ///
    /// Empty for a cell of a volume.
    pub fn sample(&self, cell: usize, n: usize) -> (Vec<[f64; 3]>, Vec<usize>) {
        let tessellation = tessellate(&self.grid, cell, None, n);
        (tessellation.points.into_iter().map(|(x, _)| x).collect(), tessellation.rim)
    }
}

fn mesh_volume(mesh: &Mesh) -> BodyGrid {
    let mut grid = Grid { points: mesh.points.clone(), ..Grid::default() };
    let mut cells = Vec::with_capacity(mesh.n_cells());
    for (cell, shape, nodes) in mesh.cells() {
        grid.push_cell(shape.table().vtk.kind, [0; 3], nodes.iter().copied());
        cells.push(cell);
    }
    let nodes = (0..mesh.points.len() as u32).collect();
    BodyGrid { grid, cells, faces: Vec::new(), source: Source::Nodes(nodes) }
}

/// Outer faces of a mesh, over the nodes that they use.
fn mesh_surface(mesh: &Mesh, faces: Vec<FaceRef>) -> BodyGrid {
    let mut new_of = vec![u32::MAX; mesh.points.len()];
    let mut used = Vec::new();
    let mut number = |node: u32| {
        let new = &mut new_of[node as usize];
        if *new == u32::MAX {
            *new = used.len() as u32;
            used.push(node);
        }
        *new
    };
    let mut grid = Grid::default();
    for &face in &faces {
        let (shape, nodes) = mesh.face(face);
        grid.push_cell(shape.vtk(), [0; 3], nodes.map(&mut number));
    }
    grid.points = used.iter().map(|&node| mesh.points[node as usize]).collect();
    let cells = faces.iter().map(|face| face.cell()).collect();
    BodyGrid { grid, cells, faces, source: Source::Nodes(used) }
}

/// Bezier cells of a body or of its surface.
fn of_bezier(multipatch: &Multipatch, mesh: BezierMesh) -> BodyGrid {
    let mut grid = Grid { points: mesh.points.clone(), ..Grid::default() };
    // Polynomial bodies need no weights; VTK is faster without them.
    if mesh.weights.iter().any(|w| (w - 1.0).abs() > 1e-14) {
        grid.rational_weights = mesh.weights.clone();
    }
    let (mut cells, mut faces) = (Vec::with_capacity(mesh.cells.len()), Vec::new());
    let numbers = multipatch.cell_numbers();
    for bezier in &mesh.cells {
        let (block, cell) = numbers.of(bezier.patch, bezier.level, bezier.cell);
        let cell = CellRef { block, cell };
        cells.push(cell);
        match bezier.side {
            None => {
                let order = hexahedron_order(bezier.degrees);
                let degrees = bezier.degrees.map(|p| p as u8);
                grid.push_cell(CellType::BezierHexahedron, degrees, order.iter().map(|&n| bezier.points[n]));
            }
            Some(side) => {
                faces.push(FaceRef { block: cell.block, cell: cell.cell, face: side as u8 });
                let (degrees, points) = outward_face(bezier, side);
                let order = quadrilateral_order(degrees);
                let degrees = [degrees[0] as u8, degrees[1] as u8, 0];
                grid.push_cell(CellType::BezierQuadrilateral, degrees, order.iter().map(|&n| points[n]));
            }
        }
    }
    BodyGrid { grid, cells, faces, source: Source::Bezier(Arc::new(mesh)) }
}

/// Degrees and points of a face, directions in the order whose cross product points out of the body.
///
/// u × v = w, v × w = u, but u × w = −v; at the first parameter the outward direction is the negative one.
fn outward_face(bezier: &BezierCell, side: Side) -> ([usize; 2], Vec<u32>) {
    let [p, q, _] = bezier.degrees;
    if (side.direction() == 1) != side.is_end() {
        return ([p, q], bezier.points.clone());
    }
    let turned = (0..=p).flat_map(|i| (0..=q).map(move |j| i + (p + 1) * j));
    ([q, p], turned.map(|n| bezier.points[n]).collect())
}
