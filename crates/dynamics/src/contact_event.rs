//! What happened between two surfaces: one event from the first touch to the final parting.

use nalgebra::Vector3;
use thiserror::Error;

/// Summary of one impact. The first and the second body are those of the pair, in its order.
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
    /// True if impulses act at instants: the event then has no force.
    pub impulsive: bool,
    /// Largest contact force \[N\]; 0 if the event is impulsive, see [`ContactEvent::peak`].
    pub peak_force: f64,
    /// When it occurred \[s\].
    pub peak_time: f64,
    /// Impulse on the first surface, friction included \[N s\].
    pub impulse: [f64; 3],
    /// Mean contact normal, into the first body: the direction of the impulse without friction; zero without
    /// an impulse.
    pub normal: [f64; 3],
    /// Mean place of the contact, weighted by the force \[m\].
    pub place: [f64; 3],
    /// Relative velocity of the first body against the second at the contact, mean motion alone, along the
    /// normal: negative before (they approach) \[m/s\].
    pub velocity_before: f64,
    /// The same after the parting \[m/s\].
    pub velocity_after: f64,
    /// The part of the relative velocity across the normal before, inertial axes \[m/s\].
    pub slip_before: [f64; 3],
    /// The same after the parting \[m/s\].
    pub slip_after: [f64; 3],
    /// Velocity of the first and of the second body at the contact along the normal, before \[m/s\].
    pub own_before: [f64; 2],
    /// The same after the parting \[m/s\].
    pub own_after: [f64; 2],
    /// Deepest approach: how far the surfaces would overlap without their quasistatic response \[m\].
    pub max_approach: f64,
    /// Energy of the dynamic modes of both bodies before the touch \[J\].
    pub vibration_before: f64,
    /// Energy of the dynamic modes of both bodies after the parting \[J\].
    pub vibration_energy: f64,
    /// The largest change of a body's momentum along the normal that the contact does not explain, over the
    /// impulse along the normal: what joints, drives, loads and other contacts did meanwhile.
    pub other_impulse: f64,
    /// Separate touches within the event.
    pub sub_impacts: u32,
}

/// Why an event has no coefficient of restitution.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NoRestitution {
    /// They still touch.
    #[error("the surfaces still touched at the end of the run")]
    Lasting,
    /// Nothing hit anything.
    #[error("the bodies did not approach along the normal")]
    NotApproaching,
    /// They slid off each other, say.
    #[error("the bodies did not separate along the normal")]
    NotParting,
    /// Not the contact alone changed the velocities.
    #[error(
        "joints, drives, loads or other contacts changed the momentum of a body meanwhile, by {:.3} times \
         the impulse of this contact",
        share
    )]
    OtherForces {
        /// Their impulse over that of the contact.
        share: f64,
    },
    /// A body that vibrates hits with more than the velocity of its mean motion.
    #[error("the bodies vibrated before, with {:.3} times the energy of the approach", share)]
    Vibrating {
        /// Energy of the vibration over that of the approach.
        share: f64,
    },
}

/// Why an impulsive event has no peak force.
pub const NO_PEAK: &str = "impulses act at instants: a time step has an impulse, no force";

impl ContactEvent {
    /// Numbers in [`ContactEvent::to_array`].
    pub const NUMBERS: usize = 33;

    /// Part of the impulse of a contact that other forces may have for the velocities to be those of the
    /// contact.
    pub const OTHER_FORCES: f64 = 0.05;

    /// Part of the energy of the approach that vibrations may have for the velocities to be those of an
    /// impact.
    pub const VIBRATION: f64 = 0.1;

