//! Probes of explicit runs allocate nothing in the steps, and refuse places of other kinds of bodies. Their
//! values are tested from scenario to result (`carom-simulate`, `whole_probes`).

use carom_contact::Law;
use carom_continuum::explicit::{Problem, Simulation};
use carom_continuum::{PlaceStress, StressOfProbes};
use carom_dynamics::{Axes, Ignore, Marker, Probe, ProbeError, ProbePlace, ProbeQuantity};
use carom_fem::constitutive::linear_laws;
use carom_fem::internal_force::PointRule;
use carom_fem::structural::{BeamSection, WallRecovery};
use carom_fem::{Body, Discretisation, PlaceRecovery, material_point};
use carom_progress::Silent;
use carom_testing::heap;

use crate::setup::{at, block, deformable, pair, rigid, settings};
use crate::shells::{SHELL_LAW, beam, plate};

/// A deformable bar and a rigid block move to the right, into a deformable bar.
fn problem() -> Problem {
    let bar = |name: &str| block(name, [50.0, 1.0, 1.0], [50, 1, 1], [0.01, 100.0, 0.0]);
    Problem {
        bodies: vec![
            deformable(bar("left"), "small-strain", at([-50.01, 0.0, 0.0], [1.0, 0.0, 0.0])),
            deformable(bar("right"), "small-strain", at([0.0; 3], [0.0; 3])),
            rigid(bar("behind"), at([-100.03, 0.0, 0.0], [1.0, 0.0, 0.0])),
        ],
        contacts: vec![
            pair(0, [0, 1], ["east", "west"], Law::Hard, 0.0),
            pair(1, [2, 0], ["east", "west"], Law::Hard, 0.0),
        ],
        ..Problem::default()
    }
}

fn probe(place: ProbePlace, quantities: &[ProbeQuantity]) -> Probe {
    Probe { place, quantities: quantities.to_vec(), every: None }
}

/// The stress of the first probe, within a cell of the second bar.
fn stress_inside() -> StressOfProbes {
    let bar = block("right", [50.0, 1.0, 1.0], [50, 1, 1], [0.01, 100.0, 0.0]);
    let discretisation = Discretisation::new(&bar).unwrap();
    let found = material_point(&bar, &discretisation, [20.3, 0.4, 0.7]).unwrap();
    let laws = linear_laws(&discretisation);
    let of = (&bar, &discretisation);
    let place = PlaceRecovery::at(of, (PointRule::MeanDilatation, &laws), (found.cell, found.xi));
    StressOfProbes::from([(0, PlaceStress::Solid(place))])
}

/// A plate of shells with the stress at a place of its wall, and a beam with the forces of a section, in
/// flight.
fn structural() -> (Problem, Vec<Probe>, StressOfProbes) {
    let plate = plate("plate", [0.1, 0.1], [6, 6], 0.0, 0.004, [1000.0, 1e7, 0.3]);
    let beam = beam(1.0, 4, BeamSection::circle(0.05).unwrap(), [1000.0, 1e7, 0.3]);
    let found = |body: &Body, x: [f64; 3]| {
        let discretisation = Discretisation::new(body).unwrap();
        let found = material_point(body, &discretisation, x).unwrap();
        (discretisation, (found.cell, found.xi))
    };
    let (discretisation, at_plate) = found(&plate, [0.03, 0.04, 0.0]);
    let (_, (cell, xi)) = found(&beam, [0.3, 0.0, 0.0]);
    let wall = PlaceStress::Wall(WallRecovery::at(&discretisation, at_plate, 2));
    let stresses = StressOfProbes::from([(0, wall), (1, PlaceStress::Section(cell, xi[0]))]);
    let points = |body: usize| ProbePlace::Points { body, weights: vec![(1, 1.0)] };
    let probes =
        vec![probe(points(0), &ProbeQuantity::OF_STRESS), probe(points(1), &ProbeQuantity::OF_SECTIONS)];
    let bodies = vec![
        deformable(plate, SHELL_LAW, at([0.0; 3], [1.0, 0.0, 0.0])),
        deformable(beam, SHELL_LAW, at([0.0, 0.0, 1.0], [1.0, 0.0, 0.0])),
    ];
    (Problem { bodies, ..Problem::default() }, probes, stresses)
}

