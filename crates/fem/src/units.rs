//! Systems of units of the files of other programs.

use std::fmt;
use std::str::FromStr;

use crate::{Material, MaterialError};

/// Names of lengths, in metres.
const LENGTHS: [(&str, f64); 6] =
    [("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("in", 0.0254), ("ft", 0.3048)];
/// Names of masses, in kilograms. A slug is 1 lbf s²/ft, a slinch 1 lbf s²/in, with 1 lbf = 0.45359237 ·
/// 9.80665 N.
const MASSES: [(&str, f64); 6] = [
    ("kg", 1.0),
    ("g", 1e-3),
    ("t", 1e3),
    ("lb", 0.45359237),
    ("slug", 0.45359237 * 9.80665 / 0.3048),
    ("slinch", 0.45359237 * 9.80665 / 0.0254),
];
/// Names of times, in seconds.
const TIMES: [(&str, f64); 3] = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6)];

/// A system of units: the SI value of one unit of length, mass and time. Other units follow from these three.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// Length \[m\].
    pub length: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Time \[s\].
    pub time: f64,
}

impl Units {
    /// Metre, kilogram, second.
    pub const SI: Self = Self { length: 1.0, mass: 1.0, time: 1.0 };

    /// The systems that are common in finite-element models, for messages, the most likely one first.
    pub const COMMON: [&'static str; 7] =
        ["mm-t-s", "mm-kg-ms", "mm-g-ms", "cm-g-us", "mm-kg-s", "in-slinch-s", "ft-slug-s"];

    /// One unit of stiffness, mass / time² \[N/m\]: a force by a length, N/mm for mm-t-s.
    pub fn stiffness(self) -> f64 {
        self.mass / (self.time * self.time)
    }

    /// One unit of density, mass / length³ \[kg/m³\]: 1e12 for mm-t-s.
    pub fn density(self) -> f64 {
        self.mass / self.length.powi(3)
    }

    /// One unit of stress, mass / (length time²) \[Pa\]: 1e6 for mm-t-s.
    pub fn stress(self) -> f64 {
        self.stiffness() / self.length
    }

    /// A material whose constants are in these units, in SI units.
    ///
    /// # Errors
    ///
    /// [`MaterialError::OutOfRange`] as for [`Material::new`].
    pub fn material(
        self,
        name: &str,
        density: f64,
        young: f64,
        poisson: f64,
    ) -> Result<Material, MaterialError> {
        Material::new(name, density * self.density(), young * self.stress(), poisson)
    }
}

impl FromStr for Units {
    type Err = String;

    /// Parses a system of units such as `mm-t-s`.
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

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |table: &[(&'static str, f64)], value: f64| {
            table.iter().find(|(_, known)| *known == value).map_or("?", |(name, _)| *name)
        };
        let (length, mass, time) =
            (name(&LENGTHS, self.length), name(&MASSES, self.mass), name(&TIMES, self.time));
        write!(f, "{length}-{mass}-{time}")
    }
}

fn known() -> String {
    let names = |table: &[(&str, f64)]| table.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
    format!(
        "write LENGTH-MASS-TIME such as mm-t-s (then forces are N), with the lengths {}, the masses {}, the \
         times {}",
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
            assert_eq!(units.to_string(), text);
        }
        for text in ["", "mm", "mm-t", "mm-N-s", "mm-t-s-K", "t-mm-s"] {
            assert!(text.parse::<Units>().unwrap_err().contains("mm-t-s"), "{text}");
        }
    }

    #[test]
    fn the_moduli_of_steel_are_converted_from_every_common_system() {
        for name in Units::COMMON {
            let units: Units = name.parse().unwrap();
            let (density, young) = (7800.0 / units.density(), 210e9 / units.stress());
            let steel = units.material("steel", density, young, 0.3).unwrap();
            assert!((steel.density / 7800.0 - 1.0).abs() < 1e-14, "{name}: {density}");
            assert!((steel.young / 210e9 - 1.0).abs() < 1e-14, "{name}: {young}");
        }
        let steel = "mm-t-s".parse::<Units>().unwrap().material("steel", 7.8e-9, 210e3, 0.3).unwrap();
        assert!((steel.density - 7800.0).abs() < 1e-9 && (steel.young - 210e9).abs() < 1.0);
    }
}
