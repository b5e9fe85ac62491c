//! The state of a run on its way through time: the accepted state, the integrator with the attempt of a step,
//! and a state within the attempt.

use carom_dynamics::{Checkpoint, rotation};
use carom_integrate::{
    Attempt, Controller, Counters, IntegrateError, Integrator, IntegratorKind, IntegratorState, Tolerances,
};

use crate::joint::DRIFT;
use crate::outcome::RunError;
use crate::restart::length;
use crate::scales::Scales;
use crate::settings::Settings;
use crate::system::System;
use crate::system_error::RateError;

/// State, time and integrator of a run.
#[derive(Debug)]
pub(crate) struct Stepper {
    /// State vector at the end of the last accepted step.
    y: Vec<f64>,
    time: f64,
    integrator: Integrator,
    kind: IntegratorKind,
    /// State within the attempt.
    inside: Vec<f64>,
    /// True once poses, velocities or contact were evaluated elsewhere than at the end of the attempt.
    is_elsewhere: bool,
    /// Longest step that resolves the highest dynamic mode \[s\]; without end for implicit integrators, which
    /// need not.
    modal_step: f64,
    /// Largest error of the length of a quaternion that was corrected after a step.
    quaternion_drift: f64,
}

/// The last evaluation of the run while others are made for output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    /// True if it was elsewhere than at the end of the attempt.
    is_elsewhere: bool,
    /// True if all contact models have put theirs aside.
    is_whole: bool,
}

impl Stepper {
    /// Starts at the state y at t = 0, at which the system was evaluated.
    pub(crate) fn new(system: &System, settings: &Settings, y: Vec<f64>) -> Self {
        let accuracy = system.contacts().integrator_share() * settings.relative_tolerance;
        let scales = Scales::new(system, settings.end_time);
        let controlled = scales.tolerances(system, accuracy);
        let kind = settings.integrator;
        let mut tolerances = match settings.time_step {
            Some(_) => Tolerances { newton: Some(controlled.absolute), ..Tolerances::none(y.len()) },
            None => controlled,
        };
        if kind == IntegratorKind::Exponential && settings.time_step.is_none() {
            // Long steps see the loss of ringing modes at few times.
            tolerances.absolute[system.layout().damping()] = accuracy * scales.energy(system);
        }
        let frequency = system.bodies().iter().map(|body| body.highest_frequency()).fold(0.0, f64::max);
        let resolves = frequency > 0.0 && !kind.is_implicit();
        Self {
            integrator: Integrator::new(kind, tolerances),
            kind,
            inside: y.clone(),
            is_elsewhere: false,
            modal_step: if resolves { 0.1 / frequency } else { f64::INFINITY },
            quaternion_drift: 0.0,
            time: 0.0,
            y,
        }
    }

    /// Time reached \[s\].
    pub(crate) fn time(&self) -> f64 {
        self.time
    }

    /// State vector at that time.
    pub(crate) fn state(&self) -> &[f64] {
        &self.y
    }

    /// State vector within the attempt that was evaluated last.
    pub(crate) fn state_within(&self) -> &[f64] {
        &self.inside
    }

    /// Steps, rejected steps, evaluations.
    pub(crate) fn counters(&self) -> Counters {
        self.integrator.counters()
    }

    /// Longest step that resolves the highest dynamic mode \[s\]; without end where the integrator carries
    /// the modes through longer ones.
    ///
    /// * `in_flight` — true if no body touches another
    pub(crate) fn modal_step(&self, in_flight: bool) -> f64 {
        if in_flight && self.kind == IntegratorKind::Exponential { f64::INFINITY } else { self.modal_step }
    }

    /// Upper bound of the next step by error control \[s\]; infinite if it is not known.
    pub(crate) fn most_by_error(&self) -> f64 {
        let next = self.integrator.next_step();
        let is_known = matches!(self.kind, IntegratorKind::RungeKutta(_)) && next > 0.0;
        if is_known { next } else { f64::INFINITY }
    }

    /// Largest error of the length of a quaternion that was corrected after a step.
    pub(crate) fn quaternion_drift(&self) -> f64 {
        self.quaternion_drift
    }

    /// True if poses, velocities and contact were evaluated elsewhere than at the end of the attempt.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// Attempts a step up to `latest`.
    pub(crate) fn attempt(
        &mut self,
        system: &mut System,
        latest: f64,
    ) -> Result<Attempt, IntegrateError<RateError>> {
        self.is_elsewhere = true;
        let attempt = self.integrator.attempt(system, self.time, &self.y, latest)?;
        self.is_elsewhere = !self.kind.ends_at_the_end();
        Ok(attempt)
    }

