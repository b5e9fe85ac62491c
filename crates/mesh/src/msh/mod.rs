//! Gmsh's MSH files: versions 1 (text), 2.0, 2.1, 2.2, 4.0 and 4.1 (text and binary of either byte order) are
//! read; 4.1 text is written.
//!
//! * Node k is the k-th node of the file, whatever its tag, used by a cell or not (see [`Mesh`]).
//! * Groups of volumes become sets of cells, groups of surfaces sets of cell faces, groups of curves and
//!   points sets of nodes. A group without a name is called `physical<tag>`. If groups of several dimensions
//!   share a name, the highest dimension keeps it and the others are called `name.faces`, `name.nodes`.
//! * A surface inside the body (between two cells) consists of the faces with normals in the direction of its
//!   elements' normals.
//! * Cells of one kind and of the same groups form a block.
//!
//! Orders above 2, wedges and pyramids with nodes on their faces, partitioned files and files without volume
//! elements are errors that name the reason.

use std::fmt;
use std::path::Path;

mod build;
mod cursor;
mod element;
mod error;
mod raw;
mod v1;
mod v2;
mod v40;
mod v41;
mod write;

pub use cursor::Place;
pub use error::{ParseMshError, ReadMshError, WriteMshError};
pub use write::{write, write_to};

use crate::Mesh;
use cursor::{Cursor, Encoding, printable};
use raw::RawFile;

/// A note for the user about a file that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Nodes that no volume element uses.
    UnusedNodes {
        /// Number of nodes.
        count: usize,
    },
    /// Surface elements of a group that are not a face of a volume element. If other elements are, the set
    /// consists of these faces, and `name.nodes` holds all nodes of the group that volume elements use.
    LooseSurface {
        /// Name of the set.
        name: String,
        /// Number of elements.
        count: usize,
        /// Whether this holds for all elements of the group, whose set then holds nodes instead of faces.
        all: bool,
    },
    /// A named group without elements; there is no set for it.
    EmptyGroup {
        /// Name of the group.
        name: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnusedNodes { count } => {
                write!(
                    f,
                    "{count} nodes belong to no volume element; they keep their numbers but get no freedoms"
                )
            }
            Self::LooseSurface { name, count, all: true } => {
                write!(
                    f,
                    "set `{name}`: none of its {count} surface elements is a face of a volume element; it is \
                     a set of nodes"
                )
            }
            Self::LooseSurface { name, count, all: false } => write!(
                f,
                "set `{name}`: {count} of its surface elements are not faces of a volume element and are \
                 left out; `{name}.nodes` has their nodes too"
            ),
            Self::EmptyGroup { name } => {
                write!(f, "the physical group `{name}` has no elements; there is no set for it")
            }
        }
    }
}

/// Reads the mesh of an MSH file.
///
/// # Errors
///
/// [`ReadMshError`]: the file cannot be opened, is damaged (with line or byte), or has unsupported
/// content.
pub fn read(path: &Path) -> Result<(Mesh, Vec<Note>), ReadMshError> {
    let bytes = carom_files::input::read(path)
        .map_err(|source| ReadMshError::Open { path: path.to_owned(), source })?;
    parse(&bytes).map_err(|source| ReadMshError::Content { path: path.to_owned(), source })
}

/// Reads the surfaces of an MSH file as shells: triangles and quadrilaterals of first order are the cells,
/// and their physical groups are sets of cells.
///
/// # Errors
///
/// As [`read`]; [`ParseMshError::SolidShells`] if the file has volume elements.
pub fn read_shells(path: &Path) -> Result<(Mesh, Vec<Note>), ReadMshError> {
    let bytes = carom_files::input::read(path)
        .map_err(|source| ReadMshError::Open { path: path.to_owned(), source })?;
    let parsed = raw_file(&bytes).and_then(build::shells);
    parsed.map_err(|source| ReadMshError::Content { path: path.to_owned(), source })
}

/// The mesh in the bytes of an MSH file, and notes for the user.
///
/// # Errors
///
/// [`ParseMshError`], with the line of a text file or the byte of a binary one.
pub fn parse(bytes: &[u8]) -> Result<(Mesh, Vec<Note>), ParseMshError> {
    raw_file(bytes).and_then(build::mesh)
}

