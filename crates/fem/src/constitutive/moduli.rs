//! Elastic moduli of isotropic laws, checked.

use thiserror::Error;

use crate::Material;

/// Errors from the inputs of a constitutive law.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LawError {
    /// A modulus lies outside its range.
    #[error("{law}: {quantity} = {value}{unit} is not possible; it must be {range}")]
    OutOfRange {
        /// Name of the law, or "elastic moduli".
        law: &'static str,
        /// Name of the quantity: "young", "poisson", "bulk" or "shear".
        quantity: &'static str,
        /// The value given.
        value: f64,
        /// Its SI unit after a space, empty for a ratio.
        unit: &'static str,
        /// The valid range.
        range: &'static str,
    },
    /// No law has this name.
    #[error("there is no constitutive law `{name}`; the laws are {known}")]
    Unknown {
        /// The name given.
        name: String,
        /// All names.
        known: String,
    },
}

/// The two constants of an isotropic elastic law, as Lamé's λ and μ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticModuli {
    /// λ \[Pa\].
    pub lambda: f64,
    /// The shear modulus μ \[Pa\].
    pub mu: f64,
}

impl ElasticModuli {
    /// From Young's modulus E \[Pa\] and Poisson's ratio ν.
    ///
    /// ```text
    /// λ = E ν / ((1+ν)(1−2ν)),   μ = E / (2(1+ν))
    /// ```
    ///
    /// # Errors
    ///
    /// [`LawError::OutOfRange`] unless E > 0 and −1 < ν < ½, both finite.
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, LawError> {
        check_positive("young", young)?;
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(out_of_range("poisson", poisson, "", "above -1 and below 0.5"));
        }
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { lambda, mu: young / (2.0 * (1.0 + poisson)) })
    }

    /// From the bulk modulus K and the shear modulus μ: λ = K − ⅔ μ \[Pa\].
    ///
    /// # Errors
    ///
    /// [`LawError::OutOfRange`] unless K > 0 and μ > 0, both finite.
    pub fn from_bulk_shear(bulk: f64, shear: f64) -> Result<Self, LawError> {
        check_positive("bulk", bulk)?;
        check_positive("shear", shear)?;
        Ok(Self { lambda: bulk - 2.0 / 3.0 * shear, mu: shear })
    }

    /// The moduli of a material; its constants were checked when it was made.
    pub fn of(material: &Material) -> Self {
        let (lambda, mu) = material.lame();
        Self { lambda, mu }
    }

    /// The bulk modulus K = λ + ⅔ μ \[Pa\].
    pub fn bulk(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// Young's modulus E = μ (3λ + 2μ)/(λ + μ) \[Pa\].
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// The P-wave modulus, λ + 2μ = ρ c_p² \[Pa\].
    pub fn p_wave(&self) -> f64 {
        self.lambda + 2.0 * self.mu
    }

    /// Hooke's tensor, ∂σ_ab/∂H_cd = λ δ_ab δ_cd + μ (δ_ac δ_bd + δ_ad δ_bc) in entry `[3a+b][3c+d]` \[Pa\].
    pub fn hooke(&self) -> [[f64; 9]; 9] {
        let delta = |i: usize, j: usize| f64::from(u8::from(i == j));
        std::array::from_fn(|ab| {
            std::array::from_fn(|cd| {
                let (a, b, c, d) = (ab / 3, ab % 3, cd / 3, cd % 3);
                self.lambda * delta(a, b) * delta(c, d)
                    + self.mu * (delta(a, c) * delta(b, d) + delta(a, d) * delta(b, c))
            })
        })
    }
}

fn check_positive(quantity: &'static str, value: f64) -> Result<(), LawError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(out_of_range(quantity, value, " Pa", "a finite number above 0"))
}

fn out_of_range(quantity: &'static str, value: f64, unit: &'static str, range: &'static str) -> LawError {
    LawError::OutOfRange { law: "elastic moduli", quantity, value, unit, range }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pairs_of_moduli_give_the_same_constants() {
        let from_young = ElasticModuli::from_young_poisson(210e9, 0.3).unwrap();
        let from_bulk = ElasticModuli::from_bulk_shear(175e9, 210e9 / 2.6).unwrap();
        assert!((from_young.lambda / from_bulk.lambda - 1.0).abs() < 1e-15);
        assert!((from_young.mu / from_bulk.mu - 1.0).abs() < 1e-15);
    }

    #[test]
    fn impossible_moduli_are_named_with_their_range() {
        for (error, expected) in [
            (
                ElasticModuli::from_young_poisson(-1.0, 0.3).unwrap_err(),
                "young = -1 Pa is not possible; it must be a finite number above 0",
            ),
            (
                ElasticModuli::from_young_poisson(1.0, 0.5).unwrap_err(),
                "poisson = 0.5 is not possible; it must be above -1 and below 0.5",
            ),
            (ElasticModuli::from_bulk_shear(0.0, 1.0).unwrap_err(), "bulk = 0 Pa"),
            (ElasticModuli::from_bulk_shear(1.0, f64::NAN).unwrap_err(), "shear = NaN Pa"),
        ] {
            let message = error.to_string();
            assert!(message.starts_with("elastic moduli: ") && message.contains(expected), "{message}");
        }
    }
}
