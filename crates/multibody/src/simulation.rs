//! The time loop: adaptive steps that end where contact begins or ends.

use crate::centrifugal::CentrifugalWatch;
use crate::force_swing::ForceSwing;
use crate::joint::{Assembly, DRIFT};
use crate::linearity::LinearityWatch;
use crate::outcome::{RunError, RunSummary};
use crate::pair_memory::PairMemory;
use crate::resolution::Resolution;
use crate::scales::Scales;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::stall::Stall;
use crate::system::System;
use crate::system_error::RateError;
use carom_dynamics::{
    BodyState, ContactEvent, ContactTracker, JointState, Ledger, Observer, Placement, rotation,
};
use carom_integrate::{Attempt, Integrator, Tolerances};
use carom_progress::Progress;

/// A system on its way through time.
#[derive(Debug)]
pub struct Simulation {
    /// Bodies, loads and pairs.
    pub system: System,
    /// How to run.
    pub settings: Settings,
    /// State vector.
    pub(crate) y: Vec<f64>,
    pub(crate) time: f64,
    pub(crate) integrator: Integrator,
    pub(crate) memory: Vec<PairMemory>,
    pub(crate) trackers: Vec<ContactTracker>,
    pub(crate) events: Vec<ContactEvent>,
    pub(crate) ledger: Ledger,
    /// Outputs handed over so far.
    pub(crate) outputs: u64,
    pub(crate) quaternion_drift: f64,
    /// Largest part of the contact force on a body outside its interface points.
    pub(crate) off_interface: f64,
    /// Longest step that resolves the highest dynamic mode \[s\]; without end for implicit integrators, which
    /// need not.
    modal_step: f64,
    /// State within a step.
    pub(crate) inside: Vec<f64>,
    /// True once the system was evaluated elsewhere than at the end of the attempt.
    pub(crate) strayed: bool,
    pub(crate) snapshot: Snapshot,
    /// How far reduced bodies went from linear theory.
    pub(crate) linearity: LinearityWatch,
    /// The centrifugal deformation of each body that its quasistatic modes leave out.
    pub(crate) centrifugal: Vec<CentrifugalWatch>,
    /// The patch of each pair under its largest force.
    pub(crate) resolution: Vec<Resolution>,
    /// How the force of each pair swings.
    pub(crate) swings: Vec<ForceSwing>,
    stall: Stall,
    /// What closing the joints at the start came to.
    pub assembly: Assembly,
}

/// A step to be accepted, and the pair whose touch or parting it was cut to; stops count behind the pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) attempt: Attempt,
    pub(crate) aimed: Option<usize>,
}

impl Simulation {
    /// Bodies in their initial placements, undeformed, at t = 0.
    ///
    /// # Errors
    ///
    /// [`RunError::Setting`], [`RunError::System`], [`RunError::State`] if they make no run.
    pub fn new(mut system: System, placements: &[Placement], settings: Settings) -> Result<Self, RunError> {
        settings.check()?;
        let accuracy = (Settings::CONTACT_SHARE * settings.relative_tolerance).clamp(1e-12, 1e-8);
        system.contacts.iter_mut().for_each(|model| model.set_accuracy(accuracy));
        let mut y = system.initial_state(placements)?;
        let assembly = system.assemble(&mut y)?;
        system.set_state(&y).map_err(|source| RunError::State { time: 0.0, source })?;
        let accuracy = Settings::INTEGRATOR_SHARE * settings.relative_tolerance;
        let controlled = Scales::new(&system, settings.end_time).tolerances(&system, accuracy);
        let tolerances = match settings.time_step {
            Some(_) => Tolerances { newton: Some(controlled.absolute), ..Tolerances::none(y.len()) },
            None => controlled,
        };
        let frequency = system.bodies.iter().map(|body| body.highest_frequency()).fold(0.0, f64::max);
        let mut simulation = Self {
            integrator: Integrator::new(settings.integrator, tolerances),
            memory: vec![PairMemory::new(); system.pairs()],
            trackers: vec![ContactTracker::default(); system.pairs()],
            events: Vec::new(),
            ledger: Ledger::default(),
            outputs: 0,
            quaternion_drift: 0.0,
            off_interface: 0.0,
            modal_step: if frequency > 0.0 && !settings.integrator.is_implicit() {
                0.1 / frequency
            } else {
                f64::INFINITY
            },
            inside: y.clone(),
            strayed: false,
            linearity: LinearityWatch::new(&mut system, &y),
            centrifugal: vec![CentrifugalWatch::default(); system.bodies.len()],
            resolution: vec![Resolution::default(); system.pairs()],
            swings: vec![ForceSwing::default(); system.pairs()],
            assembly,
            snapshot: Snapshot::new(&system),
            stall: Stall::default(),
            time: 0.0,
            system,
            settings,
            y,
        };
        simulation.book_start()?;
        Ok(simulation)
    }

