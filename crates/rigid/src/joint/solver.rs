//! Impulses of joints in a step.
//!
//! The impulses act in the middle of the step, where those of contacts do: with the place x_n + dt/2 v_n of
//! each body and the orientation half-way between both ends of the step. They are those for which the
//! equations of the joints hold at the end of the step,
//!
//! ```text
//! g(x_{n+1}, A_{n+1}) = 0,    p_{n+1} = p_n + … + Σ λ d,    s_{n+1} = s_n + … + Σ λ (P − x_n − dt/2 v_n) × d
//! ```
//!
//! found by Newton's method with the derivative dt/2 G_{n+1} M⁻¹ G_midᵀ (the derivatives of the directions
//! and of the orientation half-way are left out: they are smaller by an angle of a step), by blocks of bodies
//! and joints (`factors`). Equations that repeat others at the start are left out (`repeated`); in singular
//! positions, where the blocks have no solution, complete pivoting leaves out more.
//!
//! The equations are those of the motion within the step: from rounded places, differences over a short step
//! would be large velocities. An error that rounding has left decays by a part in each step.
//!
//! A step and its reverse are the same, so that the energy has an error of second order without a drift.

use carom_dynamics::rotation;
use nalgebra::{Matrix3, Vector3};

use super::coordinate::way;
use super::factors::{Factors, Pair, Parts, Touching};
use super::repeated::Repeated;
use super::start::size;
use super::{Given, Joint, JointEnd, Joints, Place, Row, RowNow};
use crate::elimination;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

const MAX_ITERATIONS: usize = 40;

/// Error of an equation, relative to the motion of the ends in the step, that counts as round-off; and the
/// same where Newton's method stagnates.
const ROUND_OFF: f64 = f64::EPSILON;
const SMALL: f64 = 1e-12;

/// Part of the error of an equation at the start of a step that the step removes.
const REMOVED: f64 = 0.05;

/// Impulses of all joints with the memory of their solution.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointSolver {
    /// λ of each row; those of the last step are the first guess of the next one \[N s or N m s\].
    pub(crate) lambda: Vec<f64>,
    /// The rows in the middle of the step.
    pub(crate) rows: Vec<RowNow>,
    /// The motions that rows follow in the step.
    given: Vec<Given>,
    /// Rows that repeat others and are left out.
    pub(crate) repeated: Repeated,
    /// First end of each joint in the middle of the step, and the point about which its moments are \[m\].
    firsts: Vec<[Vector3<f64>; 2]>,
    /// Joints of the present problem, their rows (number of the joint, and of the row among all), and their
    /// moving bodies.
    active: Vec<usize>,
    own: Vec<(usize, usize)>,
    pub(crate) bodies: Vec<usize>,
    /// Impulse and moment on each of these bodies without joints.
    others: Vec<[Vector3<f64>; 2]>,
    /// The rows at the end of the step, and their values at its start.
    ends: Vec<RowNow>,
    starts: Vec<f64>,
    /// Factors of each group of joints, how often they were prepared, and the groups of the present problem.
    factors: Vec<Factors>,
    pub(crate) prepared: usize,
    groups: Vec<usize>,
    /// True if the last solution was in a singular position.
    is_singular: bool,
    /// λ before the solution.
    first_guess: Vec<f64>,
    matrix: Vec<f64>,
    small: Vec<f64>,
    values: Vec<f64>,
    columns: Vec<usize>,
    scale: Vec<f64>,
}

impl JointSolver {
    pub(crate) fn new(joints: &Joints) -> Self {
        let n = joints.n_rows;
        Self {
            lambda: vec![0.0; n],
            rows: vec![RowNow::default(); n],
            given: vec![Given::default(); n],
            repeated: Repeated::new(n),
            firsts: vec![[Vector3::zeros(); 2]; joints.all.len()],
            own: Vec::with_capacity(n),
            ends: vec![RowNow::default(); n],
            starts: vec![0.0; n],
            first_guess: vec![0.0; n],
            groups: Vec::with_capacity(joints.n_groups),
            values: Vec::with_capacity(n),
            columns: Vec::with_capacity(n),
            scale: Vec::with_capacity(n),
            ..Self::default()
        }
    }

    /// Prepares the factors of all groups for the rows that are not left out.
    pub(crate) fn prepare(&mut self, joints: &Joints) {
        let of = |group| Factors::of_group(joints, group, &self.repeated);
        self.factors = (0..joints.n_groups).map(of).collect();
        self.prepared += 1;
    }

