//! Where the end of a joint is, how it moves, and the part of its acceleration that is known.
//!
//! ```text
//! x = r + A c,   c = R + Σ φ_k q_k,          D = A Exp(ϑ) D₀,   ϑ = Σ ψ_k q_k
//! ẋ = A (v + ω × c + ċ),                     ω_D = A (ω + w),   w = J(ϑ) ϑ̇
//! ẍ = A (a₀ + ω̇ × c + Σ φ_k q̈_k + ω × (ω × c) + 2 ω × ċ)
//! ω̇_D = A (ω̇ + J Σ ψ_k q̈_k + ω × w + J̇ ϑ̇)
//! ```
//!
//! A marker with terms of second order has c − ½ qᵀ K q, φ_k − (K q)_k in place of φ_k in the rates, and
//! −q̇ᵀ K q̇ in ẍ; the same for ϑ.
//!
//! with J(ϑ) = E + (1 − cos ϑ)/ϑ² ϑ̃ + (ϑ − sin ϑ)/ϑ³ ϑ̃², so that the rows of joints are derivatives of the
//! quantities they hold: joints do no work.

use carom_dynamics::{Marker, Pose, rotation};
use nalgebra::{Matrix3, Vector3};

use super::JointEnd;
use crate::bodies::BodiesAt;
use crate::velocities::Velocities;

/// An end at a state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// x \[m\].
    pub(crate) position: Vector3<f64>,
    /// D, end → inertial axes.
    pub(crate) triad: Matrix3<f64>,
    /// ẋ \[m/s\].
    pub(crate) velocity: Vector3<f64>,
    /// ω_D, inertial axes \[rad/s\].
    pub(crate) omega: Vector3<f64>,
    /// ẍ for a₀ = ω̇ = q̈ = 0 \[m/s²\].
    pub(crate) bias: Vector3<f64>,
    /// ω̇_D for the same \[rad/s²\].
    pub(crate) ang_bias: Vector3<f64>,
    /// c, body axes \[m\].
    pub(crate) arm_b: Vector3<f64>,
    /// J(ϑ).
    pub(crate) tangent: Matrix3<f64>,
}

impl Place {
    /// An end at a state.
    pub(crate) fn of(end: &JointEnd, at: BodiesAt<'_>) -> Self {
        let Some(body) = end.body else { return Self::ground(&end.marker, &end.triad_b) };
        let velocities = &at.kinetics(body).velocities;
        Self::on(&end.marker, &end.triad_b, at.pose(body), at.modal(body), velocities)
    }

    /// An end on the ground.
    pub(crate) fn ground(marker: &Marker, triad: &Matrix3<f64>) -> Self {
        let zero = Vector3::zeros();
        Self {
            position: Vector3::from(marker.position_b),
            triad: *triad,
            velocity: zero,
            omega: zero,
            bias: zero,
            ang_bias: zero,
            arm_b: zero,
            tangent: Matrix3::identity(),
        }
    }

    /// An end on a body.
    ///
    /// * `q` — its modal coordinates
    /// * `velocities` — v, ω, q̇
    pub(crate) fn on(
        marker: &Marker,
        triad_b: &Matrix3<f64>,
        pose: &Pose,
        q: &[f64],
        velocities: &Velocities,
    ) -> Self {
        let Velocities { v, omega, modal } = velocities;
        let a = &pose.rotation;
        let mut c = Vector3::from(marker.position_b);
        if modal.is_empty() {
            let across = omega.cross(&c);
            return Self {
                position: pose.position + a * c,
                triad: a * triad_b,
                velocity: a * (v + across),
                omega: a * omega,
                bias: a * omega.cross(&across),
                ang_bias: Vector3::zeros(),
                arm_b: c,
                tangent: Matrix3::identity(),
            };
        }
        let [mut drift, mut turn, mut rate] = [Vector3::zeros(); 3];
        for (k, dq) in modal.iter().enumerate() {
            let [phi, psi] = marker.shape(k, q);
            c += q[k] * Vector3::from(marker.displacement[k]);
            drift += *dq * phi;
            turn += q[k] * Vector3::from(marker.rotation[k]);
            rate += *dq * psi;
        }
        // −½ qᵀ K q, and −q̇ᵀ K q̇ of the accelerations.
        let [mut bend, mut bend_turn] = [Vector3::zeros(); 2];
        if let Some(second) = &marker.second_order {
            let [shorter, turned] = second.square(q);
            c -= 0.5 * shorter;
            turn -= 0.5 * turned;
            [bend, bend_turn] = second.square(modal).map(|square| -square);
        }
        let Turn { rotation, tangent, tangent_rate } = Turn::new(&turn, &rate);
        let spin = tangent * rate;
        Self {
            position: pose.position + a * c,
            triad: a * rotation * triad_b,
            velocity: a * (v + omega.cross(&c) + drift),
            omega: a * (omega + spin),
            bias: a * (omega.cross(&omega.cross(&c)) + 2.0 * omega.cross(&drift) + bend),
            ang_bias: a * (omega.cross(&spin) + tangent_rate + tangent * bend_turn),
            arm_b: c,
            tangent,
        }
    }
}

