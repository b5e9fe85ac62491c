//! Free motion: order of the scheme, conserved quantities, loads.

use carom_continuum::explicit::{Load, Problem, Simulation, Support};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::constitutive::ElasticModuli;
use carom_fem::constitutive::{Hardening, Plastic, SolidLaw};
use carom_progress::Silent;

use crate::setup::{Kept, at, block, deformable, residuals, run, settings, with_law};

const RUBBER: [f64; 3] = [1000.0, 1e5, 0.4];

fn spinning() -> Problem {
    let placement = Placement {
        velocity: [1.0, 2.0, 3.0],
        angular_velocity: [40.0, -30.0, 20.0],
        ..Placement::rotated([1.0, 2.0, 0.5], 40.0)
    };
    let brick = block("brick", [0.1, 0.06, 0.04], [5, 3, 2], RUBBER);
    Problem { bodies: vec![deformable(brick, "neo-hookean", placement)], ..Problem::default() }
}

/// A brick that spins and oscillates at large strain keeps its momenta and its energy balance to round-off;
/// the oscillation of its energy is of order dt².
#[test]
fn a_spinning_brick_conserves_momenta_and_energy() {
    let swings = [2e-5, 1e-5].map(|dt| {
        let (_, kept) = run(&spinning(), settings(0.05, Some(dt)));
        let [energy, momentum, ang_momentum] = residuals(&kept);
        let size = kept.rows[0].balance.e_kin;
        assert!(energy < 1e-12 * size, "{energy} {size}");
        assert!(momentum < 1e-13 * kept.rows[0].balance.momentum_scale, "{momentum}");
        assert!(ang_momentum < 1e-12 * kept.rows[0].balance.ang_momentum_scale, "{ang_momentum}");
        assert!(kept.rows.iter().any(|row| row.balance.e_el > 0.003 * size), "it oscillates");
        kept.rows.iter().map(|row| row.balance.d_num.abs()).fold(0.0, f64::max) / size
    });
    let order = (swings[0] / swings[1]).log2();
    assert!((1.8..2.2).contains(&order), "{swings:?}");
    assert!(swings[1] < 1e-4, "{swings:?}");
}

/// A bar of 1 m, clamped at one end, with a force of 10 N at the other.
fn pulled_bar(cells: [usize; 3]) -> Problem {
    let bar = block("bar", [1.0, 0.1, 0.1], cells, [1000.0, 1e7, 0.0]);
    Problem {
        bodies: vec![deformable(bar, "small-strain", at([0.0; 3], [0.0; 3]))],
        supports: vec![Support {
            body: 0,
            set: "west".to_owned(),
            directions: [true; 3],
            rotations: [false; 3],
            displacement: [0.0; 3],
        }],
        loads: vec![Load {
            body: 0,
            at: Place::Set("east".to_owned()),
            force: [10.0, 0.0, 0.0],
            torque: [0.0; 3],
            axes: Axes::Inertial,
            scale: TimeFunction::Constant(1.0),
        }],
        ..Problem::default()
    }
}

/// Energies are those of t_n in steps of any length: the books of a linear body have no D_num before the last
/// step, which is shortened to 0.4 of the others, and there ¼ (dt − dt') dt̃ f·M⁻¹ f, of second order.
#[test]
fn a_shortened_last_step_has_an_error_of_second_order_in_the_books() {
    let missed = [10.4, 20.4].map(|n_steps| {
        let dt = 5.2e-3 / n_steps;
        let settings = carom_continuum::explicit::Settings { output_every: dt, ..settings(5.2e-3, Some(dt)) };
        let (_, kept) = run(&pulled_bar([1, 1, 1]), settings);
        let missed: Vec<f64> = kept.rows.iter().map(|row| row.balance.d_num.abs()).collect();
        let size = kept.rows.last().unwrap().balance.w_ext;
        assert!(residuals(&kept)[0] < 1e-14 * size);
        let (last, before) = missed.split_last().unwrap();
        assert!(before.iter().all(|missed| *missed < 1e-14 * size), "{missed:?} of {size}");
        last / size
    });
    let (ratio, expected) = (missed[0] / missed[1], (20.4_f64 / 10.4).powi(2));
    println!("relative to the work {missed:?}, ratio {ratio:.3} and {expected:.3}");
    assert!((ratio / expected - 1.0).abs() < 0.1 && missed[0] < 0.01, "{missed:?} {expected}");
}

