//! Rows of joints: one equation each between the places of two ends, or of the ends of several joints.
//!
//! With d = x_i − x_j, e and h axes of the first and second end:
//!
//! | row | g | ġ | g̈ without accelerations |
//! |---|---|---|---|
//! | apart | d_a | ẋ_i − ẋ_j | 0 |
//! | along | e·d | e·ḋ + ω_i·(e × d) | 2 (ω_i × e)·ḋ + (ω_i × (ω_i × e))·d |
//! | across | e·h | (ω_i − ω_j)·(e × h) | (ω_i − ω_j)·(ė × h + e × ḣ) |
//! | length | (d·d − ℓ²)/2ℓ | d·ḋ/ℓ | ḋ·ḋ/ℓ |
//! | driven | u − s(t) | u̇ − ṡ | that of u, less s̈ |
//! | coupled | Σ c_k u_k | Σ c_k u̇_k | that of Σ c_k u_k |

use carom_dynamics::JointEquation;
use nalgebra::Vector3;

use super::coordinate::Coordinate;
use super::place::Place;
use super::row_now::{RowNow, along};

/// An equation of a joint, or of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Row {
    /// One of the kind of its joint.
    Kept(JointEquation),
    /// A coordinate less the drive of this number.
    Driven(usize, Coordinate),
    /// The relation of this number between coordinates of joints.
    Coupled {
        /// Number of the coupling.
        coupling: usize,
        /// True if its value is a length.
        is_length: bool,
    },
}

impl Row {
    /// True if its value is a length.
    pub(crate) fn is_length(&self) -> bool {
        match self {
            Self::Kept(equation) => equation.is_length(),
            Self::Driven(_, coordinate) => !coordinate.is_angle(),
            Self::Coupled { is_length, .. } => *is_length,
        }
    }

    /// True for a relation between coordinates of joints.
    pub(crate) fn is_coupled(&self) -> bool {
        matches!(self, Self::Coupled { .. })
    }

    /// True if its direction is the same at all positions of the bodies: each body's reaction then depends on
    /// its own position alone.
    pub(crate) fn has_fixed_direction(&self) -> bool {
        matches!(self, Self::Kept(JointEquation::Apart(_)))
    }
}

impl RowNow {
    /// An equation between two places.
    pub(super) fn of(equation: JointEquation, first: &Place, second: &Place) -> Self {
        let zero = Vector3::zeros();
        let d = first.position - second.position;
        let d_rate = first.velocity - second.velocity;
        match equation {
            JointEquation::Apart(axis) => {
                let e = Vector3::ith(axis, 1.0);
                Self { value: d[axis], jacobian: [e, zero, -e, zero], bias: 0.0 }
            }
            JointEquation::Along(axis) => along(axis, first, second),
            JointEquation::Across(of_first, of_second) => {
                let e: Vector3<f64> = first.triad.column(of_first).into();
                let h: Vector3<f64> = second.triad.column(of_second).into();
                let normal = e.cross(&h);
                let relative = first.omega - second.omega;
                let normal_rate = first.omega.cross(&e).cross(&h) + e.cross(&second.omega.cross(&h));
                Self {
                    value: e.dot(&h),
                    jacobian: [zero, normal, zero, -normal],
                    bias: relative.dot(&normal_rate),
                }
            }
            JointEquation::Length(length) => Self {
                value: 0.5 * (d.norm_squared() - length * length) / length,
                jacobian: [d / length, zero, -d / length, zero],
                bias: d_rate.norm_squared() / length,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_dynamics::{Marker, Pose, rotation};
    use nalgebra::Matrix3;

    use crate::velocities::Velocities;

    /// ġ and g̈ against central differences, for two ends that move without acceleration.
    #[test]
    fn rates_of_rows_agree_with_central_differences() {
        let marker = Marker { position_b: [0.3, -0.2, 0.5], ..Marker::default() };
        let place = |t: f64, v: Vector3<f64>, omega: Vector3<f64>, start: Vector3<f64>| {
            let rotation = rotation::matrix(&rotation::from_vector(&(omega * t)));
            let pose = Pose { position: start + v * t, rotation };
            let velocities = Velocities { v: rotation.transpose() * v, omega, modal: Vec::new() };
            Place::on(&marker, &Matrix3::identity(), &pose, &[], &velocities)
        };
        let ends = |t: f64| {
            [
                place(t, Vector3::new(0.4, 0.2, 0.1), Vector3::new(0.5, -0.3, 0.8), Vector3::zeros()),
                place(
                    t,
                    Vector3::new(-0.2, 0.7, 0.3),
                    Vector3::new(-0.6, 0.4, 0.2),
                    Vector3::new(1.0, 0.5, 0.0),
                ),
            ]
        };
        use JointEquation::{Across, Along, Apart, Length};
        for row in [Apart(1), Along(2), Across(0, 1), Across(2, 2), Length(1.3)] {
            let h = 1e-4;
            let at = |t: f64| {
                let [first, second] = ends(t);
                let now = RowNow::of(row, &first, &second);
                (now.value, now.rate(&first, &second), now.known(&first, &second))
            };
            let ((_, rate, known), before, after) = (at(0.3), at(0.3 - h), at(0.3 + h));
            assert!(((after.0 - before.0) / (2.0 * h) - rate).abs() < 1e-7, "{row:?}");
            assert!(((after.1 - before.1) / (2.0 * h) - known).abs() < 1e-7, "{row:?}");
        }
    }
}
