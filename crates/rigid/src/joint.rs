//! Joints between rigid bodies, or a rigid body and the ground: what they are, and their equations.
//!
//! A joint connects two *ends*: a point of a body with a triad of axes (columns x, y, z) that turns with it.
//! Its equations are rows g = 0 of the places of the ends. With d = x_i − x_j of the ends, and axes e of the
//! first end and h of the second:
//!
//! | row | g | impulse of λ = 1 |
//! |---|---|---|
//! | apart | d_a | along the inertial axis a, half-way between the ends, or at the end that stays |
//! | along | e·d | along e at the second end |
//! | across | e·h | the couple e × h |
//! | length | (d·d − ℓ²)/2ℓ | along d, at the second end |
//!
//! The first body gets the impulse and the second the opposite one at the same point, so that momentum and
//! angular momentum are exact. A motion that is prescribed to a coordinate u of a joint is one more row, u −
//! s(t). Module `solver` finds the impulses of a step without the rows in `repeated`, `start` closes joints,
//! `coordinate` has the free motion of joints.

pub mod coordinate;
pub(crate) mod factors;
pub mod impulse;
pub(crate) mod repeated;
pub(crate) mod solver;
pub(crate) mod start;

use carom_dynamics::{JointEquation, JointKind, TimeFunction};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::action::SpringError;
use crate::body::RigidBody;
use coordinate::{ActionSpec, Coordinate, JointSpring, StopSpec, within_a_turn};

/// One end of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointEnd {
    /// Index of the body; none for the ground.
    pub body: Option<usize>,
    /// The point in source coordinates of the body, or in inertial coordinates \[m\].
    pub point: Vector3<f64>,
    /// Axes x, y, z as columns, in the axes of the source geometry of the body, or in inertial axes.
    pub triad: Matrix3<f64>,
}

/// A joint as given by the user.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSpec {
    /// Name, as shown to the user.
    pub name: String,
    /// The motion that it leaves free.
    pub kind: JointKind,
    /// Its ends.
    pub ends: [JointEnd; 2],
    /// Springs, stops and motions of its coordinates, at most one of each for a coordinate.
    pub actions: Vec<ActionSpec>,
}

