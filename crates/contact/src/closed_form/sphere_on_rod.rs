//! A sphere on the flat end of a rod: Hertz' force and a one-dimensional wave, docs/theory/closed-forms.md,
//! eq. (93).

use super::HertzPair;

/// A sphere that meets the end of a semi-infinite rod at rest.
///
/// ```text
/// F = 4/3 E* √R d^{3/2},   d' = v_s − F/(ρ c A),   m_s v_s' = −F,   c = √(E/ρ)
/// ```
///
/// Holds until the wave comes back from the other end, 2L/c after the first touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereOnRod {
    /// E* and R of the contact (the rod's end is a plane).
    pub contact: HertzPair,
    /// Mass of the sphere \[kg\].
    pub sphere_mass: f64,
    /// Wave resistance ρ c A of the rod \[kg/s\]; infinite for a rigid wall.
    pub impedance: f64,
}

/// Result of the impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RodImpact {
    /// Largest force \[N\].
    pub peak_force: f64,
    /// Time of the largest force after the first touch \[s\].
    pub peak_time: f64,
    /// Duration of the contact \[s\].
    pub duration: f64,
    /// Impulse that the sphere gave to the rod \[N s\].
    pub impulse: f64,
    /// Velocity of the sphere afterwards, along its first velocity \[m/s\].
    pub sphere_velocity: f64,
}

impl SphereOnRod {
    /// Impact at speed v > 0, integrated by Runge and Kutta's rule of order 4 with steps of 1/20000 of the
    /// contact.
    pub fn impact(&self, v: f64) -> RodImpact {
        let step = self.contact.impact(self.sphere_mass, v).duration / 20_000.0;
        let rate = |y: [f64; 2]| {
            let force = self.contact.at_approach(y[0].max(0.0)).force;
            [y[1] - force / self.impedance, -force / self.sphere_mass]
        };
        // State: approach d and velocity of the sphere v_s.
        let (mut y, mut t) = ([0.0, v], 0.0);
        let (mut peak_force, mut peak_time) = (0.0, 0.0);
        loop {
            let next = runge_kutta(rate, y, step);
            if next[0] <= 0.0 {
                // The force vanishes like d^{3/2}, so the end of the contact is on the secant.
                let part = y[0] / (y[0] - next[0]);
                let sphere_velocity = y[1] + part * (next[1] - y[1]);
                return RodImpact {
                    peak_force,
                    peak_time,
                    duration: t + part * step,
                    impulse: self.sphere_mass * (v - sphere_velocity),
                    sphere_velocity,
                };
            }
            (y, t) = (next, t + step);
            let force = self.contact.at_approach(y[0]).force;
            if force > peak_force {
                (peak_force, peak_time) = (force, t);
            }
        }
    }
}

fn runge_kutta(rate: impl Fn([f64; 2]) -> [f64; 2], y: [f64; 2], h: f64) -> [f64; 2] {
    let at = |k: [f64; 2], s: f64| [y[0] + s * h * k[0], y[1] + s * h * k[1]];
    let k1 = rate(y);
    let k2 = rate(at(k1, 0.5));
    let k3 = rate(at(k2, 0.5));
    let k4 = rate(at(k3, 1.0));
    [0, 1].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    const RADIUS: f64 = 0.015;

    /// Steel sphere on an aluminium rod, docs/theory/closed-forms.md, section 10.2.
    fn aluminium_rod() -> (SphereOnRod, f64) {
        let (density, young, length) = (2710.0, 72e9, 1.0);
        let area = PI * 0.01f64.powi(2);
        let contact = HertzPair::new([RADIUS, f64::INFINITY], [210e9, young], [0.3, 0.33]);
        let sphere_mass = 7780.0 * 4.0 / 3.0 * PI * RADIUS.powi(3);
        let wave_speed = (young / density).sqrt();
        (
            SphereOnRod { contact, sphere_mass, impedance: density * wave_speed * area },
            density * area * length,
        )
    }

    /// v; F_max N, t(F_max) us, T_c us, sphere after, rod centre of mass after, e.
    #[test]
    fn the_table_of_a_steel_sphere_on_an_aluminium_rod_is_reproduced() {
        let (case, rod_mass) = aluminium_rod();
        for (v, expected) in [
            (0.1, [136.15, 97.52, 231.55, -0.053269, 0.019801, 0.7307]),
            (0.2, [300.04, 83.86, 204.77, -0.097169, 0.038391, 0.6778]),
            (0.3, [475.41, 76.83, 190.85, -0.13724, 0.056486, 0.6457]),
            (0.5, [847.16, 68.74, 174.99, -0.21042, 0.091777, 0.6044]),
        ] {
            let impact = case.impact(v);
            let rod = impact.impulse / rod_mass;
            let e = (rod - impact.sphere_velocity) / v;
            let found = [
                impact.peak_force,
                impact.peak_time * 1e6,
                impact.duration * 1e6,
                impact.sphere_velocity,
                rod,
                e,
            ];
            // The maximum of the force is flat, so that its times in the table scatter by 0.1 us: an
            // independent integration with steps of 1 ns gives 97.440, 83.868, 76.779 and 68.651 us.
            let tolerance = [1e-4, 1.5e-3, 1e-4, 1e-4, 1e-4, 1e-4];
            for ((found, expected), tolerance) in found.iter().zip(expected).zip(tolerance) {
                assert!((found / expected - 1.0).abs() < tolerance, "v = {v}: {found} against {expected}");
            }
        }
    }

    /// docs/quasistatic.md, section 3: Hertz and bar wave for a steel rod, and for a rigid sphere.
    #[test]
    fn the_steel_rod_of_the_reference_table_is_reproduced() {
        let (density, young) = (7800.0f64, 210e9);
        let impedance = density * (young / density).sqrt() * PI * 0.01f64.powi(2);
        let sphere_mass = density * 4.0 / 3.0 * PI * RADIUS.powi(3);
        for (sphere_young, force, duration, velocity) in
            [(young, 757.6, 137.3e-6, 0.20996), (f64::INFINITY, 944.8, 105.7e-6, 0.18785)]
        {
            let contact = HertzPair::new([RADIUS, f64::INFINITY], [sphere_young, young], [0.3; 2]);
            let impact = SphereOnRod { contact, sphere_mass, impedance }.impact(0.3);
            assert!((impact.peak_force / force - 1.0).abs() < 1e-4, "{impact:?}");
            assert!((impact.duration / duration - 1.0).abs() < 1e-3, "{impact:?}");
            assert!((impact.sphere_velocity.abs() / velocity - 1.0).abs() < 1e-4, "{impact:?}");
        }
    }

    #[test]
    fn on_a_rigid_wall_the_sphere_returns_with_its_speed_after_hertz_time() {
        let (mut case, _) = aluminium_rod();
        case.impedance = f64::INFINITY;
        let (impact, hertz) = (case.impact(0.2), case.contact.impact(case.sphere_mass, 0.2));
        assert!((impact.sphere_velocity + 0.2).abs() < 1e-8);
        assert!((impact.duration / hertz.duration - 1.0).abs() < 1e-6);
        assert!((impact.peak_force / hertz.peak.force - 1.0).abs() < 1e-7);
    }
}
