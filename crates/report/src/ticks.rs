//! Ticks and units of an axis.

use crate::Prefix;
use crate::number::{minus, prefix_for, pretty, superscript, thousands};

/// Ticks of one axis, in the numbers that are shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ticks {
    /// Places of the labelled ticks.
    pub major: Vec<f64>,
    /// Their labels.
    pub labels: Vec<String>,
    /// Places of the ticks without label.
    pub minor: Vec<f64>,
}

/// Ticks of a linear axis from `low` to `high`: multiples of 1, 2 or 5 times a power of ten, about `target`
/// of them.
pub fn linear(low: f64, high: f64, target: usize) -> Ticks {
    let rough = (high - low) / target.max(1) as f64;
    if !(rough.is_finite() && rough > 0.0) {
        return Ticks::default();
    }
    let power = rough.log10().floor() as i32;
    let unit = 10f64.powi(power);
    let (multiple, n_minor) = match rough / unit {
        r if r <= 1.0 + 1e-9 => (1.0, 5),
        r if r <= 2.0 + 1e-9 => (2.0, 4),
        r if r <= 5.0 + 1e-9 => (5.0, 5),
        _ => (10.0, 5),
    };
    let step = multiple * unit;
    let decimals = (-(step.log10() + 1e-9).floor() as i32).max(0) as usize;
    let slack = 1e-9 * step;
    let inside = |x: &f64| *x >= low - slack && *x <= high + slack;
    let every = |step: f64| {
        let first = (low / step).ceil() as i64 - 1;
        let last = (high / step).floor() as i64 + 1;
        (first..=last).map(move |n| n as f64 * step)
    };
    let major: Vec<f64> = every(step).filter(inside).collect();
    // Adding zero turns −0 into 0.
    let labels = major
        .iter()
        .map(|x| minus(&format!("{:.decimals$}", if x.abs() < slack { 0.0 } else { *x })))
        .collect();
    let minor = every(step / f64::from(n_minor)).filter(inside).collect();
    Ticks { major, labels, minor }
}

/// Ticks of a logarithmic axis from `low` to `high`, both positive: powers of ten, and 2 to 9 times these
/// between.
pub fn logarithmic(low: f64, high: f64, target: usize) -> Ticks {
    if !(low > 0.0 && high > low && high.is_finite()) {
        return Ticks::default();
    }
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let inside = |x: &f64| *x >= low * (1.0 - 1e-9) && *x <= high * (1.0 + 1e-9);
    let step = ((last - first) as usize).div_ceil(target.max(1)).max(1);
    let power = |n: i32| 10f64.powi(n);
    let exponents: Vec<i32> =
        (first..=last).filter(|n| n.rem_euclid(step as i32) == 0 && inside(&power(*n))).collect();
    let minor =
        (first..=last).flat_map(|n| (1..10).map(move |k| f64::from(k) * power(n))).filter(inside).collect();
    if exponents.len() < 2 {
        return few_decades(low, high, minor);
    }
    Ticks {
        major: exponents.iter().map(|&n| power(n)).collect(),
        labels: exponents.iter().map(|n| format!("10{}", superscript(&n.to_string()))).collect(),
        minor,
    }
}

/// Labels of less than two decades: 1, 2 and 5 times powers of ten, or as on a linear axis where these are
/// too few.
fn few_decades(low: f64, high: f64, minor: Vec<f64>) -> Ticks {
    let leading = |x: f64| (x / 10f64.powi((x.log10() + 1e-9).floor() as i32)).round() as i32;
    let major: Vec<f64> = minor.iter().copied().filter(|&x| [1, 2, 5].contains(&leading(x))).collect();
    if major.len() < 2 {
        let Ticks { major, labels, .. } = linear(low, high, 4);
        let (major, labels) = major.into_iter().zip(labels).filter(|(x, _)| *x > 0.0).unzip();
        return Ticks { major, labels, minor };
    }
    let labels = major.iter().map(|&x| pretty(x, 1)).collect();
    Ticks { major, labels, minor }
}

