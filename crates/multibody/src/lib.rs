//! Rigid and reduced bodies in the floating frame of reference, integrated in momenta.
//!
//! * [`FloatingFrame`]: the constants of a body over its dynamic modes; [`Kinetics`]: its mass matrix,
//!   velocities from momenta, ∂T/∂q
//! * [`Body`]: a rigid or reduced body and where its frame lies in the source geometry
//! * [`UnitLoad`]: the directions in which joints and loads act on a body, for the static modes that answer
//!   them
//! * [`Joint`]: what keeps bodies together; [`Drive`]: what moves them; [`ForceElement`]: springs, dampers,
//!   stops, bushings
//! * [`System`]: bodies under loads as an ordinary differential equation; its balance of energy and momenta
//! * [`ContactModel`]: pairs of surfaces that may touch; [`HertzContact`]: spheres and planes with Hertz' law
//! * [`QuasistaticContacts`]: the submodel of `carom-contact` in which high modes answer without inertia
//! * [`Simulation`]: the time loop: adaptive steps that end where contact begins or ends, outputs,
//!   checkpoints
//! * `linearity`: whether reduced bodies stay within linear theory
//! * `resolution`: whether meshes resolve their contacts; `force_swing`: forces that oscillate with the modes
//!   next to a split
//! * `second_order`: the system taken apart for generalised-α: increments, momenta, rows of joints
//! * [`velocity_form`]: the same equations in velocities, THEORY (1.1)
//!
//! Reading order: `modal_matrix`, `floating_frame`, `kinetics`, `body`, `layout`, `joint`, `force`, `system`,
//! `balance`, `contact`, `scales`, `pair_memory`, `simulation`, `within_step`, `restart`.

mod applied;
mod balance;
mod bodies;
pub mod body;
mod centrifugal;
pub mod contact;
mod contacts;
mod events;
pub mod floating_frame;
pub mod force;
mod force_swing;
pub mod hertz_contact;
pub mod joint;
pub mod kinetics;
pub mod layout;
mod linearity;
mod marker;
pub mod modal_matrix;
mod no_step;
pub mod outcome;
mod outputs;
pub mod pair_memory;
pub mod quasistatic;
mod resolution;
pub mod restart;
pub mod scales;
pub mod settings;
pub mod simulation;
mod snapshot;
mod stall;
mod stepper;
pub mod system;
pub mod system_error;
mod unit_load;
pub mod velocity_form;
mod warnings;

pub use body::{Body, BodyError, InitialState};
pub use carom_contact::{Law, Shape};
pub use contact::{
    BodyForces, ContactFailure, ContactModel, ContactSums, HertzNumbers, LoadedPatch, Motion, Overlap,
    Reaction, Rim, RimPolicy,
};
pub use floating_frame::{DampingFailure, FloatingFrame, FrameError};
pub use force::{Bushing, ForceElement, ForceLaw, Spring, Stops};
pub use hertz_contact::{HertzContact, HertzShape};
pub use joint::{
    Assembly, AssemblyError, Coordinate, Displaced, Drive, DriveError, Joint, JointEnd, JointKind,
    ProjectError, SpecError,
};
pub use kinetics::{Kinetics, MassError, Velocities};
pub use layout::Layout;
pub use marker::{attached_marker, mean_marker};
pub use modal_matrix::ModalMatrix;
pub use outcome::{RimPlace, RunError, RunSummary};
pub use pair_memory::PairMemory;
pub use quasistatic::{
    ContactSetupError, ContactSolveError, ContactSpec, ContactSurface, QuasistaticContacts,
};
pub use scales::Scales;
pub use settings::Settings;
pub use simulation::Simulation;
pub use system::System;
pub use system_error::{RateError, SystemError};
pub use unit_load::{UnitLoad, bound_loads, unit_loads};
