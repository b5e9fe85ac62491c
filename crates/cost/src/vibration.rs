//! Number of modes of an elastic body below a frequency, before any is computed.

use std::f64::consts::PI;

/// Thickness 2V/S over length below which a body bends as a plate.
const THIN: f64 = 0.125;

/// Speeds of shear and extension of plates over those of waves in the volume.
const OF_PLATE: f64 = 0.91;

/// Size and wave speeds of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Volume \[m³\].
    pub volume: f64,
    /// Area of its surface \[m²\].
    pub surface: f64,
    /// Its longest extent \[m\].
    pub length: f64,
    /// Speeds of pressure and shear waves \[m/s\].
    pub waves: [f64; 2],
}

impl Extent {
    /// About how many modes lie below a frequency \[Hz\]: waves in the volume and along the surface (Weyl's
    /// law), and in addition the larger number of those of a bar with the body's length (two kinds of waves,
    /// and bending in two planes with the radius of gyration V/S) and of those of the bending of a plate with
    /// half of its surface.
    ///
    /// ```text
    /// N = (4π/3) V f³ (c_p⁻³ + 2 c_s⁻³) + (π/4) S f² (c_p⁻² + 2 c_s⁻²) + max(N_bar, N_plate)
    /// N_bar = 4 L f/c_b + ¾ (2 L/π) (2π f S/(c_b V))^½,    N_plate = 0.43 S² f/(c_p V)
    /// ```
    ///
    /// Bending of a bar counts by three quarters, as short waves shear it. Meshes that are too coarse for so
    /// many modes have fewer.
    pub fn modes_below(&self, hz: f64) -> f64 {
        let [c_p, c_s] = self.waves;
        // Speed of waves in a bar, for Poisson's ratio of 0.3.
        let c_b = 1.6 * c_s;
        let inside = 4.0 / 3.0 * PI * self.volume * hz.powi(3) * (c_p.powi(-3) + 2.0 * c_s.powi(-3));
        let along = 0.25 * PI * self.surface * hz * hz * (c_p.powi(-2) + 2.0 * c_s.powi(-2));
        let slenderness = self.surface / self.volume;
        let bending = 1.5 / PI * self.length * (2.0 * PI * hz * slenderness / c_b).sqrt();
        let bar = 4.0 * self.length * hz / c_b + bending;
        let plate = 0.43 * self.surface * slenderness * hz / c_p;
        let plate = if 2.0 / slenderness < THIN * self.length { self.sheared(plate, hz) } else { plate };
        inside + along + bar.max(plate)
    }

    /// Number of bending modes of a plate with shear and rotary inertia.
    ///
    /// ```text
    /// k² = ½ (k_s² + k_l²) + (k_b⁴ + ¼ (k_s² − k_l²)²)^½,    N = S k²/(8π)
    /// ```
    ///
    /// with the wave numbers k_b of the bending of a thin plate, k_s of shear and k_l of its extension.
    ///
    /// * `thin` — the number of a thin plate
    ///
    /// Source: Mindlin (1951), J. Appl. Mech. 18, 31–38.
    fn sheared(&self, thin: f64, hz: f64) -> f64 {
        let of_surface = 8.0 * PI / self.surface;
        let [k_l, k_s] = self.waves.map(|speed| (2.0 * PI * hz / (OF_PLATE * speed)).powi(2));
        let k_b = of_surface * thin;
        (0.5 * (k_s + k_l) + (k_b * k_b + 0.25 * (k_s - k_l).powi(2)).sqrt()) / of_surface
    }

    /// The frequency below which so many modes lie \[Hz\].
    pub fn frequency_of(&self, modes: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        while self.modes_below(high) < modes && high < 1e12 {
            (low, high) = (high, 4.0 * high);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.modes_below(middle) < modes { low = middle } else { high = middle }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A steel plate of 100 x 100 x 3 mm has 252 modes below 120 kHz (meshes/zener-plates, by its reduction).
    #[test]
    fn a_plate_has_as_many_modes_as_its_reduction_finds() {
        let plate = Extent { volume: 3e-5, surface: 0.0212, length: 0.1, waves: [5930.0, 3230.0] };
        assert!((plate.modes_below(1.2e5) / 252.0 - 1.0).abs() < 0.1, "{}", plate.modes_below(1.2e5));
    }

    #[test]
    fn the_number_of_modes_and_their_frequency_are_inverse() {
        let radius: f64 = 0.015;
        let ball = Extent {
            volume: 4.0 / 3.0 * PI * radius.powi(3),
            surface: 4.0 * PI * radius * radius,
            length: 2.0 * radius,
            waves: [6020.0, 3218.0],
        };
        for hz in [5e4, 2e5, 1e6] {
            assert!((ball.frequency_of(ball.modes_below(hz)) / hz - 1.0).abs() < 1e-9);
        }
        assert!(ball.modes_below(4e5) > 2.0 * ball.modes_below(2e5));
    }
}
