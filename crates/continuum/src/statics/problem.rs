//! The input of a static problem as plain data.

use std::sync::Arc;

use carom_contact::Law;
use carom_dynamics::{Axes, Placement};
use carom_fem::Body;

use super::body::StaticBody;

/// Bodies with supports, loads and contacts. Vectors are in inertial axes unless stated otherwise.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// The bodies.
    pub bodies: Vec<BodySpec>,
    /// Held parts of bodies.
    pub supports: Vec<Support>,
    /// Constant pressures.
    pub pressures: Vec<Pressure>,
    /// Forces and torques.
    pub forces: Vec<Force>,
    /// Pairs of surfaces that may touch.
    pub contacts: Vec<ContactSpec>,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
}

/// A body.
#[derive(Debug, Clone)]
pub struct BodySpec {
    /// Points, cells, sets and materials; its name is that of the body.
    pub geometry: Arc<Body>,
    /// True if it does not deform.
    pub is_rigid: bool,
    /// True if it does not move; only for rigid bodies.
    pub is_fixed: bool,
    /// Position of its source origin and its orientation; velocities are ignored.
    pub placement: Placement,
}

/// Directions in which a part of a body is held.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// Number of the body.
    pub body: usize,
    /// Set of the body.
    pub set: String,
    /// Whether it is held along x, y and z.
    pub directions: [bool; 3],
    /// Whether its rotations about x, y and z are held: of shells and beams in explicit dynamics alone.
    pub rotations: [bool; 3],
    /// Displacement under the full load in the directions that are held \[m\].
    pub displacement: [f64; 3],
}

/// A constant pressure on faces of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Pressure {
    /// Number of the body.
    pub body: usize,
    /// Set of the body.
    pub set: String,
    /// Positive in compression \[Pa\].
    pub value: f64,
}

/// A force and a torque on a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    /// Number of the body.
    pub body: usize,
    /// Where they act.
    pub at: Place,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both.
    pub axes: Axes,
}

/// Where a force acts.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Spread over a set: by area, or evenly over the points of a set without faces.
    Set(String),
    /// At a point in source coordinates, with a name for messages; only for rigid bodies.
    Point {
        /// Name of the point.
        name: String,
        /// Source coordinates \[m\].
        position: [f64; 3],
    },
}

/// Two surfaces that may touch, without friction.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactSpec {
    /// Numbers of the bodies.
    pub bodies: [usize; 2],
    /// A set of each; empty for the whole surface, on a half-space grid.
    pub sets: [String; 2],
    /// Relation between gap and pressure.
    pub law: Law,
    /// True if pressure at the rim of a zone, where the force is too low, is a warning and not an error.
    pub tolerates_rim: bool,
    /// True if the dent is that of half-spaces on a grid, false if the meshes resolve it.
    pub on_grid: bool,
}

impl ContactSpec {
    /// `BODY:SET` of both ends, `BODY` of a whole surface.
    pub(super) fn names(&self, bodies: &[StaticBody]) -> [String; 2] {
        [0, 1].map(|end| {
            let (body, set) = (&bodies[self.bodies[end]].name, &self.sets[end]);
            if set.is_empty() { body.clone() } else { format!("{body}:{set}") }
        })
    }
}
