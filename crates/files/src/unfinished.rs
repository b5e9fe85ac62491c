//! What is being written and must go if the program ends at once.
//!
//! A writer that returns, with an error or by a panic, removes its temporary file itself. A program that a
//! second Ctrl-C ends does not come back to it: it calls [`abandon_all`] first.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Temporary files and folders that are there now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A list of paths is right after any panic.
fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder that [`abandon_all`] would remove, until this is dropped.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Makes a temporary file or folder; there is no moment at which it exists and [`abandon_all`] does not
    /// know it.
    ///
    /// * `make` — makes it
    /// * `path` — where it is
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

/// Removes what is not finished, and lets nothing more begin: whoever wants to write waits for good. To be
/// called just before the process ends.
pub fn abandon_all() {
    /// Writers in a folder may add to it while it is emptied; they are held up soon.
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
