//! A step allocates nothing.

use carom_integrate::{ImplicitMethod, Integrator, IntegratorKind, Method, Ode, Tolerances};
use carom_testing::heap;
use std::convert::Infallible;

#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;

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
        let steps = || {
            for _ in 0..200 {
                let attempt = pair.attempt(&mut Oscillator, t, &y, f64::MAX).unwrap();
                pair.prepare_dense(&mut Oscillator).unwrap();
                pair.interpolate(attempt.start + 0.3 * attempt.step(), &mut out);
                t = pair.accept(&mut y);
            }
        };
        assert_eq!(heap::allocations_during(steps).1, 0, "{kind:?}");
    }
}
