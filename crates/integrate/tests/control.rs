//! Error control, events, failures, restarts.

use carom_integrate::{Attempt, IntegrateError, Method, Ode, RungeKutta, Tolerances, locate_crossing};
use std::convert::Infallible;

/// Kepler's ellipse with the sun at the origin, eccentricity e, period 2π; y = (x, y, ẋ, ẏ).
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

fn perihelion(e: f64) -> [f64; 4] {
    [1.0 - e, 0.0, 0.0, ((1.0 + e) / (1.0 - e)).sqrt()]
}

fn run<O: Ode>(
    pair: &mut RungeKutta,
    ode: &mut O,
    mut t: f64,
    y: &mut [f64],
    end: f64,
    max_step: f64,
) -> Vec<Attempt>
where
    O::Error: std::fmt::Debug,
{
    let mut taken = Vec::new();
    while t < end {
        taken.push(pair.attempt(ode, t, y, end.min(t + max_step)).unwrap());
        t = pair.accept(y);
    }
    assert_eq!(t, end);
    taken
}

#[test]
fn error_follows_the_tolerance() {
    for (method, bound) in [(Method::DormandPrince5, 300.0), (Method::Dop853, 300.0)] {
        let mut last = f64::INFINITY;
        for relative in [1e-5, 1e-7, 1e-9] {
            let mut y = perihelion(0.6);
            let mut pair = RungeKutta::new(method, Tolerances::uniform(relative, relative, 4));
            run(&mut pair, &mut Kepler, 0.0, &mut y, 2.0 * std::f64::consts::PI, f64::INFINITY);
            let error = (0..4).map(|i| (y[i] - perihelion(0.6)[i]).abs()).fold(0.0, f64::max);
            println!("{method:?} {relative:.0e}: error {error:.2e} {:?}", pair.counters());
            // In some thirty steps the errors of energy accumulate to errors of phase.
            assert!(
                error < bound * 10.0 * relative && error < 0.1 * last,
                "{method:?} {relative:.0e}: {error:.2e}"
            );
            last = error;
        }
    }
}

#[test]
fn the_longest_step_is_respected() {
    let mut y = perihelion(0.1);
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-4, 1e-4, 4));
    let taken = run(&mut pair, &mut Kepler, 0.0, &mut y, 1.0, 0.01);
    assert!(taken.iter().all(|a| a.step() <= 0.01 * (1.0 + 1e-12)));
    assert!(taken.len() <= 102, "{}", taken.len());
}

#[test]
fn restart_continues_bit_for_bit() {
    for method in [Method::DormandPrince5, Method::Dop853] {
        let tolerances = Tolerances::uniform(1e-7, 1e-9, 4);
        let mut whole = RungeKutta::new(method, tolerances.clone());
        let (mut t, mut y) = (0.0, perihelion(0.5));
        let mut saved = None;
        for step in 0..40 {
            if step == 17 {
                saved = Some((t, y, whole.state()));
            }
            whole.attempt(&mut Kepler, t, &y, f64::MAX).unwrap();
            t = whole.accept(&mut y);
        }
        let (mut t2, mut y2, state) = saved.unwrap();
        let mut resumed = RungeKutta::new(method, tolerances);
        resumed.restore(&state);
        for _ in 17..40 {
            resumed.attempt(&mut Kepler, t2, &y2, f64::MAX).unwrap();
            t2 = resumed.accept(&mut y2);
        }
        assert_eq!(t.to_bits(), t2.to_bits());
        assert_eq!(y.map(f64::to_bits), y2.map(f64::to_bits));
        assert_eq!(whole.counters(), resumed.counters());
    }
}

#[test]
fn a_step_ends_at_the_event() {
    // Next crossing of the major axis: half the period, π.
    let mut y = perihelion(0.3);
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-10, 1e-10, 4));
    let mut t = 0.0;
    let mut out = [0.0; 4];
    let found = loop {
        let attempt = pair.attempt(&mut Kepler, t, &y, 10.0).unwrap();
        if t > 0.0 && y[1] > 0.0 && pair.end_state()[1] <= 0.0 {
            pair.prepare_dense(&mut Kepler).unwrap();
            let at_end = pair.end_state()[1];
            let crossing = locate_crossing::<Infallible>((t, y[1]), (attempt.end, at_end), 1e-13, |time| {
                pair.interpolate(time, &mut out);
                Ok(out[1])
            })
            .unwrap();
            let cut = pair.attempt(&mut Kepler, t, &y, crossing.after).unwrap();
            assert_eq!(cut.end, crossing.after);
            break pair.accept(&mut y);
        }
        t = pair.accept(&mut y);
    };
    assert!((found - std::f64::consts::PI).abs() < 1e-9, "{found}");
    assert!(y[1].abs() < 1e-9, "{}", y[1]);
    assert_eq!(pair.counters().cut, 1);
}

