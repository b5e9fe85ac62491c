//! A step allocates nothing.

use crate::pendulum;
use carom_integrate::{
    ConstraintForm, GeneralisedAlpha, ImplicitMethod, Integrator, IntegratorKind, Method, Ode,
    SpectralRadius, Tolerances,
};
use carom_testing::heap;
use std::convert::Infallible;

struct Oscillator;

impl Ode for Oscillator {
    type Error = Infallible;
    fn dim(&self) -> usize {
        2
    }
    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        rate.copy_from_slice(&[y[1], -y[0]]);
        Ok(())
    }
}

/// Steps after the first one, in which implicit formulas ask for the parts of the system.
#[test]
fn steps_and_dense_output_allocate_nothing() {
    let kinds = [
        IntegratorKind::RungeKutta(Method::DormandPrince5),
        IntegratorKind::RungeKutta(Method::Dop853),
        IntegratorKind::Radau5,
        IntegratorKind::Implicit(ImplicitMethod::Midpoint),
        IntegratorKind::Implicit(ImplicitMethod::Bdf2),
    ];
    for kind in kinds {
        let mut pair = Integrator::new(kind, Tolerances::uniform(1e-8, 1e-8, 2));
        let (mut t, mut y, mut out) = (0.0, [1.0, 0.0], [0.0; 2]);
        let mut steps = |n: usize| {
            for _ in 0..n {
                let attempt = pair.attempt(&mut Oscillator, t, &y, f64::MAX).unwrap();
                pair.prepare_dense(&mut Oscillator).unwrap();
                pair.interpolate(attempt.start + 0.3 * attempt.step(), &mut out);
                t = pair.accept(&mut y);
            }
        };
        steps(1);
        assert_eq!(heap::allocations_during(|| steps(200)).1, 0, "{kind:?}");
    }
}

/// Steps after the first ones, which find their length and its functions; the linear part is computed again
/// every 64 steps.
#[test]
fn long_steps_allocate_nothing() {
    let mut method = Integrator::new(IntegratorKind::Exponential, Tolerances::uniform(1e-8, 1e-8, 2));
    let (mut t, mut y, mut out) = (0.0, [1.0, 0.0], [0.0; 2]);
    let mut steps = |n: usize| {
        for _ in 0..n {
            let attempt = method.attempt(&mut Oscillator, t, &y, t + 100.0).unwrap();
            method.prepare_dense(&mut Oscillator).unwrap();
            method.interpolate(attempt.start + 0.3 * attempt.step(), &mut out);
            t = method.accept(&mut y);
        }
        assert!((y[0] - t.cos()).abs() < 1e-7, "{y:?} {t}");
    };
    steps(20);
    assert_eq!(heap::allocations_during(|| steps(200)).1, 0);
}

/// Steps after the first one, which determines the numbers of velocities and constraints.
#[test]
fn steps_with_constraints_allocate_nothing() {
    for form in [ConstraintForm::Index3, ConstraintForm::Stabilised] {
        let tolerances = Tolerances::uniform(1e-7, 1e-7, 4);
        let mut alpha = GeneralisedAlpha::new(SpectralRadius::DEFAULT, form, tolerances);
        let mut system = pendulum::Pendulum::default();
        let (mut t, mut y, mut out) = (0.0, pendulum::Pendulum::at(1.2, 0.7), [0.0; 4]);
        let mut steps = |n: usize| {
            for _ in 0..n {
                let attempt = alpha.attempt(&mut system, t, &y, f64::MAX).unwrap();
                alpha.prepare_dense(&mut system).unwrap();
                alpha.interpolate(attempt.start + 0.3 * attempt.step(), &mut out);
                t = alpha.accept(&mut y);
            }
        };
        steps(1);
        assert_eq!(heap::allocations_during(|| steps(200)).1, 0, "{form:?}");
    }
}