    /// Time reached \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// State vector, laid out as [`crate::Layout`] says.
    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// Runs to the end time, or on to it from where a checkpoint left off.
    ///
    /// # Errors
    ///
    /// [`RunError`]; everything up to the last accepted step was handed to the observer.
    pub fn run(
        &mut self,
        observer: &mut dyn Observer,
        progress: &dyn Progress,
    ) -> Result<RunSummary, RunError> {
        let ended = self.run_on(observer, progress);
        // The state is that of the last accepted step: a run that goes on does so from here. Errors that come
        // within a step's bookkeeping leave the checkpoint before them.
        if matches!(
            ended,
            Err(RunError::Interrupted { .. } | RunError::Step { .. } | RunError::Stalled { .. })
        ) {
            observer.checkpoint(&self.checkpoint())?;
        }
        ended
    }

    fn run_on(
        &mut self,
        observer: &mut dyn Observer,
        progress: &dyn Progress,
    ) -> Result<RunSummary, RunError> {
        const TICKS: f64 = 1000.0;
        // The number of steps is not known before: the unit is a thousandth of the time.
        progress.begin("thousandths of the time", TICKS as u64);
        self.hand_over_start(observer)?;
        while self.time < self.settings.end_time {
            self.step(observer)?;
            self.save(observer)?;
            let steps = self.integrator.counters().steps;
            if steps.is_multiple_of(16) {
                progress.set((TICKS * self.time / self.settings.end_time) as u64);
                progress.note(&format!(
                    "t = {:.3e} s, {steps} steps, {} contacts",
                    self.time,
                    self.events.len()
                ));
            }
            if progress.interrupted() {
                let (time, end_time) = (self.time, self.settings.end_time);
                return Err(RunError::Interrupted { time, end_time });
            }
        }
        // What follows belongs to this end alone: a longer run goes on from before it.
        observer.checkpoint(&self.checkpoint())?;
        self.finish(observer)?;
        progress.end();
        Ok(self.summary())
    }

