//! Implicit elastodynamics: conserved quantities, order, closed forms of its methods.

use std::sync::Arc;

use carom_continuum::implicit::{ElasticBody, Elastodynamics, Energies, Method, Steps};
use carom_dynamics::Placement;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::{CellBlock, CellShape};
use carom_nurbs::solids;
use nalgebra::Vector3;

use crate::bodies;
use crate::setup::block;

const RUBBER: [f64; 3] = [1000.0, 1e5, 0.3];

fn law(body: &Body, name: &str) -> SolidLaw {
    SolidLaw::Elastic(ElasticLaw::named(name, ElasticModuli::of(&body.materials[0])).unwrap())
}

fn elastic(body: &Body, name: &str, placement: &Placement) -> ElasticBody {
    ElasticBody::new(&Arc::new(body.clone()), placement, &[law(body, name)]).unwrap()
}

fn made(body: &Body, name: &str, placement: &Placement, method: Method) -> Elastodynamics {
    Elastodynamics::new(vec![elastic(body, name, placement)], method).unwrap()
}

/// Spins fast enough to be stretched by a tenth.
fn spin() -> Placement {
    Placement {
        velocity: [1.0, 2.0, 3.0],
        angular_velocity: [60.0, -40.0, 30.0],
        ..Placement::rotated([1.0, 2.0, 0.5], 40.0)
    }
}

/// Largest relative changes of energy, momentum and angular momentum over some steps.
fn drift(body: &mut Elastodynamics, h: f64, steps: usize) -> [f64; 3] {
    let start = body.energies().unwrap();
    let size = |v: [f64; 3], w: [f64; 3]| (Vector3::from(v) - Vector3::from(w)).norm();
    let mut most = [0.0_f64; 3];
    for _ in 0..steps {
        body.step(h).unwrap();
        let now = body.energies().unwrap();
        let changes = [
            (now.total() - start.total()).abs() / start.total(),
            size(now.momentum, start.momentum) / Vector3::from(start.momentum).norm(),
            size(now.ang_momentum, start.ang_momentum) / Vector3::from(start.ang_momentum).norm(),
        ];
        (0..3).for_each(|i| most[i] = most[i].max(changes[i]));
    }
    most
}

/// The period of the first oscillation is some 7 ms: steps of 1 ms are large.
#[test]
fn the_energy_momentum_scheme_keeps_energy_and_momenta_of_a_spinning_brick_in_large_steps() {
    let brick = block("brick", [0.1, 0.06, 0.04], [4, 2, 2], RUBBER);
    for name in ["saint-venant-kirchhoff", "neo-hookean"] {
        let mut body = made(&brick, name, &spin(), Method::EnergyMomentum);
        let [energy, momentum, ang_momentum] = drift(&mut body, 1e-3, 200);
        assert!(
            energy < 1e-12 && momentum < 1e-12 && ang_momentum < 1e-12,
            "{energy} {momentum} {ang_momentum}"
        );
        let Energies { stored, kinetic, .. } = body.energies().unwrap();
        assert!(stored > 1e-3 * kinetic, "it is strained: {stored} {kinetic}");

        let mut body = made(&brick, name, &spin(), Method::Midpoint);
        let [energy, momentum, ang_momentum] = drift(&mut body, 1e-3, 200);
        assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
        assert!(energy > 1e-6, "the midpoint rule does not keep the energy: {energy}");
    }
}

/// Six tetrahedra around the diagonal of each brick.
#[test]
fn tetrahedra_keep_energy_and_momenta() {
    let mut brick = block("brick", [0.1, 0.06, 0.04], [2, 1, 1], RUBBER);
    let Geometry::Mesh(mesh) = &mut brick.geometry else { panic!("a mesh") };
    let split = |cell: &[u32]| {
        let rings = [[1, 2], [2, 3], [3, 7], [7, 4], [4, 5], [5, 1]];
        rings.map(|[a, b]| [cell[0], cell[a], cell[b], cell[6]]).concat()
    };
    let connectivity = mesh.blocks[0].connectivity.chunks(8).flat_map(split).collect();
    mesh.blocks = vec![CellBlock { shape: CellShape::Tet4, connectivity }];
    mesh.sets.clear();
    let mut body = made(&brick, "neo-hookean", &spin(), Method::EnergyMomentum);
    let drifts = drift(&mut body, 1e-3, 50);
    assert!(drifts.iter().all(|drift| *drift < 1e-12), "{drifts:?}");
}

