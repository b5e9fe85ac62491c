//! A writer that reports its progress and stops at the user's request, so that a large file is abandoned at
//! once.

use std::io::{self, Seek, SeekFrom, Write};

use carom_progress::Progress;

/// Number of bytes between two reports.
const REPORT: u64 = 1 << 20;

/// Counts the written bytes.
pub(crate) struct Watched<'a, W> {
    inner: W,
    done: u64,
    reported: u64,
    progress: &'a dyn Progress,
}

impl<'a, W> Watched<'a, W> {
    /// Begins a phase with this number of bytes; [`Watched::end`] ends it.
    pub(crate) fn begin(inner: W, name: &str, bytes: u64, progress: &'a dyn Progress) -> Self {
        progress.begin(name, bytes);
        Self { inner, done: 0, reported: 0, progress }
    }

    /// Ends the phase.
    pub(crate) fn end(self) {
        self.progress.end();
    }
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.done >= self.reported {
            // Callers would retry after `ErrorKind::Interrupted`.
            if self.progress.interrupted() {
                return Err(io::Error::other("stopped while writing"));
            }
            self.progress.set(self.done);
            self.reported = self.done + REPORT;
        }
        let n = self.inner.write(bytes)?;
        self.done += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Seek> Seek for Watched<'_, W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
