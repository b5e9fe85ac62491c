//! Contact events: one event from the first contact of two surfaces to their final separation.

use nalgebra::Vector3;
use thiserror::Error;

/// Summary of one impact. The first and the second body are those of the pair, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactEvent {
    /// Index of the contact pair.
    pub pair: usize,
    /// Numbers of the two bodies that touched, for a contact of all bodies with each other; none for a pair
    /// of named surfaces. No part of [`ContactEvent::to_array`].
    pub bodies: Option<[usize; 2]>,
    /// First contact \[s\].
    pub start: f64,
    /// Final separation \[s\]; the end of the run if the surfaces are then in contact (`open` is true).
    pub end: f64,
    /// True if the surfaces were in contact at the end of the run.
    pub open: bool,
    /// True if impulses act at instants: the event then has no force.
    pub impulsive: bool,
    /// Largest contact force \[N\]; 0 if the event is impulsive, see [`ContactEvent::peak`].
    pub peak_force: f64,
    /// Time of the largest force \[s\].
    pub peak_time: f64,
    /// Impulse on the first surface, friction included \[N s\].
    pub impulse: [f64; 3],
    /// Mean contact normal, into the first body: the direction of the impulse without friction; zero without
    /// an impulse.
    pub normal: [f64; 3],
    /// Mean position of the contact, weighted by the force \[m\].
    pub place: [f64; 3],
    /// Relative velocity of the first body with respect to the second at the contact, of the mean motion,
    /// along the normal: negative before (approach) \[m/s\].
    pub velocity_before: f64,
    /// The same after the separation \[m/s\].
    pub velocity_after: f64,
    /// Tangential part of the relative velocity before, inertial axes \[m/s\].
    pub slip_before: [f64; 3],
    /// The same after the separation \[m/s\].
    pub slip_after: [f64; 3],
    /// Velocity of the first and of the second body at the contact along the normal, before \[m/s\].
    pub own_before: [f64; 2],
    /// The same after the separation \[m/s\].
    pub own_after: [f64; 2],
    /// Largest approach: the overlap of the surfaces without their quasistatic response \[m\].
    pub max_approach: f64,
    /// Energy of the dynamic modes of both bodies before the contact \[J\].
    pub vibration_before: f64,
    /// Energy of the dynamic modes of both bodies after the separation \[J\].
    pub vibration_energy: f64,
    /// The largest change of a body's momentum along the normal by other causes (joints, drives, loads, other
    /// contacts), relative to the impulse along the normal.
    pub other_impulse: f64,
    /// Number of separate contacts within the event.
    pub sub_impacts: u32,
}

/// The reason why an event has no coefficient of restitution.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NoRestitution {
    /// The event is open.
    #[error("the surfaces were in contact at the end of the run")]
    Lasting,
    /// There was no approach.
    #[error("the bodies did not approach along the normal")]
    NotApproaching,
    /// There was no separation along the normal, for instance after sliding.
    #[error("the bodies did not separate along the normal")]
    NotParting,
    /// Other forces changed the velocities too.
    #[error(
        "joints, drives, loads or other contacts changed the momentum of a body during the contact, by \
         {:.3} times \
         the impulse of this contact",
        share
    )]
    OtherForces {
        /// Their impulse relative to that of the contact.
        share: f64,
    },
    /// A vibrating body hits with more than the velocity of its mean motion.
    #[error("the bodies vibrated before, with {:.3} times the energy of the approach", share)]
    Vibrating {
        /// Energy of the vibration relative to that of the approach.
        share: f64,
    },
}

/// The reason why an impulsive event has no peak force.
pub const NO_PEAK: &str = "impulses act at instants: a time step has an impulse, no force";

impl ContactEvent {
    /// Length of [`ContactEvent::to_array`].
    pub const NUMBERS: usize = 33;

    /// Largest impulse of other forces, relative to that of the contact, for a coefficient of restitution.
    pub const OTHER_FORCES: f64 = 0.05;

    /// Largest energy of vibrations, relative to that of the approach, for a coefficient of restitution.
    pub const VIBRATION: f64 = 0.1;

    /// Largest velocity of approach after an inelastic impact, relative to the velocity before, that counts
    /// as round-off.
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
            bodies: None,
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

    /// Name of the surfaces that touched: of the pair, or `FIRST/SECOND` of two bodies that a contact of all
    /// bodies brings together; numbers where a name is missing.
    pub fn name(&self, pairs: &[impl AsRef<str>], bodies: &[impl AsRef<str>]) -> String {
        fn of(names: &[impl AsRef<str>], number: usize) -> String {
            names.get(number).map_or_else(|| number.to_string(), |name| name.as_ref().to_owned())
        }
        match self.bodies {
            Some([first, second]) => format!("{}/{}", of(bodies, first), of(bodies, second)),
            None => of(pairs, self.pair),
        }
    }

    /// Time from the first contact to the final separation \[s\].
    pub fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Largest contact force \[N\] and its time \[s\]; none if the event is impulsive.
    pub fn peak(&self) -> Option<(f64, f64)> {
        (!self.impulsive).then_some((self.peak_force, self.peak_time))
    }

    /// Magnitude of the impulse \[N s\].
    pub fn impulse_size(&self) -> f64 {
        Vector3::from(self.impulse).norm()
    }

    /// Impulse divided by duration \[N\]: the force of the plateau in a flat impact; none without a duration,
    /// and for impulsive events.
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

    /// The reason why there is no coefficient of restitution: it requires velocities that only this contact
    /// has changed.
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
    fn an_event_written_to_an_array_is_read_back() {
        let numbers: [f64; ContactEvent::NUMBERS] =
            std::array::from_fn(|i| if i == 3 || i == 4 { 1.0 } else { i as f64 });
        assert_eq!(ContactEvent::from_array(&numbers).to_array(), numbers);
    }

    #[test]
    fn restitution_is_defined_where_the_contact_alone_changes_the_velocities() {
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
    fn an_event_has_the_name_of_its_pair_or_of_its_bodies() {
        let (pairs, bodies) = (["a/b", "*"], ["a", "b", "c"]);
        assert_eq!(impact().name(&pairs, &bodies), "a/b");
        let of_all = ContactEvent { pair: 1, bodies: Some([0, 2]), ..impact() };
        assert_eq!(of_all.name(&pairs, &bodies), "a/c");
        assert_eq!(ContactEvent { bodies: Some([0, 7]), ..of_all }.name(&pairs, &bodies), "a/7");
    }

    #[test]
    fn an_impulsive_event_has_no_peak_force() {
        let event = ContactEvent { peak_force: 7.0, peak_time: 0.5, ..impact() };
        assert_eq!(event.peak(), Some((7.0, 0.5)));
        assert_eq!(ContactEvent { impulsive: true, ..event }.peak(), None);
    }
}
