//! The impact of a body with another one in the middle of a region, estimated by Hertz' theory.

use nalgebra::Vector3;

use crate::closed_form::{HertzPair, contact_modulus};

/// The body that hits the region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Partner {
    /// Young's modulus; infinite for a rigid body \[Pa\].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Radius of its surface; none for a plane \[m\].
    pub radius: Option<f64>,
    /// Its mass; none for a body that does not move \[kg\].
    pub mass: Option<f64>,
}

/// The place of a body that is hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Principal curvatures of its surface, positive where it bulges \[1/m\].
    pub curvatures: [f64; 2],
    /// Its position in the body frame \[m\]: curvatures far below its inverse distance are those of rounding.
    pub position_b: Vector3<f64>,
    /// Inverse of the mass that the place opposes to a push along its normal; 0 for a held body \[1/kg\].
    pub mobility: f64,
}

/// Duration and size of an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Relative velocity before the impact \[m/s\].
    pub velocity: f64,
    /// m* with 1/m* = 1/m₁ + 1/m₂, m₁ the mass that the place of this body opposes \[kg\].
    pub mass: f64,
    /// R_e of both surfaces \[m\].
    pub radius: f64,
    /// E* \[Pa\].
    pub modulus: f64,
    /// Time of contact \[s\].
    pub duration: f64,
    /// Largest force \[N\].
    pub peak_force: f64,
    /// Contact radius at the largest force \[m\].
    pub contact_radius: f64,
    /// Approach at the largest force \[m\].
    pub approach: f64,
}

/// Errors of the estimate of an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImpactError {
    /// The relative curvature vanishes in a direction.
    #[error("surfaces that are flat together in some direction have no Hertz contact")]
    Flat,
    /// Neither body has a finite mass.
    #[error("the body is held, and the other does not move")]
    Immovable,
}

impl Impact {
    /// Estimates the impact of two bodies that approach each other with a velocity \[m/s\].
    ///
    /// With κ₁, κ₂ the principal curvatures of both surfaces together, R_e = 1/√(κ₁ κ₂): the sphere whose
    /// curvatures have the same product.
    ///
    /// # Errors
    ///
    /// [`ImpactError`].
    pub fn estimate(target: &Target, partner: &Partner, velocity: f64) -> Result<Self, ImpactError> {
        let relative = target.curvatures.map(|k| k + partner.radius.map_or(0.0, |radius| 1.0 / radius));
        // The curvature of a flat face is that of rounding.
        let least = 1e-6 / target.position_b.norm().max(f64::MIN_POSITIVE);
        if relative.iter().any(|&k| k <= least) {
            return Err(ImpactError::Flat);
        }
        let mass = 1.0 / (target.mobility + partner.mass.map_or(0.0, |mass| 1.0 / mass));
        if !mass.is_finite() {
            return Err(ImpactError::Immovable);
        }
        let pair = HertzPair {
            modulus: contact_modulus([target.young, partner.young], [target.poisson, partner.poisson]),
            radius: 1.0 / (relative[0] * relative[1]).sqrt(),
        };
        let found = pair.impact(mass, velocity);
        Ok(Self {
            velocity,
            mass,
            radius: pair.radius,
            modulus: pair.modulus,
            duration: found.duration,
            peak_force: found.peak.force,
            contact_radius: found.peak.contact_radius,
            approach: found.peak.approach,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGID_PLANE: Partner = Partner { young: f64::INFINITY, poisson: 0.0, radius: None, mass: None };

    fn ball(mobility: f64) -> Target {
        let curvatures = [1.0 / 0.015; 2];
        let position_b = Vector3::new(0.0, 0.0, -0.015);
        Target { young: 210e9, poisson: 0.3, curvatures, position_b, mobility }
    }

    /// Johnson (1985), eq. (11.24): T = 2.87 (m² / (R E*² v))^(1/5).
    #[test]
    fn a_ball_on_a_plane_has_the_duration_of_hertz() {
        let mass = 0.1103;
        let found = Impact::estimate(&ball(1.0 / mass), &RIGID_PLANE, 0.3).unwrap();
        let modulus = 210e9 / (1.0 - 0.09);
        let expected = 2.87 * (mass * mass / (0.015 * modulus * modulus * 0.3)).powf(0.2);
        assert!((found.duration / expected - 1.0).abs() < 1e-3, "{} {expected}", found.duration);
        assert!((found.radius - 0.015).abs() < 1e-15 && (found.mass - mass).abs() < 1e-15);
    }

    #[test]
    fn two_equal_balls_have_half_the_radius_and_half_the_mass() {
        let partner = Partner { young: 210e9, poisson: 0.3, radius: Some(0.015), mass: Some(0.1) };
        let found = Impact::estimate(&ball(10.0), &partner, 1.0).unwrap();
        assert!((found.radius - 0.0075).abs() < 1e-15 && (found.mass - 0.05).abs() < 1e-15);
    }

    #[test]
    fn flat_surfaces_and_immovable_bodies_are_refused() {
        let flat = Target { curvatures: [0.0, 1.0], ..ball(1.0) };
        assert_eq!(Impact::estimate(&flat, &RIGID_PLANE, 1.0), Err(ImpactError::Flat));
        assert_eq!(Impact::estimate(&ball(0.0), &RIGID_PLANE, 1.0), Err(ImpactError::Immovable));
    }
}
