//! What happened between two surfaces: one event from the first touch to the final parting.

use nalgebra::Vector3;

/// Summary of one impact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactEvent {
    /// Index of the contact pair.
    pub pair: usize,
    /// First touch \[s\].
    pub start: f64,
    /// Last parting \[s\]; the end of the run if they still touch then (`open` is true).
    pub end: f64,
    /// True if the surfaces still touched at the end of the run.
    pub open: bool,
    /// Largest contact force \[N\].
    pub peak_force: f64,
    /// When it occurred \[s\].
    pub peak_time: f64,
    /// Impulse on the first surface \[N s\].
    pub impulse: [f64; 3],
    /// Relative velocity of the first body against the second at the contact, rigid motion alone, along the impulse on
    /// the first: negative before (they approach) \[m/s\].
    pub velocity_before: f64,
    /// The same after the parting \[m/s\].
    pub velocity_after: f64,
    /// Deepest approach: how far the surfaces would overlap without their quasistatic response \[m\].
    pub max_approach: f64,
    /// Energy of the dynamic modes of both bodies after the parting \[J\].
    pub vibration_energy: f64,
    /// Separate touches within the event.
    pub sub_impacts: u32,
}

impl ContactEvent {
    /// Numbers in [`ContactEvent::to_array`].
    pub const NUMBERS: usize = 14;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let [x, y, z] = self.impulse;
        [
            self.pair as f64,
            self.start,
            self.end,
            f64::from(u8::from(self.open)),
            self.peak_force,
            self.peak_time,
            x,
            y,
            z,
            self.velocity_before,
            self.velocity_after,
            self.max_approach,
            self.vibration_energy,
            f64::from(self.sub_impacts),
        ]
    }

    /// The inverse of [`ContactEvent::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [
            pair,
            start,
            end,
            open,
            peak_force,
            peak_time,
            x,
            y,
            z,
            before,
            after,
            max_approach,
            vibration,
            sub,
        ] = *array;
        Self {
            pair: pair as usize,
            start,
            end,
            open: open != 0.0,
            peak_force,
            peak_time,
            impulse: [x, y, z],
            velocity_before: before,
            velocity_after: after,
            max_approach,
            vibration_energy: vibration,
            sub_impacts: sub as u32,
        }
    }

    /// Time from first touch to last parting \[s\].
    pub fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Magnitude of the impulse \[N s\].
    pub fn impulse_size(&self) -> f64 {
        Vector3::from(self.impulse).norm()
    }

    /// Impulse over duration \[N\]: the force of the plateau in a flat impact; none without a duration.
    pub fn mean_force(&self) -> Option<f64> {
        (self.duration() > 0.0).then(|| self.impulse_size() / self.duration())
    }

    /// e = −u₊/u₋; none if the surfaces did not approach or have not parted.
    pub fn restitution(&self) -> Option<f64> {
        (!self.open && self.velocity_before < 0.0).then(|| -self.velocity_after / self.velocity_before)
    }
}

/// What a scheme sees of a pair at the moment it touches or parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSample {
    /// Time \[s\].
    pub time: f64,
    /// Velocity of the first body's rigid motion at the contact point less that of the second \[m/s\].
    pub relative_velocity: Vector3<f64>,
    /// Impulse on the first surface since the start of the run \[N s\].
    pub impulse: Vector3<f64>,
    /// Energy in the dynamic modes of both bodies \[J\].
    pub vibration_energy: f64,
}

/// Follows one pair through a run. An interruption shorter than a quarter of the contact so far counts as part of the
/// same event (a sub-impact); the event is handed out once that time has passed. Plain data.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactTracker {
    /// The event being followed.
    pub event: Option<ContactEvent>,
    /// Relative velocity at first touch.
    pub velocity_before: [f64; 3],
    /// Relative velocity at the last parting.
    pub velocity_after: [f64; 3],
    /// Impulse at first touch.
    pub impulse_before: [f64; 3],
    /// True while the surfaces touch.
    pub touching: bool,
}

impl ContactTracker {
    /// Part of the contact so far that an interruption may last within one event.
    pub const MERGE: f64 = 0.25;

