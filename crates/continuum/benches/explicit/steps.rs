//! CPU seconds of a step in the middle of a run.

use std::time::Instant;

use carom_continuum::explicit::{ContactCounts, Problem, Settings, Simulation};
use carom_dynamics::{Checkpoint, ContactEvent, Frame, Observer, ObserverError};
use carom_progress::Silent;
use carom_testing::clock::thread_seconds;

/// Turns of which the least time counts, and the least length of one \[s\]: the clock is accurate to some
/// milliseconds.
pub(crate) const TURNS: usize = 5;
pub(crate) const SECONDS_A_TURN: f64 = 0.3;

/// Steps before the first turn.
const WARM: u64 = 3;

/// A clock as the observer of a run: it measures turns of steps, then stops the run by an error.
struct Clock {
    /// CPU seconds of this thread, or seconds on the wall.
    now: Box<dyn Fn() -> f64>,
    begun: f64,
    first: u64,
    turns: Vec<f64>,
}

#[derive(Debug, thiserror::Error)]
#[error("measured")]
struct Measured;

impl Observer for Clock {
    fn frame(&mut self, _: &Frame<'_>) -> Result<(), ObserverError> {
        Ok(())
    }

    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }

    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        if steps < WARM {
            return false;
        }
        let now = (self.now)();
        if steps > WARM && now - self.begun >= SECONDS_A_TURN {
            self.turns.push((now - self.begun) / (steps - self.first) as f64);
        } else if steps > WARM {
            return false;
        }
        (self.begun, self.first) = (now, steps);
        self.turns.len() == TURNS
    }

    fn checkpoint(&mut self, _: &Checkpoint) -> Result<(), ObserverError> {
        Err(ObserverError(Box::new(Measured)))
    }
}

/// The least CPU seconds of a step; the calling thread computes the run.
pub(crate) fn cpu_of_step(problem: &Problem) -> f64 {
    step(problem, Box::new(thread_seconds))
}

/// The least seconds of a step on the wall, of all threads of the present pool.
pub(crate) fn wall_of_step(problem: &Problem) -> f64 {
    let begun = Instant::now();
    step(problem, Box::new(move || begun.elapsed().as_secs_f64()))
}

/// The least CPU seconds of a step with contact, multipliers above zero of a step, and iterations of
/// conjugate gradients for each.
pub(crate) fn cpu_of_contact(problem: &Problem) -> [f64; 3] {
    let (seconds, counts) = run(problem, Box::new(thread_seconds));
    let [steps, multipliers] = [counts.steps, counts.multipliers].map(|count| count.max(1) as f64);
    [seconds, counts.multipliers as f64 / steps, counts.iterations as f64 / multipliers]
}

fn step(problem: &Problem, now: Box<dyn Fn() -> f64>) -> f64 {
    run(problem, now).0
}

fn run(problem: &Problem, now: Box<dyn Fn() -> f64>) -> (f64, ContactCounts) {
    let mut simulation = Simulation::new(problem, settings(1.0)).expect("the problem is sound");
    let mut clock = Clock { now, begun: 0.0, first: 0, turns: Vec::new() };
    let ended = simulation.run(&mut clock, &Silent).map_err(|error| error.to_string());
    assert_eq!(clock.turns.len(), TURNS, "{ended:?}");
    (clock.turns.into_iter().fold(f64::INFINITY, f64::min), simulation.contact_counts())
}

/// Displacements after some steps.
pub(crate) fn displacements(problem: &Problem, n_steps: u64) -> Vec<f64> {
    let mut simulation = Simulation::new(problem, settings(1.0)).expect("the problem is sound");
    let [_, _, dt] = simulation.step_sizes();
    drop(simulation);
    simulation = Simulation::new(problem, settings(n_steps as f64 * dt)).expect("the problem is sound");
    simulation.run(&mut carom_dynamics::Ignore, &Silent).expect("the steps are stable");
    simulation.body_states().iter().flat_map(|body| body.modal.clone()).collect()
}

/// One frame at the start, one at the end.
fn settings(end_time: f64) -> Settings {
    Settings { output_every: 2.0 * end_time, ..Settings::until(end_time) }
}
