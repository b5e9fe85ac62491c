//! B-splines and NURBS volumes.
//!
//! A [`KnotVector`] is one parametric direction, a [`Patch`] a trivariate NURBS, a [`Multipatch`] the glued body.
//! Read on in [`basis`] (functions and derivatives), [`line`] (knot insertion and degree elevation as linear maps
//! of one direction) and [`extraction`] (the same functions in Bernstein form, span by span).

pub mod basis;
pub mod extraction;
pub mod knots;
pub mod line;
pub mod multipatch;
pub mod patch;
#[cfg(test)]
mod testing;

pub use extraction::Operator;
pub use knots::{KnotError, KnotVector};
pub use line::LineOperator;
pub use multipatch::{Multipatch, Region};
pub use patch::{Derivatives, Patch, PatchError, Side};