/// The end of a clamped bar under a sudden force reaches twice the static displacement; the period is
/// 4 L/c.
#[test]
fn a_bar_under_a_sudden_force_stretches_to_twice_its_static_length() {
    let problem = pulled_bar([40, 2, 2]);
    let (simulation, kept) = run(&problem, settings(0.04, None));
    let [energy, momentum, _] = residuals(&kept);
    assert!(energy < 1e-15 && momentum < 1e-14, "{energy} {momentum}");
    let end = |frame: &Vec<Vec<f64>>| frame[0].iter().step_by(3).fold(0.0_f64, |m, u| m.max(*u));
    let most = kept.displacements.iter().map(end).fold(0.0, f64::max);
    let statics = 10.0 * 1.0 / (1e7 * 0.01);
    assert!((most / (2.0 * statics) - 1.0).abs() < 0.03, "{most} {statics}");
    // After one period of 4 L/c = 0.04 s the end is back at its start.
    assert!(end(kept.displacements.last().unwrap()).abs() < 0.05 * statics);
    let [critical, _, dt] = simulation.step_sizes();
    assert!((dt / critical - 0.9).abs() < 1e-12);
}

/// In free fall, momentum and potential energy change by the impulse and the work of gravity, to round-off.
#[test]
fn a_falling_brick_gains_the_impulse_and_work_of_gravity() {
    let mut problem = spinning();
    problem.gravity = [0.0, 0.0, -9.81];
    let (_, kept) = run(&problem, settings(0.02, None));
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let size = kept.rows[0].balance.e_kin;
    assert!(
        energy < 1e-12 * size && momentum < 1e-13 && ang_momentum < 1e-13,
        "{energy} {momentum} {ang_momentum}"
    );
    let row = kept.rows.last().unwrap();
    let velocity = kept.velocities.last().unwrap()[0][2];
    assert!((velocity - (3.0 - 9.81 * row.balance.time)).abs() < 1e-6, "{velocity}");
}

/// A run resumed from a checkpoint continues bit for bit.
#[test]
fn a_resumed_run_continues_bit_for_bit() {
    let mut problem = spinning();
    let moduli = ElasticModuli::from_young_poisson(1e5, 0.4).unwrap();
    let law = Plastic::new(moduli, Hardening::linear(5e2, 1e4).unwrap()).unwrap();
    let brick = block("brick", [0.1, 0.06, 0.04], [5, 3, 2], RUBBER);
    let placement = problem.bodies[0].placement;
    problem.bodies[0] = with_law(brick, SolidLaw::Plastic(law), placement);
    let (_, whole) = run(&problem, settings(0.1, None));
    let mut first = Simulation::new(&problem, settings(0.1, None)).unwrap();
    let mut saved = Saved::default();
    first.run(&mut saved, &Silent).unwrap();
    let checkpoint = saved.checkpoint.unwrap();
    let mut second = Simulation::new(&problem, settings(0.1, None)).unwrap();
    second.resume(&checkpoint).unwrap();
    let mut rest = Kept::default();
    second.run(&mut rest, &Silent).unwrap();
    assert!(rest.rows.len() > 10 && rest.rows.len() < whole.rows.len());
    assert_eq!(rest.rows.last(), whole.rows.last());
    assert_eq!(rest.displacements.last(), whole.displacements.last());
    assert!(whole.rows.last().unwrap().balance.d_pl > 0.0, "it yields");
}

/// Keeps one checkpoint in the middle.
#[derive(Default)]
pub(crate) struct Saved {
    pub(crate) checkpoint: Option<carom_dynamics::Checkpoint>,
}

impl carom_dynamics::Observer for Saved {
    fn frame(&mut self, _: &carom_dynamics::Frame<'_>) -> Result<(), carom_dynamics::ObserverError> {
        Ok(())
    }

    fn contact_event(
        &mut self,
        _: &carom_dynamics::ContactEvent,
    ) -> Result<(), carom_dynamics::ObserverError> {
        Ok(())
    }

    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        steps == 37
    }

    fn checkpoint(
        &mut self,
        checkpoint: &carom_dynamics::Checkpoint,
    ) -> Result<(), carom_dynamics::ObserverError> {
        if checkpoint.steps == 37 {
            self.checkpoint = Some(checkpoint.clone());
        }
        Ok(())
    }
}
