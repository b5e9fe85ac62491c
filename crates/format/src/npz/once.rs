//! A writer that reports only its first error.

use std::io::{self, Seek, SeekFrom, Write};

/// Reports the first error of a writer, and accepts and ignores all later data.
///
/// `ZipWriter` completes its archive when it is dropped, even after an error, and prints a second error if
/// the disk is full. An archive after an error is useless in any case.
pub(super) struct FailsOnce<W> {
    out: W,
    /// Position of the writer, or after an error the position that it would have.
    position: u64,
    has_failed: bool,
}

impl<W> FailsOnce<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, position: 0, has_failed: false }
    }

    /// The result of `action`, or `pretended` after an error.
    fn attempt<T>(&mut self, pretended: T, action: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.has_failed {
            return Ok(pretended);
        }
        let done = action(&mut self.out);
        // The caller repeats an interrupted call.
        self.has_failed = done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write> Write for FailsOnce<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.attempt(bytes.len(), |out| out.write(bytes))?;
        // Callers treat 0 written bytes as an error.
        self.has_failed |= n == 0 && !bytes.is_empty();
        self.position += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), Write::flush)
    }
}

impl<W: Seek> Seek for FailsOnce<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let pretended = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::Current(step) | SeekFrom::End(step) => self.position.saturating_add_signed(step),
        };
        self.position = self.attempt(pretended, |out| out.seek(to))?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn data_after_an_error_are_accepted_without_another_error() {
        let mut memory = [0; 8];
        let mut out = FailsOnce::new(Cursor::new(&mut memory[..]));
        out.write_all(b"123456").unwrap();
        assert_eq!(out.write_all(b"789").unwrap_err().kind(), io::ErrorKind::WriteZero);
        out.write_all(b"789").unwrap();
        let mut failing = FailsOnce::new(Full);
        assert!(failing.write_all(b"1").is_err());
        failing.write_all(b"234").unwrap();
        assert_eq!(failing.stream_position().unwrap(), 3);
        assert_eq!(failing.seek(SeekFrom::Start(9)).unwrap(), 9);
        failing.flush().unwrap();
    }

    /// A writer that fails as on a full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }
}
