//! Contacts of one step as rows: directions of the impulses, and the velocities along them.

mod blocks;

use nalgebra::Vector3;

use crate::crowd::Key;
use crate::joint::solver::JointSolver;
use crate::search::Step;
use crate::spring;
use crate::stage::Stage;
use crate::step_error::Unsolved;
use blocks::ContactBlocks;

/// A point that touches a surface in this step, or a stop of a joint that is met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contact {
    /// Number of the pair; of a stop none, and its number is that of the slot.
    pub(crate) pair: Option<usize>,
    /// The place of the pair in the order of all pairs.
    pub(crate) key: Key,
    /// Point and sheet within the pair.
    pub(crate) slot: usize,
    /// Where a moving point is at the end of the motion without contact.
    pub(crate) xi: [f64; 2],
    /// Body with the point, body with the surface; none for the ground, which stops may have.
    pub(crate) bodies: [Option<usize>; 2],
    /// n, into the free side, and two tangents; inertial axes. n of the stop of an angle is 0.
    pub(crate) directions: [Vector3<f64>; 3],
    /// The couple that acts with an impulse along n on the first body, and against the second, of the stop of
    /// an angle; 0 otherwise \[m\].
    pub(crate) couple: Vector3<f64>,
    /// From x_n + dt/2 v_n of either body to the point where the impulse acts, inertial axes \[m\].
    pub(crate) arms: [Vector3<f64>; 2],
    /// Gap at the start: the depth of an earlier contact, or the dynamic gap \[m\].
    pub(crate) gap_old: f64,
    /// Gap at the end of the motion without contact; after the step the dynamic gap of a penalty \[m\].
    pub(crate) gap_new: f64,
    pub(crate) restitution: f64,
    /// Multipliers with e < 1: the velocity with which a lasting contact closes its gap, less the rate of
    /// the gap at the start, see `law` \[m/s\].
    pub(crate) lasting: f64,
    /// The part of it that lifts the contact from below the surface \[m/s\].
    pub(crate) rising: f64,
    /// True if the pair has a restitution below one, so that bodies may come to rest on it.
    pub(crate) rests: bool,
    pub(crate) friction: f64,
    /// k, 0 for multipliers \[N/m\].
    pub(crate) stiffness: f64,
    /// β of the factor 1 − β ġ of a spring \[s/m\].
    pub(crate) damping: f64,
    /// Impulse on the body with the point along its directions \[N s\].
    pub(crate) impulse: [f64; 3],
    /// Relative velocity along its directions before and after \[m/s\].
    pub(crate) before: [f64; 3],
    pub(crate) after: [f64; 3],
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            pair: None,
            key: [0; 3],
            slot: 0,
            xi: [0.0; 2],
            bodies: [None; 2],
            directions: [Vector3::zeros(); 3],
            couple: Vector3::zeros(),
            arms: [Vector3::zeros(); 2],
            gap_old: 0.0,
            gap_new: 0.0,
            restitution: 1.0,
            lasting: 0.0,
            rising: 0.0,
            rests: false,
            friction: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            impulse: [0.0; 3],
            before: [0.0; 3],
            after: [0.0; 3],
        }
    }
}

impl Contact {
    /// n with two tangents.
    pub(crate) fn set_normal(&mut self, normal: Vector3<f64>) {
        let t = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        self.directions = [normal, t, normal.cross(&t)];
    }

    /// True for a contact with multipliers, false for one with a spring.
    pub(crate) fn is_multiplier(&self) -> bool {
        self.stiffness == 0.0
    }

    /// True for a multiplier that closes the gap of a lasting contact.
    pub(crate) fn has_lasting(&self) -> bool {
        self.is_multiplier() && self.restitution < 1.0
    }

    /// Dynamic gap at the end of the step with normal velocities u₋ and u₊: g_n + dt (u₋ + u₊)/2 \[m\].
    pub(crate) fn gap_at_end(&self, before: f64, after: f64, dt: f64) -> f64 {
        self.gap_old + 0.5 * dt * (before + after)
    }

    /// Work of its impulse along one direction, r (u₋ + u₊)/2, which is exactly the change of the kinetic
    /// energy \[J\].
    pub(crate) fn work(&self, direction: usize) -> f64 {
        0.5 * self.impulse[direction] * (self.before[direction] + self.after[direction])
    }

