//! A step allocates nothing, in flight and in contact.

use crate::problems::{ROD_VELOCITY, ball_in_shell, rod_in_cube};
use carom_dynamics::{Axes, Ignore, Marker, Probe, ProbePlace, ProbeQuantity};
use carom_rigid::{Law, Settings, Simulation};
use carom_testing::heap;

#[test]
fn steps_allocate_nothing_once_lists_have_grown() {
    for (mut system, warm, steps) in [
        (rod_in_cube(ROD_VELOCITY, Law::Hard, 1e-4), 3000, 20_000),
        (ball_in_shell(1e4, 0.01), 10, 2000),
        (rod_in_cube(ROD_VELOCITY, Law::per_point(1e3), 1e-4), 5000, 20_000),
    ] {
        (0..warm).for_each(|_| system.step().unwrap());
        let impulses = system.n_impulses();
        let (_, taken) = heap::allocations_during(|| (0..steps).for_each(|_| system.step().unwrap()));
        assert!(system.n_impulses() > impulses + 10);
        assert_eq!(taken, 0);
    }
}

#[test]
fn samples_of_probes_allocate_nothing() {
    let system = ball_in_shell(1e4, 0.01);
    let settings = Settings { end_time: 1e3, output_every: 1e3 };
    let at_point = ProbePlace::Point { body: 0, marker: Marker::default(), axes: Axes::Body };
    let all: [(ProbePlace, &[ProbeQuantity]); 3] = [
        (at_point, &ProbeQuantity::OF_POINTS),
        (ProbePlace::Contact(0), &ProbeQuantity::OF_CONTACTS),
        (ProbePlace::Body(1), &ProbeQuantity::OF_BODIES),
    ];
    let probes = all.map(|(place, quantities)| Probe { place, quantities: quantities.to_vec(), every: None });
    let simulation = Simulation::new(system, settings).unwrap().with_probes(probes.to_vec());
    let mut simulation = simulation.unwrap();
    let mut steps = |n: u64| (0..n).for_each(|_| simulation.step(&mut Ignore).unwrap());
    steps(10);
    let (_, taken) = heap::allocations_during(|| steps(2000));
    assert_eq!(taken, 0);
}
