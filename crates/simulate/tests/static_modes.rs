//! Static modes give quasistatic bodies the full response to joints and forces.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use carom_multibody::attached_marker;
use carom_reduce::{ReducedBody, StaticModes};
use carom_simulate::{PreparedModel, RunOptions, RunOutcome};
use faer::Mat;
use nalgebra::Vector3;

use crate::fixtures::{Chain, bodies_of, parse};

const LENGTH: f64 = 0.4;
const YOUNG: f64 = 210e9;
const DENSITY: f64 = 7800.0;

/// A steel rod along x, d 20 mm, with additions to the scenario.
fn scenario(settings: &str, reduce: &str, tables: &str) -> String {
    format!(
        "[simulation]\n{settings}\n\n[[body]]\nname = \"rod\"\nmaterial = \"steel\"\nmake = \
         {{ shape = \"rod\", radius = 0.01, length = {LENGTH}, elements = [12, 1, 1] }}\nreduce = \
         {{ {reduce} }}\n{tables}"
    )
}

/// The outcome, the model of the last body, and the x or z displacement of its set `end` in each frame.
fn solve(text: &str, axis: usize) -> (RunOutcome, Arc<ReducedBody>, Vec<[f64; 2]>) {
    let (chain, scenario) = (Chain::new(), parse(text, &[]));
    let prepared = chain.prepare(&scenario).unwrap();
    let PreparedModel::Reduced(rom) = &prepared.bodies[0].model else { panic!("the rod is reduced") };
    let outcome = chain.run(&scenario, &prepared, RunOptions::default()).unwrap();
    let marker = attached_marker(rom, "end").unwrap();
    let reader = chain.reader();
    let moved = (0..reader.times().unwrap().len()).map(|number| {
        let frame = reader.frame(number).unwrap();
        let state = &frame.bodies[0];
        let bent: Vector3<f64> =
            marker.displacement.iter().zip(&state.modal).map(|(u, q)| *q * Vector3::from(*u)).sum();
        let c = Vector3::from(marker.position_b) + bent;
        let a = carom_dynamics::rotation::matrix(&state.quaternion);
        let rest = if axis == 0 { LENGTH } else { 0.0 };
        [frame.time, (Vector3::from(state.position) + a * c)[axis] - rest]
    });
    (outcome, rom.clone(), moved.collect())
}

const RAMPED: &str = "end_time = 0.035\noutput_every = 0.035\nintegrator = \"dop853\"";

const CLAMP: &str =
    "[[joint]]\nkind = \"fixed\"\nbetween = [\"ground\", \"rod:start\"]\naxis = [1.0, 0.0, 0.0]\n";

fn end_load(force: &str) -> String {
    format!("[[force]]\non = \"rod:end\"\nforce = {force}\nscale = \"0.5*(1-cos(pi*min(t,0.03)/0.03))\"\n")
}

/// The rod stretches by F L/(E A) although its low modes are bending modes.
#[test]
fn a_rod_in_a_fixed_joint_has_its_axial_compliance_at_every_split() {
    let text = |split: f64| {
        let reduce =
            format!("attach = {{ start = \"rigid\", end = \"rigid\" }}, modes = 30, split = {split}");
        scenario(RAMPED, &reduce, &(CLAMP.to_owned() + &end_load("[1.0e4, 0.0, 0.0]")))
    };
    let expected = 1e4 * LENGTH / (YOUNG * PI * 1e-4);
    for split in [1.0, 4e3, 1.2e4] {
        let (outcome, _, moved) = solve(&text(split), 0);
        let ratio = moved.last().unwrap()[1] / expected;
        // Rigid end faces keep the section from contracting: 0.8 % stiffer.
        assert!((ratio - 0.992).abs() < 0.003, "split {split}: {ratio}");
        assert!(outcome.summary.ledger.energy_error < 1e-6, "{:?}", outcome.summary.ledger);
        assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    }
}

