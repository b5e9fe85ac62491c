//! The time loop: adaptive steps that end where contact begins or ends.

use crate::centrifugal_watch::CentrifugalWatches;
use crate::equilibrium::{Equilibrium, EquilibriumError, Excitation, Response};
use crate::events::{ContactEvents, Event, Step, first_stop};
use crate::half_space::Touched;
use crate::joint::Assembly;
use crate::linearity::LinearityWatch;
use crate::no_step::no_step;
use crate::outcome::{RunError, RunSummary};
use crate::outputs::Outputs;
use crate::probe::Probes;
use crate::settings::{Settings, Start};
use crate::stall::{Stall, Stalled};
use crate::stepper::Stepper;
use crate::system::System;
use crate::warnings;
use carom_dynamics::{
    BodyState, ContactEvent, ErrorEstimate, JointState, Ledger, Marker, Observer, Placement,
};
use carom_integrate::{Counters, Ode};
use carom_progress::{Progress, Silent};

/// A stalled run is in a singular position if a pivot of the joints is below this part of that at the start:
/// within about a hundredth of a radian.
const SINGULAR: f64 = 1e-5;

mod checkpoint;
mod frames;
mod probes;

/// A system on its way through time.
#[derive(Debug)]
pub struct Simulation {
    /// Bodies, loads and pairs.
    pub system: System,
    /// How to run.
    pub settings: Settings,
    /// How the joints were closed at the start.
    pub assembly: Assembly,
    /// The equilibrium in which the run starts, if it does.
    pub equilibrium: Option<Equilibrium>,
    /// State, time and integrator.
    stepper: Stepper,
    /// Contact events and the memory of the pairs.
    events: ContactEvents,
    /// Balance of energy and momenta.
    ledger: Ledger,
    /// Frames.
    outputs: Outputs,
    probes: Probes,
    /// How far reduced bodies went from linear theory.
    linearity: LinearityWatch,
    /// The centrifugal deformation that quasistatic modes leave out.
    centrifugal: CentrifugalWatches,
    stall: Stall,
}

impl Simulation {
    /// Bodies in their initial placements, undeformed, at t = 0.
    ///
    /// # Errors
    ///
    /// [`RunError::Setting`], [`RunError::System`], [`RunError::State`] if they make no run.
    pub fn new(system: System, placements: &[Placement], settings: Settings) -> Result<Self, RunError> {
        Self::started(system, placements, settings, &Silent)
    }

    /// As [`Simulation::new`].
    ///
    /// * `progress` — of the search for an equilibrium at the start
    ///
    /// # Errors
    ///
    /// As [`Simulation::new`], and [`RunError::Equilibrium`] without an equilibrium.
    pub fn started(
        mut system: System,
        placements: &[Placement],
        settings: Settings,
        progress: &dyn Progress,
    ) -> Result<Self, RunError> {
        settings.check()?;
        let accuracy = (Settings::CONTACT_SHARE * settings.relative_tolerance).clamp(1e-12, 1e-8);
        system.contacts_mut().set_accuracy(accuracy);
        let mut y = system.initial_state(placements)?;
        let assembly = system.assemble(&mut y)?;
        let equilibrium = match settings.start {
            Start::Placed => None,
            Start::Equilibrium => Some(system.settle(&mut y, progress)?),
        };
        system.set_state(&y).map_err(|source| RunError::State { time: 0.0, source })?;
        let mut simulation = Self {
            linearity: LinearityWatch::new(&mut system, &y),
            centrifugal: CentrifugalWatches::new(system.bodies().len()),
            events: ContactEvents::new(system.pairs()),
            ledger: Ledger::default(),
            outputs: Outputs::new(&system),
            probes: Probes::default(),
            stall: Stall::default(),
            stepper: Stepper::new(&system, &settings, y),
            assembly,
            equilibrium,
            system,
            settings,
        };
        simulation.record_start()?;
        Ok(simulation)
    }

    /// Memory and ledger of the initial state.
    fn record_start(&mut self) -> Result<(), RunError> {
        let Self { system, stepper, events, ledger, .. } = self;
        stepper.evaluate(system)?;
        let (time, y) = (stepper.time(), stepper.state());
        system.accept_contacts(y).map_err(|source| RunError::State { time, source })?;
        system.elements_mut().note_stops(None);
        events.record_start(system, stepper, self.settings.contact_duration);
        ledger.record(system.balance(stepper.time(), stepper.state()));
        Ok(())
    }

