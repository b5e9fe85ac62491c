//! The law of contact along the normal: pressure or force as a function of the gap. One for all schemes.

/// How two surfaces push each other apart.
///
/// All of them are the same complementarity condition with the contact's own compliance d, zero if hard:
///
/// ```text
/// 0 ≤ λ  ⊥  g + d λ ≥ 0,      λ = [−g]₊/d for d > 0
/// ```
///
/// λ is the force on a pressure cell or on a point \[N\], g its gap \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// No penetration: of the average gap of a pressure cell, or of a point.
    Hard,
    /// A spring that pushes while it is closed, and never pulls.
    Penalty(Stiffness),
}

/// Stiffness of the spring of a [`Law::Penalty`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stiffness {
    /// Per area, ε = α E*/h with h the square root of the cell's area: d = h/(α E* A).
    ///
    /// The force at a given approach is low by 3/(2π) (h/a)/α of itself: the energy is low by ½ ∫ p²/ε dA,
    /// with Hertz' pressure hE*d²/(πα). α = 100 costs 0.12 % at a/h = 4. (A shift of the approach by the mean
    /// of p/ε with the pressure unchanged would give 3/2 of that.)
    OfMaterials {
        /// α, dimensionless; [`DEFAULT_ALPHA`] unless there is a reason.
        alpha: f64,
        /// E* of the pair, see [`crate::closed_form::contact_modulus`] \[Pa\]; `None` until it is computed
        /// from the materials of the bodies.
        modulus: Option<f64>,
    },
    /// ε as given: d = 1/(ε A) \[Pa/m\].
    PerArea(f64),
    /// k of each point: d = 1/k \[N/m\].
    PerPoint(f64),
}

/// α of the penalty law unless the user says otherwise.
pub const DEFAULT_ALPHA: f64 = 100.0;

impl Law {
    /// Penalty with the stiffness that follows from the materials of the bodies; [`Self::with_modulus`] sets
    /// their modulus.
    pub const fn penalty(alpha: f64) -> Self {
        Self::Penalty(Stiffness::OfMaterials { alpha, modulus: None })
    }

    /// Penalty with the stiffness that follows from the materials of the pair.
    pub const fn of_materials(alpha: f64, modulus: f64) -> Self {
        Self::Penalty(Stiffness::OfMaterials { alpha, modulus: Some(modulus) })
    }

    /// Penalty with a stiffness per area \[Pa/m\].
    pub const fn per_area(stiffness: f64) -> Self {
        Self::Penalty(Stiffness::PerArea(stiffness))
    }

    /// Penalty with a stiffness of each point \[N/m\].
    pub const fn per_point(stiffness: f64) -> Self {
        Self::Penalty(Stiffness::PerPoint(stiffness))
    }

    /// The same law for a pair whose modulus E* is known \[Pa\]; a law with a modulus of its own keeps it.
    pub fn with_modulus(self, modulus: f64) -> Self {
        match self {
            Self::Penalty(Stiffness::OfMaterials { alpha, modulus: None }) => {
                Self::of_materials(alpha, modulus)
            }
            law => law,
        }
    }

    /// True if pressure cells can have this law: every number is known, positive and finite, and none belongs
    /// to a point.
    pub fn is_of_cells(&self) -> bool {
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Self::Hard => true,
            Self::Penalty(Stiffness::OfMaterials { alpha, modulus }) => {
                is_positive(alpha) && modulus.is_some_and(is_positive)
            }
            Self::Penalty(Stiffness::PerArea(stiffness)) => is_positive(stiffness),
            Self::Penalty(Stiffness::PerPoint(_)) => false,
        }
    }

    /// Compliance d of a cell of pressure with this area \[m²\]; 0 if hard, not a number where a cell cannot
    /// have it \[m/N\].
    pub fn compliance(&self, area: f64) -> f64 {
        match *self {
            Self::Hard => 0.0,
            Self::Penalty(Stiffness::OfMaterials { alpha, modulus }) => {
                area.sqrt() / (alpha * modulus.unwrap_or(f64::NAN) * area)
            }
            Self::Penalty(Stiffness::PerArea(stiffness)) => 1.0 / (stiffness * area),
            Self::Penalty(Stiffness::PerPoint(_)) => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_of_a_cell_is_alpha_e_star_over_its_side() {
        let (alpha, modulus, h) = (100.0, 115e9, 80e-6);
        let law = Law::of_materials(alpha, modulus);
        let same = Law::per_area(alpha * modulus / h);
        let d = law.compliance(h * h);
        assert!((d / same.compliance(h * h) - 1.0).abs() < 1e-14);
        assert!((d * alpha * modulus * h - 1.0).abs() < 1e-14);
        assert_eq!(Law::Hard.compliance(h), 0.0);
    }

    #[test]
    fn laws_of_points_and_laws_with_missing_or_invalid_numbers_are_refused_for_cells() {
        let open = Law::penalty(100.0);
        assert!(!open.is_of_cells() && open.compliance(1.0).is_nan());
        assert!(open.with_modulus(1e9).is_of_cells());
        assert_eq!(Law::of_materials(100.0, 2e9).with_modulus(1e9), Law::of_materials(100.0, 2e9));
        assert!(Law::Hard.is_of_cells() && Law::per_area(1e12).is_of_cells());
        for bad in [Law::of_materials(-1.0, 1e9), Law::per_area(f64::INFINITY), Law::per_point(1e6)] {
            assert!(!bad.is_of_cells(), "{bad:?}");
        }
    }
}
