//! Many balls that fly: what an evaluation leaves out changes nothing.

use carom_dynamics::{Ignore, Loads, Placement};
use carom_integrate::Ode;
use carom_multibody::{Body, HalfSpaceContacts, HalfSpaceSpec, Law, Settings, Simulation, System};

use crate::half_space::{RADIUS, STEEL, ball, sphere, surface};

/// Balls along an edge of the lattice.
const SIDE: usize = 3;
const BALLS: usize = SIDE * SIDE * SIDE;

/// Balls on a lattice, half a millimetre apart, with speeds of up to 1 m/s in each direction and turning.
fn gas(end_time: f64) -> Simulation {
    let placement = |k: usize| {
        let pitch = 2.0 * RADIUS + 5e-4;
        let wave = |factor: f64| (factor * (k + 1) as f64).sin();
        Placement {
            origin: [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE].map(|i| pitch * i as f64),
            velocity: [wave(1.3), wave(2.7), wave(0.6)],
            angular_velocity: [20.0 * wave(5.1), 0.0, 30.0 * wave(3.3)],
            ..Placement::default()
        }
    };
    let placements: Vec<Placement> = (0..BALLS).map(placement).collect();
    balls(&placements, 0.0, Settings::until(end_time))
}

/// Balls that may all touch each other.
fn balls(placements: &[Placement], friction: f64, settings: Settings) -> Simulation {
    let n = placements.len();
    let bodies: Vec<Body> = (0..n).map(|k| ball(&format!("ball{k}"))).collect();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
    let specs: Vec<HalfSpaceSpec> = pairs
        .map(|bodies| {
            let surfaces = [sphere(), sphere()].map(|shape| surface(shape, Some(STEEL)));
            HalfSpaceSpec { bodies, surfaces, law: Law::Hard, friction }
        })
        .collect();
    let contacts = HalfSpaceContacts::new(&bodies, &specs).unwrap();
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap();
    Simulation::new(system, placements, settings).unwrap()
}

/// Couples of balls, of which the first ones meet obliquely, one after the other, and fly apart.
const COUPLES: usize = 6;
const MEETING: usize = 2;

fn couples(end_time: f64) -> Simulation {
    let placement = |k: usize| {
        let (couple, sign) = ((k / 2) as f64, if k.is_multiple_of(2) { -1.0 } else { 1.0 });
        let speed = if k / 2 < MEETING { 1.0 } else { 0.0 };
        let (normal, across) = (speed * (0.6 + 0.2 * couple), speed * (0.6 - 0.1 * couple));
        let gap = 1e-6 + 5e-5 * couple;
        Placement {
            origin: [sign * (RADIUS + 0.5 * gap), 4.0 * RADIUS * couple, 0.0],
            velocity: [-sign * normal, 0.0, sign * across],
            angular_velocity: [0.0, speed * 10.0 * couple * sign, speed * 5.0],
            ..Placement::default()
        }
    };
    let placements: Vec<Placement> = (0..2 * COUPLES).map(placement).collect();
    let settings = Settings { relative_tolerance: 1e-6, ..Settings::until(end_time) };
    balls(&placements, 0.2, settings)
}

/// Friction takes a part of the energy of both couples, which are later so far apart that evaluations leave
/// them out. Kinetic energy and the loss remain the energy at the start.
#[test]
fn friction_loss_of_balls_that_have_left_each_other_stays_in_the_balance() {
    let mut simulation = couples(0.025);
    let mut saved = None;
    while simulation.time() < 0.025 {
        simulation.step(&mut Ignore).unwrap();
        let near = looked_at(&mut simulation);
        if saved.is_none() && simulation.impacts().len() == MEETING && near < COUPLES {
            saved = Some(simulation.checkpoint());
        }
    }
    let (summary, near) = (simulation.summary(), looked_at(&mut simulation));
    println!("{near} pairs, {:?} {:?}", summary.ledger, summary.counters);
    assert_eq!((summary.contacts.len(), near), (MEETING, COUPLES - MEETING));
    let (start, end) = (summary.ledger.energy_initial, summary.ledger.energy_final);
    assert!(end < 0.95 * start, "{start} {end}");
    assert!(summary.ledger.energy_error < 1e-5, "{:?}", summary.ledger);
    // The checkpoint of a time at which some couples had left has their loss.
    let mut resumed = couples(0.025);
    resumed.resume(&saved.unwrap()).unwrap();
    while resumed.time() < 0.025 {
        resumed.step(&mut Ignore).unwrap();
    }
    assert_eq!(resumed.summary(), summary);
    assert_eq!(resumed.state(), simulation.state());
}

/// Pairs that an evaluation of the rate looks at, at the present state.
fn looked_at(simulation: &mut Simulation) -> usize {
    let (time, y) = (simulation.time(), simulation.state().to_vec());
    simulation.system.rate(time, &y, &mut vec![0.0; y.len()]).unwrap();
    simulation.system.contact_models()[0].near().unwrap().len()
}

/// The same run with all neighbours evaluated after each step, so that none is ever left out.
#[test]
fn settled_pairs_change_no_bit_of_a_run() {
    let (mut left_out, mut whole) = (gas(1.0), gas(1.0));
    let (mut evaluated, mut of_all) = (0, 0);
    let mut steps = 0;
    while left_out.impacts().len() < 6 {
        left_out.step(&mut Ignore).unwrap();
        evaluated += looked_at(&mut left_out);
        whole.step(&mut Ignore).unwrap();
        whole.body_states().unwrap();
        of_all += looked_at(&mut whole);
        assert_eq!(left_out.state(), whole.state(), "after {steps} steps, at t = {:e} s", whole.time());
        assert_eq!(left_out.time(), whole.time());
        steps += 1;
    }
    assert_eq!(left_out.impacts(), whole.impacts());
    // In impacts steps are so short that bodies which fly stay where they are for many of them.
    assert!(3 * evaluated < of_all, "{evaluated} of {of_all} pairs in {steps} steps");
    let balance = left_out.summary().ledger;
    assert!(balance.energy_error < 1e-6, "{balance:?}");
}

/// A run that is continued from its checkpoint has none of the lists of settled pairs.
#[test]
fn a_gas_continues_from_a_checkpoint_bit_for_bit() {
    let (mut whole, mut parts) = (gas(1.0), gas(1.0));
    while whole.impacts().len() < 3 {
        whole.step(&mut Ignore).unwrap();
        parts.step(&mut Ignore).unwrap();
        if whole.summary().counters.steps.is_multiple_of(37) {
            let checkpoint = parts.checkpoint();
            parts = gas(1.0);
            parts.resume(&checkpoint).unwrap();
        }
        assert_eq!(parts.state(), whole.state(), "at t = {:e} s", whole.time());
    }
}
