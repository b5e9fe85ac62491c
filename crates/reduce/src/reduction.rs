//! The result of a reduction.

use faer::Mat;

use crate::reduced::ReducedBody;
use crate::timing::Seconds;

/// A reduced body with figures about its reduction.
#[derive(Debug, Clone)]
pub struct CraigBampton {
    /// The reduced body.
    pub reduced: ReducedBody,
    /// Time by phase.
    pub seconds: Seconds,
    /// Peak memory of the process in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// K̂ of the condensation, before the second eigenproblem.
    pub condensed_stiffness: Mat<f64>,
    /// M̂ of the condensation.
    pub condensed_mass: Mat<f64>,
    /// True if systems were solved by iteration; a second search then replaced the inertia count.
    pub is_iterative: bool,
    /// Deviation of the constraint modes from the rigid motions before these were restored.
    pub rigid_error: f64,
    /// Circular frequencies of the free reduced body, whatever its frame, ascending \[rad/s\].
    pub free_omega: Vec<f64>,
    /// Notes for the user, a sentence each.
    pub notes: Vec<String>,
}
