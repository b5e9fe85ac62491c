//! Rigid bodies whose energy and momenta are exact, step by step.
//!
//! * [`RigidBody`]: mass, principal moments and axes; [`State`]: position, quaternion, momentum, angular
//!   momentum
//! * [`Turn`]: the rotation of one step by Simo and Wong
//! * [`Shape`], [`Ball`], [`Edge`], [`MovingPoints`], [`PairSpec`]: points, balls, edges and curved faces of
//!   one body that may touch a surface of another; [`OffsetPoints`]: points as functions of the pose
//! * [`JointSpec`]: joints of two bodies, or a body and the ground; [`ActionSpec`]: their springs, stops and
//!   motions
//! * [`ForceSpec`], [`SpringSpec`]: forces by functions of time, and springs with dampers
//! * [`CrowdSpec`]: bodies of which any two may touch, with pairs that exist while they are near
//! * [`Contacts`]: pairs and crowds under the numbers of a scenario's contacts, with their events
//! * [`System`]: bodies and pairs in motion; [`System::step`] is the scheme
//! * [`Simulation`]: the time loop: frames, impacts, checkpoints
//!
//! # Example
//!
//! A ball falls on the ground and keeps half of its speed.
//!
//! ```
//! use carom_dynamics::Placement;
//! use carom_rigid::{Ball, Law, PairSpec, RigidBody, Shape, System};
//! use nalgebra::{Matrix3, Vector3};
//!
//! let (mass, radius) = (2.0, 0.1);
//! let inertia = Matrix3::identity() * (0.4 * mass * radius * radius);
//! let ball = RigidBody::new("ball", mass, inertia, Vector3::zeros())?;
//! let ground = RigidBody::new("ground", 1.0, Matrix3::identity(), Vector3::zeros())?.fixed();
//! let contact = PairSpec {
//!     bodies: [0, 1],
//!     points: vec![Ball::new(Vector3::zeros(), radius)],
//!     moving: None,
//!     edges: [Vec::new(), Vec::new()],
//!     shape: Shape::plane(Vector3::zeros(), Vector3::z()).expect("a normal with a direction"),
//!     law: Law::Hard,
//!     restitution: 0.5,
//!     friction: 0.0,
//! };
//! let start = [Placement { origin: [0.0, 0.0, 0.2], ..Placement::default() }, Placement::default()];
//! let gravity = Vector3::new(0.0, 0.0, -10.0);
//! let mut system = System::new(vec![ball, ground], &start, &[contact], gravity, 1e-4)?;
//!
//! let speed = |system: &System| system.states()[0].momentum.z / mass;
//! let mut before = 0.0;
//! while system.n_impulses() == 0 {
//!     before = speed(&system);
//!     system.step()?;
//! }
//! // It has fallen by 0.1 m, and a step adds 1 mm/s.
//! assert!((before + 2.0_f64.sqrt()).abs() < 2e-3);
//! assert!((speed(&system) + 0.5 * before).abs() < 2e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: `turn`, `state`, `body`, `stage`, `step`, `search`, `held`, `moving`, `sphere_tree`,
//! `known_gaps`, `look_at_moving`, `parted`, `contact`, `redundant`, `impulses`, `joint`, `action`, `stop`,
//! `spring`, `law`, `normal`, `friction`, `limit`.
//!
//! Sources: Puso & Zywicz (1998), Zywicz & Puso (1999), both with the corrections of docs/papers.md; Simo &
//! Wong, Int. J. Numer. Meth. Eng. 31 (1991), 19–52.

// The problems of the tests name the crate as its users do.
#[cfg(test)]
extern crate self as carom_rigid;

pub mod action;
pub mod body;
mod contact;
mod contradiction;
mod crowd;
mod divided;
mod edges;
mod elimination;
mod free_steps;
mod friction;
mod groups;
mod held;
mod impulses;
mod joined;
pub mod joint;
mod known_gaps;
mod law;
mod limit;
mod look_at_moving;
pub mod moving;
mod nearby;
mod normal;
pub mod pair;
mod parted;
pub mod points;
mod pressed;
mod probes;
mod redundant;
pub mod restart;
mod search;
pub mod simulation;
mod snapshot;
mod sphere_tree;
mod spring;
mod stage;
pub mod state;
mod step;
pub mod step_error;
mod stop;
mod surface;
mod swept;
pub mod system;
mod tracking;
pub mod turn;

pub use action::{ForceSpec, SpringError, SpringSpec};
pub use body::{BodyError, RigidBody};
pub use carom_contact::geometry::{Plane, Sphere};
pub use carom_contact::{Block, Edge, Law, Shape};
pub use crowd::{CrowdSpec, MemberSpec};
pub use edges::MOST_EDGES;
pub use joint::coordinate::{ActionSpec, Coordinate, JointSpring, StopLaw, StopSpec};
pub use joint::impulse::JointImpulse;
pub use joint::start::Displaced;
pub use joint::{JointEnd, JointError, JointSpec};
pub use limit::{Limited, Loose};
pub use moving::{MovingPoint, MovingPoints};
pub use pair::{Ball, PairError, PairSpec};
pub use points::OffsetPoints;
pub use simulation::{RunError, Settings, Simulation};
pub use snapshot::Snapshot;
pub use state::State;
pub use step_error::{StepError, Unsolved};
pub use swept::Missed;
pub use system::{Books, FreeMotion, PairReport, System, SystemError};
pub use tracking::{ContactPlace, Contacts, StepTimes, restored_events, save_events};
pub use turn::{TooFast, Turn};
