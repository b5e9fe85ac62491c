//! Contact of all surfaces with each other and with themselves.

use std::f64::consts::PI;

use carom_contact::Law;
use carom_continuum::explicit::{AutomaticSpec, Pressure, Problem, Simulation};
use carom_dynamics::Placement;
use carom_fem::{Body, Geometry};
use nalgebra::Vector3;

use crate::setup::{at, block, deformable, pair, residuals, rigid, run, settings};

const RUBBER: [f64; 3] = [1000.0, 1e6, 0.3];

const ALL: AutomaticSpec = AutomaticSpec { number: 0, law: Law::Hard, friction: 0.0 };

/// Bricks of unlike meshes, far from their rims: the rows are those of the pair that names the surfaces.
#[test]
fn automatic_contact_gives_the_motion_of_named_surfaces() {
    let upper = block("upper", [0.06, 0.06, 0.04], [3, 3, 2], RUBBER);
    let lower = block("lower", [0.15, 0.15, 0.03], [4, 4, 2], RUBBER);
    let bodies = vec![
        deformable(upper, "neo-hookean", at([0.041, 0.047, 0.0302], [0.3, 0.1, -2.0])),
        deformable(lower, "neo-hookean", at([0.0; 3], [0.0; 3])),
    ];
    for friction in [0.0, 0.3] {
        let named = Problem {
            bodies: bodies.clone(),
            contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, friction)],
            ..Problem::default()
        };
        let automatic = Problem {
            bodies: bodies.clone(),
            automatic: vec![AutomaticSpec { friction, ..ALL }],
            ..Problem::default()
        };
        let ends = [named, automatic].map(|problem| {
            let (simulation, kept) = run(&problem, settings(0.01, None));
            assert!(simulation.contact_counts().multipliers > 30, "{:?}", simulation.contact_counts());
            kept
        });
        let [named, automatic] = ends.each_ref().map(|kept| kept.displacements.last().unwrap());
        for (a, b) in named.iter().flatten().zip(automatic.iter().flatten()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        let [energy, momentum, ang_momentum] = residuals(&ends[1]);
        let row = &ends[1].rows[0].balance;
        assert!(energy < 1e-11 * row.e_kin && momentum < 1e-12 * row.momentum_scale, "{energy} {momentum}");
        assert!(ang_momentum < 1e-11 * row.ang_momentum_scale, "{ang_momentum}");
    }
}

/// Half the gap between the legs of the horseshoe, its thickness, and the length of its legs \[m\].
const RADIUS: f64 = 0.02;
const THICKNESS: f64 = 0.01;
const LEG: f64 = 0.1;

/// A strip that is bent to two legs along x, one on either side of y = 0; its set `bottom` is the outside.
fn horseshoe() -> Body {
    let length = 2.0 * LEG + PI * RADIUS;
    let mut body = block("horseshoe", [length, 0.02, THICKNESS], [52, 2, 2], RUBBER);
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    for x in &mut mesh.points {
        let [s, y, z] = *x;
        let rho = RADIUS + 0.5 * THICKNESS - z;
        let [along, across] = if s < LEG {
            [s - LEG, -rho]
        } else if s > length - LEG {
            [length - LEG - s, rho]
        } else {
            let angle = (s - LEG) / RADIUS - 0.5 * PI;
            [rho * angle.cos(), rho * angle.sin()]
        };
        *x = [along, across, -y];
    }
    body
}

