//! A sphere on the end of a rod of finite length, whose wave comes back: Hertz' force and d'Alembert's
//! solution.

use super::SphereOnRod;

/// The far end of the rod, at which waves are reflected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FarEnd {
    /// Nothing holds it: the velocity of the wave keeps its sign, its stress does not.
    Free,
    /// It is held: the velocity changes its sign, the stress does not.
    Held,
}

/// A sphere that meets the end of a rod of finite length at rest.
///
/// ```text
/// F = 4/3 E* √R d^{3/2},   d' = v_s − u',   m_s v_s' = −F
/// u'(t) = w(t) + r w(t − 2L/c),   w(t) = F(t)/(ρ c A) + r w(t − 2L/c),   r = 1 free, −1 held,   c = √(E/ρ)
/// ```
///
/// u' is the velocity of the rod's near end, w that of the wave that leaves it: a wave that came back leaves
/// again, together with the wave of the force. E is Young's modulus, as the sides of the rod are free.
///
/// # Source
///
/// D'Alembert's solution with reflections, Goldsmith, Impact (1960), chapter 4; docs/theory/closed-forms.md,
/// eq. (93).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereOnBar {
    /// Sphere, contact, and wave resistance of the rod.
    pub near: SphereOnRod,
    /// 2L/c \[s\].
    pub round_trip: f64,
    /// The other end.
    pub far_end: FarEnd,
}

/// Force and motion over time, in steps of one length.
#[derive(Debug, Clone, PartialEq)]
pub struct BarImpact {
    /// Length of a step \[s\].
    pub step: f64,
    /// Force at 0, h, 2h, … \[N\].
    pub forces: Vec<f64>,
    /// Velocity of the sphere at the end, along its first velocity \[m/s\].
    pub sphere_velocity: f64,
}

/// A time of contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// First time \[s\].
    pub start: f64,
    /// Last time \[s\].
    pub end: f64,
    /// Largest force \[N\].
    pub peak_force: f64,
    /// ∫ F dt \[N s\].
    pub impulse: f64,
}

impl SphereOnBar {
    /// Impact at speed v > 0 until `end`, by Heun's rule in `steps` equal steps to each round trip.
    ///
    /// The wave that comes back is known at both ends of a step, as a round trip is a whole number of them.
    pub fn impact(&self, v: f64, end: f64, steps: usize) -> BarImpact {
        let step = self.round_trip / steps as f64;
        let sign = match self.far_end {
            FarEnd::Free => 1.0,
            FarEnd::Held => -1.0,
        };
        let n = (end / step).ceil() as usize;
        let force_at = |d: f64| self.near.contact.at_approach(d.max(0.0)).force;
        let mut leaving = Vec::with_capacity(n + 2);
        let mut forces = Vec::with_capacity(n + 1);
        // Velocity of the wave that is back at the near end at step i.
        let back = |leaving: &[f64], i: usize| i.checked_sub(steps).map_or(0.0, |i| sign * leaving[i]);
        let (mut d, mut speed) = (0.0, v);
        for i in 0..=n {
            let force = force_at(d);
            forces.push(force);
            leaving.push(force / self.near.impedance + back(&leaving, i));
            let rates = |force: f64, speed: f64, i: usize| {
                [
                    speed - force / self.near.impedance - 2.0 * back(&leaving, i),
                    -force / self.near.sphere_mass,
                ]
            };
            let first = rates(force, speed, i);
            let ahead = [d + step * first[0], speed + step * first[1]];
            let second = rates(force_at(ahead[0]), ahead[1], i + 1);
            d += 0.5 * step * (first[0] + second[0]);
            speed += 0.5 * step * (first[1] + second[1]);
        }
        BarImpact { step, forces, sphere_velocity: speed }
    }
}

