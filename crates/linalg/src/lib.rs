//! Sparse matrices over a graph of nodes, their factorisation and eigenpairs; sparse and dense LU.
//!
//! Read in this order: [`graph`] (which nodes couple), [`block`] (stiffness and mass over that graph),
//! [`dofs`] (which displacements are free), [`ordering`] and [`symbolic`] (elimination order, structure of
//! the factor), [`factor`] (Cholesky factorisation), [`mod@inertia`] (counts of eigenvalues), [`solve`],
//! [`memory`] (memory of the machine), [`bordered`] (solution under a few dense constraints), [`eigen`]
//! (lowest eigenpairs of K x = λ M x), [`dense`] (products of tall matrices, small eigenproblems). General
//! and indefinite systems: [`sparse`], by products alone [`gmres`]; small dense ones: [`dense_lu`]; bodies
//! and joints: [`blocks`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use carom_linalg::{BlockMatrix, Cholesky, DofSet, NodeGraph};
//! use carom_progress::Silent;
//!
//! // Two nodes with springs of 3 N/m to the ground and one of 1 N/m between them, in each direction.
//! let graph = Arc::new(NodeGraph::from_cells(2, &[[0, 1]])?);
//! let mut stiffness = BlockMatrix::zeros(Arc::clone(&graph));
//! let diagonal = |value: f64| [value, 0.0, 0.0, 0.0, value, 0.0, 0.0, 0.0, value];
//! stiffness.values = vec![diagonal(4.0), diagonal(-1.0), diagonal(4.0)];
//! let factor = Cholesky::new(&stiffness, None, DofSet::all(2), &Silent)?;
//! // A force of 15 N on the first node along x moves the nodes by 4 m and 1 m.
//! let mut x = faer::Mat::zeros(6, 1);
//! x[(0, 0)] = 15.0;
//! factor.solve_in_place(x.as_mut());
//! assert!((x[(0, 0)] - 4.0).abs() < 1e-14 && (x[(3, 0)] - 1.0).abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Vectors over dofs always have length 3 n_nodes, dof 3·node + component; a restriction to free dofs is a
//! [`DofSet`], and dofs that are not free are zero. Every sum has a fixed order: results are the same bits
//! for any number of threads of the rayon pool in which they are computed.

pub mod block;
pub mod blocks;
pub mod bordered;
pub mod conjugate;
pub mod dense;
pub mod dense_lu;
pub mod dofs;
pub mod eigen;
pub mod factor;
pub mod gmres;
pub mod graph;
pub mod inertia;
mod iteration;
pub mod iterative;
mod lanes;
pub mod memory;
mod multigrid;
mod multiply;
mod noise;
mod number;
pub mod ordering;
pub mod solve;
pub mod sparse;
pub mod symbolic;
pub mod tall;
mod tiles;
mod tree;

pub use block::{BlockMatrix, NodeMatrix};
pub use bordered::{Border, Bordered};
pub use dense::{DenseEigenError, DensePairs};
pub use dense_lu::DenseLu;
pub use dofs::DofSet;
pub use eigen::{
    Admissible, Counting, EigenError, EigenPairs, GivenPairs, Inverse, Pencil, Proof, Wanted, lowest_pairs,
    lowest_pairs_by_iteration,
};
pub use factor::{Cholesky, FactorError};
pub use graph::{GraphError, NodeGraph};
pub use inertia::{Inertia, count_below};
pub use iteration::IterationError;
pub use iterative::Iterative;
pub use symbolic::Symbolic;
