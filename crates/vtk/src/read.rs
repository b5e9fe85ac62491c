//! Reading of `.vtu` files: those of VTK, of meshio and of this crate.
//!
//! Own reader, because vtkio's panics on damaged files and has no place for the attribute `RationalWeights`.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use carom_files::xml;
use roxmltree::{Document, Node, ParsingOptions};
use thiserror::Error;

use crate::decode::{Compressor, DecodeError, Packing, base64, numbers, unpack, words};
use crate::{CellType, Field, Grid, GridError, Values};

/// Errors of reading a `.vtu` file.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The content is invalid.
    #[error("`{path}`: {source}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The error.
        source: ParseError,
    },
}

/// Errors in the content of a `.vtu` file.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ParseError {
    /// The file is not XML, for instance in VTK's legacy format.
    #[error("this is not a .vtu file: it begins with `{found}`; save it as VTK XML unstructured grid (.vtu)")]
    NotVtu {
        /// Its beginning.
        found: String,
    },
    /// The XML is damaged.
    #[error("the XML is damaged: {message}")]
    Xml {
        /// The message of the parser, with line and column.
        message: String,
    },
    /// Another kind of data set.
    #[error(
        "the file contains `{found}`, not an UnstructuredGrid; in ParaView append or convert it to one and \
         save \
         that"
    )]
    DataSet {
        /// Its kind.
        found: String,
    },
    /// Several pieces, or none.
    #[error(
        "the file has {count} pieces with cells; exactly one is read: merge them (in ParaView: Merge Blocks) \
         and save again"
    )]
    Pieces {
        /// Number of pieces.
        count: usize,
    },
    /// A part is missing.
    #[error("there is no {what}; the file is incomplete, write it again")]
    Missing {
        /// The missing item.
        what: &'static str,
    },
    /// An attribute of the file is invalid.
    #[error("`{value}` is not a valid {name}")]
    Attribute {
        /// The attribute.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The numbers of an array cannot be read.
    #[error("array `{name}`: {source}")]
    Array {
        /// Its name.
        name: String,
        /// The cause.
        source: DecodeError,
    },
    /// An array has a wrong number of entries.
    #[error("array `{name}` has {found} numbers, but {wanted} are required")]
    Length {
        /// Its name.
        name: String,
        /// Numbers found.
        found: usize,
        /// Required number of entries.
        wanted: usize,
    },
    /// A cell of a kind that VTK does not have.
    #[error("cell {cell} has the type {number}, which VTK does not use")]
    CellType {
        /// Number of the cell from zero.
        cell: usize,
        /// Its type.
        number: i64,
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

/// Reads the grid of a `.vtu` file: ascii, binary, appended, raw or base64, plain or compressed by ZLib or
/// LZ4.
///
/// Fields keep their types with these exceptions: integers of 8 and 16 bits become integers of 32 bits
/// (unsigned ones of 8 bits are kept), unsigned ones of 32 and 64 bits become integers of 64 bits.
///
/// # Errors
///
/// [`ReadError`]: the file cannot be opened, is damaged, or does not contain a single unstructured grid.
pub fn read_vtu(path: &Path) -> Result<Grid, ReadError> {
    read_vtu_with(path, &|_| true)
}

/// The grid in the bytes of a `.vtu` file.
///
/// # Errors
///
/// [`ParseError`].
pub fn parse_vtu(bytes: &[u8]) -> Result<Grid, ParseError> {
    parse(bytes, &|_| true)
}

/// Reads the grid of a `.vtu` file with some of its fields: the others are not decompressed.
///
/// * `wanted` — true for the names of the fields to read
///
/// # Errors
///
/// As [`read_vtu`].
pub fn read_vtu_with(path: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Grid, ReadError> {
    let bytes =
        carom_files::input::read(path).map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
    parse(&bytes, wanted).map_err(|source| ReadError::Content { path: path.to_owned(), source })
}

fn parse(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Grid, ParseError> {
    let mark = b"<AppendedData";
    let appended = bytes.windows(mark.len()).position(|window| window == mark);
    let mut head = String::from_utf8_lossy(&bytes[..appended.unwrap_or(bytes.len())]).into_owned();
    if appended.is_some() {
        // Raw data are not XML and are separated first.
        head.push_str("</VTKFile>");
    }
    let begins: String = head.trim_start_matches('\u{feff}').trim_start().chars().take(40).collect();
    if !begins.starts_with('<') {
        return Err(ParseError::NotVtu { found: begins.lines().next().unwrap_or("").to_owned() });
    }
    xml::check_attributes(&head).map_err(|error| ParseError::Xml { message: error.to_string() })?;
    let options = ParsingOptions { nodes_limit: xml::nodes_limit(head.len()), ..ParsingOptions::default() };
    let document = Document::parse_with_options(&head, options)
        .map_err(|error| ParseError::Xml { message: error.to_string() })?;
    let file = File::new(document.root_element(), bytes, appended, wanted)?;
    file.grid()
}

/// A file: its tree, its encoding, and the data after the tree.
struct File<'a> {
    root: Node<'a, 'a>,
    packing: Packing,
    /// Appended data, and true if they are base64.
    appended: Option<(&'a [u8], bool)>,
    /// Offsets of appended arrays, ascending.
    offsets: BTreeSet<usize>,
    /// Remaining limit of decompressed bytes.
    left: Cell<usize>,
    /// True for the names of the fields to read.
    wanted: &'a dyn Fn(&str) -> bool,
}

/// Limits of the decompressed size of all arrays, per byte of the file, and a constant.
const UNPACKED_FACTOR: usize = 4;
const UNPACKED_BASE: usize = 40_000_000;

impl<'a> File<'a> {
    fn new(
        root: Node<'a, 'a>,
        bytes: &'a [u8],
        appended: Option<usize>,
        wanted: &'a dyn Fn(&str) -> bool,
    ) -> Result<Self, ParseError> {
        if !root.has_tag_name("VTKFile") {
            return Err(ParseError::NotVtu { found: format!("<{}>", root.tag_name().name()) });
        }
        let kind = root.attribute("type").unwrap_or("");
        if kind != "UnstructuredGrid" {
            return Err(ParseError::DataSet { found: kind.to_owned() });
        }
        let big_endian = match root.attribute("byte_order") {
            None | Some("LittleEndian") => false,
            Some("BigEndian") => true,
            Some(other) => return Err(ParseError::Attribute { name: "byte_order", value: other.to_owned() }),
        };
        let header = match root.attribute("header_type") {
            None | Some("UInt32") => 4,
            Some("UInt64") => 8,
            Some(other) => {
                return Err(ParseError::Attribute { name: "header_type", value: other.to_owned() });
            }
        };
        let compressor = Compressor::of_class(root.attribute("compressor").unwrap_or(""))
            .map_err(|source| ParseError::Array { name: "all of them".to_owned(), source })?;
        let offsets = root.descendants().filter_map(|n| n.attribute("offset")?.trim().parse().ok()).collect();
        let appended = appended.map(|at| appended_data(&bytes[at..])).transpose()?;
        let left = Cell::new(bytes.len().saturating_mul(UNPACKED_FACTOR).saturating_add(UNPACKED_BASE));
        Ok(Self {
            root,
            packing: Packing { big_endian, header, compressor },
            appended,
            offsets,
            left,
            wanted,
        })
    }

    fn grid(&self) -> Result<Grid, ParseError> {
        let missing = |what| ParseError::Missing { what };
        let grid = child(self.root, "UnstructuredGrid").ok_or(missing("element UnstructuredGrid"))?;
        let is_filled = |piece: &Node<'_, '_>| count(*piece, "NumberOfCells").is_none_or(|n| n > 0);
        let all = || grid.children().filter(|n| n.has_tag_name("Piece"));
        let mut pieces: Vec<Node<'_, '_>> = all().filter(is_filled).collect();
        if pieces.is_empty() && all().count() == 1 {
            pieces.extend(all());
        }
        let &[piece] = &pieces[..] else { return Err(ParseError::Pieces { count: pieces.len() }) };
        let n_points = count(piece, "NumberOfPoints").ok_or(missing("number of points"))?;
        let n_cells = count(piece, "NumberOfCells").ok_or(missing("number of cells"))?;
        let mut out = Grid { points: self.points(piece, n_points)?, ..Grid::default() };
        self.cells(piece, n_cells, &mut out)?;
        self.fields(piece, &mut out)?;
        out.check_cells()?;
        Ok(out)
    }

    fn points(&self, piece: Node<'a, 'a>, n_points: usize) -> Result<Vec<[f64; 3]>, ParseError> {
        let array = child(piece, "Points").and_then(|points| child(points, "DataArray"));
        let values = self.array(array.ok_or(ParseError::Missing { what: "array of points" })?)?.to_f64();
        check_length("Points", values.len(), n_points.saturating_mul(3))?;
        let points: Vec<[f64; 3]> = values.as_chunks().0.to_vec();
        match points.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            Some(point) => Err(ParseError::NotFinite { point, x: points[point] }),
            None => Ok(points),
        }
    }

    fn cells(&self, piece: Node<'a, 'a>, n_cells: usize, grid: &mut Grid) -> Result<(), ParseError> {
        let cells = child(piece, "Cells").ok_or(ParseError::Missing { what: "element Cells" })?;
        let integers = |name: &'static str| -> Result<Vec<i64>, ParseError> {
            let array = arrays(cells).find(|array| array.attribute("Name") == Some(name));
            let values = self.array(array.ok_or(ParseError::Missing { what: name })?)?;
            Ok(values.to_i64().unwrap_or_default())
        };
        let types = integers("types")?;
        check_length("types", types.len(), n_cells)?;
        let offsets = integers("offsets")?;
        check_length("offsets", offsets.len(), n_cells)?;
        for (cell, &number) in types.iter().enumerate() {
            let kind = u8::try_from(number).ok().and_then(CellType::from_number);
            grid.types.push(kind.ok_or(ParseError::CellType { cell, number })?);
        }
        // Negative and too large numbers become an invalid point number, which the check of the grid reports.
        let number = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
        grid.connectivity = integers("connectivity")?.into_iter().map(number).collect();
        grid.offsets = offsets.into_iter().map(|n| usize::try_from(n).unwrap_or(usize::MAX)).collect();
        Ok(())
    }

    /// Reads the fields, and the arrays that attributes mark as weights and degrees.
    fn fields(&self, piece: Node<'a, 'a>, grid: &mut Grid) -> Result<(), ParseError> {
        for (over, attribute) in [("PointData", "RationalWeights"), ("CellData", "HigherOrderDegrees")] {
            let Some(section) = child(piece, over) else { continue };
            let n_tuples = if over == "PointData" { grid.points.len() } else { grid.types.len() };
            let special = section.attribute(attribute);
            for array in arrays(section) {
                let name = array.attribute("Name").unwrap_or("").to_owned();
                let n_components = count(array, "NumberOfComponents").unwrap_or(1).max(1);
                if special != Some(name.as_str()) && !(self.wanted)(&name) {
                    continue;
                }
                let values = self.array(array)?;
                check_length(&name, values.len(), n_tuples.saturating_mul(n_components))?;
                if special != Some(name.as_str()) {
                    let fields =
                        if over == "PointData" { &mut grid.point_fields } else { &mut grid.cell_fields };
                    fields.push(Field { name, n_components, values });
                } else if over == "PointData" {
                    grid.rational_weights = values.to_f64();
                } else {
                    check_length(&name, values.len(), n_tuples.saturating_mul(3))?;
                    let degrees: Vec<u8> = values.to_f64().into_iter().map(|p| p as u8).collect();
                    grid.degrees = degrees.as_chunks().0.to_vec();
                }
            }
        }
        Ok(())
    }

    /// The numbers of an array in any encoding.
    fn array(&self, array: Node<'a, 'a>) -> Result<Values, ParseError> {
        let name = array.attribute("Name").unwrap_or("").to_owned();
        self.values(array).map_err(|source| ParseError::Array { name, source })
    }

    fn values(&self, array: Node<'a, 'a>) -> Result<Values, DecodeError> {
        let type_name = array.attribute("type").unwrap_or("");
        let text = || array.children().filter_map(|n| if n.is_text() { n.text() } else { None });
        let packed = match array.attribute("format") {
            None | Some("ascii") => return words(&text().collect::<Vec<_>>().join(" "), type_name),
            Some("binary") => base64(text().collect::<String>().as_bytes())?,
            Some(_) => {
                let (data, is_base64) = self.appended.ok_or(DecodeError::Truncated)?;
                let offset = array.attribute("offset").and_then(|o| o.trim().parse().ok());
                let start: usize = offset.ok_or(DecodeError::Truncated)?;
                // Arrays are contiguous.
                let end = self.offsets.range(start.saturating_add(1)..).next().copied().unwrap_or(data.len());
                let slice = data.get(start..end.min(data.len())).ok_or(DecodeError::Truncated)?;
                if is_base64 { base64(slice)? } else { slice.to_vec() }
            }
        };
        let is_empty = packed.is_empty();
        // Short integers become long ones.
        let share = if matches!(type_name, "Int8" | "UInt8" | "Int16" | "UInt16") { 4 } else { 1 };
        let most = self.left.get() / share;
        let plain = if is_empty { Vec::new() } else { unpack(&packed, self.packing, most)? };
        self.left.set(self.left.get() - share * plain.len());
        drop(packed);
        numbers(&plain, type_name, self.packing.big_endian)
    }
}

/// The data after the underscore of `<AppendedData encoding="…">_`, and true if they are base64.
fn appended_data(bytes: &[u8]) -> Result<(&[u8], bool), ParseError> {
    let missing = ParseError::Missing { what: "underscore before the appended data" };
    let Some(mark) = bytes.iter().position(|&c| c == b'_') else { return Err(missing) };
    let tag = String::from_utf8_lossy(&bytes[..mark]);
    let is_base64 = !tag.contains("\"raw\"") && !tag.contains("'raw'");
    let data = &bytes[mark + 1..];
    if !is_base64 {
        return Ok((data, false));
    }
    let end = data.iter().position(|&c| c == b'<').unwrap_or(data.len());
    Ok((&data[..end], true))
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|n| n.has_tag_name(name))
}

fn arrays<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(|n| n.has_tag_name("DataArray"))
}

fn count(node: Node<'_, '_>, name: &str) -> Option<usize> {
    node.attribute(name)?.trim().parse().ok()
}

fn check_length(name: &str, found: usize, wanted: usize) -> Result<(), ParseError> {
    if found == wanted { Ok(()) } else { Err(ParseError::Length { name: name.to_owned(), found, wanted }) }
}
