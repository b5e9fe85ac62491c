//! Mode splits for an impact: the number of dynamic modes, and the error of the others.

use std::f64::consts::TAU;

use super::static_mode_error;

/// Products of split frequency and duration of the impact that a table of splits lists; 5 is the default of
/// the contact submodel, 2 the least.
pub const PERIODS: [f64; 5] = [0.0, 1.0, 2.0, 5.0, 10.0];

/// The consequences of a split frequency for an impact on a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Split frequency f_c \[Hz\].
    pub hz: f64,
    /// f_c T with T the duration of the impact.
    pub periods: f64,
    /// Number of modes up to the split, which are dynamic.
    pub n_dynamic: usize,
    /// Share of the static modes in the compliance.
    pub high_share: f64,
    /// 1/(2 f_c T)²: error of the static response of a mode at the split; none for a split at 0.
    pub mode_error: Option<f64>,
    /// Sum over the static modes of their errors, weighted with their shares of the compliance.
    pub expected_error: f64,
    /// True for the split of the model itself.
    pub is_own: bool,
}

/// The splits of [`PERIODS`] and the model's own one, ascending.
///
/// * `omega` — circular frequencies of all modes, ascending \[rad/s\]
/// * `parts` — compliance of each mode under the pressure of the impact \[m/N\]
/// * `n_low` — number of dynamic modes of the model
/// * `duration` — T of the impact \[s\]
pub fn splits(omega: &[f64], parts: &[f64], n_low: usize, duration: f64) -> Vec<Split> {
    let total: f64 = parts.iter().sum();
    let hz = |k: usize| omega[k] / TAU;
    let split = |split_hz: f64, n_dynamic: usize, is_own: bool| {
        let high = &parts[n_dynamic..];
        let errors = high
            .iter()
            .enumerate()
            .map(|(k, part)| part * static_mode_error(hz(n_dynamic + k), duration).min(1.0));
        Split {
            hz: split_hz,
            periods: split_hz * duration,
            n_dynamic,
            high_share: high.iter().sum::<f64>() / total,
            mode_error: (split_hz > 0.0).then(|| static_mode_error(split_hz, duration)),
            expected_error: errors.sum::<f64>() / total,
            is_own,
        }
    };
    let below = |split: f64| (0..parts.len()).take_while(|&k| hz(k) <= split).count();
    let mut found: Vec<Split> = PERIODS
        .iter()
        .map(|periods| periods / duration)
        .map(|split_hz| split(split_hz, below(split_hz), false))
        .collect();
    // Any frequency between the last dynamic and the first static mode is the split of the model.
    let own = n_low.checked_sub(1).map_or(0.0, hz);
    found.push(split(own, n_low, true));
    found.sort_by(|a, b| a.hz.total_cmp(&b.hz));
    found
}

/// Share of the compliance in the modes up to each mode.
pub fn cumulative_shares(parts: &[f64]) -> Vec<f64> {
    let total: f64 = parts.iter().sum();
    let mut sum = 0.0;
    parts
        .iter()
        .map(|part| {
            sum += part;
            sum / total
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two modes of 1 kHz and 10 kHz. The first has three quarters of the compliance; T = 1 ms.
    #[test]
    fn a_split_between_two_modes_leaves_the_error_of_the_upper_one() {
        let omega = [1e3 * TAU, 1e4 * TAU];
        let found = splits(&omega, &[3e-9, 1e-9], 1, 1e-3);
        assert_eq!(found.len(), PERIODS.len() + 1);
        assert!(found.is_sorted_by(|a, b| a.hz <= b.hz));
        let at = |hz: f64| *found.iter().find(|s| (s.hz - hz).abs() < 1e-9 && !s.is_own).unwrap();
        // At 5 kHz the upper mode is static: a quarter of the compliance with the error 1/(2 · 10)².
        let five = at(5e3);
        assert_eq!(five.n_dynamic, 1);
        assert!((five.high_share - 0.25).abs() < 1e-15);
        assert!((five.expected_error - 0.25 / 400.0).abs() < 1e-15);
        assert!((five.mode_error.unwrap() - 0.01).abs() < 1e-15);
        // Without dynamic modes the lower one errs by 1/(2 · 1)².
        let none = at(0.0);
        assert_eq!((none.n_dynamic, none.mode_error), (0, None));
        assert!((none.expected_error - (0.75 * 0.25 + 0.25 / 400.0)).abs() < 1e-15);
        let own = found.iter().find(|s| s.is_own).unwrap();
        assert!((own.hz - 1e3).abs() < 1e-9 && own.n_dynamic == 1);
    }

    #[test]
    fn shares_of_the_compliance_sum_up_to_one() {
        assert_eq!(cumulative_shares(&[1.0, 1.0, 2.0]), [0.25, 0.5, 1.0]);
    }
}