/// An invalid joint, or one that is open at the start.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum JointError {
    /// Its ends are not on two bodies, or a body and the ground.
    #[error(
        "joint `{joint}`: it needs two of the {bodies} rigid bodies, or one of them and the ground, and one \
         of them must move"
    )]
    Bodies {
        /// Name of the joint.
        joint: String,
        /// Bodies of the system.
        bodies: usize,
    },
    /// A distance that is not positive.
    #[error(
        "joint `{joint}`: its length is {length} m; it must be positive (a spherical joint keeps two points \
         together)"
    )]
    Length {
        /// Name of the joint.
        joint: String,
        /// ℓ \[m\].
        length: f64,
    },
    /// The bodies are not placed as the joint holds them.
    #[error(
        "joint `{joint}` is open at the start: an equation of its {} is off by {gap:.3e} {}; place the \
         bodies so that the ends of joints meet",
        if *is_length { "points" } else { "axes" },
        if *is_length { "m" } else { "rad" }
    )]
    Open {
        /// Name of the joint.
        joint: String,
        /// Value of the equation.
        gap: f64,
        /// True for a length, false for an angle.
        is_length: bool,
    },
    /// The velocities at the start break the joint.
    #[error(
        "joint `{joint}`: the velocities at the start break it: its ends move apart with {rate:.3e} {}; give \
         its bodies a `velocity` and an `angular_velocity` that the joint allows",
        if *is_length { "m/s" } else { "rad/s" }
    )]
    Moving {
        /// Name of the joint.
        joint: String,
        /// Rate of the equation.
        rate: f64,
        /// True for a length, false for an angle.
        is_length: bool,
    },
    /// The joints have no common solution.
    #[error("joint `{joint}` contradicts the other joints; check its ends and its axis")]
    Contradiction {
        /// Name of the joint.
        joint: String,
    },
    /// A spring, stops or a motion of a coordinate that the joint does not leave free.
    #[error(
        "joint `{joint}`: a `{kind}` joint does not have this coordinate: angles belong to `revolute` and \
         `cylindrical`, shifts to `prismatic` and `cylindrical` joints, and a length to `distance`, where it \
         takes a motion alone"
    )]
    Coordinate {
        /// Name of the joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
    },
    /// An invalid number of a spring or of stops.
    #[error("joint `{joint}`: {what} is {value}; it must be {valid}")]
    Value {
        /// Name of the joint.
        joint: String,
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Valid range.
        valid: &'static str,
    },
    /// A motion of a coordinate that other joints or motions hold.
    #[error(
        "joint `{joint}`: other joints or motions hold the coordinate of its motion at the start; remove \
         the motion, or the joint that holds it"
    )]
    Held {
        /// Name of the joint.
        joint: String,
    },
    /// A coordinate that starts beyond a hard stop.
    #[error(
        "joint `{joint}`: its coordinate starts at {value:.6e} {}, beyond its stop at {limit:.6e} {}; place \
         the bodies between the stops",
        if *is_length { "m" } else { "rad" },
        if *is_length { "m" } else { "rad" }
    )]
    Beyond {
        /// Name of the joint.
        joint: String,
        /// Value of the coordinate \[m or rad\].
        value: f64,
        /// The stop \[m or rad\].
        limit: f64,
        /// True for a length, false for an angle.
        is_length: bool,
    },
    /// A motion that starts beyond a hard stop of its coordinate.
    #[error(
        "joint `{joint}`: its motion starts at {value:.6e} {unit}, beyond its stop at {limit:.6e} {unit}: \
         let `motion` start between the stops, or give the stops a `stiffness`, against which the motion \
         works",
        unit = if *is_length { "m" } else { "rad" }
    )]
    MotionBeyond {
        /// Name of the joint.
        joint: String,
        /// Value of the motion \[m or rad\].
        value: f64,
        /// The stop \[m or rad\].
        limit: f64,
        /// True for a length, false for an angle.
        is_length: bool,
    },
    /// A spring of a joint that cannot act.
    #[error(transparent)]
    Spring(#[from] SpringError),
}

impl JointError {
    /// Name of the joint.
    pub fn joint(&self) -> &str {
        match self {
            Self::Bodies { joint, .. }
            | Self::Length { joint, .. }
            | Self::Open { joint, .. }
            | Self::Moving { joint, .. }
            | Self::Contradiction { joint }
            | Self::Coordinate { joint, .. }
            | Self::Value { joint, .. }
            | Self::Held { joint }
            | Self::MotionBeyond { joint, .. }
            | Self::Beyond { joint, .. } => joint,
            Self::Spring(error) => error.spring(),
        }
    }
}

/// Where an end is, and how far it has moved in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// x \[m\].
    pub(crate) position: Vector3<f64>,
    /// End → inertial axes.
    pub(crate) triad: Matrix3<f64>,
    /// The point of the body about which moments are taken \[m\].
    pub(crate) center: Vector3<f64>,
    /// True if it stays where it is: an end on the ground or on a fixed body.
    pub(crate) stays: bool,
    /// x_{n+1} − x_n \[m\], and the same of the triad: not as differences, whose rounding errors over a short
    /// step are large velocities.
    pub(crate) moved: Vector3<f64>,
    pub(crate) turned: Matrix3<f64>,
}

/// A row at a configuration.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowNow {
    /// g, in metres or as the cosine of an angle; and its change in the step.
    pub(crate) value: f64,
    pub(crate) change: f64,
    /// Direction of the impulse of λ = 1 on the first body, inertial axes.
    pub(crate) direction: Vector3<f64>,
    /// Moments of that impulse on the first body and of the opposite one on the second, about their centres,
    /// inertial axes \[m\].
    pub(crate) moments: [Vector3<f64>; 2],
}

