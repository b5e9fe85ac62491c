//! Probes from a scenario to its result: closed forms, balances, continued runs, refusals.

use carom_format::Scenario;
use carom_format::result::ProbeCourse;
use carom_testing::scenarios::{BALL_ON_BLOCK, PENDULUM};

use crate::fixtures::{Chain, Impatient, RESUME, parse};
use carom_simulate::{RunOptions, RunOutcome, survey};

fn with(scenario: &str, probes: &str) -> String {
    format!("{scenario}\n{probes}")
}

fn courses(scenario: &Scenario) -> Vec<ProbeCourse> {
    let chain = Chain::new();
    chain.solve(scenario).unwrap();
    chain.reader().probe_courses().unwrap()
}

fn norm(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A hinged rod at the height h below the hinge: ½ J (v/ℓ)² = m g s h/ℓ, its end accelerates by v²/ℓ towards
/// the hinge and g s m ℓ/J across, and its hinge carries what is missing to the weight.
#[test]
fn a_hinged_rod_obeys_its_balance_at_the_probes() {
    let text = with(
        PENDULUM,
        "[[probe]]\non = \"rod:end\"\nevery = 0.01\n[[probe]]\nname = \"middle\"\non = \"rod\"\n\
         at = [0.2, 0.0, 0.0]\nwhat = [\"acceleration\"]\nevery = 0.01\n\
         [[probe]]\njoint = \"1\"\nevery = 0.01\n[[probe]]\nname = \"steps\"\non = \"rod:end\"\n",
    );
    let scenario = parse(&text, &["simulation.relative_tolerance=1e-9"]);
    let [end, middle, hinge, steps] = &courses(&scenario)[..] else { panic!() };
    let (length, radius, g) = (0.4_f64, 0.01_f64, 9.81);
    let mass = 7800.0 * std::f64::consts::PI * radius * radius * length;
    // Per mass, about the hinge.
    let moment = length * length / 3.0 + 0.25 * radius * radius;
    assert_eq!((end.times.len(), hinge.times.len()), (101, 101));
    assert!(steps.times.len() > 20 && steps.times[0] == 0.0, "{:?}", steps.times);
    for ((time, values), middle) in end.times.iter().zip(&end.values).zip(&middle.values) {
        let [displacement, velocity, acceleration] = values[..] else { panic!() };
        let (x, z) = (length + displacement[0], displacement[2]);
        assert!((x.hypot(z) / length - 1.0).abs() < 1e-7, "{time}: {values:?}");
        let rate_2 = g * -z / moment;
        let speed_2 = norm(velocity).powi(2);
        assert!((speed_2 - rate_2 * length * length).abs() < 1e-6, "{time}: {speed_2} {rate_2}");
        let inwards = -(acceleration[0] * x + acceleration[2] * z) / length;
        assert!((inwards - rate_2 * length).abs() < 1e-5, "{time}: {inwards}");
        let across = (acceleration[0] * -z + acceleration[2] * x) / length;
        let second = -g * 0.5 * x / moment;
        assert!((across - second * length).abs() < 1e-5, "{time}: {across}");
        // Half-way out there is half of it.
        assert!(norm([0, 1, 2].map(|a| 2.0 * middle[0][a] - acceleration[a])) < 1e-9);
    }
    // The force on the rod and its weight accelerate the centre of mass.
    for (force, middle) in hinge.values.iter().zip(&middle.values) {
        let [f, a] = [force[0], middle[0]];
        let missing = [f[0] - mass * a[0], f[1] - mass * a[1], f[2] - mass * (a[2] + g)];
        assert!(norm(missing) < 1e-9 * mass * g, "{force:?} {middle:?}");
    }
}

/// The impulse of the samples is that of the event, and that of the change of momentum of the free ball.
#[test]
fn a_contact_probe_has_the_impulse_of_its_event() {
    let text = with(
        BALL_ON_BLOCK,
        "[[probe]]\ncontact = \"ball/block\"\nevery = 2.0e-7\n[[probe]]\non = \"ball:pole\"\n\
         what = [\"displacement\"]\nevery = 2.0e-6\n",
    );
    let chain = Chain::new();
    let outcome = chain.solve(&parse(&text, &[])).unwrap();
    let courses = chain.reader().probe_courses().unwrap();
    let [contact, pole] = &courses[..] else { panic!() };
    let [event] = &outcome.summary.contacts[..] else { panic!() };
    for axis in 0..3 {
        let forces = contact.values.iter().map(|values| values[0][axis]).collect::<Vec<_>>();
        let sum: f64 = forces.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]) * 2e-7).sum();
        let error = (sum - event.impulse[axis]).abs() / norm(event.impulse);
        assert!(error < 1e-3, "axis {axis}: {sum} {:?}", event.impulse);
    }
    assert!(contact.values.iter().any(|values| values[1][0] > 0.99 * event.peak_force));
    // Far apart a gap is positive or not known.
    assert!(contact.values[0][2][0] > 0.0 && contact.values[0][1][0] == 0.0);
    // The pole is pressed into the block, less deep than the ball moves.
    assert_eq!(pole.values[0][0], [0.0; 3]);
    let deepest = pole.values.iter().map(|values| values[0][2]).fold(0.0, f64::max);
    assert!(deepest > 1e-5, "{deepest}");
}