/// Conversion of the numbers of an axis: shown = (value − offset) · factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Subtracted first, in the unit of the data.
    pub offset: f64,
    /// Then multiplied.
    pub factor: f64,
    /// Label with unit, such as `contact force [kN]`.
    pub caption: String,
}

/// Chooses SI prefix or power of ten for an axis from `low` to `high`, and an offset where the range is small
/// relative to the numbers (an energy that drifts in its ninth digit).
///
/// * `prefix` — the prefix if it is chosen already
pub fn shown(label: &str, unit: &str, [low, high]: [f64; 2], prefix: Option<Prefix>) -> Shown {
    let size = low.abs().max(high.abs());
    let offset =
        if low * high > 0.0 && high - low < 1e-3 * size { rounded_below(low, high - low) } else { 0.0 };
    let label = match offset {
        0.0 => label.to_owned(),
        o if o > 0.0 => format!("{label} − {} {unit}", plain(o)),
        o => format!("{label} + {} {unit}", plain(-o)),
    };
    let size = (low - offset).abs().max((high - offset).abs());
    let chosen = prefix.map(|prefix| (prefix.power(), prefix.unit(unit)));
    let fitting = || prefix_for(size, unit).map(|(power, prefix)| (power, format!("{prefix}{unit}")));
    let (power, unit) = match chosen.or_else(fitting) {
        Some(chosen) => chosen,
        None if (1e-2..1e4).contains(&size) || size == 0.0 => (0, unit.to_owned()),
        None => {
            let power = thousands(size);
            (power, format!("10{} {unit}", superscript(&power.to_string())))
        }
    };
    let unit = unit.trim();
    let caption = if unit.is_empty() { label } else { format!("{} [{unit}]", label.trim_end()) };
    Shown { offset, factor: 10f64.powi(-power), caption }
}

/// `low` rounded to a number with few digits that lies within a few `range` of it.
fn rounded_below(low: f64, range: f64) -> f64 {
    // Below the rounding error of the data there is nothing to show.
    let range = range.max(1e-15 * low.abs());
    let grain = 10f64.powi((2.0 * range).log10().ceil() as i32);
    (low / grain).round() * grain
}

/// The shortest text that represents the number exactly.
fn plain(x: f64) -> String {
    let text = format!("{x:.15}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if (1e-3..1e6).contains(&x) { text.to_owned() } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        let ticks = linear(-0.3, 7.9, 5);
        assert_eq!(ticks.major, [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(ticks.labels, ["0", "2", "4", "6"]);
        let ticks = linear(0.0, 1.0, 5);
        assert_eq!(ticks.labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(linear(1.0, 1.0, 5), Ticks::default());
        assert_eq!(linear(f64::NAN, 1.0, 5), Ticks::default());
        assert_eq!(linear(-1.0, 1.0, 4).labels, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
    }

    #[test]
    fn decades_are_labelled() {
        assert_eq!(logarithmic(1e-6, 2e-2, 6).labels, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!(logarithmic(1e-12, 1.0, 6).labels.len(), 7);
        assert_eq!(logarithmic(2.0, 30.0, 4).labels, ["2", "5", "10", "20"]);
        assert_eq!(logarithmic(6.0, 9.0, 4).labels, ["6", "7", "8", "9"]);
        assert_eq!(logarithmic(-1.0, 9.0, 4), Ticks::default());
    }

    #[test]
    fn axes_use_prefixes_powers_and_offsets() {
        let axis = shown("time", "s", [0.0, 2.4e-4], None);
        assert_eq!((axis.factor, axis.caption.as_str()), (1e6, "time [µs]"));
        assert_eq!(shown("L", "kg m²/s", [-2e-5, 1e-5], None).caption, "L [10⁻⁶ kg m²/s]");
        assert_eq!(shown("steps", "", [0.0, 120.0], None).caption, "steps");
        let axis = shown("energy", "J", [1.2345000001, 1.2345000009], None);
        let milliseconds = Prefix::of(1e-3, "s");
        assert_eq!(shown("time", "s", [0.0, 2.5], Some(milliseconds)).caption, "time [ms]");
        assert_eq!(axis.caption, "energy − 1.2345 J [pJ]");
        assert!((axis.offset - 1.2345).abs() < 1e-9);
    }
}
