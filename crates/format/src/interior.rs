//! The interior of a body for another program: the problem as a file, and its solutions.
//!
//! [`write_problem`] writes the interface, supports and markers of a reduction. Dofs are numbered as in the
//! matrices of [`crate::matrices::write_petsc_stiffness`]. Another program computes constraint modes and
//! fixed-interface modes, and [`read_solutions`] reads them. Their file names the body and the options;
//! [`read_solutions`] refuses a file for another body or other options, and `carom_reduce::given` checks the
//! numbers.

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