    /// Harmonic response at points of bodies about the equilibrium in which the run starts, before its first
    /// step.
    ///
    /// * `points` — bodies and points of them, over their modes that move
    /// * `frequencies` — \[Hz\]
    ///
    /// # Errors
    ///
    /// [`RunError::Equilibrium`] if the run starts elsewhere or has begun, or the system cannot be evaluated.
    pub fn response(
        &mut self,
        excitation: &Excitation,
        points: &[(usize, Marker)],
        frequencies: &[f64],
        progress: &dyn Progress,
    ) -> Result<Vec<Response>, RunError> {
        if self.equilibrium.is_none() || self.time() > 0.0 {
            return Err(EquilibriumError::NotStill.into());
        }
        let y = self.stepper.state().to_vec();
        let time = self.stepper.time();
        let is_whole = self.system.put_aside();
        let found = self.system.response(&y, excitation, points, frequencies, progress);
        self.system.take_back(None).map_err(|source| RunError::State { time, source })?;
        if !is_whole {
            self.stepper.leave();
        }
        Ok(found?)
    }

    /// Time reached \[s\].
    pub fn time(&self) -> f64 {
        self.stepper.time()
    }

    /// State vector, laid out as [`crate::Layout`] says.
    pub fn state(&self) -> &[f64] {
        self.stepper.state()
    }

    /// Runs to the end time, or on to it from where a checkpoint left off.
    ///
    /// # Errors
    ///
    /// [`RunError`]; the observer has everything up to the last accepted step.
    pub fn run(
        &mut self,
        observer: &mut dyn Observer,
        progress: &dyn Progress,
    ) -> Result<RunSummary, RunError> {
        let ended = self.run_on(observer, progress);
        // The state is that of the last accepted step, from which a run can continue. After errors within the
        // bookkeeping of a step the earlier checkpoint stays.
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
        self.advance(observer, progress, &mut |_| false)?;
        // A longer run continues from this checkpoint: the last frame and open events belong to this end
        // alone.
        observer.checkpoint(&self.checkpoint())?;
        self.finish(observer)?;
        Ok(self.summary())
    }

    /// Steps to the end time, or until a condition is true after a step. Unlike [`Simulation::run`] it ends
    /// no events that are open, and leaves no checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError`]; the observer has everything up to the last accepted step.
    pub fn advance(
        &mut self,
        observer: &mut dyn Observer,
        progress: &dyn Progress,
        is_enough: &mut dyn FnMut(&Self) -> bool,
    ) -> Result<(), RunError> {
        const TICKS: f64 = 1000.0;
        // The number of steps is not known before: the unit is a thousandth of the time.
        progress.begin("thousandths of the time", TICKS as u64);
        self.hand_over_start(observer)?;
        self.hand_over_first_samples(observer)?;
        while self.time() < self.settings.end_time {
            self.step(observer)?;
            self.save(observer)?;
            if is_enough(self) {
                break;
            }
            let steps = self.stepper.counters().steps;
            if steps.is_multiple_of(16) {
                progress.set((TICKS * self.time() / self.settings.end_time) as u64);
                progress.note(&format!(
                    "t = {:.3e} s, {steps} steps, {} contacts",
                    self.time(),
                    self.events.over().len()
                ));
            }
            if progress.interrupted() {
                let (time, end_time) = (self.time(), self.settings.end_time);
                return Err(RunError::Interrupted { time, end_time });
            }
        }
        progress.end();
        Ok(())
    }

