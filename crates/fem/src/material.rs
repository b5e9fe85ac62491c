//! Isotropic linear elastic materials and the named ones.

use thiserror::Error;

/// Errors from the constants or the name of a material.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MaterialError {
    /// A value lies outside its range.
    #[error("material `{material}`: {quantity} = {value}{unit} is not possible; it must be {range}")]
    OutOfRange {
        /// Name of the material.
        material: String,
        /// Name of the quantity: "density", "young" or "poisson".
        quantity: &'static str,
        /// The value given.
        value: f64,
        /// Its SI unit after a space, empty for a ratio.
        unit: &'static str,
        /// The valid range.
        range: &'static str,
    },
    /// The table has no material of this name.
    #[error("there is no material `{name}`; the table has {known}; or give density, young and poisson")]
    Unknown {
        /// The name given.
        name: String,
        /// All names of the table.
        known: String,
    },
}

/// Linear elastic isotropic material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name, as shown to the user.
    pub name: String,
    /// ρ \[kg/m³\], positive.
    pub density: f64,
    /// Young's modulus E \[Pa\], positive.
    pub young: f64,
    /// Poisson's ratio ν, −1 < ν < ½.
    pub poisson: f64,
}

/// A row of [`MATERIALS`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedMaterial {
    /// Name, in lower case.
    pub name: &'static str,
    /// ρ \[kg/m³\].
    pub density: f64,
    /// E \[Pa\].
    pub young: f64,
    /// ν.
    pub poisson: f64,
    /// Alloy or grade of the values.
    pub note: &'static str,
}

/// The named materials, at room temperature.
///
/// Steel and aluminium are the nominal values that all examples and reference figures of carom use. The
/// others are rounded handbook values: moduli after Kaye & Laby, *Tables of Physical and Chemical Constants*,
/// 16th ed. (1995), section 2.2.2, densities after the *CRC Handbook of Chemistry and Physics*; for alloys,
/// polymers and ceramics the typical values that makers' data sheets agree on. Batches differ by a few per
/// cent: give your own where it matters.
pub const MATERIALS: &[NamedMaterial] = &[
    row("steel", 7800.0, 210.0e9, 0.30, "structural steel, nominal"),
    row("aluminium", 2710.0, 72.0e9, 0.33, "wrought aluminium, nominal"),
    row("titanium", 4430.0, 113.8e9, 0.342, "Ti-6Al-4V, annealed"),
    row("copper", 8960.0, 129.8e9, 0.343, "pure, polycrystalline"),
    row("brass", 8530.0, 100.6e9, 0.350, "70 % copper, 30 % zinc"),
    row("bronze", 8800.0, 110.0e9, 0.34, "phosphor bronze, 5 % tin"),
    row("cast-iron", 7200.0, 110.0e9, 0.26, "grey iron, medium grade"),
    row("magnesium", 1738.0, 44.7e9, 0.291, "pure, polycrystalline"),
    row("tungsten", 19250.0, 411.0e9, 0.280, "pure, polycrystalline"),
    row("tungsten-carbide", 15630.0, 534.4e9, 0.22, "sintered"),
    row("lead", 11340.0, 16.1e9, 0.44, "pure, polycrystalline"),
    row("glass", 2500.0, 71.3e9, 0.22, "crown (soda-lime) glass"),
    row("fused-silica", 2200.0, 73.1e9, 0.17, "fused quartz"),
    row("alumina", 3900.0, 370.0e9, 0.22, "sintered, 99 %"),
    row("silicon-nitride", 3200.0, 310.0e9, 0.27, "hot-pressed, bearing grade"),
    row("pmma", 1180.0, 3.2e9, 0.37, "acrylic glass, short-term"),
    row("polycarbonate", 1200.0, 2.35e9, 0.37, "short-term"),
    row("nylon", 1140.0, 2.8e9, 0.39, "polyamide 6.6, dry, short-term"),
    row("rubber", 1100.0, 5.0e6, 0.49, "soft natural rubber, small strain"),
];