    /// Sum of the speeds of both bodies at the contact at the start, the scale of the rounding errors of
    /// its velocities \[m/s\].
    pub(crate) fn speed(&self, stages: &[Stage]) -> f64 {
        let of = |side: usize| {
            let Some(body) = self.bodies[side] else { return 0.0 };
            let stage = &stages[body];
            let arm = self.arms[side].norm() + self.couple.norm();
            stage.velocity_old.norm() + stage.omega_old.norm() * arm
        };
        of(0) + of(1)
    }

    /// The force of its spring with the velocities u₋ and u₊, and the derivative by the gap at the end.
    pub(crate) fn spring_force(&self, before: f64, after: f64, dt: f64) -> (f64, f64) {
        let new = self.gap_at_end(before, after, dt);
        spring::damped_force((self.stiffness, self.damping / dt), self.gap_old, new)
    }

    /// Impulse on the body with the point, inertial axes \[N s\].
    pub(crate) fn total_impulse(&self) -> Vector3<f64> {
        (0..3).map(|k| self.impulse[k] * self.directions[k]).sum()
    }

    /// Moment of the impulse on one of its bodies about the centre of that \[N m s\].
    pub(crate) fn moment_on(&self, side: usize) -> Vector3<f64> {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        sign * (self.arms[side].cross(&self.total_impulse()) + self.impulse[0] * self.couple)
    }
}

/// One direction of a contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) bodies: [Option<usize>; 2],
    pub(crate) direction: Vector3<f64>,
    /// A_nᵀ (c × d) of both bodies, the second with the opposite sign.
    pub(crate) moments_b: [Vector3<f64>; 2],
}

/// The rows of a step with their impulses, velocities and mobility.
///
/// ```text
/// u₋ = d·(v_n + ω_n × c)_s − …_m,   u₊ = d·(v_{n+1} + Λᵀ ω_{n+1} × c)_s − …_m,
/// T_{n+1} − T_n = Σ r (u₋ + u₊)/2
/// ```
///
/// # Source
///
/// Zywicz & Puso (1999), eqs. (55) to (58); (51) there is twice the kinetic energy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// Bodies of the rows.
    bodies: Vec<usize>,
    /// True if problems are solved by blocks of bodies and contacts; and these.
    pub(crate) by_blocks: bool,
    blocks: ContactBlocks,
    /// Directions of a contact: 1 without friction, 3 with it.
    pub(crate) per_contact: usize,
    /// u₋.
    pub(crate) before: Vec<f64>,
    /// u₊ with the impulses.
    pub(crate) after: Vec<f64>,
    /// r \[N s\].
    pub(crate) impulse: Vec<f64>,
    /// ∂u₊/∂r, row by row, as [`Rows::set_mobility`] has found it last \[1/kg\].
    pub(crate) mobility: Vec<f64>,
    /// Velocities of each body by one impulse.
    responses: Vec<[Vector3<f64>; 2]>,
    /// The joints of the bodies, whose impulses follow from those of the rows.
    pub(crate) joints: JointSolver,
}

