//! Unusual figures of a body, most of which come from wrong units.
//!
//! A figure outside its range is reported with its value, the range and a remedy. It is not an error, because
//! models of published problems have units of their own. Figures that prevent any computation are errors
//! ([`ImpossibleBody`]).

use std::fmt;

use thiserror::Error;

use crate::units::Units;
use crate::{Body, Discretisation, DiscretisationError, Geometry, MassProperties, Material, mass_properties};

/// Density of solids, from foams to osmium \[kg/m³\].
pub const DENSITY: [f64; 2] = [5.0, 25e3];
/// Speed √(E/ρ) of a wave along a rod, from soft rubber to diamond \[m/s\].
pub const SPEED_OF_SOUND: [f64; 2] = [20.0, 20e3];
/// Largest extent of a body \[m\].
pub const SIZE: [f64; 2] = [1e-5, 100.0];
/// Mass of a body \[kg\].
pub const MASS: [f64; 2] = [1e-12, 1e6];

/// A figure outside its usual range.
#[derive(Debug, Clone, PartialEq)]
pub struct Implausible {
    /// Owner of the quantity: "material `steel`", "body `ball`".
    pub subject: String,
    /// The quantity.
    pub quantity: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Smallest and largest usual value.
    pub range: [f64; 2],
    /// The remedy.
    pub remedy: String,
}

impl Implausible {
    /// The figure if its value lies outside the range.
    ///
    /// * `remedy` — called only in this case
    pub fn check(
        subject: impl Into<String>,
        (quantity, unit): (&'static str, &'static str),
        value: f64,
        range: [f64; 2],
        remedy: impl FnOnce() -> String,
    ) -> Option<Self> {
        // A NaN is outside of the range, too.
        if (range[0]..=range[1]).contains(&value) {
            return None;
        }
        Some(Self { subject: subject.into(), quantity, value, unit, range, remedy: remedy() })
    }
}

impl fmt::Display for Implausible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, quantity, value, unit, range: [low, high], remedy } = self;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let (value, low, high) = (plain(*value), plain(*low), plain(*high));
        write!(f, "{subject}: the {quantity} is {value}{unit}, which is implausible ")?;
        if low == "0" {
            write!(f, "(usual: up to {high}{unit}): {remedy}")
        } else {
            write!(f, "(usual: {low} to {high}{unit}): {remedy}")
        }
    }
}

/// A number with four digits, with an exponent if this is shorter.
pub fn plain(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
        return format!("{rounded}");
    }
    let text = format!("{value:.3e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

/// A body with an invalid mass or volume.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ImpossibleBody {
    /// The body has no valid discretisation.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// A figure is not a finite positive number.
    #[error(
        "the {quantity} of the body is {value:?} {unit}: it must be a finite number above 0; check \
         coordinates (--scale, --units), weights and density"
    )]
    Figure {
        /// Volume or mass.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
}

/// Density and speed of sound of a material.
///
/// * `is_elastic` — false if nothing depends on its stiffness: of a rigid body only the density is checked
pub fn of_material(material: &Material, is_elastic: bool) -> Vec<Implausible> {
    let Material { name, density, young, .. } = material;
    let subject = format!("material `{name}`");
    let speed = (young / density).sqrt();
    let remedy = || material_remedy(*density, *young);
    let of_density = Implausible::check(&*subject, ("density", "kg/m³"), *density, DENSITY, remedy);
    let what = ("speed of sound √(E/ρ)", "m/s");
    let of_speed = Implausible::check(&*subject, what, speed, SPEED_OF_SOUND, remedy);
    of_density.into_iter().chain(of_speed.filter(|_| is_elastic)).collect()
}

/// The units in which the constants would be those of a solid.
fn material_remedy(density: f64, young: f64) -> String {
    // The constants of different units differ widely: metals, plastics and ceramics are enough for a guess.
    let fits = |density: f64, young: f64| {
        (100.0..=23e3).contains(&density) && (500.0..=18e3).contains(&(young / density).sqrt())
    };
    for name in Units::COMMON {
        let Ok(units) = name.parse::<Units>() else { continue };
        let (rho, e) = (density * units.density(), young * units.stress());
        if fits(rho, e) {
            return format!(
                "in the units {name} it would be {} kg/m³ and {} Pa; give these, or import the file with \
                 --units {name} (in a scenario: `units = \"{name}\"` beside `file`)",
                plain(rho),
                plain(e)
            );
        }
    }
    for (unit, factor) in [("GPa", 1e9), ("MPa", 1e6)] {
        if fits(density, factor * young) {
            return format!(
                "Young's modulus is given in Pa: {} {unit} are {}",
                plain(young),
                plain(factor * young)
            );
        }
    }
    "give the density in kg/m³ and Young's modulus in Pa (steel: 7800 and 210e9); a file in mm, t and s is \
     imported with --units mm-t-s"
        .to_owned()
}

/// Least and largest coordinates of the points of a body, control points among them \[m\].
pub fn bounds(body: &Body) -> [[f64; 3]; 2] {
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let mut take = |points: &[[f64; 3]]| {
        for (x, d) in points.iter().flat_map(|x| x.iter().zip(0..3)) {
            bounds[0][d] = bounds[0][d].min(*x);
            bounds[1][d] = bounds[1][d].max(*x);
        }
    };
    match &body.geometry {
        Geometry::Mesh(mesh) => take(&mesh.points),
        Geometry::Nurbs(patches) => patches.patches.iter().for_each(|patch| take(&patch.points)),
    }
    bounds
}

