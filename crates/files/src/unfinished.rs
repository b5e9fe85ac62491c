//! The list of unfinished files, which are removed if the program ends at once.
//!
//! A writer that returns, with an error or by a panic, removes its temporary file itself. If a second Ctrl-C
//! ends the program, the writer does not return: the program calls [`abandon_all`] first.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Existing temporary files and folders.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The list of paths is valid after any panic.
fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder that is in the list until this is dropped.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Makes a temporary file or folder; it is in the list from the moment of its creation.
    ///
    /// * `make` — creates it
    /// * `path` — returns its path
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn begin<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> PathBuf,
    ) -> io::Result<(T, Self)> {
        let mut list = list();
        let made = make()?;
        let path = path(&made);
        list.push(path.clone());
        Ok((made, Self { path }))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut list = list();
        if let Some(at) = list.iter().position(|path| *path == self.path) {
            list.swap_remove(at);
        }
    }
}

/// Removes all unfinished files and blocks later writers for ever. To be called just before the process ends.
pub fn abandon_all() {
    /// Number of attempts: writers in a folder may add files while it is emptied, until they are blocked.
    const ATTEMPTS: usize = 5;
    let list = list();
    for path in list.iter() {
        for _ in 0..ATTEMPTS {
            let removed =
                if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            if removed.is_ok() || !path.exists() {
                break;
            }
        }
    }
    std::mem::forget(list);
}
