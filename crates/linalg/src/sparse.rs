//! Solution of sparse systems that are not positive definite: general matrices by LU, symmetric indefinite
//! ones by LDLᵀ, both with faer.
//!
//! Analyse a pattern once, factorise as many matrices of this pattern as there are, solve in place:
//!
//! ```
//! use carom_linalg::sparse::{CsMat, SparseLu, TriMat};
//! use faer::mat;
//!
//! // 2 x + y = 3 and x + 3 y = 5.
//! let mut entries = TriMat::new((2, 2));
//! for (row, column, value) in [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)] {
//!     entries.add_triplet(row, column, value);
//! }
//! let matrix: CsMat<f64> = entries.to_csr();
//! let mut lu = SparseLu::analyse(&matrix.view())?;
//! lu.factorise(&matrix.view())?;
//! let mut x = mat![[3.0], [5.0]];
//! let solved = lu.solve_in_place(x.as_mut())?;
//! assert!((x[(0, 0)] - 0.8).abs() < 1e-15 && (x[(1, 0)] - 1.4).abs() < 1e-15);
//! assert!(solved.backward_error < 1e-15);
//! # Ok::<(), carom_linalg::sparse::SparseError>(())
//! ```
//!
//! * [`SparseLu`] pivots by rows in the whole matrix; its columns have an order of nested dissection.
//! * [`SparseLdlt`] keeps the symmetric order of the analysis and pivots inside dense diagonal blocks (Bunch
//!   and Kaufman). Rows with a zero on the diagonal (multipliers of constraints) are paired with a row to
//!   which they couple, so that the two can be a pivot of two rows. That is not a guarantee: it measures the
//!   growth of its factors and refuses those that have lost the answer.
//! * [`Indefinite`] takes LDLᵀ where it is stable and LU where it is not.
//!
//! Rows and columns are scaled by powers of two before they are factorised; scales of units (displacements
//! and multipliers) do not matter. Every solution is refined until its backward error no longer falls, and
//! this error is returned. Everything runs on the thread of the caller: results do not depend on the number
//! of threads.
//!
//! Matrices are those of `sprs`, whose constructors check row starts and indices; a symmetric matrix is a
//! [`Symmetric`].
//!
//! # Source
//!
//! Bunch & Kaufman (1977), Math. Comp. 31, 163–179; Duff & Pralet (2005), SIAM J. Matrix Anal. Appl. 27(2),
//! 313–340 (pairs for zero diagonals); Arioli, Demmel & Duff (1989), SIAM J. Matrix Anal. Appl. 10(2),
//! 165–190 (backward error); Higham (2002), Accuracy and Stability of Numerical Algorithms, sections 9 to 12.

mod columns;
mod error;
mod growth;
mod indefinite;
mod ldlt;
mod lu;
mod matching;
mod order;
mod refinement;
mod singular;
mod symmetric;
mod triangle;

pub use sprs::{CsMat, CsMatI, CsMatView, TriMat};

pub use error::SparseError;
pub use indefinite::{Indefinite, Method};
pub use ldlt::{Inertia, SparseLdlt};
pub use lu::SparseLu;
pub use refinement::Solved;
pub use symmetric::{NotSymmetric, Symmetric};
