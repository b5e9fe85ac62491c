//! Contact between deformable bodies that slide, with and without friction.

use carom_contact::Law;
use carom_continuum::explicit::{AutomaticSpec, Problem};
use carom_dynamics::Placement;

use crate::setup::{at, block, deformable, pair, residuals, run, settings};

const RUBBER: [f64; 3] = [1000.0, 1e6, 0.3];

/// Two bricks of unlike meshes that meet askew.
fn bricks(friction: f64, fineness: usize) -> Problem {
    let upper = block("upper", [0.1, 0.08, 0.04], [5, 4, 2].map(|n| n * fineness), RUBBER);
    let lower = block("lower", [0.15, 0.1, 0.03], [4, 3, 2].map(|n| n * fineness), RUBBER);
    let placement = Placement {
        origin: [0.01, 0.008, 0.0312],
        velocity: [0.8, 0.2, -2.0],
        angular_velocity: [3.0, -8.0, 5.0],
        ..Placement::default()
    };
    Problem {
        bodies: vec![
            deformable(upper, "neo-hookean", placement),
            deformable(lower, "neo-hookean", at([0.0; 3], [0.0; 3])),
        ],
        contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, friction)],
        ..Problem::default()
    }
}

/// Forces on nodes and faces have no moment although the surfaces slide.
#[test]
fn bricks_of_unlike_meshes_conserve_their_momenta() {
    for friction in [0.0, 0.4] {
        let (simulation, kept) = run(&bricks(friction, 1), settings(0.02, None));
        let row = &kept.rows[0].balance;
        let [energy, momentum, ang_momentum] = residuals(&kept);
        assert!(energy < 1e-11 * row.e_kin, "{energy} {}", row.e_kin);
        assert!(momentum < 1e-12 * row.momentum_scale, "{momentum}");
        assert!(ang_momentum < 1e-11 * row.ang_momentum_scale, "{ang_momentum} {}", row.ang_momentum_scale);
        let last = &kept.rows.last().unwrap().balance;
        assert!(simulation.contact_counts().multipliers > 100, "{:?}", simulation.contact_counts());
        assert!(last.pen_max < 2e-4, "{}", last.pen_max);
        if friction > 0.0 {
            assert!(last.d_fric > 0.001 * row.e_kin, "{}", last.d_fric / row.e_kin);
        } else {
            assert!(last.d_fric.abs() < 1e-15);
        }
    }
}

/// Bricks that slide have the same bits with 1, 2 and 8 threads, by named surfaces and by all surfaces.
#[test]
fn contact_has_the_same_bits_for_any_number_of_threads() {
    for is_automatic in [false, true] {
        let ends = [1, 2, 8].map(|threads| {
            let mut problem = bricks(0.3, 3);
            if is_automatic {
                problem.contacts.clear();
                problem.automatic = vec![AutomaticSpec { number: 0, law: Law::Hard, friction: 0.3 }];
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (simulation, kept) = pool.install(|| run(&problem, settings(2.5e-3, None)));
            assert!(simulation.contact_counts().multipliers > 100, "{:?}", simulation.contact_counts());
            (kept.displacements, kept.forces)
        });
        assert!(ends[0] == ends[1] && ends[0] == ends[2], "{is_automatic}");
    }
}

/// The error of the time integration falls with the square of the step.
#[test]
fn the_error_of_time_integration_falls_with_the_square_of_the_step() {
    let missed = [0.9, 0.3].map(|courant| {
        let settings = carom_continuum::explicit::Settings { courant, ..settings(0.02, None) };
        let (_, kept) = run(&bricks(0.0, 1), settings);
        kept.rows.iter().map(|row| row.balance.d_num.abs()).fold(0.0, f64::max) / kept.rows[0].balance.e_kin
    });
    assert!(missed[0] < 0.03 && missed[1] < missed[0] / 5.0, "{missed:?}");
}

/// The energy lost as nodes of a face stop is an error of the mesh: it halves with the size of the elements.
#[test]
fn the_loss_of_an_impact_falls_with_the_element_size() {
    let lost = [1, 2].map(|fineness| {
        let (_, kept) = run(&bricks(0.0, fineness), settings(0.02, None));
        kept.rows.last().unwrap().balance.d_imp / kept.rows[0].balance.e_kin
    });
    assert!(lost[1] > 0.0 && lost[1] < 0.65 * lost[0], "{lost:?}");
}

/// The losses of an impact with friction on a rigid body that moves do not depend on a common velocity.
#[test]
fn losses_on_a_moving_rigid_body_are_those_of_the_relative_motion() {
    for law in [Law::Hard, Law::per_point(2e3)] {
        let losses = [[0.0; 3], [3.0, -2.0, 1.0]].map(|common: [f64; 3]| {
            let mut problem = bricks(0.4, 1);
            let upper = problem.bodies[0].geometry.as_ref().clone();
            problem.bodies[0] = crate::setup::rigid(upper, problem.bodies[0].placement);
            problem.contacts[0].law = law;
            for body in &mut problem.bodies {
                (0..3).for_each(|d| body.placement.velocity[d] += common[d]);
            }
            let (_, kept) = run(&problem, settings(0.02, Some(4e-5)));
            let last = kept.rows.last().unwrap().balance;
            [last.d_fric, last.d_imp, last.d_num]
        });
        let size = losses[0][0];
        assert!(size > 1e-3, "{losses:?}");
        let differences: Vec<f64> = (0..3).map(|k| (losses[0][k] - losses[1][k]).abs()).collect();
        // Multipliers and friction of each run are accurate to 1e-6.
        assert!(differences.iter().all(|d| *d < 2e-6 * size), "{law:?}: {losses:?}");
    }
}

/// A block thrown along a plate stops by friction: v = v₀ − μ g t.
#[test]
fn a_block_slides_to_rest() {
    let block_on = block("block", [0.1, 0.1, 0.05], [3, 3, 2], [1000.0, 1e6, 0.0]);
    let plate = block("plate", [0.6, 0.2, 0.05], [6, 2, 1], [1000.0, 1e6, 0.0]);
    let problem = Problem {
        bodies: vec![
            deformable(block_on, "neo-hookean", at([0.05, 0.05, 0.05], [0.5, 0.0, 0.0])),
            crate::setup::rigid(plate, Placement::default()),
        ],
        contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.2)],
        gravity: [0.0, 0.0, -10.0],
        ..Problem::default()
    };
    let mut problem = problem;
    if let carom_continuum::explicit::BodyKind::Rigid(body) = &mut problem.bodies[1].kind {
        body.fixed = true;
    }
    let (_, kept) = run(&problem, settings(0.2, None));
    let velocity = |time: f64| kept.velocities[(time / 0.002).round() as usize][0][0];
    // The block bounces on its own waves, so that only its mean velocity decreases steadily.
    let mean = |from: f64, to: f64| {
        let n = ((to - from) / 0.002).round();
        (0..n as usize).map(|k| velocity(from + 0.002 * k as f64)).sum::<f64>() / n
    };
    let slowed = (mean(0.02, 0.06) - mean(0.14, 0.18)) / 0.12;
    assert!((slowed - 2.0).abs() < 0.1, "{slowed}");
    let [energy, momentum, ang_momentum] = residuals(&kept);
    assert!(energy < 1e-11 && momentum < 1e-12 && ang_momentum < 1e-12, "{energy} {momentum} {ang_momentum}");
}
