//! Laws of contact: what pressure a gap brings about.

/// Normal contact without adhesion or friction, one pressure per span.
///
/// Both laws are the same complementarity condition with the contact's own compliance d = 1/(ε A) per span, zero if hard:
///
/// ```text
/// 0 ≤ λ  ⊥  g + d λ ≥ 0,      λ = ε A [−g]₊ for d > 0
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NormalLaw {
    /// No penetration of the span average.
    Hard,
    /// p = ε [−g]₊ with ε = α E*/h, h the square root of the span's area.
    ///
    /// The force at a given approach is low by 3/(2π) (h/a)/α of itself: the energy is low by ½ ∫ p²/ε dA, with Hertz'
    /// pressure hE*d²/(πα). α = 100 costs 0.12 % at a/h = 4. (A shift of the approach by the mean of p/ε with the pressure
    /// unchanged would give 3/2 of that.)
    Penalty {
        /// α, dimensionless; [`DEFAULT_ALPHA`] unless there is a reason.
        alpha: f64,
        /// E* of the pair \[Pa\], see [`crate::closed_form::contact_modulus`].
        modulus: f64,
    },
    /// p = ε [−g]₊ with ε as given.
    PenaltyStiffness {
        /// ε \[N/m³\].
        penalty_area: f64,
    },
}

/// α of the penalty law unless the user says otherwise.
pub const DEFAULT_ALPHA: f64 = 100.0;

impl NormalLaw {
    /// True if every number of the law is positive and finite.
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::Hard => true,
            Self::Penalty { alpha, modulus } => {
                alpha > 0.0 && modulus > 0.0 && alpha.is_finite() && modulus.is_finite()
            }
            Self::PenaltyStiffness { penalty_area } => penalty_area > 0.0 && penalty_area.is_finite(),
        }
    }

    /// d = 1/(ε A) \[m/N\] of a span with this area \[m²\]; 0 if hard.
    pub fn compliance(&self, area: f64) -> f64 {
        match *self {
            Self::Hard => 0.0,
            Self::Penalty { alpha, modulus } => area.sqrt() / (alpha * modulus * area),
            Self::PenaltyStiffness { penalty_area } => 1.0 / (penalty_area * area),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_of_a_span_is_alpha_e_star_over_its_side() {
        let (alpha, modulus, h) = (100.0, 115e9, 80e-6);
        let law = NormalLaw::Penalty { alpha, modulus };
        let same = NormalLaw::PenaltyStiffness { penalty_area: alpha * modulus / h };
        let d = law.compliance(h * h);
        assert!((d / same.compliance(h * h) - 1.0).abs() < 1e-14);
        assert!((d * alpha * modulus * h - 1.0).abs() < 1e-14);
        assert_eq!(NormalLaw::Hard.compliance(h), 0.0);
        assert!(!NormalLaw::Penalty { alpha: -1.0, modulus }.is_valid());
    }
}
