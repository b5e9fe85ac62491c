//! One step: motion without contact, search, impulses, losses.

use carom_dynamics::BodyMotion;
use nalgebra::Vector3;

use crate::body::RigidBody;
use crate::contact::Contact;
use crate::search::{self, Step};
use crate::spring::potential;
use crate::stage::Stage;
use crate::step_error::{StepError, Unsolved};
use crate::system::System;

/// Largest reduced factor of a restitution that is reported: the tolerance of cone problems alone gives
/// some 1 − 1e-7.
const NOTICEABLE: f64 = 1.0 - 1e-6;

impl System {
    /// One step of Simo and Wong with contact by the forward increment.
    ///
    /// # Errors
    ///
    /// [`StepError`] if a body turns too fast or the contacts have no solution; the state is that before the
    /// step.
    #[inline]
    pub fn step(&mut self) -> Result<(), StepError> {
        self.start_of_step = self.time();
        self.impulses.laws.has_left_out = false;
        self.impulses.laws.friction.path.missed = 0.0;
        self.forget_joint_impulses();
        self.advance().or_else(|why| self.advance_in_parts(why)).map_err(|source| self.failed(source))
    }

    /// The error of a step with the names of its bodies.
    #[cold]
    fn failed(&self, source: Unsolved) -> StepError {
        let mut numbers: Vec<usize> = match source {
            Unsolved::Turn { body, .. } => vec![body],
            Unsolved::MotionBeyondStop { .. } | Unsolved::HeldStop { .. } => Vec::new(),
            Unsolved::HeldContact { bodies, .. } => bodies.into_iter().flatten().collect(),
            Unsolved::Squeezed { ref bodies, .. } => bodies.clone(),
            Unsolved::Joints { .. } => self
                .joints
                .all
                .iter()
                .flat_map(|joint| joint.ends.iter().filter_map(|end| end.body))
                .collect(),
            _ => self.contacts.iter().flat_map(|contact| contact.bodies.into_iter().flatten()).collect(),
        };
        numbers.sort_unstable();
        numbers.dedup();
        let bodies = numbers.into_iter().map(|i| self.bodies[i].name.clone()).collect();
        let time = match source {
            Unsolved::MotionBeyondStop { time, .. } => time,
            _ => self.time(),
        };
        StepError { time, bodies, source }
    }

    #[inline]
    pub(crate) fn advance(&mut self) -> Result<(), Unsolved> {
        self.apply_actions();
        self.predict()?;
        self.track_energy();
        self.move_joints()?;
        self.find_contacts();
        self.find_stops()?;
        self.spring_energy = 0.0;
        if !self.contacts.is_empty() {
            self.solve_contacts()?;
            self.book_contacts();
        }
        self.impulses.keep(&self.contacts);
        self.loose = self.loose.with(self.impulses.laws.friction.path.missed);
        self.book_joints();
        self.accept();
        self.follow_stops();
        self.book_actions();
        self.add_joint_impulses();
        Ok(())
    }

    /// The motion of all bodies without contact.
    #[inline]
    fn predict(&mut self) -> Result<(), Unsolved> {
        let motion = self.bodies.iter().zip(&self.states).zip(&mut self.stages).enumerate();
        for (number, ((body, state), stage)) in motion {
            stage
                .predict(body, state, &self.gravity, self.dt)
                .map_err(|too_fast| Unsolved::from((number, too_fast)))?;
        }
        Ok(())
    }

    #[inline]
    fn find_contacts(&mut self) {
        let has_struck = !self.contacts.is_empty();
        self.contacts.clear();
        let lists = (&mut self.pairs, &mut self.reports);
        self.nearby.update(&self.bodies, &self.states, &self.stages, lists, has_struck);
        self.drop_bounds();
        if self.nearby.pairs().iter().all(|&number| self.pairs[number as usize].due > self.steps) {
            return;
        }
        let step = Step {
            bodies: &self.bodies,
            states: &self.states,
            joints: &self.joints,
            gravity: self.gravity,
            time: self.start_of_step,
            dt: self.dt,
            number: self.steps,
        };
        search::search(self.nearby.pairs(), &mut self.pairs, &mut self.stages, &step, &mut self.contacts);
    }

    /// Adds the stops of joints that the motion without contact meets.
    fn find_stops(&mut self) -> Result<(), Unsolved> {
        if self.stops.is_empty() {
            return Ok(());
        }
        let step = Step {
            bodies: &self.bodies,
            states: &self.states,
            joints: &self.joints,
            gravity: self.gravity,
            time: self.start_of_step,
            dt: self.dt,
            number: self.steps,
        };
        self.stops.look(&mut self.stages, &step, &mut self.contacts)
    }

    /// Takes the coordinates of stops at the new states.
    fn follow_stops(&mut self) {
        if self.stops.is_empty() {
            return;
        }
        let step = Step {
            bodies: &self.bodies,
            states: &self.states,
            joints: &self.joints,
            gravity: self.gravity,
            time: self.start_of_step,
            dt: self.dt,
            number: self.steps,
        };
        self.stops.follow(&step);
    }

