//! Orders of convergence of the steps and their dense output, on a nonlinear problem that depends on time.

use carom_integrate::{Method, Ode, RungeKutta, Tolerances};
use std::convert::Infallible;

/// y₁' = −2 t y₂ ln y₁ … solved by y₁ = exp(sin t²), y₂ = cos t² (after Hairer, Nørsett & Wanner, II, "EXP").
struct Exponential;

impl Ode for Exponential {
    type Error = Infallible;
    fn dim(&self) -> usize {
        2
    }
    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        rate[0] = 2.0 * t * y[1] * y[0];
        rate[1] = -2.0 * t * y[0].ln();
        Ok(())
    }
}

fn exact(t: f64) -> [f64; 2] {
    [(t * t).sin().exp(), (t * t).cos()]
}

/// Largest errors at the end of fixed steps and, with dense output, at nine points within each step.
fn errors(method: Method, steps: u32) -> (f64, f64) {
    let (t0, t1) = (0.5, 2.0);
    let mut y = exact(t0).to_vec();
    let mut pair = RungeKutta::new(method, Tolerances::none(2));
    let (mut at_end, mut within) = (0.0_f64, 0.0_f64);
    let mut out = [0.0; 2];
    let mut t = t0;
    for step in 1..=steps {
        let latest = t0 + (t1 - t0) * f64::from(step) / f64::from(steps);
        pair.set_next_step(1.0);
        let attempt = pair.attempt(&mut Exponential, t, &y, latest).unwrap();
        pair.prepare_dense(&mut Exponential).unwrap();
        for j in 1..10 {
            let time = attempt.start + attempt.step() * f64::from(j) / 10.0;
            pair.interpolate(time, &mut out);
            let reference = exact(time);
            within = within.max((out[0] - reference[0]).abs()).max((out[1] - reference[1]).abs());
        }
        t = pair.accept(&mut y);
    }
    for (y, e) in y.iter().zip(exact(t1)) {
        at_end = at_end.max((y - e).abs());
    }
    (at_end, within)
}

fn observed(method: Method, steps: [u32; 3]) -> (f64, f64) {
    let table: Vec<_> = steps.iter().map(|&n| errors(method, n)).collect();
    let ratio = f64::from(steps[2]) / f64::from(steps[1]);
    println!("{method:?}: {table:?}");
    ((table[1].0 / table[2].0).ln() / ratio.ln(), (table[1].1 / table[2].1).ln() / ratio.ln())
}

#[test]
fn dormand_prince_has_order_five_and_dense_output_of_order_four() {
    let (step, dense) = observed(Method::DormandPrince5, [40, 80, 160]);
    assert!((step - 5.0).abs() < 0.4, "order {step}");
    // A local error of order 5 over few steps: order 5 within a step, 4 for the derivative.
    assert!(dense > 4.4, "order {dense}");
}

#[test]
fn dop853_has_order_eight_and_dense_output_of_order_seven() {
    let (_, dense) = observed(Method::Dop853, [10, 20, 40]);
    assert!(dense > 7.2, "order {dense}");
    // The leading errors of the step partly cancel on that problem (8.7): the order is measured on an orbit.
    let table = [60, 90, 120].map(|steps| orbit_error(Method::Dop853, steps));
    println!("one revolution: {table:?}");
    let order = (table[0] / table[1]).ln() / 1.5_f64.ln();
    assert!((order - 8.0).abs() < 0.5, "order {order}");
}

/// Distance from the starting point after one revolution in fixed steps, on Kepler's ellipse of
/// eccentricity 0.3.
fn orbit_error(method: Method, steps: u32) -> f64 {
    struct Kepler;
    impl Ode for Kepler {
        type Error = Infallible;
        fn dim(&self) -> usize {
            4
        }
        fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
            let r3 = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
            rate.copy_from_slice(&[y[2], y[3], -y[0] / r3, -y[1] / r3]);
            Ok(())
        }
    }
    let start = [0.7, 0.0, 0.0, (1.3_f64 / 0.7).sqrt()];
    let mut y = start;
    let mut pair = RungeKutta::new(method, Tolerances::none(4));
    let mut t = 0.0;
    for step in 1..=steps {
        let latest = std::f64::consts::TAU * f64::from(step) / f64::from(steps);
        pair.set_next_step(10.0);
        pair.attempt(&mut Kepler, t, &y, latest).unwrap();
        t = pair.accept(&mut y);
    }
    (0..4).map(|i| (y[i] - start[i]).abs()).fold(0.0, f64::max)
}

#[test]
fn dense_output_interpolates_both_ends() {
    for method in [Method::DormandPrince5, Method::Dop853] {
        let y = exact(0.7);
        let mut pair = RungeKutta::new(method, Tolerances::none(2));
        let attempt = pair.attempt(&mut Exponential, 0.7, &y, 0.9).unwrap();
        pair.prepare_dense(&mut Exponential).unwrap();
        let mut out = [0.0; 2];
        pair.interpolate(attempt.start, &mut out);
        assert_eq!(out, y);
        pair.interpolate(attempt.end, &mut out);
        for i in 0..2 {
            assert!((out[i] - pair.end_state()[i]).abs() < 1e-15);
        }
    }
}
