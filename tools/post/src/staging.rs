//! Many files that belong together: nothing of them shows before all are whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use carom_files::{Unfinished, WriteFileError, create_folder, temporary};
use tempfile::TempDir;

/// A hidden folder inside the one where files are to appear: they are written there first and moved together.
///
/// When it is dropped whatever is still in it goes, and so do folders that were made for it and stayed empty.
#[derive(Debug)]
pub(crate) struct Staging {
    place: PathBuf,
    /// Folders that were not there before, innermost first.
    made: Vec<PathBuf>,
    /// `None` while it is dropped.
    hidden: Option<Hidden>,
}

/// The hidden folder. What follows it is given back after it is gone.
#[derive(Debug)]
struct Hidden {
    folder: TempDir,
    _lock: Option<File>,
    _unfinished: Unfinished,
}

impl Staging {
    /// Makes `place` if it is not there, and the hidden folder in it.
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

    /// Where to write until then.
    pub(crate) fn path(&self) -> &Path {
        self.hidden.as_ref().expect("it is there until the drop").folder.path()
    }

    /// The error with the path that the file was to have in the end: the hidden one says nothing to a user.
    pub(crate) fn at_its_place(&self, mut error: WriteFileError) -> WriteFileError {
        let (WriteFileError::Io { path, .. } | WriteFileError::NoFolder { path, .. }) = &mut error;
        if let Ok(relative) = path.strip_prefix(self.path()) {
            *path = self.place.join(relative);
        }
        error
    }

    /// Moves files, given by their paths relative to both folders, in this order. Files of these names are
    /// replaced.
    pub(crate) fn publish(self, files: &[String]) -> Result<(), WriteFileError> {
        for file in files {
            let (from, to) = (self.path().join(file), self.place.join(file));
            if let Some(folder) = to.parent() {
                create_folder(folder)?;
            }
            // A folder of the place may lead to another disk, where nothing can be moved to.
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
            // One that holds something is refused, and stays.
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
    fn errors_name_the_place_where_a_file_was_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let staging = Staging::new(folder.path()).unwrap();
        let hidden = failed(&staging.path().join("run/ball_0001.vtu"), std::io::Error::other("no space"));
        let told = staging.at_its_place(hidden).to_string();
        let place = folder.path().join("run/ball_0001.vtu");
        assert!(told.contains(&format!("`{}`", place.display())), "{told}");
    }
}
