//! Failures of a command, and how they are printed.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use crate::exit_code;
use crate::signals::stop_code;

/// The kind of a failure; it decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// [`exit_code::OTHER`]
    Other,
    /// [`exit_code::USAGE`]
    Usage,
    /// [`exit_code::INVALID_INPUT`]
    Input,
    /// [`exit_code::NOT_CONVERGED`]
    Convergence,
    /// [`exit_code::FILES`]
    Files,
    /// [`exit_code::SIGNAL`] and the number of the signal
    Interrupted,
}

impl Category {
    /// Exit code of the category.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Other => exit_code::OTHER,
            Self::Usage => exit_code::USAGE,
            Self::Input => exit_code::INVALID_INPUT,
            Self::Convergence => exit_code::NOT_CONVERGED,
            Self::Files => exit_code::FILES,
            Self::Interrupted => stop_code(),
        }
    }
}

/// A failure of a command: the error, its causes, and a remedy.
#[derive(Debug)]
pub struct Failure {
    category: Category,
    what: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
}

impl Failure {
    /// A failure described by one sentence.
    pub fn new(category: Category, what: impl Into<String>) -> Self {
        Self { category, what: Some(what.into()), source: None, hint: None }
    }

    /// A failure described by the error of a library.
    pub fn from_error(category: Category, error: impl Error + Send + Sync + 'static) -> Self {
        Self { category, what: None, source: Some(Box::new(error)), hint: None }
    }

    /// A failure because the user stopped the command.
    pub fn interrupted() -> Self {
        Self::new(Category::Interrupted, "interrupted; no output file was left half-written")
    }

    /// Puts a sentence before the error, such as the name of the file that caused it.
    #[must_use]
    pub fn context(mut self, what: impl Into<String>) -> Self {
        if let Some(inner) = self.what.take() {
            let source = self.source.take();
            self.source = Some(Box::new(Described { what: inner, source }));
        }
        self.what = Some(what.into());
        self
    }

    /// Adds a line with the remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Its kind.
    pub fn category(&self) -> Category {
        self.category
    }

    /// Writes message, causes and hint, as in
    ///
    /// ```text
    /// error: cannot read `ball.npz`
    ///   because: the archive ends too early
    ///   hint: copy the file again
    /// ```
    ///
    /// A cause that is contained in the line above it is left out.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&self, out: &mut dyn Write, colour: bool) -> io::Result<()> {
        let (red, cyan, plain) = if colour { ("\x1b[1;31m", "\x1b[36m", "\x1b[0m") } else { ("", "", "") };
        let mut message = self.to_string();
        writeln!(out, "{red}error{plain}: {}", indented(&message))?;
        let mut cause: Option<&(dyn Error + 'static)> = match (&self.what, &self.source) {
            (Some(_), Some(source)) => Some(source.as_ref()),
            (None, Some(source)) => source.source(),
            _ => None,
        };
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                writeln!(out, "  because: {}", indented(&text))?;
                message = text;
            }
            cause = error.source();
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "  {cyan}hint{plain}: {}", indented(hint))?;
        }
        Ok(())
    }
}

/// Indents continuation lines below the text, not below the label.
fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n    ")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.what, &self.source) {
            (Some(what), _) => f.write_str(what),
            (None, Some(source)) => write!(f, "{source}"),
            (None, None) => f.write_str("failed"),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match (&self.what, &self.source) {
            (Some(_), Some(source)) => Some(source.as_ref()),
            (None, Some(source)) => source.source(),
            _ => None,
        }
    }
}

/// A sentence with the error that caused it.
#[derive(Debug)]
struct Described {
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for Described {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|e| e.as_ref() as &(dyn Error + 'static))
    }
}

/// Turns the error of a library into a [`Failure`].
pub trait FailureContext<T> {
    /// The error with its own message.
    ///
    /// # Errors
    ///
    /// The error, with its category.
    fn or_fail(self, category: Category) -> Result<T, Failure>;

    /// The error below a sentence that names the operation and the file.
    ///
    /// # Errors
    ///
    /// The error, with its category and the sentence.
    fn or_fail_with(self, category: Category, what: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T, E: Error + Send + Sync + 'static> FailureContext<T> for Result<T, E> {
    fn or_fail(self, category: Category) -> Result<T, Failure> {
        self.map_err(|error| Failure::from_error(category, error))
    }

    fn or_fail_with(self, category: Category, what: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|error| Failure::from_error(category, error).context(what()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the archive ends after {0} bytes")]
    struct Ends(u64, #[source] io::Error);

    #[test]
    fn message_causes_and_hint_are_written_in_this_order() {
        let error = Ends(12, io::Error::other("unexpected end of file"));
        let failure = Failure::from_error(Category::Files, error)
            .context("cannot read `ball.npz`")
            .hint("copy the file again");
        let mut text = Vec::new();
        failure.write(&mut text, false).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "error: cannot read `ball.npz`\n  because: the archive ends after 12 bytes\n  \
             because: unexpected end of file\n  hint: copy the file again\n"
        );
    }

    #[test]
    fn a_cause_contained_in_the_message_is_not_repeated() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot write: {0}")]
        struct Whole(#[source] io::Error);
        let failure = Failure::from_error(Category::Files, Whole(io::Error::other("disk full")));
        let mut text = Vec::new();
        failure.write(&mut text, false).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "error: cannot write: disk full\n");
    }
}
