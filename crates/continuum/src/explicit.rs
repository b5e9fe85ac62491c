//! Explicit dynamics: central differences in time, large deformation, contact by multipliers in predicted and
//! corrected steps.
//!
//! ```text
//! v_{n+1/2} = v_{n−1/2} + dt̃ M⁻¹ (f_ext − f_int(x_n) + f_contact),   x_{n+1} = x_n + dt v_{n+1/2}
//! ```
//!
//! with lumped mass M and dt̃ = ½ (dt_{n−1} + dt_n). A step without contact forces is *predicted*. If nodes
//! would pass through faces, multipliers *correct* it by the smallest impulses along the normals that leave
//! no gap below zero, see `contact`. The coordinates of a deformable body are its points. Rigid bodies are
//! those of [`carom_rigid`], with steps from t_{n−1/2} to t_{n+1/2}: their impulses act at the position of
//! the body at t_n, like those of points, so that both have the same time levels (docs/decisions/0043).
//!
//! Path to read: [`problem`] is the input; `step` is the scheme; `flexible` and `rigid` are the bodies,
//! `contact` is the interaction between them, `books` the balance; [`simulation`] is the time loop.
//!
//! # Source
//!
//! Zywicz & Puso (1999), with the corrections of docs/papers.md. Theory:
//! docs/theory/whole-bodies.md, eq. (84).

mod bodies;
mod books;
mod contact;
mod deformable;
mod error;
mod flexible;
mod joint_means;
pub(crate) mod loads;
pub(crate) mod pressed;
mod probed;
pub mod problem;
mod reduced;
mod restart;
mod rigid;
mod rigid_loads;
mod rigid_pairs;
mod rigid_probed;
pub mod simulation;
mod step;
mod step_size;
mod turning;
mod which;

pub use contact::ContactCounts;
pub use error::{RunError, SetupError, StepError};
pub(crate) use flexible::held;
pub use problem::{
    AddedMass, AutomaticSpec, BodyKind, BodySpec, ContactSpec, EnlargedInertia, Load, Place, Pressure,
    Problem, RigidContactSpec, Settings, SideSpec, Support,
};
pub(crate) use restart::length;
pub use simulation::Simulation;
