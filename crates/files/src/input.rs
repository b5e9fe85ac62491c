//! Input files: only regular files are read, and only up to their size.
//!
//! A device has no end, and a pipe may wait for ever for a writer. Readers therefore open files with this
//! module, and limit their memory to [`memory_limit`].

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Memory limit for reading a small file, in bytes.
pub const BASE_MEMORY: u64 = 200_000_000;
/// Additional memory limit per byte of the file.
pub const MEMORY_FACTOR: u64 = 16;

/// Memory limit for reading a file of a size: the memory of a reader grows with the file, not with the sizes
/// that it claims.
pub fn memory_limit(file_size: u64) -> u64 {
    file_size.saturating_mul(MEMORY_FACTOR).saturating_add(BASE_MEMORY)
}

/// Opens a regular file.
///
/// # Errors
///
/// Those of the operating system; [`io::ErrorKind::InvalidInput`] for a device, pipe or socket, which are not
/// opened.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for a writer, so that its type is checked first.
    refuse_special(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    refuse_special(&file.metadata()?)?;
    Ok(file)
}

fn refuse_special(found: &std::fs::Metadata) -> io::Result<()> {
    if found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if found.is_file() {
        return Ok(());
    }
    let what = "it is a device, pipe or socket; save its content as a file and give that";
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// The content of a regular file, with its size at the time of opening.
///
/// # Errors
///
/// As [`open`]; [`io::ErrorKind::OutOfMemory`] if the file is larger than memory.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    let mut content = Vec::new();
    let length = usize::try_from(size).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    content.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.take(size).read_to_end(&mut content)?;
    Ok(content)
}

/// The content of a regular file as text.
///
/// # Errors
///
/// As [`read`]; [`io::ErrorKind::InvalidData`] with the byte if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not a text in UTF-8: see byte {at}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_completely() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "grüße").unwrap();
        assert_eq!(read_text(&path).unwrap(), "grüße");
        std::fs::write(&path, b"gr\xfc").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().contains("byte 2"));
        assert_eq!(read(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read(&folder.path().join("b")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo is a program of every Unix");
        for path in [Path::new("/dev/zero"), Path::new("/dev/null"), &pipe] {
            let refused = read(path).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{}", path.display());
            assert!(refused.to_string().contains("pipe"), "{refused}");
        }
    }
}
