//! Temporary files and folders with the number of their process in the name: those of a killed process are
//! removed by the next one.
//!
//! A name is `.carom-PROCESS-RANDOM.part…`, and the file or folder is locked while its process works on it.
//! The lock is visible on other machines that share the disk, where process numbers have no meaning. The
//! process number protects a new file before it is locked.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::{Builder, NamedTempFile, TempDir};

const PREFIX: &str = ".carom-";
const PART: &str = ".part";

/// Where processes cannot be listed, files that were not changed for this time count as abandoned.
const OLD: Duration = Duration::from_secs(60);

/// Folders that this process has cleaned.
static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file in a folder, removed when it is dropped.
///
/// * `ending` — ending of its name, for programs that need one; may be empty
///
/// # Errors
///
/// Those of the operating system.
pub fn file_in(folder: &Path, ending: &str) -> io::Result<NamedTempFile> {
    clear_once(folder);
    let (prefix, suffix) = (own_prefix(), format!("{PART}{ending}"));
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(&suffix);
    // tempfile makes private files; these get the usual permissions of the user's umask.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    // Without locks the process number is the only protection.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// A temporary folder in a folder, removed with its files when it is dropped. The second value holds the
/// lock.
///
/// # Errors
///
/// Those of the operating system.
pub fn folder_in(place: &Path) -> io::Result<(TempDir, Option<File>)> {
    clear_once(place);
    let made = Builder::new().prefix(&own_prefix()).suffix(PART).tempdir_in(place)?;
    let lock = File::open(made.path()).ok().filter(|folder| folder.try_lock().is_ok());
    Ok((made, lock))
}

/// Removes temporary files of ended processes from a folder.
pub fn clear_left_over(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (name, path) = (entry.file_name(), entry.path());
        if !name.to_str().is_some_and(is_ours) || !is_left_over(&name.to_string_lossy(), &path) {
            continue;
        }
        // Files of other users are kept.
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

/// The same, only for the first write of this process to a folder: searching costs more than writing if there
/// are thousands of files.
fn clear_once(folder: &Path) {
    let known = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    if CLEARED.lock().unwrap_or_else(PoisonError::into_inner).insert(known) {
        clear_left_over(folder);
    }
}

fn own_prefix() -> String {
    format!("{PREFIX}{}-", std::process::id())
}

fn is_ours(name: &str) -> bool {
    name.starts_with(PREFIX) && name.contains(PART)
}

/// The process number in a name; none in names of earlier releases.
fn process_of(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok()
}

fn is_left_over(name: &str, path: &Path) -> bool {
    let process = process_of(name);
    if process == Some(std::process::id()) {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return false;
    }
    match process.map(is_running) {
        Some(Some(running)) => !running,
        _ => file
            .metadata()
            .and_then(|meta| meta.modified())
            .is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > OLD)),
    }
}

/// True if a process is running on this machine; none if the system does not report it.
fn is_running(process: u32) -> Option<bool> {
    let all = Path::new("/proc");
    all.join("self").exists().then(|| all.join(process.to_string()).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_files_of_ended_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut dead = std::process::Command::new("true").spawn().unwrap();
        dead.wait().unwrap();
        let left =
            [format!(".carom-{}-abcdef.part", dead.id()), format!(".carom-{}-ghijkl.part.msh", dead.id())];
        let own = format!(".carom-{}-abcdef.part", std::process::id());
        let parent = format!(".carom-{}-abcdef.part", parent());
        let locked = format!(".carom-{}-locked.part", dead.id());
        for name in left.iter().chain([&own, &parent, &locked]) {
            std::fs::write(at(name), "half").unwrap();
        }
        let folder_left = at(&format!(".carom-{}-folder.part", dead.id()));
        std::fs::create_dir(&folder_left).unwrap();
        std::fs::write(folder_left.join("a.vtu"), "half").unwrap();
        for name in ["result.carom", ".carom-notes", ".carom-XyZabc.part"] {
            std::fs::write(at(name), "mine").unwrap();
        }
        let lock = File::open(at(&locked)).unwrap();
        lock.lock().unwrap();

        let written = file_in(folder.path(), "").unwrap();
        let names: BTreeSet<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let written = written.path().file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected =
            BTreeSet::from(["result.carom", ".carom-notes", ".carom-XyZabc.part"].map(str::to_owned));
        expected.extend([own, locked, written]);
        if Path::new("/proc/self").exists() {
            expected.insert(parent);
        }
        assert_eq!(names, expected);
        // Names of earlier releases contain no process number: such files are abandoned after a minute
        // without changes.
        let old = File::options().write(true).open(at(".carom-XyZabc.part")).unwrap();
        old.set_modified(std::time::SystemTime::now() - 2 * OLD).unwrap();
        clear_left_over(folder.path());
        assert!(!at(".carom-XyZabc.part").exists());
    }

    #[cfg(unix)]
    fn parent() -> u32 {
        std::os::unix::process::parent_id()
    }

    #[cfg(not(unix))]
    fn parent() -> u32 {
        0
    }
}
