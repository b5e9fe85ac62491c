//! The body from whose mesh a reduced model was made, for places that the model alone does not know.

use std::path::PathBuf;

use carom_fem::Body;
use carom_format::{ReadArchiveError, read_body};
use thiserror::Error;

use crate::error::{ErrorKind, Kind};
use crate::prepared::PreparedBody;

/// Errors of the body file of a reduced model, as the reason at the end of a sentence.
#[derive(Debug, Error)]
pub enum BodyOfModelError {
    /// There has never been one.
    #[error("its model was imported without geometry")]
    Imported,
    /// It was moved or deleted, or the file in its place has another checksum.
    #[error(
        "the body file from which its model was made, known by its checksum, is not in the folder of the \
         model: put it there as `{place}`, or reduce the body again"
    )]
    Missing {
        /// Where it would be found.
        place: PathBuf,
    },
    /// Another file has its place.
    #[error(
        "`{path}` is not the body file from which its model was made, as its checksum is another one: put \
         that file there, or reduce the body again"
    )]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadArchiveError),
}

impl Kind for BodyOfModelError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(error) => error.kind(),
            _ => ErrorKind::Input,
        }
    }
}

/// Reads the body of a reduced model.
///
/// # Errors
///
/// [`BodyOfModelError`]
pub(super) fn body_of_model(ready: &PreparedBody) -> Result<Body, BodyOfModelError> {
    if ready.body_path.as_os_str().is_empty() {
        if ready.body_checksum.is_empty() {
            return Err(BodyOfModelError::Imported);
        }
        return Err(BodyOfModelError::Missing { place: ready.rom_path.with_extension("npz") });
    }
    let stored = read_body(&ready.body_path)?;
    if !ready.body_checksum.is_empty() && stored.checksum != ready.body_checksum {
        return Err(BodyOfModelError::Other { path: ready.body_path.clone() });
    }
    Ok(stored.body)
}
