//! A small contact that stays: one number for each body in place of its compliance on a grid.
//!
//! ```text
//! d(F) = d_hs(F) + C F ,     C = Σ_bodies [C_res − c_s/(E* r₀)]
//! ```
//!
//! C_res is the displacement that a load at the place reads of its own unit force, c_s/(E* r₀) the same of
//! the half-space, and d_hs the approach by Hertz' theory.

use std::f64::consts::PI;

use thiserror::Error;

use super::compliance::Loads;
use super::{HalfSpace, Kernel};

/// Least r₀ in contact radii; below it the part C may become larger than the half-space's.
const LEAST_RADIUS: f64 = 3.0;

/// Steps of Newton's method; it converges in four to six.
const MOST_STEPS: usize = 50;

/// ⟨ln r⟩ of Hertz' pressure with itself, at the contact radius 1.
const LOG_OF_HERTZ: f64 = -0.3637;

/// A body at the place of a small contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallContact {
    /// Its load; [`Kernel::ZeroMoment`] with r₀ = 4 h, at least 3 h and 5 contact radii.
    pub loads: Loads,
    /// Elastic constants.
    pub half_space: HalfSpace,
    /// Mean curvature κ of its surface, positive where it bulges \[1/m\].
    pub curvature: f64,
    /// C_res: displacement read by the load under its own unit force along the normal \[m/N\].
    pub response: f64,
}

/// Force and approach of two bodies, of which one may be rigid.
#[derive(Debug, Clone, PartialEq)]
pub struct ShortCut {
    /// The elastic bodies.
    pub bodies: Vec<SmallContact>,
    /// 1/R_e = κ₁ + κ₂ of the gap, a paraboloid of revolution \[1/m\].
    pub relative_curvature: f64,
}

/// Errors of the short cut.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ShortCutError {
    /// The contact is too large.
    #[error(
        "the contact radius {contact:.3e} m is above a third of the radius {radius:.3e} m of the body's \
         load: use the compliance on a grid, or larger loads"
    )]
    Large {
        /// Contact radius \[m\].
        contact: f64,
        /// r₀ \[m\].
        radius: f64,
    },
    /// The approach does not grow with the force.
    #[error(
        "the contact has no positive stiffness at a force of {force:.3e} N: use the compliance on a grid"
    )]
    Soft {
        /// The force \[N\].
        force: f64,
    },
    /// No positive relative curvature, no bodies, or a value that is not finite.
    #[error("the short cut needs elastic bodies, a positive relative curvature and a finite approach")]
    Input,
}

/// A small contact under a given approach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallState {
    /// F \[N\].
    pub force: f64,
    /// dF/dd \[N/m\].
    pub stiffness: f64,
    /// a \[m\].
    pub contact_radius: f64,
}

impl SmallContact {
    /// C_res − c_s/(E* r₀) \[m/N\].
    pub fn far(&self) -> f64 {
        self.response
            - self_interaction(self.loads.kernel) / (self.half_space.contact_modulus() * self.loads.radius)
    }

    /// β κ/E* \[m/N\].
    fn curvature_factor(&self) -> f64 {
        self.half_space.curvature_factor() * self.curvature / self.half_space.contact_modulus()
    }
}

/// c_s = ⟨r₀/(π r)⟩ of a load with itself: 0.76654 for q2, 1.48254 for z2.
pub fn self_interaction(kernel: Kernel) -> f64 {
    kernel.table().at(0.0).inverse / PI
}

impl ShortCut {
    /// E* of all bodies \[Pa\].
    fn modulus(&self) -> f64 {
        1.0 / self.bodies.iter().map(|b| 1.0 / b.half_space.contact_modulus()).sum::<f64>()
    }

