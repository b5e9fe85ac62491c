//! Tracking of a pair of surfaces: makes contact events from its closings and separations.

use nalgebra::Vector3;

use crate::contact_event::ContactEvent;

/// Mean motion of a body of a pair: the motion of a rigid body, or that of a flexible body with the rigid
/// part of its dynamic modes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyMotion {
    /// Velocity at the contact \[m/s\].
    pub velocity: Vector3<f64>,
    /// Angular velocity \[rad/s\].
    pub omega: Vector3<f64>,
    /// Momentum \[N s\]; none for a body held in space.
    pub momentum: Option<Vector3<f64>>,
}

impl BodyMotion {
    /// Length of [`BodyMotion::to_array`].
    pub const NUMBERS: usize = 9;

    /// All numbers in one array, for checkpoints: a missing momentum is stored as NaN.
    pub fn to_array(self) -> [f64; Self::NUMBERS] {
        let mut array = [f64::NAN; Self::NUMBERS];
        array[..3].copy_from_slice(self.velocity.as_slice());
        array[3..6].copy_from_slice(self.omega.as_slice());
        if let Some(momentum) = self.momentum {
            array[6..].copy_from_slice(momentum.as_slice());
        }
        array
    }

    /// The inverse of [`BodyMotion::to_array`], from the first numbers of a list.
    pub fn from_slice(array: &[f64]) -> Self {
        let vector = |start: usize| Vector3::from_column_slice(&array[start..start + 3]);
        Self { velocity: vector(0), omega: vector(3), momentum: (!array[6].is_nan()).then(|| vector(6)) }
    }

    fn velocity_at(&self, shift: &Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.omega.cross(shift)
    }
}

/// The state of a pair at the moment of closing or separation, in inertial axes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactSample {
    /// Time \[s\].
    pub time: f64,
    /// Approximate position of the contact at this moment \[m\].
    pub place: Vector3<f64>,
    /// Uncertainty of the position, such as half a pressure cell \[m\].
    pub place_error: f64,
    /// Motions of the first and of the second body.
    pub bodies: [BodyMotion; 2],
    /// Impulse on the first surface since the start of the run \[N s\].
    pub impulse: Vector3<f64>,
    /// Its part without friction \[N s\].
    pub normal_impulse: Vector3<f64>,
    /// Energy in the dynamic modes of both bodies \[J\].
    pub vibration_energy: f64,
}

impl ContactSample {
    const NUMBERS: usize = 12 + 2 * BodyMotion::NUMBERS;

    fn to_array(self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        array[..3].copy_from_slice(&[self.time, self.place_error, self.vibration_energy]);
        for (i, vector) in [self.place, self.impulse, self.normal_impulse].iter().enumerate() {
            array[3 + 3 * i..6 + 3 * i].copy_from_slice(vector.as_slice());
        }
        array[12..].copy_from_slice(self.bodies.map(BodyMotion::to_array).as_flattened());
        array
    }

    fn from_slice(array: &[f64]) -> Self {
        let vector = |start: usize| Vector3::from_column_slice(&array[start..start + 3]);
        let body = |side: usize| BodyMotion::from_slice(&array[12 + BodyMotion::NUMBERS * side..]);
        Self {
            time: array[0],
            place_error: array[1],
            vibration_energy: array[2],
            place: vector(3),
            impulse: vector(6),
            normal_impulse: vector(9),
            bodies: [body(0), body(1)],
        }
    }

    /// Velocities of both bodies at the contact, whose position is improved by the centre of pressure.
    fn velocities(&self, center: Option<Vector3<f64>>) -> [Vector3<f64>; 2] {
        let shift = center.map_or_else(Vector3::zeros, |center| center - self.place);
        let length = shift.norm();
        let shift = if length > self.place_error { shift * (self.place_error / length) } else { shift };
        self.bodies.map(|body| body.velocity_at(&shift))
    }
}

/// The centre of pressure during a contact, fitted by a straight line in time, weighted by the force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Center {
    /// ∫ F dt, ∫ F τ dt and ∫ F τ² dt with τ the time since the first contact.
    weights: [f64; 3],
    /// ∫ F x dt and ∫ F τ x dt.
    moments: [Vector3<f64>; 2],
}

