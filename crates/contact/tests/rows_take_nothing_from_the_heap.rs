//! Rows of gaps of one configuration after another, as in a time loop, allocate nothing.

use carom_contact::Shape;
use carom_contact::node_to_face::{ContactSide, Limits, NodeToFace, Nodes, Passes};
use carom_fem::Surface;
use carom_fem::surface::{Face, FaceBasis};
use carom_mesh::FaceShape;
use carom_testing::heap;
use nalgebra::Vector3;

const N: usize = 6;
const STEPS: usize = 40;

/// A square of N × N faces in the plane z = 0, its normal along +z or −z; every point is a node.
fn sheet(orientation: f64) -> (ContactSide, Vec<Vector3<f64>>) {
    let side = N + 1;
    let number = |i: usize, j: usize| (j * side + i) as u32;
    let points: Vec<u32> = (0..(side * side) as u32).collect();
    let places = points.iter().map(|&k| [k as usize % side, k as usize / side].map(|c| c as f64 / N as f64));
    let places: Vec<_> = places.map(|[x, y]| Vector3::new(x, y, 0.0)).collect();
    let face = |i: usize, j: usize| Face {
        basis: FaceBasis::Lagrange(FaceShape::Quad4),
        points: vec![number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)],
        orientation,
    };
    let surface = Surface {
        weights: vec![1.0; points.len()],
        faces: (0..N * N).map(|k| face(k % N, k / N)).collect(),
        operators: Vec::new(),
        points: points.clone(),
    };
    let shape = Shape::faces(surface, &places).unwrap();
    (ContactSide { shape, nodes: Nodes::of_points(&points) }, places)
}

/// Positions of both sheets in a step: waves run through the lower one; the upper one descends on it, slides
/// beyond its rim and leaves.
fn place(step: usize, reference: [&[Vector3<f64>]; 2], positions: &mut [Vec<Vector3<f64>>; 2]) {
    let t = step as f64 / STEPS as f64;
    let wave = |x: &Vector3<f64>| x + Vector3::z() * (0.05 * (6.0 * x.x + 9.0 * t).sin() * (5.0 * x.y).cos());
    let height = 0.6 * (2.0 * t - 1.0).powi(2) - 0.04;
    let shift = Vector3::new(0.7 * t, 0.2 * t, height);
    positions[0].iter_mut().zip(reference[0]).for_each(|(to, x)| *to = wave(x));
    positions[1].iter_mut().zip(reference[1]).for_each(|(to, x)| *to = x + shift);
}

#[test]
fn rows_of_moving_surfaces_allocate_nothing_on_a_repeated_path() {
    let ([lower, upper], [a, b]) = {
        let ((lower, a), (upper, b)) = (sheet(1.0), sheet(-1.0));
        ([lower, upper], [a, b])
    };
    let limits = Limits { reach: 0.15, depth: 0.15 };
    let mut contact = NodeToFace::new([lower, upper], limits, Passes::Dual).unwrap();
    let mut positions = [a.clone(), b.clone()];
    let mut forces = positions.each_ref().map(|points| vec![Vector3::zeros(); points.len()]);
    let mut rows = 0;
    for round in 0..2 {
        for step in 0..=STEPS {
            place(step, [&a, &b], &mut positions);
            let update = || {
                contact.update([&positions[0], &positions[1]]);
                for row in contact.rows() {
                    contact.add_force(row, -row.foot.gap, &mut forces);
                }
                contact.rows().len()
            };
            let (found, allocations) = heap::allocations_during(update);
            if round == 1 {
                assert_eq!(allocations, 0, "step {step}");
                rows += found;
            }
        }
    }
    assert!(rows > 20 * N * N, "{rows}");
    assert!(contact.searches() > 4, "boxes were rebuilt {} times", contact.searches());
}
