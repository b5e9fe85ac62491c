//! Contact in generalised-α: rows of closed contacts against differences, and the evaluations they save.

use crate::cap::{Cap, RADIUS};
use carom_dynamics::{Ignore, Loads, Placement};
use carom_integrate::{ConstraintForm, Displacement, IntegratorKind, Ode, Reading, SpectralRadius};
use carom_multibody::{
    Body, ContactSpec, ContactSurface, Law, QuasistaticContacts, RimPolicy, RunSummary, Settings, Simulation,
    System,
};
use carom_progress::Silent;
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// Two equal balls, the second upside down above the first.
fn balls(cap: &Cap, law: Law, friction: f64) -> System {
    let body = Arc::new(cap.reduced());
    let bodies = vec![Body::reduced(body.clone()).unwrap(), Body::reduced(body).unwrap()];
    let spec = ContactSpec {
        bodies: [0, 1],
        surfaces: [ContactSurface::Named("pole".into()), ContactSurface::Named("pole".into())],
        law,
        friction,
        modulus: None,
        radius: None,
        rim: RimPolicy::Warning,
        max_depth: None,
    };
    let contacts = QuasistaticContacts::new(&bodies, &[spec]).unwrap();
    System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap()
}

/// Initial states with a gap between the balls, an approach along z and a sideways motion.
fn placements(gap: f64, speed: f64, aside: f64) -> [Placement; 2] {
    let second = Placement {
        origin: [2e-5, -1e-5, 2.0 * RADIUS + gap],
        velocity: [aside, 0.0, -speed],
        ..Placement::rotated([1.0, 0.0, 0.0], 180.0)
    };
    [Placement::default(), second]
}

/// −Bᵀ S⁻¹ B of the rows of the system, and the derivative of its forces with respect to increments, by
/// differences.
fn tangents(system: &mut System, y: &[f64]) -> [DMatrix<f64>; 2] {
    let mut rate = vec![0.0; y.len()];
    system.rate(0.0, y, &mut rate).unwrap();
    let of_contact = system.second_order().unwrap();
    let n = of_contact.velocities();
    let mut closed = Vec::new();
    of_contact.for_low_rank_rows(&mut |contact| closed.push(contact));
    let r = closed.len();
    let s = DMatrix::from_fn(r, r, |i, j| of_contact.low_rank_compliance(closed[i], closed[j]));
    let mut rows = DMatrix::zeros(r, n);
    let mut row = vec![0.0; n];
    for (k, contact) in closed.iter().enumerate() {
        of_contact.low_rank_row(*contact, &mut row);
        rows.set_row(k, &DVector::from_column_slice(&row).transpose());
    }
    let of_rows = if r > 0 { -rows.transpose() * s.lu().solve(&rows).unwrap() } else { DMatrix::zeros(n, n) };

    let mut reading = Reading::new(n, 0);
    of_contact.read(&mut reading);
    let mut found = DMatrix::zeros(n, n);
    for j in 0..n {
        let step = 1e-9 * if (3..6).contains(&(j % (n / 2))) { 1.0 / RADIUS } else { 1.0 };
        let forces = [-step, step].map(|by| {
            let mut increment = vec![0.0; n];
            increment[j] = by;
            let moved = Displacement { increment: &increment, velocity: &reading.velocity, impulse: &[] };
            let (mut at, mut rate, mut force) = (y.to_vec(), y.to_vec(), vec![0.0; n]);
            of_contact.place(0.0, y, moved, &mut at).unwrap();
            of_contact.rate_with(0.0, &at, Some(&[]), &mut rate).unwrap();
            of_contact.pull_back(y, &rate, &mut force);
            DVector::from(force)
        });
        found.set_column(j, &((&forces[1] - &forces[0]) / (2.0 * step)));
    }
    [of_rows, found]
}

/// The rows leave out normals that turn under forces, of the order of depth over radius; the stiffness of the
/// modes themselves is subtracted.
#[test]
fn closed_rows_give_the_derivative_of_the_contact_forces() {
    for (law, friction) in [(Law::Hard, 0.0), (Law::penalty(30.0), 0.0), (Law::penalty(30.0), 0.4)] {
        let mut system = balls(&Cap::new(5, 0.4e-3, 2), law, friction);
        let y = system.initial_state(&placements(-6e-6, 0.0, 0.0)).unwrap();
        let apart = system.initial_state(&placements(1e-3, 0.0, 0.0)).unwrap();
        let [of_rows, found] = tangents(&mut system, &y);
        let [none, own] = tangents(&mut system, &apart);
        assert_eq!(none.norm(), 0.0, "{law:?}");
        let off = (&found - own - &of_rows).norm() / of_rows.norm();
        assert!(of_rows.norm() > 1e7 && off < 0.01, "{law:?}, friction {friction}: {off}");
    }
}

fn impact(law: Law, friction: f64, settings: Settings) -> RunSummary {
    let system = balls(&Cap::new(5, 0.42e-3, 2), law, friction);
    let mut simulation = Simulation::new(system, &placements(2e-6, 0.4, 0.1), settings).unwrap();
    simulation.run(&mut Ignore, &Silent).unwrap()
}

/// Steps of a hundredth of the impact need no derivative after the first although contacts close and open,
/// and are hardly ever rejected.
#[test]
fn an_impact_needs_one_derivative() {
    let alpha = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised);
    let fixed = Settings { integrator: alpha, time_step: Some(1e-6), ..Settings::until(1.5e-4) };
    let laws = [(Law::Hard, 0.0), (Law::penalty(30.0), 0.0), (Law::penalty(30.0), 0.3)];
    for (law, friction) in laws {
        let exact = impact(law, friction, Settings::until(1.5e-4));
        let found = impact(law, friction, fixed);
        assert_eq!((exact.contacts.len(), found.contacts.len()), (1, 1));
        let [exact, event] = [&exact.contacts[0], &found.contacts[0]];
        let counters = found.counters;
        assert!(counters.jacobians <= 2 && counters.rejected <= 2, "{law:?} {friction}: {counters:?}");
        assert!(counters.evaluations < 8 * counters.steps, "{law:?} {friction}: {counters:?}");
        assert!((event.peak_force / exact.peak_force - 1.0).abs() < 2e-3, "{event:?} {exact:?}");
        assert!((event.duration() / exact.duration() - 1.0).abs() < 2e-3, "{event:?} {exact:?}");
    }
}
