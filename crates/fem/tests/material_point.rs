//! Material points: positions and linear fields are reproduced in cells of all kinds, knot spans, shells and
//! beams.

use carom_fem::{Body, CellEvaluator, Discretisation, MaterialPoint, Section, material_point};

use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{BeamSection, CellBlock, CellRef, CellShape, Mesh, ShellSection};
use carom_nurbs::solids;

use crate::bodies::{mesh_body, nurbs_body};

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
}

/// Position of the points with their weights, which is that of the material point.
fn weighted(discretisation: &Discretisation, found: &MaterialPoint) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for &(point, weight) in &found.weights {
        (0..3).for_each(|d| sum[d] += weight * discretisation.points[point as usize][d]);
    }
    let total: f64 = found.weights.iter().map(|(_, weight)| weight).sum();
    assert!((total - 1.0).abs() < 1e-13, "{total}");
    assert!(found.weights.is_sorted_by(|a, b| a.0 < b.0), "each point once");
    sum
}

/// The points of the middles of all cells, and of a place near a corner, are found where they are.
fn finds_its_own_points(body: &Body) {
    let discretisation = Discretisation::new(body).unwrap();
    let mut evaluator = CellEvaluator::new(&discretisation);
    let cells: Vec<CellRef> = discretisation.cells().collect();
    for cell in cells.iter().step_by(cells.len().div_ceil(12)) {
        evaluator.enter(*cell);
        for xi in [[0.3, 0.31, 0.29], [0.05, 0.1, 0.2]] {
            let position = evaluator.at(xi).position;
            let found = material_point(body, &discretisation, position).unwrap();
            assert!(found.distance == 0.0 && found.position == position, "{cell:?} {found:?}");
            assert!(distance(weighted(&discretisation, &found), position) < 1e-11, "{cell:?} {found:?}");
        }
    }
}

#[test]
fn points_of_solids_are_found_in_their_cells() {
    for shape in [CellShape::Hex8, CellShape::Hex20, CellShape::Hex27] {
        let options = HexOptions { shape, elements: vec![3, 2, 2], ..HexOptions::default() };
        finds_its_own_points(&mesh_body(hexahedra(Solid::Box { size: [0.3, 0.2, 0.1] }, &options).unwrap()));
        let ball = Solid::Ball { radius: 0.4 };
        let options = HexOptions { shape, elements: vec![3], ..HexOptions::default() };
        finds_its_own_points(&mesh_body(hexahedra(ball, &options).unwrap()));
    }
    // A single cell of each kind, in a skewed place.
    for shape in CellShape::SOLIDS {
        let skewed = |[x, y, z]: [f64; 3]| [2.0 * x + 0.3 * y, y - 0.2 * z, 0.5 * z + 0.1 * x * x];
        let points: Vec<[f64; 3]> = shape.reference_nodes().iter().map(|x| skewed(*x)).collect();
        let connectivity = (0..points.len() as u32).collect();
        let blocks = vec![CellBlock { shape, connectivity }];
        finds_its_own_points(&mesh_body(Mesh { points, blocks, sets: Default::default() }));
    }
    finds_its_own_points(&nurbs_body(solids::ball(0.5, None).unwrap().elements([3; 3]).unwrap()));
    finds_its_own_points(&nurbs_body(solids::ball(0.5, Some(0.1)).unwrap()));
}

/// Also those on faces that cells share, on the surface, and a little outside of its facets.
#[test]
fn points_on_and_outside_of_the_surface_have_their_distance() {
    let options = HexOptions { elements: vec![3, 2, 1], shape: CellShape::Hex8, ..HexOptions::default() };
    let body = mesh_body(hexahedra(Solid::Box { size: [0.3, 0.2, 0.1] }, &options).unwrap());
    let discretisation = Discretisation::new(&body).unwrap();
    for (position, nearest) in [
        ([0.1, 0.1, 0.05], [0.1, 0.1, 0.05]),
        ([0.3, 0.2, 0.1], [0.3, 0.2, 0.1]),
        ([0.0, 0.05, 0.1], [0.0, 0.05, 0.1]),
        ([0.15, 0.07, 0.13], [0.15, 0.07, 0.1]),
        ([-0.01, -0.02, 0.04], [0.0, 0.0, 0.04]),
    ] {
        let found = material_point(&body, &discretisation, position).unwrap();
        assert!(distance(weighted(&discretisation, &found), nearest) < 1e-7, "{found:?}");
        assert!((found.distance - distance(position, nearest)).abs() < 1e-9, "{found:?}");
    }
    // A corner is one node.
    let corner = material_point(&body, &discretisation, [0.3, 0.2, 0.1]).unwrap();
    let (point, weight) = corner.weights.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert!((weight - 1.0).abs() < 1e-9, "{corner:?}");
    assert!(distance(discretisation.points[point as usize], [0.3, 0.2, 0.1]) < 1e-15);
}

#[test]
fn points_of_shells_and_beams_lie_on_their_surface_or_axis() {
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
    let with = |shape: CellShape, connectivity: Vec<u32>, section: Section| {
        let blocks = vec![CellBlock { shape, connectivity }];
        let mesh = Mesh { points: points.clone(), blocks, sets: Default::default() };
        Body { sections: vec![Some(section)], ..mesh_body(mesh) }
    };
    let shell = ShellSection { thickness: 0.01, n_layers: 2 };
    let shell = with(CellShape::Quad4, vec![0, 1, 2, 3], Section::Shell(shell));
    let beam = BeamSection::circle(0.01).unwrap();
    let beam = with(CellShape::Line2, vec![0, 1, 1, 2, 2, 3], Section::Beam(beam));
    for (body, position, nearest) in [
        (&shell, [0.25, 0.5, 0.1], [0.25, 0.5, 0.0]),
        (&shell, [1.5, 1.0, 0.0], [1.0, 1.0, 0.0]),
        (&beam, [0.9, 0.5, 0.1], [1.0, 0.5, 0.0]),
        (&beam, [0.3, -0.1, 0.0], [0.3, 0.0, 0.0]),
    ] {
        let discretisation = Discretisation::new(body).unwrap();
        let found = material_point(body, &discretisation, position).unwrap();
        assert!((found.distance - distance(position, nearest)).abs() < 1e-9, "{found:?}");
        assert!(distance(weighted(&discretisation, &found), nearest) < 1e-7, "{found:?}");
    }
}
