//! B-splines and NURBS volumes.
//!
//! A [`KnotVector`] is one parametric direction, a [`Patch`] a trivariate NURBS, a [`Multipatch`] the glued
//! body.
//!
//! Reading order: [`basis`] (functions and derivatives), [`mod@line`] (knot insertion and degree elevation
//! as linear maps of one direction), [`extraction`] (the same functions in Bernstein form, span by span),
//! [`glue`] (patches to bodies, by the coordinates of their control points), [`matching`] (the same for
//! different knots), [`Gluing`] and [`topology`] (later by their numbers), [`grade`] (knots for a contact),
//! [`hierarchy`] (local refinement), [`coarsen`] (removal of knots), [`region`] (named parts of the
//! surface), [`bezier`] (cells for pictures). Bodies come from [`solids`] or [`read`].
//!
//! ```
//! use carom_nurbs::{Grading, solids};
//!
//! // A ball of radius 15 mm with spans of 0.4 mm around its pole.
//! let ball = solids::ball(0.015, Some(1.0e-3))?;
//! let graded = ball.grade(&Grading::new([0.0, 0.0, 0.015], 1.0e-3, 4.0e-4))?;
//! assert_eq!(ball.n_points(), 517);
//! assert_eq!(graded.faces(&graded.region("pole")?).len(), 25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod basis;
pub mod bezier;
mod classes;
pub mod closest;
pub mod coarsen;
pub mod extraction;
mod facing;
pub mod glue;
mod gluing;
pub mod grade;
pub mod hierarchy;
pub mod integrate;
pub mod knots;
pub mod line;
pub mod matching;
mod mfem_cells;
pub mod multipatch;
pub mod patch;
pub mod read;
mod refine;
pub mod region;
mod removal;
pub mod solids;
mod spacing;
#[cfg(test)]
mod testing;
pub mod topology;
mod touching;
pub mod write;

pub use bezier::{BezierCell, BezierMesh};
pub use closest::Closest;
pub use coarsen::{CoarsenError, Coarsened};
pub use extraction::Operator;
pub use facing::NearSides;
pub use glue::GlueError;
pub use gluing::{Gluing, GluingError};
pub use grade::{GradeError, Grading};
pub use hierarchy::{HierarchicalPatch, Hierarchy, HierarchyError, Near, Target};
pub use knots::{KnotError, KnotVector};
pub use line::LineOperator;
pub use matching::Matched;
pub use multipatch::{Multipatch, Region};
pub use patch::{Derivatives, Patch, PatchError, Side};
pub use region::{PatchFace, UnknownRegion};
pub use topology::{Interface, Orientation};