    /// Part of the velocity before by which bodies may approach after an impact without restitution:
    /// round-off.
    const ROUND_OFF: f64 = 1e-6;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let flag = |is: bool| f64::from(u8::from(is));
        array[..9].copy_from_slice(&[
            self.pair as f64,
            self.start,
            self.end,
            flag(self.open),
            flag(self.impulsive),
            self.peak_force,
            self.peak_time,
            self.velocity_before,
            self.velocity_after,
        ]);
        let vectors = [self.impulse, self.normal, self.place, self.slip_before, self.slip_after];
        array[9..24].copy_from_slice(vectors.as_flattened());
        array[24..28].copy_from_slice([self.own_before, self.own_after].as_flattened());
        array[28..].copy_from_slice(&[
            self.max_approach,
            self.vibration_before,
            self.vibration_energy,
            self.other_impulse,
            f64::from(self.sub_impacts),
        ]);
        array
    }

    /// The inverse of [`ContactEvent::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let vector = |start: usize| [array[start], array[start + 1], array[start + 2]];
        Self {
            pair: array[0] as usize,
            start: array[1],
            end: array[2],
            open: array[3] != 0.0,
            impulsive: array[4] != 0.0,
            peak_force: array[5],
            peak_time: array[6],
            velocity_before: array[7],
            velocity_after: array[8],
            impulse: vector(9),
            normal: vector(12),
            place: vector(15),
            slip_before: vector(18),
            slip_after: vector(21),
            own_before: [array[24], array[25]],
            own_after: [array[26], array[27]],
            max_approach: array[28],
            vibration_before: array[29],
            vibration_energy: array[30],
            other_impulse: array[31],
            sub_impacts: array[32] as u32,
        }
    }

    /// Time from first touch to last parting \[s\].
    pub fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Largest contact force \[N\] and when it occurred \[s\]; none if the event is impulsive.
    pub fn peak(&self) -> Option<(f64, f64)> {
        (!self.impulsive).then_some((self.peak_force, self.peak_time))
    }

    /// Magnitude of the impulse \[N s\].
    pub fn impulse_size(&self) -> f64 {
        Vector3::from(self.impulse).norm()
    }

    /// Impulse over duration \[N\]: the force of the plateau in a flat impact; none without a duration, and
    /// of impulses at instants.
    pub fn mean_force(&self) -> Option<f64> {
        (self.duration() > 0.0 && !self.impulsive).then(|| self.impulse_size() / self.duration())
    }

    /// Impulse along the normal \[N s\].
    pub fn normal_impulse(&self) -> f64 {
        Vector3::from(self.impulse).dot(&Vector3::from(self.normal))
    }

    /// e = −u₊/u₋ of the velocities along the normal; none where [`ContactEvent::no_restitution`] gives the
    /// reason.
    pub fn restitution(&self) -> Option<f64> {
        self.no_restitution().is_none().then(|| -self.velocity_after / self.velocity_before)
    }

    /// Why there is no coefficient of restitution: it compares velocities that this contact alone has
    /// changed.
    pub fn no_restitution(&self) -> Option<NoRestitution> {
        let (before, after) = (self.velocity_before, self.velocity_after);
        if self.open {
            return Some(NoRestitution::Lasting);
        }
        let approached = before < 0.0;
        if !approached {
            return Some(NoRestitution::NotApproaching);
        }
        if after < Self::ROUND_OFF * before {
            return Some(NoRestitution::NotParting);
        }
        if self.other_impulse > Self::OTHER_FORCES {
            return Some(NoRestitution::OtherForces { share: self.other_impulse });
        }
        // J = m* (u₊ − u₋) gives the energy of the approach, ½ m* u₋².
        let approach = 0.5 * self.normal_impulse() * before * before / (after - before);
        let share = self.vibration_before / approach;
        (share > Self::VIBRATION).then_some(NoRestitution::Vibrating { share })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impact() -> ContactEvent {
        ContactEvent {
            impulse: [0.0, 3.0, 4.0],
            normal: [0.0, 0.0, 1.0],
            velocity_before: -2.0,
            velocity_after: 1.5,
            ..ContactEvent::default()
        }
    }

    #[test]
    fn all_numbers_come_back_from_the_array() {
        let numbers: [f64; ContactEvent::NUMBERS] =
            std::array::from_fn(|i| if i == 3 || i == 4 { 1.0 } else { i as f64 });
        assert_eq!(ContactEvent::from_array(&numbers).to_array(), numbers);
    }

    #[test]
    fn restitution_is_that_of_velocities_which_the_contact_alone_has_changed() {
        let event = impact();
        assert_eq!(
            (event.restitution(), event.normal_impulse(), event.impulse_size()),
            (Some(0.75), 4.0, 5.0)
        );
        let reason = |event: ContactEvent| (event.restitution(), event.no_restitution());
        assert_eq!(reason(ContactEvent { open: true, ..event }), (None, Some(NoRestitution::Lasting)));
        let away = ContactEvent { velocity_before: 0.0, ..event };
        assert_eq!(reason(away), (None, Some(NoRestitution::NotApproaching)));
        let off = ContactEvent { velocity_after: -0.5, ..event };
        assert_eq!(reason(off), (None, Some(NoRestitution::NotParting)));
        let driven = ContactEvent { other_impulse: 0.5, ..event };
        assert_eq!(reason(driven), (None, Some(NoRestitution::OtherForces { share: 0.5 })));
        // ½ m* u₋² with m* = 4/3.5.
        let swings = ContactEvent { vibration_before: 16.0 / 7.0, ..event };
        assert_eq!(reason(swings), (None, Some(NoRestitution::Vibrating { share: 1.0 })));
        // An inelastic impact leaves a velocity of round-off.
        let inelastic = ContactEvent { velocity_after: -1e-16, ..event };
        assert!(inelastic.restitution().is_some_and(|e| e.abs() < 1e-15));
    }

    #[test]
    fn an_impulsive_event_has_no_peak_force() {
        let event = ContactEvent { peak_force: 7.0, peak_time: 0.5, ..impact() };
        assert_eq!(event.peak(), Some((7.0, 0.5)));
        assert_eq!(ContactEvent { impulsive: true, ..event }.peak(), None);
    }
}
