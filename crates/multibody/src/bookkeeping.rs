//! Bookkeeping of each accepted step: contact events, memory of the pairs, ledger, watches.

use crate::outcome::RunError;
use crate::scales::{gap_rounding, pair_impulses, pair_motion};
use crate::simulation::{Simulation, Taken};
use carom_dynamics::{ContactSample, Observer};

impl Simulation {
    /// Memory and ledger of the initial state; surfaces that overlap from the start touch from the start.
    pub(crate) fn book_start(&mut self) -> Result<(), RunError> {
        self.evaluate_at_state()?;
        self.system.accept_contacts();
        self.note_stops(None);
        for pair in 0..self.memory.len() {
            self.memory[pair].update(&self.system, pair, 0.0, false, self.settings.contact_duration);
            if self.memory[pair].gap < 0.0 {
                let sample = self.sample(pair);
                self.trackers[pair].touch(pair, &sample);
            }
        }
        self.ledger.record(self.system.balance(self.time, &self.y));
        Ok(())
    }

    /// Contact events, memory of the pairs, ledger at the end of an accepted step.
    pub(crate) fn book(&mut self, taken: &Taken, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.strayed {
            self.evaluate_at_state()?;
        }
        self.system.accept_contacts();
        let turned = taken.aimed.and_then(|aimed| self.trackers.get(aimed)).map(|tracker| tracker.touching);
        for pair in 0..self.memory.len() {
            let was = self.trackers[pair].touching;
            let reaction = &self.system.reactions[pair];
            // A step cut to an event ends with a gap of either sign, zero but for round-off; so do pairs that
            // touch or part at the same moment, as the sides of a corner do. A gap that is open by round-off
            // has no rate: such a pair does as the one that the step was cut to.
            let touching = match taken.aimed {
                Some(aimed) if aimed == pair => !was,
                Some(_) if reaction.free_gap.abs() <= gap_rounding(&self.system, pair) => {
                    reaction.gap_rate.map_or(was != (turned == Some(was)), |rate| rate < 0.0)
                }
                _ => reaction.free_gap < 0.0,
            };
            self.memory[pair].update(&self.system, pair, self.time, was, self.settings.contact_duration);
            self.resolution[pair].observe(&self.system, pair, self.time);
            let reaction = &self.system.reactions[pair];
            let (force, approach, place) = (reaction.normal_force, -self.memory[pair].gap, reaction.point);
            let sample = self.sample(pair);
            let tracker = &mut self.trackers[pair];
            if touching && !was {
                tracker.touch(pair, &sample);
            }
            tracker.observe(self.time, force, approach);
            self.swings[pair].observe(self.time, force);
            tracker.press(self.time, force * taken.attempt.step(), &place);
            if was && !touching {
                tracker.part(&sample);
            }
            if let Some(event) = tracker.settle(self.time) {
                self.swings[pair].end(&event);
                observer.contact_event(&event)?;
                self.events.push(event);
            }
        }
        self.off_interface = self.off_interface.max(self.system.contact_sums.off_interface);
        self.ledger.record(self.system.balance(self.time, &self.y));
        self.check_rims()?;
        self.watch_centrifugal();
        self.watch_linearity()
    }

    /// The events that are still open, and the last frame.
    pub(crate) fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.strayed {
            self.evaluate_at_state()?;
        }
        for pair in 0..self.trackers.len() {
            let sample = self.sample(pair);
            if let Some(event) = self.trackers[pair].finish(&sample) {
                self.swings[pair].end(&event);
                observer.contact_event(&event)?;
                self.events.push(event);
            }
        }
        self.hand_over_end(observer)
    }

    /// Place, motion and impulses of a pair at the accepted state, for its tracker.
    fn sample(&self, pair: usize) -> ContactSample {
        let [a, b] = self.system.pair_bodies(pair);
        let reaction = &self.system.reactions[pair];
        let [impulse, of_friction] = pair_impulses(&self.system, pair, &self.y);
        ContactSample {
            time: self.time,
            place: reaction.point,
            place_error: reaction.point_error,
            bodies: pair_motion(&self.system, pair, &reaction.point, &self.y),
            impulse,
            normal_impulse: impulse - of_friction,
            vibration_energy: self.system.vibration_energy(a, &self.y)
                + self.system.vibration_energy(b, &self.y),
        }
    }
}
