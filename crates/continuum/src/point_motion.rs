//! The mean motion of the points of a body.

use carom_dynamics::{BodyMotion, BodyState, Placement, rotation};
use nalgebra::{Matrix3, Vector3};

/// Points in motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointMotion<'a> {
    /// Mass of each point: a row of the mass matrix \[kg\].
    pub(crate) mass: &'a [f64],
    /// Places at rest \[m\].
    pub(crate) points: &'a [[f64; 3]],
    /// Displacements \[m\] and velocities \[m/s\].
    pub(crate) u: &'a [f64],
    pub(crate) v: &'a [f64],
}

impl PointMotion<'_> {
    fn place(&self, point: usize) -> Vector3<f64> {
        Vector3::from(self.points[point]) + Vector3::from_column_slice(&self.u[3 * point..3 * point + 3])
    }

    fn velocity(&self, point: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.v[3 * point..3 * point + 3])
    }

    /// Mass \[kg\] and its centre \[m\].
    pub(crate) fn center(&self) -> (f64, Vector3<f64>) {
        let mass: f64 = self.mass.iter().sum();
        let moment: Vector3<f64> =
            self.mass.iter().enumerate().map(|(point, m)| *m * self.place(point)).sum();
        (mass, moment / mass)
    }

    /// Mean motion at a place.
    ///
    /// * `is_free` — true if no support holds the body, so that its momentum says something
    pub(crate) fn at(&self, place: &Vector3<f64>, is_free: bool) -> BodyMotion {
        let (mass, center) = self.center();
        let momentum: Vector3<f64> =
            self.mass.iter().enumerate().map(|(point, m)| *m * self.velocity(point)).sum();
        let velocity = momentum / mass;
        let (mut inertia, mut spin) = (Matrix3::zeros(), Vector3::zeros());
        for (point, &m) in self.mass.iter().enumerate() {
            let r = self.place(point) - center;
            inertia += m * (Matrix3::identity() * r.norm_squared() - r * r.transpose());
            spin += m * r.cross(&(self.velocity(point) - velocity));
        }
        let omega = inertia.try_inverse().map_or_else(Vector3::zeros, |inverse| inverse * spin);
        BodyMotion {
            velocity: velocity + omega.cross(&(place - center)),
            omega,
            momentum: is_free.then_some(momentum),
        }
    }

    /// The state for pictures and tables: displacements, and velocities beyond the mean one, in body axes.
    pub(crate) fn reported(&self, placement: &Placement) -> BodyState {
        let back = rotation::matrix(&placement.quaternion).transpose();
        let masses = || self.mass.iter().zip(self.v.as_chunks::<3>().0);
        let momentum: Vector3<f64> = masses().map(|(m, v)| *m * Vector3::from(*v)).sum();
        let velocity = momentum / self.mass.iter().sum::<f64>();
        let in_body = |values: &[f64], less: Vector3<f64>| -> Vec<f64> {
            let vectors = values.as_chunks::<3>().0.iter();
            vectors.flat_map(|v| <[f64; 3]>::from(back * (Vector3::from(*v) - less))).collect()
        };
        BodyState {
            position: placement.origin,
            quaternion: placement.quaternion,
            velocity: velocity.into(),
            modal: in_body(self.u, Vector3::zeros()),
            modal_rate: in_body(self.v, velocity),
            ..BodyState::default()
        }
    }
}