    /// Numbers in [`ContactTracker::to_array`]: an event, velocities before and after, the impulse before, two flags.
    pub const NUMBERS: usize = ContactEvent::NUMBERS + 11;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let (event, rest) = array.split_at_mut(ContactEvent::NUMBERS);
        event.copy_from_slice(&self.event.unwrap_or_default().to_array());
        rest[0..3].copy_from_slice(&self.velocity_before);
        rest[3..6].copy_from_slice(&self.velocity_after);
        rest[6..9].copy_from_slice(&self.impulse_before);
        rest[9] = f64::from(u8::from(self.touching));
        rest[10] = f64::from(u8::from(self.event.is_some()));
        array
    }

    /// The inverse of [`ContactTracker::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let (event, rest) = array.split_at(ContactEvent::NUMBERS);
        let vector = |start: usize| [rest[start], rest[start + 1], rest[start + 2]];
        let event = event.first_chunk().map(ContactEvent::from_array);
        Self {
            event: event.filter(|_| rest[10] != 0.0),
            velocity_before: vector(0),
            velocity_after: vector(3),
            impulse_before: vector(6),
            touching: rest[9] != 0.0,
        }
    }

    /// The surfaces touch.
    pub fn touch(&mut self, pair: usize, sample: &ContactSample) {
        self.touching = true;
        if let Some(event) = &mut self.event {
            event.sub_impacts += 1;
            return;
        }
        self.velocity_before = sample.relative_velocity.into();
        self.impulse_before = sample.impulse.into();
        self.event = Some(ContactEvent {
            pair,
            start: sample.time,
            end: sample.time,
            open: true,
            peak_time: sample.time,
            sub_impacts: 1,
            ..ContactEvent::default()
        });
    }

    /// A force and an approach that occurred while touching.
    pub fn observe(&mut self, time: f64, force: f64, approach: f64) {
        if let Some(event) = &mut self.event {
            if force > event.peak_force {
                (event.peak_force, event.peak_time) = (force, time);
            }
            event.max_approach = event.max_approach.max(approach);
        }
    }

    /// The surfaces part.
    pub fn part(&mut self, sample: &ContactSample) {
        self.touching = false;
        self.velocity_after = sample.relative_velocity.into();
        if let Some(event) = &mut self.event {
            event.end = sample.time;
            event.open = false;
            event.impulse = (sample.impulse - Vector3::from(self.impulse_before)).into();
            event.vibration_energy = sample.vibration_energy;
        }
    }

    /// Hands the event out once no more touches belong to it.
    pub fn settle(&mut self, time: f64) -> Option<ContactEvent> {
        let event = self.event?;
        if self.touching || time - event.end <= Self::MERGE * event.duration() {
            return None;
        }
        self.event = None;
        Some(self.finished(event))
    }

    /// The contact goes on beyond the end of the run, though the surfaces may not touch at this very moment.
    pub fn last_on(&mut self) {
        self.touching = self.event.is_some();
    }

    /// Hands out what is left at the end of the run; `sample` tells about a contact that still lasts.
    pub fn finish(&mut self, sample: &ContactSample) -> Option<ContactEvent> {
        let mut event = self.event.take()?;
        if self.touching {
            // An earlier parting was none of the whole.
            event.open = true;
            self.velocity_after = sample.relative_velocity.into();
            event.end = sample.time;
            event.impulse = (sample.impulse - Vector3::from(self.impulse_before)).into();
            event.vibration_energy = sample.vibration_energy;
        }
        Some(self.finished(event))
    }

    /// Velocities along the impulse.
    fn finished(&self, mut event: ContactEvent) -> ContactEvent {
        let impulse = Vector3::from(event.impulse);
        let size = impulse.norm();
        if size > 0.0 {
            event.velocity_before = Vector3::from(self.velocity_before).dot(&impulse) / size;
            event.velocity_after = Vector3::from(self.velocity_after).dot(&impulse) / size;
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time: f64, velocity: f64, impulse: f64) -> ContactSample {
        ContactSample {
            time,
            relative_velocity: Vector3::new(0.0, velocity, 0.0),
            impulse: Vector3::new(0.0, impulse, 0.0),
            vibration_energy: 0.0,
        }
    }

    #[test]
    fn restitution_is_the_ratio_of_normal_velocities() {
        let mut tracker = ContactTracker::default();
        tracker.touch(3, &sample(1.0, -2.0, 0.5));
        tracker.observe(1.5, 7.0, 1e-3);
        tracker.observe(1.6, 6.0, 2e-3);
        tracker.part(&sample(2.0, 1.5, 4.0));
        assert_eq!(tracker.settle(2.2), None);
        let event = tracker.settle(2.3).unwrap();
        assert_eq!((event.pair, event.duration(), event.peak_force, event.peak_time), (3, 1.0, 7.0, 1.5));
        assert_eq!((event.impulse_size(), event.max_approach), (3.5, 2e-3));
        assert_eq!(event.restitution(), Some(0.75));
        assert_eq!(tracker.settle(3.0), None);
    }

    #[test]
    fn short_interruptions_belong_to_the_event() {
        let mut tracker = ContactTracker::default();
        tracker.touch(0, &sample(0.0, -1.0, 0.0));
        tracker.part(&sample(1.0, 0.1, 1.0));
        assert_eq!(tracker.settle(1.1), None);
        tracker.touch(0, &sample(1.2, -0.1, 1.0));
        tracker.part(&sample(1.5, 0.9, 2.0));
        let event = tracker.settle(9.0).unwrap();
        assert_eq!((event.sub_impacts, event.duration(), event.restitution()), (2, 1.5, Some(0.9)));
    }

    #[test]
    fn contact_that_is_taken_up_again_is_open_at_the_end() {
        let mut tracker = ContactTracker::default();
        tracker.touch(0, &sample(0.0, -1.0, 0.0));
        tracker.part(&sample(1.0, 0.1, 1.0));
        tracker.touch(0, &sample(1.1, -0.1, 1.0));
        let mut rests = tracker;
        let event = tracker.finish(&sample(1.3, -0.05, 1.2)).unwrap();
        assert!(event.open && event.restitution().is_none() && event.end == 1.3, "{event:?}");
        rests.part(&sample(1.2, 1e-13, 1.1));
        rests.last_on();
        assert!(rests.finish(&sample(1.3, 1e-13, 1.1)).unwrap().open);
        // Without an event there is nothing to go on.
        let mut none = ContactTracker::default();
        none.last_on();
        assert!(!none.touching && none.finish(&sample(1.0, 0.0, 0.0)).is_none());
    }

    #[test]
    fn contact_at_the_end_of_the_run_is_open() {
        let mut tracker = ContactTracker::default();
        tracker.touch(0, &sample(0.0, -1.0, 0.0));
        let event = tracker.finish(&sample(0.5, -0.2, 1.0)).unwrap();
        assert!(event.open && event.restitution().is_none());
        assert_eq!((event.end, event.impulse_size()), (0.5, 1.0));
    }
}
