//! The exit codes of every program. They do not change, so that scripts can use them.

/// Everything that was requested was done.
pub const DONE: u8 = 0;
/// A failure that none of the other codes describes, such as a bug of the program.
pub const OTHER: u8 = 1;
/// The command line is invalid (clap's own code).
pub const USAGE: u8 = 2;
/// An input is invalid: a file with wrong content, a missing set, a value out of its range.
pub const INVALID_INPUT: u8 = 3;
/// A computation did not converge, or there was a warning with `--strict`; results so far are kept.
pub const NOT_CONVERGED: u8 = 4;
/// A file cannot be read or written.
pub const FILES: u8 = 5;
/// A signal ended the program: this plus its number, as shells report it; 130 after Ctrl-C, 143 after
/// SIGTERM.
pub const SIGNAL: u8 = 128;
