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
//! with the gaps g_s of the pressure cells (module [`crate::pressure`]) and the compliance d_s of the [`crate::Law`] (0 if hard).
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

mod body;
mod body_state;
mod closed;
mod condensed;
mod corners;
mod error;
mod face_sizes;
mod friction;
mod gaps;
mod iterate;
mod model;
mod motion;
mod numbers;
mod overlap;
mod pair;
mod patch;
mod results;
mod row;
mod solution;
mod unknowns;
mod warm_state;
mod workspace;
mod zone;

pub use body::{ContactBody, compliance};
pub use body_state::{BodyState, Twist};
pub use closed::RowForce;
pub use error::{SetupError, SolveError, Tolerances};
pub use model::QuasistaticContact;
pub use motion::PointMotion;
pub use pair::Pair;
pub use patch::Patch;
pub use solution::{Overlap, PairSolution, RimPressure, Solution, WhichZone, Wrench};
pub use warm_state::WarmState;
pub use workspace::Workspace;
pub use zone::Zone;

#[cfg(test)]
mod tests;