#[test]
fn a_run_stopped_in_an_impact_and_resumed_has_the_same_samples() {
    let text = with(
        BALL_ON_BLOCK,
        "[[probe]]\ncontact = \"ball/block\"\n[[probe]]\nname = \"often\"\ncontact = \"1\"\nevery = 3.0e-7\n\
         [[probe]]\non = \"ball:pole\"\nwhat = [\"position\", \"velocity\", \"acceleration\"]\n\
         every = 1.0e-6\n",
    );
    let scenario = parse(&text, &["simulation.checkpoint_every=2"]);
    let [whole, parts] = [Chain::new(), Chain::new()];
    let bodies = whole.prepare(&scenario).unwrap();
    whole.run(&scenario, &bodies, RunOptions::default()).unwrap();
    parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(21)).unwrap_err();
    let stopped = parts.reader().probe_courses().unwrap();
    parts.run(&scenario, &bodies, RESUME).unwrap();
    let [whole, parts] = [whole, parts].map(|chain| chain.reader().probe_courses().unwrap());
    assert!(stopped[1].times.len() > 10 && stopped[1].times.len() < whole[1].times.len());
    assert_eq!(whole, parts);
    // A prolonged run has no sample twice.
    let chain = Chain::new();
    chain.run(&parse(&text, &["simulation.end_time=3e-5"]), &bodies, RunOptions::default()).unwrap();
    chain.run(&parse(&text, &["simulation.end_time=6e-5"]), &bodies, RESUME).unwrap();
    let courses = chain.reader().probe_courses().unwrap();
    assert!(courses.iter().all(|course| course.times.is_sorted_by(|a, b| a < b)));
    assert_eq!(courses[2].times.len(), 61);
}