impl Center {
    const NUMBERS: usize = 9;

    fn add(&mut self, tau: f64, weight: f64, place: &Vector3<f64>) {
        for (k, power) in [1.0, tau, tau * tau].into_iter().enumerate() {
            self.weights[k] += weight * power;
        }
        self.moments[0] += weight * place;
        self.moments[1] += (weight * tau) * place;
    }

    fn mean(&self) -> Option<Vector3<f64>> {
        (self.weights[0] > 0.0).then(|| self.moments[0] / self.weights[0])
    }

    /// The position of the line at τ.
    fn at(&self, tau: f64) -> Option<Vector3<f64>> {
        /// Relative variance of τ below which the centre is constant.
        const ONE_MOMENT: f64 = 1e-6;
        let mean = self.mean()?;
        let [w0, w1, w2] = self.weights;
        let (middle, variance) = (w1 / w0, w2 / w0 - (w1 / w0).powi(2));
        if variance <= ONE_MOMENT * middle * middle {
            return Some(mean);
        }
        let slope = (self.moments[1] / w0 - middle * mean) / variance;
        Some(mean + (tau - middle) * slope)
    }
}

/// Tracks one pair during a run. A separation shorter than a quarter of the contact so far belongs to the
/// same event (a sub-impact); the event is returned once this time has passed. Plain data.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactTracker {
    /// The current event.
    pub event: Option<ContactEvent>,
    /// True while the surfaces are in contact.
    pub touching: bool,
    /// State at the first contact.
    before: ContactSample,
    /// State at the last separation.
    after: ContactSample,
    center: Center,
}

impl ContactTracker {
    /// Largest duration of a separation within one event, relative to the contact so far.
    pub const MERGE: f64 = 0.25;

