//! How a long computation says where it is, and learns that it should stop.
//!
//! Libraries report to a [`Progress`]; the command line shows it as bars (`carom-cli`), tests pass
//! [`Silent`]. [`child`] passes on to programs that are started that they should stop. This is the lowest
//! crate of the workspace, so that every other one can report.

pub mod child;
mod part;

pub use part::Part;

/// Receiver of the progress of one computation.
pub trait Progress: Sync {
    /// A phase begins: `name` is a noun phrase ("factorisation"), `total` its number of units, 0 if unknown.
    fn begin(&self, name: &str, total: u64);

    /// `done` units of the current phase are finished.
    fn set(&self, done: u64);

    /// A short text beside the current phase, such as the simulated time.
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
