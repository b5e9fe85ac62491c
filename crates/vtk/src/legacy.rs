//! VTK's legacy files (`.vtk`, versions 1 to 5) to grids, read by vtkio.
//!
//! vtkio neither locates damage in a file nor reports skipped parts. A first pass, the module `outline`,
//! therefore checks the sections and their numbers and reports the place of a missing one. vtkio then reads
//! the file, and its result is compared with the sections.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use thiserror::Error;
use vtkio::IOBuffer;
use vtkio::model::{
    Attribute, Cells, DataSet, ElementType, Piece, UnstructuredGridPiece, VertexNumbers, Vtk,
};

use crate::{CellType, Field, Grid, GridError, Values};

mod outline;

use outline::Outline;
pub use outline::Place;

/// Error from reading a legacy file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadLegacyError {
    /// The file cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The content is damaged or of another kind.
    #[error("`{path}`: {source}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The error.
        source: ParseLegacyError,
    },
}

/// Error in the content of a legacy file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ParseLegacyError {
    /// The file does not begin like a legacy file.
    #[error("this is not a VTK legacy file: it begins with `{found}`, not with `# vtk DataFile Version`")]
    NotLegacy {
        /// Its first characters.
        found: String,
    },
    /// The content at a place differs from the expected one.
    #[error("{place}: expected {expected}, found {found}; the file is damaged, write it again")]
    Unexpected {
        /// The place.
        place: Place,
        /// The expected content.
        expected: String,
        /// The content found.
        found: String,
    },
    /// The file has another kind of data set.
    #[error(
        "{place}: the file holds {found}, not UNSTRUCTURED_GRID; a body needs volume cells (in ParaView: \
         Append Datasets of the solid, then save as .vtu)"
    )]
    DataSet {
        /// The place.
        place: Place,
        /// Its kind.
        found: String,
    },
    /// A section of cells or points is missing.
    #[error("the file ends without {section}; it was cut, write it again")]
    Missing {
        /// Name of the section.
        section: &'static str,
    },
    /// The library reads other counts than the sections have.
    #[error(
        "the file has {expected} {what} by its sections, but {found} were read; save it as .vtu and read that"
    )]
    Differs {
        /// Name of the counted items.
        what: &'static str,
        /// Count of the sections.
        expected: usize,
        /// Count of the library.
        found: usize,
    },
    /// The library cannot read the file, although its sections are complete.
    #[error("the file cannot be read ({message}); save it as .vtu and read that")]
    Library {
        /// Message of the library.
        message: String,
    },
    /// VTK does not have this kind of cell.
    #[error("cell {cell} has the type {number}, which VTK does not use")]
    CellType {
        /// Number of the cell from zero.
        cell: usize,
        /// Its type.
        number: u8,
    },
    /// The list of points of a cell does not match the size of the cell.
    #[error("the list of points of cell {cell} is longer than the list of all cells")]
    CellSize {
        /// Number of the cell from zero.
        cell: usize,
    },
    /// A coordinate is not finite.
    #[error("point {point} has the coordinates {x:?}, which are not finite")]
    NotFinite {
        /// Number of the point from zero.
        point: usize,
        /// Its coordinates.
        x: [f64; 3],
    },
    /// Cells and points are inconsistent.
    #[error(transparent)]
    Grid(#[from] GridError),
}

/// Reads the unstructured grid of a legacy file, text or binary (big-endian, as VTK writes it).
///
/// # Errors
///
/// [`ReadLegacyError`] with the line, or the byte in a binary file, of the first damage.
pub fn read_legacy(path: &Path) -> Result<Grid, ReadLegacyError> {
    let content =
        std::fs::read(path).map_err(|source| ReadLegacyError::Open { path: path.to_owned(), source })?;
    parse_legacy(&content).map_err(|source| ReadLegacyError::Content { path: path.to_owned(), source })
}

/// Reads a grid as [`read_legacy`] does, from the content of a file.
///
/// # Errors
///
/// [`ParseLegacyError`]
pub fn parse_legacy(content: &[u8]) -> Result<Grid, ParseLegacyError> {
    let outline = Outline::of(content)?;
    let library = |message: String| ParseLegacyError::Library { message };
    // The outline has checked all sections; a panic would be an error of the library.
    let vtk = std::panic::catch_unwind(|| Vtk::parse_legacy_be(Cursor::new(content)))
        .map_err(|_| library("the library panicked".to_owned()))?
        .map_err(|error| library(error.to_string()))?;
    let DataSet::UnstructuredGrid { pieces, .. } = vtk.data else {
        return Err(library("the data set is of another kind".to_owned()));
    };
    let Some(Piece::Inline(piece)) = pieces.into_iter().next() else {
        return Err(library("there is no grid".to_owned()));
    };
    let grid = grid(*piece)?;
    outline.compare(&grid)?;
    grid.check()?;
    Ok(grid)
}

