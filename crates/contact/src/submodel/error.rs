//! When a solve has converged, and why it may not.

use thiserror::Error;

use crate::solver::LcpError;

/// When the iteration has converged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Largest error of the displacement relative to its largest entry.
    pub relative: f64,
    /// Most passes over the geometry.
    pub max_passes: usize,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { relative: 1e-10, max_passes: 60 }
    }
}

/// Why the quasistatic contact was not found. It knows no time and no names: the caller adds them.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// States, positions or the warm state do not fit the model.
    #[error("{what} of body {body} have {found} entries, {needed} are needed")]
    Size {
        /// What has the wrong length.
        what: &'static str,
        /// Number of the body.
        body: usize,
        /// Length found.
        found: usize,
        /// Length needed.
        needed: usize,
    },
    /// The warm state is one of another model.
    #[error("the memory of the last solve belongs to another contact problem; begin with a cold one")]
    ForeignWarmState,
    /// A position or pose is not a finite number.
    #[error("the configuration of body {body} is not finite")]
    NotFinite {
        /// Number of the body.
        body: usize,
    },
    /// The complementarity problem has no solution, which a symmetric positive semi-definite compliance excludes.
    #[error("condensed contact of {spans} spans: {source}; is the compliance of a body indefinite?")]
    Complementarity {
        /// Number of unknowns.
        spans: usize,
        /// What the solver says.
        source: LcpError,
    },
    /// No convergence.
    #[error(
        "quasistatic contact does not converge: after {passes} passes the displacement still changes by {change:.3e} m \
         (largest displacement {scale:.3e} m), worst at span {span} of pair {pair} with gap {gap:.3e} m"
    )]
    NotConverged {
        /// Passes made.
        passes: usize,
        /// Last change of the displacement \[m\].
        change: f64,
        /// Largest displacement \[m\].
        scale: f64,
        /// Pair of the worst span.
        pair: usize,
        /// Worst span: the one with the largest violation of complementarity.
        span: usize,
        /// Its gap \[m\].
        gap: f64,
        /// Change of the displacement in each pass \[m\].
        history: Vec<f64>,
    },
    /// The energy does not decrease along the step.
    #[error(
        "quasistatic contact: the energy {energy:.6e} J does not decrease within {cuts} halvings of the step \
         (change of displacement {change:.3e} m), worst at span {span} of pair {pair} with gap {gap:.3e} m"
    )]
    NoDescent {
        /// Energy at the start of the step \[J\].
        energy: f64,
        /// Halvings tried.
        cuts: usize,
        /// Change of the displacement by the full step \[m\].
        change: f64,
        /// Pair of the worst span.
        pair: usize,
        /// Worst span.
        span: usize,
        /// Its gap \[m\].
        gap: f64,
        /// Change of the displacement in each pass \[m\].
        history: Vec<f64>,
    },
}
