//! Files that the commands read: body files, imported files, and their progress.

use std::path::Path;

use carom_cli::{Category, Failure, Session};
use carom_format::{ReadArchiveError, StoredBody};
use carom_make::{ImportError, ImportErrorKind};
use carom_progress::Part;

/// Reads a body file.
pub(crate) fn read(path: &Path) -> Result<StoredBody, Failure> {
    carom_format::read_body(path).map_err(|error| {
        let category = match error {
            ReadArchiveError::Io { .. } => Category::Files,
            _ => Category::Input,
        };
        Failure::from_error(category, error)
    })
}

/// The failure of an import: unreadable files and invalid content have different categories.
pub(crate) fn import_failure(error: ImportError) -> Failure {
    let category = match error.kind() {
        ImportErrorKind::Input => Category::Input,
        ImportErrorKind::Files => Category::Files,
        ImportErrorKind::Program => Category::Other,
        ImportErrorKind::Interrupted => Category::Interrupted,
    };
    Failure::from_error(category, error)
}

/// Progress with the name of a file in its phases.
pub(crate) fn of_file<'a>(path: &Path, session: &'a Session) -> Part<'a> {
    let name = path.file_name().unwrap_or(path.as_os_str());
    Part::new(session.progress(), &name.to_string_lossy())
}
