//! Contact of the implicit schemes: momenta, energy and its jumps, gaps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use carom_contact::Law;
use carom_continuum::explicit::{Load, Place, Pressure, Problem, Support};
use carom_continuum::implicit::{
    ContactSpec, Counts, ElasticBody, Elastodynamics, Energies, Method, RunError, Settings, Simulation,
    Solver, Step, Steps,
};
use carom_dynamics::{Axes, Ignore, Placement, TimeFunction};
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::{Body, Geometry};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_progress::{Progress, Silent};
use nalgebra::Vector3;

use crate::setup::{Kept, Last, at, block, deformable, pair, residuals, rigid};

const RUBBER: [f64; 3] = [1000.0, 1e5, 0.3];

fn elastic(body: &Body, placement: &Placement) -> ElasticBody {
    elastic_by("neo-hookean", body, placement)
}

fn elastic_by(law: &str, body: &Body, placement: &Placement) -> ElasticBody {
    let law = ElasticLaw::named(law, ElasticModuli::of(&body.materials[0])).unwrap();
    ElasticBody::new(&Arc::new(body.clone()), placement, &[SolidLaw::Elastic(law)]).unwrap()
}

/// A small block flies onto a large one, off its centre and turning; the meshes do not match.
fn collision(method: Method) -> Elastodynamics {
    let large = block("large", [0.4, 0.4, 0.1], [4, 4, 2], RUBBER);
    let small = block("small", [0.15, 0.15, 0.1], [2, 2, 2], RUBBER);
    collision_of(large, small, method)
}

fn collision_of(large: Body, small: Body, method: Method) -> Elastodynamics {
    let below = elastic(&large, &Placement::default());
    let flight =
        Placement { angular_velocity: [0.3, -0.5, 2.0], ..at([0.06, 0.17, 0.101], [0.4, 0.1, -1.5]) };
    let above = elastic(&small, &flight);
    let contact = ContactSpec {
        law: Law::Hard,
        friction: 0.0,
        is_mixed: false,
        bodies: [1, 0],
        sets: ["bottom".to_owned(), "top".to_owned()],
        number: 0,
    };
    Elastodynamics::new(vec![below, above], method).unwrap().with_contacts(&[contact]).unwrap()
}

struct Run {
    start: Energies,
    /// After each step.
    steps: Vec<(Step, Energies)>,
}

fn run(system: &mut Elastodynamics, h: f64, steps: usize) -> Run {
    let start = system.energies().unwrap();
    let taken = (0..steps).map(|_| (system.step(h).unwrap(), system.energies().unwrap()));
    Run { start, steps: taken.collect() }
}

impl Run {
    /// Largest changes of momentum and angular momentum, relative to those of the small block.
    fn momenta(&self) -> [f64; 2] {
        let drift = |of: fn(&Energies) -> [f64; 3]| {
            let size = Vector3::from(of(&self.start)).norm();
            let change = |now: &Energies| (Vector3::from(of(now)) - Vector3::from(of(&self.start))).norm();
            self.steps.iter().map(|(_, now)| change(now) / size).fold(0.0, f64::max)
        };
        [drift(|e| e.momentum), drift(|e| e.ang_momentum)]
    }

    /// Largest error of the balance of a step, relative to the energy at the start.
    fn balance(&self) -> f64 {
        let mut before = self.start.total();
        let mut most = 0.0_f64;
        for (step, now) in &self.steps {
            most = most.max((now.total() - before - step.contact_work).abs() / self.start.total());
            before = now.total();
        }
        most
    }
}

#[test]
fn an_impact_keeps_momenta_and_the_work_of_contact_is_the_change_of_energy() {
    let mut system = collision(Method::EnergyMomentum);
    let run = run(&mut system, 1e-3, 60);
    let touching = run.steps.iter().filter(|(step, _)| step.touching > 0).count();
    assert!((10..50).contains(&touching), "{touching} steps in contact");
    assert_eq!(run.steps.last().unwrap().0.touching, 0, "the blocks separate");
    let [momentum, ang_momentum] = run.momenta();
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(run.balance() < 1e-12, "{}", run.balance());
    // The work of the impact has turned the small block round.
    let up = system.bodies()[1].velocities().as_chunks::<3>().0.iter().map(|v| v[2]).sum::<f64>();
    assert!(up > 0.0, "{up}");
}

