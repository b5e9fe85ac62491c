//! The joints of a system: their start, their part of a step, and their forces.

use carom_dynamics::{JointAction, JointState};
use nalgebra::Vector3;

use crate::joint::coordinate::Coordinate;
use crate::joint::impulse::JointImpulse;
use crate::joint::repeated::Repeated;
use crate::joint::solver::JointSolver;
use crate::joint::start::{AtRest, Displaced};
use crate::joint::{JointError, JointSpec, Joints, Row};
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;
use crate::stop::Stops;
use crate::system::System;

impl System {
    /// Joins bodies. Motions of joints move the bodies to their first values and give them their first
    /// velocities, by the least changes in the metric of the masses; call [`System::check_overlaps`] then.
    ///
    /// # Errors
    ///
    /// [`JointError`] for an invalid joint, and one that the places or velocities of the bodies break by more
    /// than rounded figures do; these are corrected.
    pub fn join(&mut self, joints: &[JointSpec]) -> Result<(), JointError> {
        self.joints = Joints::new(joints, &self.bodies)?;
        self.impulses.laws.rows.joints = JointSolver::new(&self.joints);
        self.joint_wrenches = vec![[Vector3::zeros(); 2]; self.joints.all.len()];
        let time = self.time();
        let mut repeated = self.at_rest().choose(&self.states)?;
        if self.joints.turn_with_bodies(&repeated, |body| self.bodies[body].fixed) {
            repeated = self.at_rest().choose(&self.states)?;
        }
        self.leave_out(&repeated);
        let mut states = self.states.clone();
        self.displaced = self.at_rest().begin(&mut states)?;
        self.states = states;
        self.leave_out(&repeated);
        self.have_been_put();
        let step = Step {
            bodies: &self.bodies,
            states: &self.states,
            joints: &self.joints,
            gravity: self.gravity,
            time,
            dt: self.dt,
            number: self.steps,
        };
        self.stops = Stops::new(&self.joints, &step)?;
        self.act_on_joints()?;
        self.energies = [self.energy(); 2];
        Ok(())
    }

    /// Closes joints whose bodies have been put elsewhere, by the smallest motion in the metric of the
    /// masses, and changes the velocities by the least amount that they allow.
    ///
    /// # Errors
    ///
    /// [`JointError::Contradiction`] if no such motion is found.
    pub fn close_joints(&mut self) -> Result<(), JointError> {
        if self.joints.is_empty() {
            return Ok(());
        }
        let mut states = self.states.clone();
        self.at_rest().close(&mut states)?;
        self.states = states;
        self.have_been_put();
        Ok(())
    }

    /// Starts steps from the present states.
    fn have_been_put(&mut self) {
        for (stage, state) in self.stages.iter_mut().zip(&self.states) {
            let load = stage.load();
            *stage = Stage::new(state);
            stage.set_load(load, self.steps);
        }
        self.pairs.iter_mut().for_each(|pair| pair.due = 0);
        self.nearby.restart(&self.bodies, (&mut self.pairs, &mut self.reports));
    }

