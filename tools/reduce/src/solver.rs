//! The choice between factorisation and iteration, a flag of several commands.

use carom_reduce::{Solver, SolverChoice};

/// Solution of linear systems with the stiffness.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SolverArgs {
    /// Solution of linear systems with the stiffness: direct (factorisation; an error if it does not fit into
    /// the memory), iterative (conjugate gradients with multigrid: less memory, but slower where the
    /// factorisation fits), or auto (direct if it fits, otherwise iterative) [default: auto]
    #[arg(long, value_name = "auto|direct|iterative")]
    solver: Option<Solver>,
}

impl SolverArgs {
    /// The choice, within the free memory of the system.
    pub(crate) fn choice(self) -> SolverChoice {
        SolverChoice { solver: self.solver.unwrap_or_default(), memory: None }
    }

    /// True if the flag was given; it has no meaning in commands that solve nothing.
    pub(crate) fn is_given(self) -> bool {
        self.solver.is_some()
    }
}

/// One word for how linear systems were solved.
pub(crate) fn way(is_iterative: bool) -> &'static str {
    if is_iterative { "iterative" } else { "direct" }
}