/// A block of hex27 with its corner in the origin.
fn quadratic_solid(name: &str, size: [f64; 3], n: usize) -> Body {
    let options = HexOptions { shape: CellShape::Hex27, elements: vec![n, n, 1], ..HexOptions::default() };
    let mut mesh = hexahedra(Solid::Box { size }, &options).unwrap();
    let least = [0, 1, 2].map(|d| mesh.points.iter().map(|x| x[d]).fold(f64::INFINITY, f64::min));
    mesh.points.iter_mut().for_each(|x| (0..3).for_each(|d| x[d] -= least[d]));
    Body { name: name.to_owned(), geometry: Geometry::Mesh(mesh), ..block("b", [1.0; 3], [1; 3], RUBBER) }
}

/// Splines on triquadratic cells and the reverse: the faces have nine points.
#[test]
fn quadratic_cells_and_splines_touch_alike() {
    let solid = |name: &str, size: [f64; 3], is_spline: bool, n: usize| {
        if !is_spline {
            return quadratic_solid(name, size, n);
        }
        let solid = carom_nurbs::solids::block(size).unwrap();
        let geometry = Geometry::Nurbs(solid.with_degree(2).unwrap().elements([n, n, 1]).unwrap());
        Body { name: name.to_owned(), geometry, ..block("b", [1.0; 3], [1; 3], RUBBER) }
    };
    for is_spline in [true, false] {
        let large = solid("large", [0.4, 0.4, 0.1], !is_spline, 2);
        let small = solid("small", [0.15, 0.15, 0.1], is_spline, 1);
        let run = run(&mut collision_of(large, small, Method::EnergyMomentum), 1e-3, 40);
        let touching = run.steps.iter().filter(|(step, _)| step.touching > 0).count();
        assert!(touching > 5 && run.steps.last().unwrap().0.touching == 0, "{touching} steps in contact");
        let [momentum, ang_momentum] = run.momenta();
        assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
        assert!(run.balance() < 1e-12, "{}", run.balance());
    }
}

/// Without the correction of velocities each closing contact takes energy; with it none is lost, and momenta
/// stay.
#[test]
fn persistent_contacts_give_their_energy_back() {
    let lost = |system: &mut Elastodynamics| {
        let run = run(system, 1e-3, 60);
        let [momentum, ang_momentum] = run.momenta();
        assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
        assert!(run.balance() < 1e-12, "{}", run.balance());
        1.0 - run.steps.last().unwrap().1.total() / run.start.total()
    };
    let plain = lost(&mut collision(Method::EnergyMomentum));
    let persistent = lost(&mut collision(Method::EnergyMomentum).with_persistency().unwrap());
    println!("lost: {plain:.3e}, with persistency {persistent:.3e}");
    assert!(plain > 1e-3 && persistent.abs() < 1e-12, "{plain} {persistent}");
}

#[test]
fn the_midpoint_rule_keeps_momenta_and_not_the_energy() {
    let mut system = collision(Method::Midpoint);
    let run = run(&mut system, 1e-3, 60);
    let [momentum, ang_momentum] = run.momenta();
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(run.balance() > 1e-6, "{}", run.balance());
}

/// The same collision as a problem, with a support, a load and gravity.
fn problem() -> Problem {
    let large = block("large", [0.4, 0.4, 0.1], [3, 3, 1], RUBBER);
    let small = block("small", [0.15, 0.15, 0.1], [1, 1, 1], RUBBER);
    let above = Placement { angular_velocity: [0.3, -0.5, 2.0], ..at([0.06, 0.17, 0.101], [0.4, 0.1, -1.5]) };
    Problem {
        bodies: vec![
            deformable(large, "neo-hookean", Placement::default()),
            deformable(small, "saint-venant-kirchhoff", above),
        ],
        supports: vec![Support {
            body: 0,
            set: "west".to_owned(),
            directions: [true; 3],
            rotations: [false; 3],
            displacement: [0.0, 0.01, 0.0],
        }],
        loads: vec![Load {
            body: 1,
            at: Place::Set("top".to_owned()),
            force: [0.0, 3.0, -2.0],
            torque: [0.0; 3],
            axes: Axes::Inertial,
            scale: TimeFunction::Constant(1.0),
        }],
        contacts: vec![pair(0, [1, 0], ["bottom", "top"], Law::Hard, 0.0)],
        gravity: [0.0, 0.0, -9.81],
        ..Problem::default()
    }
}

