//! Where the reference data is, if this machine has it.

use std::path::PathBuf;

/// The folder of reference data: `CAROM_SHARED_DATA`, or `../shared/data` beside the workspace. Says so if it is missing.
pub(crate) fn data() -> Option<PathBuf> {
    let path = std::env::var_os("CAROM_SHARED_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no reference data in {} (set CAROM_SHARED_DATA)", path.display());
    None
}
