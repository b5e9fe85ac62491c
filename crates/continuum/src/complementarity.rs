//! Implicit midpoint rule of linear bodies with fully implicit contact as a linear complementarity problem.
//!
//! ```text
//! M (v₁ − v₀)/h + C (u₁ − u₀)/h + K (u₀ + u₁)/2 = ½ (f₀ + f₁) + Bᵀ λ ,   (u₁ − u₀)/h = (v₀ + v₁)/2
//! 0 ≤ λ ⟂ g₁ = g₀ + B (u₁ − u₀) ≥ 0
//! ```
//!
//! M, C and K are constant, so that the matrix of a step is factorised once for a step size. One solution
//! with it for each dof at which a row of B acts gives the compliance between rows, kept for the whole run;
//! the complementarity problem over the rows that would close is that of [`carom_contact::solver`]. Rows are
//! nodes against walls and against faces of other bodies at the start of the step.
//!
//! The multipliers do the work λ·(g₁ − g₀) = −λ·g₀ ≤ 0: the energy never rises, and falls only in steps in
//! which a node arrives. C = β K is viscous damping. Coulomb friction acts at the end of a step over its
//! slip, so that its loss is never negative.
//!
//! Path to read: `body` (one body and its step), `mass` (mass matrices), `compliance` (columns), `contact`
//! (rows and their problem), `system` (the step), `simulation` and `march` (the time loop).
//!
//! # Source
//!
//! Wendt (2007), with the corrections of docs/papers.md; docs/theory/whole-bodies.md, eq. (85).

mod body;
mod compliance;
mod contact;
mod error;
mod march;
mod mass;
mod matrices;
mod probed;
mod restart;
mod setup;
mod simulation;
mod system;

pub use error::{ContactError, RunError, SetupError, StepError};
pub use simulation::{Settings, Simulation};
pub use system::Counts;

/// The stiffness of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stiffness {
    /// Linear elasticity.
    #[default]
    Elastic,
    /// ρ ü = E Δu for each component of the displacement: the equation of the slides with κ = E.
    ScalarWave,
}

/// The mass matrix of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MassKind {
    /// ∫ ρ R_i R_j dV.
    #[default]
    Consistent,
    /// One mass a point.
    Lumped,
    /// Consistent; points of contact surfaces give their mass to the others.
    Redistributed,
}

/// Properties of a body in addition to those of [`crate::explicit::BodySpec`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyOptions {
    /// Its stiffness.
    pub stiffness: Stiffness,
    /// β of the viscous damping C = β K \[s\].
    pub damping: f64,
}
