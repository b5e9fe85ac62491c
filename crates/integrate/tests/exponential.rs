//! The exponential formula: oscillations exact at any step, order of the rest, dense output, restart.

use std::convert::Infallible;

use carom_integrate::{Exponential, Integrator, IntegratorKind, Method, Ode, RungeKutta, Tolerances};

use crate::steps::run;

/// A system from a closure, whose last components are integrals.
struct System<F> {
    dim: usize,
    coupled: usize,
    rate: F,
}

impl<F: FnMut(f64, &[f64], &mut [f64])> System<F> {
    fn new(dim: usize, rate: F) -> Self {
        Self { dim, coupled: dim, rate }
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64])> Ode for System<F> {
    type Error = Infallible;

    fn dim(&self) -> usize {
        self.dim
    }

    fn coupled(&self) -> usize {
        self.coupled
    }

    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        (self.rate)(time, y, rate);
        Ok(())
    }
}

const OMEGA: f64 = 2e4;

/// q'' + ω² q = ω² s(t), with a load s that moves slowly, and the integral of q'.
fn loaded(t: f64, y: &[f64], f: &mut [f64]) {
    f[0] = y[1];
    f[1] = OMEGA * OMEGA * (1e-3 * (3.0 * t).sin() - y[0]);
    f[2] = y[1];
}

/// A mode that rings under a slow load, over 3000 periods in steps of some 100 periods.
#[test]
fn ringing_is_exact_in_steps_of_many_periods() {
    let tolerances =
        Tolerances { relative: 0.0, absolute: vec![1e-9, 1e-9 * OMEGA, f64::INFINITY], newton: None };
    let mut method = Exponential::new(tolerances);
    let mut ode = System { dim: 3, coupled: 2, rate: loaded };
    let (load, ringing) = (1e-3 / (1.0 - (3.0 / OMEGA).powi(2)), 1e-4);
    // q = ringing cos ω t + load sin 3 t: the rate of the load excites no more.
    let start = [ringing, 3.0 * load, 0.0];
    let mut y = start;
    run(&mut method, &mut ode, &mut y, 1.0, None);
    let exact = ringing * OMEGA.cos() + load * 3.0_f64.sin();
    let counters = method.counters();
    assert!((y[0] - exact).abs() < 1e-8, "{} {exact} {counters:?}", y[0]);
    assert!((y[2] - (y[0] - start[0])).abs() < 1e-11, "the integral of q' is q: {y:?}");
    // Dormand and Prince take 66 855.
    assert!(counters.steps < 668, "{counters:?}");
}

/// A pendulum that carries a mode, each acting on the other. The order is 4; in steps of many periods of a
/// mode that pulls on the slow motion it falls to 3, as the response of the mode within a stage is found by
/// the line through its ends alone.
#[test]
fn fixed_steps_converge_with_order_four_or_three_in_stiff_modes() {
    for (omega, steps, order) in [(20.0_f64, [8, 16, 32], 3.5), (1e4, [16, 32, 64], 2.9)] {
        let rate = |t: f64, y: &[f64], f: &mut [f64]| {
            (f[0], f[1]) = (y[1], -y[0].sin() * (1.0 + 0.3 * t.cos()) + 0.5 * omega * y[2] * y[0].cos());
            (f[2], f[3]) = (y[3], omega * y[0].sin() - omega * omega * y[2] + y[1]);
        };
        let start = [1.0, 0.0, 1.0_f64.sin() / omega, 0.0];
        let exact = {
            let mut method = RungeKutta::new(Method::Dop853, Tolerances::uniform(0.0, 1e-13, 4));
            let (mut time, mut y) = (0.0, start);
            while time < 2.0 {
                method.attempt(&mut System::new(4, rate), time, &y, 2.0).unwrap();
                time = method.accept(&mut y);
            }
            y
        };
        let errors = steps.map(|steps| {
            let tolerances = Tolerances { newton: Some(vec![1e-12; 4]), ..Tolerances::none(4) };
            let mut method = Exponential::new(tolerances);
            let mut y = start;
            run(&mut method, &mut System::new(4, rate), &mut y, 2.0, Some(2.0 / f64::from(steps)));
            assert!(method.counters().factorisations > 0, "no long steps");
            let sizes = [1.0, 1.0, 1.0 / omega, 1.0];
            (0..4).map(|i| (y[i] - exact[i]).abs() / sizes[i]).fold(0.0, f64::max)
        });
        for pair in errors.windows(2) {
            let found = (pair[0] / pair[1]).log2();
            assert!(found > order, "ω {omega}: {errors:?} {found}");
        }
        assert!(errors[2] < 1e-4, "{errors:?}");
    }
}

