//! Rigid and reduced bodies in the floating frame of reference, integrated in momenta.
//!
//! * [`FloatingFrame`]: the constants of a body over its dynamic modes; [`Kinetics`]: its mass matrix,
//!   velocities from momenta, ∂T/∂q
//! * [`Body`]: a rigid or reduced body and where its frame lies in the source geometry
//! * [`UnitLoad`]: the directions in which joints and loads act on a body, for the static modes under
//!   them
//! * [`Joint`]: constraints between bodies; [`Drive`]: prescribed motions; [`ForceElement`]: springs,
//!   dampers, stops, bushings
//! * [`System`]: bodies under loads as an ordinary differential equation; its balance of energy and momenta
//! * [`ContactModel`]: pairs of surfaces that may touch; [`HertzContact`]: spheres and planes with Hertz' law
//! * [`QuasistaticContacts`]: the submodel of `carom-contact` in which high modes respond without inertia;
//!   [`ModalPoints`]: surface points as functions of modal coordinates
//! * [`Equilibrium`]: static equilibrium of a mechanism
//! * [`Simulation`]: the time loop: adaptive steps that end where contact begins or ends, outputs,
//!   checkpoints
//! * [`Probe`]: quantities at points, of joints and contacts at times of their own
//! * `linearity`: whether reduced bodies stay within linear theory
//! * `resolution`: whether meshes resolve their contacts; `expected_error`: errors of impacts on these
//!   meshes; `force_swing`: forces that oscillate with the modes next to a split
//! * [`Leapfrog`]: one body in explicit steps, for the contact of reduced bodies with unreduced ones
//! * [`velocity_form`]: the same equations in velocities, docs/theory/floating-frame.md, eq. (31)
//!
//! Parts of a system, each with a private state: `bodies`, `force`, `contacts`, `joint`,
//! `applied`. Parts of a run: `stepper`, `events`, `outputs`, `probe`, `linearity`, `centrifugal_watch`,
//! `stall`.
//!
//! # Example
//!
//! A ball of 1 kg falls for a second:
//!
//! ```
//! use carom_dynamics::{Ignore, Loads, Placement};
//! use carom_multibody::{Body, Settings, Simulation, System};
//! use carom_progress::Silent;
//! use nalgebra::{Matrix3, Vector3};
//!
//! let inertia = Matrix3::from_diagonal_element(1e-3);
//! let ball = Body::rigid("ball", 1.0, inertia, Vector3::zeros())?;
//! let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
//! let system = System::new(vec![ball], loads, Vec::new())?;
//! let mut simulation = Simulation::new(system, &[Placement::default()], Settings::until(1.0))?;
//! let summary = simulation.run(&mut Ignore, &Silent)?;
//! let [.., height] = simulation.body_states()?[0].position;
//! assert!((height + 4.905).abs() < 1e-6 && summary.contacts.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: `modal_matrix`, `floating_frame`, `kinetics`, `body`, `layout`, `bodies`, `joint`, `force`,
//! `contact`, `contacts`, `system`, `balance`, `scales`, `pair_memory`, `stepper`, `events`, `probe`,
//! `simulation`, `restart`.

mod applied;
mod balance;
mod bodies;
pub mod body;
mod centrifugal;
mod centrifugal_watch;
pub mod contact;
mod contacts;
mod definite;
pub mod equilibrium;
mod events;
mod expected_error;
pub mod floating_frame;
pub mod force;
mod force_swing;
pub mod half_space;
pub mod hertz_contact;
pub mod joint;
pub mod kinetics;
pub mod layout;
pub mod leapfrog;
mod linearity;
mod marker;
pub mod modal_matrix;
mod modal_points;
mod no_step;
pub mod outcome;
mod outputs;
pub mod pair_memory;
mod pair_slots;
pub mod probe;
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
pub mod tangential;
mod unit_load;
pub mod velocities;
pub mod velocity_form;
mod warnings;

pub use body::{Body, BodyError, InitialState};
pub use carom_contact::{Law, Shape};
pub use contact::{
    BodyForces, ContactFailure, ContactModel, ContactSums, HertzNumbers, LoadedPatch, Motion, Overlap,
    Reaction, Rim, RimPolicy,
};
pub use definite::Indefinite;
pub use equilibrium::{
    ContactFriction, Equilibrium, EquilibriumError, EquilibriumMode, Excitation, Response,
};
pub use floating_frame::{CouplingSlopes, DampingFailure, FloatingFrame, FrameError};
pub use force::{Bushing, ForceElement, ForceLaw, Spring, Stops};
pub use half_space::{HalfSpaceContacts, HalfSpaceSetupError, HalfSpaceSpec, HalfSpaceSurface, Touched};
pub use hertz_contact::{HertzContact, HertzShape};
pub use joint::{
    Assembly, AssemblyError, Coordinate, Coupling, CouplingError, CouplingTerm, Displaced, Drive, DriveError,
    Joint, JointEnd, JointKind, ProjectError, SpecError,
};
pub use kinetics::{Kinetics, MassError};
pub use layout::Layout;
pub use leapfrog::{Leapfrog, Momenta};
pub use marker::{attached_marker, mean_marker};
pub use modal_matrix::ModalMatrix;
pub use modal_points::ModalPoints;
pub use outcome::{RimPlace, RunError, RunSummary};
pub use pair_memory::PairMemory;
pub use probe::{CellPressures, PlaceStress, Probe, ProbeError, ProbePlace};
pub use quasistatic::{
    ContactSetupError, ContactSolveError, ContactSpec, ContactSurface, QuasistaticContacts,
};
pub use scales::Scales;
pub use settings::{Settings, Start};
pub use simulation::Simulation;
pub use system::System;
pub use system_error::{RateError, SystemError};
pub use tangential::Tangential;
pub use unit_load::{UnitLoad, bound_loads, unit_loads};
pub use velocities::Velocities;
