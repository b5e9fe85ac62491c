//! Readers of NURBS files: G+Smo XML and MFEM NURBS meshes.
//!
//! Every reader takes text, checks what it finds, turns left-handed patches and glues them ([`Multipatch::glue`]).
//! Nothing panics on broken input: each error names the line and what to do.

mod gismo;
mod gismo_geometry;
mod mfem;
mod mfem_numbering;
mod tokens;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{GlueError, KnotError, Multipatch, PatchError, Side};

pub use gismo::gismo;
pub use mfem::mfem;

/// Why a NURBS file cannot be read.
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
    /// Something is wrong with the content of a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<ReadError>,
    },
    /// The beginning shows no format that is known here.
    #[error("this is neither a G+Smo XML file (`<xml>`) nor an MFEM NURBS mesh (`MFEM NURBS mesh v1.0`)")]
    UnknownFormat,
    /// The file ends too early.
    #[error("the file ends where {expected} should follow: it is truncated; copy or export it again")]
    End {
        /// What is missing.
        expected: String,
    },
    /// Something else stands where it should not.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The XML is not well formed.
    #[error("the XML is broken: {message}; a truncated file must be copied or exported again")]
    Xml {
        /// The parser's message with its position.
        message: String,
    },
    /// The file holds something that is no solid, or that is not supported.
    #[error("line {line}: {what} cannot be read: {way_out}")]
    Refused {
        /// Line, from 1.
        line: usize,
        /// What it is, by its name in the file.
        what: String,
        /// What to do instead.
        way_out: String,
    },
    /// A list is too long or too short.
    #[error("line {line}: {found} {what} given, {expected} expected")]
    Count {
        /// Line, from 1.
        line: usize,
        /// What is counted.
        what: String,
        /// How many there should be.
        expected: String,
        /// How many there are.
        found: usize,
    },
    /// A knot vector is impossible.
    #[error("line {line}: {source}")]
    Knots {
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        source: KnotError,
    },
    /// A patch is impossible.
    #[error("line {line}: patch {patch}: {source}")]
    Patch {
        /// Line, from 1.
        line: usize,
        /// Zero-based number of the patch.
        patch: usize,
        /// What is wrong with it.
        source: PatchError,
    },
    /// The file glues two sides that do not coincide.
    #[error(
        "line {line}: the file glues patch{}:{} to patch{}:{}, but their control points do not coincide: correct the \
         geometry or remove the interface (sides are glued where they match)",
        first.0, first.1.name(), second.0, second.1.name()
    )]
    Interface {
        /// Line, from 1.
        line: usize,
        /// Patch and side.
        first: (u32, Side),
        /// Patch and side.
        second: (u32, Side),
    },
    /// The patches cannot be glued.
    #[error(transparent)]
    Glue(#[from] GlueError),
}

/// Reads a NURBS file; its content tells the format.
///
/// # Errors
///
/// [`ReadError`], with the path.
pub fn file(path: &Path) -> Result<Multipatch, ReadError> {
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    text(&String::from_utf8_lossy(&bytes))
        .map_err(|source| ReadError::File { path: path.to_owned(), source: Box::new(source) })
}

/// Reads a NURBS body from the text of a file in any of the formats.
///
/// # Errors
///
/// [`ReadError`] as the format's own reader gives it, [`ReadError::UnknownFormat`] if there is none.
pub fn text(content: &str) -> Result<Multipatch, ReadError> {
    let start = content.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with("MFEM") {
        mfem(content)
    } else if start.starts_with('<') && content.contains("<xml") {
        gismo(content)
    } else {
        Err(ReadError::UnknownFormat)
    }
}