impl RowNow {
    /// An equation between two places.
    pub(crate) fn of(equation: JointEquation, first: &Place, second: &Place) -> Self {
        let d = first.position - second.position;
        let moved = first.moved - second.moved;
        let (value, change, direction, point) = match equation {
            JointEquation::Apart(axis) => {
                let point = match (first.stays, second.stays) {
                    (true, _) => first.position,
                    (_, true) => second.position,
                    _ => 0.5 * (first.position + second.position),
                };
                (d[axis], moved[axis], Vector3::ith(axis, 1.0), point)
            }
            JointEquation::Along(axis) => {
                let e: Vector3<f64> = first.triad.column(axis).into();
                // e_{n+1}·d_{n+1} − e_n·d_n.
                let turned: Vector3<f64> = first.turned.column(axis).into();
                (e.dot(&d), e.dot(&moved) + turned.dot(&(d - moved)), e, second.position)
            }
            JointEquation::Across(of_first, of_second) => {
                let e: Vector3<f64> = first.triad.column(of_first).into();
                let h: Vector3<f64> = second.triad.column(of_second).into();
                let [de, dh]: [Vector3<f64>; 2] =
                    [first.turned.column(of_first).into(), second.turned.column(of_second).into()];
                let couple = e.cross(&h);
                return Self {
                    value: e.dot(&h),
                    change: de.dot(&h) + (e - de).dot(&dh),
                    direction: Vector3::zeros(),
                    moments: [couple, -couple],
                };
            }
            JointEquation::Length(length) => {
                let change = moved.dot(&(d - 0.5 * moved)) / length;
                (0.5 * (d.norm_squared() - length * length) / length, change, d / length, second.position)
            }
        };
        let moments = [(point - first.center).cross(&direction), -(point - second.center).cross(&direction)];
        Self { value, change, direction, moments }
    }
}

/// An equation of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Row {
    /// One of the kind of the joint.
    Kept(JointEquation),
    /// The coordinate follows the motion of this number.
    Driven(usize, Coordinate),
}

/// s of a motion at the start of a step, and its change in it; 0 for other rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) value: f64,
    pub(crate) change: f64,
}

impl Row {
    /// True if its value is a length, false if it is an angle or the cosine of one.
    pub(crate) fn is_length(&self) -> bool {
        match self {
            Self::Kept(equation) => equation.is_length(),
            Self::Driven(_, coordinate) => !coordinate.is_angle(),
        }
    }

    /// True for a motion.
    pub(crate) fn is_driven(&self) -> bool {
        matches!(self, Self::Driven(..))
    }

    /// The row between two places.
    pub(crate) fn at(&self, first: &Place, second: &Place, given: Given) -> RowNow {
        match *self {
            Self::Kept(equation) => RowNow::of(equation, first, second),
            Self::Driven(_, coordinate) => {
                let now = coordinate.at(first, second);
                let apart = now.value - given.value;
                let value = if coordinate.is_angle() { within_a_turn(apart) } else { apart };
                RowNow { value, change: now.change - given.change, ..now }
            }
        }
    }
}

/// A joint in the frames of its bodies.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub(crate) name: String,
    pub(crate) rows: Vec<Row>,
    /// Number of its first row among those of all joints.
    pub(crate) first: usize,
    pub(crate) ends: [JointEnd; 2],
    /// Radii of gyration of its moving bodies \[m\].
    pub(crate) gyration: f64,
    /// Number of the joints that moving bodies connect with it.
    pub(crate) group: usize,
}

/// The joints of a system.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joints {
    pub(crate) all: Vec<Joint>,
    pub(crate) motions: Vec<TimeFunction>,
    /// Springs and stops with their joints and coordinates.
    pub(crate) springs: Vec<(usize, Coordinate, JointSpring)>,
    pub(crate) stops: Vec<(usize, Coordinate, StopSpec)>,
    /// Group of each body that moves and has a joint.
    pub(crate) group_of: Vec<Option<usize>>,
    pub(crate) n_groups: usize,
    pub(crate) n_rows: usize,
}

