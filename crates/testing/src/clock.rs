//! Seconds of work, and seconds on the wall.

use std::path::Path;
use std::time::Instant;

/// What something took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Time {
    /// CPU seconds of all threads, waiting in the thread pool included; 0 where the system does not tell.
    pub cpu: f64,
    /// Seconds on the wall.
    pub wall: f64,
}

impl Time {
    /// The smaller of each.
    pub fn least(self, other: Self) -> Self {
        Self { cpu: self.cpu.min(other.cpu), wall: self.wall.min(other.wall) }
    }

    /// CPU seconds of one thread, CPU / wall seconds of several.
    pub fn told(self, threads: usize) -> String {
        match threads {
            1 => format!("{:.3}", self.cpu),
            _ => format!("{:.3} / {:.3}", self.cpu, self.wall),
        }
    }
}

/// Runs something and says what it took.
pub fn timed<R>(run: impl FnOnce() -> R) -> (R, Time) {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    let out = run();
    (out, Time { cpu: cpu_seconds() - cpu, wall: wall.elapsed().as_secs_f64() })
}

/// CPU seconds of the thread that asks, beside which other tests may run; 0 where the system does not tell.
pub fn thread_seconds() -> f64 {
    1e-9 * nanoseconds(Path::new("/proc/thread-self")).unwrap_or(0.0)
}

/// CPU seconds of the threads that live, from Linux's scheduler (right to its tick of some milliseconds).
fn cpu_seconds() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    1e-9 * threads.flatten().filter_map(|thread| nanoseconds(&thread.path())).sum::<f64>()
}

/// Time of a thread on a processor \[ns\].
fn nanoseconds(thread: &Path) -> Option<f64> {
    std::fs::read_to_string(thread.join("schedstat")).ok()?.split_whitespace().next()?.parse().ok()
}
