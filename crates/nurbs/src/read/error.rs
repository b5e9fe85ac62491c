//! Errors of NURBS files.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::{GlueError, KnotError, PatchError, Side};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, from 1.
    Line(usize),
    /// Byte of a binary file, from 0.
    Byte(usize),
    /// Entry of a JSON file or array of an archive, such as `SplineList[2].weights`.
    Entry(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Entry(entry) => write!(f, "`{entry}`"),
        }
    }
}

/// Errors of reading a NURBS file.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The content of a file is invalid.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: Box<ReadError>,
    },
    /// The content has no known format.
    #[error("this is not a NURBS file of a known format; known formats are {}", super::KNOWN_FORMATS)]
    UnknownFormat,
    /// The file ends too early.
    #[error(
        "{place}: the file ends where {expected} should follow: it is truncated; copy or export it again"
    )]
    End {
        /// Where it ends.
        place: Place,
        /// The missing part.
        expected: String,
    },
    /// The content differs from the expected one.
    #[error("{place}: expected {expected}, found `{found}`")]
    Syntax {
        /// The place.
        place: Place,
        /// The expected content.
        expected: String,
        /// The content found.
        found: String,
    },
    /// The XML is not well formed.
    #[error("the XML is broken: {message}; a truncated file must be copied or exported again")]
    Xml {
        /// The parser's message with its position.
        message: String,
    },
    /// The JSON is not well formed, or holds values of another kind than it should.
    #[error("the JSON cannot be used: {message}; a truncated file must be copied or exported again")]
    Json {
        /// The parser's message with line and column.
        message: String,
    },
    /// An archive of arrays is damaged.
    #[error("{place}: {message}; copy or export the file again")]
    Archive {
        /// The array, or the byte where the archive begins.
        place: Place,
        /// The error.
        message: String,
    },
    /// The file holds something that is not a solid, or that is not supported.
    #[error("{place}: {what} cannot be read: {way_out}")]
    Refused {
        /// The place.
        place: Place,
        /// Its kind, by its name in the file.
        what: String,
        /// The remedy.
        way_out: String,
    },
    /// A list is too long or too short.
    #[error("{place}: {found} {what} given, {expected} expected")]
    Count {
        /// The place.
        place: Place,
        /// Name of the counted items.
        what: String,
        /// The expected number.
        expected: String,
        /// The given number.
        found: usize,
    },
    /// A knot vector is invalid.
    #[error("{place}: {source}")]
    Knots {
        /// The place.
        place: Place,
        /// The error.
        source: KnotError,
    },
    /// A patch is invalid.
    #[error("{place}: patch {patch}: {source}")]
    Patch {
        /// The place where it begins.
        place: Place,
        /// Zero-based number of the patch.
        patch: usize,
        /// The error.
        source: PatchError,
    },
    /// The file glues two sides that do not coincide, or coincide in other directions.
    #[error(
        "{place}: the file glues patch{}:{} to patch{}:{}, but their control points do not coincide{}: \
         correct the geometry or remove the interface (sides are glued where they match)",
        first.0, first.1.name(), second.0, second.1.name(),
        if *turned { " in the directions that it states" } else { "" }
    )]
    Interface {
        /// The place.
        place: Place,
        /// Patch and side.
        first: (u32, Side),
        /// Patch and side.
        second: (u32, Side),
        /// True if the points coincide, but in other directions than in the file.
        turned: bool,
    },
    /// The patches cannot be glued.
    #[error(transparent)]
    Glue(#[from] GlueError),
}
