//! Times of checkpoints.

use std::time::{Duration, Instant};

/// Largest wall time that a killed run loses, apart from its current step.
const INTERVAL: Duration = Duration::from_secs(1);
/// Largest fraction of the wall time for checkpoints.
const SHARE: u32 = 50;
/// Largest number of steps between readings of the clock: some steps take a microsecond.
const MOST_STEPS: u64 = 64;
/// Largest time between two readings of the clock.
const LOOK: Duration = Duration::from_millis(20);

/// Decides when a checkpoint is due: by wall time, and after a given number of steps.
#[derive(Debug)]
pub(super) struct Due {
    /// Steps between checkpoints; 0 to use only the wall time.
    every: u64,
    written: Instant,
    /// Wall time of the last checkpoint.
    cost: Duration,
    looked: Instant,
    /// Step of the next reading of the clock, and number of steps to the one after it.
    next_look: u64,
    stride: u64,
}

impl Due {
    pub(super) fn new(every: u64) -> Self {
        let now = Instant::now();
        Self { every, written: now, cost: Duration::ZERO, looked: now, next_look: 0, stride: 1 }
    }

    /// True if a checkpoint is due after this number of steps.
    pub(super) fn after(&mut self, steps: u64) -> bool {
        if self.every > 0 && steps.is_multiple_of(self.every) {
            return true;
        }
        if steps < self.next_look {
            return false;
        }
        let now = Instant::now();
        self.stride = if now - self.looked > LOOK { 1 } else { (2 * self.stride).min(MOST_STEPS) };
        self.looked = now;
        self.next_look = steps + self.stride;
        now - self.written >= INTERVAL.max(SHARE * self.cost)
    }

    /// Records that a checkpoint was written, which was begun at a time.
    pub(super) fn written_since(&mut self, begun: Instant) {
        self.written = Instant::now();
        self.cost = self.written - begun;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_the_time_and_the_number_of_steps_trigger_a_checkpoint() {
        let mut due = Due::new(3);
        assert_eq!((1..=7).filter(|steps| due.after(*steps)).collect::<Vec<_>>(), [3, 6]);
        let mut due = Due::new(0);
        assert!(!(1..=1000).any(|steps| due.after(steps)), "a second has not passed");
    }

    #[test]
    fn the_clock_is_read_at_every_slow_step() {
        let mut due = Due::new(0);
        for steps in 1..=1000 {
            due.after(steps);
        }
        due.looked -= LOOK;
        due.written -= INTERVAL;
        let first = (1001..).find(|steps| due.after(*steps)).unwrap();
        assert!(first <= 1000 + MOST_STEPS, "seen after step {first}");
        assert_eq!(due.next_look, first + 1, "every step is looked at now");
        due.written_since(Instant::now());
        assert!(!due.after(first + 1));
    }
}
