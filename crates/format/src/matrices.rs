//! Sparse symmetric matrices as text, and what says to which nodes their rows belong.
//!
//! Written are Matrix Market files (`matrix coordinate real symmetric`, lower triangle). Read are, told apart
//! by what they hold:
//!
//! | file | rows and columns | of |
//! |---|---|---|
//! | Matrix Market | numbers | Ansys (`*EXPORT, …, MMF`), SciPy, this crate |
//! | Harwell-Boeing | numbers | Ansys (`HBMAT`) |
//! | bare lines `row column value` | numbers | CalculiX (`.sti`, `.mas`), Abaqus (`FORMAT=COORDINATE`) |
//! | bare lines `node direction node direction value` | nodes and directions | Abaqus (`FORMAT=MATRIX INPUT`) |
//!
//! Numbers count the dofs x, y, z of each node in the order of a [`NodeList`], or what a [`DofList`] says: a
//! `.dof` file of CalculiX, a `.mapping` file of Ansys. The readers of other crates do not tell the line of a
//! mistake.

mod dofs;
mod error;
mod harwell_boeing;
mod nodes;
mod read;
mod text;
mod write;

pub use dofs::{DofFormat, DofList, read_dofs};
pub use error::ReadMatrixError;
pub use nodes::{NodeList, read_nodes};
pub use read::{MatrixFormat, ReadMatrix, read_matrix};
pub use write::{write_dense, write_matrix, write_nodes};
