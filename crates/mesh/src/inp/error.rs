//! Errors from reading and writing .inp files.

use std::path::PathBuf;

use carom_files::coordinates::ImpossiblePoint;

use super::deck::Place;
use crate::SectionError;

/// Error from reading an .inp file.
#[derive(Debug, thiserror::Error)]
pub enum ReadInpError {
    /// The file, or one that it includes, cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },
    /// The file is not a valid .inp file, or contains a mesh that carom does not support.
    #[error(transparent)]
    Content(#[from] ParseInpError),
}

/// Error in the content of an .inp file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseInpError {
    /// The file does not begin with a keyword or comment.
    #[error(
        "this is not an Abaqus or CalculiX file: it begins with `{found}` instead of a keyword such as \
         *HEADING or *NODE"
    )]
    NotInp {
        /// First characters of the file.
        found: String,
    },
    /// A keyword lacks a required parameter.
    #[error("{place}: *{keyword} has no parameter {parameter}=…")]
    NoParameter {
        /// Place of the keyword.
        place: Place,
        /// The keyword.
        keyword: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// An included file does not exist.
    #[error(
        "{place}: the file `{file}` is neither in the folder of this file nor in that of the first; copy it \
         there"
    )]
    NoInclude {
        /// Place of the keyword.
        place: Place,
        /// The file name in the deck.
        file: String,
    },
    /// An included file is a folder, device or pipe.
    #[error("{place}: `{file}` is not a regular file; include files of text alone")]
    SpecialInclude {
        /// Place of the keyword.
        place: Place,
        /// The file name in the deck.
        file: String,
    },
    /// Files are included repeatedly.
    #[error(
        "{place}: `{file}` is included again, and files that are included more than once add up to more than \
         the deck itself (or there are more than 10000 *INCLUDE); write the deck into one file"
    )]
    TooManyIncludes {
        /// Place of the keyword.
        place: Place,
        /// The file name in the deck.
        file: String,
    },
    /// The lines are shorter than those of a valid mesh.
    #[error(
        "the deck has {lines} data lines, too many for its size: reading it would take {needed} bytes of \
         memory, more than the {most} that a file of its size may take; it is damaged, or its lines hold \
         less than nodes, elements and sets need: write the mesh again"
    )]
    TooManyLines {
        /// Number of lines.
        lines: usize,
        /// Required memory \[byte\].
        needed: u64,
        /// The limit \[byte\].
        most: u64,
    },
    /// A file includes itself.
    #[error("{place}: `{file}` includes itself, directly or through others; remove that *INCLUDE")]
    IncludeCycle {
        /// Place of the keyword.
        place: Place,
        /// The file name in the deck.
        file: String,
    },
    /// An entry is not the expected number or name.
    #[error("{place}: `{found}` stands where {wanted} should be")]
    Number {
        /// Place of the entry.
        place: Place,
        /// The expected entry.
        wanted: &'static str,
        /// The entry found.
        found: String,
    },
    /// A keyword generates nodes or elements in a way that is not supported.
    #[error(
        "{place}: *{keyword} is not read; have the pre-processor write all nodes and elements out, or mesh \
         with Gmsh and import its .msh"
    )]
    UnsupportedKeyword {
        /// Place of the keyword.
        place: Place,
        /// The keyword.
        keyword: String,
    },
    /// A section with an impossible number.
    #[error("{place}: {source}")]
    Section {
        /// Place of the keyword.
        place: Place,
        /// The number.
        source: SectionError,
    },
    /// A kind of element that is not supported.
    #[error(
        "{place}: the mesh has {kind} (type {name}); carom reads tetrahedra, hexahedra, wedges and pyramids \
         of first and second order ({} and their variants): mesh without it",
        super::element::types()
    )]
    UnsupportedElement {
        /// Place of the keyword.
        place: Place,
        /// Description of the kind.
        kind: &'static str,
        /// Element type in the file.
        name: String,
    },
    /// An element has too many or too few nodes.
    #[error("{place}: element {element} has {found} nodes, its type {name} needs {wanted}")]
    ElementSize {
        /// Place of the element.
        place: Place,
        /// Number of the element.
        element: u64,
        /// Type of the element.
        name: String,
        /// Number of nodes of the type.
        wanted: usize,
        /// Number of nodes found.
        found: usize,
    },
    /// The last nodes of an element, as of a C3D27, do not lie near the middles of its faces.
    #[error(
        "{place}: the nodes from {first} on of element {element} ({name}) are not the middles of its faces \
         and of the whole; write the mesh with elements without nodes on their faces"
    )]
    FaceNodes {
        /// Place of the element.
        place: Place,
        /// Number of the element.
        element: u64,
        /// The first of these nodes, counted from 1.
        first: usize,
        /// The type of the element.
        name: &'static str,
    },
    /// A coordinate is too large.
    #[error("{place}: {source}")]
    Coordinates {
        /// Place of the node.
        place: Place,
        /// Number and coordinates of the node.
        source: ImpossiblePoint,
    },
    /// A node is defined a second time at another position.
    #[error("{place}: node {node} is there a second time, at another place")]
    RepeatedNode {
        /// Place of the second definition.
        place: Place,
        /// Number of the node.
        node: u64,
    },
    /// An element is defined a second time.
    #[error("{place}: element {element} is there a second time")]
    RepeatedElement {
        /// Place of the second definition.
        place: Place,
        /// Number of the element.
        element: u64,
    },
    /// A node, element, set, part or instance that the file does not have.
    #[error("{place}: there is no {what} `{name}` here")]
    Unknown {
        /// Place of the reference.
        place: Place,
        /// "node", "element", "node set", "element set", "part", "instance".
        what: &'static str,
        /// Name or number of the missing entity.
        name: String,
    },
    /// A set contains itself.
    #[error("{place}: the set `{name}` holds itself, directly or through others")]
    SetCycle {
        /// Place of the set.
        place: Place,
        /// Name of the set.
        name: String,
    },
    /// A range of numbers is invalid.
    #[error(
        "{place}: `{found}` is not a range: first, last and step, the last not before the first, the step \
         positive"
    )]
    Range {
        /// Place of the range.
        place: Place,
        /// The range found.
        found: String,
    },
    /// A face that the element does not have.
    #[error("{place}: `{face}` is not a face of element {element}, which has S1 to S{n_faces}")]
    NoFace {
        /// Place of the reference.
        place: Place,
        /// The name of the face in the file.
        face: String,
        /// Number of the element.
        element: u64,
        /// Number of faces of the element.
        n_faces: usize,
    },
    /// A transformation or coordinate system is invalid.
    #[error("{place}: {what}")]
    Axes {
        /// Place of the keyword.
        place: Place,
        /// Description of the error.
        what: &'static str,
    },
    /// The file ends within a line that continues.
    #[error(
        "{place}: the file ends after a comma, within the data of *{keyword}: it is incomplete, write or \
         copy it again (if it is whole, end that line)"
    )]
    Truncated {
        /// Place of the line.
        place: Place,
        /// The keyword.
        keyword: String,
    },
    /// The file has neither nodes nor elements.
    #[error("the file has neither nodes nor elements; write the mesh out with *NODE and *ELEMENT")]
    Empty,
    /// The file has no solid element.
    #[error(
        "the file has no solid elements, only {found}; carom reads solids, {} and their variants: mesh the \
         volume with these",
        super::element::types()
    )]
    NoVolume {
        /// The elements that the file has.
        found: String,
    },
}

/// Error from writing an .inp file.
#[derive(Debug, thiserror::Error)]
pub enum WriteInpError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] carom_files::WriteFileError),
    /// The writer failed.
    #[error("cannot write the mesh: {source}")]
    Write {
        /// The writer's message.
        source: std::io::Error,
    },
    /// Beams, whose sections are constants.
    #[error(
        "block {block} has beams: their constants do not give the outline that *BEAM SECTION needs; write a \
         .vtu, or keep the body file"
    )]
    Beams {
        /// Number of the block.
        block: usize,
    },
    /// A name that the format cannot hold.
    #[error(
        "the set name `{name}` is empty, is longer than 80 letters, or holds a quotation mark, comma, equals \
         sign or line break, which .inp files cannot; rename it"
    )]
    Name {
        /// The rejected name.
        name: String,
    },
    /// The format cannot distinguish two names.
    #[error(
        "the set names `{first}` and `{second}` are the same to .inp files, which know no small letters; \
         rename one"
    )]
    SameName {
        /// The first name.
        first: String,
        /// The second name.
        second: String,
    },
}
