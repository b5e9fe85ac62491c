//! Contact of all surfaces with shells, which touch with both sides at half of their thickness.

use std::f64::consts::PI;

use carom_contact::Law;
use carom_continuum::explicit::{AutomaticSpec, Load, Problem};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::{Body, Geometry, Section};
use carom_mesh::CellShape;
use nalgebra::Vector3;

use crate::setup::{Kept, at, block, deformable, pair, residuals, run, settings};
use crate::shells::{SHELL_LAW, body, plate};

const ALL: AutomaticSpec = AutomaticSpec { number: 0, law: Law::Hard, friction: 0.0 };
const RUBBER: [f64; 3] = [1000.0, 1e7, 0.3];
const THICKNESS: f64 = 0.004;

/// A block that comes to a plate of shells from above (1) or below (−1).
fn block_on_plate(side: f64) -> Problem {
    let plate = plate("plate", [0.1, 0.1], [6, 6], 0.0, THICKNESS, RUBBER);
    let block = block("block", [0.041, 0.043, 0.04], [2, 2, 2], RUBBER);
    let near = 0.5 * THICKNESS + 0.0002;
    let start = at([0.031, 0.027, if side > 0.0 { near } else { -near - 0.04 }], [0.0, 0.0, -2.0 * side]);
    let bodies =
        vec![deformable(plate, SHELL_LAW, Placement::default()), deformable(block, "neo-hookean", start)];
    Problem { bodies, ..Problem::default() }
}

/// Displacements of the points of each body at the last frame.
fn last(kept: &Kept) -> &[Vec<f64>] {
    kept.displacements.last().unwrap()
}

#[test]
fn automatic_contact_of_shells_gives_the_motion_of_named_surfaces() {
    let named =
        Problem { contacts: vec![pair(0, [0, 1], ["all", "bottom"], Law::Hard, 0.0)], ..block_on_plate(1.0) };
    let automatic = Problem { automatic: vec![ALL], ..block_on_plate(1.0) };
    let ends = [named, automatic].map(|problem| {
        let (simulation, kept) = run(&problem, settings(3e-3, None));
        assert!(simulation.contact_counts().multipliers > 30, "{:?}", simulation.contact_counts());
        kept
    });
    for (a, b) in last(&ends[0]).iter().flatten().zip(last(&ends[1]).iter().flatten()) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
    let [energy, momentum, ang_momentum] = residuals(&ends[1]);
    let row = &ends[1].rows[0].balance;
    assert!(energy < 1e-11 * row.e_kin && momentum < 1e-12 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-11 * row.ang_momentum_scale, "{ang_momentum}");
}

/// The motion of a block from below is the mirror image of that from above.
#[test]
fn both_sides_of_a_shell_touch_alike() {
    let ends = [1.0, -1.0].map(|side| {
        let (simulation, kept) =
            run(&Problem { automatic: vec![ALL], ..block_on_plate(side) }, settings(3e-3, None));
        assert!(simulation.contact_counts().multipliers > 30, "{:?}", simulation.contact_counts());
        kept
    });
    let [above, below] = ends.each_ref().map(|kept| &last(kept)[0]);
    for (a, b) in above.as_chunks::<3>().0.iter().zip(below.as_chunks::<3>().0) {
        let mirrored = [b[0], b[1], -b[2]];
        assert!((0..3).all(|d| (a[d] - mirrored[d]).abs() < 1e-8), "{a:?} {b:?}");
    }
}

/// Half the distance between the legs of the horseshoe, and the length of its legs \[m\].
const RADIUS: f64 = 0.02;
const LEG: f64 = 0.08;

/// A strip of shells that is bent to two legs along x, at y = ∓RADIUS, with the sets `west` and `east` at
/// their ends. Every other shell is turned over.
fn horseshoe() -> Body {
    let length = 2.0 * LEG + PI * RADIUS;
    let mut body = plate("horseshoe", [length, 0.02], [44, 2], 0.0, THICKNESS, RUBBER);
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    for x in &mut mesh.points {
        let [s, y, _] = *x;
        let [along, across] = if s < LEG {
            [s - LEG, -RADIUS]
        } else if s > length - LEG {
            [length - LEG - s, RADIUS]
        } else {
            let angle = (s - LEG) / RADIUS - 0.5 * PI;
            [RADIUS * angle.cos(), RADIUS * angle.sin()]
        };
        *x = [along, across, y];
    }
    for cell in mesh.blocks[0].connectivity.chunks_exact_mut(4).step_by(2) {
        cell.reverse();
    }
    body
}

