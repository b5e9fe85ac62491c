//! Damping of a reduced body: Rayleigh's, and a ratio for each mode.
//!
//! ```text
//! D̄_e = (M_eff U) diag(2 ζ(f_k) ω_k + α + β ω_k²) (M_eff U)ᵀ
//! ```
//!
//! over the free vibrations of the body ([`crate::free`]); in the Buckens frame M_eff U = E and D̄_e is
//! diagonal. Only vibration is damped: rigid motion is not, in any frame and also by mass-proportional
//! damping.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use carom_linalg::DenseEigenError;
use faer::Mat;

use crate::free::{FreeVibrations, free_vibrations};
use crate::reduced::ReducedBody;

/// The damping ratio ζ as a function of frequency.
#[derive(Debug, Clone, PartialEq)]
pub enum DampingRatio {
    /// The same for all modes.
    Constant(f64),
    /// Pairs of frequency \[Hz\] (ascending) and ratio, with linear interpolation between them and constant
    /// values outside.
    Table(Vec<[f64; 2]>),
}

impl Default for DampingRatio {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

/// Largest accepted rate \[1/s\]: products of two rates stay finite.
pub const LARGEST_RATE: f64 = 1e150;

/// Errors of a damping.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DampingError {
    /// A number is negative or not finite.
    #[error("the {what} is {value}; it must be 0 or above and finite")]
    Value {
        /// Which one.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// The rate of a mode is too large.
    #[error(
        "the damping of the mode at {hz:.4e} Hz is {rate:e} 1/s, which is too large (at most \
         {LARGEST_RATE:e}); Rayleigh's β, times the square of the highest circular frequency, is the likely \
         cause: take it smaller"
    )]
    Rate {
        /// Frequency of the mode \[Hz\].
        hz: f64,
        /// 2 ζ ω + α + β ω² \[1/s\].
        rate: f64,
    },
    /// The table is empty.
    #[error("the table of damping ratios is empty; give at least one pair of frequency [Hz] and ratio")]
    Empty,
    /// Frequencies do not ascend.
    #[error("the table of damping ratios has {next} Hz after {hz} Hz; frequencies must ascend")]
    Order {
        /// A frequency \[Hz\].
        hz: f64,
        /// The one after it \[Hz\].
        next: f64,
    },
}

/// Damping of the vibration of a body; its parts add up.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Damping {
    /// α of Rayleigh's α M + β K \[1/s\].
    pub mass: f64,
    /// β of it \[s\].
    pub stiffness: f64,
    /// Ratio ζ to critical damping.
    pub ratio: DampingRatio,
}

impl fmt::Display for Damping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rayleigh={},{} ratio=", self.mass, self.stiffness)?;
        match &self.ratio {
            DampingRatio::Constant(ratio) => write!(f, "{ratio}"),
            DampingRatio::Table(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|[hz, ratio]| format!("{hz}:{ratio}")).collect();
                write!(f, "{}", pairs.join(","))
            }
        }
    }
}

impl FromStr for DampingRatio {
    type Err = DampingTextError;

    /// `0.01`, or `HZ:RATIO,HZ:RATIO`.
    fn from_str(text: &str) -> Result<Self, DampingTextError> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let ratio = if text.contains(':') {
            let pair = |pair: &str| {
                let (hz, ratio) = pair.split_once(':')?;
                Some([number(hz)?, number(ratio)?])
            };
            text.split(',').map(pair).collect::<Option<Vec<_>>>().map(Self::Table)
        } else {
            number(text).map(Self::Constant)
        };
        let ratio = ratio.ok_or_else(|| DampingTextError::Text { text: text.to_owned() })?;
        Damping { ratio: ratio.clone(), ..Damping::default() }.check()?;
        Ok(ratio)
    }
}

/// Errors from parsing a damping ratio.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DampingTextError {
    /// The text has another form.
    #[error(
        "`{text}` is not a damping ratio: give one number, or pairs of frequency [Hz] and ratio such as \
         `100:0.01,1000:0.02`"
    )]
    Text {
        /// The text.
        text: String,
    },
    /// Its numbers are impossible.
    #[error(transparent)]
    Numbers(#[from] DampingError),
}

impl Damping {
    /// The same ratio for all modes.
    pub fn of_ratio(ratio: f64) -> Self {
        Self { ratio: DampingRatio::Constant(ratio), ..Self::default() }
    }

