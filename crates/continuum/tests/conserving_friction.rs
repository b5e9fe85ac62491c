//! Contact of the implicit schemes by springs, and Coulomb friction: closed forms, momenta, energy, losses.

use std::sync::Arc;

use carom_contact::Law;
use carom_continuum::explicit::Problem;
use carom_continuum::implicit::{
    ContactSpec, ElasticBody, Elastodynamics, Method, Settings, Simulation, Solver,
};
use carom_dynamics::Placement;
use carom_fem::Body;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_progress::Silent;
use nalgebra::Vector3;

use crate::setup::{Kept, at, block, deformable, pair, residuals};

const SOFT: [f64; 3] = [1000.0, 1e5, 0.3];

/// Stiff, without lateral strain.
const STIFF: [f64; 3] = [1000.0, 1e7, 0.0];

const FRICTION: f64 = 0.3;

const GRAVITY: f64 = 10.0;

fn elastic(body: &Body, placement: &Placement) -> ElasticBody {
    let law = ElasticLaw::named("neo-hookean", ElasticModuli::of(&body.materials[0])).unwrap();
    ElasticBody::new(&Arc::new(body.clone()), placement, &[SolidLaw::Elastic(law)]).unwrap()
}

fn contact(law: Law, friction: f64) -> ContactSpec {
    let sets = ["bottom".to_owned(), "top".to_owned()];
    ContactSpec { bodies: [1, 0], sets, number: 0, law, friction, is_mixed: false }
}

/// A block on a slab with a rigid face, both symmetric about y = 0.3, in gravity tilted by an angle towards
/// x.
fn sliding(method: Method, velocity: f64, tilt: f64) -> Elastodynamics {
    let slab = elastic(&block("slab", [2.0, 0.6, 0.1], [10, 3, 1], STIFF), &Placement::default());
    let body = block("block", [0.2, 0.18, 0.1], [2, 1, 1], STIFF);
    let mut bodies = vec![slab, elastic(&body, &at([0.3, 0.21, 0.1], [velocity, 0.0, 0.0]))];
    let points = &bodies[0].discretisation().points;
    let held = (0..points.len() as u32).filter(|&k| points[k as usize][2] > 0.05);
    let held: Vec<u32> = held.flat_map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    bodies[0].hold(&held);
    bodies[1].set_gravity([GRAVITY * tilt.sin(), 0.0, -GRAVITY * tilt.cos()]);
    // 3.6 kg on springs of 9e5 N/m in all: 0.04 mm deep.
    let contacts = [contact(Law::per_area(STIFFNESS / (0.2 * 0.18)), FRICTION)];
    Elastodynamics::new(bodies, method).unwrap().with_contacts(&contacts).unwrap()
}

/// Of all springs together \[N/m\].
const STIFFNESS: f64 = 9e5;

const MASS: f64 = 1000.0 * 0.2 * 0.18 * 0.1;

/// Velocity of the centre of mass of the block.
fn velocity(system: &mut Elastodynamics) -> Vector3<f64> {
    Vector3::from(system.bodies_mut()[1].energies().unwrap().momentum) / MASS
}

/// m v_x' = m g sin α − μ N and m v_z' = N − m g cos α: v_x = v_0 + g t (sin α − μ cos α) − μ v_z, whatever
/// the block bounces, as long as all nodes slip along x.
#[test]
fn a_sliding_block_is_slowed_down_by_friction_as_the_closed_form_has_it() {
    for method in [Method::EnergyMomentum, Method::Midpoint] {
        // tan 0.5 = 0.55 > μ: the second block is faster at the end.
        for (start, tilt) in [(1.0, 0.0), (0.5, 0.5_f64)] {
            let mut system = sliding(method, start, tilt);
            let (h, n) = (1e-3, 100);
            let mut lost = 0.0;
            for step in 1..=n {
                let taken = system.step(h).unwrap();
                assert!(taken.friction_loss >= 0.0);
                lost += taken.friction_loss;
                let v = velocity(&mut system);
                let time = h * f64::from(step);
                let exact = start + GRAVITY * time * (tilt.sin() - FRICTION * tilt.cos()) - FRICTION * v[2];
                assert!((v[0] - exact).abs() < 1e-10, "{method:?} step {step}: {} {exact}", v[0]);
            }
            // The work of friction over the distance, without bounces.
            let time = h * f64::from(n);
            let acceleration = GRAVITY * (tilt.sin() - FRICTION * tilt.cos());
            let distance = start * time + 0.5 * acceleration * time * time;
            let work = FRICTION * MASS * GRAVITY * tilt.cos() * distance;
            assert!((lost / work - 1.0).abs() < 0.05, "{lost} {work}");
        }
    }
}

