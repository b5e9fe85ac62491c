//! Generalised-α: order in positions, velocities and multipliers, damping, drift, error control, resuming.

use std::convert::Infallible;

use crate::pendulum::{GRAVITY, MASS, Pendulum};
use carom_integrate::{
    ConstraintForm, Displacement, GeneralisedAlpha, IntegrateError, Integrator, IntegratorKind, Method, Ode,
    Reading, RungeKutta, SecondOrder, SpectralRadius, Tolerances,
};

const FORMS: [ConstraintForm; 2] = [ConstraintForm::Index3, ConstraintForm::Stabilised];

fn radius(value: f64) -> SpectralRadius {
    SpectralRadius::new(value).unwrap()
}

/// Options for Newton's method to rounding in steps without control.
fn exactly(n: usize) -> Tolerances {
    Tolerances { newton: Some(vec![1e-12; n]), ..Tolerances::none(n) }
}

/// Rates of the pendulum in its angle, θ'' = −g sin θ.
struct Angle;

impl Ode for Angle {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2
    }

    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        rate.copy_from_slice(&[y[1], -GRAVITY * y[0].sin()]);
        Ok(())
    }
}

/// Position, momentum and multiplier of the pendulum at a time, by its equation in the angle.
fn exact(end: f64) -> [f64; 5] {
    let mut integrator = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-13, 1e-13, 2));
    let (mut y, mut time) = (START, 0.0);
    while time < end {
        integrator.attempt(&mut Angle, time, &y, end).unwrap();
        time = integrator.accept(&mut y);
    }
    let [x, z, p, q] = Pendulum::at(y[0], y[1]);
    // The force of the rod on the point is −λ (x, y).
    [x, z, p, q, MASS * (y[1] * y[1] + GRAVITY * y[0].cos())]
}

/// Angle and rate at the start.
const START: [f64; 2] = [1.2, 0.7];

/// Integrates to the end with a repeated pattern of step lengths; `each` receives state and multiplier.
fn swing(
    integrator: &mut GeneralisedAlpha,
    end: f64,
    lengths: &[f64],
    mut each: impl FnMut(&[f64; 4], f64),
) -> [f64; 5] {
    let (mut system, mut y, mut time) = (Pendulum::default(), Pendulum::at(START[0], START[1]), 0.0);
    for step in lengths.iter().cycle() {
        let latest = if time + 1.01 * step > end { end } else { time + step };
        integrator.attempt(&mut system, time, &y, latest).unwrap();
        time = integrator.accept(&mut y);
        each(&y, system.multiplier);
        if time >= end {
            break;
        }
    }
    [y[0], y[1], y[2], y[3], system.multiplier]
}

/// Errors of position, momentum and multiplier.
fn errors(found: [f64; 5], exact: [f64; 5]) -> [f64; 3] {
    let off = |i: usize| found[i] - exact[i];
    [off(0).hypot(off(1)), off(2).hypot(off(3)), off(4).abs()]
}

/// Checks the orders between steps of `step` and half of it: two for positions and momenta.
fn assert_orders(form: ConstraintForm, rho: f64, of_multiplier: f64, lengths: impl Fn(f64) -> Vec<f64>) {
    let exact = exact(2.0);
    let [coarse, fine] = [0.01, 0.005].map(|step| {
        let mut integrator = GeneralisedAlpha::new(radius(rho), form, exactly(4));
        errors(swing(&mut integrator, 2.0, &lengths(step), |_, _| {}), exact)
    });
    for (k, what) in ["position", "momentum", "multiplier"].into_iter().enumerate() {
        let order = (coarse[k] / fine[k]).log2();
        let expected = if what == "multiplier" { of_multiplier } else { 2.0 };
        assert!(
            (expected - 0.15..expected + 0.3).contains(&order),
            "{form:?} {rho} {what}: {coarse:?} {fine:?}, order {order}"
        );
    }
}

#[test]
fn positions_momenta_and_multipliers_converge_with_order_two() {
    for form in FORMS {
        for rho in [0.0, 0.5, 0.8, 1.0] {
            // With ρ = 1 the errors of velocities and multipliers in the index-3 form are not damped.
            if rho < 1.0 || form == ConstraintForm::Stabilised {
                assert_orders(form, rho, 2.0, |step| vec![step]);
            }
        }
    }
}

/// Steps whose lengths change by half: only the multipliers of the index-3 form lose an order,
/// since the error of velocities across the constraint belongs to a step length.
#[test]
fn uneven_steps_keep_order_two() {
    for (form, of_multiplier) in FORMS.into_iter().zip([1.0, 2.0]) {
        for rho in [0.0, 0.5, 0.8] {
            assert_orders(form, rho, of_multiplier, |step| vec![step, 0.5 * step, 0.5 * step]);
        }
    }
}