impl Joints {
    pub(crate) fn new(specs: &[JointSpec], bodies: &[RigidBody]) -> Result<Self, JointError> {
        let mut joints = Self { group_of: vec![None; bodies.len()], ..Self::default() };
        for spec in specs {
            let joint = || spec.name.clone();
            let ends = spec.ends.map(|end| end.body);
            let moves = |body: Option<usize>| body.is_some_and(|body| !bodies[body].fixed);
            if ends.iter().flatten().any(|&body| body >= bodies.len())
                || ends[0] == ends[1]
                || !ends.iter().any(|&body| moves(body))
            {
                return Err(JointError::Bodies { joint: joint(), bodies: bodies.len() });
            }
            if let JointKind::Distance { length } = spec.kind
                && !(length > 0.0 && length.is_finite())
            {
                return Err(JointError::Length { joint: joint(), length });
            }
            let of_body = |end: &JointEnd| match end.body {
                Some(body) => {
                    let body = &bodies[body];
                    let column = |k: usize| body.vector_b(&end.triad.column(k).into());
                    let triad = Matrix3::from_columns(&[column(0), column(1), column(2)]);
                    JointEnd { point: body.point_b(&end.point), triad, ..*end }
                }
                None => *end,
            };
            let (rows, first) = (joints.rows_of(spec)?, joints.n_rows);
            joints.n_rows += rows.len();
            let ends = spec.ends.each_ref().map(of_body);
            let moving = ends.iter().filter_map(|end| end.body).filter(|&body| !bodies[body].fixed);
            let gyration = moving.map(|body| bodies[body].gyration_radius()).sum();
            joints.all.push(Joint { name: joint(), rows, first, ends, gyration, group: 0 });
        }
        joints.find_groups(bodies);
        Ok(joints)
    }

    /// The equations of the next joint; keeps its springs, stops and motions.
    fn rows_of(&mut self, spec: &JointSpec) -> Result<Vec<Row>, JointError> {
        let number = self.all.len();
        let mut rows: Vec<Row> = spec.kind.equations().into_iter().map(Row::Kept).collect();
        for action in &spec.actions {
            action.check(&spec.name, spec.kind)?;
            let coordinate = action.coordinate;
            self.springs.extend(action.spring.map(|spring| (number, coordinate, spring)));
            self.stops.extend(action.stops.map(|stops| (number, coordinate, stops)));
            if let Some(motion) = &action.motion {
                // A length that follows a motion is not constant.
                rows.retain(|row| !matches!(row, Row::Kept(JointEquation::Length(_))));
                rows.push(Row::Driven(self.motions.len(), coordinate));
                self.motions.push(motion.clone());
            }
        }
        Ok(rows)
    }

    /// Joints that share moving bodies are a group.
    fn find_groups(&mut self, bodies: &[RigidBody]) {
        let moving = |end: &JointEnd| end.body.filter(|&body| !bodies[body].fixed);
        for start in 0..self.all.len() {
            let is_known = self.all[start].ends.iter().filter_map(moving).any(|b| self.group_of[b].is_some());
            if is_known {
                continue;
            }
            let group = self.n_groups;
            self.n_groups += 1;
            self.all[start].ends.iter().filter_map(moving).for_each(|b| self.group_of[b] = Some(group));
            loop {
                let mut has_grown = false;
                for joint in &self.all {
                    let mut own = joint.ends.iter().filter_map(moving);
                    if own.clone().any(|b| self.group_of[b] == Some(group))
                        && own.clone().any(|b| self.group_of[b].is_none())
                    {
                        own.by_ref().for_each(|b| self.group_of[b] = Some(group));
                        has_grown = true;
                    }
                }
                if !has_grown {
                    break;
                }
            }
        }
        for joint in &mut self.all {
            let first = joint.ends.iter().filter_map(moving).next();
            joint.group = first.and_then(|body| self.group_of[body]).unwrap_or_default();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl JointEnd {
    /// The end of a prepared joint where its body is.
    ///
    /// * `center` — the centre of mass \[m\], the point for moments
    /// * `rotation` — principal → inertial axes
    pub(crate) fn place(&self, center: &Vector3<f64>, rotation: &Matrix3<f64>) -> Place {
        Place {
            position: center + rotation * self.point,
            triad: rotation * self.triad,
            center: *center,
            stays: false,
            moved: Vector3::zeros(),
            turned: Matrix3::zeros(),
        }
    }

    /// The end on the ground.
    pub(crate) fn on_ground(&self) -> Place {
        Place {
            position: self.point,
            triad: self.triad,
            center: self.point,
            stays: true,
            moved: Vector3::zeros(),
            turned: Matrix3::zeros(),
        }
    }
}
