//! Zywicz & Puso (1999), second example: two equal rigid bars of 50 × 1 × 1 m, the left one at 1 m/s, the
//! right one at rest 0.01 m before it; their corners meet node on node, flush with the rims of the faces that
//! they hit.
//!
//! In the paper the velocities swap within one step. Its search is a dual pass, nodes of each bar against the
//! end of the other, and finds eight contacts, of which four repeat the others.

use crate::problems::{at, block, pair};
use carom_dynamics::Placement;
use carom_fem::{Body, Discretisation, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_rigid::{Ball, Block, Law, PairSpec, Shape, System};
use nalgebra::Vector3;

const SIZE: Vector3<f64> = Vector3::new(50.0, 1.0, 1.0);
const GAP: f64 = 0.01;
const STEP: f64 = 0.009;

/// The four nodes of an end, +1 for that at +x, without edges.
fn nodes(end: f64) -> Vec<Ball> {
    let corner = |y: f64, z: f64| Ball::point(0.5 * SIZE.component_mul(&Vector3::new(end, y, z)));
    vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
}

fn brick() -> Shape {
    Shape::Block(Block::new(Vector3::zeros(), 0.5 * SIZE))
}

/// The boundary of a bar of 50 bricks, or its ends alone.
fn mesh(whole: bool) -> Shape {
    let options = HexOptions { elements: vec![50, 1, 1], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: SIZE.into() }, &options).unwrap();
    let body = Body {
        name: "bar".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        sections: Vec::new(),
    };
    let discretisation = Discretisation::new(&body).unwrap();
    let ends = || ["west", "east"].into_iter().flat_map(|end| body.faces_of_set(end).unwrap()).collect();
    let surface = discretisation.surface(&if whole { body.boundary_faces() } else { ends() });
    let points = surface.points.iter().map(|&i| Vector3::from(discretisation.points[i as usize]));
    // The box lies in the first octant or around the origin: only its middle matters.
    let middle = 0.5 * SIZE - points.clone().fold(Vector3::repeat(f64::NEG_INFINITY), |m, x| m.sup(&x));
    let positions: Vec<_> = points.map(|x| x + middle).collect();
    Shape::faces(surface, &positions).unwrap()
}

/// Bodies whose nodes are points of a contact: the left bar, the right one, or both.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pass {
    Left,
    Right,
    Dual,
}

fn bars(pass: Pass, shape: &Shape, shift: [f64; 2], gap: f64, law: Law) -> System {
    let bodies = vec![block(0.5, SIZE), block(0.5, SIZE)];
    let [y, z] = shift;
    let places = [at([-25.0, 0.0, 0.0], [1.0, 0.0, 0.0]), at([25.0 + gap, y, z], [0.0; 3])];
    let mut pairs: Vec<PairSpec> = Vec::new();
    if pass != Pass::Right {
        pairs.push(PairSpec { law, ..pair([0, 1], nodes(1.0), shape.clone()) });
    }
    if pass != Pass::Left {
        pairs.push(PairSpec { law, ..pair([1, 0], nodes(-1.0), shape.clone()) });
    }
    System::new(bodies, &places, &pairs, Vector3::zeros(), STEP).unwrap()
}

/// Velocities of both bars.
fn velocities(system: &System) -> [Vector3<f64>; 2] {
    [0, 1].map(|i: usize| system.states()[i].momentum / system.bodies[i].mass)
}

/// Runs the bars; they swap velocities in the one step in which the gap closes, to round-off.
fn swap(case: &str, mut system: System, gap: f64) {
    let momentum = system.momentum();
    let closes = (gap / STEP).floor() as u64 + 1;
    for step in 1..=20 {
        system.step().unwrap();
        let expected =
            if step < closes { [Vector3::x(), Vector3::zeros()] } else { [Vector3::zeros(), Vector3::x()] };
        let errors = [0, 1].map(|i: usize| (velocities(&system)[i] - expected[i]).norm());
        assert!(errors[0].max(errors[1]) < 1e-14, "{case}, step {step}: {errors:?}");
    }
    assert!((system.momentum() - momentum).norm() < 1e-15, "{case}: {:?}", system.momentum());
    assert!((system.energy() / 0.25 - 1.0).abs() < 1e-14, "{case}: {}", system.energy());
    let spins = system.states().iter().map(|state| state.spin.norm()).fold(0.0, f64::max);
    assert!(spins < 1e-13, "{case}: {spins:.1e}");
    assert!(system.missed().next().is_none(), "{case}");
}