/// It begins at the depth of its weight, in short steps, so that it hardly bounces. Springs and shear give
/// way by 2 m g sin α/k = 8 μm; without friction it would slide by 12 cm.
#[test]
fn a_block_on_a_slope_within_the_cone_of_friction_sticks() {
    let tilt = 0.1_f64;
    let mut system = sliding(Method::EnergyMomentum, 0.0, tilt);
    let depth = MASS * GRAVITY * tilt.cos() / STIFFNESS;
    let body = &mut system.bodies_mut()[1];
    let down: Vec<f64> = body.displacements().chunks(3).flat_map(|_| [0.0, 0.0, -depth]).collect();
    body.set_state(&down, &vec![0.0; down.len()]);
    let mut farthest = 0.0_f64;
    for _ in 0..1000 {
        let step = system.step(5e-4).unwrap();
        assert!(step.friction_loss >= 0.0 && step.touching == 6);
        let moved = system.bodies()[1].displacements().as_chunks::<3>().0.iter().map(|u| u[0].abs());
        farthest = farthest.max(moved.fold(0.0, f64::max));
    }
    let expected = 2.0 * MASS * GRAVITY * tilt.sin() / STIFFNESS;
    assert!((0.5 * expected..4.0 * expected).contains(&farthest), "{farthest} {expected}");
}

