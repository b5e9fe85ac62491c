//! Work that may take a limited CPU time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use carom_cost::cpu_seconds;
use carom_progress::Progress;

/// Wall time over CPU time at which the work ends anyway: other programs may slow it down.
const LONGEST: f64 = 8.0;

/// Wall time between two looks at the CPU clock \[ms\]: a look takes as long as a step of a small mechanism.
const LOOK_AGAIN: u64 = 10;

/// Progress of work that is interrupted when its CPU time is over.
pub(crate) struct CpuLimit<'a> {
    whole: &'a dyn Progress,
    /// CPU time of the program at which it is over \[s\].
    until: f64,
    begun: Instant,
    /// Wall time at which it is over anyway.
    longest: Duration,
    /// Wall time since the begin at which the CPU clock is read again \[ms\].
    next: AtomicU64,
    is_over: AtomicBool,
}

impl<'a> CpuLimit<'a> {
    /// Begins now.
    ///
    /// * `whole` — the progress of which this work is a part
    pub(crate) fn new(whole: &'a dyn Progress, budget: Duration) -> Self {
        Self {
            whole,
            until: cpu_seconds() + budget.as_secs_f64(),
            begun: Instant::now(),
            longest: budget.mul_f64(LONGEST),
            next: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// True if the work was interrupted by the limit.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

impl Progress for CpuLimit<'_> {
    fn begin(&self, name: &str, total: u64) {
        self.whole.begin(name, total);
    }

    fn set(&self, done: u64) {
        self.whole.set(done);
    }

    fn note(&self, text: &str) {
        self.whole.note(text);
    }

    fn end(&self) {
        self.whole.end();
    }

    fn interrupted(&self) -> bool {
        if self.whole.interrupted() || self.is_over() {
            return true;
        }
        let elapsed = self.begun.elapsed();
        let now = elapsed.as_millis() as u64;
        if now < self.next.load(Ordering::Relaxed) {
            return false;
        }
        self.next.store(now + LOOK_AGAIN, Ordering::Relaxed);
        let is_over = elapsed > self.longest || cpu_seconds() > self.until;
        self.is_over.store(is_over, Ordering::Relaxed);
        is_over
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use carom_progress::Silent;

    use super::*;

    #[test]
    fn work_is_interrupted_after_its_cpu_time_and_never_before() {
        let budget = Duration::from_millis(100);
        let before = cpu_seconds();
        let limit = CpuLimit::new(&Silent, budget);
        let begun = Instant::now();
        let mut sum = 0.0;
        while !limit.interrupted() {
            (0..1000).for_each(|i| sum += black_box(f64::from(i)).sqrt());
        }
        assert!(limit.is_over() && sum > 0.0);
        // The clock has ticks of 10 ms; a loaded machine ends the work by wall time.
        let is_by_wall = begun.elapsed() > budget.mul_f64(LONGEST);
        assert!(is_by_wall || cpu_seconds() - before > 0.9 * budget.as_secs_f64());
        let unlimited = CpuLimit::new(&Silent, Duration::from_secs(3600));
        assert!(!unlimited.interrupted() && !unlimited.is_over());
    }
}
