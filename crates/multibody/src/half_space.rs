//! Contact on half-space grids inside the rate: the dent from a half-space, the rest from the modes and the
//! residual compliance of each body at places of its surface (docs/theory/half-space.md, section 11.8).
//!
//! A pair has one contact spot, whose grid is fixed to one of its bodies
//! ([`FixedGrid`](carom_contact::half_space::FixedGrid)). Within a step the grid stays as the last accepted
//! state left it, so that forces are derivatives of a potential; it is laid anew at the end of a step, when
//! the contact has moved by a cell.
//!
//! [`HalfSpaceSpec`] says what may touch, [`HalfSpaceContacts`] is the [`ContactModel`](crate::ContactModel)
//! made of it.

mod doubts;
mod estimate;
mod grids;
mod hull;
mod laying;
mod memory;
mod model;
mod moving;
mod neighbours;
mod pair;
mod reported;
mod settled;
mod setup;
mod touched;

pub(crate) use estimate::{MESH, OF_IMPACT, half_sine_response};
pub use model::HalfSpaceContacts;
pub use setup::{HalfSpaceSetupError, HalfSpaceSpec, HalfSpaceSurface};
pub use touched::Touched;