#[test]
fn positions_satisfy_the_constraint_and_velocities_do_so_in_the_stabilised_form() {
    let drift = |form: ConstraintForm, step: f64| {
        let mut integrator = GeneralisedAlpha::new(radius(0.8), form, exactly(4));
        let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
        swing(&mut integrator, 4.0, &[step], |y, _| {
            position = position.max((0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0)).abs());
            velocity = velocity.max((y[0] * y[2] + y[1] * y[3]).abs());
        });
        (position, velocity)
    };
    let (position, velocity) = drift(ConstraintForm::Stabilised, 0.02);
    assert!(position < 1e-14 && velocity < 1e-12, "{position:e} {velocity:e}");
    let [coarse, fine] = [0.02, 0.01].map(|step| drift(ConstraintForm::Index3, step));
    assert!(coarse.0 < 1e-14 && fine.0 < 1e-14, "{:e} {:e}", coarse.0, fine.0);
    let order = (coarse.1 / fine.1).log2();
    assert!((1.8..2.3).contains(&order) && fine.1 > 1e-6, "{coarse:?} {fine:?}");
}

/// q'' = −Ω² q, without constraints.
struct Spring {
    frequency: f64,
    state: [f64; 2],
}

impl Ode for Spring {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2
    }

    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        self.state.copy_from_slice(y);
        rate.copy_from_slice(&[y[1], -self.frequency.powi(2) * y[0]]);
        Ok(())
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder<Error = Infallible>> {
        Some(self)
    }
}

impl SecondOrder for Spring {
    type Error = Infallible;

    fn velocities(&self) -> usize {
        1
    }

    fn constraints(&self) -> usize {
        0
    }

    fn components(&self, _: usize) -> [usize; 2] {
        [0, 1]
    }

    fn is_internal(&self, _velocity: usize) -> bool {
        true
    }

    fn is_position(&self, component: usize) -> bool {
        component == 0
    }

    fn magnitude(&self, y: &[f64], _: usize) -> f64 {
        y[0].abs()
    }

    fn closure(&self, _: usize) -> f64 {
        1.0
    }

    fn place(
        &mut self,
        _: f64,
        from: &[f64],
        step: Displacement<'_>,
        y: &mut [f64],
    ) -> Result<(), Infallible> {
        (y[0], y[1]) = (from[0] + step.increment[0], step.velocity[0]);
        Ok(())
    }

    fn mass_column(&self, _: usize, column: &mut [f64]) {
        column[0] = 1.0;
    }

    fn rate_with(
        &mut self,
        time: f64,
        y: &[f64],
        _: Option<&[f64]>,
        rate: &mut [f64],
    ) -> Result<(), Infallible> {
        self.rate(time, y, rate)
    }

    fn read(&mut self, reading: &mut Reading) {
        reading.velocity[0] = self.state[1];
    }

    fn accelerations(&mut self, out: &mut [f64]) {
        out[0] = -self.frequency.powi(2) * self.state[0];
    }

    fn pull_back(&self, _: &[f64], change: &[f64], out: &mut [f64]) {
        out[0] = change[1];
    }

    fn constraint(&mut self, _: usize, _: usize, _: &mut [f64], _: &mut [f64]) {}
}

/// For h Ω → ∞ all three eigenvalues of a step are −ρ: their product is the ratio of two Hankel
/// determinants of the state after each step.
#[test]
fn infinitely_fast_components_are_damped_by_the_spectral_radius() {
    let momenta = |rho: f64| {
        let mut integrator = GeneralisedAlpha::new(radius(rho), ConstraintForm::Stabilised, exactly(2));
        let (mut y, mut system) = ([1.0, 0.3], Spring { frequency: 1e3, state: [0.0; 2] });
        (0..10)
            .map(|n| {
                integrator.attempt(&mut system, f64::from(n), &y, f64::from(n + 1)).unwrap();
                assert_eq!(integrator.accept(&mut y), f64::from(n + 1), "{:?}", integrator.counters());
                y[1]
            })
            .collect::<Vec<f64>>()
    };
    let determinant = |p: &[f64]| {
        p[0] * (p[2] * p[4] - p[3] * p[3]) - p[1] * (p[1] * p[4] - p[3] * p[2])
            + p[2] * (p[1] * p[3] - p[2] * p[2])
    };
    for rho in [0.3, 0.5, 0.8] {
        let p = momenta(rho);
        let product = determinant(&p[2..]) / determinant(&p[1..]);
        assert!((-product.cbrt() - rho).abs() < 1e-4, "{rho}: {product} {p:?}");
    }
    let p = momenta(0.0);
    assert!(p[5].abs() < 1e-6 * p[0].abs(), "{p:?}");
}