fn settings(method: Method) -> Settings {
    Settings {
        end_time: 0.05,
        output_every: 5e-3,
        time_step: 1e-3,
        method,
        is_persistent: false,
        is_mixed: false,
    }
}

/// The works of loads, supports and contact, and their impulses, are all that changes the books.
#[test]
fn a_run_with_supports_and_loads_balances_to_rounding() {
    for method in [Method::EnergyMomentum, Method::Midpoint] {
        let mut simulation = Simulation::new(&problem(), settings(method)).unwrap();
        let mut kept = Kept::default();
        simulation.run(&mut kept, &Silent).unwrap();
        let last = kept.rows.last().unwrap().balance;
        assert!(last.w_ext.abs() > 0.01 && last.d_imp.abs() > 1e-6, "{last:?}");
        let residuals = residuals(&kept);
        assert!(residuals.iter().all(|r| *r < 1e-10), "{method:?}: {residuals:?}");
        assert_eq!(last.d_num != 0.0, method == Method::Midpoint);
        // The block bounces at once by a corner, and then lands.
        let events = simulation.events();
        let impulse: f64 = events.iter().map(|event| event.impulse[2]).sum();
        assert!(
            events[0].velocity_before < -1.0 && events[0].peak_force > 0.0 && impulse > 1.0,
            "{events:?}"
        );
    }
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    let hard = problem();
    let mut frictional = problem();
    frictional.contacts[0] = pair(0, [1, 0], ["bottom", "top"], Law::of_materials(20.0, 5e4), 0.4);
    // In contact, and after it.
    for (problem, step) in [(&hard, 8), (&hard, 45), (&frictional, 8), (&frictional, 45)] {
        let mut whole = Simulation::new(problem, settings(Method::EnergyMomentum)).unwrap();
        let mut last = Last::at(step);
        whole.run(&mut last, &Silent).unwrap();
        let mut resumed = Simulation::new(problem, settings(Method::EnergyMomentum)).unwrap();
        resumed.resume(&last.found.unwrap()).unwrap();
        resumed.run(&mut Ignore, &Silent).unwrap();
        // As text, since a tracker without an event has numbers that are not.
        let [first, second] = [&whole, &resumed].map(|run| format!("{:?}", run.checkpoint()));
        assert!(first == second, "from step {step}");
        assert!(whole.body_states() == resumed.body_states(), "from step {step}");
    }
}

/// Stops a run at a number of questions.
struct Stop(AtomicU64);

impl Progress for Stop {
    fn begin(&self, _: &str, _: u64) {}
    fn set(&self, _: u64) {}
    fn note(&self, _: &str) {}
    fn end(&self) {}

    fn interrupted(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) <= 1
    }
}

/// A run stops between two iterations of a step. Its checkpoint is the state before the step, and a run that
/// continues from this checkpoint has the bits of a run without a stop.
#[test]
fn a_run_that_is_stopped_within_a_step_goes_on_with_the_same_bits() {
    let problem = problem();
    let mut whole = Simulation::new(&problem, settings(Method::EnergyMomentum)).unwrap();
    whole.run(&mut Ignore, &Silent).unwrap();
    let expected = format!("{:?}", whole.checkpoint());
    let stopped_at = [1, 18, 47, 48, 49, 50].map(|questions| {
        let mut stopped = Simulation::new(&problem, settings(Method::EnergyMomentum)).unwrap();
        let mut last = Last::at(u64::MAX);
        let ended = stopped.run(&mut last, &Stop(AtomicU64::new(questions)));
        assert!(
            matches!(ended, Err(RunError::Interrupted { time, .. }) if time == stopped.time()),
            "{ended:?}"
        );
        let checkpoint = last.found.unwrap();
        let mut resumed = Simulation::new(&problem, settings(Method::EnergyMomentum)).unwrap();
        resumed.resume(&checkpoint).unwrap();
        resumed.run(&mut Ignore, &Silent).unwrap();
        assert!(format!("{:?}", resumed.checkpoint()) == expected, "after {questions} questions");
        checkpoint.steps
    });
    // Some in the middle of the steps between two reports.
    assert!(stopped_at[0] == 0 && stopped_at.iter().any(|steps| !steps.is_multiple_of(4)), "{stopped_at:?}");
}

