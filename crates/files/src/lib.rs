//! Atomic writing of files: they are written under a temporary name, flushed to the disk and renamed.
//!
//! All crates write files with [`write_atomically`], so that a full disk or a stopped program never leaves an
//! incomplete file under its final name. [`temporary`] makes temporary names and removes the files of killed
//! programs, [`unfinished`] lists the files to remove if the program ends at once, [`npy`] reads and writes
//! arrays of NumPy, [`coordinates`] checks the range of coordinates, [`input`] opens files for reading.
//!
//! ```
//! use std::io::Write;
//!
//! let path = std::env::temp_dir().join(format!("carom-files-{}.txt", std::process::id()));
//! carom_files::write_atomically(&path, |out| out.write_all(b"complete")).unwrap();
//! assert_eq!(std::fs::read(&path).unwrap(), b"complete");
//!
//! // A writer that fails leaves the old file unchanged.
//! let failed = carom_files::write_atomically(&path, |out| {
//!     out.write_all(b"half of")?;
//!     Err(std::io::Error::other("no data"))
//! });
//! assert!(failed.is_err());
//! assert_eq!(std::fs::read(&path).unwrap(), b"complete");
//! std::fs::remove_file(path).unwrap();
//! ```

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

pub mod coordinates;
pub mod input;
pub mod npy;
pub mod temporary;
pub mod unfinished;
pub mod waiting;
pub mod xml;

pub use unfinished::Unfinished;
pub use waiting::Waiting;

/// Errors of writing a file. No part of it is left; an existing file is unchanged.
#[derive(Debug, Error)]
pub enum WriteFileError {
    /// The folder does not exist.
    #[error("cannot write `{path}`: there is no folder `{folder}`; make it first")]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// An error of the operating system, such as a full disk or missing permissions.
    #[error("cannot write `{path}`: {source}; check that it may be written and that the disk has space left")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// Writes a file under a temporary name in the same folder and renames it when it is complete and on the
/// disk.
///
/// * `write` — writes the content; the file is seekable
///
/// A path that exists and is not a regular file (a pipe, `/dev/stdout`) is written in place, because it
/// cannot be replaced.
///
/// # Errors
///
/// [`WriteFileError`]; the temporary file is removed.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteFileError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(WriteFileError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    let failed = |source| WriteFileError::Io { path: path.to_owned(), source };
    if path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        // A pipe may have no reader.
        let _waiting = Waiting::begin();
        let mut out = BufWriter::new(File::options().write(true).open(path).map_err(failed)?);
        return write(&mut out).and_then(|()| out.flush()).map_err(failed);
    }
    // Declared first, dropped last: the file leaves the list after it is renamed or removed.
    let (begun, _unfinished) =
        Unfinished::begin(|| temporary::file_in(folder, ""), |file| file.path().to_owned())
            .map_err(failed)?;
    let (file, temporary_path) = begun.into_parts();
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&mut out).map_err(failed)?;
    // This flushes the buffer; a full disk is noticed here at the latest.
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().map_err(failed)?;
    temporary_path.persist(path).map_err(|e| failed(e.error))?;
    // The rename is on the disk only after the folder is flushed; an error on systems without this operation
    // is ignored.
    let _ = File::open(folder).and_then(|f| f.sync_all());
    Ok(())
}

/// Creates a folder and its parents.
///
/// # Errors
///
/// [`WriteFileError::Io`] if it cannot be created.
pub fn create_folder(path: &Path) -> Result<(), WriteFileError> {
    std::fs::create_dir_all(path).map_err(|source| WriteFileError::Io { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_only_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |out| {
            // More than the size of the buffer: a part of it is in the temporary file.
            out.write_all(&[0; 1 << 20])?;
            Err(io::Error::other("out of paper"))
        });
        assert!(failed.unwrap_err().to_string().contains("a.txt`: out of paper; check"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_full_device_is_an_error() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            println!("skipped: this system has no /dev/full");
            return;
        }
        let failed = write_atomically(full, |out| out.write_all(&[0; 1 << 20]));
        assert!(matches!(failed, Err(WriteFileError::Io { .. })), "{failed:?}");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let failed = write_atomically(Path::new("/nowhere/at/all.npz"), |_| Ok(()));
        assert!(failed.unwrap_err().to_string().contains("no folder `/nowhere/at`"));
    }

    #[cfg(unix)]
    #[test]
    fn a_written_file_has_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [ours, plain] = ["ours", "plain"].map(|name| folder.path().join(name));
        write_atomically(&ours, |_| Ok(())).unwrap();
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