    /// Makes the joints of some groups the present problem.
    pub(crate) fn choose(&mut self, step: &Step<'_>, has: impl Fn(usize) -> bool) {
        self.active.clear();
        self.own.clear();
        self.bodies.clear();
        let joints = step.joints;
        self.groups.clear();
        self.groups.extend((0..joints.n_groups).filter(|&group| has(group)));
        for (number, joint) in joints.all.iter().enumerate().filter(|(_, joint)| has(joint.group)) {
            self.active.push(number);
            let rows = joint.first..joint.first + joint.rows.len();
            let kept = rows.filter(|&row| !self.repeated.has(row));
            self.own.extend(kept.map(|row| (number, row)));
        }
        let groups = joints.group_of.iter().enumerate();
        self.bodies.extend(groups.filter(|(_, group)| group.is_some_and(&has)).map(|(body, _)| body));
    }

    /// True if the present problem has joints.
    pub(crate) fn is_active(&self) -> bool {
        !self.active.is_empty()
    }

    /// Adds the impulses of joints to those that the bodies have, so that the joints are closed at the end.
    pub(crate) fn solve(&mut self, stages: &mut [Stage], step: &Step<'_>) -> Result<(), Unsolved> {
        self.others.clear();
        self.others.extend(self.bodies.iter().map(|&body| [stages[body].impulse, stages[body].moment_b]));
        self.look_at_starts(step);
        self.first_guess.clone_from(&self.lambda);
        self.is_singular = false;
        self.iterate(stages, step).or_else(|_| {
            // Near a singular position rows depend on each other that are not left out.
            self.lambda.clone_from(&self.first_guess);
            self.is_singular = true;
            self.iterate(stages, step)
        })
    }