const fn row(
    name: &'static str,
    density: f64,
    young: f64,
    poisson: f64,
    note: &'static str,
) -> NamedMaterial {
    NamedMaterial { name, density, young, poisson, note }
}

impl Material {
    /// Checks the constants of a material and makes it: ρ \[kg/m³\], E \[Pa\], ν.
    ///
    /// # Errors
    ///
    /// [`MaterialError::OutOfRange`] unless ρ > 0, E > 0, −1 < ν < ½, all finite.
    pub fn new(
        name: impl Into<String>,
        density: f64,
        young: f64,
        poisson: f64,
    ) -> Result<Self, MaterialError> {
        let material = Self { name: name.into(), density, young, poisson };
        material.check()?;
        Ok(material)
    }

    /// The material of [`MATERIALS`] with this name, without regard to case; `aluminum` and `acrylic` are
    /// synonyms.
    ///
    /// # Errors
    ///
    /// [`MaterialError::Unknown`], listing the table.
    pub fn named(name: &str) -> Result<Self, MaterialError> {
        let lower = name.to_lowercase();
        let wanted = match lower.as_str() {
            "aluminum" => "aluminium",
            "acrylic" | "plexiglass" => "pmma",
            other => other,
        };
        let found =
            MATERIALS.iter().find(|row| row.name == wanted).ok_or_else(|| MaterialError::Unknown {
                name: name.to_owned(),
                known: MATERIALS.iter().map(|row| row.name).collect::<Vec<_>>().join(", "),
            })?;
        Self::new(found.name, found.density, found.young, found.poisson)
    }

    /// Checks the ranges of the constants, which are public fields.
    ///
    /// # Errors
    ///
    /// [`MaterialError::OutOfRange`] for the first invalid constant.
    pub fn check(&self) -> Result<(), MaterialError> {
        let out_of_range = |quantity, value, unit, range| {
            Err(MaterialError::OutOfRange { material: self.name.clone(), quantity, value, unit, range })
        };
        if !(self.density > 0.0 && self.density.is_finite()) {
            return out_of_range("density", self.density, " kg/m³", "a finite number above 0");
        }
        if !(self.young > 0.0 && self.young.is_finite()) {
            return out_of_range("young", self.young, " Pa", "a finite number above 0");
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return out_of_range("poisson", self.poisson, "", "above -1 and below 0.5");
        }
        Ok(())
    }

    /// Lamé's constants (λ, μ) \[Pa\].
    ///
    /// ```text
    /// λ = E ν / ((1+ν)(1−2ν)),   μ = E / (2(1+ν))
    /// ```
    pub fn lame(&self) -> (f64, f64) {
        let lambda = self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson));
        let mu = self.young / (2.0 * (1.0 + self.poisson));
        (lambda, mu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_material_is_possible_and_found() {
        for row in MATERIALS {
            let material = Material::named(row.name).unwrap();
            assert_eq!(material.density, row.density);
        }
        assert_eq!(Material::named("Aluminum").unwrap().young, 72.0e9);
    }

    #[test]
    fn lame_constants_give_back_bulk_and_shear_modulus() {
        let steel = Material::named("steel").unwrap();
        let (lambda, mu) = steel.lame();
        let bulk = steel.young / (3.0 * (1.0 - 2.0 * steel.poisson));
        assert!((lambda + 2.0 / 3.0 * mu - bulk).abs() < 1e-15 * bulk);
        assert!((mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu) - steel.young).abs() < 1e-15 * steel.young);
    }

    #[test]
    fn impossible_constants_are_named_with_their_range() {
        let message = Material::new("jelly", 1000.0, 1e6, 0.5).unwrap_err().to_string();
        assert_eq!(
            message,
            "material `jelly`: poisson = 0.5 is not possible; it must be above -1 and below 0.5".to_owned()
        );
        assert!(
            Material::new("x", f64::NAN, 1.0, 0.0).unwrap_err().to_string().contains("density = NaN kg/m³")
        );
        assert!(Material::named("stel").unwrap_err().to_string().contains("steel, aluminium, titanium"));
    }
}
