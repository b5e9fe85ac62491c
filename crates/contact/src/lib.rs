//! Contact is one room with four floors: broad phase, geometry, law, solver.
//!
//! * [`broad`]: which of many boxes overlap: bodies that may touch, faces near a point
//! * [`geometry`]: faces over moving points, the closest point, the gap with its variations; planes and
//!   spheres
//! * [`pressure`]: one pressure per span, with its averaged gap; [`law`]: what pressure a gap brings about
//! * [`solver`]: complementarity problems
//! * [`closed_form`]: Hertz, a sphere on the end of a rod
//! * [`region`]: how a contact region gives way to a point load or a Hertz pressure, mode by mode
//! * [`patch`]: the plane of a pressure, Hertz' ellipse of two sampled surfaces, Hertz' pressure fitted to faces
//! * [`submodel`]: the condensed quasistatic problem that multibody and static schemes solve

pub mod broad;
pub mod closed_form;
pub mod geometry;
pub mod law;
pub mod patch;
pub mod pressure;
pub mod region;
pub mod shape;
pub mod solver;
pub mod submodel;

pub use law::{Law, Stiffness};
pub use shape::{Block, Edge, Shape};

#[cfg(test)]
mod test_surfaces;
