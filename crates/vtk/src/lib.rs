//! VTK files: unstructured grids with rational Bezier cells, and time series of them.
//!
//! A [`Grid`] holds points, cells and fields; [`write_vtu`] writes one, [`FrameWriter`] many over the same
//! points and cells, [`read_vtu`] reads one back, [`read_legacy`] reads the old `.vtk` format, [`Collection`]
//! is the `.pvd` file that ParaView opens. [`VtkHdfWriter`] writes a grid over time into one file. [`order`]
//! is VTK's numbering of tensor-product cells.
//!
//! The crate has no notion of bodies, displacements or stresses; callers give names and numbers.
//!
//! ```
//! use carom_vtk::{CellType, Field, Grid, WriteOptions, read_vtu, write_vtu};
//!
//! // One tetrahedron with a temperature at its corners.
//! let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let mut grid = Grid { points, ..Grid::default() };
//! grid.push_cell(CellType::Tetra, [0; 3], [0, 1, 2, 3]);
//! grid.point_fields.push(Field::scalar("temperature", vec![293.0, 300.0, 310.0, 295.0]));
//!
//! let path = std::env::temp_dir().join(format!("carom-vtk-{}.vtu", std::process::id()));
//! write_vtu(&path, &grid, WriteOptions::default()).unwrap();
//! let read = read_vtu(&path).unwrap();
//! assert_eq!(read.points, grid.points);
//! assert_eq!(read.point_fields[0].name, "temperature");
//! std::fs::remove_file(path).unwrap();
//! ```

pub mod cell;
pub mod collection;
mod decode;
mod encode;
pub mod grid;
mod hdf5;
pub mod legacy;
pub mod order;
pub mod read;
pub mod vtkhdf;
pub mod write;

pub use cell::CellType;
pub use collection::Collection;
pub use decode::DecodeError;
pub use encode::{Compression, Encoding};
pub use grid::{Field, Grid, GridError, Values};
pub use legacy::{ParseLegacyError, ReadLegacyError, parse_legacy, read_legacy};
pub use read::{ParseError, ReadError, parse_vtu, read_vtu, read_vtu_with};
pub use vtkhdf::{PackedFrame, VtkHdfWriter, pack_frame};
pub use write::{FrameWriter, WriteError, WriteOptions, write_vtu};
