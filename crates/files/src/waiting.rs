//! Uninterruptible waits: for the reader of a pipe, for another program, for a parser.
//!
//! A computation checks at intervals whether the user requests a stop; a wait does not. During a wait the
//! signal handler ends the process at the first signal.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of present waits.
static WAITS: AtomicUsize = AtomicUsize::new(0);

/// A wait, which ends when this is dropped.
#[derive(Debug)]
pub struct Waiting(());

impl Waiting {
    /// Begins a wait.
    pub fn begin() -> Self {
        WAITS.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// True during a wait.
pub fn is_waiting() -> bool {
    WAITS.load(Ordering::SeqCst) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted() {
        let outer = Waiting::begin();
        drop(Waiting::begin());
        assert!(is_waiting());
        drop(outer);
        assert!(!is_waiting());
    }
}