#[test]
fn inputs_that_implicit_steps_do_not_take_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Problem)| {
        let mut problem = problem();
        change(&mut problem);
        Simulation::new(&problem, settings(Method::EnergyMomentum)).err().unwrap().to_string()
    };
    let message = refused(&|problem| problem.contacts[0].friction = 0.2);
    assert!(message.contains("`small` and `large`") && message.contains("kind = \"penalty\""), "{message}");
    let message = refused(&|problem| problem.contacts[0].law = Law::penalty(10.0));
    assert!(message.contains("`small` and `large`") && message.contains("elastic material"), "{message}");
    let message = refused(&|problem| {
        problem.bodies[1] = rigid(block("small", [0.1; 3], [1; 3], RUBBER), Placement::default());
    });
    assert!(message.contains("`small` is rigid"), "{message}");
    let mut quadratic = problem();
    quadratic.bodies[0] =
        deformable(quadratic_solid("large", [0.4, 0.4, 0.1], 2), "neo-hookean", Placement::default());
    let mixed = Settings { is_mixed: true, ..settings(Method::EnergyMomentum) };
    assert!(Simulation::new(&problem(), mixed).is_ok());
    let message = Simulation::new(&quadratic, mixed).err().unwrap().to_string();
    assert!(message.contains("`small` and `large`") && message.contains("contact_gradient"), "{message}");
    let message = refused(&|problem| problem.contacts[0].bodies = [0, 0]);
    assert!(message.contains("its own body"), "{message}");
}

/// The hollow ball on a plate: the example of Franke, Hesch & Betsch (2013).
pub(crate) fn hollow_ball(method: Method) -> Elastodynamics {
    hollow_ball_with(method, [0.0; 3])
}

fn hollow_ball_with(method: Method, angular_velocity: [f64; 3]) -> Elastodynamics {
    let made = |name: &str, solid: Solid, elements: &[usize]| {
        let options = HexOptions { elements: elements.to_vec(), ..HexOptions::default() };
        let mesh = hexahedra(solid, &options).unwrap();
        Body { name: name.to_owned(), geometry: Geometry::Mesh(mesh), ..block("b", [1.0; 3], [1; 3], SOFT) }
    };
    let ball = made("ball", Solid::Shell { radius: 1.0, inner_radius: 0.8 }, &[6, 2]);
    let plate = made("plate", Solid::Plate { size: [4.0, 4.0, 0.4] }, &[10, 10, 1]);
    let law = "saint-venant-kirchhoff";
    let bodies = vec![
        elastic_by(law, &ball, &Placement { angular_velocity, ..at([0.0; 3], [0.0, 1.0, -1.0]) }),
        elastic_by(law, &plate, &at([0.0, 0.0, -1.22], [0.0; 3])),
    ];
    let contact = ContactSpec {
        law: Law::Hard,
        friction: 0.0,
        is_mixed: false,
        bodies: [0, 1],
        sets: ["outer".to_owned(), "top".to_owned()],
        number: 0,
    };
    Elastodynamics::new(bodies, method).unwrap().with_contacts(&[contact]).unwrap()
}

const SOFT: [f64; 3] = [1000.0, 1e5, 0.4];

/// Condensed rows with Cholesky factors and one sparse LU are two ways to the same steps.
#[test]
fn both_solutions_of_the_linear_systems_give_the_same_steps() {
    for method in [Method::EnergyMomentum, Method::Midpoint] {
        let ends = [Solver::Condensed, Solver::Coupled].map(|solver| {
            let mut system = collision(method).with_solver(solver);
            let run = run(&mut system, 1e-3, 40);
            assert!(run.steps.iter().any(|(step, _)| step.touching > 2));
            let Counts { factorisations, analyses, .. } = system.counts();
            assert_eq!(factorisations == 0, solver == Solver::Condensed);
            // The symbolic work is kept while rows that are known come and go.
            assert!(analyses * 10 < factorisations || analyses == 0, "{analyses} of {factorisations}");
            system.bodies()[1].displacements().to_vec()
        });
        let pairs = ends[0].iter().zip(&ends[1]);
        let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(most < 1e-10, "{method:?}: {most}");
    }
}