/// Errors of the place against much smaller steps. While the block slides the forces are those of the middle
/// of the step.
#[test]
fn sliding_is_of_order_two() {
    let at_end = |steps: usize| {
        let mut system = sliding(Method::EnergyMomentum, 1.0, 0.0);
        for _ in 0..steps {
            system.step(4e-3 / steps as f64).unwrap();
        }
        system.bodies()[1].displacements().to_vec()
    };
    let exact = at_end(256);
    let error = |steps: usize| {
        let found = at_end(steps);
        found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let errors = [error(16), error(32)];
    let order = (errors[0] / errors[1]).log2();
    assert!((1.8..2.3).contains(&order), "{order}: {errors:?}");
}

/// A small block flies onto a large one, off its centre and turning; the meshes do not match.
fn collision(method: Method, friction: f64) -> Elastodynamics {
    collision_by(method, &contact(Law::of_materials(20.0, 5e4), friction))
}

fn collision_by(method: Method, contact: &ContactSpec) -> Elastodynamics {
    let below = elastic(&block("large", [0.4, 0.4, 0.1], [4, 4, 2], SOFT), &Placement::default());
    let flight =
        Placement { angular_velocity: [0.3, -0.5, 2.0], ..at([0.06, 0.17, 0.101], [0.4, 0.1, -1.5]) };
    let above = elastic(&block("small", [0.15, 0.15, 0.1], [2, 2, 2], SOFT), &flight);
    Elastodynamics::new(vec![below, above], method)
        .unwrap()
        .with_contacts(std::slice::from_ref(contact))
        .unwrap()
}

/// Largest relative changes of momentum, angular momentum and of energy with losses; the total loss and the
/// least of a step.
fn impact(system: &mut Elastodynamics) -> ([f64; 3], [f64; 2]) {
    let start = system.energies().unwrap();
    let size = |v: [f64; 3], w: [f64; 3]| (Vector3::from(v) - Vector3::from(w)).norm();
    let (mut most, mut lost, mut least) = ([0.0_f64; 3], 0.0, 0.0_f64);
    let mut touched = 0;
    for _ in 0..60 {
        let step = system.step(1e-3).unwrap();
        touched += usize::from(step.touching > 0);
        lost += step.friction_loss;
        least = least.min(step.friction_loss);
        let now = system.energies().unwrap();
        let balance = now.total() + system.spring_energy() + lost - start.total();
        let changes = [
            size(now.momentum, start.momentum) / Vector3::from(start.momentum).norm(),
            size(now.ang_momentum, start.ang_momentum) / Vector3::from(start.ang_momentum).norm(),
            balance.abs() / start.total(),
        ];
        (0..3).for_each(|i| most[i] = most[i].max(changes[i]));
    }
    assert!((8..50).contains(&touched), "{touched} steps in contact");
    (most, [lost / start.total(), least])
}

/// Contact by springs has no jump of the energy where a node comes to a face.
#[test]
fn an_impact_by_springs_keeps_energy_and_momenta() {
    let ([momentum, ang_momentum, energy], lost) = impact(&mut collision(Method::EnergyMomentum, 0.0));
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(energy < 1e-12 && lost == [0.0; 2], "{energy} {lost:?}");
    let ([momentum, ang_momentum, energy], _) = impact(&mut collision(Method::Midpoint, 0.0));
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(energy > 1e-6, "the midpoint rule does not keep the energy: {energy}");
}

#[test]
fn an_impact_with_friction_keeps_momenta_and_its_losses_close_the_books() {
    for solver in [Solver::Condensed, Solver::Coupled] {
        let mut system = collision(Method::EnergyMomentum, 0.4).with_solver(solver);
        let ([momentum, ang_momentum, energy], [lost, least]) = impact(&mut system);
        assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
        assert!(energy < 1e-12 && least >= 0.0 && lost > 1e-3, "{energy} {lost} {least}");
        let counts = system.counts();
        assert!(counts.iterations < 60 * 12, "{counts:?}");
    }
    let ([momentum, ang_momentum, _], [lost, least]) = impact(&mut collision(Method::Midpoint, 0.4));
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(least >= 0.0 && lost > 1e-3, "{lost} {least}");
}

/// The gradient of the mixed formulation keeps energy and momenta, and moves the bodies as the discrete
/// gradient of the gap does up to the second order of the step. Springs land without a jump.
#[test]
fn the_mixed_formulation_gives_the_same_motion_to_the_order_of_the_step() {
    let difference = |h: f64| {
        let ends = [true, false].map(|is_mixed| {
            let spec = ContactSpec { is_mixed, ..contact(Law::of_materials(20.0, 5e4), 0.0) };
            let mut system = collision_by(Method::EnergyMomentum, &spec);
            let start = system.energies().unwrap();
            for _ in 0..(16e-3 / h).round() as usize {
                system.step(h).unwrap();
                let now = system.energies().unwrap();
                let energy = (now.total() + system.spring_energy()) / start.total() - 1.0;
                let turned = Vector3::from(now.ang_momentum) - Vector3::from(start.ang_momentum);
                let turned = turned.norm() / Vector3::from(start.ang_momentum).norm();
                assert!(energy.abs() < 1e-12 && turned < 1e-12, "{is_mixed}: {energy} {turned}");
            }
            system.bodies()[1].displacements().to_vec()
        });
        let pairs = ends[0].iter().zip(&ends[1]);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let [whole, half] = [difference(2e-4), difference(1e-4)];
    println!("largest difference {whole:.2e} m with 0.2 ms, {half:.2e} m with 0.1 ms");
    assert!((3.0..5.0).contains(&(whole / half)), "{whole} {half}");
}

/// In a run the ledger has the energy of the springs and the loss by friction, and is closed without `D_con`.
#[test]
fn the_ledger_of_a_run_with_friction_is_closed() {
    let above = Placement { angular_velocity: [0.3, -0.5, 2.0], ..at([0.06, 0.17, 0.101], [0.4, 0.1, -1.5]) };
    let problem = Problem {
        bodies: vec![
            deformable(block("large", [0.4, 0.4, 0.1], [3, 3, 1], SOFT), "neo-hookean", Placement::default()),
            deformable(block("small", [0.15, 0.15, 0.1], [2, 2, 1], SOFT), "neo-hookean", above),
        ],
        contacts: vec![pair(0, [1, 0], ["bottom", "top"], Law::of_materials(20.0, 5e4), 0.4)],
        gravity: [0.0, 0.0, -9.81],
        ..Problem::default()
    };
    let settings = Settings {
        end_time: 0.03,
        output_every: 2e-3,
        time_step: 1e-3,
        method: Method::EnergyMomentum,
        is_persistent: false,
        is_mixed: false,
    };
    let mut simulation = Simulation::new(&problem, settings).unwrap();
    let mut kept = Kept::default();
    simulation.run(&mut kept, &Silent).unwrap();
    let size = kept.rows[0].balance.e_kin;
    assert!(kept.rows.iter().any(|row| row.balance.e_con > 1e-3 * size));
    for rows in kept.rows.windows(2) {
        assert!(rows[1].balance.d_fric >= rows[0].balance.d_fric);
    }
    let last = kept.rows.last().unwrap().balance;
    assert!(
        last.d_fric > 1e-3 * size
            && last.d_con.abs() < 1e-11 * size
            && last.d_num == 0.0
            && last.d_imp == 0.0,
        "{last:?}"
    );
    let residuals = residuals(&kept);
    assert!(residuals.iter().all(|r| *r < 1e-10), "{residuals:?}");
}
