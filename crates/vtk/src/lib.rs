//! VTK files: unstructured grids with rational Bezier cells, and time series of them.
//!
//! A [`Grid`] holds points, cells and fields; [`write_vtu`] writes one, [`FrameWriter`] many over the same
//! points and cells, [`read_vtu`] reads one back, [`Collection`] the `.pvd` file that ParaView opens.
//! [`VtkHdfWriter`] writes a grid over time into one file. [`order`] is VTK's numbering of tensor-product
//! cells.
//!
//! The crate knows nothing of bodies: what a displacement or a stress is, is the caller's affair.

pub mod cell;
pub mod collection;
mod decode;
mod encode;
pub mod grid;
mod hdf5;
pub mod order;
pub mod read;
pub mod vtkhdf;
pub mod write;

pub use cell::CellType;
pub use collection::Collection;
pub use decode::DecodeError;
pub use encode::{Compression, Encoding};
pub use grid::{Field, Grid, GridError, Values};
pub use read::{ParseError, ReadError, parse_vtu, read_vtu, read_vtu_with};
pub use vtkhdf::{PackedFrame, VtkHdfWriter, pack_frame};
pub use write::{FrameWriter, WriteError, WriteOptions, write_vtu};
