//! Errors of reading an archive.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use zip::result::ZipError;

use super::{HeaderError, Version};

/// Errors of reading an archive.
#[derive(Debug, Error)]
pub enum ReadArchiveError {
    /// The file cannot be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not an archive, or damaged.
    #[error(
        "`{path}` is not {} file, or it is damaged: {source}; {}",
        with_article(kind),
        way_out(path, kind)
    )]
    NotAnArchive {
        /// The file.
        path: PathBuf,
        /// The expected kind, for instance "body".
        kind: &'static str,
        /// The cause.
        source: ZipError,
    },
    /// The file is an archive of another program.
    #[error(
        "`{path}` is an archive of another program and not {} file; {}",
        with_article(kind),
        way_out(path, kind)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The expected kind, for instance "body".
        kind: &'static str,
    },
    /// The file is of another kind.
    #[error("`{path}` is of the kind `{found}`; a `{expected}` is required here")]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// The required kind.
        expected: &'static str,
        /// Its kind.
        found: String,
    },
    /// A newer carom wrote it.
    #[error(
        "`{path}` has version {found} of the format `{kind}`; this program reads versions up to \
         {supported}.x; use \
         the release of carom that wrote it ({program}) or a newer one, or make the file again with this one"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its kind.
        kind: &'static str,
        /// Its version.
        found: String,
        /// Largest major version that is read.
        supported: u32,
        /// The program that wrote it.
        program: String,
    },
    /// An array is missing.
    #[error("`{path}`: the array `{array}` is missing")]
    Missing {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
    },
    /// An array is invalid.
    #[error("`{path}`: array `{array}`: {source}")]
    Header {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// The cause.
        source: HeaderError,
    },
    /// An array's content ends too early or fails its checksum.
    #[error("`{path}`: the array `{array}` is damaged: {source}; copy or make the file again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// The cause.
        source: io::Error,
    },
    /// An array has another type or shape.
    #[error("`{path}`: array `{array}`: expected {expected}, found {found}")]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
        /// The required content.
        expected: String,
        /// The content that was found.
        found: String,
    },
    /// Two arrays have the same name.
    #[error(
        "`{path}`: {what}, so that the content is ambiguous; the file was changed or is damaged, copy or \
         make it again"
    )]
    Twice {
        /// The file.
        path: PathBuf,
        /// The repeated names.
        what: String,
    },
    /// Compressed arrays expand to too many bytes.
    #[error(
        "`{path}` ({size} bytes) expands to {unpacked} bytes or more, but at most {most} are read from a \
         file of this size: it is damaged or made to fill the memory; if it is valid, save it uncompressed \
         (numpy.savez)"
    )]
    Unpacks {
        /// The file.
        path: PathBuf,
        /// Its size \[byte\].
        size: u64,
        /// Its expanded size \[byte\].
        unpacked: u64,
        /// The limit \[byte\].
        most: u64,
    },
    /// The checksum is missing.
    #[error(
        "`{path}` has version {version} but no checksum, which every file of this version has: it was \
         changed \
         after it was written; make it again, or export the content, change it and import it"
    )]
    NoChecksum {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: Version,
    },
    /// The checksum is wrong.
    #[error(
        "`{path}`: the checksum in the file does not match its content; the file was changed after it was \
         written"
    )]
    Checksum {
        /// The file.
        path: PathBuf,
    },
    /// The digest of an array is not the listed one.
    #[error(
        "`{path}`: the array `{array}` does not match its checksum in the file; the file was changed after \
         it was written"
    )]
    Digest {
        /// The file.
        path: PathBuf,
        /// The array.
        array: String,
    },
}

/// A kind with its article: "a body", "an interior problem".
fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// Hint how to convert a file of another program.
fn way_out(path: &Path, kind: &str) -> String {
    match kind {
        "body" => format!(
            "a mesh, NURBS or CAD file becomes one by `carom-mesh import {} -o BODY.npz`; a damaged one has \
             to be copied or made again",
            path.display()
        ),
        _ => "copy or make it again".to_owned(),
    }
}

impl ReadArchiveError {
    /// True for errors of the operating system, false for errors in the content.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
