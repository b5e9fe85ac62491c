//! The entries of a matrix file, as the readers of all formats return them.

use carom_progress::Progress;

use super::ReadMatrixError;
use super::text::Text;

/// The entries of a file.
pub(super) struct Found {
    /// Number of rows and columns.
    pub size: usize,
    /// Row, column (from 0) and value.
    pub entries: Vec<(u32, u32, f64)>,
    /// True if the file contains one triangle, false if both; `None` if it does not say which.
    pub is_symmetric: Option<bool>,
}

/// Reports the progress and checks for a stop by the user, at intervals.
///
/// * `line` — line that the reader has reached
/// * `step` — number of calls so far
pub(super) fn look_up(
    text: &Text<'_>,
    line: usize,
    step: usize,
    progress: &dyn Progress,
) -> Result<(), ReadMatrixError> {
    /// Number of calls between two reports.
    const REPORT: usize = 1 << 16;
    if step.is_multiple_of(REPORT) {
        progress.set(line as u64);
        if progress.interrupted() {
            return Err(ReadMatrixError::Interrupted { path: text.path.to_owned() });
        }
    }
    Ok(())
}
