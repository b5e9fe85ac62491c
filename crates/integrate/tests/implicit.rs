//! The implicit formulas of order 2, and common properties of all integrators: order, invariants, stiff
//! problems, resuming.

use std::convert::Infallible;

use carom_integrate::{ImplicitMethod, Integrator, IntegratorKind, Method, Ode, Tolerances};

use crate::steps::{run, run_with};

use ImplicitMethod::{Bdf2, Midpoint};

/// A system from a closure.
struct System<F>(usize, F);

impl<F: FnMut(f64, &[f64], &mut [f64])> Ode for System<F> {
    type Error = Infallible;

    fn dim(&self) -> usize {
        self.0
    }

    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        (self.1)(time, y, rate);
        Ok(())
    }
}

fn exactly(n: usize) -> Tolerances {
    Tolerances { newton: Some(vec![1e-14; n]), ..Tolerances::none(n) }
}

/// A forced pendulum in fixed steps, against a fine run of another method.
#[test]
fn fixed_steps_converge_with_order_two() {
    let pendulum = |t: f64, y: &[f64], f: &mut [f64]| {
        f[0] = y[1];
        f[1] = -(1.0 + 0.3 * t.cos()) * y[0].sin();
    };
    let at = |kind: IntegratorKind, step: f64| {
        let mut y = [2.0, 0.0];
        let mut integrator = Integrator::new(kind, exactly(2));
        run(&mut integrator, &mut System(2, pendulum), &mut y, 4.0, Some(step));
        y[0]
    };
    let exact = at(IntegratorKind::RungeKutta(Method::Dop853), 0.01);
    for method in [Midpoint, Bdf2] {
        let errors = [0.04, 0.02, 0.01].map(|h| (at(IntegratorKind::Implicit(method), h) - exact).abs());
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((1.8..2.2).contains(&order), "{method:?} {errors:?} {order}");
        }
    }
}

/// Steps of changing length keep the order of BDF2: the coefficients depend on the ratio of steps.
#[test]
fn backward_differences_keep_their_order_in_uneven_steps() {
    let oscillator = |_: f64, y: &[f64], f: &mut [f64]| (f[0], f[1]) = (y[1], -y[0]);
    let error = |n: i32| {
        let mut integrator = Integrator::new(IntegratorKind::Implicit(Bdf2), exactly(2));
        let (mut y, mut time, h) = ([1.0, 0.0], 0.0, 4.0 / f64::from(3 * n));
        for k in 0..2 * n {
            let latest = time + if k % 2 == 0 { h } else { 2.0 * h };
            integrator.attempt(&mut System(2, oscillator), time, &y, latest).unwrap();
            time = integrator.accept(&mut y);
        }
        (y[0] - time.cos()).abs()
    };
    let errors = [100, 200, 400].map(error);
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.8..2.3).contains(&order), "{errors:?} {order}");
    }
}

/// q² + p² of an oscillator is a quadratic invariant: the midpoint rule keeps it, BDF2 damps it.
#[test]
fn the_midpoint_rule_conserves_quadratic_invariants() {
    let oscillator = |_: f64, y: &[f64], f: &mut [f64]| (f[0], f[1]) = (3.0 * y[1], -3.0 * y[0]);
    let drift = |method: ImplicitMethod| {
        let mut integrator = Integrator::new(IntegratorKind::Implicit(method), exactly(2));
        let (mut y, mut worst) = ([1.0, 0.0], 0.0_f64);
        run_with(&mut integrator, &mut System(2, oscillator), &mut y, (20.0, Some(0.1)), |y| {
            worst = worst.max((y[0] * y[0] + y[1] * y[1] - 1.0).abs());
        });
        worst
    };
    assert!(drift(Midpoint) < 1e-12, "{:e}", drift(Midpoint));
    assert!(drift(Bdf2) > 1e-2);
}

