//! Radau IIA: order, stiff problems with known solutions, dense output.

use std::convert::Infallible;

use carom_integrate::{Ode, Radau5, Tolerances};

use crate::steps::run;

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

/// y'' = −(1 + 0.3 cos t) sin y, smooth and without a closed form: against a run with a fine step.
#[test]
fn fixed_steps_converge_with_order_five() {
    let pendulum = |t: f64, y: &[f64], f: &mut [f64]| {
        f[0] = y[1];
        f[1] = -(1.0 + 0.3 * t.cos()) * y[0].sin();
    };
    let at = |step: f64| {
        let tolerances = Tolerances { newton: Some(vec![1e-14; 2]), ..Tolerances::none(2) };
        let mut y = [2.0, 0.0];
        run(&mut Radau5::new(tolerances), &mut System(2, pendulum), &mut y, 4.0, Some(step));
        y[0]
    };
    let exact = at(0.005);
    let errors = [0.2, 0.1, 0.05].map(|h| (at(h) - exact).abs());
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((4.6..5.6).contains(&order), "{errors:?} {order}");
    }
}

/// Robertson's kinetics to t = 40 s: reference figures of Hairer & Wanner, IV.10.
#[test]
fn a_stiff_reaction_takes_few_steps() {
    let rate = |_: f64, y: &[f64], f: &mut [f64]| {
        f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        f[2] = 3e7 * y[1] * y[1];
        f[1] = -f[0] - f[2];
    };
    let mut tolerances = Tolerances::uniform(1e-7, 0.0, 3);
    tolerances.absolute = vec![1e-10, 1e-14, 1e-10];
    let mut method = Radau5::new(tolerances);
    let mut y = [1.0, 0.0, 0.0];
    run(&mut method, &mut System(3, rate), &mut y, 40.0, None);
    let exact = [0.715_827_068_718_893_4, 9.185_534_764_557_6e-6, 0.284_163_745_746_342_3];
    for (y, exact) in y.iter().zip(exact) {
        assert!((y / exact - 1.0).abs() < 1e-6, "{y} {exact}");
    }
    let counters = method.counters();
    // SciPy's Radau takes 156 steps; here the largest error is controlled, not the mean.
    assert!(counters.steps < 260, "{counters:?}");
}

/// y' = −λ (y − cos t) − sin t with λ = 1e6: the solution is cos t, steps are those of the cosine.
#[test]
fn stiff_decay_does_not_limit_the_step() {
    let rate = |t: f64, y: &[f64], f: &mut [f64]| f[0] = -1e6 * (y[0] - t.cos()) - t.sin();
    let mut method = Radau5::new(Tolerances::uniform(0.0, 1e-8, 1));
    let mut y = [1.0];
    run(&mut method, &mut System(1, rate), &mut y, 10.0, None);
    assert!((y[0] - 10.0_f64.cos()).abs() < 1e-7, "{}", y[0]);
    let counters = method.counters();
    assert!(counters.steps < 200 && counters.factorisations < 60, "{counters:?}");
}

/// The errors of each component and of the dense output stay near the tolerance.
#[test]
fn the_error_follows_the_tolerance() {
    let rate = |_: f64, y: &[f64], f: &mut [f64]| (f[0], f[1]) = (y[1], -y[0]);
    let error = |tolerance: f64| {
        let mut method = Radau5::new(Tolerances::uniform(0.0, tolerance, 2));
        let (mut y, mut time, mut worst) = ([1.0, 0.0], 0.0, 0.0_f64);
        while time < 10.0 {
            let attempt = method.attempt(&mut System(2, rate), time, &y, 10.0).unwrap();
            let mut inside = [0.0; 2];
            for s in [0.25, 0.5, 0.75] {
                let at = attempt.start + s * attempt.step();
                method.interpolate(at, &mut inside);
                worst = worst.max((inside[0] - at.cos()).abs());
            }
            time = method.accept(&mut y);
        }
        (worst, (y[0] - 10.0_f64.cos()).abs(), method.counters().steps)
    };
    let found = [1e-4, 1e-6, 1e-8].map(error);
    for ((dense, end, _), tolerance) in found.iter().zip([1e-4, 1e-6, 1e-8]) {
        assert!(*dense < 100.0 * tolerance && *end < 100.0 * tolerance, "{found:?}");
    }
    assert!(found[2].2 < 12 * found[0].2, "{found:?}: the order is above four");
}
