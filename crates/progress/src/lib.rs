//! How a long computation reports its progress, and learns that it should stop.
//!
//! Libraries report to a [`Progress`]; the command line shows it as bars (`carom-cli`), tests use
//! [`Silent`]. [`child`] forwards a stop request to child processes. This is the lowest crate of the
//! workspace, so that every other crate can report.
//!
//! ```
//! use std::sync::Mutex;
//!
//! use carom_progress::Progress;
//!
//! /// Keeps all reports, and requests a stop after two units.
//! #[derive(Default)]
//! struct Log(Mutex<Vec<String>>);
//!
//! impl Progress for Log {
//!     fn begin(&self, name: &str, total: u64) {
//!         self.0.lock().unwrap().push(format!("{name}, {total} units"));
//!     }
//!     fn set(&self, done: u64) {
//!         self.0.lock().unwrap().push(format!("{done} done"));
//!     }
//!     fn note(&self, _text: &str) {}
//!     fn end(&self) {}
//!     fn interrupted(&self) -> bool {
//!         self.0.lock().unwrap().len() > 2
//!     }
//! }
//!
//! /// The sum of the first n squares, or `None` if it was interrupted.
//! fn sum_of_squares(n: u64, progress: &dyn Progress) -> Option<u64> {
//!     progress.begin("squares", n);
//!     let mut sum = 0;
//!     for k in 1..=n {
//!         if progress.interrupted() {
//!             return None;
//!         }
//!         sum += k * k;
//!         progress.set(k);
//!     }
//!     progress.end();
//!     Some(sum)
//! }
//!
//! assert_eq!(sum_of_squares(3, &carom_progress::Silent), Some(14));
//! let log = Log::default();
//! assert_eq!(sum_of_squares(3, &log), None);
//! assert_eq!(*log.0.lock().unwrap(), ["squares, 3 units", "1 done", "2 done"]);
//! ```

pub mod child;
mod part;

pub use part::Part;

/// Receiver of the progress of one computation.
pub trait Progress: Sync {
    /// Begins a phase: `name` is a noun phrase ("factorisation"), `total` its number of units, 0 if unknown.
    fn begin(&self, name: &str, total: u64);

    /// `done` units of the current phase are finished.
    fn set(&self, done: u64);

    /// A short text for the current phase, such as the simulated time.
    fn note(&self, text: &str);

    /// The current phase is over.
    fn end(&self);

    /// True once the user wants the computation to stop: loops check it and return their interruption error.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Reports nowhere and never interrupts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _name: &str, _total: u64) {}
    fn set(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn end(&self) {}
}
