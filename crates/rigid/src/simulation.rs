//! The time loop: fixed steps, frames, impacts, checkpoints.

use std::time::{Duration, Instant};

use carom_dynamics::{
    CheckpointError, ContactEvent, ContactState, Frame, JointState, Ledger, LedgerSummary, MeanProbes,
    Observer, ObserverError,
};
use carom_progress::Progress;
use nalgebra::Vector3;
use thiserror::Error;

use crate::joint::impulse::JointImpulse;
use crate::probes::On;
use crate::step_error::StepError;
use crate::system::{PairReport, System};
use crate::tracking::{Contacts, StepTimes};

/// End of a run and its output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// End of the run \[s\]; it ends at the nearest step.
    pub end_time: f64,
    /// Time between frames \[s\]; each is at the nearest step.
    pub output_every: f64,
}

/// Errors that end a run early. Data already given to the observer stay valid.
#[derive(Debug, Error)]
pub enum RunError {
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A setting is not positive and finite.
    #[error("`{name}` is {value}; it must be positive and finite")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The run ends before its first step.
    #[error("a run of {end_time} s has no step of {dt} s: shorten `simulation.time_step`")]
    NoSteps {
        /// End of the run \[s\].
        end_time: f64,
        /// Length of a step \[s\].
        dt: f64,
    },
    /// The observer could not write its data.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// The checkpoint does not belong to this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The user stopped the run.
    #[error("interrupted at t = {time:.9e} s of {end_time:.3e} s")]
    Interrupted {
        /// Time of the interruption \[s\].
        time: f64,
        /// End time of the run \[s\].
        end_time: f64,
    },
}

/// Time between reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// Steps of a run that ends at the step nearest to its end time.
fn n_steps(end_time: f64, dt: f64) -> u64 {
    (end_time / dt).round() as u64
}

/// Bodies of the pairs that were given one by one.
fn given_pairs(system: &System) -> impl Iterator<Item = [usize; 2]> + '_ {
    system.pairs.iter().take_while(|pair| pair.key[0] == 0).map(|pair| pair.bodies)
}

/// The contacts of a system: crowds under their numbers, and each pair that was given one by one under one of
/// the others.
fn numbered(system: &System, crowds: &[usize]) -> Contacts {
    let mut contacts = Contacts::default();
    let others = (0..).filter(|number| !crowds.contains(number));
    given_pairs(system).zip(others).for_each(|(pair, number)| {
        contacts.add_pairs(number, pair[0], [pair].into_iter());
    });
    crowds.iter().for_each(|&number| contacts.add_crowd(number));
    contacts
}

/// A system and its time loop.
pub struct Simulation {
    /// Bodies and pairs.
    pub system: System,
    /// End of the run and its output.
    pub settings: Settings,
    pub(crate) contacts: Contacts,
    pub(crate) events: Vec<ContactEvent>,
    pub(crate) ledger: Ledger,
    /// Frames given to the observer so far.
    pub(crate) outputs: u64,
    /// Steps of the last frame, and the impulse of each pair until then \[N s\]; that of later pairs was 0.
    pub(crate) shown: (u64, Vec<Vector3<f64>>),
    /// Impulses of joints and springs since the last frame.
    pub(crate) joint_sums: Vec<JointImpulse>,
    /// See [`Simulation::missed`].
    pub(crate) missed: [f64; 2],
    pub(crate) probes: MeanProbes<On>,
}

