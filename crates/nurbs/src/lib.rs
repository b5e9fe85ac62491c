//! B-splines and NURBS volumes.
//!
//! A [`KnotVector`] is one parametric direction, a [`Patch`] a trivariate NURBS, a [`Multipatch`] the glued body.

pub mod knots;
pub mod multipatch;
pub mod patch;

pub use knots::{KnotError, KnotVector};
pub use multipatch::{Multipatch, Region};
pub use patch::{Patch, Side};
