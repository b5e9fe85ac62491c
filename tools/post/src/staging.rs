//! Groups of files that appear together: none is visible before all are complete.

use std::fs::File;
use std::path::{Path, PathBuf};

use carom_files::{Unfinished, WriteFileError, create_folder, temporary};
use tempfile::TempDir;

/// A hidden folder inside the output folder: files are written there first and moved together.
///
/// When it is dropped, its remaining files are removed, and so are the empty folders that were created for
/// it.
#[derive(Debug)]
pub(crate) struct Staging {
    place: PathBuf,
    /// Folders that were created, innermost first.
    made: Vec<PathBuf>,
    /// `None` only during the drop.
    hidden: Option<Hidden>,
}

/// The hidden folder; the other fields are released after it is removed.
#[derive(Debug)]
struct Hidden {
    folder: TempDir,
    _lock: Option<File>,
    _unfinished: Unfinished,
}

impl Staging {
    /// Creates `place` if it does not exist, and the hidden folder in it.
    pub(crate) fn new(place: &Path) -> Result<Self, WriteFileError> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = place.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        let mut staging = Self { place: place.to_owned(), made, hidden: None };
        create_folder(place)?;
        let begun = Unfinished::begin(|| temporary::folder_in(place), |(folder, _)| folder.path().to_owned());
        let ((folder, _lock), _unfinished) = begun.map_err(|source| failed(place, source))?;
        staging.hidden = Some(Hidden { folder, _lock, _unfinished });
        Ok(staging)
    }

    /// The hidden folder, into which files are written.
    pub(crate) fn path(&self) -> &Path {
        self.hidden.as_ref().expect("the folder exists until the drop").folder.path()
    }

    /// The error with the final path of the file instead of the hidden one.
    pub(crate) fn at_its_place(&self, mut error: WriteFileError) -> WriteFileError {
        let (WriteFileError::Io { path, .. } | WriteFileError::NoFolder { path, .. }) = &mut error;
        if let Ok(relative) = path.strip_prefix(self.path()) {
            *path = self.place.join(relative);
        }
        error
    }

    /// Moves files, given by their paths relative to both folders, in this order. Existing files are
    /// replaced.
    pub(crate) fn publish(self, files: &[String]) -> Result<(), WriteFileError> {
        for file in files {
            let (from, to) = (self.path().join(file), self.place.join(file));
            if let Some(folder) = to.parent() {
                create_folder(folder)?;
            }
            // A folder may be a link to another disk, to which files must be copied.
            std::fs::rename(&from, &to)
                .or_else(|_| std::fs::copy(&from, &to).map(drop))
                .map_err(|source| failed(&to, source))?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.hidden = None;
        for folder in &self.made {
            // The system refuses to remove a folder that is not empty.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn failed(path: &Path, source: std::io::Error) -> WriteFileError {
    WriteFileError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_final_path_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let staging = Staging::new(folder.path()).unwrap();
        let hidden = failed(&staging.path().join("run/ball_0001.vtu"), std::io::Error::other("no space"));
        let message = staging.at_its_place(hidden).to_string();
        let place = folder.path().join("run/ball_0001.vtu");
        assert!(message.contains(&format!("`{}`", place.display())), "{message}");
    }
}
