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
    let bodies: Vec<Body> = (0..BALLS).map(|k| ball(&format!("ball{k}"))).collect();
    let pairs = (0..BALLS).flat_map(|a| (a + 1..BALLS).map(move |b| [a, b]));
    let specs: Vec<HalfSpaceSpec> = pairs
        .map(|bodies| {
            let surfaces = [sphere(), sphere()].map(|shape| surface(shape, Some(STEEL)));
            HalfSpaceSpec { bodies, surfaces, law: Law::Hard, friction: 0.0 }
        })
        .collect();
    let contacts = HalfSpaceContacts::new(&bodies, &specs).unwrap();
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
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap();
    Simulation::new(system, &placements, Settings::until(end_time)).unwrap()
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