/// The deflection F L³/(3 E I) + F L/(κ G A) of a model whose file holds it.
#[test]
fn a_held_rod_has_its_bending_compliance_at_every_split() {
    let second_moment = PI * 1e-8 / 4.0;
    let shear = 0.886 * YOUNG / 2.6 * PI * 1e-4;
    let expected = 100.0 * (LENGTH.powi(3) / (3.0 * YOUNG * second_moment) + LENGTH / shear);
    for split in [1.0, 4e3] {
        let reduce =
            format!("attach = {{ end = \"rigid\" }}, fix = [\"start\"], modes = 12, split = {split}");
        let text = scenario(RAMPED, &reduce, &end_load("[0.0, 0.0, 100.0]"))
            .replace("material = \"steel\"", "material = \"steel\"\ndamping = 0.2");
        let (_, _, moved) = solve(&text, 2);
        let ratio = moved.last().unwrap()[1] / expected;
        // The tolerance covers the error of the mesh and residual vibration.
        assert!((ratio - 1.0).abs() < 0.03, "split {split}: {ratio}");
    }
}

/// A boundary without mass has no static modes: a force on it meets the stiffness of the low modes alone. The
/// run reports the part of the static compliance that these hold; with mass, nothing is reported.
#[test]
fn a_force_on_a_boundary_without_mass_is_reported_with_the_compliance_that_moves() {
    let held = |variant: &str| {
        let reduce = format!("attach = {{ end = \"mean\" }}, modes = 12, split = 4.0e3, {variant} = true");
        let (outcome, rom, _) =
            solve(&scenario("end_time = 1.0e-4", &reduce, &end_load("[1.0e4, 0.0, 0.0]")), 0);
        let along = attached_marker(&rom, "end").unwrap().displacement;
        let compliance = |modes: std::ops::Range<usize>| -> f64 {
            modes.map(|k| (along[k][0] / rom.omega[k]).powi(2)).sum()
        };
        (outcome.warnings, 100.0 * compliance(0..rom.n_low) / compliance(0..rom.omega.len()))
    };
    let (warnings, percent) = held("massless_boundary");
    let [text] = &warnings[..] else { panic!("{warnings:#?}") };
    assert!(percent < 99.0, "{percent}");
    assert!(text.contains("body `rod` at an applied force"), "{text}");
    assert!(text.contains(&format!("hold {percent:.1} % of its static compliance")), "{percent}: {text}");
    assert!(text.contains("reduce it with `residual`"), "{text}");
    let (warnings, _) = held("residual");
    assert!(warnings.is_empty(), "{warnings:#?}");
}

/// A rod clamped at one end vibrates at √(E/ρ)/(4 L): without low modes only the static modes move, with
/// their inertia. A massless compliance in the joint has a frequency 10 % too high.
#[test]
fn a_rod_without_low_modes_vibrates_axially_at_its_first_frequency() {
    let reduce = "attach = { start = \"rigid\", end = \"rigid\" }, modes = 12, split = 1.0";
    let settings = "end_time = 1.2e-3\noutput_every = 2.0e-6\nintegrator = \"dop853\"";
    // The force drops to zero in a step.
    let force = "[[force]]\non = \"rod:end\"\nforce = [100.0, 0.0, 0.0]\n";
    let (outcome, _, moved) = solve(&scenario(settings, reduce, &(CLAMP.to_owned() + force)), 0);
    let mean = moved.iter().map(|[_, u]| u).sum::<f64>() / moved.len() as f64;
    let upwards: Vec<f64> = moved
        .windows(2)
        .filter(|pair| pair[0][1] < mean && pair[1][1] >= mean)
        .map(|pair| {
            let [[t0, u0], [t1, u1]] = [pair[0], pair[1]];
            t0 + (t1 - t0) * (mean - u0) / (u1 - u0)
        })
        .collect();
    let frequency = (upwards.len() - 1) as f64 / (upwards.last().unwrap() - upwards[0]);
    let expected = (YOUNG / DENSITY).sqrt() / (4.0 * LENGTH);
    assert!((frequency / expected - 1.0).abs() < 0.02, "{frequency} Hz, expected {expected} Hz");
    assert!(outcome.summary.ledger.energy_error < 1e-6, "{:?}", outcome.summary.ledger);
}