/// Steps, state at the end, impacts and balance of a run with three intervals of frames, with and without
/// probes, at each step and at times of their own, and of one that was stopped and resumed.
#[test]
fn steps_depend_neither_on_frames_nor_on_probes() {
    const STEPS: &str = "[[probe]]\non = \"ball:pole\"\nwhat = [\"velocity\"]\n";
    const OFTEN: &str = "[[probe]]\ncontact = \"1\"\nevery = 3.7e-7\n\
                         [[probe]]\nname = \"fast\"\non = \"ball:pole\"\nwhat = [\"acceleration\"]\n\
                         every = 1.3e-6\n";
    for law in ["", "law = { kind = \"lagrange\" }\n", "friction = 0.2\n"] {
        let text = |probes: &str| format!("{BALL_ON_BLOCK}{law}{probes}");
        let bodies = Chain::new().prepare(&parse(&text(""), &[])).unwrap();
        let run = |probes: &str, every: &str| {
            let scenario = parse(&text(probes), &[&format!("simulation.output_every={every}")]);
            Chain::new().run(&scenario, &bodies, RunOptions::default()).unwrap()
        };
        let plain = run("", "2e-6");
        let same = |other: &RunOutcome, what: &str| {
            let [one, two] = [&plain, other].map(|outcome| outcome.summary.integration.unwrap());
            assert_eq!(
                [one.steps, one.rejected, one.cut],
                [two.steps, two.rejected, two.cut],
                "{law} {what}"
            );
            assert_eq!(plain.summary.contacts, other.summary.contacts, "{law} {what}");
            assert_eq!(plain.summary.ledger, other.summary.ledger, "{law} {what}");
            assert_eq!(plain.bodies, other.bodies, "{law} {what}");
        };
        for every in ["3e-6", "5e-7"] {
            same(&run("", every), every);
        }
        let both = [STEPS, OFTEN].concat();
        for (probes, every) in [(STEPS, "2e-6"), (OFTEN, "3e-6"), (&both, "7e-7")] {
            same(&run(probes, every), &format!("{probes} {every}"));
        }
        let scenario = parse(&text(&both), &["simulation.checkpoint_every=3"]);
        let parts = Chain::new();
        parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(21)).unwrap_err();
        same(&parts.run(&scenario, &bodies, RESUME).unwrap(), "resumed");
    }
}

#[test]
fn places_that_do_not_exist_are_found_by_the_check() {
    let found = |probe: &str| {
        let scenario = parse(&with(PENDULUM, probe), &[]);
        let problems = survey(&scenario, Chain::new().workshop(), &carom_progress::Silent).problems;
        problems.iter().map(|p| (p.key().unwrap_or("").to_owned(), p.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(found("[[probe]]\non = \"rod:end\"\n"), []);
    let [(key, text)] = &found("[[probe]]\non = \"rod:tip\"\n")[..] else { panic!() };
    assert_eq!(key, "probe.0.on");
    assert!(text.contains("no marker or interface set `tip`; it has ") && text.contains("end"), "{text}");
}

/// A check finds points of a reduced body whose motion its model does not contain.
#[test]
fn a_check_finds_probes_inside_and_outside_of_reduced_bodies() {
    for at in ["[0.0, 0.0, 0.0]", "[0.0, 0.0, 0.03]"] {
        let text = with(BALL_ON_BLOCK, &format!("[[probe]]\non = \"ball\"\nat = {at}\nevery = 1e-6\n"));
        let scenario = parse(&text, &[]);
        let problems = survey(&scenario, Chain::new().workshop(), &carom_progress::Silent).problems;
        let keys: Vec<_> = problems.iter().map(|problem| problem.key()).collect();
        assert_eq!(keys, [Some("probe.0.at")], "{problems:?}");
    }
}

/// The model of a reduced body contains the motion of its surface, unless it keeps all points.
#[test]
fn a_probe_inside_a_reduced_body_is_refused_without_its_points() {
    let probe =
        |at: &str| with(BALL_ON_BLOCK, &format!("[[probe]]\non = \"ball\"\nat = {at}\nevery = 1e-6\n"));
    let scenario = parse(&probe("[0.0, 0.0, 0.0]"), &[]);
    let error = Chain::new().solve(&scenario).unwrap_err();
    assert_eq!(error.key(), Some("probe.0.at"));
    let text = error.to_string();
    assert!(text.contains("the probe is at a point of a reduced body, and it lies"), "{text}");
    assert!(text.contains("inside of it") && text.contains("`fields = \"full\"`"), "{text}");
    let outside = Chain::new().solve(&parse(&probe("[0.0, 0.0, 0.03]"), &[])).unwrap_err().to_string();
    assert!(
        outside.contains("m from the surface of the body, outside of it; the nearest point"),
        "{outside}"
    );
}
