//! A lock, so that only one process at a time writes a result.

use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use carom_files::{WriteFileError, temporary};

use super::ResultError;

/// Prevents other processes from writing or creating a result until it is dropped or its process ends.
///
/// The lock is on a separate file, `RESULT-lock`: SQLite locks the database only during transactions, and on
/// some network file systems two kinds of locks on one file exclude each other. The file is removed with the
/// lock; the file of a killed process is reused.
#[derive(Debug)]
pub struct ResultLock {
    path: PathBuf,
    /// `None` where the file system has no locks: then only SQLite's locks protect the result.
    held: Option<File>,
}

impl ResultLock {
    /// Acquires the lock of a result, which need not exist.
    ///
    /// # Errors
    ///
    /// [`ResultError::InUse`] if another process has it; [`ResultError::Write`], [`ResultError::Io`] if
    /// nothing can be written there.
    pub fn take(result: &Path) -> Result<Self, ResultError> {
        // Links to the same result have the same lock.
        let real = result.canonicalize();
        let path = beside(real.as_deref().unwrap_or(result), "-lock");
        let failed = |source| ResultError::Io { path: result.to_owned(), source };
        loop {
            let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = opened.map_err(|source| no_folder(result).unwrap_or_else(|| failed(source)))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut owner = String::new();
                    // A process that has just acquired the lock may not have written its number yet.
                    let _ = file.read_to_string(&mut owner);
                    return Err(ResultError::InUse {
                        path: result.to_owned(),
                        owner: owner.trim().to_owned(),
                    });
                }
                Err(TryLockError::Error(_)) => {
                    drop(file);
                    let _ = std::fs::remove_file(&path);
                    return Ok(Self { path, held: None });
                }
            }
            // The last owner may have removed the file after it was opened here: other processes would not
            // see that lock.
            if is_at(&file, &path) {
                // From here on unfinished files may exist next to the result.
                temporary::clear_left_over(folder_of(result));
                let owner = format!("process {}\n", std::process::id());
                let _ = file.set_len(0).and_then(|()| file.write_all(owner.as_bytes()));
                return Ok(Self { path, held: Some(file) });
            }
        }
    }
}

impl Drop for ResultLock {
    fn drop(&mut self) {
        // The file is removed while it is locked: a process that opens it later creates another one.
        if self.held.is_some() && cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The error for a file in a missing folder.
fn no_folder(path: &Path) -> Option<ResultError> {
    let folder = Some(folder_of(path)).filter(|folder| !folder.is_dir())?;
    Some(WriteFileError::NoFolder { path: path.to_owned(), folder: folder.to_owned() }.into())
}

/// True if an open file still has this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    matches!((file.metadata().map(number), path.metadata().map(number)), (Ok(a), Ok(b)) if a == b)
}

/// True if an open file still has this path: it is never removed.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

/// A path with a suffix after its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
