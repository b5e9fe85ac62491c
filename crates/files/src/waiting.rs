//! Waits that nothing inside of this process can cut short: for a reader of a pipe, for another program, for
//! the end of a text that is parsed.
//!
//! A computation looks now and then whether it is asked to stop; a wait does not. While one goes on, whoever
//! listens for signals ends the process at the first one.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of waits that go on.
static WAITS: AtomicUsize = AtomicUsize::new(0);

/// A wait, until this is dropped.
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

/// True while a wait goes on.
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