/// The discrete gradient holds at each point of a cell, whatever its kind.
#[test]
fn cells_of_second_degree_and_splines_keep_energy_and_momenta() {
    let kinds = [CellShape::Tet10, CellShape::Wedge15, CellShape::Hex20, CellShape::Hex27];
    let mut made_of: Vec<Body> =
        kinds.map(|kind| bodies::block_of(kind, [2, 1, 1], |[x, y, z]| [0.1 * x, 0.06 * y, 0.04 * z])).into();
    let spline = solids::block([0.1, 0.06, 0.04]).unwrap().with_degree(3).unwrap();
    made_of.push(bodies::nurbs_body(spline.elements([2, 1, 1]).unwrap()));
    for mut brick in made_of {
        brick.materials = vec![Material::new("rubber", RUBBER[0], RUBBER[1], RUBBER[2]).unwrap()];
        let mut body = made(&brick, "saint-venant-kirchhoff", &spin(), Method::EnergyMomentum);
        let drifts = drift(&mut body, 1e-3, 50);
        assert!(drifts.iter().all(|drift| *drift < 1e-12), "{}: {drifts:?}", brick.name);
        let Energies { stored, kinetic, .. } = body.energies().unwrap();
        assert!(stored > 1e-3 * kinetic, "it is strained: {stored} {kinetic}");
    }
}

