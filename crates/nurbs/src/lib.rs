//! B-splines and NURBS volumes.
//!
//! A [`KnotVector`] is one parametric direction, a [`Patch`] a trivariate NURBS, a [`Multipatch`] the glued body.
//! Read on in [`basis`] (functions and derivatives), [`line`] (knot insertion and degree elevation as linear maps
//! of one direction) and [`extraction`] (the same functions in Bernstein form, span by span).

pub mod basis;
pub mod bezier;
mod classes;
pub mod closest;
pub mod extraction;
pub mod glue;
pub mod grade;
pub mod integrate;
pub mod knots;
pub mod line;
pub mod multipatch;
pub mod patch;
pub mod read;
mod refine;
pub mod region;
pub mod solids;
mod spacing;
#[cfg(test)]
mod testing;
pub mod topology;
pub mod write;

pub use bezier::{BezierCell, BezierMesh};
pub use closest::Closest;
pub use extraction::Operator;
pub use glue::GlueError;
pub use grade::{GradeError, Grading};
pub use knots::{KnotError, KnotVector};
pub use line::LineOperator;
pub use multipatch::{Multipatch, Region};
pub use patch::{Derivatives, Patch, PatchError, Side};
pub use region::{PatchFace, UnknownRegion};
pub use topology::{Interface, Orientation};
