//! Surfaces and pictures of shells and beams.

use std::f64::consts::{PI, TAU};

use carom_fem::{Body, Geometry, Material, Section};
use carom_mesh::section::{BeamSection, ShellSection};
use carom_mesh::{CellBlock, CellShape, FaceRef, Mesh};
use carom_report::{Color, Picture};
use carom_scene::{BodyGrid, Coloring, picture};

const RADIUS: f64 = 0.02;

/// Number of sides of the tube of a beam in a small picture.
const SIDES: f64 = 16.0;

fn body(mesh: Mesh, sections: Vec<Section>) -> Body {
    Body {
        name: "frame".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 }],
        sections: sections.into_iter().map(Some).collect(),
    }
}

/// Beams between points, by the numbers of their ends.
fn beams(points: Vec<[f64; 3]>, ends: &[[u32; 2]]) -> Body {
    let mut mesh = Mesh { points, ..Mesh::default() };
    mesh.blocks.push(CellBlock { shape: CellShape::Line2, connectivity: ends.concat() });
    body(mesh, vec![Section::Beam(BeamSection::circle(RADIUS).unwrap())])
}

/// A sheet of 3 × 2 squares of 1 m with a beam along its last edge, in a block of its own.
fn sheet_with_a_beam() -> Body {
    let points = (0..12).map(|k| [f64::from(k % 4), f64::from(k / 4), 0.0]).collect();
    let mut mesh = Mesh { points, ..Mesh::default() };
    let quads = (0..6_u32).flat_map(|k| {
        let first = k % 3 + 4 * (k / 3);
        [first, first + 1, first + 5, first + 4]
    });
    mesh.blocks.push(CellBlock { shape: CellShape::Line2, connectivity: vec![3, 7, 7, 11] });
    mesh.blocks.push(CellBlock { shape: CellShape::Quad4, connectivity: quads.collect() });
    let sections = [
        Section::Beam(BeamSection::circle(RADIUS).unwrap()),
        Section::Shell(ShellSection::new(0.01, 3).unwrap()),
    ];
    body(mesh, sections.to_vec())
}

fn drawn(body: &Body) -> Picture {
    picture(&[(&BodyGrid::surface(body), Coloring::Plain(Color::INK))], true)
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|d| a[d] - b[d])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|d| a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| a[d] * b[d]).sum()
}

/// Area of the triangles, and the volume that they enclose by the theorem of Gauss.
fn area_and_volume(picture: &Picture) -> [f64; 2] {
    let of = |[a, b, c]: [[f64; 3]; 3]| {
        let normal = cross(minus(b, a), minus(c, a));
        [0.5 * dot(normal, normal).sqrt(), dot(a, normal) / 6.0]
    };
    picture.triangles.iter().map(|t| of(t.corners)).fold([0.0; 2], |sum, one| [0, 1].map(|k| sum[k] + one[k]))
}

/// Perimeter and area of the polygon of a tube.
fn polygon() -> [f64; 2] {
    [2.0 * SIDES * RADIUS * (PI / SIDES).sin(), 0.5 * SIDES * RADIUS * RADIUS * (TAU / SIDES).sin()]
}

fn assert_close(found: [f64; 2], expected: [f64; 2]) {
    assert!((0..2).all(|k| (found[k] / expected[k] - 1.0).abs() < 1e-12), "{found:?} but {expected:?}");
}

/// A prism with two lids.
#[test]
fn a_beam_is_a_closed_prism_around_its_axis() {
    let (start, end) = ([0.1, -0.2, 0.3], [0.4, 0.5, -0.6]);
    let picture = drawn(&beams(vec![start, end], &[[0, 1]]));
    let along = minus(end, start);
    let length = dot(along, along).sqrt();
    let [perimeter, area] = polygon();
    assert_close(area_and_volume(&picture), [perimeter * length + 2.0 * area, area * length]);
    assert_eq!(picture.outlines, [[start, end]]);
    for triangle in &picture.triangles {
        for corner in triangle.corners {
            let arm = cross(minus(corner, start), along);
            let distance = dot(arm, arm).sqrt() / length;
            assert!(distance < 1e-15 || (distance - RADIUS).abs() < 1e-15, "{distance}");
        }
    }
}

/// Tubes that are cut along the planes between them have together the area and the volume of a prism of the
/// length of their axes: a cut along a plane through the axis adds on one side as much as it takes on the
/// other.
#[test]
fn the_beams_of_a_ring_are_one_tube_without_gaps() {
    let n = 12_u32;
    let points: Vec<[f64; 3]> = (0..n).map(|k| TAU * f64::from(k) / f64::from(n)).map(on_circle).collect();
    let ends: Vec<[u32; 2]> = (0..n).map(|k| [k, (k + 1) % n]).collect();
    let length = f64::from(n) * 2.0 * (PI / f64::from(n)).sin();
    let [perimeter, area] = polygon();
    assert_close(area_and_volume(&drawn(&beams(points, &ends))), [perimeter * length, area * length]);
}

fn on_circle(angle: f64) -> [f64; 3] {
    [angle.cos(), angle.sin(), 0.0]
}

/// Three beams that meet, and two with a sharp fold, have lids: a mitre would stick out.
#[test]
fn junctions_and_sharp_folds_have_lids() {
    let star = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let [perimeter, area] = polygon();
    let star = drawn(&beams(star.to_vec(), &[[0, 1], [0, 2], [3, 0]]));
    assert_close(area_and_volume(&star), [3.0 * (perimeter + 2.0 * area), 3.0 * area]);
    let fold = [[1.0, 0.1, 0.0], [0.0; 3], [1.0, -0.1, 0.0]];
    let [along, lids] = [2.0 * 1.01_f64.sqrt(), 4.0];
    let fold = drawn(&beams(fold.to_vec(), &[[0, 1], [1, 2]]));
    assert_close(area_and_volume(&fold), [perimeter * along + lids * area, area * along]);
}

/// One cell for each shell; the borders of cells are faint, the rim of the sheet dark.
#[test]
fn a_shell_is_one_face_and_a_beam_one_line() {
    let body = sheet_with_a_beam();
    let grid = BodyGrid::surface(&body);
    assert_eq!((grid.faces.len(), grid.radii.len(), grid.grid.n_cells()), (6, 2, 8));
    assert!(grid.faces.iter().all(|face| face.block == 1 && face.face == 0), "{:?}", grid.faces);
    assert!(grid.radii.iter().all(|radius| (radius - RADIUS).abs() < 1e-15), "{:?}", grid.radii);
    grid.grid.check().unwrap();
    let picture = drawn(&body);
    let length = |lines: &[[[f64; 3]; 2]]| -> f64 {
        lines.iter().map(|[a, b]| minus(*b, *a)).map(|along| dot(along, along).sqrt()).sum()
    };
    // The rim of the sheet, and the axes of the beams.
    let (dark, faint) = (length(&picture.outlines), length(&picture.edges));
    assert!((dark - 12.0).abs() < 1e-12 && (faint - 7.0).abs() < 1e-12, "{dark} {faint}");
}

/// A pressure on either side of a shell is shown on its one face; of two the larger.
#[test]
fn pressures_on_both_sides_of_a_shell_are_shown() {
    let grid = BodyGrid::surface(&sheet_with_a_beam());
    let on = |cell, face, pressure| (FaceRef { block: 1, cell, face }, pressure);
    let values = grid.face_values(&[on(1, 1, 2.0), on(4, 0, 3.0), on(5, 1, 1.0), on(5, 0, 4.0)]);
    assert_eq!(values, [0.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0]);
}