    /// Prepares states within the attempt.
    pub(crate) fn prepare_dense(&mut self, system: &mut System) -> Result<(), RunError> {
        self.integrator.prepare_dense(system)?;
        Ok(())
    }

    /// [`Stepper::prepare_dense`] for one who evaluates the system at other times than the end next.
    pub(crate) fn leave_end(&mut self, system: &mut System) -> Result<(), RunError> {
        self.prepare_dense(system)?;
        self.is_elsewhere = true;
        Ok(())
    }

    /// Evaluates poses, velocities and contact at a time within the attempt, from the dense output.
    pub(crate) fn evaluate_within(&mut self, system: &mut System, time: f64) -> Result<(), RateError> {
        self.set_within(system, time)?;
        system.evaluate_contacts(&self.inside)
    }

    /// As [`Stepper::evaluate_within`], of the contacts for the reaction of one pair alone.
    pub(crate) fn evaluate_pair_within(
        &mut self,
        system: &mut System,
        pair: usize,
        time: f64,
    ) -> Result<(), RateError> {
        self.set_within(system, time)?;
        system.evaluate_pair(pair, &self.inside)
    }

    /// Evaluates poses and velocities at a time within the attempt, from the dense output.
    pub(crate) fn set_within(&mut self, system: &mut System, time: f64) -> Result<(), RateError> {
        self.integrator.interpolate(time, &mut self.inside);
        self.is_elsewhere = true;
        system.set_state(&self.inside)
    }

    /// Evaluates poses, velocities and contact forces at the end of the attempt, unless that was done last.
    pub(crate) fn return_to_end(&mut self, system: &mut System, attempt: &Attempt) -> Result<(), RunError> {
        if self.is_elsewhere {
            let wrap = |source| at(attempt, source);
            self.set_within(system, attempt.end).map_err(wrap)?;
            system.evaluate_contact_forces(&self.inside).map_err(wrap)?;
        }
        Ok(())
    }

    /// Puts the last evaluation of the run aside until [`Stepper::take_back`]: those in between are for
    /// output alone, and change no bit of the run.
    pub(crate) fn put_aside(&self, system: &mut System) -> Kept {
        Kept { is_elsewhere: self.is_elsewhere, is_whole: system.put_aside() }
    }

    /// [`Stepper::evaluate_within`] for output alone: the contacts start from the memory of the run,
    /// whatever output came before.
    pub(crate) fn evaluate_output(&mut self, system: &mut System, time: f64) -> Result<(), RateError> {
        system.put_aside();
        self.evaluate_within(system, time)
    }

    /// Takes back what [`Stepper::put_aside`] has kept. An evaluation at the end of the attempt goes over to
    /// the accepted state, whose quaternions have the length 1, and other bits: it is not made there anew.
    /// Contact models that put nothing aside repeat it.
    pub(crate) fn take_back(
        &mut self,
        system: &mut System,
        attempt: &Attempt,
        kept: Kept,
    ) -> Result<(), RunError> {
        self.is_elsewhere = kept.is_elsewhere;
        let again = !kept.is_elsewhere && !kept.is_whole;
        if again {
            self.integrator.interpolate(attempt.end, &mut self.inside);
        }
        system.take_back(again.then_some(&self.inside[..])).map_err(|source| at(attempt, source))
    }

    /// Calls `look` with poses, velocities and contact at the accepted state. If they are evaluated for it,
    /// the evaluations of the run stay as they are.
    pub(crate) fn look_at_state<T>(
        &mut self,
        system: &mut System,
        look: impl FnOnce(&mut Self, &mut System) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let was_elsewhere = self.is_elsewhere;
        if was_elsewhere {
            system.put_aside();
        }
        let evaluated = self.evaluate_if_elsewhere(system);
        let found = evaluated.and_then(|()| look(self, system));
        self.is_elsewhere = was_elsewhere;
        let time = self.time;
        let returned = system.take_back(None).map_err(|source| RunError::State { time, source });
        found.and_then(|found| returned.map(|()| found))
    }

    /// The system may have been evaluated at another state: what is read next is evaluated before.
    pub(crate) fn leave(&mut self) {
        self.is_elsewhere = true;
    }

    /// Evaluates poses, velocities and contact at the accepted state.
    pub(crate) fn evaluate(&mut self, system: &mut System) -> Result<(), RunError> {
        self.is_elsewhere = true;
        self.evaluate_if_elsewhere(system)
    }