/// The sections of an MSH file.
fn raw_file(bytes: &[u8]) -> Result<RawFile, ParseMshError> {
    let mut cursor = Cursor::new(bytes);
    let version = format(&mut cursor)?;
    let mut raw = RawFile::default();
    let (mut has_nodes, mut has_elements) = (false, false);
    while let Some(name) = cursor.section()? {
        match name.as_str() {
            "PhysicalNames" => physical_names(&mut cursor, &mut raw)?,
            "Entities" if version == Version::V40 => v41::entities(&mut cursor, &mut raw, true)?,
            "Entities" if version == Version::V41 => v41::entities(&mut cursor, &mut raw, false)?,
            "PartitionedEntities" => return Err(ParseMshError::Partitioned { place: cursor.place() }),
            name if name == version.nodes() => {
                if has_nodes {
                    return Err(ParseMshError::Repeated { place: cursor.place(), name: version.nodes() });
                }
                match version {
                    Version::V41 => v41::nodes(&mut cursor, &mut raw)?,
                    Version::V40 => v40::nodes(&mut cursor, &mut raw)?,
                    _ => v2::nodes(&mut cursor, &mut raw, version.nodes())?,
                }
                has_nodes = true;
            }
            name if name == version.elements() => {
                if has_elements {
                    return Err(ParseMshError::Repeated { place: cursor.place(), name: version.elements() });
                }
                if !has_nodes {
                    return Err(ParseMshError::Order { place: cursor.place() });
                }
                match version {
                    Version::V1 => v1::elements(&mut cursor, &mut raw)?,
                    Version::V20 => v2::elements(&mut cursor, &mut raw, false)?,
                    Version::V22 => v2::elements(&mut cursor, &mut raw, true)?,
                    Version::V40 => v40::elements(&mut cursor, &mut raw)?,
                    Version::V41 => v41::elements(&mut cursor, &mut raw)?,
                }
                has_elements = true;
            }
            other => cursor.skip_section(other)?,
        }
    }
    if !has_elements {
        return Err(ParseMshError::Missing {
            name: if has_nodes { version.elements() } else { version.nodes() },
        });
    }
    Ok(raw)
}

/// Versions that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Version 1, which is not stated in the file.
    V1,
    /// Versions 2.0 and 2.1.
    V20,
    V22,
    V40,
    V41,
}

impl Version {
    /// Name of the section of nodes.
    fn nodes(self) -> &'static str {
        if self == Self::V1 { "NOD" } else { "Nodes" }
    }

    /// Name of the section of elements.
    fn elements(self) -> &'static str {
        if self == Self::V1 { "ELM" } else { "Elements" }
    }
}

/// `$MeshFormat`: version, text or binary, size of a number, byte-order mark.
fn format(cursor: &mut Cursor<'_>) -> Result<Version, ParseMshError> {
    let start = cursor.clone();
    let first = cursor.line();
    if first == b"$NOD" {
        // Version 1 begins with its nodes.
        *cursor = start;
        return Ok(Version::V1);
    }
    if first != b"$MeshFormat" {
        return Err(ParseMshError::NotMsh { found: printable(first) });
    }
    let found: String = cursor.text("a version")?;
    let version = match found.as_str() {
        "4.1" => Version::V41,
        "4" | "4.0" => Version::V40,
        "2.2" => Version::V22,
        "2" | "2.0" | "2.1" => Version::V20,
        _ => return Err(ParseMshError::Version { found: printable(found.as_bytes()) }),
    };
    let binary: i32 = cursor.text("0 (text) or 1 (binary)")?;
    let size: i32 = cursor.text("the size of a number")?;
    if size != 8 {
        return Err(ParseMshError::NumberSize { found: size });
    }
    cursor.line();
    if binary != 0 {
        cursor.encoding = Encoding::LittleEndian;
        let Place::Byte(at) = cursor.place() else { unreachable!("places of binary files are bytes") };
        match cursor.int()?.to_le_bytes() {
            [1, 0, 0, 0] => {}
            [0, 0, 0, 1] => cursor.encoding = Encoding::BigEndian,
            _ => return Err(ParseMshError::ByteOrder { at }),
        }
    }
    cursor.end_section("MeshFormat")?;
    Ok(version)
}

/// `$PhysicalNames`, text in all files: dimension (none in version 2.0), tag, name in quotation marks.
fn physical_names(cursor: &mut Cursor<'_>, raw: &mut RawFile) -> Result<(), ParseMshError> {
    let count: u64 = cursor.text("the number of names")?;
    let count = cursor.expect_room(count, 6, "names")?;
    for _ in 0..count {
        let first: i32 = cursor.text("a dimension")?;
        if cursor.is_at_quote() {
            let name = cursor.quoted("a name in quotation marks")?;
            raw.names_of_tags.insert(first, String::from_utf8_lossy(name).into_owned());
            continue;
        }
        let dim = raw::dimension(cursor, first)?;
        let tag: i32 = cursor.text("a physical tag")?;
        let name = cursor.quoted("a name in quotation marks")?;
        raw.names.insert((dim, tag), String::from_utf8_lossy(name).into_owned());
    }
    cursor.end_section("PhysicalNames")
}
