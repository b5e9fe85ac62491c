//! Dynamic modes of a model that do not approximate modes of its body.

use std::f64::consts::TAU;
use std::fmt;

use crate::column::Column;
use crate::free::FreeShapes;
use crate::reduced::ReducedBody;

/// Relative difference of ω² up to which a mode counts as a free mode of the basis.
const FREE_AGAIN: f64 = 1e-6;

/// Relative difference of frequencies that rounding can cause, in a file or in another frame.
const ROUNDING: f64 = 1e-9;

/// Dynamic modes above the frequency up to which the basis is accurate: they do not approximate modes of the
/// body, and the force of an impact can have an error of some percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoubtfulModes {
    /// Their number.
    pub count: usize,
    /// Frequency of the last dynamic mode \[Hz\].
    pub dynamic_hz: f64,
    /// Frequency up to which the basis is accurate; 0 if it has no modes \[Hz\].
    pub known_hz: f64,
    /// Kind of the modes in the basis: `fixed-interface`, or `exact` for free modes.
    pub kind: &'static str,
}

impl DoubtfulModes {
    /// * `omega` — free modes, ascending \[rad/s\]
    /// * `n_low` — number of dynamic modes
    /// * `n_known` — number of modes for which the basis is accurate
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
            "{count} dynamic modes, up to {dynamic_hz:.5e} Hz, lie above the {kind} modes, which end at \
             {known_hz:.5e} Hz: they are not modes of the body, and the force of an impact can be some \
             percent \
             off; take more modes (--up-to a quarter above the split) or a lower split"
        )
    }
}

/// Number of free modes that the reduced body reproduces.
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
    /// The dynamic modes that do not approximate modes of the body; none for a model without a recorded
    /// basis, such as an imported one.
    pub fn doubtful_modes(&self) -> Option<DoubtfulModes> {
        let columns = &self.composition.columns;
        if columns.is_empty() || self.n_low == 0 {
            return None;
        }
        // In a frame other than the Buckens frame modes have other frequencies.
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