fn grid(piece: UnstructuredGridPiece) -> Result<Grid, ParseLegacyError> {
    let Cells { cell_verts, types } = piece.cells;
    let (connectivity, offsets) = connectivity(cell_verts)?;
    let types = (0..).zip(types).map(|(cell, kind)| {
        let number = kind as u8;
        CellType::from_number(number).ok_or(ParseLegacyError::CellType { cell, number })
    });
    let numbers = values(piece.points).to_f64();
    let (points, _) = numbers.as_chunks::<3>();
    if let Some(point) = points.iter().position(|x| x.iter().any(|x| !x.is_finite())) {
        return Err(ParseLegacyError::NotFinite { point, x: points[point] });
    }
    Ok(Grid {
        points: points.to_vec(),
        connectivity,
        offsets,
        types: types.collect::<Result<_, _>>()?,
        point_fields: fields(piece.data.point),
        cell_fields: fields(piece.data.cell),
        ..Grid::default()
    })
}

/// Point numbers cell after cell, and the end of each cell.
fn connectivity(cells: VertexNumbers) -> Result<(Vec<u32>, Vec<usize>), ParseLegacyError> {
    match cells {
        VertexNumbers::Legacy { vertices, .. } => {
            let (mut connectivity, mut offsets) = (Vec::with_capacity(vertices.len()), Vec::new());
            let mut rest = vertices.as_slice();
            while let Some((&size, after)) = rest.split_first() {
                let cell = after
                    .split_at_checked(size as usize)
                    .ok_or(ParseLegacyError::CellSize { cell: offsets.len() })?;
                connectivity.extend_from_slice(cell.0);
                offsets.push(connectivity.len());
                rest = cell.1;
            }
            Ok((connectivity, offsets))
        }
        VertexNumbers::XML { connectivity, offsets } => {
            // Version 5 begins with a zero.
            let ends = offsets.get(1..).unwrap_or_default();
            let mut last = 0;
            for (cell, &end) in ends.iter().enumerate() {
                if end < last || end > connectivity.len() as u64 {
                    return Err(ParseLegacyError::CellSize { cell });
                }
                last = end;
            }
            // A number beyond 32 bits is an invalid point number: the check of the grid reports it.
            let point = |&id: &u64| u32::try_from(id).unwrap_or(u32::MAX);
            Ok((connectivity.iter().map(point).collect(), ends.iter().map(|&end| end as usize).collect()))
        }
    }
}

fn fields(attributes: Vec<Attribute>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for attribute in attributes {
        match attribute {
            Attribute::DataArray(array) => {
                let n_components = match array.elem {
                    ElementType::ColorScalars(n) | ElementType::Generic(n) | ElementType::TCoords(n) => n,
                    ElementType::Scalars { num_comp, .. } => num_comp,
                    ElementType::Vectors | ElementType::Normals => 3,
                    ElementType::Tensors => 9,
                    ElementType::LookupTable => continue,
                };
                fields.push(field(array.name, n_components, array.data));
            }
            Attribute::Field { data_array, .. } => {
                fields.extend(data_array.into_iter().map(|array| field(array.name, array.elem, array.data)));
            }
        }
    }
    fields
}

fn field(name: String, n_components: u32, data: IOBuffer) -> Field {
    Field { name, n_components: n_components as usize, values: values(data) }
}

/// Integers of 8 and 16 bits become integers of 32 bits (unsigned ones of 8 bits are kept), unsigned ones the
/// signed type that contains their range.
fn values(buffer: IOBuffer) -> Values {
    match buffer {
        IOBuffer::Bit(v) | IOBuffer::U8(v) => Values::U8(v),
        IOBuffer::I8(v) => Values::I32(v.into_iter().map(i32::from).collect()),
        IOBuffer::U16(v) => Values::I32(v.into_iter().map(i32::from).collect()),
        IOBuffer::I16(v) => Values::I32(v.into_iter().map(i32::from).collect()),
        IOBuffer::U32(v) => Values::I64(v.into_iter().map(i64::from).collect()),
        IOBuffer::I32(v) => Values::I32(v),
        IOBuffer::U64(v) => Values::I64(v.into_iter().map(|x| x as i64).collect()),
        IOBuffer::I64(v) => Values::I64(v),
        IOBuffer::F32(v) => Values::F32(v),
        IOBuffer::F64(v) => Values::F64(v),
    }
}
