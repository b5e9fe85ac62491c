//! Runs of methods that attempt and accept steps.

use std::convert::Infallible;

use carom_integrate::{Exponential, Integrator, Ode, Radau5};

/// A method that takes one step after another.
pub(crate) trait Steps {
    /// Takes a step, at most up to a time; returns its end.
    fn step<O: Ode<Error = Infallible>>(&mut self, ode: &mut O, time: f64, y: &mut [f64], latest: f64)
    -> f64;
}

macro_rules! steps {
    ($($method:ty),*) => {$(
        impl Steps for $method {
            fn step<O: Ode<Error = Infallible>>(
                &mut self,
                ode: &mut O,
                time: f64,
                y: &mut [f64],
                latest: f64,
            ) -> f64 {
                self.attempt(ode, time, y, latest).unwrap();
                self.accept(y)
            }
        }
    )*};
}

steps!(Exponential, Integrator, Radau5);

/// Runs to the end in steps of the controller, or of a length.
pub(crate) fn run<O: Ode<Error = Infallible>>(
    method: &mut impl Steps,
    ode: &mut O,
    y: &mut [f64],
    end: f64,
    step: Option<f64>,
) {
    run_with(method, ode, y, (end, step), |_| {});
}

/// As [`run`]; `each` receives the state after each step.
pub(crate) fn run_with<O: Ode<Error = Infallible>>(
    method: &mut impl Steps,
    ode: &mut O,
    y: &mut [f64],
    (end, step): (f64, Option<f64>),
    mut each: impl FnMut(&[f64]),
) {
    let mut time = 0.0;
    while time < end {
        let latest = step.map_or(end, |step| if time + 1.5 * step > end { end } else { time + step });
        time = method.step(ode, time, y, latest);
        each(y);
    }
}