/// Largest extent of the points of a body along an axis \[m\].
pub fn extent(body: &Body) -> f64 {
    let [low, high] = bounds(body);
    (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max)
}

/// Size of a body, given by its largest extent \[m\].
pub fn of_size(name: &str, extent: f64) -> Option<Implausible> {
    let remedy = || {
        let in_mm = extent * 1e-3;
        let would = if (SIZE[0]..=SIZE[1]).contains(&in_mm) {
            format!(" (then it would be {} m)", plain(in_mm))
        } else {
            String::new()
        };
        format!(
            "lengths are in metres; a file in millimetres is imported with --units mm-t-s or --scale \
             1e-3{would}, in a scenario `units` or `scale` beside `file`"
        )
    };
    Implausible::check(format!("body `{name}`"), ("largest extent", "m"), extent, SIZE, remedy)
}

/// Mass of a body \[kg\].
///
/// # Errors
///
/// [`ImpossibleBody::Figure`] if volume or mass is not a finite positive number.
pub fn of_mass(name: &str, properties: &MassProperties) -> Result<Option<Implausible>, ImpossibleBody> {
    for (quantity, value, unit) in [("volume", properties.volume, "m³"), ("mass", properties.mass, "kg")] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(ImpossibleBody::Figure { quantity, value, unit });
        }
    }
    let remedy = || {
        format!(
            "its volume is {} m³; check the lengths (--scale, --units mm-t-s) and the density",
            plain(properties.volume)
        )
    };
    Ok(Implausible::check(format!("body `{name}`"), ("mass", "kg"), properties.mass, MASS, remedy))
}

/// All implausible figures of a body: materials, size, mass.
///
/// * `is_elastic` — as for [`of_material`]
///
/// # Errors
///
/// [`ImpossibleBody`]
pub fn of_body(body: &Body, is_elastic: bool) -> Result<Vec<Implausible>, ImpossibleBody> {
    of_measured(body, &mass_properties(&Discretisation::new(body)?), is_elastic)
}

/// The same for a body whose mass properties are known.
///
/// # Errors
///
/// [`ImpossibleBody::Figure`]
pub fn of_measured(
    body: &Body,
    properties: &MassProperties,
    is_elastic: bool,
) -> Result<Vec<Implausible>, ImpossibleBody> {
    let mut found: Vec<Implausible> =
        body.materials.iter().flat_map(|material| of_material(material, is_elastic)).collect();
    found.extend(of_size(&body.name, extent(body)));
    found.extend(of_mass(&body.name, properties)?);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MATERIALS;

    fn warnings_of(density: f64, young: f64) -> Vec<String> {
        let material = Material::new("x", density, young, 0.3).unwrap();
        of_material(&material, true).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_named_material_is_plausible() {
        for row in MATERIALS {
            assert_eq!(warnings_of(row.density, row.young), Vec::<String>::new(), "{}", row.name);
        }
    }

    #[test]
    fn a_modulus_in_gigapascal_is_reported_with_its_remedy() {
        let warnings = warnings_of(7800.0, 210.0);
        assert_eq!(
            warnings,
            ["material `x`: the speed of sound √(E/ρ) is 0.1641 m/s, which is implausible (usual: 20 to \
                 20000 m/s): Young's modulus is given in Pa: 210 GPa are 2.1e11"]
        );
    }

    #[test]
    fn the_units_of_a_deck_are_guessed() {
        for name in ["mm-t-s", "cm-g-us"] {
            let units: Units = name.parse().unwrap();
            let warnings = warnings_of(7800.0 / units.density(), 210e9 / units.stress());
            let hint = format!("in the units {name} it would be 7800 kg/m³ and 2.1e11 Pa");
            assert!(!warnings.is_empty() && warnings.iter().all(|w| w.contains(&hint)), "{warnings:?}");
        }
    }

    #[test]
    fn a_rigid_body_may_have_any_stiffness() {
        let material = Material::new("x", 7800.0, 1.0, 0.3).unwrap();
        assert_eq!(of_material(&material, false), []);
    }

    #[test]
    fn a_part_in_millimetres_is_reported_with_its_size_in_metres() {
        let warnings = of_size("hammer", 320.0).unwrap().to_string();
        assert!(
            warnings.contains("the largest extent is 320 m") && warnings.contains("it would be 0.32 m"),
            "{warnings}"
        );
        assert!(of_size("hammer", 0.32).is_none());
        let of = |volume: f64, density: f64| {
            let mass = density * volume;
            of_mass(
                "hammer",
                &MassProperties { volume, mass, center_of_mass: [0.0; 3], inertia: [[0.0; 3]; 3] },
            )
        };
        assert!(of(2e11, 7800.0).unwrap().unwrap().to_string().contains("mass is 1.56e15 kg"));
        assert_eq!(of(1e-4, 7800.0), Ok(None));
        for (volume, density, what) in
            [(f64::NAN, 1.0, "volume of the body is NaN"), (1e10, 1e300, "mass of the body is inf")]
        {
            let refused = of(volume, density).unwrap_err().to_string();
            assert!(refused.contains(what), "{refused}");
        }
    }
}