    /// The force at an approach d by Newton's method for φ = F^(1/3), in which d is nearly a parabola.
    ///
    /// ```text
    /// d = φ² (9/(16 E*² R_e))^(1/3) + C φ³ − Σ (β κ/E*) [ln a + l_p − ln r₀ − l_s] φ³
    /// ```
    ///
    /// with a = (3 R_e/(4 E*))^(1/3) φ and the means l of ln r over the loads.
    ///
    /// # Errors
    ///
    /// [`ShortCutError`].
    pub fn at_approach(&self, d: f64) -> Result<SmallState, ShortCutError> {
        let modulus = self.modulus();
        let is_valid = self.relative_curvature > 0.0 && modulus > 0.0 && d.is_finite();
        if !is_valid || self.bodies.is_empty() {
            return Err(ShortCutError::Input);
        }
        if d <= 0.0 {
            return Ok(SmallState { force: 0.0, stiffness: 0.0, contact_radius: 0.0 });
        }
        let radius = 1.0 / self.relative_curvature;
        let square = (9.0 / (16.0 * modulus * modulus * radius)).cbrt();
        let spread = (0.75 * radius / modulus).cbrt();
        let (mut cubic, mut log) = (0.0, 0.0);
        for body in &self.bodies {
            let (factor, r0) = (body.curvature_factor(), body.loads.radius);
            let own = body.loads.kernel.table().at(0.0).log;
            cubic += body.far() - factor * (spread.ln() + LOG_OF_HERTZ - r0.ln() - own);
            log -= factor;
        }
        let approach = |phi: f64| phi * phi * (square + phi * (cubic + log * phi.ln()));
        let slope = |phi: f64| phi * (2.0 * square + phi * (3.0 * (cubic + log * phi.ln()) + log));
        let mut phi = (d / square).sqrt();
        for _ in 0..MOST_STEPS {
            let rise = slope(phi);
            if rise.is_nan() || rise <= 0.0 {
                return Err(ShortCutError::Soft { force: phi.powi(3) });
            }
            // A step never leads to less than half: d is convex or slightly concave.
            let next = (phi - (approach(phi) - d) / rise).max(0.5 * phi);
            let is_done = (next - phi).abs() <= 1e-14 * phi;
            phi = next;
            if is_done {
                break;
            }
        }
        let (contact, force) = (spread * phi, phi.powi(3));
        let least = self.bodies.iter().map(|b| b.loads.radius).fold(f64::INFINITY, f64::min);
        if LEAST_RADIUS * contact > least {
            return Err(ShortCutError::Large { contact, radius: least });
        }
        Ok(SmallState { force, stiffness: 3.0 * phi * phi / slope(phi), contact_radius: contact })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closed_form::HertzPair;

    const STEEL: HalfSpace = HalfSpace { shear: 210e9 / 2.6, poisson: 0.3 };

    fn ball(response: f64, curvature: f64) -> ShortCut {
        let loads = Loads { kernel: Kernel::ZeroMoment, radius: 4e-3, spacing: 4e-3 };
        let body = SmallContact { loads, half_space: STEEL, curvature, response };
        ShortCut { bodies: vec![body], relative_curvature: 1.0 / 0.015 }
    }

    fn of_half_space() -> f64 {
        self_interaction(Kernel::ZeroMoment) / (STEEL.contact_modulus() * 4e-3)
    }

    #[test]
    fn a_half_space_has_hertz_force() {
        let hertz = HertzPair { modulus: STEEL.contact_modulus(), radius: 0.015 };
        let flat = ball(of_half_space(), 0.0);
        for d in [1e-8, 1e-6, 7.3394e-6] {
            let (found, exact) = (flat.at_approach(d).unwrap(), hertz.at_approach(d));
            assert!((found.force / exact.force - 1.0).abs() < 1e-12, "{d}");
            assert!((found.contact_radius / exact.contact_radius - 1.0).abs() < 1e-12, "{d}");
            assert!((found.stiffness / (1.5 * exact.force / d) - 1.0).abs() < 1e-12, "{d}");
        }
        assert_eq!(flat.at_approach(-1e-6).unwrap().force, 0.0);
    }

    #[test]
    fn the_far_part_shifts_the_approach_in_proportion_to_the_force() {
        // docs/quasistatic.md, section 3: d = d_Hertz(F) − 0.41 F/(E* R) of a ball at a/R = 0.022.
        let far = -0.41 / (STEEL.contact_modulus() * 0.015);
        let shifted = ball(of_half_space() + far, 0.0);
        let found = shifted.at_approach(7.3394e-6).unwrap();
        assert!((found.force / 763.15 - 1.0).abs() < 1e-3, "{}", found.force);
        let step = 1e-10;
        let [low, high] = [-step, step].map(|s| shifted.at_approach(7.3394e-6 + s).unwrap().force);
        assert!((found.stiffness / ((high - low) / (2.0 * step)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_stiffness_with_curvature_is_the_slope() {
        let curved = ball(of_half_space(), 1.0 / 0.015);
        let (d, step) = (5e-6, 1e-10);
        let [low, high] = [-step, step].map(|s| curved.at_approach(d + s).unwrap().force);
        let found = curved.at_approach(d).unwrap();
        assert!((found.stiffness / ((high - low) / (2.0 * step)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_the_short_cut_does_not_cover_is_an_error() {
        let flat = ball(of_half_space(), 0.0);
        let error = flat.at_approach(2e-4).unwrap_err();
        assert!(error.to_string().contains("use the compliance on a grid"), "{error}");
        let soft = ball(-40.0 * of_half_space(), 0.0).at_approach(7e-6).unwrap_err();
        assert!(matches!(soft, ShortCutError::Soft { .. }), "{soft}");
        let none = ShortCut { bodies: Vec::new(), relative_curvature: 1.0 };
        assert_eq!(none.at_approach(1.0), Err(ShortCutError::Input));
    }
}
