//! Drives: motions that are prescribed to joints.
//!
//! A drive holds u(x_i, D_i, x_j, D_j) − s(t) = 0 for a [`Coordinate`] u. It is a row like the others, with
//! g_t = −ṡ and −s̈ in the known part of g̈; its reaction works with the power −λ G z = λ g_t on the bodies,
//! which is booked as external work.

use carom_dynamics::{JointEquation, TimeFunction};

use super::row::Row;
use super::{Constraints, Coordinate};
use crate::body::Body;

/// s(t) for the coordinate of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    /// Index of the joint.
    pub joint: usize,
    /// The driven coordinate.
    pub coordinate: Coordinate,
    /// s(t), with two derivatives \[m or rad\].
    pub course: TimeFunction,
}

/// A drive of a joint that does not exist.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("drive {drive} is of joint {joint}, but there are {joints}")]
pub struct DriveError {
    /// Index of the drive.
    pub drive: usize,
    /// Index it names.
    pub joint: usize,
    /// Number of joints.
    pub joints: usize,
}

impl Constraints {
    /// Prescribes motions to the joints. A driven length replaces the constant one of a distance.
    ///
    /// # Errors
    ///
    /// [`DriveError`] if the joint of a drive does not exist.
    pub(crate) fn set_drives(&mut self, drives: Vec<Drive>, bodies: &[Body]) -> Result<(), DriveError> {
        let joints = self.joints.len();
        for (drive, Drive { joint, .. }) in drives.iter().enumerate() {
            if *joint >= joints {
                return Err(DriveError { drive, joint: *joint, joints });
            }
        }
        // After all others, so that an equation that a drive repeats is found at the drive.
        let mut rows = self.rows.clone();
        // A driven distance is not constant.
        let is_driven = |joint: usize| {
            drives.iter().any(|drive| drive.joint == joint && drive.coordinate == Coordinate::Length)
        };
        rows.retain(|&(joint, row)| {
            !(matches!(row, Row::Kept(JointEquation::Length(_))) && is_driven(joint))
        });
        rows.extend(
            drives.iter().enumerate().map(|(k, drive)| (drive.joint, Row::Driven(k, drive.coordinate))),
        );
        self.drives = drives;
        self.set_rows(rows, bodies);
        Ok(())
    }

    /// The first time after `time` at which a drive has a kink, as far as that is known.
    pub(crate) fn next_kink(&self, time: f64) -> f64 {
        self.drives.iter().map(|drive| drive.course.next_kink(time)).fold(f64::INFINITY, f64::min)
    }

    /// Power of the drives on the bodies, −λ G z of their rows \[W\].
    pub(super) fn drive_power(&self) -> f64 {
        let mut power = 0.0;
        for (number, (_, row)) in self.rows.iter().enumerate() {
            if let Row::Driven(..) = row {
                let now = &self.now[number];
                power -= self.multipliers[number] * (now.rate(&self.places) - now.given_rate);
            }
        }
        power
    }

    /// Largest speed that a motion gives to the end of its joint from 0 to `end`, angles times `radius`
    /// \[m/s\].
    pub(crate) fn drive_speed(&self, end: f64, radius: f64) -> f64 {
        const SAMPLES: u32 = 200;
        let mut speed = 0.0_f64;
        for drive in &self.drives {
            let arm = if drive.coordinate.is_angle() { radius } else { 1.0 };
            for i in 0..=SAMPLES {
                let rate = drive.course.at(end * f64::from(i) / f64::from(SAMPLES)).rate;
                speed = speed.max(arm * rate.abs());
            }
        }
        speed
    }
}
