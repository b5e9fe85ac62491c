//! Runs of generalised-alpha steps of unreduced bodies: books, order, checkpoints, refusals.

use carom_contact::Law;
use carom_continuum::explicit::{Load, Place, Pressure, Problem};
use carom_continuum::implicit::{Method, Settings, Simulation};
use carom_dynamics::{Axes, Formula, Ignore, TimeFunction};
use carom_progress::Silent;

use crate::setup::{Kept, Last, at, block, deformable, pair, residuals};

const RUBBER: [f64; 3] = [1000.0, 1e5, 0.3];

/// A free block whose end is pulled by (1 − cos 40 t)/2 times 8 N.
fn problem() -> Problem {
    Problem {
        bodies: vec![deformable(
            block("block", [0.2, 0.1, 0.1], [3, 1, 1], RUBBER),
            "neo-hookean",
            at([0.0; 3], [0.0; 3]),
        )],
        loads: vec![Load {
            body: 0,
            at: Place::Set("east".to_owned()),
            force: [8.0, 0.0, 0.0],
            torque: [0.0; 3],
            axes: Axes::Inertial,
            scale: TimeFunction::Formula(Formula::parse("(1 - cos(40*t))/2").unwrap()),
        }],
        ..Problem::default()
    }
}

fn settings(time_step: f64, radius: f64) -> Settings {
    Settings {
        end_time: 0.06,
        output_every: 0.006,
        time_step,
        method: Method::GeneralisedAlpha(radius),
        is_persistent: false,
        is_mixed: false,
    }
}

fn run(problem: &Problem, settings: Settings) -> (Simulation, Kept) {
    let mut simulation = Simulation::new(problem, settings).unwrap();
    let mut kept = Kept::default();
    simulation.run(&mut kept, &Silent).unwrap();
    (simulation, kept)
}

/// The momentum at the end is ∫ F dt, up to the second order of the step: the force is that of the time at
/// which the method has its equilibrium. The energy that it damps closes the books to rounding.
#[test]
fn a_force_of_time_gives_its_impulse_to_the_second_order_and_the_books_close() {
    let end = 0.06_f64;
    let impulse = 4.0 * (end - (40.0 * end).sin() / 40.0);
    for radius in [0.3, 0.8] {
        let errors = [2e-3, 1e-3].map(|step| {
            let (_, kept) = run(&problem(), settings(step, radius));
            let last = kept.rows.last().unwrap().balance;
            let [energy, momentum, _] = residuals(&kept);
            assert!(energy < 1e-12 * last.w_ext && momentum < 1e-12 * impulse, "{:?}", residuals(&kept));
            assert!(last.d_num > 0.0, "{}", last.d_num);
            (last.momentum[0] / impulse - 1.0).abs()
        });
        let order = (errors[0] / errors[1]).log2();
        assert!((order - 2.0).abs() < 0.3, "radius {radius}: {errors:?}, order {order}");
    }
}

/// Gravity has the exact momentum at any step, and high frequencies are damped: the block is started by a
/// jump.
#[test]
fn smaller_radii_take_more_energy_and_a_resumed_run_has_the_same_bits() {
    let mut problem = problem();
    problem.gravity = [0.0, 0.0, -9.81];
    problem.loads[0].scale = TimeFunction::Constant(1.0);
    let lost = [0.9, 0.5, 0.0].map(|radius| {
        let (_, kept) = run(&problem, settings(2e-3, radius));
        let last = kept.rows.last().unwrap().balance;
        let fallen = -2.0 * 9.81 * 0.06;
        assert!((last.momentum[2] / fallen - 1.0).abs() < 1e-12, "{:?}", last.momentum);
        assert!(residuals(&kept)[0] < 1e-12, "{:?}", residuals(&kept));
        last.d_num
    });
    assert!(lost[0] > 0.0 && lost[1] > lost[0] && lost[2] > lost[1], "{lost:?}");

    let mut whole = Simulation::new(&problem, settings(2e-3, 0.5)).unwrap();
    let mut last = Last::at(11);
    whole.run(&mut last, &Silent).unwrap();
    let mut resumed = Simulation::new(&problem, settings(2e-3, 0.5)).unwrap();
    resumed.resume(&last.found.unwrap()).unwrap();
    resumed.run(&mut Ignore, &Silent).unwrap();
    let [first, second] = [&whole, &resumed].map(|run| format!("{:?}", run.checkpoint()));
    assert!(first == second);
}

/// A constant force at the end of a free bar: once its oscillations are damped, each mode has kept half of
/// the work of the force. D_num is the other half, ½ ∫ N²/(E A) dx with N = F x/L, less 1/(4 n²) for n cells.
#[test]
fn the_energy_that_is_damped_is_that_of_the_oscillations_of_a_sudden_force() {
    let n = 3;
    let mut problem = problem();
    let bar = block("bar", [0.2, 0.1, 0.1], [n, 1, 1], [1000.0, 1e5, 0.0]);
    problem.bodies[0] = deformable(bar, "small-strain", at([0.0; 3], [0.0; 3]));
    problem.loads[0].scale = TimeFunction::Constant(1.0);
    let settings = Settings { end_time: 4.0, output_every: 1.0, ..settings(2e-2, 0.5) };
    let (_, kept) = run(&problem, settings);
    let last = kept.rows.last().unwrap().balance;
    let expected = 8.0_f64.powi(2) * 0.2 / (6.0 * 1e5 * 0.01) * (1.0 - 0.25 / (n * n) as f64);
    for (name, found) in [("D_num", last.d_num), ("E_el", last.e_el)] {
        assert!((found / expected - 1.0).abs() < 1e-6, "{name}: {found} J of {expected} J");
    }
}

#[test]
fn contact_and_pressures_are_refused_by_name() {
    let refused = |problem: &Problem| {
        Simulation::new(problem, settings(1e-3, 0.8)).err().expect("a problem to refuse").to_string()
    };
    let mut pressed = problem();
    pressed.pressures.push(Pressure { body: 0, set: "top".to_owned(), value: 10.0 });
    let message = refused(&pressed);
    assert!(message.contains("`block`") && message.contains("spectral_radius"), "{message}");
    let mut touching = problem();
    let other = block("other", [0.2, 0.1, 0.1], [1, 1, 1], RUBBER);
    touching.bodies.push(deformable(other, "neo-hookean", at([0.0, 0.0, 0.2], [0.0; 3])));
    touching.contacts = vec![pair(0, [0, 1], ["top", "bottom"], Law::Hard, 0.0)];
    let message = refused(&touching);
    assert!(message.contains("no contact") && message.contains("spectral_radius"), "{message}");
}
