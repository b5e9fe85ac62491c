//! Reduced bodies that touch unreduced ones: momenta, books, the same impact as without reduction.

use std::sync::Arc;

use carom_contact::Law;
use carom_continuum::explicit::{BodyKind, BodySpec, Problem, Simulation};
use carom_dynamics::Placement;
use carom_fem::Body;
use carom_fem::constitutive::{ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_progress::Silent;
use carom_reduce::{CraigBamptonOptions, FixedModes, craig_bampton};
use nalgebra::Vector3;

use crate::motion::Saved;
use crate::setup::{Kept, at, block, deformable, pair, residuals, run, settings, with_law};

const BAR: [f64; 3] = [0.01, 100.0, 0.0];

/// The body reduced over the modes of one face and as many modes of its interior.
pub(crate) fn reduced(body: &Body, face: &str, modes: usize, placement: Placement) -> BodySpec {
    let options = CraigBamptonOptions {
        interface_sets: vec![face.to_owned()],
        modes: FixedModes::Count(modes),
        ..CraigBamptonOptions::default()
    };
    let model = Arc::new(craig_bampton(body, &options, &Silent).unwrap().reduced);
    let n = model.omega.len();
    let moving = carom_multibody::Body::with_dynamic_modes(model, n).unwrap();
    BodySpec { geometry: Arc::new(body.clone()), kind: BodyKind::Reduced(Arc::new(moving)), placement }
}

fn bar(name: &str) -> Body {
    block(name, [10.0, 1.0, 1.0], [10, 1, 1], BAR)
}

/// Two bars, the first one reduced or not, that meet at 1 m/s.
fn bars(is_reduced: bool) -> Problem {
    let moving = at([0.0; 3], [1.0, 0.0, 0.0]);
    let first = match is_reduced {
        true => reduced(&bar("first"), "east", 80, moving),
        false => deformable(bar("first"), "small-strain", moving),
    };
    let second = deformable(bar("second"), "small-strain", at([10.01, 0.0, 0.0], [0.0; 3]));
    Problem {
        bodies: vec![first, second],
        contacts: vec![pair(0, [0, 1], ["east", "west"], Law::Hard, 0.0)],
        ..Problem::default()
    }
}

/// Waves travel at 100 m/s through 10 m: contact lasts 0.2 s with 0.5 N, and the bars swap their velocities.
/// A bar of 10 cells keeps 1/(4N) = 2.5 % of the energy in its cell at the face.
#[test]
fn a_reduced_bar_and_an_unreduced_one_swap_their_velocities() {
    let (simulation, kept) = run(&bars(true), settings(0.3, Some(0.002)));
    let [energy, momentum, _] = residuals(&kept);
    assert!(energy < 1e-14 && momentum < 1e-14, "{energy} {momentum}");
    let [first, second] = [0, 1].map(|body| kept.velocities.last().unwrap()[body][0]);
    assert!(first.abs() < 0.05 && (second - 1.0).abs() < 0.05, "{first} {second}");
    let events = simulation.events();
    assert_eq!(events.len(), 1);
    assert!((events[0].end - events[0].start - 0.2).abs() < 0.02, "{events:?}");
    let impulse = events[0].impulse[0].abs();
    assert!((impulse - 0.1).abs() < 0.005, "{impulse}");
    // The same as between unreduced bars, up to the mass that is lumped there.
    let (_, whole) = run(&bars(false), settings(0.3, Some(0.002)));
    let last = |kept: &Kept| kept.velocities.last().unwrap()[1][0];
    assert!((last(&kept) - last(&whole)).abs() < 0.03, "{} {}", last(&kept), last(&whole));
}

/// A reduced brick that spins hits an unreduced one off its centre.
fn off_centre(law: SolidLaw) -> Problem {
    let material = [1000.0, 1e6, 0.3];
    let turned = Placement {
        origin: [0.02, 0.03, 0.12],
        velocity: [0.3, -0.2, -4.0],
        angular_velocity: [3.0, 2.0, -1.0],
        ..Placement::rotated([1.0, 0.4, 0.0], 4.0)
    };
    let upper = reduced(&block("upper", [0.1, 0.1, 0.06], [3, 3, 2], material), "bottom", 20, turned);
    let lower = with_law(block("lower", [0.1, 0.08, 0.1], [4, 3, 4], material), law, at([0.0; 3], [0.0; 3]));
    Problem {
        bodies: vec![upper, lower],
        contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.2)],
        ..Problem::default()
    }
}

fn plastic() -> SolidLaw {
    let moduli = ElasticModuli::from_young_poisson(1e6, 0.3).unwrap();
    SolidLaw::Plastic(Plastic::new(moduli, Hardening::linear(1e4, 1e5).unwrap()).unwrap())
}

#[test]
fn a_reduced_brick_dents_a_plastic_one_and_the_books_close() {
    let (_, kept) = run(&off_centre(plastic()), settings(0.03, None));
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let first = kept.rows[0].balance;
    assert!(energy < 1e-12 * first.e_kin, "{energy} of {}", first.e_kin);
    assert!(momentum < 1e-13 * first.momentum_scale, "{momentum} of {}", first.momentum_scale);
    assert!(ang_momentum < 1e-13 * first.ang_momentum_scale, "{ang_momentum} {}", first.ang_momentum_scale);
    let last = kept.rows.last().unwrap().balance;
    assert!(kept.forces.iter().any(|frame| frame[0][2].abs() > 1.0), "they touch");
    assert!(last.d_pl > 0.01 * first.e_kin, "a dent stays: {last:?}");
    // Points of the lower brick slide under the open surface `bottom` from beyond its rim. One that is deeper
    // there than a hundredth of the smallest diagonal has not come through it. As much again is left where a
    // dent is concave: a face is continued beyond its edge while the point is behind the next one.
    let diagonal = Vector3::new(0.1 / 4.0, 0.08 / 3.0, 0.0).norm();
    assert!(last.pen_max < 0.02 * diagonal, "{} of {diagonal}", last.pen_max);
    assert!(last.d_fric > 0.0 && last.d_num.abs() < 0.02 * first.e_kin, "{last:?}");
}

#[test]
fn a_resumed_run_with_a_reduced_body_has_the_same_bits() {
    let problem = off_centre(plastic());
    let length = settings(0.008, Some(2e-5));
    let (straight, kept) = run(&problem, length);
    let mut saved = Saved::default();
    Simulation::new(&problem, length).unwrap().run(&mut saved, &Silent).unwrap();
    let mut resumed = Simulation::new(&problem, length).unwrap();
    resumed.resume(&saved.checkpoint.unwrap()).unwrap();
    let mut rest = Kept::default();
    resumed.run(&mut rest, &Silent).unwrap();
    assert_eq!(straight.body_states(), resumed.body_states());
    assert_eq!(kept.rows.last(), rest.rows.last());
}

#[test]
fn what_a_reduced_body_cannot_have_is_an_error_that_says_so() {
    let mut problem = bars(true);
    problem.contacts[0] = pair(0, [0, 1], ["north", "west"], Law::Hard, 0.0);
    let message = Simulation::new(&problem, settings(0.1, None)).err().unwrap().to_string();
    assert!(message.contains("has no surface `north` to touch with (it has: east)"), "{message}");
}
