//! The quasistatic contact problem, condensed to the boundary (docs/theory/contact.md, eq. (53);
//! docs/quasistatic.md).
//!
//! The high modes of each body respond to the contact without inertia: by a constant symmetric compliance U
//! between forces and displacements of surface points, in the body frame:
//!
//! ```text
//! u = U f,   f = Σ_s λ_s B_s(u),   0 ≤ λ_s ⊥ g_s(u) + d_s λ_s ≥ 0,   B_s = ∂g_s/∂u
//! ```
//!
//! with the gaps g_s of the pressure cells (module [`crate::pressure`]) and the compliance d_s of the
//! [`crate::Law`] (0 if hard). These are the stationarity conditions of
//!
//! ```text
//! E(u) = ½ f·u + Σ_s ½ [−g_s]₊²/d_s     (hard: subject to g_s ≥ 0),
//! ```
//!
//! and the forces are −∂E/∂(pose) at fixed u (envelope theorem, docs/theory/contact.md, eq. (54)), so that a
//! system that integrates rigid motion and low modes under them conserves energy.
//!
//! Path to read: [`QuasistaticContact`] is made once of [`ContactBody`], [`Zone`] and [`Pair`]. Each call of
//! [`QuasistaticContact::solve`] gets a [`BodyState`] per body and a [`WarmState`], which has all memory from
//! one call to the next, and writes a [`Solution`] in the [`Workspace`]. The same states and the same warm
//! state give the same bits, whatever the workspace was used for before.
//!
//! Parts with their own state: `gaps` (gaps of the pressure cells and their gradients), `friction` (slip and
//! anchors), `condensed` (W and its complementarity problem), `iterate` (forces and displacements).
//! `workspace` and its folder call one after the other; `warm_state` holds the memory of each part.
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
