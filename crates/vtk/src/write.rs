//! Grids to `.vtu` files (VTK XML).
//!
//! Files with Bezier or Lagrange cells have version 2.2, because VTK assumes an older order of nodes in files
//! before 2.1. All others have version 1.0, which meshio reads too.
//!
//! Own writer, because vtkio's model has no place for `RationalWeights` and `HigherOrderDegrees` (without the
//! attribute VTK draws rational cells as polynomial ones, silently) and writes no appended raw data.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use thiserror::Error;

use crate::encode::encode;
use crate::grid::check_fields;
use crate::{Compression, Encoding, Field, Grid, GridError, Values};

/// Options for writing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Position of the numbers.
    pub encoding: Encoding,
    /// Their compression.
    pub compression: Compression,
}

/// Errors of writing a grid.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The grid is inconsistent.
    #[error("the grid for `{path}` is inconsistent: {source}")]
    Grid {
        /// The output file.
        path: String,
        /// The inconsistency.
        source: GridError,
    },
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] WriteFileError),
}

/// Writes one grid with its fields.
///
/// # Errors
///
/// [`WriteError`]; no incomplete file is left.
pub fn write_vtu(path: &Path, grid: &Grid, options: WriteOptions) -> Result<(), WriteError> {
    let writer = FrameWriter::new(grid, options).map_err(|source| grid_error(path, source))?;
    writer.write(path, &grid.point_fields, &grid.cell_fields, None)
}

/// Writes many files over the same points and cells, which are checked and compressed once.
#[derive(Debug, Clone)]
pub struct FrameWriter {
    options: WriteOptions,
    n_points: usize,
    n_cells: usize,
    points: Array,
    cells: Vec<Array>,
    weights: Option<Array>,
    degrees: Option<Array>,
    /// Of the file format.
    version: &'static str,
}

/// An array ready for the file: its tag without format, and its bytes.
#[derive(Debug, Clone)]
struct Array {
    tag: String,
    data: Vec<u8>,
}

impl FrameWriter {
    /// Prepares points, cells, weights and degrees of a grid (not its fields).
    ///
    /// # Errors
    ///
    /// [`GridError`] if the grid is inconsistent.
    pub fn new(grid: &Grid, options: WriteOptions) -> Result<Self, GridError> {
        grid.check()?;
        let array = |name: &str, type_name: &str, n_components: usize, bytes: &[u8]| {
            Array::new(options, name, type_name, n_components, bytes)
        };
        let float_array = |name: &str, n_components: usize, values: Vec<f64>| {
            array(name, "Float64", n_components, &Values::F64(values).to_bytes())
        };
        let i64_bytes =
            |values: &mut dyn Iterator<Item = i64>| values.flat_map(i64::to_le_bytes).collect::<Vec<u8>>();
        let connectivity = i64_bytes(&mut grid.connectivity.iter().map(|&n| i64::from(n)));
        let offsets = i64_bytes(&mut grid.offsets.iter().map(|&n| n as i64));
        let types: Vec<u8> = grid.types.iter().map(|&t| t as u8).collect();
        let is_higher_order = grid.types.iter().any(|t| t.n_degrees() > 0);
        let has_degrees = is_higher_order && !grid.degrees.is_empty();
        let degrees = || grid.degrees.as_flattened().iter().map(|&p| f64::from(p)).collect();
        Ok(Self {
            options,
            n_points: grid.points.len(),
            n_cells: grid.n_cells(),
            points: float_array("Points", 3, grid.points.as_flattened().to_vec()),
            cells: vec![
                array("connectivity", "Int64", 1, &connectivity),
                array("offsets", "Int64", 1, &offsets),
                array("types", "UInt8", 1, &types),
            ],
            weights: (!grid.rational_weights.is_empty())
                .then(|| float_array("RationalWeights", 1, grid.rational_weights.clone())),
            degrees: has_degrees.then(|| float_array("HigherOrderDegrees", 3, degrees())),
            version: if is_higher_order { "2.2" } else { "1.0" },
        })
    }