/// Pressure bends both legs inwards until they meet.
#[test]
fn a_folding_body_does_not_pass_through_itself() {
    let body = horseshoe();
    let Geometry::Mesh(mesh) = &body.geometry else { unreachable!() };
    let rest: Vec<Vector3<f64>> = mesh.points.iter().map(|&x| x.into()).collect();
    let problem = Problem {
        bodies: vec![deformable(body, "neo-hookean", Placement::default())],
        pressures: vec![Pressure { body: 0, set: "bottom".to_owned(), value: 2e3 }],
        automatic: vec![ALL],
        ..Problem::default()
    };
    // The farthest that a point of the leg at y < 0 is beyond the plane of symmetry.
    let crossed = |displacement: &[f64]| {
        let legs = rest.iter().zip(displacement.as_chunks::<3>().0).filter(|(x, _)| x.x < 0.0 && x.y < 0.0);
        legs.map(|(x, u)| x.y + u[1]).fold(f64::NEG_INFINITY, f64::max)
    };
    let (simulation, kept) = run(&problem, settings(0.02, None));
    let deepest = kept.displacements.iter().map(|bodies| crossed(&bodies[0])).fold(f64::MIN, f64::max);
    assert!(simulation.contact_counts().multipliers > 100, "{:?}", simulation.contact_counts());
    // A hundredth of a cell; both legs move alike.
    assert!(deepest > -1e-4 && deepest < 5e-5, "{deepest}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let last = kept.rows.last().unwrap().balance;
    assert!(energy < 1e-11 * last.w_ext.abs(), "{energy} {}", last.w_ext);
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    let free = Problem { automatic: Vec::new(), ..problem };
    let (_, kept) = run(&free, settings(0.02, None));
    let deepest = kept.displacements.iter().map(|bodies| crossed(&bodies[0])).fold(f64::MIN, f64::max);
    assert!(deepest > 0.005, "without contact the legs pass through each other: {deepest}");
}

/// A thin plate, thinner than the limits of the search, does not touch itself.
#[test]
fn a_body_that_moves_freely_has_no_contact_with_itself() {
    let plate = block("plate", [0.1, 0.1, 0.004], [4, 4, 1], RUBBER);
    let placement = Placement { angular_velocity: [10.0, 5.0, -20.0], ..at([0.0; 3], [1.0, 0.0, 0.0]) };
    let problem = Problem {
        bodies: vec![deformable(plate, "neo-hookean", placement)],
        automatic: vec![ALL],
        ..Problem::default()
    };
    let (simulation, _) = run(&problem, settings(0.01, None));
    assert_eq!(simulation.contact_counts().multipliers, 0);
}

/// A row of equal cubes, one of them rigid, passes a velocity on from each to the next.
#[test]
fn bodies_of_both_kinds_meet_by_automatic_contact() {
    let cube = |k: usize| {
        let body = block(&format!("cube {k}"), [0.01; 3], [1; 3], [1000.0, 1e6, 0.0]);
        let place = at([0.0102 * k as f64, 0.0, 0.0], [if k == 0 { 1.0 } else { 0.0 }, 0.0, 0.0]);
        if k == 1 { rigid(body, place) } else { deformable(body, "neo-hookean", place) }
    };
    let problem = Problem { bodies: (0..4).map(cube).collect(), automatic: vec![ALL], ..Problem::default() };
    let (simulation, kept) = run(&problem, settings(4e-3, None));
    let last = kept.velocities.last().unwrap();
    assert!(last[3][0] > 0.3 && last[0][0] < 0.3, "{last:?}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-12 * row.e_kin && momentum < 1e-12 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-12 * row.momentum_scale * 0.04, "{ang_momentum}");
    assert!(simulation.contact_counts().steps > 5, "{:?}", simulation.contact_counts());
}

/// Time of a step of small cubes in a lattice, a tenth of an edge apart, with velocities of all directions.
#[test]
#[ignore = "1 minute: prints a table"]
fn the_cost_of_a_step_of_many_small_bodies() {
    println!("| bodies | microseconds of a step | of a step and body |\n|---|---|---|");
    for n in [10, 100, 1000] {
        let side = (n as f64).cbrt().ceil() as usize;
        let cube = |k: usize| {
            let body = block(&format!("{k}"), [0.01; 3], [1; 3], RUBBER);
            let place = [k % side, k / side % side, k / side / side].map(|i| 0.011 * i as f64);
            let velocity = [0.0, 2.1, 4.2].map(|shift| 0.5 * (k as f64 * 1.3 + shift).sin());
            deformable(body, "neo-hookean", at(place, velocity))
        };
        let problem =
            Problem { bodies: (0..n).map(cube).collect(), automatic: vec![ALL], ..Problem::default() };
        let settings = settings(4e-3, None);
        let mut simulation = Simulation::new(&problem, settings).unwrap();
        let started = std::time::Instant::now();
        simulation.run(&mut carom_dynamics::Ignore, &carom_progress::Silent).unwrap();
        let micros = 1e6 * started.elapsed().as_secs_f64() / simulation.n_steps() as f64;
        println!("| {n} | {micros:.0} | {:.1} |", micros / n as f64);
    }
}
