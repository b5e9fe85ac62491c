//! Files that appear whole or not at all: written beside, flushed to the disk, renamed.
//!
//! Like `carom-progress` this is one of the lowest crates of the workspace: whoever writes a file of any kind
//! does it by [`write_atomically`], so that a full disk or a stopped program never leaves half a file under
//! the name of a whole one. [`temporary`] clears what killed programs have left, [`unfinished`] knows what
//! must go if the program has to end at once, [`npy`] is the one place that knows how NumPy stores an array,
//! [`coordinates`] the one that says which numbers a geometry may hold, [`input`] the one that opens files to
//! be read.

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

/// Why a file was not written. Nothing is left of it; a file that was there before is as it was.
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
    /// The operating system refused: a full disk, missing rights.
    #[error("cannot write `{path}`: {source}; check that it may be written and that the disk has space left")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Writes a file under a temporary name in the same folder and renames it when it is complete and on the
/// disk.
///
/// * `write` — writes the content; the file may be sought in
///
/// A path that exists and is no regular file (a pipe, `/dev/stdout`) is written in place, because it cannot
/// be replaced.
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
        // Nobody may be there who reads.
        let _waiting = Waiting::begin();
        let mut out = BufWriter::new(File::options().write(true).open(path).map_err(failed)?);
        return write(&mut out).and_then(|()| out.flush()).map_err(failed);
    }
    // Declared first, dropped last: the list forgets the file when it has its name or is removed.
    let (begun, _unfinished) =
        Unfinished::begin(|| temporary::file_in(folder, ""), |file| file.path().to_owned())
            .map_err(failed)?;
    let (file, temporary_path) = begun.into_parts();
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&mut out).map_err(failed)?;
    // Taking the file back out flushes; a full disk is noticed here at the latest.
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().map_err(failed)?;
    temporary_path.persist(path).map_err(|e| failed(e.error))?;
    // The rename itself is on the disk only when the folder is; a system without that notion refuses,
    // harmlessly.
    let _ = File::open(folder).and_then(|f| f.sync_all());
    Ok(())
}

/// Creates a folder and those above it.
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
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |out| {
            // More than the buffer holds: a part of it is in the temporary file.
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
    fn a_file_has_the_rights_of_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [ours, plain] = ["ours", "plain"].map(|name| folder.path().join(name));
        write_atomically(&ours, |_| Ok(())).unwrap();
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