    /// One step: attempt it, cut it where a contact begins or ends, find outputs and peaks within it, accept
    /// it, record it.
    ///
    /// # Errors
    ///
    /// [`RunError`] if no step succeeds or the observer fails.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let kink = self.next_kink();
        self.system.set_in_flight(self.events.are_apart(&self.system, self.stepper.state()));
        let latest = self.latest_end(kink);
        let step = self.attempt_to_event(latest)?;
        self.events.observe_peaks(&mut self.system, &mut self.stepper, &step.attempt)?;
        self.hand_over_outputs(&step.attempt, observer)?;
        self.stepper.accept(&mut self.system)?;
        self.note_kinks(&step, kink);
        self.record(&step, observer)?;
        self.hand_over_samples_of_step(observer)?;
        self.check_progress(&step)
    }

    /// State of each body now, for tables.
    ///
    /// # Errors
    ///
    /// [`RunError::State`].
    pub fn body_states(&mut self) -> Result<&[BodyState], RunError> {
        let Self { system, stepper, outputs, .. } = self;
        // The caller may have set the system to any state.
        stepper.leave();
        stepper.look_at_state(system, |stepper, system| {
            outputs.take_bodies(system, stepper.state());
            Ok(())
        })?;
        Ok(outputs.bodies())
    }

    /// Forces and torques that each joint transmits now, then those of each spring and bushing that belongs
    /// to no joint, for tables.
    ///
    /// # Errors
    ///
    /// [`RunError::State`].
    pub fn joint_states(&mut self) -> Result<&[JointState], RunError> {
        let Self { system, stepper, outputs, .. } = self;
        stepper.leave();
        stepper.look_at_state(system, |stepper, system| {
            stepper.evaluate_reactions(system)?;
            outputs.take_joints(system, stepper.time(), stepper.state());
            Ok(())
        })?;
        Ok(outputs.joints())
    }

    /// Figures of the run so far.
    pub fn summary(&self) -> RunSummary {
        RunSummary {
            time: self.time(),
            counters: self.counters(),
            ledger: self.ledger.summary(),
            contacts: self.events.over().to_vec(),
            quaternion_drift: self.stepper.quaternion_drift(),
            rims: self.events.pairs().iter().map(|pair| pair.memory.rim).collect(),
            fallbacks: self.system.contacts().sums().fallbacks,
        }
    }

    /// Steps and evaluations so far.
    pub fn counters(&self) -> Counters {
        self.stepper.counters()
    }

    /// The pairs that touch now.
    pub fn touching(&self) -> impl Iterator<Item = usize> + '_ {
        self.events.touching()
    }

    /// Impacts that are over, in the order in which they ended.
    pub fn impacts(&self) -> &[ContactEvent] {
        self.events.over()
    }

    /// Sentences about where the model was used beyond its limits. Empty if all is well.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = warnings::of_contacts(&self.system, &self.events);
        warnings.extend(self.linearity.warnings(&self.system));
        warnings.extend(self.centrifugal.warnings(&self.system));
        warnings.extend(warnings::of_fallbacks(&self.system));
        warnings
    }

    /// Relative errors that are to be expected of the largest force of each pair; none where they are not
    /// estimated, or there was no force.
    pub fn error_estimates(&self) -> Vec<Option<ErrorEstimate>> {
        let events = self.events.over();
        let energy_error = self.ledger.summary().energy_error;
        let of_pair = |pair: usize| {
            let own = events.iter().filter(|event| event.pair == pair);
            let largest = own.max_by(|a, b| a.peak_force.total_cmp(&b.peak_force))?;
            let of_model = self.system.contacts().error_estimate(pair, largest.end - largest.start);
            let estimate =
                of_model.or_else(|| self.events.pairs()[pair].expected_error(&self.system, pair, largest));
            Some(estimate?.with_energy_error(energy_error))
        };
        (0..self.system.pairs()).map(of_pair).collect()
    }

    /// Where a pair has touched since the start of this run, of contact on half-space grids.
    pub fn touched(&self, pair: usize) -> Option<Touched> {
        self.system.contacts().touched(pair)
    }

    /// Memory of matrices that contact has made in the run so far \[bytes\].
    pub fn bytes_of_contact(&self) -> usize {
        self.system.contacts().models().iter().map(|model| model.bytes()).sum()
    }

    /// A sentence for each pair that has not touched: how near its surfaces came, and when.
    pub fn missed_contacts(&self) -> Vec<String> {
        warnings::missed_contacts(&self.system, &self.events)
    }
}

/// Parts of a step.
impl Simulation {
    /// The next kink of a load or drive, beyond rounding of the present time.
    fn next_kink(&self) -> f64 {
        self.system.next_kink(self.time() * (1.0 + 128.0 * f64::EPSILON))
    }

