//! The free motion of a joint as a number: an angle, a shift, a length. Springs, stops and motions act on it.
//!
//! With d = x_i − x_j of the ends, triads (x, y, z), s = y_i·x_j and c = x_i·x_j:
//!
//! | coordinate | u | impulse of λ = 1 |
//! |---|---|---|
//! | angle | atan2(s, c) | the couple N = (c y_i × x_j − s x_i × x_j)/(s² + c²) |
//! | shift | −z_i·d − u₀ | along −z_i at the second end |
//! | length | ‖d‖ | along d, at the second end |
//!
//! The first body gets the impulse and the second the opposite one, so that u grows by λ > 0 and momenta are
//! exact. The change in a step is computed from the motion of the ends, as for the equations of joints.

use carom_dynamics::{JointEquation, JointKind, TimeFunction};
use nalgebra::Vector3;

use super::{JointError, Place, RowNow};

/// A relative coordinate of the second end of a joint with respect to the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinate {
    /// Angle of the second end about the axis z of the first \[rad\], with full turns: revolute and
    /// cylindrical joints.
    Angle,
    /// Shift of the second end along the axis z of the first \[m\]: prismatic and cylindrical joints.
    Shift {
        /// u₀: where it counts from \[m\].
        zero: f64,
    },
    /// Distance of the ends \[m\]: joints that keep a distance.
    Length,
}

/// A spring parallel to a damper on a coordinate, with the force −k (u − u₀) − F₀ − c u̇.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSpring {
    /// k ≥ 0 \[N/m or N m/rad\].
    pub stiffness: f64,
    /// c ≥ 0 \[N s/m or N m s/rad\].
    pub damping: f64,
    /// u₀, at which the preload acts alone \[m or rad\].
    pub free: f64,
    /// F₀, which pulls the coordinate back for F₀ > 0 \[N or N m\].
    pub preload: f64,
}

/// How a stop acts on a coordinate that passes it by δ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StopLaw {
    /// By impulses that reverse the rate: u̇ after the impact is −e u̇ before.
    Hard {
        /// e, 0 to 1.
        restitution: f64,
    },
    /// By the force k δ (1 + β δ̇), which never pulls.
    Spring {
        /// k > 0 \[N/m or N m/rad\].
        stiffness: f64,
        /// β ≥ 0 \[s/m or s/rad\].
        damping: f64,
    },
}

/// Limits of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopSpec {
    /// Lowest value; −∞ for none \[m or rad\].
    pub low: f64,
    /// Highest value; ∞ for none \[m or rad\].
    pub high: f64,
    /// How they act.
    pub law: StopLaw,
}

/// What acts on a coordinate of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionSpec {
    /// The coordinate, which the joint must leave free; a length has a motion alone.
    pub coordinate: Coordinate,
    /// Spring and damper.
    pub spring: Option<JointSpring>,
    /// Limits.
    pub stops: Option<StopSpec>,
    /// s(t) with u = s(t), in m or rad; it needs a velocity at all times.
    pub motion: Option<TimeFunction>,
}

impl Coordinate {
    /// True for an angle.
    pub fn is_angle(self) -> bool {
        self == Self::Angle
    }

    /// An angle with the whole turns that bring it nearest to `near`; other coordinates as they are.
    pub(crate) fn counted(self, value: f64, near: f64) -> f64 {
        if self.is_angle() { near + within_a_turn(value - near) } else { value }
    }

    /// Its value (angles in (−π, π\]) with the impulse of λ = 1.
    pub(crate) fn at(self, first: &Place, second: &Place) -> RowNow {
        match self {
            Self::Angle => angle(first, second),
            Self::Shift { zero } => {
                let along = RowNow::of(JointEquation::Along(2), first, second);
                RowNow {
                    value: 0.0 - along.value - zero,
                    change: -along.change,
                    direction: -along.direction,
                    moments: along.moments.map(|moment| -moment),
                }
            }
            Self::Length => {
                let d = first.position - second.position;
                let moved = first.moved - second.moved;
                let (length, before) = (d.norm(), (d - moved).norm());
                let direction = d.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::zeros);
                let point = second.position;
                RowNow {
                    value: length,
                    change: moved.dot(&(2.0 * d - moved)) / (length + before).max(f64::MIN_POSITIVE),
                    direction,
                    moments: [
                        (point - first.center).cross(&direction),
                        -(point - second.center).cross(&direction),
                    ],
                }
            }
        }
    }
}

