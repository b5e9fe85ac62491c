//! Mass scaling: cells that need a smaller step than the wanted one get more mass.

use carom_contact::Law;
use carom_continuum::explicit::{Load, Problem, Settings, Simulation, Support};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, TimeFunction};

use crate::setup::{at, block, deformable, pair, residuals, run, settings};

const MATERIAL: [f64; 3] = [1000.0, 1e7, 0.3];

/// A bar of ten layers along x, the sixth of a tenth of the length of the others.
fn bar_with_thin_layer(name: &str) -> carom_fem::Body {
    let mut bar = block(name, [1.0, 0.1, 0.1], [10, 1, 1], MATERIAL);
    let carom_fem::Geometry::Mesh(mesh) = &mut bar.geometry else { panic!("a mesh") };
    for x in &mut mesh.points {
        x[0] = if x[0] > 0.55 { x[0] - 0.09 } else { x[0] };
    }
    bar
}

fn free(settings_step: Option<f64>) -> (Problem, Settings) {
    let bar = deformable(bar_with_thin_layer("bar"), "saint-venant-kirchhoff", at([0.0; 3], [1.0, 0.0, 0.0]));
    let problem = Problem { bodies: vec![bar], smallest_step: settings_step, ..Problem::default() };
    (problem, settings(0.01, None))
}

/// The steps have the wanted length, and one layer of ten has more mass; its mass without it is ρ V.
#[test]
fn a_thin_layer_gets_mass_until_the_step_has_the_wanted_length() {
    let (plain, settings) = free(None);
    let own = Simulation::new(&plain, settings).unwrap();
    let wanted = 3.0 * own.step_sizes()[2];
    let scaled = Simulation::new(&free(Some(wanted)).0, settings).unwrap();
    assert!((scaled.step_sizes()[2] / wanted - 1.0).abs() < 1e-12, "{:?}", scaled.step_sizes());
    let added = scaled.added_mass(0).unwrap();
    let mass = 1000.0 * 0.91 * 0.1 * 0.1;
    assert!((added.masses[0] / mass - 1.0).abs() < 1e-12, "{added:?}");
    assert_eq!(added.cells, [1, 10]);
    // ω² is in inverse proportion to the mass, so that a step of three times the length takes nine times it.
    let layer = 1000.0 * 0.01 * 0.1 * 0.1;
    assert!((added.largest_factor - 9.0).abs() < 1e-11, "{added:?}");
    assert!((added.masses[1] / (8.0 * layer) - 1.0).abs() < 1e-11, "{added:?}");
    assert!((scaled.mass(0) / (mass + 8.0 * layer) - 1.0).abs() < 1e-12);
    assert!(scaled.warnings().iter().any(|text| text.contains("adds 8.8 % to its mass")));
}

/// A step that all cells allow changes nothing.
#[test]
fn a_smallest_step_below_the_own_one_keeps_all_masses() {
    let (plain, settings) = free(None);
    let own = Simulation::new(&plain, settings).unwrap();
    let (problem, _) = free(Some(0.5 * own.step_sizes()[2]));
    let simulation = Simulation::new(&problem, settings).unwrap();
    assert_eq!(simulation.added_mass(0), None);
    assert_eq!(simulation.step_sizes(), own.step_sizes());
    assert_eq!(run(&problem, settings).1.displacements, run(&plain, settings).1.displacements);
}

/// With four times the mass everywhere and twice the step, every step has the displacements of the original
/// body under the same constant force: dt²/m is the same.
#[test]
fn scaling_all_cells_alike_stretches_time() {
    let problem = |smallest_step| Problem {
        bodies: vec![deformable(
            block("bar", [1.0, 0.1, 0.1], [10, 1, 1], MATERIAL),
            "small-strain",
            at([0.0; 3], [0.0; 3]),
        )],
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
        smallest_step,
        ..Problem::default()
    };
    let dt = Simulation::new(&problem(None), settings(1.0, None)).unwrap().step_sizes()[2];
    let (_, own) = run(&problem(None), settings(100.0 * dt, None));
    let (_, scaled) = run(&problem(Some(2.0 * dt)), settings(200.0 * dt, None));
    assert_eq!(own.displacements.len(), scaled.displacements.len());
    let [a, b] = [&own, &scaled].map(|kept| &kept.displacements[70][0]);
    let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // Round-off of 70 steps in displacements of the order of the largest one.
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * largest));
}

/// An impact of scaled bodies keeps momentum and books: the added mass is mass like any other.
#[test]
fn an_impact_of_scaled_bodies_conserves_momentum_and_energy() {
    let bars = |smallest_step| Problem {
        bodies: vec![
            deformable(
                bar_with_thin_layer("left"),
                "saint-venant-kirchhoff",
                at([-0.911, 0.0, 0.0], [1.0, 0.0, 0.0]),
            ),
            deformable(bar_with_thin_layer("right"), "saint-venant-kirchhoff", at([0.0; 3], [0.0; 3])),
        ],
        contacts: vec![pair(0, [0, 1], ["east", "west"], Law::Hard, 0.0)],
        smallest_step,
        ..Problem::default()
    };
    let dt = Simulation::new(&bars(None), settings(0.04, None)).unwrap().step_sizes()[2];
    let (simulation, kept) = run(&bars(Some(2.5 * dt)), settings(0.04, None));
    assert!(!simulation.events().is_empty(), "they meet");
    let balance = kept.rows[0].balance;
    let [energy, momentum, ang_momentum] = residuals(&kept);
    assert!(energy < 1e-12 * balance.e_kin, "{energy}");
    assert!(momentum < 1e-13 * balance.momentum_scale, "{momentum}");
    assert!(ang_momentum < 1e-13 * balance.momentum_scale, "{ang_momentum}");
    // The momentum at the start is that of the scaled mass.
    assert!((balance.momentum[0] / simulation.mass(0) - 1.0).abs() < 1e-12);
}

#[test]
fn a_smallest_step_excludes_a_fixed_one() {
    let (problem, _) = free(Some(1e-6));
    let error = Simulation::new(&problem, settings(0.01, Some(1e-6))).err().unwrap().to_string();
    assert!(error.contains("without `mass_scaling`"), "{error}");
    let error = Simulation::new(&free(Some(-1.0)).0, settings(0.01, None)).err().unwrap().to_string();
    assert!(error.contains("`mass_scaling` is -1"), "{error}");
}