impl Simulation {
    /// A system at its start. Each pair is a contact by its number, and each crowd one by the following
    /// numbers.
    ///
    /// # Errors
    ///
    /// [`RunError::Setting`], [`RunError::NoSteps`].
    pub fn new(mut system: System, settings: Settings) -> Result<Self, RunError> {
        for (name, value) in [("end_time", settings.end_time), ("output_every", settings.output_every)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(RunError::Setting { name, value });
            }
        }
        let (end_time, dt) = (settings.end_time, system.time_step());
        if n_steps(end_time, dt) == 0 {
            return Err(RunError::NoSteps { end_time, dt });
        }
        let mut ledger = Ledger::default();
        ledger.record(system.balance());
        let n_given = given_pairs(&system).count();
        let crowds: Vec<usize> = (n_given..n_given + system.n_crowds()).collect();
        let contacts = numbered(&system, &crowds);
        system.keep_joint_impulses();
        let joint_sums = system.joint_impulses.clone();
        Ok(Self {
            system,
            settings,
            contacts,
            events: Vec::new(),
            ledger,
            outputs: 0,
            shown: (0, Vec::new()),
            joint_sums,
            missed: [0.0; 2],
            probes: MeanProbes::default(),
        })
    }

    /// The same run with crowds under other numbers; pairs that were given one by one have the numbers
    /// between them, in their order.
    ///
    /// * `crowds` — the number of each crowd among all contacts
    #[must_use]
    pub fn with_crowds_at(mut self, crowds: &[usize]) -> Self {
        self.contacts = numbered(&self.system, crowds);
        self
    }

    /// Runs to the end time, from the start or from a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError`].
    pub fn run(&mut self, observer: &mut dyn Observer, progress: &dyn Progress) -> Result<(), RunError> {
        let ended = self.run_on(observer, progress);
        // A continued run starts from this checkpoint.
        if matches!(ended, Err(RunError::Interrupted { .. } | RunError::Step(_))) {
            observer.checkpoint(&self.checkpoint())?;
        }
        ended
    }

    fn run_on(&mut self, observer: &mut dyn Observer, progress: &dyn Progress) -> Result<(), RunError> {
        let total = n_steps(self.settings.end_time, self.system.time_step());
        progress.begin("time steps", total);
        if self.outputs == 0 {
            self.hand_over(observer)?;
            self.sample(observer)?;
        }
        let mut next = self.next_output();
        // A prolonged run writes the frame that was the last one of the earlier run.
        if self.system.steps() >= next && self.system.steps() < total {
            self.hand_over(observer)?;
            next = self.next_output();
        }
        let mut reported = Instant::now();
        while self.system.steps() < total {
            self.step(observer)?;
            let steps = self.system.steps();
            if steps >= next && steps < total {
                self.hand_over(observer)?;
                next = self.next_output();
            }
            self.save(observer)?;
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                progress.set(steps);
                progress.note(&format!("t = {:.3e} s, {} contacts", self.system.time(), self.events.len()));
            }
            // Steps of a pile of bodies may take tenths of a second.
            if progress.interrupted() {
                let (time, end_time) = (self.system.time(), self.settings.end_time);
                return Err(RunError::Interrupted { time, end_time });
            }
        }
        // The closing data depend on this end time: a longer run continues from the checkpoint before them.
        observer.checkpoint(&self.checkpoint())?;
        self.finish(observer)?;
        progress.end();
        Ok(())
    }

    /// One step, with the contact events that it begins or ends and the samples of probes.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the step or the observer fails.
    #[inline]
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.system.step()?;
        let of_step = &self.system.joint_impulses;
        self.joint_sums.iter_mut().zip(of_step).for_each(|(sum, of_step)| sum.add(of_step, 1.0));
        if !self.contacts.is_idle() || self.system.has_contacts() {
            self.follow(observer)?;
        }
        if !self.probes.is_empty() {
            self.sample(observer)?;
        }
        Ok(())
    }

    /// Largest |D_num| so far, and largest energy that moves, at frames and contacts \[J\].
    pub fn missed(&self) -> [f64; 2] {
        self.missed
    }

    /// Impacts so far, in the order in which they ended.
    pub fn events(&self) -> &[ContactEvent] {
        &self.events
    }

    /// Errors of the balance so far; that of the energy is over all steps.
    pub fn summary(&mut self) -> LedgerSummary {
        self.record();
        self.ledger.summary()
    }

    /// Contact events: pairs that touched in the last step, and pairs that no longer touch.
    fn follow(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let now = self.system.time();
        let Self { system, contacts, events, .. } = self;
        contacts.follow(system, StepTimes { acting: now, end: now }, |event| {
            observer.contact_event(&event)?;
            events.push(event);
            Ok(())
        })?;
        self.record();
        Ok(())
    }

    fn record(&mut self) {
        let balance = self.system.balance();
        self.ledger.record(balance);
        let fallen = self.ledger.initial.map_or(0.0, |start| balance.e_pot - start.e_pot);
        let size = balance.e_kin + fallen.abs() + balance.w_ext.abs();
        self.missed = [self.missed[0].max(balance.d_num.abs()), self.missed[1].max(size)];
        let Some(initial) = self.ledger.initial else { return };
        let of_springs = self.system.actions.books.at_start;
        let initial =
            initial.e_kin + initial.e_con + initial.e_pot - of_springs + initial.d_imp + initial.d_fric;
        let [least, largest] = self.system.energy_range();
        let error = (largest - initial).max(initial - least);
        self.ledger.residuals[0] = self.ledger.residuals[0].max(error);
    }

    fn next_output(&self) -> u64 {
        (self.outputs as f64 * self.settings.output_every / self.system.time_step()).round() as u64
    }

    /// A frame of the present state.
    fn hand_over(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.record();
        let row = self.ledger.row(self.system.balance());
        let (steps, dt) = (self.system.steps(), self.system.time_step());
        // Impulses occur in single steps, which frames would rarely meet: the force of a contact or joint in
        // a frame is the mean since the last frame.
        let since = dt * (steps - self.shown.0) as f64;
        let mean = |pair: usize, report: &PairReport| {
            let before = self.shown.1.get(pair).copied().unwrap_or_default();
            let force = if since > 0.0 { (report.impulse - before) / since } else { Vector3::zeros() };
            (force, (report.last == steps && steps > 0).then_some(report.last_depth))
        };
        let nothing = ContactState::far();
        let mut contacts = vec![nothing; self.contacts.numbers().count()];
        self.contacts.add_states(&self.system, mean, &mut contacts);
        self.shown = (steps, self.system.reports.iter().map(|report| report.impulse).collect());
        let bodies = self.system.body_states();
        let time = self.system.time();
        let mut joints: Vec<JointState> = self.system.joint_states();
        joints.extend(self.system.spring_states());
        if since > 0.0 {
            let means = joints.iter_mut().zip(&mut self.joint_sums);
            means.for_each(|(state, sum)| std::mem::take(sum).mean_into(state, since));
        }
        let frame =
            Frame { time, steps, bodies: &bodies, contacts: &contacts, joints: &joints, ledger: &row };
        observer.frame(&frame)?;
        self.outputs += 1;
        Ok(())
    }

    /// Writes the events that are still open, and the last frame.
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Self { system, contacts, events, .. } = self;
        contacts.finish(system, system.time(), |event| {
            observer.contact_event(&event)?;
            events.push(event);
            Ok(())
        })?;
        self.hand_over(observer)
    }
}
