//! Components of the state that are not in use yet.

use std::convert::Infallible;

use carom_integrate::{Method, Ode, RungeKutta, Tolerances};

/// A swinging point, and integrals of its place of which one more begins at each change of its sign.
/// Integrals are in use from the first evaluation on in which they grow.
struct Integrals {
    leaves_out: bool,
    in_use: usize,
}

const INTEGRALS: usize = 40;

impl Ode for Integrals {
    type Error = Infallible;

    fn dim(&self) -> usize {
        2 + INTEGRALS
    }

    fn coupled(&self) -> usize {
        2
    }

    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        rate.fill(0.0);
        self.rate_in_use(time, y, rate)
    }

    fn in_use(&self) -> usize {
        if self.leaves_out { self.in_use } else { self.dim() }
    }

    fn rate_in_use(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        let begun = (time / std::f64::consts::PI) as usize + 1;
        self.in_use = self.in_use.max(2 + begun);
        let written = self.in_use();
        rate[..written].fill(0.0);
        rate[..2].copy_from_slice(&[y[1], -y[0]]);
        rate[1 + begun] = y[0];
        Ok(())
    }
}

/// Components that are not in use yet may be left out: all bits are as with them. From sine to sine each
/// integral is that of a half wave, ±2.
#[test]
fn components_that_are_not_in_use_change_no_bit() {
    for method in [Method::DormandPrince5, Method::Dop853] {
        let run = |leaves_out: bool| {
            let mut absolute = vec![f64::INFINITY; 2 + INTEGRALS];
            absolute[..2].fill(1e-10);
            let tolerances = Tolerances { relative: 0.0, absolute, newton: None };
            let mut integrator = RungeKutta::new(method, tolerances);
            let mut ode = Integrals { leaves_out, in_use: 2 };
            let (mut time, mut y, mut within) = (0.0, vec![0.0; 2 + INTEGRALS], Vec::new());
            let mut inside = vec![0.0; 2 + INTEGRALS];
            y[1] = 1.0;
            for half in 1..=5 {
                let end = std::f64::consts::PI * f64::from(half);
                while time < end {
                    let attempt = integrator.attempt(&mut ode, time, &y, end).unwrap();
                    integrator.prepare_dense(&mut ode).unwrap();
                    integrator.interpolate(attempt.start + 0.3 * attempt.step(), &mut inside);
                    within.extend_from_slice(&inside);
                    time = integrator.accept(&mut y);
                }
            }
            (y, within)
        };
        let (y, within) = run(true);
        assert_eq!((&y, &within), (&run(false).0, &run(false).1), "{method:?}");
        for (half, integral) in y[2..7].iter().enumerate() {
            let expected = if half % 2 == 0 { 2.0 } else { -2.0 };
            assert!((integral - expected).abs() < 1e-6, "{method:?}, {half}: {integral}");
        }
        assert!(y[8..].iter().all(|y| *y == 0.0));
    }
}
