//! Progress as lines: where no terminal shows bars, a line every ten seconds reports the progress.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two lines.
pub(crate) const INTERVAL: Duration = Duration::from_secs(10);
/// Environment variable with another time between two lines \[s\]: a minute for a log of many hours, little
/// for a test.
const VARIABLE: &str = "CAROM_PROGRESS_SECONDS";
/// Shortest time between two lines.
const SHORTEST: Duration = Duration::from_millis(1);

/// An open phase.
struct Phase {
    name: String,
    total: u64,
    done: u64,
    note: String,
}

#[derive(Default)]
struct Phases {
    open: Vec<Phase>,
    /// Name of the phase that ended last.
    last: Option<String>,
    ended: bool,
}

/// State that the computing threads and the writing thread share.
#[derive(Default)]
struct Shared {
    phases: Mutex<Phases>,
    woken: Condvar,
}

impl Shared {
    fn phases(&self) -> MutexGuard<'_, Phases> {
        // A thread that panicked while it changed a number leaves the phases intact.
        self.phases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the progress of a computation from a thread of its own: a phase without reports is shown too.
pub(crate) struct Lines {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

impl Lines {
    /// Lines on standard error, ten seconds apart or as [`VARIABLE`] says.
    pub(crate) fn new() -> Self {
        let wanted = std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok());
        let wanted = wanted.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Self::to(wanted.unwrap_or(INTERVAL).max(SHORTEST), |line| {
            // A line is lost if standard error is closed.
            let _ = writeln!(io::stderr().lock(), "{line}");
        })
    }

    /// Passes a line to `write` in each interval: the open phases, or the last one if none is open.
    fn to(interval: Duration, write: impl Fn(&str) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let began = Instant::now();
        let writer = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
            let mut next = began + interval;
            let mut phases = own.phases();
            while !phases.ended {
                let now = Instant::now();
                if now < next {
                    let waited = own.woken.wait_timeout(phases, next - now);
                    phases = waited.unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
                next = now + interval;
                let line = line(&phases.open, phases.last.as_deref(), now - began);
                drop(phases);
                write(&line);
                phases = own.phases();
            }
        });
        // A thread that cannot be started costs the lines of progress alone.
        Self { shared, writer: writer.ok() }
    }

    pub(crate) fn begin(&self, name: &str, total: u64) {
        let phase = Phase { name: name.to_owned(), total, done: 0, note: String::new() };
        self.shared.phases().open.push(phase);
    }

    pub(crate) fn set(&self, done: u64) {
        if let Some(phase) = self.shared.phases().open.last_mut() {
            phase.done = done;
        }
    }

    pub(crate) fn note(&self, text: &str) {
        if let Some(phase) = self.shared.phases().open.last_mut() {
            // The string is reused: steps of a run allocate nothing.
            phase.note.clear();
            phase.note.push_str(text);
        }
    }

    pub(crate) fn end(&self) {
        let mut phases = self.shared.phases();
        phases.last = phases.open.pop().map(|phase| phase.name);
    }

    pub(crate) fn clear(&self) {
        self.shared.phases().open.clear();
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.shared.phases().ended = true;
        self.shared.woken.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// `20 s: ball (1 of 2): constraint modes, 128 of 512 (25 %)`; between phases the previous one is named, so
/// that the user sees that the run continues.
fn line(open: &[Phase], before: Option<&str>, elapsed: Duration) -> String {
    let mut line = format!("{} s: ", elapsed.as_secs());
    let Some(last) = open.last() else {
        line.push_str("running");
        if let Some(before) = before {
            let _ = write!(line, ", after {before}");
        }
        return line;
    };
    let names: Vec<&str> = open.iter().map(|phase| phase.name.as_str()).collect();
    line.push_str(&names.join(", "));
    if last.total > 0 {
        let done = last.done.min(last.total);
        let percent = 100 * u128::from(done) / u128::from(last.total);
        let _ = write!(line, ", {done} of {} ({percent} %)", last.total);
    }
    if !last.note.is_empty() {
        let _ = write!(line, ", {}", last.note);
    }
    line
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_lasting_phase_is_written_repeatedly() {
        let (sender, lines) = mpsc::channel();
        let interval = Duration::from_millis(5);
        let progress = Lines::to(interval, move |line| drop(sender.send(line.to_owned())));
        let line = lines.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(line.ends_with(" s: running"), "{line}");
        progress.begin("ball (1 of 2): constraint modes", 512);
        progress.set(128);
        let of_phase = |line: &String| line.contains("s: ball (1 of 2): constraint modes, 128 of 512 (25 %)");
        assert_eq!(lines.iter().filter(of_phase).take(3).count(), 3);
        progress.end();
        let after = |line: &String| line.ends_with("s: running, after ball (1 of 2): constraint modes");
        assert_eq!(lines.iter().filter(after).take(1).count(), 1);
        drop(progress);
        while lines.try_recv().is_ok() {}
        assert!(lines.recv_timeout(Duration::from_secs(20)).is_err(), "the writer has ended");
    }

    #[test]
    fn a_line_names_phase_step_and_note() {
        let phase = |name: &str, total, done, note: &str| Phase {
            name: name.to_owned(),
            total,
            done,
            note: note.to_owned(),
        };
        let open = [phase("rod: eigenpairs", 24, 6, ""), phase("certificate of the count", 0, 3, "t = 1 ms")];
        let seconds = Duration::from_secs(20);
        assert_eq!(line(&open[..1], None, seconds), "20 s: rod: eigenpairs, 6 of 24 (25 %)");
        assert_eq!(line(&open, None, seconds), "20 s: rod: eigenpairs, certificate of the count, t = 1 ms");
        assert_eq!(line(&[], None, seconds), "20 s: running");
        assert_eq!(line(&[], Some("rod: assembly"), seconds), "20 s: running, after rod: assembly");
    }
}