/// Forces at the ends bend both legs inwards: their surfaces meet where the middles are a thickness apart,
/// from the inner sides, which half of the shells have as their back.
#[test]
fn a_folding_shell_does_not_pass_through_itself() {
    let body = horseshoe();
    let Geometry::Mesh(mesh) = &body.geometry else { unreachable!() };
    let rest: Vec<Vector3<f64>> = mesh.points.iter().map(|&x| x.into()).collect();
    let load = |set: &str, force: f64| Load {
        body: 0,
        at: Place::Set(set.to_owned()),
        force: [0.0, force, 0.0],
        torque: [0.0; 3],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    let problem = Problem {
        bodies: vec![deformable(body, SHELL_LAW, Placement::default())],
        loads: vec![load("west", 2.0), load("east", -2.0)],
        automatic: vec![ALL],
        ..Problem::default()
    };
    // The farthest that a point of the leg at y < 0 is beyond the plane of symmetry.
    let crossed = |kept: &Kept| {
        let of_frame = |bodies: &Vec<Vec<f64>>| {
            let points = rest.iter().zip(bodies[0].as_chunks::<3>().0);
            let leg = points.filter(|(x, _)| x.x < 0.0 && x.y < 0.0);
            leg.map(|(x, u)| x.y + u[1]).fold(f64::NEG_INFINITY, f64::max)
        };
        kept.displacements.iter().map(of_frame).fold(f64::NEG_INFINITY, f64::max)
    };
    let (simulation, kept) = run(&problem, settings(0.03, None));
    assert!(simulation.contact_counts().multipliers > 100, "{:?}", simulation.contact_counts());
    // Nodes of both legs that are opposite each other at rest.
    let opposite = |x: &Vector3<f64>| {
        let there = Vector3::new(x.x, -x.y, x.z);
        rest.iter().position(|other| (other - there).norm() < 1e-9).unwrap()
    };
    let below = || (0..rest.len()).filter(|&k| rest[k].x < 0.0 && rest[k].y < 0.0);
    let pairs: Vec<[usize; 2]> = below().map(|k| [k, opposite(&rest[k])]).collect();
    let between = |bodies: &Vec<Vec<f64>>| {
        let y = |k: usize| rest[k].y + bodies[0][3 * k + 1];
        pairs.iter().map(|&[a, b]| y(b) - y(a) - THICKNESS).fold(f64::INFINITY, f64::min)
    };
    let nearest = kept.displacements.iter().map(between).fold(f64::INFINITY, f64::min);
    // A hundredth of the thickness.
    assert!(nearest.abs() < 0.01 * THICKNESS, "{nearest}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let work = kept.rows.last().unwrap().balance.w_ext.abs();
    assert!(energy < 1e-11 * work, "{energy} {work}");
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    let (_, kept) = run(&Problem { automatic: Vec::new(), ..problem }, settings(0.03, None));
    assert!(crossed(&kept) > THICKNESS, "without contact the legs pass through each other");
}

/// A tube of shells that are thicker than the distance of the first points behind its edges.
#[test]
fn a_thick_tube_that_moves_freely_has_no_contact_with_itself() {
    let (edge, n) = (0.04, 10);
    let mut points = Vec::new();
    for layer in 0..=4 {
        for k in 0..4 * n {
            let (side, s) = (k / n, f64::from(k % n) / f64::from(n));
            let [x, y] = [[s, 0.0], [1.0, s], [1.0 - s, 1.0], [0.0, 1.0 - s]][side as usize];
            points.push([edge * x, edge * y, 0.01 * f64::from(layer)]);
        }
    }
    let around = 4 * n as u32;
    let cells = (0..4 * around).flat_map(|k| {
        let (layer, i) = (k / around, k % around);
        let next = (i + 1) % around;
        [i, next, next + around, i + around].map(|node| node + layer * around)
    });
    let section = Section::Shell(carom_mesh::ShellSection::new(0.009, 3).unwrap());
    let tube = body("tube", points, (CellShape::Quad4, cells.collect()), section, RUBBER, &[]);
    let placement = Placement { angular_velocity: [10.0, 5.0, -20.0], ..at([0.0; 3], [1.0, 0.0, 0.0]) };
    let problem = Problem {
        bodies: vec![deformable(tube, SHELL_LAW, placement)],
        automatic: vec![ALL],
        ..Problem::default()
    };
    let (simulation, _) = run(&problem, settings(1e-3, None));
    assert_eq!(simulation.contact_counts().gaps, 0, "{:?}", simulation.contact_counts());
}
