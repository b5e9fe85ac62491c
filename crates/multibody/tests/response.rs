//! Harmonic response about an equilibrium against closed forms.

use crate::blocks::{along, at, block, ground, joint, on, settings};
use crate::lattice::Lattice;
use carom_dynamics::{Loads, Placement};
use carom_multibody::{Body, Coordinate, Excitation, JointKind, Settings, Simulation, Spring, Start, System};
use carom_progress::Silent;
use nalgebra::{Complex, Vector3};

const MASS: f64 = 3.0;
const STIFFNESS: f64 = 400.0;
const DAMPING: f64 = 5.0;

/// A mass on an upright slide with a spring and a damper, in gravity.
fn oscillator() -> Simulation {
    let z = Vector3::z();
    let body = block("mass", MASS);
    let ends = || [ground([0.0; 3], z), on(0, &body, [0.0; 3], z)];
    let spring = Spring { stiffness: STIFFNESS, damping: DAMPING, free: 0.5, preload: 0.0 };
    let system =
        System::new(vec![body.clone()], Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() }, Vec::new())
            .unwrap()
            .with_joints(vec![joint(JointKind::Prismatic, ends())])
            .unwrap()
            .with_forces(vec![along(Coordinate::Length, spring, ends())])
            .unwrap();
    let settings = Settings { start: Start::Equilibrium, ..settings(0.0) };
    Simulation::new(system, &[at([0.0, 0.0, -0.5])], settings).unwrap()
}

/// x/F = 1/(k − m ω² + i ω c), and relative to a ground that accelerates by a, x/a = −m/(k − m ω² + i ω c).
#[test]
fn an_oscillator_responds_to_forces_and_to_the_ground() {
    let mut simulation = oscillator();
    let marker = simulation.system.bodies()[0].frame_marker(Vector3::zeros());
    let frequencies = [0.0, 0.5, 1.8378, 7.0];
    let load =
        Excitation::Load { body: 0, marker: marker.clone(), force: [1.0, 0.0, 2.0], torque: [0.0, 3.0, 0.0] };
    for (excitation, amplitude) in [(load, 2.0), (Excitation::Ground([5.0, 0.0, 0.7]), -0.7 * MASS)] {
        let found = simulation.response(&excitation, &[(0, marker.clone())], &frequencies, &Silent).unwrap();
        assert_eq!(found.len(), frequencies.len());
        for response in &found {
            let omega = std::f64::consts::TAU * response.frequency;
            let expected = Complex::new(amplitude, 0.0)
                / Complex::new(STIFFNESS - MASS * omega * omega, omega * DAMPING);
            let [x, y, z] = response.displacement[0];
            assert!((z - expected).norm() < 1e-6 * expected.norm(), "{response:?} {expected}");
            assert!(x.norm() + y.norm() < 1e-12 * expected.norm().max(1.0), "{response:?}");
        }
    }
}

/// A held elastic body responds by the sum over its modes, and to the ground by C_t.
#[test]
fn an_elastic_body_responds_by_its_modes() {
    let body = Lattice::new(0.3, 2.0, 60.0).body(6).fixed();
    let marker = body.marker(&[0, 1, 2, 3]).unwrap();
    let frame = body.frame.clone();
    let settings = Settings { start: Start::Equilibrium, ..settings(0.0) };
    let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let mut simulation = Simulation::new(system, &[Placement::default()], settings).unwrap();
    let force = Vector3::new(3.0, -1.0, 2.0);
    let load = Excitation::Load { body: 0, marker: marker.clone(), force: force.into(), torque: [0.0; 3] };
    let ground = Vector3::new(0.3, 0.2, -0.5);
    for (excitation, input) in [
        (load, (0..6).map(|k| Vector3::from(marker.displacement[k]).dot(&force)).collect::<Vec<f64>>()),
        (
            Excitation::Ground(ground.into()),
            (0..6)
                .map(|k| -Vector3::from_column_slice(&frame.coupling_t[3 * k..3 * k + 3]).dot(&ground))
                .collect(),
        ),
    ] {
        for response in
            simulation.response(&excitation, &[(0, marker.clone())], &[0.0, 5.0, 12.0], &Silent).unwrap()
        {
            let omega = std::f64::consts::TAU * response.frequency;
            let mut expected = Vector3::zeros();
            for (k, input) in input.iter().enumerate() {
                let (stiffness, mass) = (frame.stiffness_modal[(k, k)], frame.mass_modal[(k, k)]);
                expected +=
                    input / (stiffness - mass * omega * omega) * Vector3::from(marker.displacement[k]);
            }
            let found = Vector3::from(response.displacement[0].map(|x| x.re));
            let scale = expected.norm().max(1e-9);
            assert!((found - expected).norm() < 1e-6 * scale, "{response:?} {expected}");
        }
    }
}

/// Points that need an equilibrium are refused without one.
#[test]
fn a_run_that_does_not_start_in_an_equilibrium_has_no_response() {
    let body: Body = block("mass", MASS);
    let marker = body.frame_marker(Vector3::zeros());
    let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let mut simulation = Simulation::new(system, &[Placement::default()], settings(1.0)).unwrap();
    let error = simulation
        .response(&Excitation::Ground([1.0, 0.0, 0.0]), &[(0, marker)], &[1.0], &Silent)
        .unwrap_err();
    assert!(error.to_string().contains("start = \"equilibrium\""), "{error}");
}
