//! Bushings: stiffness and damping in the six directions of the axes of the first end.
//!
//! ```text
//! u = D_iᵀ (x_j − x_i) − u₀,   u̇ = D_iᵀ (ẋ_j − ẋ_i − ω_i × (x_j − x_i)),   f = −K u − C u̇
//! Exp(ϑ) = D_iᵀ D_j,           ϑ̇ = J⁻¹(ϑ) D_iᵀ (ω_j − ω_i),               m = −J⁻ᵀ (K_r ϑ + C_r ϑ̇)
//! J⁻ᵀ = E + ½ ϑ̃ + γ ϑ̃²,       γ = (1 − ½ϑ cot ½ϑ)/ϑ²
//! ```
//!
//! f at x_j and m on the second end, the opposites at the same point on the first: derivatives of ½ uᵀ K u +
//! ½ ϑᵀ K_r ϑ, for any rotation below half a turn.

use carom_dynamics::rotation::skew;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::joint::Place;

/// Stiffness and damping in six directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bushing {
    /// Along x, y, z \[N/m\].
    pub stiffness: [f64; 3],
    /// About x, y, z \[N m/rad\].
    pub ang_stiffness: [f64; 3],
    /// Along x, y, z \[N s/m\].
    pub damping: [f64; 3],
    /// About x, y, z \[N m s/rad\].
    pub ang_damping: [f64; 3],
    /// u₀: where the second end rests, seen from the first in its axes \[m\].
    pub zero: [f64; 3],
}

/// Force and torque of a bushing between two places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wrench {
    /// On the second end, at its place, inertial axes \[N\].
    pub(crate) force: Vector3<f64>,
    /// On the second end, inertial axes \[N m\].
    pub(crate) torque: Vector3<f64>,
    /// Energy stored \[J\].
    pub(crate) energy: f64,
    /// Power lost \[W\].
    pub(crate) loss: f64,
}

impl Bushing {
    pub(crate) fn at(&self, first: &Place, second: &Place) -> Wrench {
        let axes = &first.triad;
        let d = second.position - first.position;
        let u = axes.tr_mul(&d) - Vector3::from(self.zero);
        let relative = second.velocity - first.velocity - first.omega.cross(&d);
        let u_rate = axes.tr_mul(&relative);
        let theta = rotation_vector(&axes.tr_mul(&second.triad));
        let inverse = inverse_tangent_transposed(&theta);
        let theta_rate = inverse.tr_mul(&axes.tr_mul(&(second.omega - first.omega)));
        let times = |k: &[f64; 3], x: &Vector3<f64>| Vector3::from(*k).component_mul(x);
        let (spring, damper) = (times(&self.stiffness, &u), times(&self.damping, &u_rate));
        let (twist, drag) = (times(&self.ang_stiffness, &theta), times(&self.ang_damping, &theta_rate));
        Wrench {
            force: -(axes * (spring + damper)),
            torque: -(axes * (inverse * (twist + drag))),
            energy: 0.5 * (spring.dot(&u) + twist.dot(&theta)),
            loss: damper.dot(&u_rate) + drag.dot(&theta_rate),
        }
    }
}

/// ϑ with Exp(ϑ) = R, |ϑ| ≤ π.
fn rotation_vector(r: &Matrix3<f64>) -> Vector3<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*r)).scaled_axis()
}

/// J⁻ᵀ(ϑ).
fn inverse_tangent_transposed(theta: &Vector3<f64>) -> Matrix3<f64> {
    let t2 = theta.norm_squared();
    let gamma = if t2 < 1e-3 {
        1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30_240.0 + t2 / 1_209_600.0))
    } else {
        let half = 0.5 * t2.sqrt();
        (1.0 - half / half.tan()) / t2
    };
    let skew = skew(theta);
    Matrix3::identity() + 0.5 * skew + gamma * skew * skew
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_dynamics::{Marker, Pose, rotation};

    use crate::velocities::Velocities;

    /// Along a motion of both ends, the power of the forces equals −(rate of the energy) − loss, and their
    /// total moment is zero.
    #[test]
    fn forces_are_derivatives_of_the_energy() {
        let bushing = Bushing {
            stiffness: [3.0, 5.0, 7.0],
            ang_stiffness: [2.0, 0.4, 1.1],
            damping: [0.2, 0.1, 0.3],
            ang_damping: [0.05, 0.2, 0.1],
            zero: [0.1, -0.2, 0.3],
        };
        let place = |t: f64, start: Vector3<f64>, v: Vector3<f64>, omega: Vector3<f64>| {
            let a = rotation::matrix(&rotation::from_vector(&(omega * t)));
            let pose = Pose { position: start + v * t, rotation: a };
            let velocities = Velocities { v: a.transpose() * v, omega, modal: Vec::new() };
            Place::on(&Marker::default(), &Matrix3::identity(), &pose, &[], &velocities)
        };
        let at = |t: f64| {
            let first = place(t, Vector3::zeros(), Vector3::new(0.4, 0.2, 0.1), Vector3::new(0.5, -0.3, 0.8));
            let second = place(
                t,
                Vector3::new(1.0, 0.5, 0.2),
                Vector3::new(-0.2, 0.7, 0.3),
                Vector3::new(-0.6, 0.9, 0.2),
            );
            (first, second, bushing.at(&first, &second))
        };
        for t in [0.001, 0.7, 1.9] {
            let h = 1e-5;
            let (first, second, now) = at(t);
            let rate = (at(t + h).2.energy - at(t - h).2.energy) / (2.0 * h);
            let lever = (second.position - first.position).cross(&now.force);
            let power = now.force.dot(&(second.velocity - first.velocity))
                + now.torque.dot(&(second.omega - first.omega))
                - lever.dot(&first.omega);
            assert!((power + rate + now.loss).abs() < 1e-8, "{t}: {power} {rate}");
        }
    }
}