    /// The latest time at which the next step may end: the end of the run, the user's longest step, a tenth
    /// of the period of the highest dynamic mode, the longest step of each pair, and the next kink of a load.
    fn latest_end(&self, kink: f64) -> f64 {
        let (time, end_time) = (self.time(), self.settings.end_time);
        let user = self.settings.max_step.unwrap_or(f64::INFINITY);
        let fixed = self.settings.time_step.unwrap_or(f64::INFINITY);
        let modal = self.stepper.modal_step(self.system.oscillates());
        let longest = self.events.longest_steps().fold(user.min(fixed).min(modal), f64::min);
        // A step below the resolution of the time would not advance it.
        let longest = longest.max(64.0 * f64::EPSILON * time);
        let latest = (time + longest).min(kink);
        // The rest of a run that is a rounding error is not stepped.
        let left = end_time - latest;
        if left <= (4.0 * f64::EPSILON * end_time).max(1e-9 * (latest - time)) { end_time } else { latest }
    }

    /// Attempts a step up to `latest`. If a pair touches or parts within it, or a stop is reached or left,
    /// the step is repeated to end there: forces have a kink at that moment, and the times of impacts are
    /// results.
    fn attempt_to_event(&mut self, mut latest: f64) -> Result<Step, RunError> {
        let mut aimed = None;
        loop {
            let Self { system, stepper, events, .. } = self;
            let attempt = match stepper.attempt(system, latest) {
                Ok(attempt) => attempt,
                Err(source) => return Err(no_step(system, (stepper.time(), stepper.state()), source)),
            };
            let reached: Option<Event> = aimed.filter(|_| attempt.end == latest);
            let change = events.first_change(system, stepper, &attempt, reached.and_then(Event::pair))?;
            let stop = first_stop(system, stepper, &attempt, reached.and_then(Event::stop))?;
            let change = change.map(|(pair, time)| (Event::Pair(pair), time));
            let found = [change, stop.map(|(stop, time)| (Event::Stop(stop), time))];
            match found.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((event, time)) if time > attempt.start && time < attempt.end => {
                    latest = time;
                    aimed = Some(event);
                }
                _ => return Ok(Step { attempt, event: reached }),
            }
        }
    }

    /// Notes the stops that are passed now, and kinks of the rate at the accepted state.
    fn note_kinks(&mut self, step: &Step, kink: f64) {
        let stop = step.event.and_then(Event::stop);
        self.system.elements_mut().note_stops(stop);
        // Contact sets in softly, as pressure cells close one after the other: steps before it lead on.
        if stop.is_some() || self.time() >= kink {
            self.stepper.rate_kinks();
        }
    }

    /// Contact events, memory of the pairs, ledger and watches at the end of an accepted step.
    fn record(&mut self, step: &Step, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Self { system, stepper, events, ledger, linearity, centrifugal, settings, .. } = self;
        stepper.evaluate_forces(system)?;
        let (time, y) = (stepper.time(), stepper.state());
        system.accept_contacts(y).map_err(|source| RunError::State { time, source })?;
        events.record_step(system, stepper, step, settings.contact_duration, observer)?;
        ledger.record(system.balance(stepper.time(), stepper.state()));
        warnings::check_rims(system, stepper.time())?;
        centrifugal.observe(system, stepper.time(), stepper.state());
        linearity.observe_step(system, stepper)
    }

    /// Ends a run whose time no longer advances.
    fn check_progress(&mut self, step: &Step) -> Result<(), RunError> {
        let (time, steps) = (self.time(), self.stepper.counters().steps);
        let stalled = self.stall.watch(time, self.settings.end_time, steps, step.event.is_some());
        stalled.map_err(|Stalled { steps, advance, at_events }| {
            let singular = self.system.singular_joint(time, self.stepper.state(), SINGULAR);
            RunError::Stalled { time, steps, advance, at_events, singular }
        })
    }

    /// Ends the events that are still open, and passes the last frame to the observer.
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Self { system, stepper, events, .. } = self;
        // The last evaluation of a step is that before its quaternions got the length 1: a run that is
        // continued at its end would have other last digits.
        stepper.leave();
        stepper.look_at_state(system, |stepper, system| events.finish(system, stepper, observer))?;
        // The frame of the start is that of the end.
        if self.settings.is_still() { Ok(()) } else { self.hand_over_state(observer) }
    }
}
