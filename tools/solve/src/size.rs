//! The size of a result, reported before its run.

use carom_cli::Session;
use carom_simulate::ExpectedSize;

/// Reports the size of the result of a run that is about to begin: a large one always, others with `-v`.
pub fn announce(size: &ExpectedSize, session: &Session) {
    if size.is_large() {
        session.note(&size.text());
    } else {
        session.detail(1, &size.text());
    }
}