/// The model of a rod with a rigid end and an interface at the other, unit forces and torques at the rigid
/// end, and their mobilities.
fn rod_with_loads() -> (Arc<ReducedBody>, Mat<f64>, [f64; 6]) {
    let reduce = "attach = { start = \"rigid\" }, interface = [\"end\"], modes = 12, split = 4.0e3";
    let text = scenario("end_time = 1.0e-6", reduce, "").replace("[12, 1, 1]", "[4, 1, 1]");
    let prepared = bodies_of(&parse(&text, &[]));
    let PreparedModel::Reduced(rom) = &prepared.bodies[0].model else { panic!("the rod is reduced") };
    let marker = attached_marker(rom, "start").unwrap();
    let loads = Mat::from_fn(rom.omega.len(), 6, |k, load| {
        if load < 3 { marker.displacement[k][load] } else { marker.rotation[k][load - 3] }
    });
    let (mass, [xx, yy, zz]) = (rom.invariants.mass, [0, 1, 2].map(|a| rom.invariants.inertia[a][a]));
    let across = |inertia: f64| 1.0 / mass + 0.25 * LENGTH * LENGTH / inertia;
    (rom.clone(), loads, [1.0 / mass, across(zz), across(yy), 1.0 / xx, 1.0 / yy, 1.0 / zz])
}

/// Bᵀ Ω⁻² B over all modes equals the sum over the moving modes; the others have zero displacement at the
/// loads.
#[test]
fn static_modes_hold_the_whole_compliance_of_their_loads() {
    let (rom, loads, mobilities) = rod_with_loads();
    let n = rom.omega.len();
    let modes = StaticModes::new(&rom, loads.as_ref(), &mobilities).unwrap().unwrap();
    let body = modes.applied_to(&rom).unwrap();
    let own = modes.rows(loads.transpose().to_owned().as_ref());
    for i in 0..6 {
        for j in 0..6 {
            let all: f64 = (0..n).map(|k| loads[(k, i)] * loads[(k, j)] / rom.omega[k].powi(2)).sum();
            let moving: f64 =
                (0..body.n_low).map(|k| own[(i, k)] * own[(j, k)] / body.omega[k].powi(2)).sum();
            let size: f64 = (0..n).map(|k| (loads[(k, i)] / rom.omega[k]).powi(2)).sum::<f64>()
                * (0..n).map(|k| (loads[(k, j)] / rom.omega[k]).powi(2)).sum::<f64>();
            assert!((all - moving).abs() < 1e-10 * size.sqrt(), "{i} {j}: {all:e} {moving:e}");
        }
        let rest = (body.n_low..n).map(|k| (own[(i, k)] / body.omega[k]).abs()).fold(0.0, f64::max);
        let all = (0..n).map(|k| (loads[(k, i)] / rom.omega[k]).abs()).fold(0.0, f64::max);
        assert!(rest < 1e-9 * all, "{rest:e} {all:e}");
    }
}

