//! The surface of a body as a grid.

use carom_mesh::topology::FaceTable;
use carom_mesh::{CellRef, FaceRef, Mesh};
use carom_nurbs::{Multipatch, Side};
use carom_vtk::order::quadrilateral_order;
use carom_vtk::{CellType, Grid};

use crate::body_grid::{BodyGrid, LatticeSource, Source, face_type, finish};
use crate::gluing::glue;
use crate::lattice::PatchLattice;

/// Outer faces of a mesh, over the nodes that they use.
pub(crate) fn of_mesh(mesh: &Mesh) -> BodyGrid {
    let faces = FaceTable::new(mesh).boundary();
    let mut numbers = Numbering::new(mesh.points.len());
    let mut grid = Grid::default();
    for &face in &faces {
        let (shape, nodes) = mesh.face(face);
        grid.push_cell(face_type(shape), [0; 3], nodes.map(|node| numbers.of(node)));
    }
    grid.points = numbers.used.iter().map(|&node| mesh.points[node as usize]).collect();
    let cells = faces.iter().map(|face| face.cell()).collect();
    BodyGrid { grid, cells, faces, source: Source::Nodes(numbers.used) }
}

/// Outer sides of a NURBS body, a Bezier quadrilateral a span.
pub(crate) fn of_nurbs(multipatch: &Multipatch, groups: &[usize]) -> BodyGrid {
    let patches: Vec<PatchLattice> = multipatch.patches.iter().map(PatchLattice::new).collect();
    let (all_points, n_all) = glue(multipatch, &patches, groups);
    let mut numbers = Numbering::new(n_all);
    let (mut grid, mut cells, mut faces) = (Grid::default(), Vec::new(), Vec::new());
    for (patch, side) in multipatch.outer_sides() {
        let lattice = &patches[patch as usize];
        let own = &all_points[patch as usize];
        let degrees = outward_tangents(side).map(|d| lattice.degrees[d]);
        let order = quadrilateral_order(degrees);
        for cell in (0..lattice.n_cells()).filter(|&cell| touches(lattice, cell, side)) {
            let all: Vec<usize> = lattice.cell_points(cell).collect();
            let points: Vec<usize> = face_places(lattice.degrees, side).iter().map(|&n| all[n]).collect();
            let ids = order.iter().map(|&n| numbers.of(own[points[n]]));
            grid.push_cell(CellType::BezierQuadrilateral, [degrees[0] as u8, degrees[1] as u8, 0], ids);
            cells.push(CellRef { block: patch, cell: cell as u32 });
            faces.push(FaceRef { block: patch, cell: cell as u32, face: side as u8 });
        }
    }
    let to_grid =
        |numbers_of_patch: &Vec<u32>| numbers_of_patch.iter().map(|&n| numbers.new_of[n as usize]).collect();
    let grid_points: Vec<Vec<u32>> = all_points.iter().map(to_grid).collect();
    grid.points = vec![[0.0; 3]; numbers.used.len()];
    grid.rational_weights = vec![1.0; numbers.used.len()];
    for (lattice, own) in patches.iter().zip(&grid_points) {
        for (&number, &weight) in own.iter().zip(&lattice.weights).filter(|(n, _)| **n != u32::MAX) {
            grid.rational_weights[number as usize] = weight;
        }
    }
    let source = LatticeSource { patches, point_ids: multipatch.point_ids.clone(), grid_points };
    finish(grid, cells, faces, source, multipatch)
}

/// The two directions along a side, in the order whose cross product points out of the body.
///
/// u × v = w, v × w = u, but u × w = −v; at the first parameter the outward direction is the negative one.
pub(crate) fn outward_tangents(side: Side) -> [usize; 2] {
    let [a, b] = side.tangents();
    if (side.direction() == 1) == side.is_end() { [b, a] } else { [a, b] }
}

/// Places, in the list of a cell's lattice points, of those on a side: in the order of [`outward_tangents`], first fastest.
pub(crate) fn face_places(degrees: [usize; 3], side: Side) -> Vec<usize> {
    let strides = [1, degrees[0] + 1, (degrees[0] + 1) * (degrees[1] + 1)];
    let [a, b] = outward_tangents(side);
    let fixed = if side.is_end() { degrees[side.direction()] * strides[side.direction()] } else { 0 };
    (0..=degrees[b])
        .flat_map(|j| (0..=degrees[a]).map(move |i| fixed + i * strides[a] + j * strides[b]))
        .collect()
}

/// Whether a cell lies at a side of its patch.
fn touches(lattice: &PatchLattice, cell: usize, side: Side) -> bool {
    let d = side.direction();
    lattice.span_of_cell(cell)[d] == if side.is_end() { lattice.spans[d] - 1 } else { 0 }
}

/// New numbers for those that are used, in the order of their first use.
struct Numbering {
    new_of: Vec<u32>,
    used: Vec<u32>,
}

impl Numbering {
    fn new(n: usize) -> Self {
        Self { new_of: vec![u32::MAX; n], used: Vec::new() }
    }

    fn of(&mut self, old: u32) -> u32 {
        let new = &mut self.new_of[old as usize];
        if *new == u32::MAX {
            *new = self.used.len() as u32;
            self.used.push(old);
        }
        *new
    }
}