impl Rows {
    /// Makes room for n rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.rows.reserve(n);
        self.bodies.reserve(2 * n);
        for list in [&mut self.before, &mut self.after, &mut self.impulse] {
            list.reserve(n);
        }
        self.mobility.reserve(n * n);
    }

    /// Rows of contacts without impulses.
    pub(crate) fn set(
        &mut self,
        contacts: &[Contact],
        per_contact: usize,
        stages: &[Stage],
        step: &Step<'_>,
    ) {
        self.rows.clear();
        self.bodies.clear();
        self.before.clear();
        self.per_contact = per_contact;
        for contact in contacts {
            for body in contact.bodies.into_iter().flatten() {
                if !self.bodies.contains(&body) {
                    self.bodies.push(body);
                }
            }
            for (k, direction) in contact.directions[..per_contact].iter().enumerate() {
                let couple = if k == 0 { contact.couple } else { Vector3::zeros() };
                let moment = |side: usize, sign: f64| {
                    let Some(body) = contact.bodies[side] else { return Vector3::zeros() };
                    let moment = contact.arms[side].cross(direction) + couple;
                    sign * stages[body].rot_ib.tr_mul(&moment)
                };
                let moments_b = [moment(0, 1.0), moment(1, -1.0)];
                let row = Row { bodies: contact.bodies, direction: *direction, moments_b };
                self.before.push(row.velocity(stages, |s| (s.velocity_old, s.omega_old)));
                self.rows.push(row);
            }
        }
        self.choose_joints(step);
        let n = self.rows.len();
        for vector in [&mut self.after, &mut self.impulse] {
            vector.clear();
            vector.resize(n, 0.0);
        }
    }

    /// The joints of the bodies of the rows; all bodies of these joints are bodies of the rows.
    fn choose_joints(&mut self, step: &Step<'_>) {
        if step.joints.is_empty() {
            return;
        }
        let Self { bodies, joints, .. } = self;
        let group_of = &step.joints.group_of;
        joints.choose(step, |group| bodies.iter().any(|&body| group_of[body] == Some(group)));
        for body in &joints.bodies {
            if !bodies.contains(body) {
                bodies.push(*body);
            }
        }
    }

    /// Energy that gravity gives to their bodies from rest in a step, Σ m (g dt)²/2 \[J\].
    pub(crate) fn work_of_loads(&self, step: &Step<'_>) -> f64 {
        let moving = self.bodies.iter().map(|&body| &step.bodies[body]).filter(|body| !body.fixed);
        0.5 * (step.dt * step.dt) * step.gravity.norm_squared() * moving.map(|body| body.mass).sum::<f64>()
    }

    /// Number of rows.
    pub(crate) fn n(&self) -> usize {
        self.rows.len()
    }

    /// Velocities after the impulses.
    pub(crate) fn evaluate(&mut self, stages: &mut [Stage], step: &Step<'_>) -> Result<(), Unsolved> {
        for &body in &self.bodies {
            (stages[body].impulse, stages[body].moment_b) = (Vector3::zeros(), Vector3::zeros());
        }
        for (row, &r) in self.rows.iter().zip(&self.impulse) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(body) = row.bodies[side] else { continue };
                let stage = &mut stages[body];
                stage.impulse += (sign * r) * row.direction;
                stage.moment_b += r * row.moments_b[side];
            }
        }
        for &body in &self.bodies {
            stages[body]
                .respond(&step.bodies[body], &step.gravity, step.dt)
                .map_err(|too_fast| (body, too_fast))?;
        }
        if self.joints.is_active() {
            self.joints.solve(stages, step)?;
        }
        for (after, row) in self.after.iter_mut().zip(&self.rows) {
            *after = row.velocity(stages, |s| (s.velocity, s.turn.omega_b));
        }
        Ok(())
    }

    /// The mobility at the last evaluation: Σ over shared bodies of ± (d_i·d_j/m + (c × d)_i · dW/dm (c ×
    /// d)_j), with joints held.
    pub(crate) fn set_mobility(&mut self, stages: &[Stage], step: &Step<'_>) {
        let n = self.n();
        self.mobility.clear();
        self.mobility.resize(n * n, 0.0);
        if self.joints.has_factors() {
            self.set_joined_mobility(stages, step);
            return;
        }
        for (i, row) in self.rows.iter().enumerate() {
            for (j, other) in self.rows.iter().enumerate() {
                let mut sum = 0.0;
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let Some(body) = row.bodies[side].filter(|&body| !step.bodies[body].fixed) else {
                        continue;
                    };
                    let turned = stages[body].d_omega.tr_mul(&row.moments_b[side]);
                    for (of_other, other_sign) in [(0, 1.0), (1, -1.0)] {
                        if other.bodies[of_other] == Some(body) {
                            sum += sign * other_sign * row.direction.dot(&other.direction)
                                / step.bodies[body].mass;
                            sum += turned.dot(&other.moments_b[of_other]);
                        }
                    }
                }
                self.mobility[i * n + j] = sum;
            }
        }
        let Self { rows, joints, mobility, .. } = self;
        if joints.is_active() {
            let sides = |i: usize, visit: &mut dyn FnMut(usize, Vector3<f64>, Vector3<f64>)| {
                let row = &rows[i];
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    if let Some(body) = row.bodies[side] {
                        visit(body, sign * row.direction, row.moments_b[side]);
                    }
                }
            };
            joints.add_mobility(mobility, n, sides, stages, step);
        }
    }

    /// The same by the responses of all bodies to the impulse of each row.
    fn set_joined_mobility(&mut self, stages: &[Stage], step: &Step<'_>) {
        let n = self.n();
        let Self { rows, bodies, joints, mobility, responses, .. } = self;
        joints.factorise(stages, step);
        responses.resize(step.bodies.len(), [Vector3::zeros(); 2]);
        for j in 0..n {
            bodies.iter().for_each(|&body| responses[body] = [Vector3::zeros(); 2]);
            let row = &rows[j];
            let moves = |body: &usize| !step.bodies[*body].fixed;
            let load = |side: usize, sign: f64| {
                let body = row.bodies[side].filter(moves)?;
                Some((body, [sign * row.direction, row.moments_b[side]]))
            };
            match [load(0, 1.0), load(1, -1.0)] {
                [Some(a), Some(b)] => joints.respond(&[a, b], stages, step, |body, v| responses[body] = v),
                [Some(a), None] | [None, Some(a)] => {
                    joints.respond(&[a], stages, step, |body, v| responses[body] = v);
                }
                [None, None] => {}
            }
            for (i, row) in rows.iter().enumerate() {
                let of = |side: usize, sign: f64| {
                    let Some(body) = row.bodies[side].filter(moves) else { return 0.0 };
                    let [v, omega_b] = &responses[body];
                    sign * row.direction.dot(v) + row.moments_b[side].dot(omega_b)
                };
                mobility[i * n + j] = of(0, 1.0) + of(1, -1.0);
            }
        }
    }

    /// ∂u₊/∂r of the normals of contacts i and j \[1/kg\].
    pub(crate) fn normal_mobility(&self, i: usize, j: usize) -> f64 {
        self.mobility[(i * self.n() + j) * self.per_contact]
    }

    /// The same of contact i with itself, if its bodies had no joints \[1/kg\].
    pub(crate) fn free_mobility_of_normal(&self, i: usize, stages: &[Stage], step: &Step<'_>) -> f64 {
        self.rows[i * self.per_contact].free_mobility(stages, step)
    }

    /// Writes impulses and velocities into the contacts, and the dynamic gaps at the end into springs.
    pub(crate) fn give(&self, contacts: &mut [Contact], dt: f64) {
        for (c, contact) in contacts.iter_mut().enumerate() {
            for k in 0..self.per_contact {
                let row = c * self.per_contact + k;
                contact.impulse[k] = self.impulse[row];
                contact.before[k] = self.before[row];
                contact.after[k] = self.after[row];
            }
            if !contact.is_multiplier() {
                contact.gap_new = contact.gap_at_end(contact.before[0], contact.after[0], dt);
            }
        }
    }

    /// Largest speed of the rows, the scale of their errors \[m/s\].
    pub(crate) fn speed(&self) -> f64 {
        self.before.iter().chain(&self.after).fold(0.0, |m: f64, u| m.max(u.abs()))
    }
}

