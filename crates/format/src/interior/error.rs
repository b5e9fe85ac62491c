//! Errors of reading solutions.

use std::path::PathBuf;

use thiserror::Error;

use crate::npz::ReadArchiveError;

/// Errors of reading solutions.
#[derive(Debug, Error)]
pub enum ReadSolutionsError {
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ReadArchiveError),
    /// The solutions are those of another body.
    #[error(
        "`{path}` has the solutions of body `{found}` with the checksum {found_checksum:.12}…, and the body \
         here is `{body}` with {checksum:.12}…: give the body file that was exported, or export it and \
         compute the solutions again"
    )]
    OtherBody {
        /// The file.
        path: PathBuf,
        /// Its body.
        found: String,
        /// The checksum of its body.
        found_checksum: String,
        /// The body here.
        body: String,
        /// Its checksum.
        checksum: String,
    },
    /// The solutions have other options.
    #[error(
        "`{path}` was computed with {what} {found}, and here it is {wanted}: give the options of \
         `carom-reduce export`, or export the body with these options and compute the solutions again"
    )]
    OtherOptions {
        /// The file.
        path: PathBuf,
        /// The option.
        what: &'static str,
        /// Its value in the file.
        found: String,
        /// Its value here.
        wanted: String,
    },
}

impl ReadSolutionsError {
    /// True for errors of the operating system, false for errors in the content.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Archive(error) if error.is_io())
    }
}