/// The dense output of a long step is the ringing within it.
#[test]
fn dense_output_rings_within_a_step() {
    let tolerances =
        Tolerances { relative: 0.0, absolute: vec![1e-9, 1e-9 * OMEGA, f64::INFINITY], newton: None };
    let mut method = Exponential::new(tolerances);
    let mut ode = System { dim: 3, coupled: 2, rate: loaded };
    let load = 1e-3 / (1.0 - (3.0 / OMEGA).powi(2));
    let mut y = [1e-4, 3.0 * load, 0.0];
    let (mut time, mut out, mut longest) = (0.0, [0.0; 3], 0.0_f64);
    while time < 0.3 {
        let attempt = method.attempt(&mut ode, time, &y, 0.3).unwrap();
        method.prepare_dense(&mut ode).unwrap();
        for part in [0.0, 1e-4, 0.013, 0.37, 0.5, 0.71, 0.99999] {
            let t = attempt.start + part * attempt.step();
            method.interpolate(t, &mut out);
            let exact = 1e-4 * (OMEGA * t).cos() + load * (3.0 * t).sin();
            assert!((out[0] - exact).abs() < 3e-9, "at {t}: {} {exact}", out[0]);
            let speed = -1e-4 * OMEGA * (OMEGA * t).sin() + 3.0 * load * (3.0 * t).cos();
            assert!((out[1] - speed).abs() < 3e-9 * OMEGA, "at {t}: {} {speed}", out[1]);
            assert!((out[2] - (out[0] - 1e-4)).abs() < 1e-11, "{out:?}");
        }
        longest = longest.max(attempt.step());
        time = method.accept(&mut y);
    }
    assert!(longest * OMEGA > 15.0, "{longest}");
}

/// Two oscillators whose coupling turns slowly: the linear part grows old, is computed again, and the energy
/// stays.
#[test]
fn a_linear_part_that_changes_is_renewed() {
    let rate = |_: f64, y: &[f64], f: &mut [f64]| {
        // Stiff along a direction that turns with the angle y[4].
        let (sine, cosine) = y[4].sin_cos();
        let along = cosine * y[0] + sine * y[1];
        let pull = -1e8 * along;
        (f[0], f[1]) = (y[2], y[3]);
        (f[2], f[3]) = (pull * cosine - 400.0 * y[0], pull * sine - 400.0 * y[1]);
        f[4] = 2.0;
    };
    let solve = |tolerance: f64| {
        let tolerances = Tolerances {
            relative: 0.0,
            absolute: vec![tolerance, tolerance, 1e4 * tolerance, 1e4 * tolerance, tolerance],
            newton: None,
        };
        let mut method = Exponential::new(tolerances);
        let mut y = [1e-5, 0.1, 0.0, 1.0, 0.0];
        run(&mut method, &mut System::new(5, rate), &mut y, 0.5, None);
        (y, method.counters())
    };
    let (exact, _) = solve(1e-11);
    let (found, counters) = solve(1e-8);
    let error = (0..2).map(|i| (found[i] - exact[i]).abs()).fold(0.0, f64::max);
    assert!(error < 1e-4, "{error:e} {counters:?}");
    assert!(counters.jacobians > 1, "{counters:?}");
    // A tenth of the period of the stiff direction would need 8000.
    assert!(counters.steps < 4000, "{counters:?}");
}

#[test]
fn a_run_continues_with_the_same_bits() {
    let tolerances =
        Tolerances { relative: 0.0, absolute: vec![1e-9, 1e-9 * OMEGA, f64::INFINITY], newton: None };
    let start = |tolerances: &Tolerances| Integrator::new(IntegratorKind::Exponential, tolerances.clone());
    let mut ode = System { dim: 3, coupled: 2, rate: loaded };
    let mut whole = start(&tolerances);
    let (mut time, mut y) = (0.0, [1e-4, 0.0, 0.0]);
    let mut steps = |method: &mut Integrator, time: &mut f64, y: &mut [f64; 3], n: usize| {
        for _ in 0..n {
            method.attempt(&mut ode, *time, &*y, 1.0).unwrap();
            *time = method.accept(y);
        }
    };
    steps(&mut whole, &mut time, &mut y, 12);
    let (state, mut again_time, mut again_y) = (whole.state(), time, y);
    steps(&mut whole, &mut time, &mut y, 12);
    let mut again = start(&tolerances);
    assert!(again.restore(&state));
    steps(&mut again, &mut again_time, &mut again_y, 12);
    assert_eq!((time.to_bits(), y.map(f64::to_bits)), (again_time.to_bits(), again_y.map(f64::to_bits)));
    assert_eq!(whole.counters(), again.counters());
    assert!(whole.counters().jacobians > 0);
}
