//! Finite-element meshes: cells, named sets, quality; readers and writers of mesh files.

pub mod cell;
pub mod mesh;

pub use cell::{CellShape, FaceShape};
pub use mesh::{CellBlock, CellRef, FaceRef, Mesh, Set};