    /// One step: attempt it, cut it where a contact begins or ends, look at outputs and peaks within it,
    /// accept it, book it.
    ///
    /// # Errors
    ///
    /// [`RunError`] if no step succeeds or the observer fails.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let kink = self.next_kink();
        let latest = self.latest_end(kink);
        let taken = self.attempt_to_event(latest)?;
        self.observe_peaks(&taken)?;
        self.hand_over_outputs(&taken, observer)?;
        self.accept()?;
        self.note_stops(taken.aimed);
        // Contact sets in softly, as spans close one after the other: what lies before it leads on.
        let at_stop = taken.aimed.is_some_and(|event| event >= self.system.pairs());
        if at_stop || self.time >= kink {
            self.integrator.rate_kinks();
        }
        self.book(&taken, observer)?;
        let steps = self.integrator.counters().steps;
        let stalled = self.stall.watch(self.time, self.settings.end_time, steps, taken.aimed.is_some());
        stalled.map_err(|error| match error {
            RunError::Stalled { time, steps, advance, at_events, .. } => {
                let singular = self.system.singular_joint(time, &self.y);
                RunError::Stalled { time, steps, advance, at_events, singular }
            }
            other => other,
        })
    }

    /// State of each body now, for tables.
    ///
    /// # Errors
    ///
    /// [`RunError::State`].
    pub fn body_states(&mut self) -> Result<&[BodyState], RunError> {
        self.evaluate_at_state()?;
        self.snapshot.take(&self.system, &self.y);
        Ok(self.snapshot.bodies())
    }

    /// What each joint transmits now, and behind the joints each spring and bushing of its own, for tables.
    ///
    /// # Errors
    ///
    /// [`RunError::State`].
    pub fn joint_states(&mut self) -> Result<&[JointState], RunError> {
        self.evaluate_at_state()?;
        self.take_joints()?;
        Ok(self.snapshot.joints())
    }

    /// What the run comes to so far.
    pub fn summary(&self) -> RunSummary {
        RunSummary {
            time: self.time,
            counters: self.integrator.counters(),
            ledger: self.ledger.summary(),
            contacts: self.events.clone(),
            quaternion_drift: self.quaternion_drift,
            rims: self.memory.iter().map(|memory| memory.rim).collect(),
            fallbacks: self.system.contact_sums.fallbacks,
        }
    }

    /// The next kink of a load or drive, beyond rounding of the present time.
    fn next_kink(&self) -> f64 {
        self.system.next_kink(self.time * (1.0 + 128.0 * f64::EPSILON))
    }

    /// The latest time at which the next step may end: the end of the run, the user's longest step, a tenth
    /// of the period of the highest dynamic mode, what each pair allows, and the next kink of a load.
    fn latest_end(&self, kink: f64) -> f64 {
        let user = self.settings.max_step.unwrap_or(f64::INFINITY);
        let fixed = self.settings.time_step.unwrap_or(f64::INFINITY);
        let pairs = self
            .memory
            .iter()
            .zip(&self.trackers)
            .map(|(memory, tracker)| memory.longest_step(tracker.touching));
        let longest = pairs.fold(user.min(fixed).min(self.modal_step), f64::min);
        // A step below the resolution of the time would be none.
        let longest = longest.max(64.0 * f64::EPSILON * self.time);
        let latest = (self.time + longest).min(kink);
        // What rounding leaves of the run is no step.
        let left = self.settings.end_time - latest;
        if left <= (4.0 * f64::EPSILON * self.settings.end_time).max(1e-9 * (latest - self.time)) {
            self.settings.end_time
        } else {
            latest
        }
    }

    /// Accepts the attempt; quaternions get the length 1 back, and their known rates along with them, so that
    /// nothing has to be evaluated again. Then back to the joints.
    fn accept(&mut self) -> Result<(), RunError> {
        self.time = self.integrator.accept(&mut self.y);
        for i in 0..self.system.layout.bodies() {
            let start = self.system.layout.quaternion(i);
            let mut b = [0.0; 4];
            b.copy_from_slice(&self.y[start..start + 4]);
            let length = rotation::norm_squared(&b).sqrt();
            self.quaternion_drift = self.quaternion_drift.max(rotation::normalise(&mut b));
            self.y[start..start + 4].copy_from_slice(&b);
            if let Some(rate) = self.integrator.rate_mut() {
                rate[start..start + 4].iter_mut().for_each(|rate| *rate /= length);
            }
        }
        let time = self.time;
        if self.settings.integrator.keeps_constraints() {
            return self.system.remember_elements(&self.y).map_err(|source| RunError::State { time, source });
        }
        let projection = self
            .system
            .project(time, &mut self.y, DRIFT)
            .map_err(|source| RunError::Joint { time, source })?;
        if projection.changed {
            self.integrator.state_moved();
            self.strayed = true;
        }
        Ok(())
    }

    /// Evaluates poses, velocities and contact at the accepted state.
    pub(crate) fn evaluate_at_state(&mut self) -> Result<(), RunError> {
        let time = self.time;
        let wrap = |source| RunError::State { time, source };
        self.system.set_state(&self.y).map_err(wrap)?;
        self.system.evaluate_contacts(&self.y).map_err(wrap)?;
        self.strayed = false;
        Ok(())
    }

    /// Evaluates them at a time within the attempt, from the dense output.
    pub(crate) fn evaluate_within(&mut self, time: f64) -> Result<(), RateError> {
        self.integrator.interpolate(time, &mut self.inside);
        self.strayed = true;
        self.system.set_state(&self.inside)?;
        self.system.evaluate_contacts(&self.inside)
    }
}