/// U at every boundary point over all modes equals U over low modes, static modes and the rest: only the
/// basis changes.
#[test]
fn a_change_to_static_modes_keeps_the_compliance_between_boundary_points() {
    let (rom, loads, mobilities) = rod_with_loads();
    let modes = StaticModes::new(&rom, loads.as_ref(), &mobilities).unwrap().unwrap();
    let body = modes.applied_to(&rom).unwrap();
    let compliance = |body: &ReducedBody, i: usize, j: usize| -> f64 {
        let values = &body.boundary.values;
        (0..body.omega.len()).map(|k| values[(i, k)] * values[(j, k)] / body.omega[k].powi(2)).sum()
    };
    let dofs = rom.boundary.values.nrows();
    for i in (0..dofs).step_by(dofs / 7) {
        for j in (0..dofs).step_by(dofs / 5) {
            let (before, after) = (compliance(&rom, i, j), compliance(&body, i, j));
            let size = (compliance(&rom, i, i) * compliance(&rom, j, j)).sqrt();
            assert!((before - after).abs() < 1e-10 * size, "{i} {j}: {before:e} {after:e}");
        }
    }
    // Coordinates are transformed back to the modes of the file.
    let own: Vec<f64> = (0..body.omega.len()).map(|k| (k as f64 * 0.7).sin()).collect();
    let mut file = vec![0.0; own.len()];
    modes.coordinates_into(&own, &mut file);
    for i in (0..dofs).step_by(dofs / 7) {
        let shift = |body: &ReducedBody, q: &[f64]| -> f64 {
            q.iter().enumerate().map(|(k, q)| q * body.boundary.values[(i, k)]).sum()
        };
        let (before, after) = (shift(&rom, &file), shift(&body, &own));
        assert!((before - after).abs() < 1e-9 * (before.abs() + 1.0), "{i}: {before} {after}");
    }
}

/// Their frequencies lie above that of the first quasistatic mode and, their inertia raised where they would
/// be stiffer, at most at four times the highest one of the body held at a load; their mass matrix is the
/// identity.
#[test]
fn static_modes_vibrate_above_the_first_quasistatic_mode_and_not_far_above() {
    let (rom, loads, mobilities) = rod_with_loads();
    let modes = StaticModes::new(&rom, loads.as_ref(), &mobilities).unwrap().unwrap();
    let held = (0..6).map(|load| {
        let low: f64 = (0..rom.n_low).map(|k| loads[(k, load)].powi(2)).sum();
        let high: f64 = (rom.n_low..rom.omega.len()).map(|k| (loads[(k, load)] / rom.omega[k]).powi(2)).sum();
        ((mobilities[load] + low) / high).sqrt()
    });
    let limit = 4.0 * held.fold(0.0, f64::max);
    for omega in modes.frequencies() {
        let range = (1.0 - 1e-9) * rom.omega[rom.n_low]..=(1.0 + 1e-9) * limit;
        assert!(range.contains(omega), "{} Hz", omega / TAU);
    }
    let body = modes.applied_to(&rom).unwrap();
    for i in 0..body.n_low {
        for j in 0..body.n_low {
            let expected = if i == j { 1.0 } else { 0.0 };
            let mass = body.invariants.mass_modal[(i, j)];
            assert!((mass - expected).abs() < 1e-8, "{i} {j}: {mass}");
        }
    }
}

/// A free rod that turns at 200 rad/s, released without strain: the mode of order n = 1, 3, 5 … of stretch
/// holds 960/(π n)⁶ of the static energy, and swings to twice its static amplitude. Where the split is below
/// the first one all of it is left out; between the first and the third √(1 − 960/π⁶)/2 in the energy norm; a
/// split above the third leaves out half a per cent, which is within the limit.
#[test]
fn centrifugal_stretch_omitted_by_quasistatic_modes_is_reported() {
    let figure = |split: f64| -> Option<f64> {
        let reduce =
            format!("attach = {{ start = \"mean\", end = \"mean\" }}, modes = 40, split = {split:?}");
        let text = scenario("end_time = 2.0e-4", &reduce, "")
            .replace("material = \"steel\"", "material = \"steel\"\nangular_velocity = [0.0, 0.0, 200.0]");
        let (outcome, ..) = solve(&text, 0);
        println!("{:#?}", outcome.warnings);
        let printed = outcome.warnings.iter().find(|text| text.contains("centrifugal"))?;
        assert!(printed.contains("2.000e2 rad/s"), "{printed}");
        printed.split(" rad/s, and ").nth(1)?.split(' ').next()?.parse().ok()
    };
    assert_eq!(figure(4e3), Some(100.0));
    let between = 50.0 * (1.0 - 960.0 / PI.powi(6)).sqrt();
    let found = figure(1e4).unwrap();
    assert!((found / between - 1.0).abs() < 0.1, "{found} {between}");
    assert_eq!(figure(3e4), None);
}
