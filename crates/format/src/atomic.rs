//! Whole files or none: write beside, flush to the disk, rename.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

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
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Writes a file under a temporary name in the same folder and renames it when it is complete and on the disk.
///
/// * `write` — writes the content; the file may be sought in
///
/// A path that exists and is no regular file (a pipe, `/dev/stdout`) is written in place, because it cannot be replaced.
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
        let mut out = BufWriter::new(File::options().write(true).open(path).map_err(failed)?);
        return write(&mut out).and_then(|()| out.flush()).map_err(failed);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".carom-").suffix(".part");
    // tempfile makes private files; ours get the rights of any other file, as the user's umask says.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder).map_err(failed)?;
    let (file, temporary_path) = temporary.into_parts();
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&mut out).map_err(failed)?;
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().map_err(failed)?;
    temporary_path.persist(path).map_err(|e| failed(e.error))?;
    // The rename itself is on the disk only when the folder is; a system without that notion refuses, harmlessly.
    let _ = File::open(folder).and_then(|f| f.sync_all());
    Ok(())
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
            out.write_all(b"new, but")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("a.txt`: the disk is full"));
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
}