impl BarImpact {
    /// The times of contact, one after the other; to a step.
    pub fn touches(&self) -> Vec<Touch> {
        let mut touches: Vec<Touch> = Vec::new();
        let mut touching = false;
        for (i, &force) in self.forces.iter().enumerate() {
            let time = i as f64 * self.step;
            if force > 0.0 && !touching {
                touches.push(Touch { start: time - self.step, end: time, peak_force: 0.0, impulse: 0.0 });
            }
            touching = force > 0.0;
            if let Some(touch) = touches.last_mut().filter(|_| touching) {
                touch.end = time + self.step;
                touch.peak_force = touch.peak_force.max(force);
                touch.impulse += force * self.step;
            }
        }
        touches
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::closed_form::HertzPair;

    /// A steel ball of 40 mm on an aluminium rod of 10 mm diameter.
    fn near() -> SphereOnRod {
        let contact = HertzPair::new([0.02, f64::INFINITY], [210e9, 72e9], [0.3, 0.33]);
        let impedance = (72e9_f64 * 2710.0).sqrt() * PI * 0.005f64.powi(2);
        SphereOnRod { contact, sphere_mass: 7800.0 * 4.0 / 3.0 * PI * 0.02f64.powi(3), impedance }
    }

    /// Before the reflected wave returns, a free, a held and a missing far end give the same impact.
    #[test]
    fn a_long_rod_responds_like_a_semi_infinite_one() {
        let near = SphereOnRod { impedance: 4.0 * near().impedance, ..near() };
        let expected = near.impact(0.3);
        for far_end in [FarEnd::Free, FarEnd::Held] {
            let bar = SphereOnBar { near, round_trip: 1e-3, far_end };
            let found = bar.impact(0.3, 9e-4, 50_000);
            let [touch] = found.touches()[..] else { panic!("{:?}", found.touches()) };
            assert!((touch.peak_force / expected.peak_force - 1.0).abs() < 1e-6, "{touch:?} {expected:?}");
            assert!((touch.impulse / expected.impulse - 1.0).abs() < 1e-6, "{touch:?} {expected:?}");
            assert!((found.sphere_velocity / expected.sphere_velocity - 1.0).abs() < 1e-4);
            assert!((touch.end - touch.start - expected.duration).abs() < 2.0 * found.step);
        }
    }

    /// The wave makes many round trips during a contact. A free rod then acts as a rigid mass in an elastic
    /// impact; a held rod returns the sphere with the speed of its approach.
    #[test]
    fn a_short_rod_acts_as_a_rigid_body() {
        let near = near();
        let round_trip = 1e-6;
        let rod_mass = 0.5 * near.impedance * round_trip;
        let v = 0.3;
        let free = SphereOnBar { near, round_trip, far_end: FarEnd::Free }.impact(v, 1e-3, 100);
        let after = v * (near.sphere_mass - rod_mass) / (near.sphere_mass + rod_mass);
        assert!((free.sphere_velocity / after - 1.0).abs() < 1e-4, "{} {after}", free.sphere_velocity);
        let held = SphereOnBar { near, round_trip, far_end: FarEnd::Held }.impact(v, 1e-3, 100);
        assert!((held.sphere_velocity / v + 1.0).abs() < 1e-3, "{}", held.sphere_velocity);
    }

    /// The wave returns from a held end as pressure and strikes the ball a second time.
    #[test]
    fn the_reflected_wave_strikes_the_sphere_again() {
        let round_trip = 2.0 * 0.8 / (72e9_f64 / 2710.0).sqrt();
        let bar = SphereOnBar { near: near(), round_trip, far_end: FarEnd::Held };
        let [coarse, fine] = [2_000, 4_000].map(|steps| bar.impact(0.3, 2e-3, steps));
        assert_eq!(fine.touches().len(), 2);
        for (a, b) in coarse.touches().iter().zip(fine.touches()) {
            assert!((a.peak_force / b.peak_force - 1.0).abs() < 1e-4, "{a:?} {b:?}");
            assert!((a.impulse / b.impulse - 1.0).abs() < 1e-4, "{a:?} {b:?}");
        }
        assert!(fine.touches()[1].start > round_trip);
        // The momentum that the sphere lost is the impulse of the contact.
        let impulse: f64 = fine.touches().iter().map(|touch| touch.impulse).sum();
        let lost = near().sphere_mass * (0.3 - fine.sphere_velocity);
        assert!((impulse / lost - 1.0).abs() < 1e-6, "{impulse} {lost}");
    }
}
