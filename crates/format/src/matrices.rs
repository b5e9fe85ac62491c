//! Sparse symmetric matrices in files, and files that assign their rows to nodes.
//!
//! Matrices are written as Matrix Market files (`matrix coordinate real symmetric`, lower triangle), and in
//! the binary format of PETSc. These text formats are read; they are recognised by their content:
//!
//! | file | rows and columns | of |
//! |---|---|---|
//! | Matrix Market | numbers | Ansys (`*EXPORT, …, MMF`), SciPy, this crate |
//! | Harwell-Boeing | numbers | Ansys (`HBMAT`) |
//! | lines `row column value` | numbers | CalculiX (`.sti`, `.mas`), Abaqus (`FORMAT=COORDINATE`) |
//! | lines `node direction node direction value` | nodes and directions | Abaqus (`FORMAT=MATRIX INPUT`) |
//!
//! Row numbers count the dofs x, y, z of each node in the order of a [`NodeList`], or those of a [`DofList`]:
//! a `.dof` file of CalculiX or a `.mapping` file of Ansys. Own readers report the line of an error, which
//! the readers of other crates do not.

mod dofs;
mod error;
mod found;
mod harwell_boeing;
mod nodes;
mod petsc;
mod read;
mod text;
mod write;

pub use dofs::{DofFormat, DofList, read_dofs};
pub use error::ReadMatrixError;
pub use nodes::{NodeList, read_nodes};
pub use petsc::{MAT_FILE_CLASSID, MAT_INFO, petsc_info, write_petsc_mass, write_petsc_stiffness};
pub use read::{MatrixFormat, ReadMatrix, read_matrix};
pub use write::{write_dense, write_matrix, write_nodes};