/// y' = −λ (y − cos t) − sin t with λ = 1e6: the solution is cos t, steps are those of the cosine.
#[test]
fn fast_damped_components_do_not_limit_the_step() {
    let rate = |t: f64, y: &[f64], f: &mut [f64]| f[0] = -1e6 * (y[0] - t.cos()) - t.sin();
    for kind in [IntegratorKind::Implicit(Bdf2), IntegratorKind::Radau5] {
        let mut integrator = Integrator::new(kind, Tolerances::uniform(0.0, 1e-6, 1));
        let mut y = [1.0];
        run(&mut integrator, &mut System(1, rate), &mut y, 10.0, None);
        assert!((y[0] - 10.0_f64.cos()).abs() < 1e-5, "{kind:?} {}", y[0]);
        let counters = integrator.counters();
        assert!(counters.steps < 3000 && counters.evaluations < 10_000, "{kind:?} {counters:?}");
    }
}

/// Under error control the error follows the tolerance, at the ends of steps and within.
#[test]
fn the_error_follows_the_tolerance() {
    let rate = |_: f64, y: &[f64], f: &mut [f64]| (f[0], f[1]) = (y[1], -y[0]);
    for method in [Midpoint, Bdf2] {
        for tolerance in [1e-5, 1e-7, 1e-9] {
            let mut ode = System(2, rate);
            let mut integrator =
                Integrator::new(IntegratorKind::Implicit(method), Tolerances::uniform(0.0, tolerance, 2));
            let (mut y, mut time, mut worst, mut steps) = ([1.0, 0.0], 0.0, 0.0_f64, 0);
            while time < 5.0 {
                let attempt = integrator.attempt(&mut ode, time, &y, 5.0).unwrap();
                integrator.prepare_dense(&mut ode).unwrap();
                let (at, mut inside) = (attempt.start + 0.4 * attempt.step(), [0.0; 2]);
                integrator.interpolate(at, &mut inside);
                worst = worst.max((inside[0] - at.cos()).abs());
                time = integrator.accept(&mut y);
                worst = worst.max((y[0] - time.cos()).abs());
                steps += 1;
            }
            // The errors of all steps add up; each is near the tolerance and never far below it.
            let allowed = tolerance * f64::from(steps);
            assert!(worst < 2.0 * allowed, "{method:?} {tolerance:e}: {worst:e} in {steps} steps");
            assert!(worst > 0.01 * allowed, "{method:?} {tolerance:e}: {worst:e} in {steps} steps");
        }
    }
}

/// A run that continues from the state of another one makes the same steps, with the same bits.
#[test]
fn a_restored_integrator_takes_the_same_steps() {
    // Van der Pol: stiff enough for derivatives to be kept and renewed.
    let rate = |_: f64, y: &[f64], f: &mut [f64]| {
        (f[0], f[1]) = (y[1], 30.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]);
    };
    let kinds = [
        IntegratorKind::RungeKutta(Method::DormandPrince5),
        IntegratorKind::Radau5,
        IntegratorKind::Implicit(Midpoint),
        IntegratorKind::Implicit(Bdf2),
    ];
    for kind in kinds {
        let tolerances = || Tolerances::uniform(1e-5, 1e-5, 2);
        for saved_at in [1, 7, 40] {
            let mut whole = Integrator::new(kind, tolerances());
            let (mut y, mut time) = ([2.0, 0.0], 0.0);
            let mut steps = |integrator: &mut Integrator, n: usize| {
                for _ in 0..n {
                    integrator.attempt(&mut System(2, rate), time, &y, 1e3).unwrap();
                    time = integrator.accept(&mut y);
                }
                (y, time)
            };
            let there = steps(&mut whole, saved_at);
            let saved = whole.state();
            let expected = steps(&mut whole, 60);
            let mut again = Integrator::new(kind, tolerances());
            assert!(again.restore(&saved));
            let ([mut y, _], mut time) = ([there.0, there.0], there.1);
            for _ in 0..60 {
                again.attempt(&mut System(2, rate), time, &y, 1e3).unwrap();
                time = again.accept(&mut y);
            }
            assert_eq!(
                (y.map(f64::to_bits), time.to_bits()),
                (expected.0.map(f64::to_bits), expected.1.to_bits()),
                "{kind:?}"
            );
            assert_eq!(again.counters(), whole.counters(), "{kind:?}");
        }
        assert!(!Integrator::new(kind, tolerances()).restore(&carom_integrate::IntegratorState {
            memory: vec![0.0; 3],
            ..Integrator::new(kind, tolerances()).state()
        }));
    }
}
