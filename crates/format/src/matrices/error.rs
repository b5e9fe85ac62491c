//! What can be wrong with a matrix, with the list of its nodes and with what names its rows.

use std::io;
use std::path::PathBuf;

use carom_files::coordinates::ImpossiblePoint;
use thiserror::Error;

/// Why a matrix, a list of nodes or one of dofs cannot be used.
#[derive(Debug, Error)]
pub enum ReadMatrixError {
    /// The operating system refused.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is binary.
    #[error("`{path}` is no text; write it as text (Ansys: HBMAT, NAME, , , ASCII; Abaqus: *MATRIX OUTPUT)")]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// A line is not what belongs there.
    #[error("`{path}`:{line}: expected {expected}, found `{found}`")]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What belongs there.
        expected: String,
        /// What is there.
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
    /// Fewer or more entries than the file says.
    #[error(
        "`{path}` says that it has {said} entries, but has {found}: it was cut or changed; write it again"
    )]
    Count {
        /// The file.
        path: PathBuf,
        /// Number that the file says.
        said: usize,
        /// Number of entries.
        found: usize,
    },
    /// Nothing is in it.
    #[error("`{path}` {}; write it again", if *blank { "is empty" } else { "has no entries" })]
    Empty {
        /// The file.
        path: PathBuf,
        /// Whether there is nothing at all, not even a header.
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
        /// Row, from 1 where the file numbers it, else node and direction.
        row: String,
        /// Column.
        column: String,
        /// Entry of the lower triangle.
        lower: f64,
        /// Entry of the upper triangle.
        upper: f64,
    },
    /// A node lies nowhere.
    #[error("`{path}`:{line}: {source}")]
    Point {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        source: ImpossiblePoint,
    },
    /// A node comes twice.
    #[error("`{path}`:{line}: node {id} comes twice; list each node once")]
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
        /// Nodes of the list.
        n_nodes: usize,
    },
    /// A node that Abaqus made.
    #[error(
        "`{path}`:{line}: node {id} is one that Abaqus made (contact, couplings, hybrid elements, \
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
    /// A dof that is no displacement.
    #[error(
        "`{path}`:{line}: node {id} has the dof {dof}{meaning}; only displacements along x, y and z are \
         taken, as bodies of solid elements have them: leave out beams, shells, couplings and elements with \
         other fields"
    )]
    OtherDof {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
        /// What the file calls the dof.
        dof: String,
        /// What it is, in brackets with a blank before them; empty if that is not known.
        meaning: &'static str,
    },
    /// A dof has two rows.
    #[error("`{path}`:{line}: {direction} of node {id} comes twice, as row {first} before")]
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
    /// A node has rows, but not three.
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
    /// Matrix and list of dofs are of different length.
    #[error("`{path}` has {rows} rows, but `{dofs}` names {n_dofs}: they are of different runs")]
    DofCount {
        /// File of the matrix.
        path: PathBuf,
        /// Its rows.
        rows: usize,
        /// File of the dofs.
        dofs: PathBuf,
        /// Dofs of that file.
        n_dofs: usize,
    },
    /// A support of Abaqus.
    #[error(
        "`{path}`:{line}: {value:e} for {direction} of node {id} is a support, as Abaqus writes it; write \
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
    /// The user stopped it.
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
    /// True if the operating system is at fault and not what the file holds.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() != io::ErrorKind::InvalidData)
    }
}
