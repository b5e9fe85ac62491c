//! Units of the matrices of other programs.

use std::str::FromStr;

/// Names of lengths and how many metres they are.
const LENGTHS: [(&str, f64); 6] =
    [("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("in", 0.0254), ("ft", 0.3048)];
/// Names of masses and how many kilograms they are. A slug is 1 lbf s²/ft, a slinch 1 lbf s²/in, with 1 lbf = 0.45359237 · 9.80665 N.
const MASSES: [(&str, f64); 6] = [
    ("kg", 1.0),
    ("g", 1e-3),
    ("t", 1e3),
    ("lb", 0.45359237),
    ("slug", 0.45359237 * 9.80665 / 0.3048),
    ("slinch", 0.45359237 * 9.80665 / 0.0254),
];
/// Names of times and how many seconds they are.
const TIMES: [(&str, f64); 3] = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6)];

/// A system of units: what one of each is in SI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Units {
    /// Length \[m\].
    pub(crate) length: f64,
    /// Mass \[kg\].
    pub(crate) mass: f64,
    /// Time \[s\].
    pub(crate) time: f64,
}

impl Units {
    /// Metre, kilogram, second.
    pub(crate) const SI: Self = Self { length: 1.0, mass: 1.0, time: 1.0 };

    /// One of stiffness, mass / time² \[N/m\]: a force by a length, N/mm for mm-t-s.
    pub(crate) fn stiffness(self) -> f64 {
        self.mass / (self.time * self.time)
    }
}

impl FromStr for Units {
    type Err = String;

    /// `mm-t-s`.
    fn from_str(text: &str) -> Result<Self, String> {
        let find = |table: &[(&str, f64)], name: &str| {
            table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
        };
        let words: Vec<&str> = text.split('-').collect();
        let [length, mass, time] = words[..] else { return Err(known()) };
        match (find(&LENGTHS, length), find(&MASSES, mass), find(&TIMES, time)) {
            (Some(length), Some(mass), Some(time)) => Ok(Self { length, mass, time }),
            _ => Err(known()),
        }
    }
}

fn known() -> String {
    let names = |table: &[(&str, f64)]| table.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
    format!(
        "write LENGTH-MASS-TIME such as mm-t-s (then forces are N), with the lengths {}, the masses {}, the times {}",
        names(&LENGTHS),
        names(&MASSES),
        names(&TIMES)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_of_force_is_mass_times_length_by_time_squared() {
        for (text, newtons) in
            [("mm-t-s", 1.0), ("m-kg-s", 1.0), ("mm-kg-ms", 1e3), ("in-slinch-s", 4.4482216152605)]
        {
            let units: Units = text.parse().unwrap();
            let force = units.stiffness() * units.length;
            assert!((force / newtons - 1.0).abs() < 1e-14, "{text}: {force}");
        }
        for text in ["", "mm", "mm-t", "mm-N-s", "mm-t-s-K", "t-mm-s"] {
            assert!(text.parse::<Units>().unwrap_err().contains("mm-t-s"), "{text}");
        }
    }
}
