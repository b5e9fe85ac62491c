//! One prefix for many numbers: a table or a report has one unit of time.

use crate::number::{self, prefix_for};

/// A power of ten with the SI prefix for it, such as 10⁻⁶ and µ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prefix {
    power: i32,
    symbol: &'static str,
}

impl Prefix {
    /// The plain unit.
    pub const NONE: Self = Self { power: 0, symbol: "" };

    /// The prefix that brings a number of this size between 1 and 1000; none for units that take no prefix.
    pub fn of(size: f64, unit: &str) -> Self {
        prefix_for(size.abs(), unit).map_or(Self::NONE, |(power, symbol)| Self { power, symbol })
    }

    /// A common unit of time for a span and for much shorter events within it: the unit of the span, or the
    /// next smaller unit if events are below a hundredth of it.
    ///
    /// ```
    /// use carom_report::Prefix;
    /// assert_eq!(Prefix::of_times(2.4e-4, Some(2.1e-4)).unit("s"), "µs");
    /// assert_eq!(Prefix::of_times(0.5, Some(1.4e-4)).unit("s"), "ms");
    /// assert_eq!(Prefix::of_times(10.0, None).unit("s"), "s");
    /// ```
    ///
    /// * `span` — end of the run \[s\]
    /// * `event` — a typical duration in it \[s\]
    pub fn of_times(span: f64, event: Option<f64>) -> Self {
        // Times above 1000 s stay in seconds.
        let of_span = Self::of(span.abs().min(999.0), "s");
        match event.filter(|event| *event > 0.0 && of_span.number(*event) < 0.01) {
            Some(_) => Self::of(10f64.powi(of_span.power - 3), "s"),
            None => of_span,
        }
    }

    /// Converts a number from the plain unit to this unit.
    pub fn number(self, x: f64) -> f64 {
        // A power of ten above 1 is exact, its inverse is not.
        if self.power < 0 { x * 10f64.powi(-self.power) } else { x / 10f64.powi(self.power) }
    }

    /// The unit with the prefix.
    pub fn unit(self, unit: &str) -> String {
        format!("{}{unit}", self.symbol)
    }

    /// A quantity in this unit as text: `134.3 µs`.
    ///
    /// * `x` — in the plain unit
    pub fn quantity(self, x: f64, unit: &str, digits: usize) -> String {
        format!("{} {}", number::pretty(self.number(x), digits), self.unit(unit))
    }

    /// Power of ten.
    pub(crate) fn power(self) -> i32 {
        self.power
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_range_and_its_impacts_share_a_unit() {
        let unit = |span, event| Prefix::of_times(span, event).unit("s");
        assert_eq!(unit(1.6, Some(1.516)), "s");
        assert_eq!(unit(0.5, Some(1.4e-4)), "ms");
        // The unit is at most one step smaller, so that the time range is readable.
        assert_eq!(unit(10.0, Some(1.4e-4)), "ms");
        assert_eq!(unit(1e5, None), "s");
        assert_eq!(unit(0.0, Some(0.0)), "s");
        assert_eq!(Prefix::of_times(2.4e-4, None).quantity(1.516, "s", 4), "1.516·10⁶ µs");
        assert_eq!(Prefix::of_times(1.6, None).quantity(1.516, "s", 4), "1.516 s");
        assert_eq!(Prefix::of(3.0, "kg m²/s"), Prefix::NONE);
    }
}
