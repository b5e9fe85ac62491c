//! Sparse symmetric matrices over a graph of nodes, their factorisation and eigenpairs.
//!
//! Read in this order: [`graph`] (which nodes couple), [`block`] (stiffness and mass over that graph),
//! [`dofs`] (which displacements are free), [`ordering`] and [`symbolic`] (elimination order, structure of
//! the factor), [`factor`] (Cholesky factorisation and inertia counts), [`solve`], [`memory`] (what the
//! system says of it), [`bordered`] (solution under a few dense constraints), [`eigen`] (lowest eigenpairs of
//! K x = λ M x), [`dense`] (products of tall matrices, small eigenproblems).
//!
//! Vectors over dofs always have length 3 n_nodes, dof 3·node + component; a restriction to free dofs is a
//! [`DofSet`], and what is not free is zero. Every sum has a fixed order: results are the same bits for any
//! number of threads of the rayon pool in which they are computed.

pub mod block;
pub mod bordered;
pub mod conjugate;
pub mod dense;
pub mod dofs;
pub mod eigen;
pub mod factor;
pub mod graph;
pub mod iterative;
mod krylov;
mod lanes;
pub mod memory;
mod multigrid;
mod multiply;
mod number;
pub mod ordering;
pub mod solve;
pub mod symbolic;
pub mod tall;
mod tiles;

pub use block::{BlockMatrix, NodeMatrix};
pub use bordered::{Border, Bordered};
pub use conjugate::IterationError;
pub use dense::{DenseEigenError, DensePairs};
pub use dofs::DofSet;
pub use eigen::{
    Counting, EigenError, EigenPairs, Inverse, Ordered, Pencil, Proof, Wanted, lowest_pairs,
    lowest_pairs_by_iteration,
};
pub use factor::{Cholesky, FactorError, Inertia, count_below};
pub use graph::{GraphError, NodeGraph};
pub use iterative::Iterative;
pub use symbolic::Symbolic;