    /// Impulses of the contacts, and the states of the bodies with them.
    fn solve_contacts(&mut self) -> Result<(), Unsolved> {
        let step = Step {
            bodies: &self.bodies,
            states: &self.states,
            joints: &self.joints,
            gravity: self.gravity,
            time: self.start_of_step,
            dt: self.dt,
            number: self.steps,
        };
        let (contacts, stages) = (&mut self.contacts, &mut self.stages);
        search::set_arms(&mut self.pairs, stages, &step, contacts);
        self.redundant.drop(contacts, self.dt);
        if !self.joints.motions.is_empty() {
            self.pressed.check(contacts, &mut self.pairs, stages, &step, &mut self.impulses.laws)?;
        }
        self.impulses.solve(contacts, stages, &step)?;
        if self.impulses.factor < NOTICEABLE {
            self.limited = self.limited.with(self.impulses.factor);
        }
        let bodies = self.bodies.iter().zip(&self.states);
        for (stage, (body, state)) in stages.iter_mut().zip(bodies).filter(|(stage, _)| stage.touched) {
            stage.finish(body, state, &self.gravity, self.dt);
        }
        self.finish_joined();
        Ok(())
    }

    /// Records dynamic gaps, losses, impulses of fixed bodies, and reports of the pairs.
    fn book_contacts(&mut self) {
        let number = self.steps + 1;
        for i in 0..self.contacts.len() {
            let contact = self.contacts[i];
            if !contact.is_multiplier() {
                self.spring_energy += potential(contact.stiffness, contact.gap_new);
            } else if contact.restitution < 1.0 {
                self.books.d_imp -= contact.work(0);
            }
            self.books.d_fric -= contact.work(1) + contact.work(2);
            match contact.pair {
                Some(pair) => {
                    if !contact.is_multiplier() {
                        let closed = contact.gap_new < 0.0;
                        self.pairs[pair].gaps[contact.slot] =
                            if closed { contact.gap_new } else { f64::INFINITY };
                    }
                    if contact.impulse[0] > 0.0 {
                        self.n_impulses += 1;
                        self.report(pair, &contact, number);
                    }
                }
                None => self.stops.book(&contact, self.dt),
            }
            self.book_outside(&contact);
        }
        if !self.joints.motions.is_empty() {
            self.pressed.keep(&self.contacts);
        }
        // The bounds of pairs of these bodies hold for their motion without impulses.
        for i in 0..self.contacts.len() {
            self.contacts[i].bodies.into_iter().flatten().for_each(|body| self.disturb(body));
        }
    }

    fn report(&mut self, pair: usize, contact: &Contact, number: u64) {
        let report = &mut self.reports[pair];
        let bodies = self.pairs[pair].bodies;
        let motions = |at: fn(&Stage, &RigidBody, &Vector3<f64>) -> BodyMotion| {
            [0, 1].map(|side: usize| {
                let body = bodies[side];
                at(&self.stages[body], &self.bodies[body], &contact.arms[side])
            })
        };
        let impulse = contact.total_impulse();
        if report.last != number {
            report.last = number;
            report.last_impulse = Vector3::zeros();
            report.last_normal_impulse = Vector3::zeros();
            report.contacts = 0;
            report.last_depth = 0.0;
        }
        if impulse.norm_squared() >= report.last_impulse.norm_squared() {
            report.place = self.stages[bodies[0]].position_mid + contact.arms[0];
            report.before = motions(Stage::motion_before);
            report.after = motions(Stage::motion_after);
        }
        let normal = contact.impulse[0] * contact.directions[0];
        report.impulse += impulse;
        report.last_impulse += impulse;
        report.normal_impulse += normal;
        report.last_normal_impulse += normal;
        report.contacts += 1;
        let gap = if contact.is_multiplier() { contact.gap_old } else { contact.gap_new };
        report.last_depth = report.last_depth.max(-gap);
        report.depth = report.depth.max(report.last_depth);
        self.deepest = self.deepest.max(report.depth);
    }

    /// Impulses of fixed bodies on moving ones.
    fn book_outside(&mut self, contact: &Contact) {
        let moves = |side: usize| contact.bodies[side].filter(|&body| !self.bodies[body].fixed);
        for (fixed, moving, sign) in [(1, 0, 1.0), (0, 1, -1.0)] {
            if let (None, Some(body)) = (moves(fixed), moves(moving)) {
                let impulse = sign * contact.total_impulse();
                let center = self.stages[body].position_mid;
                self.books.external_impulse += impulse;
                self.books.external_ang_impulse += center.cross(&impulse) + contact.moment_on(moving);
            }
        }
    }

    /// Accepts the states at the end of the step.
    #[inline]
    fn accept(&mut self) {
        let falls = self.gravity != Vector3::zeros();
        for ((state, stage), body) in self.states.iter_mut().zip(&self.stages).zip(&self.bodies) {
            if body.fixed {
                continue;
            }
            if falls {
                let impulse = (body.mass * self.dt) * self.gravity;
                self.books.external_impulse += impulse;
                self.books.external_ang_impulse += stage.position_mid.cross(&impulse);
            }
            if stage.is_loaded {
                let [impulse, moment] = stage.load().map(|load| self.dt * load);
                self.books.load_work += stage.load_work(self.dt);
                self.books.load_impulse += impulse;
                self.books.load_ang_impulse += stage.position_mid.cross(&impulse) + moment;
            }
            *state = stage.next;
        }
        self.steps += 1;
    }

    /// Extremes of the energy at the start of the step; the motion without contact has computed its kinetic
    /// part.
    #[inline]
    fn track_energy(&mut self) {
        let mut energy = self.spring_energy + self.books.d_imp + self.books.d_fric + self.stops.damping
            - self.books.joint_work
            - self.books.drive_work
            - self.books.load_work;
        let falls = self.gravity != Vector3::zeros();
        for ((state, stage), body) in self.states.iter().zip(&self.stages).zip(&self.bodies) {
            if !body.fixed {
                energy += stage.kinetic;
                if falls {
                    energy -= body.mass * self.gravity.dot(&state.position);
                }
            }
        }
        self.energies = [self.energies[0].min(energy), self.energies[1].max(energy)];
    }
}
