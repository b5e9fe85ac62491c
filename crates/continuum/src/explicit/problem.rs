//! The input of explicit dynamics as plain data.

use std::sync::Arc;

use carom_contact::solver::StepRule;
use carom_contact::{Law, Shape};
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::Body;
use carom_fem::constitutive::SolidLaw;
use carom_fem::internal_force::PointRule;
use carom_rigid::{CrowdSpec, JointSpec, PairSpec, RigidBody};

pub use crate::statics::{Place, Pressure, Support};

/// Bodies with supports, loads and contacts. Vectors are in inertial axes unless stated otherwise.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// The bodies.
    pub bodies: Vec<BodySpec>,
    /// Held parts of deformable bodies; displacements grow at constant velocity until the end of the run.
    pub supports: Vec<Support>,
    /// Pressures on the deformed surface.
    pub pressures: Vec<Pressure>,
    /// Forces and torques.
    pub loads: Vec<Load>,
    /// Pairs of surfaces that may touch, at least one of them of a deformable body.
    pub contacts: Vec<ContactSpec>,
    /// Contacts of the outer surfaces of all bodies with each other and with themselves.
    pub automatic: Vec<AutomaticSpec>,
    /// Contacts of two rigid bodies.
    pub rigid_contacts: Vec<RigidContactSpec>,
    /// Rigid bodies of which any two may touch, each list with its number among all contacts; bodies are
    /// numbered as in [`Problem::bodies`].
    pub rigid_crowds: Vec<(usize, CrowdSpec)>,
    /// Joints of two rigid bodies, or of one and the ground; bodies are numbered as in [`Problem::bodies`].
    pub joints: Vec<JointSpec>,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Smallest step of the undeformed bodies: cells that need a smaller one get more mass. None keeps all
    /// masses \[s\].
    pub smallest_step: Option<f64>,
}

/// Mass that a body got for the sake of the step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AddedMass {
    /// The mass without it, and the added mass \[kg\].
    pub masses: [f64; 2],
    /// Number of cells that have more mass, and of all cells.
    pub cells: [usize; 2],
    /// The largest factor of the mass of a cell.
    pub largest_factor: f64,
}

impl AddedMass {
    /// The added mass relative to the mass without it.
    pub fn share(&self) -> f64 {
        self.masses[1] / self.masses[0]
    }
}

/// Rotary inertia of shells that is larger than that of their wall for the sake of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnlargedInertia {
    /// Number of shells with enlarged rotary inertia, and of all shells.
    pub cells: [usize; 2],
    /// The largest ratio to the rotary inertia ρ h³/12 of the wall.
    pub largest_ratio: f64,
}

/// A body.
#[derive(Debug, Clone)]
pub struct BodySpec {
    /// Points, cells, sets and materials; its name is that of the body.
    pub geometry: Arc<Body>,
    /// Whether it deforms.
    pub kind: BodyKind,
    /// Position, orientation and motion of the body at the start.
    pub placement: Placement,
}

/// Whether a body deforms.
#[derive(Debug, Clone)]
pub enum BodyKind {
    /// The body deforms.
    Deformable {
        /// The law of each block of cells.
        laws: Vec<SolidLaw>,
        /// Quadrature points for stresses.
        rule: PointRule,
        /// Linear and quadratic bulk viscosity; zeros for none.
        viscosity: [f64; 2],
    },
    /// The body is rigid.
    Rigid(RigidBody),
    /// The body is reduced: its frame and all modes that its kinetics has are unknowns, and its surfaces are
    /// those of its model. The geometry has no cells.
    Reduced(Arc<carom_multibody::Body>),
}

/// A force and a torque on a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Number of the body.
    pub body: usize,
    /// Place where they act.
    pub at: Place,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both; those of a deformable body are its axes at the start.
    pub axes: Axes,
    /// Function of time that multiplies both.
    pub scale: TimeFunction,
}

/// Surface of one side of a contact pair.
#[derive(Debug, Clone, PartialEq)]
pub enum SideSpec {
    /// Faces of a set of the body.
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
    /// Surface of each body.
    pub sides: [SideSpec; 2],
    /// Hard contact by multipliers, or a penalty.
    pub law: Law,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Two surfaces of rigid bodies that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidContactSpec {
    /// Number among all contacts of the scenario.
    pub number: usize,
    /// Numbers of the bodies, in the order of the scenario: forces and impulses are those on the first.
    pub bodies: [usize; 2],
    /// The points of one body on the surface of the other; one pair, or one for each of the two ways. Bodies
    /// are numbered as in [`Problem::bodies`].
    pub pairs: Vec<PairSpec>,
}

/// Contact of the outer surfaces of all bodies, with each other and with themselves. Contacts of two rigid
/// bodies with each other are those of [`Problem::rigid_crowds`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutomaticSpec {
    /// Number among all contacts of the scenario.
    pub number: usize,
    /// Hard contact by multipliers, or a penalty.
    pub law: Law,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Time steps and output of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// End of the run \[s\].
    pub end_time: f64,
    /// Time between frames \[s\].
    pub output_every: f64,
    /// Ratio of the step to the critical step.
    pub courant: f64,
    /// The length of all steps \[s\]; replaces `courant`.
    pub time_step: Option<f64>,
    /// Error of a gap of multipliers that is allowed, relative to the thickness of the shell or beam that
    /// touches, or to the diagonal of the face (Zywicz & Puso 1999, eq. (61), who recommend 1e-3); 0 for
    /// round-off.
    pub contact_tolerance: f64,
    /// Rule of the steps of the conjugate gradients for multipliers.
    pub step_rule: StepRule,
}

impl Settings {
    /// Steps of nine tenths of the critical step, a hundred frames, multipliers to round-off.
    pub fn until(end_time: f64) -> Self {
        Self {
            end_time,
            output_every: end_time / 100.0,
            courant: 0.9,
            time_step: None,
            contact_tolerance: 0.0,
            step_rule: StepRule::default(),
        }
    }
}
