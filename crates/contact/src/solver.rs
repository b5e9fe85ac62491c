//! Complementarity problems: find z ≥ 0 with w = M z + q ≥ 0 and z·w = 0.
//!
//! [`LcpSolver`] has all methods behind one interface, alone or as a chain that falls back and reports it;
//! its matrix is an [`Operator`]: [`Dense`], [`Sparse`], or anything that multiplies a vector. [`ActiveSet`]
//! is made for symmetric positive definite M that stays the same for many q, the case of condensed contact.
//! [`lemke`] pivots and accepts any M.

mod active_set;
mod conjugate_gradients;
mod error;
mod friction;
mod gauss_seidel;
mod lcp;
mod lemke;
mod newton;
mod operator;
mod outcome;

pub use active_set::{ActiveSet, Method, Report};
pub use conjugate_gradients::StepRule;
pub use error::LcpError;
pub use friction::{
    FRICTION_ACCEPTED, FrictionAttempt, FrictionError, FrictionMethod, FrictionProblem, FrictionSolution,
    FrictionSolver, SmoothedCone, friction_residual, smoothed,
};
pub use lcp::{Attempt, LcpMethod, LcpSolution, LcpSolver};
pub use lemke::{Lemke, lemke};
pub use operator::{Dense, Entries, Operator, Sparse};
pub use outcome::{ACCEPTED, Stop, residual};

#[cfg(test)]
mod lcp_tests;
#[cfg(test)]
mod tests;