#[test]
fn velocities_swap_in_one_step_in_every_pass() {
    for (name, shape) in [("block", brick()), ("ends", mesh(false)), ("whole boundary", mesh(true))] {
        for pass in [Pass::Left, Pass::Right, Pass::Dual] {
            let case = format!("{name}, {pass:?}");
            swap(&case, bars(pass, &shape, [0.0; 2], GAP, Law::Hard), GAP);
        }
    }
}

/// Bars that touch from the start.
#[test]
fn bars_that_touch_at_the_start_swap_at_once() {
    for (name, shape) in [("block", brick()), ("whole boundary", mesh(true))] {
        for pass in [Pass::Left, Pass::Right, Pass::Dual] {
            swap(&format!("{name}, {pass:?}, touching"), bars(pass, &shape, [0.0; 2], 0.0, Law::Hard), 0.0);
        }
    }
}

/// Eight contacts at once, of which four repeat the others: each pass alone finds four.
#[test]
fn the_dual_pass_finds_eight_node_pairs() {
    for (pass, n) in [(Pass::Left, 4), (Pass::Right, 4), (Pass::Dual, 8)] {
        let stiffness = 1.0;
        let mut system = bars(pass, &brick(), [0.0; 2], GAP, Law::per_point(stiffness));
        system.step().unwrap();
        system.step().unwrap();
        let found: u32 = system.reports.iter().map(|report| report.contacts).sum();
        assert_eq!(found, n, "{pass:?}");
    }
}

/// The right bar is shifted along the rim: two nodes of each bar lie inside the other's end, flush along
/// one side.
#[test]
fn nodes_flush_along_one_side_are_found() {
    for shift in [[0.25, 0.0], [0.0, -0.5], [-0.125, 0.0]] {
        for (name, shape) in [("block", brick()), ("whole boundary", mesh(true))] {
            let mut system = bars(Pass::Dual, &shape, shift, GAP, Law::Hard);
            let energy = system.energy();
            for _ in 0..2 {
                system.step().unwrap();
            }
            let touched: u32 = system.reports.iter().map(|report| report.contacts).sum();
            assert!(touched >= 2, "{name} {shift:?}: {:?}", system.reports);
            for _ in 0..100 {
                system.step().unwrap();
            }
            let [left, right] = velocities(&system);
            assert!(left.x < right.x, "{name} {shift:?}: {left:?} {right:?}");
            assert!((system.energy() / energy - 1.0).abs() < 1e-12, "{name} {shift:?}");
        }
    }
}

/// In rotated and shifted positions, rounding moves the nodes to either side of the rims.
#[test]
fn flush_nodes_are_found_in_spite_of_rounding() {
    for k in 0..40 {
        let a = f64::from(k);
        let axis = [a.sin() + 0.1, (1.7 * a).cos(), (0.3 * a).sin()];
        let turned = Placement::rotated(axis, 9.0 * a);
        let rotation = carom_dynamics::rotation::matrix(&turned.quaternion);
        let along = rotation.column(0).into_owned();
        let origin = Vector3::new(3.0 * a, -7.0, 0.1 * a);
        let place = |x: f64, v: f64| Placement {
            origin: (origin + x * along).into(),
            velocity: (v * along).into(),
            ..turned
        };
        let places = [place(-25.0, 1.0), place(25.0 + GAP, 0.0)];
        for shape in [brick(), mesh(true)] {
            let bodies = vec![block(0.5, SIZE), block(0.5, SIZE)];
            let pairs = [pair([0, 1], nodes(1.0), shape.clone()), pair([1, 0], nodes(-1.0), shape.clone())];
            let mut system = System::new(bodies, &places, &pairs, Vector3::zeros(), STEP).unwrap();
            for _ in 0..3 {
                system.step().unwrap();
            }
            let [left, right] = velocities(&system);
            assert!(left.norm() < 1e-12 && (right - along).norm() < 1e-12, "{k}: {left:?} {right:?}");
        }
    }
}
