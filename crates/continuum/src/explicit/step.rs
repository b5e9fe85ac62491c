//! One step of all bodies.

use std::time::{Duration, Instant};

use super::StepError;
use super::bodies::Bodies;
use super::books::Books;
use super::contact::Contacts;
use super::step_size::StepSize;

/// Largest number of sweeps over impacts of rigid bodies and multipliers of deformable ones.
const SWEEPS: usize = 50;

/// Bodies and contacts at the present time.
pub(super) struct System {
    pub(super) bodies: Bodies,
    pub(super) contacts: Contacts,
    pub(super) books: Books,
    pub(super) size: StepSize,
    /// t_n \[s\], and n.
    pub(super) time: f64,
    pub(super) steps: u64,
    /// dt_{n−1} and dt_n \[s\].
    pub(super) lengths: [f64; 2],
    /// Wall time in contact so far. No part of a checkpoint.
    pub(super) in_contact: Duration,
}

impl System {
    /// dt̃ = ½ (dt_{n−1} + dt_n) \[s\].
    pub(super) fn dt_mean(&self) -> f64 {
        0.5 * (self.lengths[0] + self.lengths[1])
    }

    /// Computes all forces at t_n, and from them the velocities at t_{n+1/2}.
    ///
    /// * `most` — largest length of the step, at which the run ends \[s\]
    pub(super) fn accelerate(&mut self, most: f64) -> Result<(), StepError> {
        let (time, step) = (self.time, self.steps);
        self.size.update(&mut self.bodies).map_err(|(body, source)| StepError::Sweep {
            time,
            step,
            body,
            source,
        })?;
        self.lengths[1] = self.size.dt.min(most);
        let lengths = [self.dt_mean(), self.lengths[1]];
        self.bodies.compute_forces(time, self.lengths[0], step)?;
        self.bodies.predict(time, lengths[0], lengths[1])?;
        let begin = Instant::now();
        self.contacts.press(&mut self.bodies, lengths);
        self.bodies.settle(time)?;
        self.contacts.correct(&mut self.bodies, time, lengths)?;
        self.step_rigid(lengths)?;
        self.contacts.close(&self.bodies, lengths[0]);
        self.in_contact += begin.elapsed();
        self.bodies.settle(time)?;
        self.books.record(&mut self.bodies, &self.contacts, self.lengths);
        Ok(())
    }

    /// Completes the step of rigid bodies.
    ///
    /// Impacts of rigid bodies follow from the forces of deformable ones, and move surfaces that these touch:
    /// both are found in alternation, a block Gauss-Seidel method, until the velocities that the impacts add
    /// no longer change. Groups of bodies that have settled are left out of a sweep.
    fn step_rigid(&mut self, lengths: [f64; 2]) -> Result<(), StepError> {
        let Self { bodies, contacts, time, .. } = self;
        let Some(rigid) = &mut bodies.rigid else { return Ok(()) };
        if !(rigid.has_pairs() && contacts.has_rigid_rows()) {
            return rigid.step();
        }
        for sweep in 1.. {
            let Some(rigid) = &mut bodies.rigid else { return Ok(()) };
            rigid.try_step(contacts.rigid_bodies(), sweep == 1)?;
            if contacts.follow_impacts(rigid, lengths[1]) {
                return Ok(());
            }
            if sweep == SWEEPS {
                contacts.counts.unsettled += 1;
                return Ok(());
            }
            rigid.take_back();
            contacts.correct_again(bodies, *time, lengths)?;
        }
        Ok(())
    }

    /// Moves all bodies from t_n to t_{n+1}.
    pub(super) fn advance(&mut self) -> Result<(), StepError> {
        self.books.close();
        if let Some(rigid) = &mut self.bodies.rigid {
            rigid.joint_means.end_step(&rigid.system);
        }
        self.bodies.advance(self.time, self.lengths[1], self.dt_mean())?;
        self.time += self.lengths[1];
        self.steps += 1;
        self.lengths[0] = self.lengths[1];
        Ok(())
    }
}
