//! The quasistatic contact problem, condensed to the boundary (docs/theory/contact.md, eq. (53);
//! docs/quasistatic.md).
//!
//! The high modes of each body answer the contact without inertia. All that the contact sees of them is a
//! constant symmetric compliance U between forces and displacements of surface points, in the body frame:
//!
//! ```text
//! u = U f,   f = Σ_s λ_s B_s(u),   0 ≤ λ_s ⊥ g_s(u) + d_s λ_s ≥ 0,   B_s = ∂g_s/∂u
//! ```
//!
//! with the span gaps g_s of [`crate::pressure`] and the compliance d_s of the [`crate::Law`] (0 if hard).
//! These are the stationarity conditions of
//!
//! ```text
//! E(u) = ½ f·u + Σ_s ½ [−g_s]₊²/d_s     (hard: subject to g_s ≥ 0),
//! ```
//!
//! and the forces are −∂E/∂(pose) at fixed u (envelope theorem, docs/theory/contact.md, eq. (54)), so that a
//! system that integrates rigid motion and low modes under them conserves energy.
//!
//! Path to read: [`ContactBody`], [`Zone`] and [`Pair`] say what is there; [`QuasistaticContact`] is made of
//! them once. Each call of [`QuasistaticContact::solve`] takes a [`BodyState`] per body and a [`WarmState`],
//! plain data that carries all memory from one call to the next, and leaves a [`Solution`] in the
//! [`Workspace`]. The same state and the same warm state give the same bits, whatever the workspace was used
//! for before.
//!
//! One call: *pass* (gaps and their gradients at the present displacement), *condense* (W = Σ B U Bᵀ, kept
//! while it serves), active sets for the linearised problem, new displacement; until the displacement no
//! longer changes.

mod closed;
mod condense;
mod corners;
mod error;
mod evaluate;
mod linearised;
mod model;
mod motion;
mod patch;
mod results;
mod rubbing;
mod solve;
mod state;
mod tangents;
mod workspace;

pub use closed::RowForce;
pub use error::{SetupError, SolveError, Tolerances};
pub use model::{ContactBody, Pair, QuasistaticContact, Zone, compliance};
pub use motion::PointMotion;
pub use patch::Patch;
pub use results::{Overlap, PairSolution, RimPressure, Solution, WhichZone, Wrench};
pub use state::{BodyState, Row, SpanMemory, Twist, WarmState};
pub use tangents::{Anchor, FrictionMemory};
pub use workspace::Workspace;

#[cfg(test)]
mod tests;
