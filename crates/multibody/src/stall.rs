//! Runs that stall: steps succeed, but time hardly advances.

/// Steps after which the time must have advanced.
const STEPS: u64 = 20_000;

/// Part of the run by which so many steps must advance: at a ten-millionth the run would take 2·10¹¹ steps.
const PROGRESS: f64 = 1e-7;

/// A run whose steps hardly advance the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stalled {
    /// Steps that were watched.
    pub(crate) steps: u64,
    /// Time by which they advanced \[s\].
    pub(crate) advance: f64,
    /// True if most of them ended at an event.
    pub(crate) at_events: bool,
}

/// Time and steps of a run some steps ago.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stall {
    time: f64,
    steps: u64,
    /// Steps since then that ended at an event.
    aimed: u64,
}

impl Stall {
    /// Counts a step.
    ///
    /// * `steps` — of the run so far
    /// * `aimed` — whether it ended at an event
    ///
    /// # Errors
    ///
    /// [`Stalled`] if the time has hardly advanced.
    pub(crate) fn watch(&mut self, time: f64, end_time: f64, steps: u64, aimed: bool) -> Result<(), Stalled> {
        self.aimed += u64::from(aimed);
        let watched = steps.saturating_sub(self.steps);
        if watched < STEPS {
            return Ok(());
        }
        let advance = time - self.time;
        if advance < PROGRESS * end_time {
            return Err(Stalled { steps: watched, advance, at_events: 2 * self.aimed > watched });
        }
        *self = Self { time, steps, aimed: 0 };
        Ok(())
    }
}

/// The likely cause of a stalled run, for the user.
///
/// * `singular` — the joint whose equations depend on those of the others
pub(crate) fn likely_cause(singular: Option<&str>, at_events: bool) -> String {
    if let Some(joint) = singular {
        return format!(
            "the mechanism is in a singular position, where the equations of joint `{joint}` depend on those \
             of the other joints and it locks or branches: end the run before, keep motions away from the \
             position, or start beyond it"
        );
    }
    let cause = if at_events {
        "most of them end where a contact or a stop is touched or left, again and again: give the stop \
         another damping or stiffness, or raise `relative_tolerance`"
    } else {
        "a motion may lead where joints cannot follow, a load may grow without bound, or something may \
         chatter between touch and parting: look at the bodies at this time, or raise `relative_tolerance`"
    };
    cause.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_hardly_advances_is_an_error_and_slow_runs_continue() {
        let run = |step: f64, n: u64| {
            let mut stall = Stall::default();
            (1..=n).try_for_each(|k| stall.watch(step * k as f64, 1.0, k, k % 3 == 0))
        };
        assert!(run(1e-10, 100_000).is_ok());
        match run(1e-12, 100_000) {
            Err(Stalled { steps, at_events, .. }) => assert_eq!((steps, at_events), (STEPS, false)),
            other => panic!("{other:?}"),
        }
        // The error also occurs after a start at full speed.
        let mut stall = Stall::default();
        let mut time = 0.0;
        let stalled = (1..200_000_u64).find(|&k| {
            time += if k < 50_000 { 1e-6 } else { 1e-13 };
            stall.watch(time, 1.0, k, k >= 50_000).is_err()
        });
        assert!(stalled.is_some_and(|k| (70_000..100_000).contains(&k)), "{stalled:?}");
    }
}
