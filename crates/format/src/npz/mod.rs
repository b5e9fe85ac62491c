//! Archives of arrays that `numpy.load` opens, with kind, version and checksum.
//!
//! An archive is a ZIP file of `.npy` arrays. Archives of carom contain the text arrays `format` (such as
//! `carom-body`), `version` (`major.minor`) and `checksum`, and otherwise numbers and texts, never pickled
//! objects. A larger major version means that old readers would misread the file; a larger minor one only
//! adds arrays.
//!
//! An archive with the array `digests` lists the SHA-256 of each array. The checksum of the archive covers
//! the list, so that a reader verifies the arrays that it reads and may leave the others unread.
//!
//! The header of an array is written and parsed in [`carom_files::npy`], because texts (`<U`) and bulk reads
//! are needed, and because every invalid header must give an error.

mod arrays;
mod error;
mod once;
mod read;
mod write;

pub use carom_files::npy::{Element, Header, HeaderError};
pub use error::ReadArchiveError;
pub use read::ArchiveReader;
pub use write::ArchiveWriter;

/// The array with the checksum of the others.
const CHECKSUM: &str = "checksum";
/// The array with the lines `name sha256` of the others, if they are listed.
const DIGESTS: &str = "digests";

/// Version of a file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Readers refuse a larger one.
    pub major: u32,
    /// Additions that older readers may ignore.
    pub minor: u32,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for Version {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
        Ok(Self { major: major.parse()?, minor: minor.parse()? })
    }
}
