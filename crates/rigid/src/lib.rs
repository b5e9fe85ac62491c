//! Rigid bodies whose energy and momenta are exact, step by step.
//!
//! * [`RigidBody`]: mass, principal moments and axes; [`State`]: position, quaternion, momentum, angular
//!   momentum
//! * [`Turn`]: the rotation of one step by Simo and Wong
//! * [`Shape`], [`Ball`], [`Edge`], [`PairSpec`]: points, balls and edges of one body that may touch a
//!   surface of another
//! * [`System`]: bodies and pairs in motion; [`System::step`] is the scheme
//! * [`Simulation`]: the time loop: frames, impacts, checkpoints
//!
//! Reading order: `turn`, `state`, `body`, `stage`, `step`, `search`, `held`, `contact`, `impulses`,
//! `spring`, `law`, `normal`, `friction`, `limit`.
//!
//! Sources: Puso & Zywicz (1998), Zywicz & Puso (1999), both with the corrections of THEORY 8; Simo & Wong,
//! Int. J. Numer. Meth. Eng. 31 (1991), 19–52.

pub mod body;
mod contact;
mod divided;
mod elimination;
mod friction;
mod groups;
mod held;
mod impulses;
mod law;
mod limit;
mod nearby;
mod normal;
pub mod pair;
pub mod restart;
mod search;
pub mod simulation;
mod spring;
mod stage;
pub mod state;
mod step;
pub mod step_error;
mod surface;
mod swept;
pub mod system;
pub mod turn;

pub use body::{BodyError, RigidBody};
pub use carom_contact::geometry::{Plane, Sphere};
pub use carom_contact::{Block, Edge, Law, Shape};
pub use limit::Limited;
pub use pair::{Ball, PairError, PairSpec};
pub use simulation::{RunError, Settings, Simulation};
pub use state::State;
pub use step_error::{StepError, Unsolved};
pub use system::{Books, PairReport, System, SystemError};
pub use turn::{TooFast, Turn};
