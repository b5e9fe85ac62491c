//! A problem of explicit dynamics as plain data.

use std::sync::Arc;

use carom_contact::{Law, Shape};
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::Body;
use carom_fem::constitutive::SolidLaw;
use carom_fem::internal_force::PointRule;
use carom_rigid::{PairSpec, RigidBody};

pub use crate::statics::{Place, Support};

/// Bodies with what holds, loads and touches them. Vectors are in inertial axes unless said otherwise.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// The bodies.
    pub bodies: Vec<BodySpec>,
    /// Held parts of deformable bodies; a displacement is reached at the end of the run, at constant velocity.
    pub supports: Vec<Support>,
    /// Pressures on the deformed surface.
    pub pressures: Vec<Pressure>,
    /// Forces and torques.
    pub loads: Vec<Load>,
    /// Pairs of surfaces that may touch, at least one of them of a deformable body.
    pub contacts: Vec<ContactSpec>,
    /// Pairs of rigid bodies; bodies are numbered as in [`Problem::bodies`], and each pair is that number
    /// among all contacts of the scenario.
    pub rigid_pairs: Vec<(usize, PairSpec)>,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
}

/// A body.
#[derive(Debug, Clone)]
pub struct BodySpec {
    /// Points, cells, sets and materials; its name is that of the body.
    pub geometry: Arc<Body>,
    /// Whether it deforms.
    pub kind: BodyKind,
    /// Where it lies, how it is turned and how it moves at the start.
    pub placement: Placement,
}

/// Whether a body deforms.
#[derive(Debug, Clone)]
pub enum BodyKind {
    /// It does.
    Deformable {
        /// The law of each block of cells.
        laws: Vec<SolidLaw>,
        /// Where stresses are computed.
        rule: PointRule,
    },
    /// It does not.
    Rigid(RigidBody),
}

/// A constant pressure on faces of a deformable body, along the normals of the deformed faces.
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
pub struct Load {
    /// Number of the body.
    pub body: usize,
    /// Where they act.
    pub at: Place,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both; those of a deformable body are its axes at the start.
    pub axes: Axes,
    /// Function of time that both are multiplied by.
    pub scale: TimeFunction,
}

/// What a side of a contact pair is.
#[derive(Debug, Clone, PartialEq)]
pub enum SideSpec {
    /// Faces of the body: a set of it.
    Set(String),
    /// A shape of a rigid body, in the axes of its source geometry.
    Shape(Shape),
}

/// Two surfaces that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactSpec {
    /// Number of the pair among all contacts of the scenario.
    pub number: usize,
    /// Numbers of the bodies.
    pub bodies: [usize; 2],
    /// A side of each.
    pub sides: [SideSpec; 2],
    /// Hard contact by multipliers, or a penalty.
    pub law: Law,
    /// Coefficient of friction.
    pub friction: f64,
}

/// How a run steps and what it hands over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// End of the run \[s\].
    pub end_time: f64,
    /// Time between frames \[s\].
    pub output_every: f64,
    /// Part of the critical step that is taken.
    pub courant: f64,
    /// The length of all steps instead \[s\].
    pub time_step: Option<f64>,
}