/// The same for walls of shells and sections of beams.
#[test]
fn samples_of_shells_and_beams_allocate_nothing_in_the_steps() {
    let taken = |end_time: f64, has_probes: bool| {
        let mut settings = settings(end_time, None);
        settings.output_every = 10.0;
        let (problem, probes, stresses) = structural();
        let probes = if has_probes { probes } else { Vec::new() };
        let simulation = Simulation::new(&problem, settings).unwrap();
        let mut simulation = simulation.with_probes_of_stress(probes, stresses).unwrap();
        heap::allocations_during(|| simulation.run(&mut Ignore, &Silent).unwrap()).1
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let more = pool.install(|| [1e-3, 2e-3].map(|end| taken(end, true) - taken(end, false)));
    assert_eq!(more[0], more[1], "{more:?}");
}

/// Twice as many steps take the same number of additional allocations: those of the last checkpoint.
#[test]
fn samples_allocate_nothing_in_the_steps() {
    let marker = || ProbePlace::Point { body: 2, marker: Marker::default(), axes: Axes::Body };
    let of_solid: Vec<ProbeQuantity> = ProbeQuantity::OF_UNREDUCED
        .into_iter()
        .filter(|quantity| !ProbeQuantity::OF_SECTIONS.contains(quantity))
        .collect();
    let all = [
        probe(ProbePlace::Points { body: 1, weights: vec![(7, 0.5), (9, 0.5)] }, &of_solid),
        probe(marker(), &ProbeQuantity::OF_POINTS),
        probe(ProbePlace::Contact(0), &ProbeQuantity::OF_CONTACTS),
        probe(ProbePlace::Contact(1), &ProbeQuantity::OF_CONTACTS),
        probe(ProbePlace::Body(0), &ProbeQuantity::OF_BODIES),
        probe(ProbePlace::Body(2), &ProbeQuantity::OF_BODIES),
    ];
    let taken = |end_time: f64, probes: &[Probe]| {
        let mut settings = settings(end_time, Some(0.009));
        settings.output_every = 10.0;
        let simulation = Simulation::new(&problem(), settings).unwrap();
        let stresses = if probes.is_empty() { StressOfProbes::new() } else { stress_inside() };
        let mut simulation = simulation.with_probes_of_stress(probes.to_vec(), stresses).unwrap();
        heap::allocations_during(|| simulation.run(&mut Ignore, &Silent).unwrap()).1
    };
    // Work of other threads is counted there: one thread has all of it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let more = pool.install(|| [0.45, 0.9].map(|end| taken(end, &all) - taken(end, &[])));
    assert_eq!(more[0], more[1], "{more:?}");
}

#[test]
fn places_of_other_kinds_of_bodies_are_refused() {
    let refused = |place: ProbePlace, quantity: ProbeQuantity| {
        let simulation = Simulation::new(&problem(), settings(0.1, Some(0.009))).unwrap();
        simulation.with_probes(vec![probe(place, &[quantity])]).err()
    };
    let velocity = ProbeQuantity::Velocity;
    let wrong = |body: usize| Some(ProbeError::WrongPoint { probe: 0, body });
    let points = |body: usize, point: u32| ProbePlace::Points { body, weights: vec![(point, 1.0)] };
    assert_eq!(refused(points(2, 0), velocity), wrong(2));
    assert_eq!(refused(points(0, 204), velocity), wrong(0), "51 × 4 points");
    assert_eq!(refused(points(0, 203), velocity), None);
    let marker = ProbePlace::Point { body: 0, marker: Marker::default(), axes: Axes::Inertial };
    assert_eq!(refused(marker, velocity), wrong(0));
    let turns = refused(points(0, 0), ProbeQuantity::AngularVelocity).unwrap().to_string();
    assert!(turns.contains("a point of an unreduced body has no `angular_velocity`"), "{turns}");
    let nowhere = refused(ProbePlace::Contact(2), ProbeQuantity::Gap).unwrap().to_string();
    assert!(nowhere.contains("the system has 2 contact pairs"), "{nowhere}");
}
