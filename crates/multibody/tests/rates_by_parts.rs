//! Implicit formulas with derivatives by bodies and joints, next to the same equations as one whole.

use carom_dynamics::{Axes, Loads, Placement, PointLoad, TimeFunction};
use carom_integrate::{Counters, ImplicitMethod, Integrator, IntegratorKind, Ode, Tolerances};
use carom_multibody::{Coordinate, Joint, JointEnd, JointKind, RateError, Spring, System};
use nalgebra::Vector3;

use crate::blocks::{along, at, triad};
use crate::lattice::Lattice;

const KINDS: [IntegratorKind; 3] = [
    IntegratorKind::Radau5,
    IntegratorKind::Implicit(ImplicitMethod::Midpoint),
    IntegratorKind::Implicit(ImplicitMethod::Bdf2),
];
const BODIES: usize = 12;
const MODES: usize = 2;

/// A system whose parts are not known.
struct Whole(System);

impl Ode for Whole {
    type Error = RateError;
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn coupled(&self) -> usize {
        self.0.coupled()
    }
    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), RateError> {
        self.0.rate(time, y, rate)
    }
}

/// A chain of flexible bodies that hangs on the ground at one end, on hinges, balls and slides, with a loop
/// of four, damped springs, a force, and a held body that springs pull.
fn mechanism() -> (System, Vec<f64>) {
    let body = Lattice::new(0.1, 1.0, 2000.0).body(MODES);
    let ends = [body.marker(&[0, 1, 2, 9, 10, 11]).unwrap(), body.marker(&[6, 7, 8, 15, 16, 17]).unwrap()];
    let step = Vector3::from(ends[1].position_b) - Vector3::from(ends[0].position_b);
    let end = |body: Option<usize>, which: usize, axis: Vector3<f64>| JointEnd {
        body,
        marker: ends[which].clone(),
        triad_b: triad(axis),
    };
    let kinds = [JointKind::Revolute, JointKind::Spherical, JointKind::Prismatic];
    let along_chain = step.normalize();
    let mut joints = Vec::new();
    for k in 0..BODIES - 1 {
        let kind = kinds[k % 3];
        let axis = if kind == JointKind::Prismatic { along_chain } else { Vector3::z() };
        let before = k.checked_sub(1);
        let first = end(before, usize::from(k > 0), axis);
        joints.push(Joint { name: format!("{k}"), kind, ends: [first, end(Some(k), 0, axis)] });
    }
    let distance = JointKind::Distance { length: 3.0 * step.norm() };
    joints.push(Joint {
        name: "loop".to_owned(),
        kind: distance,
        ends: [end(Some(3), 1, Vector3::z()), end(Some(7), 0, Vector3::z())],
    });
    let spring = Spring { stiffness: 2e4, damping: 3.0, free: 0.0, preload: 0.0 };
    let held = BODIES - 1;
    let springs = [[0, 2], [4, 5], [9, held], [10, held]].map(|[a, b]| {
        let ends = [end(Some(a), 0, Vector3::z()), end(Some(b), 1, Vector3::z())];
        let free = 0.999 * (b - a + 1) as f64 * step.norm();
        along(Coordinate::Length, Spring { free, ..spring }, ends)
    });
    let push = PointLoad {
        body: 6,
        marker: ends[1].clone(),
        force: [3.0, -2.0, 5.0],
        torque: [0.1, 0.2, -0.1],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    let on_held = PointLoad { body: held, ..push.clone() };
    let loads = Loads { gravity: [0.0, 0.0, -9.81], point_loads: vec![push, on_held] };
    let mut bodies = vec![body; BODIES];
    bodies[held] = bodies[held].clone().fixed();
    let system = System::new(bodies, loads, Vec::new()).unwrap();
    let mut system = system.with_joints(joints).unwrap().with_forces(springs.into()).unwrap();
    let places: Vec<Placement> = (0..BODIES).map(|k| at((k as f64 * step).into())).collect();
    let mut y = system.initial_state(&places).unwrap();
    system.assemble(&mut y).unwrap();
    (system, y)
}

const STEP: f64 = 2e-4;

fn integrator(ode: &impl Ode<Error = RateError>, kind: IntegratorKind) -> Integrator {
    let n = ode.dim();
    let newton = (0..n).map(|i| if i < ode.coupled() { 1e-9 } else { f64::INFINITY }).collect();
    Integrator::new(kind, Tolerances { newton: Some(newton), ..Tolerances::none(n) })
}

/// Steps with these numbers.
fn steps(
    ode: &mut impl Ode<Error = RateError>,
    integrator: &mut Integrator,
    y: &mut [f64],
    numbers: std::ops::Range<usize>,
) {
    for step in numbers {
        integrator.attempt(ode, STEP * step as f64, y, STEP * (step + 1) as f64).unwrap();
        integrator.accept(y);
    }
}

/// The first steps of a run.
fn run(
    ode: &mut impl Ode<Error = RateError>,
    kind: IntegratorKind,
    mut y: Vec<f64>,
    n: usize,
) -> (Vec<f64>, Counters) {
    let mut integrator = integrator(ode, kind);
    steps(ode, &mut integrator, &mut y, 0..n);
    (y, integrator.counters())
}

/// Derivatives and factors of blocks are part of the state of an integrator.
#[test]
fn steps_by_parts_go_on_bit_for_bit() {
    for kind in KINDS {
        let (mut system, mut y) = mechanism();
        let mut whole = integrator(&system, kind);
        steps(&mut system, &mut whole, &mut y, 0..10);
        let (state, mut middle) = (whole.state(), y.clone());
        steps(&mut system, &mut whole, &mut y, 10..20);
        let mut system = mechanism().0;
        let mut again = integrator(&system, kind);
        assert!(again.restore(&state), "{kind:?}");
        steps(&mut system, &mut again, &mut middle, 10..20);
        let bits = |y: &[f64]| y.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&y), bits(&middle), "{kind:?}");
        let mut cut = state;
        cut.memory.pop();
        assert!(!integrator(&system, kind).restore(&cut), "{kind:?}");
    }
}

