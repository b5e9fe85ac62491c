//! Errors from reading and writing MSH files.

use std::path::PathBuf;

use carom_files::coordinates::ImpossiblePoint;

use super::cursor::Place;
use crate::CellShape;

/// Error from reading an MSH file.
#[derive(Debug, thiserror::Error)]
pub enum ReadMshError {
    /// The file cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },
    /// The file is not a valid MSH file, or contains a mesh that carom does not support.
    #[error("`{path}`: {source}")]
    Content {
        /// The file.
        path: PathBuf,
        /// Error in the content, with its place.
        source: ParseMshError,
    },
}

/// Error in the bytes of an MSH file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseMshError {
    /// The file does not begin like an MSH file.
    #[error("this is not an MSH file: it begins with `{found}` instead of $MeshFormat (or $NOD, version 1)")]
    NotMsh {
        /// First characters of the file.
        found: String,
    },
    /// A version of the format is not supported.
    #[error(
        "MSH version {found} is not read, only 1, 2.0 to 2.2, 4.0 and 4.1; save the mesh as version 4.1 \
         (gmsh -format msh41)"
    )]
    Version {
        /// Version found.
        found: String,
    },
    /// Numbers do not have 8 bytes.
    #[error("numbers of {found} bytes are not read, only of 8; save the mesh with a 64-bit Gmsh")]
    NumberSize {
        /// Size found.
        found: i32,
    },
    /// The byte-order mark is not 1 in either byte order.
    #[error(
        "byte {at}: the byte-order mark of this binary file is broken; copy the file again in binary mode"
    )]
    ByteOrder {
        /// Position of the mark.
        at: usize,
    },
    /// The file ends too early.
    #[error("{place}: the file ends where {wanted} should follow; it is incomplete, write or copy it again")]
    Truncated {
        /// Place of the end.
        place: Place,
        /// The expected content.
        wanted: &'static str,
    },
    /// An entry is not the expected number.
    #[error("{place}: `{found}` stands where {wanted} should be")]
    Number {
        /// Place of the entry.
        place: Place,
        /// The expected entry.
        wanted: &'static str,
        /// The entry found.
        found: String,
    },
    /// There is text between sections.
    #[error("{place}: `{found}` stands where a section such as $Nodes should begin")]
    NoSection {
        /// Place of the text.
        place: Place,
        /// The text found.
        found: String,
    },
    /// A section continues after its expected end.
    #[error(
        "{place}: `{found}` stands where $End{name} should be: the section holds more or less than it \
         announces"
    )]
    EndMark {
        /// Place of the expected end.
        place: Place,
        /// Name of the section.
        name: &'static str,
        /// The content found.
        found: String,
    },
    /// A skipped section has no end.
    #[error("{place}: section ${name} has no end; the file is incomplete, write or copy it again")]
    UnendedSection {
        /// Place of its beginning.
        place: Place,
        /// Name of the section.
        name: String,
    },
    /// A count is larger than the rest of the file can contain.
    #[error(
        "{place}: {count} {what} are announced, but only {left} bytes follow; the file is incomplete or \
         damaged"
    )]
    Count {
        /// Place of the count.
        place: Place,
        /// Name of the counted items.
        what: &'static str,
        /// The count found.
        count: u64,
        /// Number of remaining bytes.
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
    /// A section occurs twice.
    #[error("{place}: section ${name} comes a second time")]
    Repeated {
        /// Place of the second one.
        place: Place,
        /// Name of the section.
        name: &'static str,
    },
    /// Elements come before nodes.
    #[error(
        "{place}: the elements come before the nodes; save the file again with Gmsh, which writes nodes first"
    )]
    Order {
        /// Place of the elements.
        place: Place,
    },
    /// The mesh is partitioned.
    #[error("{place}: this mesh is partitioned; save it unpartitioned (in Gmsh: Mesh, Unpartition)")]
    Partitioned {
        /// Place of the first partitioned element.
        place: Place,
    },
    /// A kind of element is not supported.
    #[error(
        "{place}: the mesh has {kind}; carom reads tetrahedra, hexahedra, wedges and pyramids of first and \
         second order ({}): mesh without it, or with a lower order",
        CellShape::names()
    )]
    UnsupportedElement {
        /// Place of the element.
        place: Place,
        /// Name of the kind.
        kind: String,
    },
    /// The number of nodes of an element differs from that of its type (MSH 1).
    #[error("{place}: an element of kind {name} lists {found} nodes, but this kind has {wanted}")]
    NodeCount {
        /// Place of the element.
        place: Place,
        /// Name of the kind.
        name: String,
        /// Number of nodes that the element states.
        found: i32,
        /// Number of nodes of the kind.
        wanted: usize,
    },
    /// Shells were wanted of a file with volume elements.
    #[error(
        "the mesh has volume elements: a thickness is for meshes of surfaces (gmsh -2); leave the thickness \
         out, or mesh the surfaces alone"
    )]
    SolidShells,
    /// The file has no volume element.
    #[error(
        "the mesh has no volume elements, only {found}; mesh in three dimensions (gmsh -3), \
         and put the volume into a physical group if others are; surfaces of triangles and quadrilaterals of \
         first order become shells with a `thickness`"
    )]
    NoVolume {
        /// The elements that the file has.
        found: String,
    },
    /// Two nodes have the same number.
    #[error("{place}: node {tag} is there a second time")]
    RepeatedNode {
        /// Place of the second node.
        place: Place,
        /// Number of the node.
        tag: u64,
    },
    /// An element uses a node that the file does not have.
    #[error("{place}: element {element} uses node {tag}, which the file does not have")]
    UnknownNode {
        /// Place of the element.
        place: Place,
        /// Number of the element.
        element: u64,
        /// Number of the node.
        tag: u64,
    },
    /// A coordinate is not a number or too large.
    #[error("section $Nodes: {0}")]
    Coordinates(#[from] ImpossiblePoint),
    /// The dimension of an entity is not 0 to 3.
    #[error("{place}: dimension {found} stands where 0, 1, 2 or 3 should be")]
    Dimension {
        /// Place of the dimension.
        place: Place,
        /// The dimension found.
        found: i32,
    },
}

/// Error from writing an MSH file.
#[derive(Debug, thiserror::Error)]
pub enum WriteMshError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] carom_files::WriteFileError),
    /// The writer failed.
    #[error("cannot write the mesh: {source}")]
    Write {
        /// The writer's message.
        source: std::io::Error,
    },
    /// The format cannot hold a name.
    #[error(
        "the set name `{name}` holds a quotation mark or a line break, which MSH files cannot; rename it"
    )]
    Name {
        /// The rejected name.
        name: String,
    },
}