    /// Newton's method.
    fn iterate(&mut self, stages: &mut [Stage], step: &Step<'_>) -> Result<(), Unsolved> {
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.apply(stages, step)?;
            let [relative, missed] = self.look_at_ends(stages, step);
            if relative <= ROUND_OFF || missed >= 0.5 * last && missed <= SMALL {
                return Ok(());
            }
            if !missed.is_finite() {
                break;
            }
            last = missed;
            if !self.correct(stages, step) {
                break;
            }
        }
        Err(Unsolved::Joints { joints: self.active.len(), missed: last })
    }

    /// Impulses in the middle of the step, and the motion with them.
    fn apply(&mut self, stages: &mut [Stage], step: &Step<'_>) -> Result<(), Unsolved> {
        for (&body, [impulse, moment_b]) in self.bodies.iter().zip(&self.others) {
            (stages[body].impulse, stages[body].moment_b) = (*impulse, *moment_b);
        }
        for &number in &self.active {
            let joint = &step.joints.all[number];
            let [first, second] = places(joint, step, |end, body| at_middle(end, &stages[body], body, step));
            self.firsts[number] = [first.position, first.center];
            for (k, row) in joint.rows.iter().enumerate() {
                let now = row.at(&first, &second, Given::default());
                self.rows[joint.first + k] = now;
                let lambda = self.lambda[joint.first + k];
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let Some(body) = joint.ends[side].body.filter(|&body| !step.bodies[body].fixed) else {
                        continue;
                    };
                    let stage = &mut stages[body];
                    stage.impulse += (sign * lambda) * now.direction;
                    stage.moment_b += lambda * stage.rot_ib.tr_mul(&now.moments[side]);
                }
            }
        }
        for &body in &self.bodies {
            stages[body].respond(&step.bodies[body], &step.gravity, step.dt).map_err(|e| (body, e))?;
        }
        Ok(())
    }

    /// The values of the rows at the start of the step.
    fn look_at_starts(&mut self, step: &Step<'_>) {
        for &number in &self.active {
            let joint = &step.joints.all[number];
            let [first, second] = places(joint, step, |end, body| {
                let state = &step.states[body];
                end.place(&state.position, &rotation::matrix(&state.quaternion))
            });
            for (k, row) in joint.rows.iter().enumerate() {
                let given = match *row {
                    Row::Kept(_) => Given::default(),
                    Row::Driven(motion, _) => {
                        let motion = &step.joints.motions[motion];
                        let value = motion.at(step.time).value;
                        Given { value, change: way(motion, step.time, step.dt) }
                    }
                };
                self.given[joint.first + k] = given;
                self.starts[joint.first + k] = row.at(&first, &second, given).value;
            }
        }
    }

    /// The rows at the end of the step; returns the largest error relative to the motion of the ends in the
    /// step, and the same with a motion of round-off in addition.
    fn look_at_ends(&mut self, stages: &[Stage], step: &Step<'_>) -> [f64; 2] {
        let mut largest = [0.0_f64; 2];
        for &number in &self.active {
            let joint = &step.joints.all[number];
            let [first, second] = places(joint, step, |end, body| at_end(end, &stages[body], body, step));
            let moved = motion(joint, stages, step);
            let sizes = [size(joint, &first, &second), 1.0];
            for (k, row) in joint.rows.iter().enumerate() {
                let number = joint.first + k;
                if self.repeated.has(number) {
                    continue;
                }
                let mut now = row.at(&first, &second, self.given[number]);
                now.change += REMOVED * self.starts[number];
                let kind = usize::from(!row.is_length());
                let error = now.change.abs();
                if error.is_nan() {
                    return [f64::NAN; 2];
                }
                if error > 0.0 {
                    let rounded = f64::EPSILON / SMALL * sizes[kind];
                    largest = [
                        largest[0].max(error / moved[kind].max(f64::MIN_POSITIVE)),
                        largest[1].max(error / (moved[kind] + rounded)),
                    ];
                }
                self.ends[number] = now;
            }
        }
        largest
    }

    /// A step of Newton's method; false if it leads nowhere.
    fn correct(&mut self, stages: &[Stage], step: &Step<'_>) -> bool {
        if !self.is_singular {
            self.factorise(stages, step);
            let Self { factors, groups, lambda, ends, .. } = self;
            let rate = |row: usize| -2.0 / step.dt * ends[row].change;
            return groups.iter().all(|&group| factors[group].add_impulses(rate, lambda));
        }
        self.set_matrix(stages, step);
        self.values.clear();
        self.values.extend(self.own.iter().map(|&(_, row)| -2.0 / step.dt * self.ends[row].change));
        self.solve_matrix();
        for (&(_, row), change) in self.own.iter().zip(&self.values) {
            self.lambda[row] += change;
        }
        true
    }

    /// Factors of the groups of the present problem at the last evaluation of the rows.
    pub(crate) fn factorise(&mut self, stages: &[Stage], step: &Step<'_>) {
        let Self { factors, groups, rows, ends, .. } = self;
        let of_joints = (rows.as_slice(), ends.as_slice());
        groups.iter().for_each(|&group| {
            factors[group].factorise(of_joints, Touching::default(), stages, step);
        });
    }

    /// True if the factors of the last solution are regular.
    pub(crate) fn has_factors(&self) -> bool {
        self.is_active() && !self.is_singular
    }

    /// Room for the factors of bodies with the joints of the present problem and contacts.
    ///
    /// * `bodies` — those that move, ascending
    /// * `contacts` — bodies of each contact that move
    pub(crate) fn with_contacts(
        &self,
        joints: &Joints,
        bodies: Vec<usize>,
        contacts: &[[Option<usize>; 2]],
        per_contact: usize,
    ) -> Factors {
        let parts = Parts { bodies, joints: self.active.clone(), contacts, per_contact };
        Factors::new(joints, parts, &self.repeated)
    }

    /// The rows of all joints in the middle and at the end of the step, at the last evaluation.
    pub(crate) fn rows_now(&self) -> (&[RowNow], &[RowNow]) {
        (&self.rows, &self.ends)
    }

    /// True if the last solution was in a singular position, where blocks have no solution.
    pub(crate) fn is_singular(&self) -> bool {
        self.is_active() && self.is_singular
    }

    /// The velocities of all bodies by impulses and moments on some, with the joints held; bodies that do not
    /// move are left out.
    ///
    /// * `loads` — bodies with impulses and moments, the latter in the axes of the body
    pub(crate) fn respond(
        &mut self,
        loads: &[(usize, Pair)],
        stages: &[Stage],
        step: &Step<'_>,
        mut take: impl FnMut(usize, Pair),
    ) {
        let group_of = |body: usize| step.joints.group_of[body];
        for (k, &(body, [impulse, moment])) in loads.iter().enumerate() {
            match group_of(body) {
                None => take(body, [impulse / step.bodies[body].mass, stages[body].d_omega * moment]),
                // Once for each group.
                Some(group) if loads[..k].iter().all(|(other, _)| group_of(*other) != Some(group)) => {
                    let own = |load: &(usize, Pair)| group_of(load.0) == Some(group);
                    let first = loads.iter().position(own).unwrap_or(k);
                    let last = loads.iter().rposition(own).unwrap_or(k);
                    self.factors[group].respond(&loads[first..=last], stages, step, &mut take);
                }
                Some(_) => {}
            }
        }
    }

    /// G_end M⁻¹ G_midᵀ.
    fn set_matrix(&mut self, stages: &[Stage], step: &Step<'_>) {
        let n = self.own.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for (i, &(a, row)) in self.own.iter().enumerate() {
            let of_row = (&step.joints.all[a], &self.ends[row]);
            for (j, &(b, column)) in self.own.iter().enumerate() {
                let of_column = (&step.joints.all[b], &self.rows[column]);
                self.matrix[i * n + j] = coupling(of_row, of_column, stages, step);
            }
        }
    }

    /// Solves with the matrix, whose rows and columns are scaled by the roots of its diagonal.
    fn solve_matrix(&mut self) {
        let n = self.own.len();
        let (matrix, scale) = (&self.matrix, &mut self.scale);
        scale.clear();
        scale.extend((0..n).map(|i| 1.0 / matrix[i * n + i].abs().sqrt().max(f64::MIN_POSITIVE)));
        self.small.clear();
        self.small.extend((0..n * n).map(|k| matrix[k] * scale[k / n] * scale[k % n]));
        self.values.iter_mut().zip(&*scale).for_each(|(value, s)| *value *= s);
        elimination::solve(&mut self.small, &mut self.values, &mut self.columns);
        self.values.iter_mut().zip(&*scale).for_each(|(value, s)| *value *= s);
    }

    /// The part of ∂u/∂r of other rows that goes through the joints: −C K⁻¹ B with K = G M⁻¹ Gᵀ, where C has
    /// the velocities of these rows by joint impulses and B the rates of the joints by impulses of these
    /// rows.
    ///
    /// * `row` — calls its argument with body, direction and moment in body axes of each side of a row
    pub(crate) fn add_mobility(
        &mut self,
        mobility: &mut [f64],
        n: usize,
        row: impl Fn(usize, &mut dyn FnMut(usize, Vector3<f64>, Vector3<f64>)),
        stages: &[Stage],
        step: &Step<'_>,
    ) {
        self.set_matrix(stages, step);
        for j in 0..n {
            self.values.clear();
            for &(number, own) in &self.own {
                let of_joint = (&step.joints.all[number], &self.ends[own]);
                let mut rate = 0.0;
                row(j, &mut |body, direction, moment_b| {
                    rate += rate_by(of_joint, body, (&direction, &moment_b), stages, step);
                });
                self.values.push(rate);
            }
            self.solve_matrix();
            for i in 0..n {
                let mut sum = 0.0;
                row(i, &mut |body, direction, moment_b| {
                    if step.bodies[body].fixed {
                        return;
                    }
                    let turned = stages[body].d_omega.tr_mul(&moment_b);
                    for (place, &(number, row)) in self.own.iter().enumerate() {
                        let (joint, now) = (&step.joints.all[number], &self.rows[row]);
                        for (side, sign) in [(0, 1.0), (1, -1.0)] {
                            if joint.ends[side].body == Some(body) {
                                let by_impulse =
                                    sign * direction.dot(&now.direction) / step.bodies[body].mass;
                                let moment = stages[body].rot_ib.tr_mul(&now.moments[side]);
                                sum += self.values[place] * (by_impulse + turned.dot(&moment));
                            }
                        }
                    }
                });
                mobility[i * n + j] -= sum;
            }
        }
    }

    /// The impulse of a joint on one of its bodies, and its moment about the centre of the body, inertial
    /// axes \[N s\], \[N m s\].
    pub(crate) fn impulse_on(&self, joint: &Joint, side: usize) -> [Vector3<f64>; 2] {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let own = joint.first..joint.first + joint.rows.len();
        own.fold([Vector3::zeros(); 2], |[impulse, moment], row| {
            let (now, lambda) = (&self.rows[row], self.lambda[row]);
            [impulse + (sign * lambda) * now.direction, moment + lambda * now.moments[side]]
        })
    }

    /// Work of the motions of a joint: λ Δs/dt \[J\].
    pub(crate) fn work_of_motions(&self, joint: &Joint, dt: f64) -> f64 {
        let rows = joint.first..joint.first + joint.rows.len();
        rows.map(|row| self.lambda[row] * self.given[row].change / dt).sum()
    }

    /// The impulse of a joint on its second body, and its moment about the first end, inertial axes \[N s\],
    /// \[N m s\].
    pub(crate) fn transmitted(&self, joints: &Joints, number: usize) -> [Vector3<f64>; 2] {
        let [impulse, moment] = self.impulse_on(&joints.all[number], 0);
        let [end, center] = self.firsts[number];
        [-impulse, -(moment + (center - end).cross(&impulse))]
    }
}