/// Errors at the end against steps eight times smaller than the finest: halving the step quarters them.
#[test]
fn all_methods_are_of_order_two() {
    let brick = block("brick", [0.1, 0.06, 0.04], [2, 1, 1], RUBBER);
    let end = 8e-3;
    for method in [Method::EnergyMomentum, Method::Midpoint, Method::GeneralisedAlpha(0.8)] {
        let at_end = |steps: usize| {
            let mut body = made(&brick, "neo-hookean", &spin(), method);
            body.start().unwrap();
            for _ in 0..steps {
                body.step(end / steps as f64).unwrap();
            }
            body.bodies()[0].displacements().to_vec()
        };
        let exact = at_end(512);
        let error = |steps: usize| {
            let found = at_end(steps);
            found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let order = (error(32) / error(64)).log2();
        assert!((1.9..2.15).contains(&order), "{method:?}: {order}");
    }
}

/// A bar that swings in its first mode: linear elements with the consistent mass have the frequency
/// ω² = 6 E/(ρ l²) (1 − cos kl)/(2 + cos kl), and the midpoint rule turns it into ω_h = 2/h atan(ωh/2).
#[test]
fn a_bar_swings_with_the_frequency_of_its_mesh_and_step() {
    let (n, young, density) = (8, 1e6, 1000.0);
    let bar = block("bar", [1.0, 0.1, 0.1], [n, 1, 1], [density, young, 0.0]);
    let cell = 1.0 / n as f64;
    let wave = std::f64::consts::FRAC_PI_2;
    let (cos, h) = ((wave * cell).cos(), 5e-3);
    let omega = (6.0 * young / (density * cell * cell) * (1.0 - cos) / (2.0 + cos)).sqrt();
    let turned = 2.0 * (0.5 * omega * h).atan();
    assert!(omega * h > 0.2, "the step changes the frequency");
    // The spectral radius 1 of generalised-α is the trapezoidal rule.
    for method in [Method::EnergyMomentum, Method::Midpoint, Method::GeneralisedAlpha(1.0)] {
        let mut body = made(&bar, "small-strain", &Placement::default(), method);
        let points = body.bodies()[0].discretisation().points.clone();
        let held: Vec<u32> =
            (0..points.len()).filter(|&k| points[k][0] < 1e-9).map(|k| 3 * k as u32).collect();
        body.bodies_mut()[0].hold(&held);
        let shape: Vec<f64> = points.iter().flat_map(|x| [1e-3 * (wave * x[0]).sin(), 0.0, 0.0]).collect();
        body.bodies_mut()[0].set_state(&shape, &vec![0.0; shape.len()]);
        body.start().unwrap();
        let start = body.energies().unwrap().total();
        for step in 1..=60 {
            body.step(h).unwrap();
            let factor = (f64::from(step) * turned).cos();
            let found =
                body.bodies()[0].displacements().iter().zip(&shape).map(|(u, s)| (u - factor * s).abs());
            let error = found.fold(0.0, f64::max);
            assert!(error < 1e-12, "{method:?} step {step}: {error}");
            let energy = body.energies().unwrap().total();
            assert!((energy / start - 1.0).abs() < 1e-11, "{method:?}: {energy} {start}");
        }
    }
}

/// At frequencies far above 1/h the amplitude of generalised-α falls by ρ in each step.
#[test]
fn generalised_alpha_damps_high_frequencies_by_its_spectral_radius() {
    let bar = block("bar", [1.0, 0.1, 0.1], [1, 1, 1], [1000.0, 1e6, 0.0]);
    for radius in [0.2, 0.6] {
        let method = Method::GeneralisedAlpha(radius);
        let mut body = made(&bar, "small-strain", &Placement::default(), method);
        let points = body.bodies()[0].discretisation().points.clone();
        let held: Vec<u32> =
            (0..points.len()).filter(|&k| points[k][0] < 1e-9).map(|k| 3 * k as u32).collect();
        body.bodies_mut()[0].hold(&held);
        let stretched: Vec<f64> = points.iter().flat_map(|x| [1e-3 * x[0], 0.0, 0.0]).collect();
        body.bodies_mut()[0].set_state(&stretched, &vec![0.0; stretched.len()]);
        body.start().unwrap();
        // Steps of some thousand periods have the threefold root −ρ: u₃ + 3ρ u₂ + 3ρ² u₁ + ρ³ u₀ = 0.
        let end = points.iter().position(|x| x[0] > 0.5).unwrap();
        let mut found = Vec::new();
        for _ in 0..8 {
            body.step(200.0).unwrap();
            found.push(body.bodies()[0].displacements()[3 * end]);
        }
        for u in found.windows(4) {
            let rest = u[3] + 3.0 * radius * u[2] + 3.0 * radius * radius * u[1] + radius.powi(3) * u[0];
            assert!(rest.abs() < 1e-5 * u[0].abs(), "{radius}: {found:?}");
        }
    }
}

/// Free fall: x̄ and P follow g exactly, and the energy stays.
#[test]
fn a_falling_body_keeps_its_energy() {
    let brick = block("brick", [0.1, 0.06, 0.04], [2, 1, 1], RUBBER);
    let mut body = made(&brick, "neo-hookean", &spin(), Method::EnergyMomentum);
    body.bodies_mut()[0].set_gravity([0.0, 0.0, -9.81]);
    let start = body.energies().unwrap();
    let mass = 1000.0 * 0.1 * 0.06 * 0.04;
    for step in 1..=50 {
        body.step(1e-3).unwrap();
        let now = body.energies().unwrap();
        let fallen = now.momentum[2] - start.momentum[2] + mass * 9.81 * 1e-3 * f64::from(step);
        assert!(fallen.abs() < 1e-12, "{fallen}");
        assert!((now.total() - start.total()).abs() < 1e-12 * start.kinetic, "{now:?}");
    }
}

/// Steps that turn the body by more than Newton's method can follow are halved; the energy stays.
#[test]
fn steps_without_a_solution_are_halved_and_grow_again() {
    let brick = block("brick", [0.1, 0.06, 0.04], [2, 1, 1], RUBBER);
    let mut body = made(&brick, "neo-hookean", &spin(), Method::EnergyMomentum);
    let start = body.energies().unwrap().total();
    let mut steps = Steps::new(0.05);
    steps.advance(&mut body, 0.2).unwrap();
    let [taken, failed] = steps.counts();
    assert!(failed > 0 && taken > 4, "{taken} {failed}");
    let end = body.energies().unwrap().total();
    assert!((end / start - 1.0).abs() < 1e-11, "{start} {end}");
}

#[test]
fn laws_with_history_and_impossible_radii_are_refused() {
    let brick = block("brick", [0.1, 0.06, 0.04], [1, 1, 1], RUBBER);
    let moduli = ElasticModuli::of(&brick.materials[0]);
    let plastic = Plastic::new(moduli, Hardening::linear(1e3, 1e4).unwrap()).unwrap();
    let refused = |law: SolidLaw, method| {
        let made = ElasticBody::new(&Arc::new(brick.clone()), &Placement::default(), &[law]);
        let made = made.and_then(|body| Elastodynamics::new(vec![body], method));
        made.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let message = refused(SolidLaw::Plastic(plastic), Method::Midpoint);
    assert!(message.contains("takes elastic laws; use the scheme `explicit`"), "{message}");
    let message = refused(law(&brick, "neo-hookean"), Method::GeneralisedAlpha(1.2));
    assert!(message.contains("1.2, must be from 0 to 1"), "{message}");
}
