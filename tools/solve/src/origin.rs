//! The origin of a run in its result: command, date and scenario.

use std::path::Path;
use std::time::{Duration, SystemTime};

use carom_cli::{Session, origin};
use carom_format::result::{RunOrigin, keep_origin};
use carom_simulate::{At, ErrorKind, RunError, RunOutcome};

/// The present command, the present date, and the text of the scenario.
pub fn origin_of(scenario: &Path) -> RunOrigin {
    // It was read before; if it has been removed since, the other entries are still useful.
    let text = carom_files::input::read_text(scenario).unwrap_or_default();
    RunOrigin { command: origin::command(), date: origin::date(), scenario: text }
}

/// Keeps the origin of a run that has just ended in its result. A run does not fail if this is impossible.
pub fn keep(result: &Path, scenario: &Path, session: &Session) {
    if let Err(error) = keep_origin(result, &origin_of(scenario)) {
        session.detail(1, &format!("the command of this run is not kept in its result: {error}"));
    }
}

/// True if a run has written its own result, complete or not. A run that fails before it begins leaves the
/// result of an earlier run unchanged.
///
/// * `begun` — the time of the call
pub fn keeps_result(ended: &Result<RunOutcome, At<RunError>>, result: &Path, begun: SystemTime) -> bool {
    let is_written = || {
        let changed = result.metadata().and_then(|file| file.modified());
        // Clocks of file systems are coarse.
        changed.is_ok_and(|changed| changed + Duration::from_secs(1) > begun)
    };
    match ended {
        Ok(_) => true,
        Err(error) => matches!(error.kind(), ErrorKind::Convergence | ErrorKind::Interrupted) && is_written(),
    }
}