/// Σ over shared bodies of d_i·d_j/m + m_i·dω/ds m_j.
pub(super) fn coupling(
    (of_row, row): (&Joint, &RowNow),
    (of_column, column): (&Joint, &RowNow),
    stages: &[Stage],
    step: &Step<'_>,
) -> f64 {
    let mut sum = 0.0;
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let Some(body) = of_column.ends[side].body else { continue };
        let moment_b = stages[body].rot_ib.tr_mul(&column.moments[side]);
        sum += rate_by((of_row, row), body, (&(sign * column.direction), &moment_b), stages, step);
    }
    sum
}

/// Rate of a row at the end of the step by an impulse on a body.
fn rate_by(
    (joint, row): (&Joint, &RowNow),
    body: usize,
    (impulse, moment_b): (&Vector3<f64>, &Vector3<f64>),
    stages: &[Stage],
    step: &Step<'_>,
) -> f64 {
    if step.bodies[body].fixed {
        return 0.0;
    }
    let mut sum = 0.0;
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        if joint.ends[side].body == Some(body) {
            let stage = &stages[body];
            // A change of the rotation of the step turns the body by it in the axes half-way.
            let turned = half_way(stage, body, step) * (stage.d_omega * moment_b);
            sum +=
                sign * row.direction.dot(impulse) / step.bodies[body].mass + row.moments[side].dot(&turned);
        }
    }
    sum
}