    /// Writes one file with these fields, and with `time` \[s\] inside it if given.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if a field does not fit the grid or the file cannot be written; no incomplete file is
    /// left.
    pub fn write(
        &self,
        path: &Path,
        point_fields: &[Field],
        cell_fields: &[Field],
        time: Option<f64>,
    ) -> Result<(), WriteError> {
        check_fields(point_fields, "points", self.n_points)
            .and_then(|()| check_fields(cell_fields, "cells", self.n_cells))
            .map_err(|source| grid_error(path, source))?;
        let pack =
            |fields: &[Field]| fields.iter().map(|f| Array::from_field(self.options, f)).collect::<Vec<_>>();
        let (point_arrays, cell_arrays) = (pack(point_fields), pack(cell_fields));
        let time_array = time.map(|t| Array::new(self.options, "TimeValue", "Float64", 1, &t.to_le_bytes()));

        let mut document = Document::new(self.options, self.version);
        document.xml.push_str("<UnstructuredGrid>\n");
        if let Some(array) = &time_array {
            document.open("FieldData", "");
            document.array(array, " NumberOfTuples=\"1\"");
            document.close("FieldData");
        }
        document.open(
            "Piece",
            &format!(" NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", self.n_points, self.n_cells),
        );
        document.section(
            "PointData",
            &active(point_fields, self.weights.as_ref()),
            point_arrays.iter().chain(&self.weights),
        );
        document.section(
            "CellData",
            &active(cell_fields, self.degrees.as_ref()),
            cell_arrays.iter().chain(&self.degrees),
        );
        document.section("Points", "", [&self.points]);
        document.section("Cells", "", &self.cells);
        document.close("Piece");
        document.close("UnstructuredGrid");
        write_atomically(path, |w| document.write(w))?;
        Ok(())
    }
}

/// Attributes of PointData or CellData: active scalars and vectors, and VTK's mark for weights or degrees.
fn active(fields: &[Field], special: Option<&Array>) -> String {
    let first = |n: usize| fields.iter().find(|f| f.n_components == n);
    let mut attributes = String::new();
    for (attribute, field) in [("Scalars", first(1)), ("Vectors", first(3)), ("Tensors", first(6))] {
        if let Some(field) = field {
            write!(attributes, " {attribute}=\"{}\"", escape(&field.name)).expect("a string takes all text");
        }
    }
    if let Some(array) = special {
        let name =
            if array.tag.contains("RationalWeights") { "RationalWeights" } else { "HigherOrderDegrees" };
        write!(attributes, " {name}=\"{name}\"").expect("a string takes all text");
    }
    attributes
}

impl Array {
    fn new(options: WriteOptions, name: &str, type_name: &str, n_components: usize, bytes: &[u8]) -> Self {
        let mut tag = format!("type=\"{type_name}\" Name=\"{}\"", escape(name));
        if n_components > 1 {
            write!(tag, " NumberOfComponents=\"{n_components}\"").expect("a string takes all text");
        }
        Self { tag, data: encode(bytes, options.compression, options.encoding) }
    }

    fn from_field(options: WriteOptions, field: &Field) -> Self {
        let Field { name, n_components, values } = field;
        Self::new(options, name, values.type_name(), *n_components, &values.to_bytes())
    }
}

/// The XML text, and the arrays after it.
struct Document<'a> {
    options: WriteOptions,
    xml: String,
    appended: Vec<&'a [u8]>,
    offset: usize,
}

impl<'a> Document<'a> {
    fn new(options: WriteOptions, version: &str) -> Self {
        let compressor = match options.compression.class() {
            Some(class) => format!(" compressor=\"{class}\""),
            None => String::new(),
        };
        let xml = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"{version}\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\"{compressor}>\n"
        );
        Self { options, xml, appended: Vec::new(), offset: 0 }
    }

    fn open(&mut self, name: &str, attributes: &str) {
        writeln!(self.xml, "<{name}{attributes}>").expect("a string takes all text");
    }

    fn close(&mut self, name: &str) {
        writeln!(self.xml, "</{name}>").expect("a string takes all text");
    }

    fn section(&mut self, name: &str, attributes: &str, arrays: impl IntoIterator<Item = &'a Array>) {
        self.open(name, attributes);
        for array in arrays {
            self.array(array, "");
        }
        self.close(name);
    }

    fn array(&mut self, array: &'a Array, attributes: &str) {
        let Array { tag, data } = array;
        match self.options.encoding {
            Encoding::AppendedRaw => {
                writeln!(
                    self.xml,
                    "<DataArray {tag}{attributes} format=\"appended\" offset=\"{}\"/>",
                    self.offset
                )
                .expect("a string takes all text");
                self.offset += data.len();
                self.appended.push(data);
            }
            Encoding::InlineBase64 => {
                let text = std::str::from_utf8(data).expect("base64 is ASCII");
                writeln!(self.xml, "<DataArray {tag}{attributes} format=\"binary\">{text}</DataArray>")
                    .expect("a string takes all text");
            }
        }
    }

    fn write(&self, w: &mut impl io::Write) -> io::Result<()> {
        w.write_all(self.xml.as_bytes())?;
        if self.options.encoding == Encoding::AppendedRaw {
            w.write_all(b"<AppendedData encoding=\"raw\">\n_")?;
            for data in &self.appended {
                w.write_all(data)?;
            }
            w.write_all(b"\n</AppendedData>\n")?;
        }
        w.write_all(b"</VTKFile>\n")
    }
}

/// Text for an XML attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 does not allow other control characters, not even escaped ones.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn grid_error(path: &Path, source: GridError) -> WriteError {
    WriteError::Grid { path: path.display().to_string(), source }
}
