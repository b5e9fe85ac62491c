//! The free motion of a joint as a number: an angle, a shift, a length. Springs, stops and drives act on it.
//!
//! With d = x_i − x_j, triads (x, y, z) of both ends, s = y_i·x_j and c = x_i·x_j:
//!
//! | coordinate | u | u̇ | ü, no accelerations |
//! |---|---|---|---|
//! | angle | atan2(s, c) | (ω_i − ω_j)·N | (ω_j − ω_i)·(ω_i × z_i) |
//! | shift | −z_i·d − u₀ | −z_i·ḋ − ω_i·(z_i × d) | −2 (ω_i × z_i)·ḋ − (ω_i × (ω_i × z_i))·d |
//! | length | ‖d‖ | d·ḋ/‖d‖ | (ḋ·ḋ − u̇²)/‖d‖ |
//!
//! with N = (c y_i × x_j − s x_i × x_j)/(s² + c²). All but the last term of the angle hold for any motion of
//! the ends; the last term assumes parallel axes z, where N = −z.

use nalgebra::Vector3;

use super::place::Place;
use super::row_now::{RowNow, along};

/// A relative coordinate of the second end of a joint with respect to the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinate {
    /// Angle of the second end about the axis z of the first \[rad\]. Where it was turned several times,
    /// turns are counted.
    Angle,
    /// Shift of the second end along the axis z of the first \[m\].
    Shift {
        /// u₀: where it counts from \[m\].
        zero: f64,
    },
    /// Distance of the ends \[m\].
    Length,
}

impl Coordinate {
    /// True for an angle.
    pub fn is_angle(self) -> bool {
        self == Self::Angle
    }

    /// An angle with the whole turns that bring it nearest to `angle`; other coordinates as they are.
    pub(crate) fn counted(self, value: f64, angle: f64) -> f64 {
        if self.is_angle() { angle + within_a_turn(value - angle) } else { value }
    }

    /// Its value (angles in (−π, π\]), its derivatives and the known part of its second rate.
    pub(crate) fn at(self, first: &Place, second: &Place) -> RowNow {
        match self {
            Self::Angle => angle(first, second),
            Self::Shift { zero } => {
                let along = along(2, first, second);
                let jacobian = along.jacobian.map(|g| -g);
                RowNow { value: -along.value - zero, jacobian, bias: -along.bias }
            }
            Self::Length => {
                let d = first.position - second.position;
                let length = d.norm();
                let normal = d.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::zeros);
                let d_rate = first.velocity - second.velocity;
                let across = d_rate - d_rate.dot(&normal) * normal;
                let bias = if length > 0.0 { across.norm_squared() / length } else { 0.0 };
                let zero = Vector3::zeros();
                RowNow { value: length, jacobian: [normal, zero, -normal, zero], bias }
            }
        }
    }
}

fn angle(first: &Place, second: &Place) -> RowNow {
    let axis = |place: &Place, k: usize| -> Vector3<f64> { place.triad.column(k).into() };
    let (x, y, z, h) = (axis(first, 0), axis(first, 1), axis(first, 2), axis(second, 0));
    let (sin, cos) = (y.dot(&h), x.dot(&h));
    let square = (sin * sin + cos * cos).max(f64::MIN_POSITIVE);
    let normal = (cos * y.cross(&h) - sin * x.cross(&h)) / square;
    let zero = Vector3::zeros();
    RowNow {
        value: sin.atan2(cos),
        jacobian: [zero, normal, zero, -normal],
        bias: (second.omega - first.omega).dot(&first.omega.cross(&z)),
    }
}

/// The angle in (−π, π\] that differs from this one by whole turns.
pub(crate) fn within_a_turn(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_dynamics::{Marker, Pose, rotation};
    use nalgebra::Matrix3;

    use crate::velocities::Velocities;

    /// u̇ and ü against central differences, for two ends that turn about a common, rotating axis.
    #[test]
    fn rates_of_coordinates_agree_with_central_differences() {
        let axis = Vector3::new(0.2, -0.5, 0.9).normalize();
        let frame = rotation::matrix(&rotation::from_vector(&Vector3::new(0.4, 1.0, -0.6)));
        // The axis z of both ends is the axis of `frame`, turned by the common rotation.
        let common = |t: f64| rotation::matrix(&rotation::from_vector(&(0.7 * t * axis)));
        let place = |t: f64, spin: f64, start: Vector3<f64>, v: Vector3<f64>| {
            let own = rotation::matrix(&rotation::from_vector(&Vector3::new(0.0, 0.0, 0.3 + spin * t)));
            let a = common(t) * frame * own;
            let z: Vector3<f64> = (common(t) * frame).column(2).into();
            let omega = 0.7 * axis + spin * z;
            let velocities =
                Velocities { v: a.transpose() * v, omega: a.transpose() * omega, modal: Vec::new() };
            let pose = Pose { position: start + v * t, rotation: a };
            // ω̇ = spin ω_common × z does not count as an acceleration in the bias: it is added below.
            let place = Place::on(&Marker::default(), &Matrix3::identity(), &pose, &[], &velocities);
            (place, spin * (0.7 * axis).cross(&z))
        };
        let at = |t: f64, coordinate: Coordinate| {
            let (first, first_rate) = place(t, 0.5, Vector3::zeros(), Vector3::new(0.4, 0.2, 0.1));
            let (second, second_rate) =
                place(t, -0.8, Vector3::new(1.0, 0.5, 0.2), Vector3::new(-0.2, 0.7, 0.3));
            let now = coordinate.at(&first, &second);
            let turning = now.jacobian[1].dot(&first_rate) + now.jacobian[3].dot(&second_rate);
            (now.value, now.rate(&first, &second), now.known(&first, &second) + turning)
        };
        for coordinate in [Coordinate::Angle, Coordinate::Shift { zero: 0.3 }, Coordinate::Length] {
            let (t, h) = (0.3, 1e-4);
            let (before, now, after) = (at(t - h, coordinate), at(t, coordinate), at(t + h, coordinate));
            let rate = (after.0 - before.0) / (2.0 * h);
            let second_rate = (after.1 - before.1) / (2.0 * h);
            assert!((now.1 - rate).abs() < 1e-7, "{coordinate:?}: {} {rate}", now.1);
            assert!((now.2 - second_rate).abs() < 1e-7, "{coordinate:?}: {} {second_rate}", now.2);
        }
        // The second end has turned by −1.3 t relative to the first.
        assert!((at(0.3, Coordinate::Angle).0 + 0.39).abs() < 1e-14);
    }

    #[test]
    fn angles_are_reduced_by_whole_turns() {
        for (angle, expected) in
            [(0.3, 0.3), (7.0, 7.0 - std::f64::consts::TAU), (-20.0, -20.0 + 3.0 * std::f64::consts::TAU)]
        {
            assert!((within_a_turn(angle) - expected).abs() < 1e-14);
        }
    }
}
