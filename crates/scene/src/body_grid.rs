//! A body as a grid of VTK cells.

use std::f64::consts::PI;
use std::sync::Arc;

use carom_fem::{Body, Geometry, Section};
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
    /// Body face of each grid cell, if the grid is the surface; empty if it is the volume. A shell has one
    /// cell, which stands for both of its faces. The beams of a surface are lines behind the faces.
    pub faces: Vec<FaceRef>,
    /// Radius of the circle of the area of each beam in a surface \[m\]: of the cells behind the faces.
    pub radii: Vec<f64>,
    /// Whether each block of the body has shells.
    shells: Vec<bool>,
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
    ///
    /// A shell has one face, with the normal of its first side: two faces in one place would hide each other.
    /// A beam is a line.
    pub fn surface(body: &Body) -> Self {
        match &body.geometry {
            Geometry::Mesh(mesh) => mesh_surface(mesh, body),
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

    /// The face in [`BodyGrid::faces`] that shows a face of the body: of a shell its first one.
    pub fn shown_face(&self, face: FaceRef) -> FaceRef {
        let is_shell = self.shells.get(face.block as usize).is_some_and(|shells| *shells);
        FaceRef { face: if is_shell { 0 } else { face.face }, ..face }
    }

    /// A value for each grid cell from values on faces of body cells (contact pressure): zero by default. A
    /// cell of a volume, and a shell, have the largest value of their faces.
    pub fn face_values(&self, values: &[(FaceRef, f64)]) -> Vec<f64> {
        let mut sorted: Vec<(FaceRef, f64)> =
            values.iter().map(|(face, value)| (self.shown_face(*face), *value)).collect();
        sorted.sort_by_key(|(face, _)| *face);
        let largest = |is_before: &dyn Fn(FaceRef) -> bool, is_own: &dyn Fn(FaceRef) -> bool| {
            let start = sorted.partition_point(|(face, _)| is_before(*face));
            let own = sorted[start..].iter().take_while(|(face, _)| is_own(*face));
            own.map(|(_, value)| *value).fold(0.0, f64::max)
        };
        let of_cell = |cell: &CellRef| largest(&|face| face.cell() < *cell, &|face| face.cell() == *cell);
        let of_face = |own: &FaceRef| largest(&|face| face < *own, &|face| face == *own);
        let lines = self.cells.iter().skip(self.faces.len()).map(of_cell);
        self.faces.iter().map(of_face).chain(lines).collect()
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
    let shells = blocks_of_shells(mesh);
    BodyGrid { grid, cells, faces: Vec::new(), radii: Vec::new(), shells, source: Source::Nodes(nodes) }
}

fn blocks_of_shells(mesh: &Mesh) -> Vec<bool> {
    mesh.blocks.iter().map(|block| block.shape.table().dimension == 2).collect()
}

/// Outer faces of a mesh, one for each shell, then lines for beams, over the nodes that they use.
fn mesh_surface(mesh: &Mesh, body: &Body) -> BodyGrid {
    let shells = blocks_of_shells(mesh);
    let mut faces = body.boundary_faces();
    faces.retain(|face| face.face == 0 || !shells[face.block as usize]);
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
    let mut cells: Vec<CellRef> = faces.iter().map(|face| face.cell()).collect();
    let mut radii = Vec::new();
    for (cell, shape, nodes) in mesh.cells().filter(|(_, shape, _)| shape.table().dimension == 1) {
        grid.push_cell(shape.table().vtk.kind, [0; 3], nodes.iter().copied().map(&mut number));
        cells.push(cell);
        radii.push(match body.section(cell.block as usize) {
            Some(Section::Beam(beam)) => (beam.area / PI).sqrt(),
            _ => 0.0,
        });
    }
    grid.points = used.iter().map(|&node| mesh.points[node as usize]).collect();
    BodyGrid { grid, cells, faces, radii, shells, source: Source::Nodes(used) }
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
    let source = Source::Bezier(Arc::new(mesh));
    BodyGrid { grid, cells, faces, radii: Vec::new(), shells: Vec::new(), source }
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