#[test]
fn linear_invariants_are_conserved_to_round_off() {
    // Two masses on a nonlinear spring: the sum of the momenta is linear in y.
    struct Pair;
    impl Ode for Pair {
        type Error = Infallible;
        fn dim(&self) -> usize {
            4
        }
        fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
            let force = (y[1] - y[0] - 1.0).powi(3) * 50.0;
            rate.copy_from_slice(&[y[2] / 2.0, y[3] / 3.0, force, -force]);
            Ok(())
        }
    }
    let mut y = [0.0, 1.7, 0.4, -0.1];
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-4, 1e-4, 4));
    run(&mut pair, &mut Pair, 0.0, &mut y, 500.0, f64::INFINITY);
    assert!((y[2] + y[3] - 0.3).abs() < 1e-13, "{:e}", y[2] + y[3] - 0.3);
}

#[derive(Debug, thiserror::Error)]
#[error("no rate beyond {limit}")]
struct Beyond {
    limit: f64,
}

/// y' = 1, with an error for y > limit.
struct Walled {
    limit: f64,
}

impl Ode for Walled {
    type Error = Beyond;
    fn dim(&self) -> usize {
        1
    }
    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Beyond> {
        if y[0] > self.limit {
            return Err(Beyond { limit: self.limit });
        }
        rate[0] = 1.0;
        Ok(())
    }
}

#[test]
fn a_failing_right_hand_side_is_retried_then_reported_with_time_and_reason() {
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-6, 1e-6, 1));
    let (mut t, mut y) = (0.0, [0.0]);
    let error = loop {
        match pair.attempt(&mut Walled { limit: 0.7 }, t, &y, 2.0) {
            Ok(_) => t = pair.accept(&mut y),
            Err(error) => break error,
        }
    };
    let IntegrateError::RightHandSide { time, step, source } = error else { panic!("{error}") };
    assert!((time - 0.7).abs() < 1e-12 && step < 1e-12, "{time} {step}");
    assert_eq!(source.limit, 0.7);
    assert!(pair.counters().rejected > 5);
}

#[test]
fn an_unbounded_solution_is_reported() {
    struct Square;
    impl Ode for Square {
        type Error = Infallible;
        fn dim(&self) -> usize {
            1
        }
        fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
            rate[0] = y[0] * y[0];
            Ok(())
        }
    }
    let mut pair = RungeKutta::new(Method::DormandPrince5, Tolerances::uniform(1e-6, 1e-6, 1));
    let (mut t, mut y) = (0.0, [1.0]);
    let error = loop {
        match pair.attempt(&mut Square, t, &y, 2.0) {
            Ok(_) => t = pair.accept(&mut y),
            Err(error) => break error,
        }
    };
    assert!((t - 1.0).abs() < 1e-5, "pole at t = 1, stopped at {t}");
    println!("{error}");
}

#[test]
fn a_step_below_round_off_is_an_error() {
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-6, 1e-6, 4));
    for latest in [0.0, -1.0, f64::NAN] {
        let error = pair.attempt(&mut Kepler, 0.0, &perihelion(0.1), latest).unwrap_err();
        assert!(matches!(error, IntegrateError::NoRoom { .. }), "{error}");
    }
}

#[test]
fn uncontrolled_components_do_not_influence_the_step() {
    // A fast component with infinite tolerance does not limit the step; the slow one does.
    struct Passenger;
    impl Ode for Passenger {
        type Error = Infallible;
        fn dim(&self) -> usize {
            2
        }
        fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
            rate.copy_from_slice(&[-y[0], (1000.0 * t).cos()]);
            Ok(())
        }
    }
    let absolute = vec![1e-8, f64::INFINITY];
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances { relative: 1e-8, absolute, newton: None });
    let mut y = [1.0, 0.0];
    let taken = run(&mut pair, &mut Passenger, 0.0, &mut y, 5.0, f64::INFINITY);
    assert!(taken.len() < 30, "{}", taken.len());
    assert!((y[0] - (-5.0_f64).exp()).abs() < 1e-8);
}