    /// [`Stepper::evaluate`], unless that was done last.
    pub(crate) fn evaluate_if_elsewhere(&mut self, system: &mut System) -> Result<(), RunError> {
        self.evaluate_forces(system)?;
        let time = self.time;
        system.complete_contacts(&self.y).map_err(|source| RunError::State { time, source })
    }

    /// Evaluates poses, velocities and contact forces at the accepted state, unless that was done last.
    pub(crate) fn evaluate_forces(&mut self, system: &mut System) -> Result<(), RunError> {
        if self.is_elsewhere {
            let time = self.time;
            let wrap = |source| RunError::State { time, source };
            system.set_state(&self.y).map_err(wrap)?;
            system.evaluate_contact_forces(&self.y).map_err(wrap)?;
            self.is_elsewhere = false;
        }
        Ok(())
    }

    /// Evaluates all forces at the accepted state, at which poses, velocities and contact were evaluated.
    pub(crate) fn evaluate_reactions(&mut self, system: &mut System) -> Result<(), RunError> {
        let time = self.time;
        let evaluated = system.evaluate_reactions(time, &self.y);
        evaluated.map_err(|source| RunError::State { time, source })
    }

    /// Evaluates accelerations and the forces of joints at the accepted state, at which poses, velocities and
    /// contact were evaluated.
    pub(crate) fn evaluate_accelerations(&mut self, system: &mut System) -> Result<(), RunError> {
        let time = self.time;
        let evaluated = system.evaluate_accelerations(time, &self.y);
        evaluated.map_err(|source| RunError::State { time, source })
    }

    /// Accepts the attempt; quaternions get the length 1 back, and their known rates along with them, so that
    /// nothing has to be evaluated again. Then projects to the joints.
    pub(crate) fn accept(&mut self, system: &mut System) -> Result<(), RunError> {
        self.time = self.integrator.accept(&mut self.y);
        for i in 0..system.layout().bodies() {
            let start = system.layout().quaternion(i);
            let mut b = [0.0; 4];
            b.copy_from_slice(&self.y[start..start + 4]);
            let length = rotation::norm_squared(&b).sqrt();
            self.quaternion_drift = self.quaternion_drift.max(rotation::normalise(&mut b));
            self.y[start..start + 4].copy_from_slice(&b);
            if let Some(rate) = self.integrator.rate_mut() {
                rate[start..start + 4].iter_mut().for_each(|rate| *rate /= length);
            }
        }
        let time = self.time;
        if self.kind.keeps_constraints() {
            return system.remember(time, &self.y).map_err(|source| RunError::State { time, source });
        }
        let projection =
            system.project(time, &mut self.y, DRIFT).map_err(|source| RunError::Joint { time, source })?;
        if projection.changed {
            self.integrator.state_moved();
            self.is_elsewhere = true;
        }
        Ok(())
    }

    /// The rate has a kink at the accepted state: earlier steps do not lead on.
    pub(crate) fn rate_kinks(&mut self) {
        self.integrator.rate_kinks();
    }

    /// Adds state and integrator to a checkpoint.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        let IntegratorState { controller, memory, .. } = self.integrator.state();
        checkpoint.put_reals("state", &self.y);
        checkpoint.put_reals("controller", &[controller.next_step, controller.last_error]);
        checkpoint.put_reals("integrator", &memory);
    }

    /// Takes the state of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it is that of another system.
    pub(crate) fn restore_state(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        self.time = checkpoint.time;
        let n = self.y.len();
        self.y.copy_from_slice(checkpoint.reals_of("state", n)?);
        Ok(())
    }

    /// Takes the integrator of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it is that of another system or integrator.
    pub(crate) fn restore_integrator(
        &mut self,
        checkpoint: &Checkpoint,
        counters: Counters,
        quaternion_drift: f64,
    ) -> Result<(), RunError> {
        let controller = checkpoint.reals_of("controller", 2)?;
        let memory = checkpoint.reals("integrator")?;
        let known = self.integrator.restore(&IntegratorState {
            controller: Controller { next_step: controller[0], last_error: controller[1] },
            counters,
            memory: memory.to_vec(),
        });
        if !known {
            return Err(length("integrator", memory.len(), self.integrator.state().memory.len()));
        }
        self.quaternion_drift = quaternion_drift;
        self.is_elsewhere = true;
        Ok(())
    }
}

/// The error of an evaluation within an attempt.
pub(crate) fn at(attempt: &Attempt, source: RateError) -> RunError {
    IntegrateError::RightHandSide { time: attempt.start, step: attempt.step(), source }.into()
}
