//! CPU time and wall time.

use std::path::Path;
use std::time::Instant;

/// CPU time and wall time of a computation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Time {
    /// CPU seconds of all threads, waiting in the thread pool included; 0 if the system does not report
    /// them.
    pub cpu: f64,
    /// Wall seconds.
    pub wall: f64,
}

impl Time {
    /// The smaller of both in each.
    pub fn least(self, other: Self) -> Self {
        Self { cpu: self.cpu.min(other.cpu), wall: self.wall.min(other.wall) }
    }

    /// CPU seconds of one thread, CPU / wall seconds of several.
    pub fn printed(self, threads: usize) -> String {
        match threads {
            1 => format!("{:.3}", self.cpu),
            _ => format!("{:.3} / {:.3}", self.cpu, self.wall),
        }
    }
}

/// Runs a function and returns its result and its time.
pub fn timed<R>(run: impl FnOnce() -> R) -> (R, Time) {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    let out = run();
    (out, Time { cpu: cpu_seconds() - cpu, wall: wall.elapsed().as_secs_f64() })
}

/// CPU seconds of the calling thread, independent of other tests; 0 if the system does not report them.
pub fn thread_seconds() -> f64 {
    1e-9 * nanoseconds(Path::new("/proc/thread-self")).unwrap_or(0.0)
}

/// CPU seconds of the running threads, from Linux's scheduler (to its tick of some milliseconds).
fn cpu_seconds() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    1e-9 * threads.flatten().filter_map(|thread| nanoseconds(&thread.path())).sum::<f64>()
}

/// Time of a thread on a processor \[ns\].
fn nanoseconds(thread: &Path) -> Option<f64> {
    std::fs::read_to_string(thread.join("schedstat")).ok()?.split_whitespace().next()?.parse().ok()
}
