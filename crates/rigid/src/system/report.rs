//! Impulses and motion of a pair, for trackers of events and checkpoints.

use carom_dynamics::{BodyMotion, ContactSample};
use nalgebra::Vector3;

/// Impulses and motion of a pair in the last step in which it touched, and since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairReport {
    /// Impulse on the first body since the start \[N s\].
    pub impulse: Vector3<f64>,
    /// Number of the last step with an impulse, counted from 1; 0 for none.
    pub last: u64,
    /// Impulse on the first body in that step \[N s\].
    pub last_impulse: Vector3<f64>,
    /// Impulse on the first body since the start without friction \[N s\].
    pub normal_impulse: Vector3<f64>,
    /// The part of that step \[N s\].
    pub last_normal_impulse: Vector3<f64>,
    /// Place of the largest impulse of that step \[m\].
    pub place: Vector3<f64>,
    /// Motion of both bodies there before that step.
    pub before: [BodyMotion; 2],
    /// The same after that step.
    pub after: [BodyMotion; 2],
    /// Largest overlap of the surfaces since the start, ≥ 0 \[m\].
    pub depth: f64,
    /// Overlap in that step, ≥ 0 \[m\].
    pub last_depth: f64,
    /// Contacts of the pair in that step.
    pub contacts: u32,
}

impl PairReport {
    /// Start of that step, for a tracker of contact events.
    pub fn sample_before(&self, time: f64) -> ContactSample {
        ContactSample {
            time,
            place: self.place,
            bodies: self.before,
            impulse: self.impulse - self.last_impulse,
            normal_impulse: self.normal_impulse - self.last_normal_impulse,
            ..ContactSample::default()
        }
    }

    /// End of that step, for a tracker of contact events.
    pub fn sample_after(&self, time: f64) -> ContactSample {
        ContactSample {
            time,
            place: self.place,
            bodies: self.after,
            impulse: self.impulse,
            normal_impulse: self.normal_impulse,
            ..ContactSample::default()
        }
    }

    /// The report with the bodies in the other order.
    pub fn turned(self) -> Self {
        let [[a, b], [c, d]] = [self.before, self.after];
        Self {
            impulse: -self.impulse,
            last_impulse: -self.last_impulse,
            normal_impulse: -self.normal_impulse,
            last_normal_impulse: -self.last_normal_impulse,
            before: [b, a],
            after: [d, c],
            ..self
        }
    }

    /// Numbers in [`PairReport::to_array`].
    pub const NUMBERS: usize = 19 + 4 * BodyMotion::NUMBERS;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let vectors =
            [self.impulse, self.last_impulse, self.normal_impulse, self.last_normal_impulse, self.place];
        for (i, vector) in vectors.iter().enumerate() {
            array[3 * i..3 * i + 3].copy_from_slice(vector.as_slice());
        }
        array[15..19].copy_from_slice(&[
            self.last as f64,
            self.depth,
            f64::from(self.contacts),
            self.last_depth,
        ]);
        let [a, b] = [self.before, self.after].map(|motions| motions.map(BodyMotion::to_array));
        array[19..].copy_from_slice([a, b].as_flattened().as_flattened());
        array
    }

    /// The inverse of [`PairReport::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let vector = |i: usize| Vector3::from_column_slice(&array[3 * i..3 * i + 3]);
        let motion = |i: usize| BodyMotion::from_slice(&array[19 + BodyMotion::NUMBERS * i..]);
        Self {
            impulse: vector(0),
            last_impulse: vector(1),
            normal_impulse: vector(2),
            last_normal_impulse: vector(3),
            place: vector(4),
            last: array[15] as u64,
            depth: array[16],
            contacts: array[17] as u32,
            last_depth: array[18],
            before: [0, 1].map(motion),
            after: [2, 3].map(motion),
        }
    }
}
