//! The interior of a body for another program: the problem as a file, and its solutions.
//!
//! [`write_problem`] writes the interface, supports and markers of a reduction in the numbers of the matrices
//! that [`crate::matrices::write_petsc_stiffness`] writes; another program computes constraint modes and
//! fixed-interface modes, and [`read_solutions`] reads them. The solutions name body and options, and
//! [`read_solutions`] refuses those of other ones; `carom_reduce::given` checks the numbers.

mod error;
mod problem;
mod solutions;

pub use error::ReadSolutionsError;
pub use problem::{InteriorProblem, write_problem};
pub use solutions::read_solutions;

use crate::npz::Version;

/// The entry `format` of a problem.
pub const PROBLEM: &str = "carom-interior-problem";
/// The entry `format` of solutions.
pub const SOLUTIONS: &str = "carom-interior-solutions";
/// Version of both formats.
pub const VERSION: Version = Version { major: 1, minor: 0 };