    /// Length of [`ContactTracker::to_array`]: an event, samples before and after, the centre of pressure,
    /// two flags.
    pub const NUMBERS: usize = ContactEvent::NUMBERS + 2 * ContactSample::NUMBERS + Center::NUMBERS + 2;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let (event, rest) = array.split_at_mut(ContactEvent::NUMBERS);
        event.copy_from_slice(&self.event.unwrap_or_default().to_array());
        let (samples, rest) = rest.split_at_mut(2 * ContactSample::NUMBERS);
        samples.copy_from_slice([self.before.to_array(), self.after.to_array()].as_flattened());
        rest[..3].copy_from_slice(&self.center.weights);
        rest[3..6].copy_from_slice(self.center.moments[0].as_slice());
        rest[6..9].copy_from_slice(self.center.moments[1].as_slice());
        rest[9] = f64::from(u8::from(self.touching));
        rest[10] = f64::from(u8::from(self.event.is_some()));
        array
    }

    /// The inverse of [`ContactTracker::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let (event, rest) = array.split_at(ContactEvent::NUMBERS);
        let (samples, rest) = rest.split_at(2 * ContactSample::NUMBERS);
        let vector = |start: usize| Vector3::from_column_slice(&rest[start..start + 3]);
        let event = event.first_chunk().map(ContactEvent::from_array);
        Self {
            event: event.filter(|_| rest[10] != 0.0),
            touching: rest[9] != 0.0,
            before: ContactSample::from_slice(samples),
            after: ContactSample::from_slice(&samples[ContactSample::NUMBERS..]),
            center: Center { weights: [rest[0], rest[1], rest[2]], moments: [vector(3), vector(6)] },
        }
    }

    /// Impulse on the first surface from the start of the run to the first contact of the event \[N s\].
    pub fn impulse_before(&self) -> Vector3<f64> {
        self.before.impulse
    }

    /// Records the closing of the contact.
    pub fn touch(&mut self, pair: usize, sample: &ContactSample) {
        self.touching = true;
        if let Some(event) = &mut self.event {
            event.sub_impacts += 1;
            return;
        }
        (self.before, self.after, self.center) = (*sample, *sample, Center::default());
        self.event = Some(ContactEvent {
            pair,
            start: sample.time,
            end: sample.time,
            open: true,
            peak_time: sample.time,
            vibration_before: sample.vibration_energy,
            sub_impacts: 1,
            ..ContactEvent::default()
        });
    }

    /// Records a force and an approach during contact.
    pub fn observe(&mut self, time: f64, force: f64, approach: f64) {
        if let Some(event) = &mut self.event {
            if force > event.peak_force {
                (event.peak_force, event.peak_time) = (force, time);
            }
            event.max_approach = event.max_approach.max(approach);
        }
    }

    /// Records an instantaneous impulse during contact, with an approach.
    pub fn observe_impulse(&mut self, approach: f64) {
        if let Some(event) = &mut self.event {
            event.impulsive = true;
            event.max_approach = event.max_approach.max(approach);
        }
    }

    /// Records the impulse of a step \[N s\], and its position.
    pub fn press(&mut self, time: f64, impulse: f64, place: &Vector3<f64>) {
        if let Some(event) = self.event.filter(|_| impulse > 0.0) {
            self.center.add(time - event.start, impulse, place);
        }
    }

    /// Records the separation of the surfaces.
    pub fn part(&mut self, sample: &ContactSample) {
        self.touching = false;
        self.end(sample, false);
    }

    /// Returns the event once no more contacts can belong to it.
    pub fn settle(&mut self, time: f64) -> Option<ContactEvent> {
        let event = self.event?;
        if self.touching || time - event.end <= Self::MERGE * event.duration() {
            return None;
        }
        self.event = None;
        Some(self.finished(event))
    }

    /// Marks the contact as lasting beyond the end of the run, even if the surfaces are separate at this
    /// moment.
    pub fn last_on(&mut self) {
        self.touching = self.event.is_some();
    }

    /// Returns the last event at the end of the run; `sample` belongs to an open contact.
    pub fn finish(&mut self, sample: &ContactSample) -> Option<ContactEvent> {
        if self.touching {
            // An earlier separation was within the event.
            self.end(sample, true);
        }
        let event = self.event.take()?;
        Some(self.finished(event))
    }

    fn end(&mut self, sample: &ContactSample, open: bool) {
        self.after = *sample;
        if let Some(event) = &mut self.event {
            event.end = sample.time;
            event.open = open;
            event.impulse = (sample.impulse - self.before.impulse).into();
            event.vibration_energy = sample.vibration_energy;
        }
    }

    /// Computes normal, position, and normal and tangential velocities.
    fn finished(&self, mut event: ContactEvent) -> ContactEvent {
        let (before, after) = (&self.before, &self.after);
        let impulse = Vector3::from(event.impulse);
        let normal_impulse = after.normal_impulse - before.normal_impulse;
        event.place = self.center.mean().unwrap_or(before.place).into();
        let Some(normal) = normal_impulse.try_normalize(0.0).or_else(|| impulse.try_normalize(0.0)) else {
            return event;
        };
        event.normal = normal.into();
        let velocities = |sample: &ContactSample| {
            let [first, second] = sample.velocities(self.center.at(sample.time - event.start));
            let relative = first - second;
            let along = relative.dot(&normal);
            (along, relative - along * normal, [first.dot(&normal), second.dot(&normal)])
        };
        let (along, across, own) = velocities(before);
        (event.velocity_before, event.slip_before, event.own_before) = (along, across.into(), own);
        let (along, across, own) = velocities(after);
        (event.velocity_after, event.slip_after, event.own_after) = (along, across.into(), own);
        let pressed = impulse.dot(&normal);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if let (Some(then), Some(now)) = (before.bodies[side].momentum, after.bodies[side].momentum) {
                let other = (now - then).dot(&normal) - sign * pressed;
                event.other_impulse = event.other_impulse.max((other / pressed).abs());
            }
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time: f64, velocity: f64, impulse: f64) -> ContactSample {
        let impulse = Vector3::new(0.0, impulse, 0.0);
        let first = BodyMotion { velocity: Vector3::new(0.0, velocity, 0.0), ..BodyMotion::default() };
        let bodies = [first, BodyMotion::default()];
        ContactSample { time, bodies, impulse, normal_impulse: impulse, ..ContactSample::default() }
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

    /// A body that slides over another at 45°: the normal is that of the impulse without friction.
    #[test]
    fn velocities_are_measured_along_the_normal_and_slip_across_it() {
        let (before, after) = (sample(0.0, -2.0, 0.0), sample(1.0, 1.0, 3.0));
        let slips = |mut sample: ContactSample, slip: f64, friction: f64| {
            sample.bodies[0].velocity.x = slip;
            sample.impulse.x = friction;
            sample
        };
        let mut tracker = ContactTracker::default();
        tracker.touch(0, &slips(before, 2.0, 0.0));
        tracker.part(&slips(after, 1.4, -0.9));
        let event = tracker.settle(9.0).unwrap();
        assert_eq!((event.normal, event.restitution()), ([0.0, 1.0, 0.0], Some(0.5)));
        assert_eq!((event.slip_before, event.slip_after), ([2.0, 0.0, 0.0], [1.4, 0.0, 0.0]));
        assert_eq!((event.own_before, event.own_after), ([-2.0, 0.0], [1.0, 0.0]));
        assert_eq!((event.normal_impulse(), event.impulse[0]), (3.0, -0.9));
    }

    /// A ball that spins about z touches at the origin, 0.1 from the first and the last cell; its centre
    /// moves along x.
    #[test]
    fn a_spinning_body_touches_at_the_centre_of_pressure() {
        let spin = |time: f64, place: f64, velocity: f64, impulse: f64| {
            let mut sample = sample(time, velocity + 5.0 * (place - time), impulse);
            (sample.place.x, sample.place_error) = (place, 0.2);
            sample.bodies[0].omega.z = 5.0;
            sample
        };
        let mut tracker = ContactTracker::default();
        tracker.touch(0, &spin(0.0, 0.1, -2.0, 0.0));
        for tau in [0.25, 0.5, 0.75] {
            tracker.press(tau, 0.5, &Vector3::new(tau, 0.0, 0.0));
        }
        tracker.part(&spin(1.0, 0.9, 1.0, 1.5));
        let event = tracker.settle(9.0).unwrap();
        assert!((event.restitution().unwrap() - 0.5).abs() < 1e-14, "{event:?}");
        assert!((event.place[0] - 0.5).abs() < 1e-15);
        // The position moves by no more than the uncertainty of the sample.
        let known = ContactSample { place_error: 0.0, ..spin(0.0, 0.1, -2.0, 0.0) };
        assert_eq!(known.velocities(Some(Vector3::zeros()))[0].y, -1.5);
    }

    /// The momentum of a body with other supports does not change by the impulse of the contact.
    #[test]
    fn momentum_from_other_forces_is_recognised() {
        let with = |mut sample: ContactSample, momentum: f64| {
            sample.bodies[0].momentum = Some(Vector3::new(0.0, momentum, 0.0));
            sample
        };
        let mut tracker = ContactTracker::default();
        tracker.touch(0, &with(sample(0.0, -1.0, 0.0), -4.0));
        tracker.part(&with(sample(1.0, 0.9, 2.0), -3.5));
        let event = tracker.settle(9.0).unwrap();
        assert_eq!((event.other_impulse, event.restitution()), (0.75, None));
    }

    #[test]
    fn a_tracker_written_to_an_array_is_read_back() {
        let mut tracker = ContactTracker::default();
        tracker.touch(2, &sample(0.5, -1.0, 0.25));
        tracker.press(0.75, 2.0, &Vector3::new(1.0, 2.0, 3.0));
        tracker.part(&ContactSample { place_error: 0.125, place: Vector3::z(), ..sample(1.0, 0.5, 2.25) });
        assert_eq!(ContactTracker::from_array(&tracker.to_array()), tracker);
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
    fn a_resumed_contact_is_open_at_the_end() {
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
        // Without an event there is nothing to continue.
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
