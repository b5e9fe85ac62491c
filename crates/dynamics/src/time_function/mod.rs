//! Functions of time with their first two derivatives: formulas, tables, numbers.
//!
//! Loads need only values; a prescribed motion needs its velocity and acceleration too. Derivatives are
//! exact: formulas are evaluated in [`Jet`]s, tables are piecewise polynomials.
//!
//! * [`Formula`]: `2 * sin(3 * pi * t) + max(0, t - 1)^2`
//! * [`Table`]: pairs of time and value with linear or cubic spline interpolation

mod formula;
mod jet;
mod operation;
mod parse;
mod table;

pub use formula::Formula;
pub use jet::Jet;
pub use parse::FormulaError;
pub use table::{Interpolation, Table, TableError};

/// A function of time.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeFunction {
    /// A number.
    Constant(f64),
    /// A formula in t.
    Formula(Formula),
    /// Values at times.
    Table(Table),
}

/// A function with a value or derivative that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("at t = {time:.6e} s its {what} is {value}; it must be finite throughout the run")]
pub struct NotFinite {
    /// The time \[s\].
    pub time: f64,
    /// `value`, `first derivative` or `second derivative`.
    pub what: &'static str,
    /// The value.
    pub value: f64,
}

/// Number of equal parts of a run at whose ends a function is checked.
const SAMPLES: u32 = 1000;

impl TimeFunction {
    /// f, f′, f″ at a time.
    pub fn at(&self, time: f64) -> Jet {
        match self {
            Self::Constant(value) => Jet::constant(*value),
            Self::Formula(formula) => formula.at(time),
            Self::Table(table) => table.at(time),
        }
    }

    /// The first known time after `time` at which a derivative up to the second jumps, so that steps of an
    /// integrator can end there. Infinite if there is none; the kinks of formulas are not known.
    pub fn next_kink(&self, time: f64) -> f64 {
        match self {
            Self::Constant(_) | Self::Formula(_) => f64::INFINITY,
            Self::Table(table) => table.next_kink(time),
        }
    }

    /// Largest |f| from 0 to `end`, at a thousand times and the nodes of a table.
    pub fn peak(&self, end: f64) -> f64 {
        let largest = |times: &mut dyn Iterator<Item = f64>| {
            times.map(|time| self.at(time).value.abs()).fold(0.0, f64::max)
        };
        let nodes = match self {
            Self::Table(table) => largest(&mut table.times().filter(|time| (0.0..=end).contains(time))),
            _ => 0.0,
        };
        nodes.max(largest(&mut samples(end)))
    }

    /// Checks at a thousand times from 0 to `end` that f and its derivatives up to `order` are finite.
    ///
    /// # Errors
    ///
    /// [`NotFinite`] with the first time at which one is not.
    pub fn check(&self, end: f64, order: usize) -> Result<(), NotFinite> {
        const NAMES: [&str; 3] = ["value", "first derivative", "second derivative"];
        for time in samples(end) {
            let jet = self.at(time);
            let all = [jet.value, jet.rate, jet.second_rate].into_iter().zip(NAMES);
            if let Some((value, what)) = all.take(order + 1).find(|(value, _)| !value.is_finite()) {
                return Err(NotFinite { time, what, value });
            }
        }
        Ok(())
    }
}

fn samples(end: f64) -> impl Iterator<Item = f64> {
    (0..=SAMPLES).map(move |i| end * f64::from(i) / f64::from(SAMPLES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_finite_are_errors_with_their_time() {
        let root = TimeFunction::Formula(Formula::parse("sqrt(t)").unwrap());
        assert!(root.check(1.0, 0).is_ok());
        let error = root.check(1.0, 2).unwrap_err();
        assert_eq!((error.time, error.what), (0.0, "first derivative"));
        let pole = TimeFunction::Formula(Formula::parse("1/(t - 0.5)").unwrap());
        assert!(pole.check(1.0, 0).unwrap_err().to_string().contains("t = 5.0"));
    }

    #[test]
    fn the_peak_is_the_largest_value_of_the_run() {
        let wave = TimeFunction::Formula(Formula::parse("-3*sin(t)").unwrap());
        assert!((wave.peak(10.0) - 3.0).abs() < 1e-4);
        let pulse =
            Table::new(vec![[0.0, 0.0], [0.123_456, -7.0], [0.2, 0.0]], Interpolation::Linear).unwrap();
        assert_eq!(TimeFunction::Table(pulse).peak(1.0), 7.0);
    }
}
