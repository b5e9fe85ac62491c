//! What a result keeps of how its run was asked for.

use std::path::Path;
use std::time::{Duration, SystemTime};

use carom_cli::{Session, origin};
use carom_format::result::{RunOrigin, keep_origin};
use carom_simulate::{At, ErrorKind, RunError, RunOutcome};

/// The present command, the present date, and the text of the scenario.
pub fn origin_of(scenario: &Path) -> RunOrigin {
    // It was read before; if it is gone meanwhile, the rest is worth keeping.
    let text = carom_files::input::read_text(scenario).unwrap_or_default();
    RunOrigin { command: origin::command(), date: origin::date(), scenario: text }
}

/// Keeps the origin of a run that has just ended in its result. A report does without it: no run fails for
/// it.
pub fn keep(result: &Path, scenario: &Path, session: &Session) {
    if let Err(error) = keep_origin(result, &origin_of(scenario)) {
        session.detail(1, &format!("the command of this run is not kept in its result: {error}"));
    }
}

/// True if a run has left a result of its own, at its end or where it stopped: one that fails before it
/// begins leaves that of an earlier run as it was.
///
/// * `begun` — when it was called
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