    pub(crate) fn at_rest(&self) -> AtRest<'_> {
        let repeated = &self.impulses.laws.rows.joints.repeated;
        AtRest { joints: &self.joints, bodies: &self.bodies, time: self.time(), repeated }
    }

    /// Leaves out rows of joints, with their values at the present states.
    fn leave_out(&mut self, rows: &[usize]) {
        let values: Vec<_> =
            rows.iter().map(|&row| (row, self.at_rest().value(row, &self.states).0)).collect();
        let solver = &mut self.impulses.laws.rows.joints;
        solver.repeated.set(values.into_iter());
        solver.prepare(&self.joints);
    }

    /// Looks again at rows that were left out if one of them opens.
    pub(crate) fn follow_repeated(&mut self) {
        let mut repeated = std::mem::take(&mut self.impulses.laws.rows.joints.repeated);
        let joints = AtRest {
            joints: &self.joints,
            bodies: &self.bodies,
            time: self.start_of_step,
            repeated: &Repeated::default(),
        };
        let has_changed = repeated.follow(&joints, &self.states);
        let solver = &mut self.impulses.laws.rows.joints;
        solver.repeated = repeated;
        if has_changed {
            solver.prepare(&self.joints);
        }
    }

    /// How motions of joints have changed the places of the bodies before the start.
    pub fn displaced(&self) -> &Displaced {
        &self.displaced
    }

    /// Force of each joint on its second body in the last step, and its torque about the first end, inertial
    /// axes, without springs and stops \[N\], \[N m\].
    pub fn joint_forces(&self) -> impl Iterator<Item = [Vector3<f64>; 2]> + '_ {
        self.joint_wrenches.iter().copied()
    }

    /// Forces of the joints in the last step, with their springs, stops and motions, whose coordinates are
    /// those of the present states.
    pub fn joint_states(&self) -> Vec<JointState> {
        let mut states: Vec<JointState> = self
            .joint_forces()
            .map(|[force, torque]| JointState {
                force: force.into(),
                torque: torque.into(),
                ..JointState::default()
            })
            .collect();
        let lambda = &self.impulses.laws.rows.joints.lambda;
        for (number, joint) in self.joints.all.iter().enumerate() {
            for (k, row) in joint.rows.iter().enumerate() {
                let Row::Driven(motion, coordinate) = *row else { continue };
                let near = self.joints.motions[motion].at(self.time()).value;
                let action = slot(&mut states[number], coordinate);
                (action.value, action.rate) = self.at_rest().along(joint, coordinate, near, &self.states);
                action.drive = Some(lambda[joint.first + k] / self.dt);
            }
        }
        for (number, spring) in self.joint_spring_states() {
            add_wrench(&mut states[number], [spring.force, spring.torque].map(Vector3::from));
            for (own, of_spring) in states[number].actions.iter_mut().zip(spring.actions) {
                let Some(JointAction { value, rate, spring, .. }) = of_spring else { continue };
                let action = own.get_or_insert_default();
                (action.value, action.rate, action.spring) = (value, rate, spring);
            }
        }
        for (number, coordinate, JointAction { value, stop, .. }, wrench) in self.stops.states() {
            add_wrench(&mut states[number], wrench);
            let joint = &self.joints.all[number];
            let (_, rate) = self.at_rest().along(joint, coordinate, value, &self.states);
            let action = slot(&mut states[number], coordinate);
            (action.value, action.rate, action.stop) = (value, rate, stop);
        }
        states
    }

    /// Number of joints and of springs of their own.
    pub(crate) fn n_transmitting(&self) -> usize {
        self.joints.all.len() + self.spring_states().count()
    }

    /// Impulses of joints, then of springs of their own, in the last step; empty unless they are kept.
    pub fn joint_impulses(&self) -> &[JointImpulse] {
        &self.joint_impulses
    }

    /// Keeps the impulses of joints and springs from now on.
    pub fn keep_joint_impulses(&mut self) {
        self.joint_impulses = vec![JointImpulse::default(); self.n_transmitting()];
    }

    /// Starts the sums of impulses of a step.
    #[inline]
    pub(crate) fn forget_joint_impulses(&mut self) {
        self.joint_impulses.fill(JointImpulse::default());
    }

    /// Adds the impulses of a step, or of a part of it.
    #[inline]
    pub(crate) fn add_joint_impulses(&mut self) {
        if self.joint_impulses.is_empty() {
            return;
        }
        let mut sums = std::mem::take(&mut self.joint_impulses);
        let dt = self.dt;
        self.joint_forces().zip(&mut sums).for_each(|(wrench, sum)| sum.add_wrench(wrench, dt));
        let lambda = &self.impulses.laws.rows.joints.lambda;
        for (joint, sum) in self.joints.all.iter().zip(&mut sums) {
            for (k, row) in joint.rows.iter().enumerate() {
                let Row::Driven(_, coordinate) = *row else { continue };
                let drive = Some(lambda[joint.first + k]);
                sum.add_action(
                    coordinate.is_angle().into(),
                    &JointAction { drive, ..JointAction::default() },
                    1.0,
                );
            }
        }
        let alone = self.spring_states().enumerate().map(|(k, state)| (self.joints.all.len() + k, state));
        for (number, spring) in self.joint_spring_states().chain(alone) {
            sums[number].add_wrench([spring.force, spring.torque].map(Vector3::from), dt);
            let actions = spring.actions.iter().enumerate();
            actions.flat_map(|(i, action)| Some((i, action.as_ref()?))).for_each(|(i, action)| {
                sums[number].add_action(i, action, dt);
            });
        }
        for (number, coordinate, action, wrench) in self.stops.states() {
            sums[number].add_wrench(wrench, dt);
            sums[number].add_action(coordinate.is_angle().into(), &action, dt);
        }
        self.joint_impulses = sums;
    }

    /// Largest error of an equation of a joint at the present states, in metres or as the cosine of an angle.
    pub fn joint_error(&self) -> f64 {
        self.at_rest().largest(&self.states)
    }

    /// Joints with equations that repeat those of the joints before them, and how many: steps leave them out,
    /// so that the share of each joint in the reaction is not determined.
    pub fn repeated_equations(&self) -> Vec<(&str, usize)> {
        let repeated = self.at_rest().left_out();
        let name = |joint: usize| self.joints.all[joint].name.as_str();
        repeated.chunk_by(|a, b| a == b).map(|rows| (name(rows[0]), rows.len())).collect()
    }

    /// True if bodies are joined.
    pub fn has_joints(&self) -> bool {
        !self.joints.is_empty()
    }

    /// The motion with the impulses of joints, without contact.
    pub(crate) fn move_joints(&mut self) -> Result<(), Unsolved> {
        if self.joints.is_empty() {
            return Ok(());
        }
        self.follow_repeated();
        let step = Step {
            bodies: &self.bodies,
            states: &self.states,
            joints: &self.joints,
            gravity: self.gravity,
            time: self.start_of_step,
            dt: self.dt,
            number: self.steps,
        };
        let solver = &mut self.impulses.laws.rows.joints;
        for group in 0..self.joints.n_groups {
            solver.choose(&step, |other| other == group);
            for &body in &solver.bodies {
                let stage = &mut self.stages[body];
                (stage.impulse, stage.moment_b) = (Vector3::zeros(), Vector3::zeros());
            }
            solver.solve(&mut self.stages, &step)?;
        }
        self.finish_joined();
        Ok(())
    }

    /// The ends of the step of joined bodies with the impulses that they have. The bounds of their pairs held
    /// for motion without impulses.
    pub(crate) fn finish_joined(&mut self) {
        for body in 0..self.joints.group_of.len() {
            if self.joints.group_of[body].is_some() {
                let (spec, state) = (&self.bodies[body], &self.states[body]);
                self.stages[body].finish(spec, state, &self.gravity, self.dt);
                self.disturb(body);
            }
        }
    }

    /// Records the works and forces of joints, and the impulses of the ground and of fixed bodies.
    pub(crate) fn book_joints(&mut self) {
        let solver = &self.impulses.laws.rows.joints;
        for (number, joint) in self.joints.all.iter().enumerate() {
            let mut work = 0.0;
            let moving = |side: usize| joint.ends[side].body.filter(|&body| !self.bodies[body].fixed);
            for side in 0..2 {
                let Some(body) = moving(side) else { continue };
                let stage = &self.stages[body];
                let [impulse, moment] = solver.impulse_on(joint, side);
                let turned = 0.5 * (stage.omega_old + stage.turn.omega_b);
                work += 0.5 * impulse.dot(&(stage.velocity_old + stage.velocity))
                    + stage.rot_ib.tr_mul(&moment).dot(&turned);
                if moving(1 - side).is_none() {
                    self.books.external_impulse += impulse;
                    self.books.external_ang_impulse += stage.position_mid.cross(&impulse) + moment;
                }
            }
            let of_motions = solver.work_of_motions(joint, self.dt);
            self.books.drive_work += of_motions;
            self.books.joint_work += work - of_motions;
            self.joint_wrenches[number] =
                solver.transmitted(&self.joints, number).map(|impulse| impulse / self.dt);
        }
    }
}

/// The action of a joint along a coordinate: lengths first, then angles.
fn slot(state: &mut JointState, coordinate: Coordinate) -> &mut JointAction {
    state.actions[usize::from(coordinate.is_angle())].get_or_insert_default()
}

fn add_wrench(state: &mut JointState, [force, torque]: [Vector3<f64>; 2]) {
    state.force = (Vector3::from(state.force) + force).into();
    state.torque = (Vector3::from(state.torque) + torque).into();
}
