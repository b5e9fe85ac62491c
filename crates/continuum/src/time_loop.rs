//! The time loop of unreduced bodies: steps, checkpoints, progress; frames, and the events of contacts.

use carom_dynamics::{
    Balance, BodyState, Checkpoint, CheckpointError, ContactEvent, ContactSample, ContactState,
    ContactTracker, Frame, JointState, Ledger, Observer, ObserverError, RunError,
};
use carom_progress::Progress;
use carom_rigid::{restored_events, save_events};
use nalgebra::Vector3;

/// A run of a scheme, step by step.
pub(crate) trait March {
    /// Error of a step.
    type Error: std::error::Error + 'static;

    /// Steps between two reports of progress.
    const REPORT: u64;

    /// Time \[s\] and number of steps.
    fn clock(&self) -> (f64, u64);

    /// End of the run \[s\].
    fn end_time(&self) -> f64;

    /// Hands over the frame of the start, unless the checkpoint of a resumed run comes after it.
    fn begin(&mut self, _observer: &mut dyn Observer) -> Result<(), RunError<Self::Error>> {
        Ok(())
    }

    /// Takes a step, and hands over the events that are over and the frame that is due.
    fn step(
        &mut self,
        observer: &mut dyn Observer,
        progress: &dyn Progress,
    ) -> Result<Taken, RunError<Self::Error>>;

    /// The present point of the run as a line for the user.
    fn note(&self) -> String {
        format!("t = {:.3e} s", self.clock().0)
    }

    /// The present point of the run.
    fn checkpoint(&self) -> Checkpoint;

    /// Hands over a checkpoint.
    fn save(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        observer.checkpoint(&self.checkpoint())
    }

    /// Ends the open events, and hands over the last frame.
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError<Self::Error>>;
}

/// Outcome of [`March::step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// There may be another step.
    Step,
    /// The end of the run has been reached.
    End,
    /// The user has stopped the run within the step; the state is that before it.
    Interrupted,
}

/// Runs to the end time, from the start or from a checkpoint.
pub(crate) fn run<M: March>(
    march: &mut M,
    observer: &mut dyn Observer,
    progress: &dyn Progress,
) -> Result<(), RunError<M::Error>> {
    const PARTS: u64 = 1000;
    let end_time = march.end_time();
    progress.begin("time steps", PARTS);
    march.begin(observer)?;
    loop {
        let taken = march.step(observer, progress)?;
        if taken == Taken::End {
            break;
        }
        let (time, steps) = march.clock();
        let mut is_interrupted = taken == Taken::Interrupted;
        if taken == Taken::Step {
            if observer.wants_checkpoint(steps) {
                march.save(observer)?;
            }
            if steps.is_multiple_of(M::REPORT) {
                progress.set((PARTS as f64 * time / end_time) as u64);
                progress.note(&march.note());
                is_interrupted = progress.interrupted();
            }
        }
        if is_interrupted {
            march.save(observer)?;
            return Err(RunError::Interrupted { time, end_time });
        }
    }
    march.save(observer)?;
    march.finish(observer)?;
    progress.end();
    Ok(())
}

/// Name of an entry of checkpoints.
const LAST_FRAME: &str = "last_frame";

/// Frames, events and books that a run has handed over.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) ledger: Ledger,
    pub(crate) events: Vec<ContactEvent>,
    /// Number of frames so far.
    pub(crate) outputs: u64,
    /// Number of steps before the last frame.
    last_frame: Option<u64>,
    /// Bodies at the last frame.
    pub(crate) states: Vec<BodyState>,
}

impl Record {
    /// True at the step nearest to the time of the next frame.
    ///
    /// * `length` — of the next step \[s\]
    /// * `every` — time between frames \[s\]
    pub(crate) fn is_due(&self, time: f64, length: f64, every: f64) -> bool {
        time + 0.5 * length > self.outputs as f64 * every
    }

    /// Hands over a frame, whose balance is in the ledger.
    pub(crate) fn hand_over(
        &mut self,
        observer: &mut dyn Observer,
        steps: u64,
        balance: Balance,
        (states, contacts, joints): (Vec<BodyState>, &[ContactState], &[JointState]),
    ) -> Result<(), ObserverError> {
        self.states = states;
        let row = self.ledger.row(balance);
        observer.frame(&Frame {
            time: balance.time,
            steps,
            bodies: &self.states,
            contacts,
            joints,
            ledger: &row,
        })?;
        self.outputs += 1;
        self.last_frame = Some(steps);
        Ok(())
    }

    /// True if the state after a number of steps has been handed over as a frame.
    pub(crate) fn has_frame_at(&self, steps: u64) -> bool {
        self.last_frame == Some(steps)
    }

    /// Hands over an event.
    pub(crate) fn take(
        &mut self,
        observer: &mut dyn Observer,
        event: ContactEvent,
    ) -> Result<(), ObserverError> {
        observer.contact_event(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// Saves ledger, events and the place of the last frame.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        if let Some(steps) = self.last_frame {
            checkpoint.put_integers(LAST_FRAME, &[steps]);
        }
        save_events(&self.events, checkpoint);
        self.ledger.save(checkpoint);
    }

