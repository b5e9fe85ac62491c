//! Errors in the files of a matrix, of its nodes and of its dofs.

use std::io;
use std::path::PathBuf;

use carom_files::coordinates::ImpossiblePoint;
use thiserror::Error;

/// Errors in the files of a matrix, of its nodes and of its dofs.
#[derive(Debug, Error)]
pub enum ReadMatrixError {
    /// An error of the operating system.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is binary.
    #[error(
        "`{path}` is not a text file; write it as text (Ansys: HBMAT, NAME, , , ASCII; Abaqus: *MATRIX \
             OUTPUT)"
    )]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// A line has unexpected content.
    #[error("`{path}`:{line}: expected {expected}, found `{found}`")]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The expected content.
        expected: String,
        /// The content that was found.
        found: String,
    },
    /// A Matrix Market file of another kind.
    #[error(
        "`{path}`:1: `{header}` is not read; write `matrix coordinate real`, `symmetric` or `general`: \
         sparse, with real numbers"
    )]
    Kind {
        /// The file.
        path: PathBuf,
        /// Its first line.
        header: String,
    },
    /// A Harwell-Boeing file of another kind.
    #[error(
        "`{path}`:3: Harwell-Boeing matrices of type `{kind}` are not read; write RSA or RUA: real, \
         symmetric or not, assembled"
    )]
    HarwellBoeing {
        /// The file.
        path: PathBuf,
        /// Its type.
        kind: String,
    },
    /// The number of entries differs from the number in the header.
    #[error(
        "`{path}` says that it has {said} entries, but has {found}: it was cut or changed; write it again"
    )]
    Count {
        /// The file.
        path: PathBuf,
        /// Number of entries in the header.
        said: usize,
        /// Number of entries.
        found: usize,
    },
    /// The file is empty.
    #[error("`{path}` {}; write it again", if *blank { "is empty" } else { "has no entries" })]
    Empty {
        /// The file.
        path: PathBuf,
        /// True if there is not even a header.
        blank: bool,
    },
    /// The matrix is not symmetric.
    #[error(
        "`{path}`: the entries at {row}, {column} and {column}, {row} are {lower:e} and {upper:e}; a \
         symmetric matrix is needed"
    )]
    Asymmetric {
        /// The file.
        path: PathBuf,
        /// Row: a number from 1, or node and direction.
        row: String,
        /// Column.
        column: String,
        /// Entry of the lower triangle.
        lower: f64,
        /// Entry of the upper triangle.
        upper: f64,
    },
    /// The position of a node is invalid.
    #[error("`{path}`:{line}: {source}")]
    Point {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The cause.
        source: ImpossiblePoint,
    },
    /// A node is listed twice.
    #[error("`{path}`:{line}: node {id} is listed twice; list each node once")]
    DoubleNode {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
    },
    /// A node is not in the list of nodes.
    #[error(
        "`{path}`:{line}: node {id} is not in the list of the nodes, which has {n_nodes}; list all nodes of \
         the matrices"
    )]
    UnknownNode {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
        /// Number of nodes in the list.
        n_nodes: usize,
    },
    /// An internal node of Abaqus.
    #[error(
        "`{path}`:{line}: node {id} is an internal node of Abaqus (contact, couplings, hybrid elements, \
         distributing constraints); write the matrices of the solid elements alone"
    )]
    InternalNode {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Its number, not above 0.
        id: i64,
    },
    /// A dof that is not a displacement.
    #[error(
        "`{path}`:{line}: node {id} has the dof {dof}{meaning}; only displacements along x, y and z of \
         bodies with solid elements are accepted: leave out beams, shells, couplings and elements with \
         other fields"
    )]
    OtherDof {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
        /// Name of the dof in the file.
        dof: String,
        /// Its meaning, in brackets after a blank; empty if it is not known.
        meaning: &'static str,
    },
    /// A dof has two rows.
    #[error("`{path}`:{line}: {direction} of node {id} has a second row; the first one is row {first}")]
    DoubleDof {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
        /// Direction.
        direction: &'static str,
        /// The earlier row, from 1.
        first: usize,
    },
    /// A node has one or two rows.
    #[error(
        "`{path}`: node {id} has no row for {direction}: it is held by a support or tied to other nodes; \
         write the matrices of the free body"
    )]
    MissingDof {
        /// The file.
        path: PathBuf,
        /// Number of the node.
        id: u64,
        /// Direction without a row.
        direction: &'static str,
    },
    /// Matrix and list of dofs have different lengths.
    #[error("`{path}` has {rows} rows, but `{dofs}` has {n_dofs}: they belong to different runs")]
    DofCount {
        /// File of the matrix.
        path: PathBuf,
        /// Its number of rows.
        rows: usize,
        /// File of the dofs.
        dofs: PathBuf,
        /// Number of dofs in that file.
        n_dofs: usize,
    },
    /// A support in the format of Abaqus.
    #[error(
        "`{path}`:{line}: {value:e} for {direction} of node {id} is a support in the format of Abaqus; write \
         the matrices in a step without boundary conditions"
    )]
    Support {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
        /// Direction.
        direction: &'static str,
        /// Entry of the diagonal.
        value: f64,
    },
    /// The user stopped the operation.
    #[error("stopped while reading `{path}`")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// No node.
    #[error("`{path}` lists no nodes; give a line `number x y z` for each, in the order of the dofs")]
    NoNodes {
        /// The file.
        path: PathBuf,
    },
}

impl ReadMatrixError {
    /// True for errors of the operating system, false for errors in the content.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() != io::ErrorKind::InvalidData)
    }
}