/// ρ = 1 keeps the amplitude of an oscillation to second order at all times; a smaller ρ damps faster.
#[test]
fn a_spectral_radius_of_one_has_no_damping() {
    let left = |rho: f64| {
        let mut integrator = GeneralisedAlpha::new(radius(rho), ConstraintForm::Stabilised, exactly(2));
        let (mut y, mut system) = ([1.0, 0.0], Spring { frequency: 1.0, state: [0.0; 2] });
        let (mut time, h) = (0.0, 0.5);
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for _ in 0..4000 {
            integrator.attempt(&mut system, time, &y, time + h).unwrap();
            time = integrator.accept(&mut y);
            let energy = y[0] * y[0] + y[1] * y[1];
            (least, most) = (least.min(energy), most.max(energy));
        }
        (least, most)
    };
    let (least, most) = left(1.0);
    assert!(least > 0.9 && most < 1.1, "{least} {most}");
    let rest = [0.9, 0.5, 0.0].map(|rho| left(rho).0);
    assert!(rest[0] < 0.98 && rest[0] > rest[1] && rest[1] > rest[2], "{rest:?}");
}

/// Under error control the error follows the tolerance, at the ends of steps and within.
#[test]
fn the_error_follows_the_tolerance() {
    for form in FORMS {
        for tolerance in [1e-5, 1e-7] {
            let tolerances = Tolerances::uniform(0.0, tolerance, 4);
            let mut integrator = GeneralisedAlpha::new(SpectralRadius::DEFAULT, form, tolerances);
            let mut reference = RungeKutta::new(Method::Dop853, Tolerances::uniform(1e-13, 1e-13, 2));
            let (mut system, mut y, mut angle) =
                (Pendulum::default(), Pendulum::at(START[0], START[1]), START);
            let (mut time, mut worst, mut inside) = (0.0, 0.0_f64, [0.0; 4]);
            let mut now = 0.0;
            while time < 3.0 {
                let attempt = integrator.attempt(&mut system, time, &y, 3.0).unwrap();
                integrator.prepare_dense(&mut system).unwrap();
                for at in [time + 0.4 * attempt.step(), attempt.end] {
                    while now < at {
                        reference.attempt(&mut Angle, now, &angle, at).unwrap();
                        now = reference.accept(&mut angle);
                    }
                    integrator.interpolate(at, &mut inside);
                    let expected = Pendulum::at(angle[0], angle[1]);
                    worst = (0..4).map(|i| (inside[i] - expected[i]).abs()).fold(worst, f64::max);
                }
                time = integrator.accept(&mut y);
            }
            let counters = integrator.counters();
            let allowed = tolerance * counters.steps as f64;
            assert!(
                worst < 3.0 * allowed && worst > 0.01 * allowed,
                "{form:?} {tolerance:e}: {worst:e} {counters:?}"
            );
        }
    }
}

/// A run that continues from the state of another one makes the same steps, with the same bits.
#[test]
fn a_restored_integrator_takes_the_same_steps() {
    for form in FORMS {
        let kind = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, form);
        let new = || Integrator::new(kind, Tolerances::uniform(1e-6, 1e-6, 4));
        let steps = |integrator: &mut Integrator, mut y: [f64; 4], mut time: f64, n: usize| {
            let mut system = Pendulum::default();
            for _ in 0..n {
                integrator.attempt(&mut system, time, &y, 1e3).unwrap();
                time = integrator.accept(&mut y);
            }
            (y, time)
        };
        for saved_at in [1, 7, 40] {
            let mut whole = new();
            let there = steps(&mut whole, Pendulum::at(START[0], START[1]), 0.0, saved_at);
            let saved = whole.state();
            let expected = steps(&mut whole, there.0, there.1, 60);
            let mut again = new();
            assert!(again.restore(&saved));
            let found = steps(&mut again, there.0, there.1, 60);
            assert_eq!(found.0.map(f64::to_bits), expected.0.map(f64::to_bits), "{form:?} {saved_at}");
            assert_eq!(found.1.to_bits(), expected.1.to_bits());
            assert_eq!(again.counters(), whole.counters());
        }
        for memory in [vec![], vec![2.0], vec![2.0, 1.0, 0.0], vec![-1.0, 1e9, 0.0], vec![f64::NAN; 9]] {
            let state = carom_integrate::IntegratorState { memory, ..new().state() };
            assert!(!new().restore(&state), "{state:?}");
        }
    }
}

#[test]
fn a_system_of_first_order_is_refused() {
    let tolerances = Tolerances::uniform(1e-6, 1e-6, 2);
    let mut integrator = GeneralisedAlpha::new(SpectralRadius::DEFAULT, ConstraintForm::Index3, tolerances);
    let error = integrator.attempt(&mut Angle, 0.0, &START, 1.0).unwrap_err();
    assert!(matches!(error, IntegrateError::FirstOrder), "{error}");
    assert!(error.to_string().contains("positions and momenta"), "{error}");
}