    /// Sets what [`Record::save`] has saved.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        self.events = restored_events(checkpoint)?;
        self.last_frame = checkpoint.integers(LAST_FRAME).ok().and_then(|steps| steps.first().copied());
        self.ledger.restore(checkpoint)
    }
}

/// Two surfaces whose impacts are events.
pub(crate) trait Touching {
    /// The pair after the step that was just taken.
    fn touch(&self) -> Touch;

    /// The tracker, and the last place of contact \[m\].
    fn tracking(&mut self) -> (&mut ContactTracker, &mut Vector3<f64>);
}

/// The contact of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    /// Number among all contacts.
    pub(crate) number: usize,
    /// Force on the first body \[N\].
    pub(crate) force: Vector3<f64>,
    /// Σ λ \[N\] and Σ λ x \[N m\].
    pub(crate) pressed: (f64, Vector3<f64>),
    /// Smallest gap; infinite if no node is near \[m\].
    pub(crate) least_gap: f64,
}

/// The times of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// Its start \[s\].
    pub(crate) start: f64,
    /// The time of its contact force \[s\].
    pub(crate) of_force: f64,
    /// Its length \[s\].
    pub(crate) length: f64,
}

impl Clock {
    /// A step whose force is that of its middle.
    pub(crate) fn of_middle(end: f64, length: f64) -> Self {
        Self { start: end - length, of_force: end - 0.5 * length, length }
    }
}

/// Motions of both bodies of a pair at the place of contact: after the last step, or where the flag is true
/// before it. Their time is the end or the start of the step.
pub(crate) trait Sample<P>: Fn(&P, bool, Vector3<f64>) -> ContactSample {}

impl<P, F: Fn(&P, bool, Vector3<f64>) -> ContactSample> Sample<P> for F {}

/// Updates the events of pairs with the step that was just taken.
///
/// * `clock` — the step
pub(crate) fn follow<'a, P: Touching + 'a>(
    pairs: impl Iterator<Item = &'a mut P>,
    clock: Clock,
    sample: impl Sample<P>,
    mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
) -> Result<(), ObserverError> {
    for pair in pairs {
        let touch = pair.touch();
        let (tracker, &mut mut place) = pair.tracking();
        let mut tracker = std::mem::take(tracker);
        let event = track((&mut tracker, &mut place), &touch, clock, |is_before, place| {
            sample(pair, is_before, place)
        });
        let (own, last_place) = pair.tracking();
        (*own, *last_place) = (tracker, place);
        event.map_or(Ok(()), &mut take)?;
    }
    Ok(())
}

/// Updates the event of two surfaces; returns it once it is over.
///
/// * `place` — the last place of contact, which is updated \[m\]
/// * `clock` — the step
/// * `sample` — motions of both bodies at a place, with their time; before the step if the flag is true
pub(crate) fn track(
    (tracker, place): (&mut ContactTracker, &mut Vector3<f64>),
    touch: &Touch,
    Clock { start, of_force, length }: Clock,
    sample: impl Fn(bool, Vector3<f64>) -> ContactSample,
) -> Option<ContactEvent> {
    let (pressed, moment) = touch.pressed;
    if pressed > 0.0 {
        *place = moment / pressed;
        if !tracker.touching {
            tracker.touch(touch.number, &sample(true, *place));
        }
        tracker.observe(of_force, touch.force.norm(), (-touch.least_gap).max(0.0));
        tracker.press(of_force, length * pressed, place);
    } else if tracker.touching {
        // The last force acted in the step before, unless half of it acts in this one (redistributed mass).
        let [before, after] = [true, false].map(|is_before| sample(is_before, *place));
        let is_over = before.normal_impulse == after.normal_impulse;
        tracker.part(if is_over { &before } else { &after });
    }
    tracker.settle(start)
}

/// Ends the events that are open at the end of the run.
pub(crate) fn finish<'a, P: Touching + 'a>(
    pairs: impl Iterator<Item = &'a mut P>,
    sample: impl Sample<P>,
    mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
) -> Result<(), ObserverError> {
    for pair in pairs {
        let is_pressed = pair.touch().pressed.0 > 0.0;
        let place = *pair.tracking().1;
        let last = sample(pair, false, place);
        let (tracker, _) = pair.tracking();
        if is_pressed {
            tracker.last_on();
        }
        tracker.finish(&last).map_or(Ok(()), &mut take)?;
    }
    Ok(())
}

/// All contacts, by their numbers.
pub(crate) fn contact_states<P: Touching>(pairs: &[P]) -> Vec<ContactState> {
    let n = pairs.iter().map(|pair| pair.touch().number + 1).max().unwrap_or(0);
    let nothing = ContactState::far();
    let mut states = vec![nothing; n];
    for Touch { number, force, pressed, least_gap } in pairs.iter().map(Touching::touch) {
        let (force, normal_force) = (force.into(), pressed.0);
        states[number] = ContactState { force, normal_force, free_gap: least_gap, ..ContactState::default() };
    }
    states
}
