//! Dynamic modes of a model that are no modes of its body.

use std::f64::consts::TAU;
use std::fmt;

use crate::column::Column;
use crate::free::FreeShapes;
use crate::reduced::ReducedBody;

/// Relative departure of ω² at which a mode counts as the free mode that the basis holds.
const FREE_AGAIN: f64 = 1e-6;

/// Relative departure of a frequency that rounding may have made, in a file or in another frame.
const ROUNDING: f64 = 1e-9;

/// Dynamic modes above those that the basis answers for: what they say of the body is not so, and the force
/// of an impact can be percents off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoubtfulModes {
    /// How many.
    pub count: usize,
    /// Frequency of the last dynamic mode \[Hz\].
    pub dynamic_hz: f64,
    /// Frequency of the last mode that the basis answers for; 0 if there is none \[Hz\].
    pub known_hz: f64,
    /// What the basis is made of: `fixed-interface`, or `exact` for free modes.
    pub kind: &'static str,
}

impl DoubtfulModes {
    /// * `omega` — free modes, ascending \[rad/s\]
    /// * `n_low` — how many of them are dynamic
    /// * `n_known` — how many of them the basis answers for
    pub(crate) fn of(omega: &[f64], n_low: usize, n_known: usize, kind: &'static str) -> Option<Self> {
        let last = |n: usize| n.checked_sub(1).map_or(0.0, |last| omega[last] / TAU);
        let (dynamic_hz, known_hz) = (last(n_low), last(n_known));
        (n_low > n_known).then(|| Self { count: n_low - n_known, dynamic_hz, known_hz, kind })
    }
}

impl fmt::Display for DoubtfulModes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, dynamic_hz, known_hz, kind } = self;
        write!(
            f,
            "{count} dynamic modes, up to {dynamic_hz:.5e} Hz, lie above the {kind} modes, which answer for \
             {known_hz:.5e} Hz: they are not modes of the body, and the force of an impact can be percents \
             off; take more modes (--up-to a quarter above the split) or a lower split"
        )
    }
}

/// Number of free modes that are found again as they are.
///
/// * `omega` — of the model, ascending \[rad/s\]
/// * `lambda` — ω² of the free modes of its basis
pub(crate) fn found_again(omega: &[f64], lambda: impl Iterator<Item = f64>) -> usize {
    omega
        .iter()
        .zip(lambda)
        .take_while(|(omega, lambda)| (*omega * *omega / lambda - 1.0).abs() < FREE_AGAIN)
        .count()
}

impl ReducedBody {
    /// The dynamic modes that are no modes of the body; none for a model that does not say what it is made
    /// of, as imported ones.
    pub fn doubtful_modes(&self) -> Option<DoubtfulModes> {
        let columns = &self.composition.columns;
        if columns.is_empty() || self.n_low == 0 {
            return None;
        }
        // In another frame than that of the mean motion modes have other frequencies.
        let free = FreeShapes::new(self).ok()?;
        if columns.iter().any(|column| matches!(column, Column::Residual(_))) {
            let exact = columns.iter().filter_map(|column| match column {
                Column::FreeMode { hz, .. } => Some((TAU * hz).powi(2)),
                _ => None,
            });
            let n_known = found_again(&free.omega, exact);
            return DoubtfulModes::of(&free.omega, self.n_low, n_known, "exact");
        }
        let highest =
            |of_kind: fn(&Column) -> Option<f64>| columns.iter().filter_map(of_kind).reduce(f64::max);
        let fixed = highest(|column| match column {
            Column::FixedMode { hz, .. } => Some(*hz),
            _ => None,
        });
        let relief = highest(|column| match column {
            Column::InertiaRelief { hz, .. } => Some(*hz),
            _ => None,
        });
        let last = TAU * fixed.or(relief).unwrap_or(0.0);
        let n_known = free.omega.partition_point(|&omega| omega <= last * (1.0 + ROUNDING));
        DoubtfulModes::of(&free.omega, self.n_low, n_known, "fixed-interface")
    }
}
