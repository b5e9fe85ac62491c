//! The choice between a factor and iteration, for all commands that have it.

use carom_reduce::{Solver, SolverChoice};

/// How systems of the stiffness are solved.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SolverArgs {
    /// How systems of the stiffness are solved: direct (by a factor; refused if it does not fit into the
    /// memory), iterative (conjugate gradients with multigrid: little memory, longer for bodies whose factor
    /// fits), or auto: direct if it fits, else iterative; auto if nothing is given
    #[arg(long, value_name = "auto|direct|iterative")]
    solver: Option<Solver>,
}

impl SolverArgs {
    /// The way, within the memory that the system has free.
    pub(crate) fn choice(self) -> SolverChoice {
        SolverChoice { solver: self.solver.unwrap_or_default(), memory: None }
    }

    /// True if the flag is there: where nothing is solved it means nothing.
    pub(crate) fn is_given(self) -> bool {
        self.solver.is_some()
    }
}

/// How systems of a stiffness were solved, in a word.
pub(crate) fn way(is_iterative: bool) -> &'static str {
    if is_iterative { "iterative" } else { "direct" }
}