/// Exp(ϑ), J(ϑ) and J̇ ϑ̇.
struct Turn {
    rotation: Matrix3<f64>,
    tangent: Matrix3<f64>,
    tangent_rate: Vector3<f64>,
}

impl Turn {
    fn new(theta: &Vector3<f64>, rate: &Vector3<f64>) -> Self {
        if theta.norm_squared() == 0.0 && rate.norm_squared() == 0.0 {
            let (rotation, tangent) = (Matrix3::identity(), Matrix3::identity());
            return Self { rotation, tangent, tangent_rate: Vector3::zeros() };
        }
        let t2 = theta.norm_squared();
        let factors = factors(t2);
        let skew = rotation::skew(theta);
        let across = theta.cross(rate);
        let along = theta.dot(rate);
        Self {
            rotation: rotation::matrix(&rotation::from_vector(theta)),
            tangent: Matrix3::identity() + factors.a * skew + factors.b * skew * skew,
            tangent_rate: along * (factors.da * across + factors.db * theta.cross(&across))
                + factors.b * rate.cross(&across),
        }
    }
}

/// a = (1 − cos t)/t², b = (t − sin t)/t³, a′/t, b′/t.
struct Factors {
    a: f64,
    b: f64,
    da: f64,
    db: f64,
}

fn factors(t2: f64) -> Factors {
    if t2 < 1e-3 {
        return Factors {
            a: 0.5 - t2 * (1.0 / 24.0 - t2 * (1.0 / 720.0 - t2 / 40_320.0)),
            b: 1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0 - t2 / 362_880.0)),
            da: -1.0 / 12.0 + t2 * (1.0 / 180.0 - t2 / 6720.0),
            db: -1.0 / 60.0 + t2 * (1.0 / 1260.0 - t2 / 60_480.0),
        };
    }
    let t = t2.sqrt();
    let (sin, cos) = t.sin_cos();
    let (a, b) = ((1.0 - cos) / t2, (t - sin) / (t2 * t));
    Factors { a, b, da: (sin / t - 2.0 * a) / t2, db: (a - 3.0 * b) / t2 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use carom_dynamics::SecondOrder;

    use super::*;

    #[test]
    fn factors_are_continuous_at_the_end_of_the_series() {
        let (below, above) = (factors(0.999_999e-3), factors(1.000_001e-3));
        for (b, a) in [(below.a, above.a), (below.b, above.b), (below.da, above.da), (below.db, above.db)] {
            assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
        }
    }

    /// Rates against central differences of positions, triads and velocities along a motion.
    #[test]
    fn rates_of_places_agree_with_central_differences() {
        let marker = Marker {
            position_b: [0.3, -0.2, 0.5],
            displacement: vec![[0.1, 0.4, -0.3], [0.2, -0.5, 0.6]],
            rotation: vec![[0.7, -0.2, 0.4], [-0.3, 0.8, 0.5]],
            second_order: Some(Arc::new(SecondOrder::new(
                2,
                (0..6).flat_map(|a| [0.3 + 0.1 * f64::from(a), 0.2, 0.2, -0.4]).collect(),
            ))),
            ..Marker::default()
        };
        let triad = rotation::matrix(&rotation::from_vector(&Vector3::new(0.4, 1.0, -0.6)));
        let (v, omega) = (Vector3::new(0.3, 0.1, -0.4), Vector3::new(0.9, -0.7, 0.5));
        // A body whose frame has no acceleration: r moves along a line, A turns about an axis fixed in space
        // and body.
        let at = |t: f64| {
            let pose =
                Pose { position: v * t, rotation: rotation::matrix(&rotation::from_vector(&(omega * t))) };
            let v_b = pose.rotation.transpose() * v;
            let velocities = Velocities { v: v_b, omega, modal: vec![0.6, -0.4] };
            Place::on(&marker, &triad, &pose, &[0.5 + 0.6 * t, 0.2 - 0.4 * t], &velocities)
        };
        let (h, place) = (1e-5, at(0.0));
        let (before, after) = (at(-h), at(h));
        let rate = |f: fn(&Place) -> Vector3<f64>| (f(&after) - f(&before)) / (2.0 * h);
        assert!((rate(|p| p.position) - place.velocity).norm() < 1e-9);
        assert!((rate(|p| p.velocity) - place.bias).norm() < 1e-9);
        assert!((rate(|p| p.omega) - place.ang_bias).norm() < 1e-9);
        let spin = (after.triad - before.triad) / (2.0 * h) * place.triad.transpose();
        assert!((spin - rotation::skew(&place.omega)).norm() < 1e-9);
    }
}
