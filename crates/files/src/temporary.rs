//! Names for what is not finished, which say whose it is: what a killed process has left is cleared by the
//! next one.
//!
//! A name is `.carom-PROCESS-RANDOM.part…`, and the file or folder is locked as long as its process works on
//! it. A lock is seen from other machines that share the disk, where the number of a process says nothing;
//! the number tells a file that was just made and is about to be locked.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::{Builder, NamedTempFile, TempDir};

const PREFIX: &str = ".carom-";
const PART: &str = ".part";

/// Where a process cannot be looked for, what has not changed for this time is left over.
const OLD: Duration = Duration::from_secs(60);

/// Folders that this process has cleared.
static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file in a folder for what is not complete yet, removed when it is dropped.
///
/// * `ending` — of its name, where a program goes by it; may be empty
///
/// # Errors
///
/// Those of the operating system.
pub fn file_in(folder: &Path, ending: &str) -> io::Result<NamedTempFile> {
    clear_once(folder);
    let (prefix, suffix) = (own_prefix(), format!("{PART}{ending}"));
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(&suffix);
    // tempfile makes private files; ours get the rights of any other file, as the user's umask says.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    // Where there are no locks, the number of the process has to do.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// A folder in a folder, for many files, removed with them when it is dropped. The lock is given back with
/// the second value.
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

/// Removes what processes that are gone have left in a folder.
pub fn clear_left_over(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (name, path) = (entry.file_name(), entry.path());
        if !name.to_str().is_some_and(is_ours) || !is_left_over(&name.to_string_lossy(), &path) {
            continue;
        }
        // What belongs to another user stays.
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

/// The same, the first time that this process writes there: looking costs more than writing where there are
/// thousands of files.
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

/// The process in a name; none in those of releases before this one.
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

/// Whether a process of this machine runs; none where the system does not tell.
fn is_running(process: u32) -> Option<bool> {
    let all = Path::new("/proc");
    all.join("self").exists().then(|| all.join(process.to_string()).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dead_processes_have_left_goes_and_nothing_else() {
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
        // Releases before this one had no number in the name: what nobody has written to for a minute is
        // nobody's.
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
