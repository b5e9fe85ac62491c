//! The elastic constants of a half-space, and the displacement of its surface by a point force.

use std::f64::consts::PI;

use nalgebra::Matrix3;

/// An isotropic linear elastic half-space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Shear modulus G \[Pa\].
    pub shear: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
}

/// Means over two loads of the five functions of which the displacements consist; (x, y) leads from the
/// load to the place of the displacement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SurfaceMeans {
    /// ⟨x²/r³⟩, ⟨xy/r³⟩ and ⟨y²/r³⟩ \[1/m\].
    pub second: [f64; 3],
    /// ⟨x/r²⟩ and ⟨y/r²⟩ \[1/m\].
    pub first: [f64; 2],
}

impl SurfaceMeans {
    /// ⟨1/r⟩ \[1/m\].
    pub fn inverse(&self) -> f64 {
        self.second[0] + self.second[2]
    }
}

impl HalfSpace {
    /// From Young's modulus E \[Pa\] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> Self {
        Self { shear: 0.5 * young / (1.0 + poisson), poisson }
    }

    /// E* = E/(1 − ν²) = 2G/(1 − ν) \[Pa\].
    pub fn contact_modulus(&self) -> f64 {
        2.0 * self.shear / (1.0 - self.poisson)
    }

    /// β = (1 − 2ν)²/(2π (1 − ν)): a surface of mean curvature κ, positive where it bulges, answers a unit
    /// force near it by −(β κ/E*) ln r more than the half-space.
    pub fn curvature_factor(&self) -> f64 {
        (1.0 - 2.0 * self.poisson).powi(2) / (2.0 * PI * (1.0 - self.poisson))
    }

    /// Normal displacement, into the body, by a unit normal force: ⟨1/r⟩/(π E*) \[m/N\].
    pub fn normal(&self, means: &SurfaceMeans) -> f64 {
        means.inverse() / (PI * self.contact_modulus())
    }

    /// Displacement by a unit force, rows and columns: inward normal, then two tangents \[m/N\].
    ///
    /// ```text
    /// u_n = [(1 − ν) P/r + (1/2 − ν) (x Q_x + y Q_y)/r²]/(2πG)
    /// u_x = [(1 − ν) Q_x/r + ν (x² Q_x + xy Q_y)/r³ − (1/2 − ν) x P/r²]/(2πG)
    /// ```
    ///
    /// A load by a normal and a displacement by a tangential force change places with (x, y) → (−x, −y), so
    /// that the compliance between two loads is symmetric.
    ///
    /// # Source
    ///
    /// Johnson (1985), *Contact Mechanics*, eqs. (3.18) and (3.75): Boussinesq and Cerruti.
    pub fn block(&self, means: &SurfaceMeans) -> Matrix3<f64> {
        let unit = 1.0 / (2.0 * PI * self.shear);
        let (nu, inverse) = (self.poisson, means.inverse());
        let [xx, xy, yy] = means.second;
        let [x, y] = means.first.map(|m| (0.5 - nu) * m);
        let plain = (1.0 - nu) * inverse;
        unit * Matrix3::new(plain, x, y, -x, plain + nu * xx, nu * xy, -y, nu * xy, plain + nu * yy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boussinesqs_displacement_follows_from_the_contact_modulus() {
        let steel = HalfSpace::new(210e9, 0.3);
        assert!((steel.contact_modulus() / (210e9 / 0.91) - 1.0).abs() < 1e-15);
        let means = SurfaceMeans { second: [0.25, 0.0, 0.75], first: [0.5, 0.0] };
        let block = steel.block(&means);
        assert!((block[(0, 0)] / steel.normal(&means) - 1.0).abs() < 1e-15);
        // Without compressibility normal and tangential displacements are uncoupled.
        let block = HalfSpace { poisson: 0.5, ..steel }.block(&means);
        assert_eq!((block[(0, 1)], block[(1, 0)]), (0.0, 0.0));
        assert!(HalfSpace::new(1.0, 0.5).curvature_factor() == 0.0);
    }
}