#[test]
fn derivatives_by_parts_solve_the_equations_of_the_whole() {
    for kind in KINDS {
        let (mut system, y) = mechanism();
        let (found, by_parts) = run(&mut system, kind, y.clone(), 40);
        let coupled = system.coupled();
        let (expected, of_whole) = run(&mut Whole(mechanism().0), kind, y.clone(), 40);
        let moved = (0..coupled).map(|i| (expected[i] - y[i]).abs()).fold(0.0, f64::max);
        for i in 0..found.len() {
            let off = (found[i] - expected[i]).abs();
            assert!(off < 1e-7 * moved, "{kind:?} {i}: {} {}", found[i], expected[i]);
        }
        // The same iterations, with derivatives that cost a few evaluations.
        let [own, others] = [by_parts, of_whole].map(|counters| counters.iterations as f64);
        assert!(own <= 1.2 * others, "{own} iterations instead of {others}");
        assert!(by_parts.evaluations < of_whole.evaluations, "{by_parts:?} {of_whole:?}");
        // Momenta add up to the impulses of loads and ground.
        let (layout, change) = (system.layout(), |i: usize| found[i] - y[i]);
        for a in 0..3 {
            let momentum: f64 = (0..BODIES).map(|i| change(layout.momentum(i) + a)).sum();
            let ang_momentum: f64 = (0..BODIES).map(|i| change(layout.ang_momentum(i) + a)).sum();
            let [impulse, ang_impulse] =
                [layout.external_impulse(), layout.external_ang_impulse()].map(|start| found[start + a]);
            let off = (momentum - impulse).abs().max((ang_momentum - ang_impulse).abs());
            assert!(off < 1e-11 * impulse.abs().max(ang_impulse.abs()), "{kind:?} {a}: {off:e}");
        }
    }
}