fn angle(first: &Place, second: &Place) -> RowNow {
    let axis = |place: &Place, k: usize| -> Vector3<f64> { place.triad.column(k).into() };
    let turned = |place: &Place, k: usize| -> Vector3<f64> { place.turned.column(k).into() };
    let (x, y, h) = (axis(first, 0), axis(first, 1), axis(second, 0));
    let (dx, dy, dh) = (turned(first, 0), turned(first, 1), turned(second, 0));
    let (sin, cos) = (y.dot(&h), x.dot(&h));
    let [d_sin, d_cos] = [(y, dy), (x, dx)].map(|(e, de)| de.dot(&h) + (e - de).dot(&dh));
    let (sin_old, cos_old) = (sin - d_sin, cos - d_cos);
    let square = (sin * sin + cos * cos).max(f64::MIN_POSITIVE);
    let couple = (cos * y.cross(&h) - sin * x.cross(&h)) / square;
    RowNow {
        value: sin.atan2(cos),
        // The angle between both directions, without a difference of two angles.
        change: (d_sin * cos_old - d_cos * sin_old).atan2(cos * cos_old + sin * sin_old),
        direction: Vector3::zeros(),
        moments: [couple, -couple],
    }
}

/// The angle in (−π, π\] that differs from this one by whole turns.
pub(crate) fn within_a_turn(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// s_{n+1} − s_n of a motion. Rounding of the difference is a large velocity over a short step: where the
/// quadrature of the rates agrees with the difference to its rounding, the quadrature is exact enough.
///
/// ```text
/// Δs = dt/2 (ṡ_n + ṡ_{n+1}) + dt²/12 (s̈_n − s̈_{n+1}) + O(dt⁵)
/// ```
pub(crate) fn way(motion: &TimeFunction, time: f64, dt: f64) -> f64 {
    const ROUNDED: f64 = 8.0 * f64::EPSILON;
    let (old, new) = (motion.at(time), motion.at(time + dt));
    let difference = new.value - old.value;
    let integral = 0.5 * dt * (old.rate + new.rate) + dt * dt / 12.0 * (old.second_rate - new.second_rate);
    let rounded = ROUNDED * (old.value.abs() + new.value.abs() + time.abs() * new.rate.abs());
    if (difference - integral).abs() <= rounded { integral } else { difference }
}

impl ActionSpec {
    /// Checks that the joint has the coordinate, and that all numbers are possible.
    pub(crate) fn check(&self, joint: &str, kind: JointKind) -> Result<(), JointError> {
        let fits = match self.coordinate {
            Coordinate::Angle => matches!(kind, JointKind::Revolute | JointKind::Cylindrical),
            Coordinate::Shift { .. } => matches!(kind, JointKind::Prismatic | JointKind::Cylindrical),
            Coordinate::Length => {
                matches!(kind, JointKind::Distance { .. }) && self.spring.is_none() && self.stops.is_none()
            }
        };
        let joint = || joint.to_owned();
        if !fits {
            return Err(JointError::Coordinate { joint: joint(), kind: kind.name() });
        }
        let mut values = Vec::new();
        if let Some(JointSpring { stiffness, damping, free, preload }) = self.spring {
            values.extend([
                ("the stiffness of its spring", stiffness, stiffness >= 0.0, "0 or above"),
                ("the damping of its spring", damping, damping >= 0.0, "0 or above"),
                ("`free` of its spring", free, true, "a number"),
                ("the preload of its spring", preload, true, "a number"),
            ]);
        }
        if let Some(StopSpec { low, high, law }) = self.stops {
            values.push(("the way between its stops", high - low, high > low, "above 0"));
            match law {
                StopLaw::Hard { restitution: e } => {
                    values.push(("the restitution of its stops", e, (0.0..=1.0).contains(&e), "from 0 to 1"));
                }
                StopLaw::Spring { stiffness, damping } => values.extend([
                    ("the stiffness of its stops", stiffness, stiffness > 0.0, "above 0"),
                    ("the damping of its stops", damping, damping >= 0.0, "0 or above"),
                ]),
            }
        }
        match values.into_iter().find(|(_, value, holds, _)| !holds || value.is_nan()) {
            Some((what, value, _, valid)) => Err(JointError::Value { joint: joint(), what, value, valid }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use carom_dynamics::{Formula, rotation};
    use nalgebra::Matrix3;

    use super::*;

    /// Ends that move and turn about one axis of any direction, by t.
    fn ends(t: f64) -> [Place; 2] {
        let frame = rotation::matrix(&rotation::from_vector(&Vector3::new(0.4, 1.0, -0.6)));
        let place = |angle: f64, position: Vector3<f64>, center: Vector3<f64>| Place {
            position,
            triad: frame * rotation::matrix(&rotation::from_vector(&Vector3::new(0.0, 0.0, angle))),
            center,
            stays: false,
            moved: Vector3::zeros(),
            turned: Matrix3::zeros(),
        };
        [
            place(0.3 + 2.0 * t, Vector3::new(0.1 * t, 0.2, 0.0), Vector3::new(0.5, 0.0, 0.1)),
            place(0.5 - 1.5 * t, Vector3::new(1.0, 0.3 + t, 0.4 * t), Vector3::new(0.9, 0.2, -0.3)),
        ]
    }

    #[test]
    fn changes_are_differences_of_values() {
        for coordinate in [Coordinate::Angle, Coordinate::Shift { zero: 0.3 }, Coordinate::Length] {
            let (before, mut after) = (ends(0.1), ends(0.4));
            for (place, old) in after.iter_mut().zip(&before) {
                place.moved = place.position - old.position;
                place.turned = place.triad - old.triad;
            }
            let old = coordinate.at(&before[0], &before[1]);
            let new = coordinate.at(&after[0], &after[1]);
            assert!((new.change - (new.value - old.value)).abs() < 1e-15, "{coordinate:?}");
        }
    }

    /// u̇ of the velocities and angular velocities of both bodies is the power of λ = 1.
    #[test]
    fn impulses_work_with_the_rate_of_the_coordinate() {
        let h = 1e-6;
        let spins = [2.0, -1.5].map(|spin| {
            let frame = rotation::matrix(&rotation::from_vector(&Vector3::new(0.4, 1.0, -0.6)));
            spin * frame * Vector3::z()
        });
        let velocities = [Vector3::new(0.1, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.4)];
        for coordinate in [Coordinate::Angle, Coordinate::Shift { zero: 0.0 }, Coordinate::Length] {
            let at = |t: f64| ends(t);
            let value = |t: f64| coordinate.at(&at(t)[0], &at(t)[1]).value;
            let rate = (value(0.2 + h) - value(0.2 - h)) / (2.0 * h);
            let [first, second] = at(0.2);
            let now = coordinate.at(&first, &second);
            // Velocity of the centre of a body whose end has the given velocity.
            let center =
                |k: usize, place: &Place| velocities[k] + spins[k].cross(&(place.center - place.position));
            let power = now.direction.dot(&(center(0, &first) - center(1, &second)))
                + now.moments[0].dot(&spins[0])
                + now.moments[1].dot(&spins[1]);
            assert!((power - rate).abs() < 1e-8, "{coordinate:?}: {power} {rate}");
        }
    }

    #[test]
    fn the_way_of_a_motion_is_smooth_over_short_steps_and_exact_over_long_ones() {
        let motion = TimeFunction::Formula(Formula::parse("100 + sin(3*t)").unwrap());
        // The difference of values alone has an error of 1e-14.
        let (t, dt) = (0.7_f64, 1e-6_f64);
        let exact = 2.0 * (3.0 * (t + 0.5 * dt)).cos() * (1.5 * dt).sin();
        assert!((way(&motion, t, dt) / exact - 1.0).abs() < 1e-14);
        let long = 0.5;
        let exact = 2.0 * (3.0 * (t + 0.5 * long)).cos() * (1.5 * long).sin();
        assert!((way(&motion, t, long) - exact).abs() < 1e-13);
    }

    #[test]
    fn angles_are_counted_from_the_last_one() {
        assert!((Coordinate::Angle.counted(0.1, 12.6) - (0.1 + 2.0 * std::f64::consts::TAU)).abs() < 1e-14);
        assert_eq!(Coordinate::Length.counted(0.1, 12.6), 0.1);
    }
}
