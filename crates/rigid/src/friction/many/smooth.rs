//! The smoothed equation of one contact.

use carom_contact::solver::{SmoothedCone, smoothed};
use nalgebra::{Matrix3, Vector3};

use crate::law::LinearLaw;

/// Compliance of all contacts relative to their mobility: this part of τ², and its least value. Contacts that
/// repeat each other leave impulses open without it.
const REGULAR: f64 = 0.1;
const LEAST_REGULAR: f64 = 1e-12;

/// The smoothed equation of one contact.
pub(super) struct AtContact {
    mobility: f64,
    friction: f64,
    /// P'.
    slope: Matrix3<f64>,
    /// The derivative of |u_T|.
    slip: [f64; 2],
    regular: f64,
    /// F.
    pub(super) value: Vector3<f64>,
}

impl AtContact {
    /// * `r`, `u` — impulses times the mobility, and velocities, both in units of the largest velocity
    pub(super) fn new(mobility: f64, [r, u]: [Vector3<f64>; 2], friction: f64, tau: f64) -> Self {
        let regular = REGULAR * tau * tau + LEAST_REGULAR;
        if friction == 0.0 {
            let (p, slope) = smoothed((1.0 - regular) * r.x - u.x, tau);
            let value = Vector3::new(r.x - p, r.y, r.z);
            let slope = Matrix3::from_diagonal(&Vector3::new(slope, 0.0, 0.0));
            return Self { mobility, friction, slope, slip: [0.0; 2], regular, value };
        }
        let square = u.y * u.y + u.z * u.z;
        let root = square + tau * tau;
        let along = (square + 2.0 * tau * tau) / (root * root.sqrt());
        let slip = square / root.sqrt();
        let x = Vector3::new(friction * r.x, r.y, r.z);
        let y = Vector3::new(u.x / friction + slip, u.y, u.z) + regular * x;
        let cone = SmoothedCone::new((x - y).into(), tau);
        let slope = Matrix3::from_fn(|i, j| cone.slope(i, j));
        Self {
            mobility,
            friction,
            slope,
            slip: [along * u.y, along * u.z],
            regular,
            value: x - Vector3::from(cone.value),
        }
    }

    /// (E − (1 − ε) P') dx + P' dy/du du = −F, in units of velocities.
    pub(super) fn law(&self, size: f64, compliance: f64) -> LinearLaw {
        let mut by_impulse = self.mobility * (Matrix3::identity() - (1.0 - self.regular) * self.slope);
        let mut of_u = Matrix3::identity();
        if self.friction > 0.0 {
            by_impulse.column_mut(0).scale_mut(self.friction);
            of_u[(0, 0)] = 1.0 / self.friction;
            (of_u[(0, 1)], of_u[(0, 2)]) = (self.slip[0], self.slip[1]);
        }
        let by_velocity = self.slope * of_u;
        for line in 0..3 {
            by_impulse[(line, 0)] += compliance * by_velocity[(line, 0)];
        }
        LinearLaw { by_impulse, by_velocity, value: -size * self.value }
    }
}