/// The spinning ball of meshes/hollow-ball in steps of 80 ms, in which its nodes come round to other faces:
/// the second step is halved, and no energy comes of it.
#[test]
fn steps_into_contact_without_a_solution_are_halved() {
    let mut system = hollow_ball_with(Method::EnergyMomentum, [-5.0, 0.0, 0.0]);
    let start = system.energies().unwrap();
    let mut steps = Steps::new(0.08);
    steps.advance(&mut system, 0.24).unwrap();
    let [taken, failed] = steps.counts();
    assert!(failed > 0 && taken > 3, "{taken} {failed}");
    let end = system.energies().unwrap();
    assert!(end.total() < start.total() * (1.0 + 1e-12), "{} {}", start.total(), end.total());
    for (now, before) in [(end.momentum, start.momentum), (end.ang_momentum, start.ang_momentum)] {
        let (now, before) = (Vector3::from(now), Vector3::from(before));
        assert!((now - before).norm() < 1e-11 * before.norm(), "{now} {before}");
    }
}

/// The first 0.14 s: seven nodes land, the ball begins to flatten.
#[test]
fn a_hollow_ball_on_a_plate_loses_energy_where_nodes_land() {
    let mut system = hollow_ball(Method::EnergyMomentum);
    let start = system.energies().unwrap();
    assert!((start.kinetic - 1_983.755_251_244).abs() < 1e-6, "{}", start.kinetic);
    let run = run(&mut system, 0.01, 13);
    for (k, (step, _)) in run.steps.iter().enumerate() {
        assert!(step.contact_work < 1e-9 * start.kinetic, "step {k}: {}", step.contact_work);
    }
    assert!(run.steps.last().unwrap().0.touching > 5);
    assert!(run.balance() < 1e-12, "{}", run.balance());
}

/// A pressure follows the faces: on all of them it neither pushes nor turns, on one it gives the impulse p A
/// t; the books close, and Newton's method has its derivative.
#[test]
fn pressures_follow_the_faces() {
    let sides = ["west", "east", "south", "north", "bottom", "top"];
    let turning = Placement { angular_velocity: [3.0, -5.0, 2.0], ..Placement::default() };
    for (sets, placement) in [(&sides[..], turning), (&sides[..1], Placement::default())] {
        let body = block("block", [0.2, 0.1, 0.1], [2, 1, 1], [1000.0, 1e5, 0.0]);
        let press = |set: &&str| Pressure { body: 0, set: (*set).to_owned(), value: 300.0 };
        let problem = Problem {
            bodies: vec![deformable(body, "saint-venant-kirchhoff", placement)],
            pressures: sets.iter().map(press).collect(),
            ..Problem::default()
        };
        let mut simulation = Simulation::new(&problem, settings(Method::EnergyMomentum)).unwrap();
        let mut kept = Kept::default();
        simulation.run(&mut kept, &Silent).unwrap();
        let last = kept.rows.last().unwrap().balance;
        let residuals = residuals(&kept);
        assert!(last.w_ext.abs() > 1e-3 && residuals.iter().all(|r| *r < 1e-11), "{residuals:?} {last:?}");
        let [impulse, moment] = [last.external_impulse, last.external_ang_impulse].map(Vector3::from);
        let straight = 300.0 * 0.01 * 0.05;
        if sets.len() == 1 {
            // ν = 0: the cross-section keeps its area.
            let expected = Vector3::x() * straight;
            assert!((impulse - expected).norm() < 1e-6 * straight, "{impulse}");
        } else {
            assert!(impulse.norm() < 1e-13 && moment.norm() < 1e-13, "{impulse} {moment}");
        }
        let iterations = simulation.counts().iterations;
        assert!(iterations <= 5 * simulation.n_steps(), "{iterations}");
    }
}
