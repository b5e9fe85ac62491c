//! Cross-sections of beams and walls of shells.

use std::f64::consts::PI;

use thiserror::Error;

/// Errors from the dimensions of a section.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SectionError {
    /// A number is outside its range.
    #[error("{quantity} = {value} is not possible; it must be {range}")]
    OutOfRange {
        /// The quantity with its unit.
        quantity: &'static str,
        /// The value given.
        value: f64,
        /// The valid range.
        range: &'static str,
    },
}

/// Largest number of layers of a shell.
pub const MAX_LAYERS: usize = 9;

/// The section of a block of shells or beams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Section {
    /// Of shells.
    Shell(ShellSection),
    /// Of beams.
    Beam(BeamSection),
}

impl Section {
    /// The same section in other units of length.
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Shell(shell) => Self::Shell(ShellSection { thickness: factor * shell.thickness, ..shell }),
            Self::Beam(beam) => {
                let (square, fourth) = (factor * factor, factor.powi(4));
                Self::Beam(BeamSection {
                    area: square * beam.area,
                    shear_area: beam.shear_area.map(|area| square * area),
                    inertia: beam.inertia.map(|inertia| fourth * inertia),
                    torsion: fourth * beam.torsion,
                    axis: beam.axis,
                })
            }
        }
    }

    /// Checks the numbers, which are public fields.
    ///
    /// # Errors
    ///
    /// [`SectionError`] for the first that is not possible.
    pub fn check(&self) -> Result<(), SectionError> {
        match self {
            Self::Shell(shell) => ShellSection::new(shell.thickness, shell.n_layers).map(|_| ()),
            Self::Beam(beam) => beam.check(),
        }
    }
}

/// The wall of a shell: its thickness, with the surface of its nodes in the middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellSection {
    /// h \[m\].
    pub thickness: f64,
    /// Number of Gauss points through the thickness. Two are exact for St. Venant-Kirchhoff; plastic bending
    /// needs five or more.
    pub n_layers: usize,
}

impl ShellSection {
    /// Layers of a shell whose section names none.
    pub const DEFAULT_LAYERS: usize = 5;

    /// A wall of this thickness.
    ///
    /// # Errors
    ///
    /// [`SectionError`] unless the thickness is positive and there are 2 to [`MAX_LAYERS`] layers.
    pub fn new(thickness: f64, n_layers: usize) -> Result<Self, SectionError> {
        positive("thickness [m]", thickness)?;
        if !(2..=MAX_LAYERS).contains(&n_layers) {
            let range = "between 2 and 9";
            return Err(SectionError::OutOfRange { quantity: "layers", value: n_layers as f64, range });
        }
        Ok(Self { thickness, n_layers })
    }
}

/// Constants of the cross-section of a beam in its axes e₂ and e₃, with the nodes at its centroid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamSection {
    /// A \[m²\].
    pub area: f64,
    /// Areas that carry shear forces along e₂ and e₃, κA \[m²\].
    pub shear_area: [f64; 2],
    /// I₂ = ∫ x₃² dA and I₃ = ∫ x₂² dA \[m⁴\].
    pub inertia: [f64; 2],
    /// Torsion constant J of St. Venant \[m⁴\].
    pub torsion: f64,
    /// Direction of e₂; its part normal to the beam counts. Along the beam, or zero, e₂ is any normal.
    pub axis: [f64; 3],
}

impl BeamSection {
    /// A rectangle with sides a along e₂ and b along e₃ \[m\].
    ///
    /// ```text
    /// κ = 5/6,   J = s t³ (1/3 − 64 t/(π⁵ s) Σ tanh(n π s/(2t))/n⁵),   n = 1, 3, 5, …,   s ≥ t the sides
    /// ```
    ///
    /// # Errors
    ///
    /// [`SectionError`] unless both sides are positive.
    ///
    /// # Source
    ///
    /// Timoshenko & Goodier, *Theory of Elasticity*, section 109 (torsion of rectangular bars).
    pub fn rectangle([a, b]: [f64; 2], axis: [f64; 3]) -> Result<Self, SectionError> {
        positive("width of the section [m]", a)?;
        positive("height of the section [m]", b)?;
        let (s, t) = (a.max(b), a.min(b));
        let term = |k: u32| {
            let n = f64::from(2 * k + 1);
            (0.5 * n * PI * s / t).tanh() / n.powi(5)
        };
        let sum: f64 = (0..200).rev().map(term).sum();
        Ok(Self {
            area: a * b,
            shear_area: [5.0 / 6.0 * a * b; 2],
            inertia: [a * b.powi(3) / 12.0, b * a.powi(3) / 12.0],
            torsion: s * t.powi(3) * (1.0 / 3.0 - 64.0 * t / (PI.powi(5) * s) * sum),
            axis,
        })
    }

    /// A circle of radius r \[m\], κ = 9/10.
    ///
    /// # Errors
    ///
    /// [`SectionError`] unless the radius is positive.
    pub fn circle(radius: f64) -> Result<Self, SectionError> {
        positive("radius of the section [m]", radius)?;
        let (area, inertia) = (PI * radius * radius, 0.25 * PI * radius.powi(4));
        let shear_area = [0.9 * area; 2];
        Ok(Self { area, shear_area, inertia: [inertia; 2], torsion: 2.0 * inertia, axis: [0.0; 3] })
    }

    /// Checks the constants, which are public fields.
    ///
    /// # Errors
    ///
    /// [`SectionError`] for the first that is not positive.
    pub fn check(&self) -> Result<(), SectionError> {
        positive("area of the section [m²]", self.area)?;
        self.shear_area.iter().try_for_each(|&area| positive("shear area of the section [m²]", area))?;
        self.inertia.iter().try_for_each(|&value| positive("second moment of the section [m⁴]", value))?;
        positive("torsion constant of the section [m⁴]", self.torsion)
    }
}

fn positive(quantity: &'static str, value: f64) -> Result<(), SectionError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(SectionError::OutOfRange { quantity, value, range: "a finite number above 0" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timoshenko & Goodier's table: J = k s t³ with k = 0.1406 for a square, 0.229 for 2:1, 0.312 for 10:1.
    #[test]
    fn torsion_constants_of_rectangles_are_the_tabulated_ones() {
        for (ratio, k) in [(1.0, 0.1406), (2.0, 0.229), (10.0, 0.312)] {
            let section = BeamSection::rectangle([1.0, ratio], [0.0; 3]).unwrap();
            assert!((section.torsion / ratio - k).abs() < 5e-4, "{ratio}: {}", section.torsion / ratio);
        }
    }

    #[test]
    fn impossible_sections_are_named_with_their_range() {
        let message = BeamSection::circle(-1.0).unwrap_err().to_string();
        assert_eq!(
            message,
            "radius of the section [m] = -1 is not possible; it must be a finite number above 0"
        );
        assert!(ShellSection::new(0.0, 5).unwrap_err().to_string().starts_with("thickness [m] = 0 "));
        assert!(ShellSection::new(0.1, 1).unwrap_err().to_string().contains("between 2 and 9"));
    }
}