    /// Checks all numbers.
    ///
    /// # Errors
    ///
    /// [`DampingError`].
    pub fn check(&self) -> Result<(), DampingError> {
        let not_negative = |what, value: f64| {
            if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(DampingError::Value { what, value }) }
        };
        not_negative("mass-proportional damping", self.mass)?;
        not_negative("stiffness-proportional damping", self.stiffness)?;
        match &self.ratio {
            DampingRatio::Constant(ratio) => not_negative("damping ratio", *ratio),
            DampingRatio::Table(pairs) => {
                if pairs.is_empty() {
                    return Err(DampingError::Empty);
                }
                for [hz, ratio] in pairs {
                    not_negative("frequency of a damping ratio", *hz)?;
                    not_negative("damping ratio", *ratio)?;
                }
                match pairs.windows(2).find(|pair| pair[1][0] <= pair[0][0]) {
                    Some(pair) => Err(DampingError::Order { hz: pair[0][0], next: pair[1][0] }),
                    None => Ok(()),
                }
            }
        }
    }

    /// True if nothing is damped.
    pub fn is_none(&self) -> bool {
        let no_ratio = match &self.ratio {
            DampingRatio::Constant(ratio) => *ratio == 0.0,
            DampingRatio::Table(pairs) => pairs.iter().all(|pair| pair[1] == 0.0),
        };
        self.mass == 0.0 && self.stiffness == 0.0 && no_ratio
    }

    /// ζ at a frequency \[Hz\], without Rayleigh's part.
    pub fn ratio_at(&self, hz: f64) -> f64 {
        let pairs = match &self.ratio {
            DampingRatio::Constant(ratio) => return *ratio,
            DampingRatio::Table(pairs) => pairs,
        };
        let above = pairs.partition_point(|pair| pair[0] < hz);
        match (above.checked_sub(1).map(|below| pairs[below]), pairs.get(above)) {
            (Some([f0, z0]), Some([f1, z1])) => z0 + (z1 - z0) * (hz - f0) / (f1 - f0),
            (Some(pair), None) => pair[1],
            (None, Some(pair)) => pair[1],
            (None, None) => 0.0,
        }
    }

    /// d of q̈ + d q̇ + ω² q = 0: 2 ζ ω + α + β ω² \[1/s\].
    pub fn rate(&self, omega: f64) -> f64 {
        2.0 * self.ratio_at(omega / TAU) * omega + self.mass + self.stiffness * omega * omega
    }

    /// The rates of modes.
    ///
    /// # Errors
    ///
    /// [`DampingError::Rate`] if one is too large for any computation.
    pub fn rates(&self, omega: &[f64]) -> Result<Vec<f64>, DampingError> {
        omega
            .iter()
            .map(|&omega| match self.rate(omega) {
                rate if rate <= LARGEST_RATE => Ok(rate),
                rate => Err(DampingError::Rate { hz: omega / TAU, rate }),
            })
            .collect()
    }

    /// D̄_e of the first n modes of a reduced body, n × n.
    ///
    /// # Errors
    ///
    /// [`DenseEigenError`] if their free vibrations cannot be found.
    pub fn matrix(&self, model: &ReducedBody, n: usize) -> Result<Mat<f64>, DenseEigenError> {
        let FreeVibrations { omega, dual } = free_vibrations(model, n)?;
        let rates: Vec<f64> = omega.iter().map(|&omega| self.rate(omega)).collect();
        Ok(match dual {
            None => Mat::from_fn(n, n, |i, j| if i == j { rates[i] } else { 0.0 }),
            Some(dual) => {
                let weighted = Mat::from_fn(n, n, |i, k| dual[(i, k)] * rates[k]);
                carom_linalg::dense::symmetrised((&weighted * dual.transpose()).as_ref())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_a_table_are_interpolated_linearly_and_constant_outside() {
        let damping = Damping {
            ratio: DampingRatio::Table(vec![[100.0, 0.01], [300.0, 0.03], [400.0, 0.0]]),
            ..Damping::default()
        };
        damping.check().unwrap();
        let found = [0.0, 100.0, 200.0, 300.0, 350.0, 1e9].map(|hz| damping.ratio_at(hz));
        for (found, expected) in found.into_iter().zip([0.01, 0.01, 0.02, 0.03, 0.015, 0.0]) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
    }

    #[test]
    fn invalid_dampings_are_refused() {
        let table =
            |pairs: &[[f64; 2]]| Damping { ratio: DampingRatio::Table(pairs.to_vec()), ..Damping::default() };
        assert_eq!("100:0.01, 300:0.03".parse(), Ok(DampingRatio::Table(vec![[100.0, 0.01], [300.0, 0.03]])));
        assert_eq!("0.5".parse(), Ok(DampingRatio::Constant(0.5)));
        for text in ["", "a", "1:2:3", "100:0.1,", "-1", "200:0.1,100:0.1"] {
            assert!(text.parse::<DampingRatio>().is_err(), "{text}");
        }
        assert!(matches!(Damping::of_ratio(-0.1).check(), Err(DampingError::Value { .. })));
        assert!(matches!(Damping::of_ratio(f64::NAN).check(), Err(DampingError::Value { .. })));
        assert_eq!(table(&[]).check(), Err(DampingError::Empty));
        let falling = table(&[[2.0, 0.1], [1.0, 0.1]]).check();
        assert_eq!(falling, Err(DampingError::Order { hz: 2.0, next: 1.0 }));
        let message = Damping { mass: -1.0, ..Damping::default() }.check().unwrap_err().to_string();
        assert!(message.contains("mass-proportional") && message.contains("-1"), "{message}");
    }
}
