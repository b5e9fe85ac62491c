//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file could not be written. Nothing is left behind: neither a part of it nor a temporary file.
#[derive(Debug, Error)]
#[error("cannot write `{path}`: {source}; check that the folder exists, may be written, and has space left", path = path.display())]
pub struct FileError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// Writes a file through `fill` under a temporary name in the same folder, then renames it.
///
/// # Errors
///
/// [`FileError`] from creating, filling, flushing or renaming; an older file of that name is then untouched.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let write = || -> io::Result<()> {
        let file = temporary(folder)?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        fill(&mut writer)?;
        // Taking the file back out flushes; a full disk is noticed here at the latest.
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| FileError { path: path.to_owned(), source })
}

fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".carom-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A temporary file is private by default; a picture file is as public as the user's umask has it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Creates a folder and those above it.
///
/// # Errors
///
/// [`FileError`] if it cannot be created.
pub fn create_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(|source| FileError { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vtu");
        write_atomically(&path, |w| w.write_all(b"whole")).unwrap();
        let error = write_atomically(&path, |w| {
            w.write_all(&[0; 100_000])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(error.to_string().contains("a.vtu"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomically(&folder.path().join("no/a.vtu"), |_| Ok(())).is_err());
    }
}
