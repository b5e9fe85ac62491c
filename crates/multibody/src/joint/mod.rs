//! Joints: constraints between two bodies, or a body and the ground.
//!
//! A joint connects two *ends*: a marker of a body with a triad of axes that turns with it. Its equations are
//! rows g(x_i, D_i, x_j, D_j) = 0 of the positions and triads of the ends; the reaction on the bodies is −Gᵀ
//! λ.
//!
//! * `place`: where an end is, how it moves, which part of its acceleration is known
//! * `row`: the rows: value, derivatives, known part of the second rate; `row_state`: a row on the joints it
//!   is about
//! * `coordinate`: the free motion of joints as a number; `drive`: functions of time that it follows;
//!   `coupling`: linear relations between several
//! * `kind`: which rows a joint of each kind has
//! * `reactions`: the joints of a system: multipliers at the level of accelerations; `side`: a row on one
//!   body
//! * `project`: positions and velocities back to the joints
//! * `assemble`: rows that repeat others, consistent initial values; `rigid`: those that motions of
//!   undeformed bodies reach
//! * `transmitted`: forces and torques for results
//! * `skyline`: the factor of G M⁻¹ Gᵀ
//!
//! # Source
//!
//! docs/theory/floating-frame.md, section 3.5; Shabana, Dynamics of Multibody Systems, ch. 5.

mod assemble;
mod carried;
mod check;
mod coordinate;
mod coupling;
mod drive;
mod place;
mod project;
mod reactions;
mod rigid;
mod row;
mod row_now;
mod row_order;
mod row_state;
mod side;
mod skyline;
mod spec_error;
mod transmitted;

use carom_dynamics::Marker;
use nalgebra::Matrix3;

pub use carom_dynamics::JointKind;

pub(crate) use assemble::reset_impulses;
pub use assemble::{Assembly, AssemblyError, Displaced};
pub(crate) use check::check_ends;
use check::check_joint;
pub use coordinate::Coordinate;
pub(crate) use coordinate::within_a_turn;
pub use coupling::{Coupling, CouplingError, CouplingTerm};
pub use drive::{Drive, DriveError};
pub(crate) use place::Place;
pub(crate) use project::DRIFT;
pub use project::ProjectError;
pub(crate) use project::Projection;
pub(crate) use reactions::Constraints;
pub use spec_error::SpecError;
pub(crate) use transmitted::write_joint_states;

/// One end of a joint, a spring or a bushing.
#[derive(Debug, Clone, PartialEq)]
pub struct JointEnd {
    /// Index of the body; none for the ground.
    pub body: Option<usize>,
    /// Where: for the ground a point in inertial coordinates.
    pub marker: Marker,
    /// Axes of the end in the axes of its body (or of the ground), while undeformed.
    pub triad_b: Matrix3<f64>,
}

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name, as shown to the user.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// Its ends.
    pub ends: [JointEnd; 2],
}
