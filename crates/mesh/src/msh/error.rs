//! Why an MSH file cannot be read or written.

use std::path::PathBuf;

use carom_files::coordinates::ImpossiblePoint;

use super::cursor::Place;
use crate::CellShape;

/// Why an MSH file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadMshError {
    /// The file cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a valid MSH file, or holds a mesh that carom does not support.
    #[error("`{path}`: {source}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: ParseMshError,
    },
}

/// What is wrong in the bytes of an MSH file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseMshError {
    /// The file does not begin as an MSH file.
    #[error("this is not an MSH file: it begins with `{found}` instead of $MeshFormat (or $NOD, version 1)")]
    NotMsh {
        /// How the file begins.
        found: String,
    },
    /// A version of the format that is not read.
    #[error(
        "MSH version {found} is not read, only 1, 2.0 to 2.2, 4.0 and 4.1; save the mesh as version 4.1 \
         (gmsh -format msh41)"
    )]
    Version {
        /// Version found.
        found: String,
    },
    /// Sizes other than 8 bytes.
    #[error("numbers of {found} bytes are not read, only of 8; save the mesh with a 64-bit Gmsh")]
    NumberSize {
        /// Size found.
        found: i32,
    },
    /// The byte-order mark is not 1 in either order.
    #[error(
        "byte {at}: the byte-order mark of this binary file is broken; copy the file again in binary mode"
    )]
    ByteOrder {
        /// Its position.
        at: usize,
    },
    /// The file ends too early.
    #[error("{place}: the file ends where {wanted} should follow; it is incomplete, write or copy it again")]
    Truncated {
        /// Where.
        place: Place,
        /// What should follow.
        wanted: &'static str,
    },
    /// Something is not the number it should be.
    #[error("{place}: `{found}` stands where {wanted} should be")]
    Number {
        /// Where.
        place: Place,
        /// What should be there.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
    /// Text between sections.
    #[error("{place}: `{found}` stands where a section such as $Nodes should begin")]
    NoSection {
        /// Where.
        place: Place,
        /// What is there.
        found: String,
    },
    /// A section continues where it should end.
    #[error(
        "{place}: `{found}` stands where $End{name} should be: the section holds more or less than it \
         announces"
    )]
    EndMark {
        /// Where.
        place: Place,
        /// Name of the section.
        name: &'static str,
        /// What is there.
        found: String,
    },
    /// A section that is not needed has no end.
    #[error("{place}: section ${name} has no end; the file is incomplete, write or copy it again")]
    UnendedSection {
        /// Where it begins.
        place: Place,
        /// Its name.
        name: String,
    },
    /// A count that the rest of the file cannot hold.
    #[error(
        "{place}: {count} {what} are announced, but only {left} bytes follow; the file is incomplete or \
         damaged"
    )]
    Count {
        /// Where.
        place: Place,
        /// Of what.
        what: &'static str,
        /// The count.
        count: u64,
        /// Bytes that are left.
        left: usize,
    },
    /// A section is missing.
    #[error(
        "the file has no section ${name}; it is incomplete, or no mesh was generated before it was saved"
    )]
    Missing {
        /// Name of the section.
        name: &'static str,
    },
    /// A section comes twice.
    #[error("{place}: section ${name} comes a second time")]
    Repeated {
        /// Where.
        place: Place,
        /// Name of the section.
        name: &'static str,
    },
    /// Elements before nodes.
    #[error(
        "{place}: the elements come before the nodes; save the file again with Gmsh, which writes nodes first"
    )]
    Order {
        /// Where.
        place: Place,
    },
    /// A partitioned mesh.
    #[error("{place}: this mesh is partitioned; save it unpartitioned (in Gmsh: Mesh, Unpartition)")]
    Partitioned {
        /// Where.
        place: Place,
    },
    /// A kind of element that is not supported.
    #[error(
        "{place}: the mesh has {kind}; carom reads tetrahedra, hexahedra, wedges and pyramids of first and \
         second order ({}): mesh without it, or with a lower order",
        CellShape::names()
    )]
    UnsupportedElement {
        /// Where.
        place: Place,
        /// Kind of element.
        kind: String,
    },
    /// An element lists another number of nodes than its type has (MSH 1).
    #[error("{place}: an element of kind {name} lists {found} nodes, but this kind has {wanted}")]
    NodeCount {
        /// Where.
        place: Place,
        /// Name of the kind.
        name: String,
        /// Nodes that it says it has.
        found: i32,
        /// Nodes of the kind.
        wanted: usize,
    },
    /// No volume element at all.
    #[error(
        "the mesh has no volume elements, only {found}; mesh in three dimensions (gmsh -3), \
         and put the volume into a physical group if others are"
    )]
    NoVolume {
        /// What it has.
        found: String,
    },
    /// Two nodes of the same number.
    #[error("{place}: node {tag} is there a second time")]
    RepeatedNode {
        /// Where.
        place: Place,
        /// Number of the node.
        tag: u64,
    },
    /// An element uses a node that the file does not have.
    #[error("{place}: element {element} uses node {tag}, which the file does not have")]
    UnknownNode {
        /// Where.
        place: Place,
        /// Number of the element.
        element: u64,
        /// Number of the node.
        tag: u64,
    },
    /// A coordinate is not a number or too large.
    #[error("section $Nodes: {0}")]
    Coordinates(#[from] ImpossiblePoint),
    /// An entity of a dimension other than 0 to 3.
    #[error("{place}: dimension {found} stands where 0, 1, 2 or 3 should be")]
    Dimension {
        /// Where.
        place: Place,
        /// What is there.
        found: i32,
    },
}

/// Why an MSH file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteMshError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] carom_files::WriteFileError),
    /// The writer failed.
    #[error("cannot write the mesh: {source}")]
    Write {
        /// What it says.
        source: std::io::Error,
    },
    /// A name that the format cannot hold.
    #[error(
        "the set name `{name}` holds a quotation mark or a line break, which MSH files cannot; rename it"
    )]
    Name {
        /// The name.
        name: String,
    },
}
