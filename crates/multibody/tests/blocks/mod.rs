//! Rigid blocks with joints and springs, their runs and the checks of the balances.

#![allow(unreachable_pub, reason = "short declarations in a program of tests")]

use carom_dynamics::{Formula, Ignore, Marker, Placement, TimeFunction};
use carom_integrate::{IntegratorKind, Method};
use carom_multibody::{
    Body, Coordinate, ForceElement, ForceLaw, Joint, JointEnd, JointKind, RunSummary, Settings, Simulation,
    Spring,
};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

pub fn block(name: &str, mass: f64) -> Body {
    Body::rigid(name, mass, Matrix3::from_diagonal(&Vector3::new(0.02, 0.03, 0.04)), Vector3::zeros())
        .unwrap()
}

pub fn at(origin: [f64; 3]) -> Placement {
    Placement { origin, ..Placement::default() }
}

/// Orthonormal axes with the given z axis.
pub fn triad(axis: Vector3<f64>) -> Matrix3<f64> {
    let z = axis.normalize();
    let x = z.cross(&Vector3::ith(z.iamin(), 1.0)).normalize();
    Matrix3::from_columns(&[x, z.cross(&x), z])
}

pub fn on(body: usize, of: &Body, position_b: [f64; 3], axis: Vector3<f64>) -> JointEnd {
    let marker = of.frame_marker(Vector3::from(position_b));
    JointEnd { body: Some(body), marker, triad_b: triad(axis) }
}

pub fn ground(position_b: [f64; 3], axis: Vector3<f64>) -> JointEnd {
    JointEnd { body: None, marker: Marker { position_b, ..Marker::default() }, triad_b: triad(axis) }
}

pub fn joint(kind: JointKind, ends: [JointEnd; 2]) -> Joint {
    Joint { name: kind.name().to_owned(), kind, ends }
}

pub fn along(coordinate: Coordinate, spring: Spring, ends: [JointEnd; 2]) -> ForceElement {
    ForceElement {
        name: "spring".to_owned(),
        ends,
        law: ForceLaw::Along { coordinate, spring, stops: None },
        joint: None,
    }
}

pub fn formula(text: &str) -> TimeFunction {
    TimeFunction::Formula(Formula::parse(text).unwrap())
}

pub fn settings(end: f64) -> Settings {
    Settings {
        relative_tolerance: 1e-7,
        integrator: IntegratorKind::RungeKutta(Method::Dop853),
        ..Settings::until(end)
    }
}

pub fn run(simulation: &mut Simulation) -> RunSummary {
    simulation.run(&mut Ignore, &Silent).unwrap()
}

pub fn position(simulation: &mut Simulation, body: usize) -> Vector3<f64> {
    simulation.body_states().unwrap()[body].position.into()
}

pub fn balanced(summary: &RunSummary) {
    let ledger = &summary.ledger;
    assert!(ledger.energy_error < 1e-7, "{ledger:?}");
    assert!(ledger.momentum_error < 1e-9 && ledger.ang_momentum_error < 1e-9, "{ledger:?}");
}
