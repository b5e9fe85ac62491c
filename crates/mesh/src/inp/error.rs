//! Why an .inp file cannot be read or written.

use std::path::PathBuf;

use carom_files::coordinates::ImpossiblePoint;

use super::deck::Place;

/// Why an .inp file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadInpError {
    /// The file, or one that it includes, cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a valid .inp file, or holds a mesh that carom does not support.
    #[error(transparent)]
    Content(#[from] ParseInpError),
}

/// What is wrong in an .inp file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseInpError {
    /// The file does not begin with a keyword or comment.
    #[error(
        "this is not an Abaqus or CalculiX file: it begins with `{found}` instead of a keyword such as \
         *HEADING or *NODE"
    )]
    NotInp {
        /// How the file begins.
        found: String,
    },
    /// A keyword without a parameter that it needs.
    #[error("{place}: *{keyword} has no parameter {parameter}=…")]
    NoParameter {
        /// Where.
        place: Place,
        /// The keyword.
        keyword: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// An included file is not there.
    #[error(
        "{place}: the file `{file}` is neither in the folder of this file nor in that of the first; copy it \
         there"
    )]
    NoInclude {
        /// Where.
        place: Place,
        /// The file as it is named.
        file: String,
    },
    /// An included file that is a folder, device or pipe.
    #[error("{place}: `{file}` is not a regular file; include files of text alone")]
    SpecialInclude {
        /// Where.
        place: Place,
        /// The file as it is named.
        file: String,
    },
    /// Files that are included again and again.
    #[error(
        "{place}: `{file}` is included again, and files that are included more than once add up to more than \
         the deck itself (or there are more than 10000 *INCLUDE); write the deck into one file"
    )]
    TooManyIncludes {
        /// Where.
        place: Place,
        /// The file as it is named.
        file: String,
    },
    /// Lines that are shorter than those of a mesh.
    #[error(
        "the deck has {lines} data lines, too many for its size: reading it would take {needed} bytes of \
         memory, more than the {most} that a file of its size may take; it is damaged, or its lines hold \
         less than nodes, elements and sets need: write the mesh again"
    )]
    TooManyLines {
        /// How many.
        lines: usize,
        /// Memory \[byte\].
        needed: u64,
        /// The limit \[byte\].
        most: u64,
    },
    /// A file includes itself.
    #[error("{place}: `{file}` includes itself, directly or through others; take that *INCLUDE out")]
    IncludeCycle {
        /// Where.
        place: Place,
        /// The file as it is named.
        file: String,
    },
    /// Something is not the number or name that it should be.
    #[error("{place}: `{found}` stands where {wanted} should be")]
    Number {
        /// Where.
        place: Place,
        /// What should be there.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
    /// A keyword that makes nodes or elements in a way that is not read.
    #[error(
        "{place}: *{keyword} is not read; have the pre-processor write all nodes and elements out, or mesh \
         with Gmsh and import its .msh"
    )]
    UnsupportedKeyword {
        /// Where.
        place: Place,
        /// The keyword.
        keyword: String,
    },
    /// A kind of element that is not supported.
    #[error(
        "{place}: the mesh has {kind} (type {name}); carom reads tetrahedra, hexahedra, wedges and pyramids \
         of first and second order ({} and their variants): mesh without it",
        super::element::types()
    )]
    UnsupportedElement {
        /// Where.
        place: Place,
        /// What it is, in words.
        kind: &'static str,
        /// Its type in the file.
        name: String,
    },
    /// An element has too many or too few nodes.
    #[error("{place}: element {element} has {found} nodes, its type {name} needs {wanted}")]
    ElementSize {
        /// Where.
        place: Place,
        /// Number of the element.
        element: u64,
        /// Its type.
        name: String,
        /// Nodes that it needs.
        wanted: usize,
        /// Nodes that are there.
        found: usize,
    },
    /// The last nodes of an element, as of a C3D27, do not lie near the middles of its faces.
    #[error(
        "{place}: the nodes from {first} on of element {element} ({name}) are not the middles of its faces \
         and of the whole; write the mesh with elements without nodes on their faces"
    )]
    FaceNodes {
        /// Where.
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
        /// Where.
        place: Place,
        /// The node.
        source: ImpossiblePoint,
    },
    /// A node comes again at another place.
    #[error("{place}: node {node} is there a second time, at another place")]
    RepeatedNode {
        /// Where.
        place: Place,
        /// Its number.
        node: u64,
    },
    /// An element comes again.
    #[error("{place}: element {element} is there a second time")]
    RepeatedElement {
        /// Where.
        place: Place,
        /// Its number.
        element: u64,
    },
    /// A node, element, set, part or instance that the file does not have.
    #[error("{place}: there is no {what} `{name}` here")]
    Unknown {
        /// Where.
        place: Place,
        /// "node", "element", "node set", "element set", "part", "instance".
        what: &'static str,
        /// Its name or number.
        name: String,
    },
    /// A set that holds itself.
    #[error("{place}: the set `{name}` holds itself, directly or through others")]
    SetCycle {
        /// Where.
        place: Place,
        /// Its name.
        name: String,
    },
    /// A range of numbers that is not valid.
    #[error(
        "{place}: `{found}` is not a range: first, last and step, the last not before the first, the step \
         positive"
    )]
    Range {
        /// Where.
        place: Place,
        /// What is there.
        found: String,
    },
    /// A face that the element does not have.
    #[error("{place}: `{face}` is not a face of element {element}, which has S1 to S{n_faces}")]
    NoFace {
        /// Where.
        place: Place,
        /// The face as it is named.
        face: String,
        /// Number of the element.
        element: u64,
        /// Number of its faces.
        n_faces: usize,
    },
    /// A transformation or system of coordinates that is not valid.
    #[error("{place}: {what}")]
    Axes {
        /// Where.
        place: Place,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The file ends within a line that continues.
    #[error(
        "{place}: the file ends after a comma, within the data of *{keyword}: it is incomplete, write or \
         copy it again (if it is whole, end that line)"
    )]
    Truncated {
        /// Where.
        place: Place,
        /// The keyword.
        keyword: String,
    },
    /// No node and no element.
    #[error("the file has neither nodes nor elements; write the mesh out with *NODE and *ELEMENT")]
    Empty,
    /// No solid element at all.
    #[error(
        "the file has no solid elements, only {found}; carom reads solids, {} and their variants: mesh the \
         volume with these",
        super::element::types()
    )]
    NoVolume {
        /// What it has.
        found: String,
    },
}

/// Why an .inp file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteInpError {
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
        "the set name `{name}` is empty, is longer than 80 letters, or holds a quotation mark, comma, equals \
         sign or line break, which .inp files cannot; rename it"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Two names that the format cannot tell apart.
    #[error(
        "the set names `{first}` and `{second}` are the same to .inp files, which know no small letters; \
         rename one"
    )]
    SameName {
        /// One name.
        first: String,
        /// The other.
        second: String,
    },
}