impl Row {
    /// The velocity along the row by an impulse, and by a moment in its axes, on the body of a side that
    /// moves.
    pub(crate) fn by_body(&self, side: usize, stages: &[Stage], step: &Step<'_>) -> [Vector3<f64>; 2] {
        let Some(body) = self.bodies[side] else { return [Vector3::zeros(); 2] };
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let by_impulse = (sign / step.bodies[body].mass) * self.direction;
        [by_impulse, stages[body].d_omega.tr_mul(&self.moments_b[side])]
    }

    /// ∂u₊/∂r of the row alone, if its bodies had no joints \[1/kg\].
    pub(crate) fn free_mobility(&self, stages: &[Stage], step: &Step<'_>) -> f64 {
        let of = |side: usize| {
            let Some(body) = self.bodies[side].filter(|&body| !step.bodies[body].fixed) else { return 0.0 };
            let moment_b = &self.moments_b[side];
            self.direction.norm_squared() / step.bodies[body].mass
                + moment_b.dot(&(stages[body].d_omega * moment_b))
        };
        of(0) + of(1)
    }

    fn velocity(&self, stages: &[Stage], of: impl Fn(&Stage) -> (Vector3<f64>, Vector3<f64>)) -> f64 {
        let still = (Vector3::zeros(), Vector3::zeros());
        let [(v_a, w_a), (v_b, w_b)] = self.bodies.map(|body| body.map_or(still, |i| of(&stages[i])));
        let [m_a, m_b] = &self.moments_b;
        self.direction.dot(&(v_a - v_b)) + w_a.dot(m_a) + w_b.dot(m_b)
    }
}
