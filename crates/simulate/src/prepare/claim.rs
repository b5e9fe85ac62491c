//! Files of a folder that several runs use at the same time: one run makes a file, the others wait for it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use carom_files::{WriteFileError, create_folder};
use carom_progress::Progress;

use super::error::PrepareError;
use crate::prepared::{Users, Workshop};

/// Time between two looks at a file that another run makes.
const PAUSE: Duration = Duration::from_millis(100);

/// The right to make a file, until this is dropped.
pub(super) struct Claim {
    path: PathBuf,
    /// The lock; a killed process loses it.
    _lock: File,
}

/// The file of the lock is removed before the lock is. A run that has waited for this very file then looks
/// whether the claimed file is made; another one may lock a new file, and looks as well.
impl Drop for Claim {
    fn drop(&mut self) {
        // A file that stays does no harm: its lock decides.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Looks for a file that some run has made, and takes the claim to make it if there is none. A folder of one
/// run needs no claim.
///
/// * `made` — looks for the file
///
/// # Errors
///
/// [`PrepareError::Write`] if the folder cannot be written, [`PrepareError::Interrupted`].
pub(super) fn found_or_claimed<T>(
    made: impl Fn() -> Option<T>,
    file: &Path,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
) -> Result<(Option<T>, Option<Claim>), PrepareError> {
    let found = made();
    if found.is_some() || workshop.users == Users::One {
        return Ok((found, None));
    }
    create_folder(workshop.bodies)?;
    let mut path = file.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    let failed = |source: io::Error| WriteFileError::Io { path: path.clone(), source };
    let lock = File::options().create(true).append(true).open(&path).map_err(failed)?;
    let mut waits = false;
    // Where the file system has no locks, runs may make a file twice; it is the same one.
    while matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
        if !waits {
            progress.begin(&format!("another run makes {}", file.display()), 0);
            waits = true;
        }
        if progress.interrupted() {
            return Err(PrepareError::Interrupted);
        }
        sleep(PAUSE);
    }
    if waits {
        progress.end();
    }
    let claim = Claim { path, _lock: lock };
    match made() {
        Some(found) => Ok((Some(found), None)),
        None => Ok((None, Some(claim))),
    }
}
