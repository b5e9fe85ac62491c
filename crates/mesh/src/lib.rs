//! Finite-element meshes: cells, named sets, quality; readers and writers of mesh files.
//!
//! Start at [`Mesh`]; [`cell`] says how nodes, edges and faces are numbered, [`topology`] who touches whom.

pub mod cell;
mod gluing;
pub mod inp;
pub mod lagrange;
pub mod make;
pub mod measure;
pub mod mesh;
pub mod msh;
pub mod quality;
pub mod refine;
pub mod sets;
pub mod topology;
pub mod vtu;

pub use cell::{CellShape, FaceShape};
pub use mesh::{CellBlock, CellRef, FaceRef, Mesh, Set};
pub use sets::SetError;
pub use topology::FaceTable;