/// Places of both ends of a joint.
///
/// * `at` — of an end on a body
pub(crate) fn places(joint: &Joint, step: &Step<'_>, at: impl Fn(&JointEnd, usize) -> Place) -> [Place; 2] {
    joint.ends.each_ref().map(|end| match end.body {
        Some(body) => Place { stays: step.bodies[body].fixed, ..at(end, body) },
        None => end.on_ground(),
    })
}

/// A half-way orientation, that of the sum of both quaternions.
pub(super) fn half_way(stage: &Stage, body: usize, step: &Step<'_>) -> Matrix3<f64> {
    let (a, b) = (&step.states[body].quaternion, &stage.turn.turned(&step.states[body].quaternion));
    rotation::matrix(&std::array::from_fn(|i| a[i] + b[i]))
}

/// Where impulses act.
pub(crate) fn at_middle(end: &JointEnd, stage: &Stage, body: usize, step: &Step<'_>) -> Place {
    let state = &step.states[body];
    match step.bodies[body].fixed {
        true => end.place(&state.position, &rotation::matrix(&state.quaternion)),
        false => end.place(&stage.position_mid, &half_way(stage, body, step)),
    }
}

/// The end of the step, with the motion in it.
pub(crate) fn at_end(end: &JointEnd, stage: &Stage, body: usize, step: &Step<'_>) -> Place {
    let state = &step.states[body];
    if step.bodies[body].fixed {
        return end.place(&state.position, &rotation::matrix(&state.quaternion));
    }
    let moved = 0.5 * step.dt * (stage.velocity_old + stage.velocity);
    // Exp(Θ) − E = (τ̃ + τ̃²/2)/(1 + τ²/4) with τ = k Θ, eq. (70) of docs/theory/rigid.md.
    let tau = stage.turn.cayley * stage.turn.theta_b;
    let skew = rotation::skew(&tau);
    let turned = stage.rot_ib * ((skew + 0.5 * skew * skew) / (1.0 + 0.25 * tau.norm_squared()));
    let place =
        end.place(&(state.position + moved), &rotation::matrix(&stage.turn.turned(&state.quaternion)));
    Place { moved: moved + turned * end.point, turned: turned * end.triad, ..place }
}

/// The ways of the ends of a joint in the step, and the angles by which they turn \[m\], \[rad\].
fn motion(joint: &Joint, stages: &[Stage], step: &Step<'_>) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for end in &joint.ends {
        let Some(body) = end.body.filter(|&body| !step.bodies[body].fixed) else { continue };
        let stage = &stages[body];
        let turned = 0.5 * step.dt * (stage.omega_old.norm() + stage.turn.omega_b.norm());
        let moved = 0.5 * step.dt * (stage.velocity_old.norm() + stage.velocity.norm());
        sums[0] += moved + turned * end.point.norm();
        sums[1] += turned;
    }
    sums
}
