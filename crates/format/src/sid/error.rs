//! Errors of reading a SID_FEM file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::MOST_MODES;
use super::identities::LARGEST_DEVIATION;

/// Errors of reading a SID_FEM file.
#[derive(Debug, Error)]
pub enum ReadSidError {
    /// An error of the operating system.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The user stopped the operation.
    #[error("stopped while `{path}` was read")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// A line has unexpected content.
    #[error(
        "`{path}`:{line}: expected {expected}, found `{found}`; the file is damaged or not a SID_FEM file: \
         export it again"
    )]
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
    /// The file ends too early.
    #[error("`{path}` ends after line {line}, before `{expected}`: it was cut; copy or export it again")]
    Ends {
        /// The file.
        path: PathBuf,
        /// Its last line, from 1.
        line: usize,
        /// The missing item.
        expected: String,
    },
    /// A block has terms of second order, which no known file has.
    #[error(
        "`{path}`:{line}: block `{block}` has terms of second order in the modal coordinates, which are not \
         read; export with first order"
    )]
    SecondOrder {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Name of the block.
        block: String,
    },
    /// The number of modes is invalid.
    #[error("`{path}`:{line}: {n} modes; from 1 to {MOST_MODES} are possible: export fewer")]
    ModeCount {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of modes.
        n: usize,
    },
    /// A node is defined twice.
    #[error("`{path}`:{line}: node {id} is defined twice; give each node a different number")]
    DoubleNode {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of the node.
        id: u64,
    },
    /// A block is missing.
    #[error("`{path}`: {place} has no block `{block}`; export the file again, with all blocks")]
    Missing {
        /// The file.
        path: PathBuf,
        /// `the body` or a node.
        place: String,
        /// Name of the block.
        block: &'static str,
    },
    /// Blocks contradict each other.
    #[error(
        "`{path}`: {place}: the blocks `{}` and `{}` (from lines {} and {}) contradict each other: \
         {identity}, but they are {deviation:.1e} of their size apart (at most {LARGEST_DEVIATION:.0e}); a \
         number was changed or lost: export the file again",
        blocks[0], blocks[1], lines[0], lines[1]
    )]
    Identity {
        /// The file.
        path: PathBuf,
        /// `the body` or a node.
        place: String,
        /// Names of the blocks.
        blocks: [&'static str; 2],
        /// Lines at which they begin, from 1.
        lines: [usize; 2],
        /// The identity that must hold.
        identity: &'static str,
        /// The relative deviation from it.
        deviation: f64,
    },
}

impl ReadSidError {
    /// True for errors of the operating system, false for errors in the content.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() != io::ErrorKind::InvalidData)
    }
}
