//! The scheme `rigid`: bodies with exact energy and momenta, `carom-rigid`.
//!
//! `setup` makes a system of a scenario, from `shapes` that touch, or of `everything`; `repeated` finds
//! contacts that are named twice, `run` moves the bodies.

mod block;
pub(crate) mod doubts;
pub(crate) mod error;
mod everything;
pub(crate) mod joined;
mod moving_points;
mod repeated;
mod rolling;
mod run;
mod setup;
mod shapes;
mod spline_points;

pub use error::RigidSetUpError;
pub(crate) use everything::{edges_of, joined, left_out, whole};
pub(crate) use joined::EndError;
pub use repeated::RepeatedContact;
pub(crate) use run::{CONTACT_IMPULSES, MISSED_CONTACTS, RigidRun};
pub(crate) use setup::{pair, problem};
pub use shapes::ShapeRole;
pub(crate) use shapes::{Role, shape_role, shape_surface, wrong_role};
