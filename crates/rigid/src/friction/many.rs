//! Friction of many contacts: a path of smooth problems, each step by blocks of bodies, joints and contacts.
//!
//! With x = (μ m r_N, m r_T) and y = (u_N/μ + |u_T|, u_T) of each contact, m its mobility without joints, the
//! cone of friction is that of Lorentz and its own dual, and K ∋ r ⟂ u + μ |u_T| e_N ∈ K* becomes
//!
//! ```text
//! F_τ = x − P_τ(x − y) = 0 ,     |u_T|_τ = u_T²/√(u_T² + τ²) ,     τ → 0
//! ```
//!
//! with the projection P_τ of [`SmoothedCone`](carom_contact::solver::SmoothedCone), all in units of the
//! largest velocity. Velocities are linear in the impulses, so that a shorter step needs no other solution.
//!
//! # Two ways to the solution
//!
//! Contacts of the step before give impulses near the solution, from which Newton's method takes some ten
//! steps with τ from [`WARM`] on ([`newton`]). Otherwise the path begins at τ = 1 without impulses. The term
//! |u_T| makes the problem non-monotone, so that the path may turn back before τ = 0; it is followed by its
//! length, around its turns ([`turning`]).
//!
//! # Return from depths
//!
//! Contacts that hold each other may not all return from where they have sunk: a closed ring of them asks for
//! velocities that contradict each other, and impulses grow until friction gives way. Therefore the first
//! problem has no returns: all velocities zero then obey the laws, so that there is a solution r⁰. From there
//! a second path adds the returns w, each of which yields to an impulse above r⁰:
//!
//! ```text
//! 0 ≤ u_N − w + w s/√(1 + s²) ⟂ r_N ≥ 0 ,     s = γ m (r_N − r⁰_N)/w
//! ```
//!
//! No contact sinks by it, and the impulses of depths are bounded. At rest without depth w = 0, and r⁰ is the
//! solution. Where no path leads to the returns, contacts stay as deep as they are, and the next try comes
//! some steps later.
//!
//! # Source
//!
//! Hayashi, Yamashita & Fukushima (2005), SIAM J. Optim. 15(2), 593–615; the term |u_T| is De Saxcé's. Paths
//! by their length: Keller (1977), in: Rabinowitz (ed.), *Applications of Bifurcation Theory*, 359–384.

mod newton;
mod smooth;
mod turning;

use carom_contact::solver::friction_residual;
use nalgebra::Vector3;

use super::memory::Memory;
use super::{CONE, Friction};
use crate::contact::{Contact, Rows};
use crate::law::{LinearLaw, NormalLaw};
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;
use smooth::AtContact;
use turning::Turning;

/// τ at the start of a path without impulses, of one from the impulses of the step before, of one to returns,
/// and of one at new velocities; and τ at the end.
const FIRST: f64 = 1.0;
const WARM: f64 = 1e-2;
const RETURNING: f64 = 1e-3;
const AGAIN: f64 = 1e-5;
const LAST: f64 = 1e-11;

/// τ at the start of other paths from the impulses of the step before. Where the path without impulses leads
/// back to its beginning, one of these has an end in two of five problems.
const TRIED: [f64; 2] = [WARM, 1e-1];

/// A point counts as one of the path if |F| is less than this part of τ, or rounding.
const NEAR: f64 = 0.1;
const ROUNDING: f64 = 1e-13;

/// Residual of the laws, relative to the largest velocity, up to which the nearest point to a solution is
/// taken, where a step has no solution and its parts have none.
const LOOSE: f64 = 1e-2;

/// γ of the returns.
const YIELD: f64 = 3e-3;

/// Memory of the solution.
pub(crate) struct Path {
    /// Impulses and waiting groups of the steps before.
    pub(crate) memory: Memory,
    laws: Vec<LinearLaw>,
    normals: Vec<NormalLaw>,
    friction: Vec<f64>,
    /// w of each contact.
    returns: Vec<f64>,
    stage: Returns,
    /// γ: [`YIELD`], which tests change.
    pub(crate) yielding: f64,
    /// r⁰ along each normal.
    first: Vec<f64>,
    /// Largest velocity without impulses \[m/s\].
    size: f64,
    changes: Vec<[f64; 2]>,
    /// Impulses, and velocities with the laws of the normals.
    now: Point,
    trial: Point,
    /// The last point of the path.
    level: Point,
    /// Without impulses.
    start: Point,
    /// True if `now` begins at impulses of the step before.
    is_warm: bool,
    /// The solution without returns.
    solved: Point,
    /// True if the nearest point to a solution is taken where there is none; this point, and its residual.
    pub(crate) is_last_resort: bool,
    nearest: Point,
    residual: f64,
    /// Largest residual that was accepted since the step began, relative to the largest velocity.
    pub(crate) missed: f64,
    /// Matrices of one path: [`turning::MATRICES`], which tests change.
    pub(crate) matrices: usize,
    turning: Turning,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            memory: Memory::default(),
            laws: Vec::new(),
            normals: Vec::new(),
            friction: Vec::new(),
            returns: Vec::new(),
            stage: Returns::default(),
            yielding: YIELD,
            first: Vec::new(),
            size: 0.0,
            changes: Vec::new(),
            now: Point::default(),
            trial: Point::default(),
            level: Point::default(),
            start: Point::default(),
            is_warm: false,
            solved: Point::default(),
            is_last_resort: false,
            nearest: Point::default(),
            residual: f64::INFINITY,
            missed: 0.0,
            matrices: turning::MATRICES,
            turning: Turning::default(),
        }
    }
}

/// How contacts return from where they have sunk.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Returns {
    /// Not yet: the first path is to come.
    #[default]
    ToCome,
    /// They do, and yield to impulses above r⁰.
    Yielding,
    /// None does.
    None,
}

/// Impulses and velocities of all rows.
#[derive(Default, Clone)]
struct Point {
    r: Vec<f64>,
    u: Vec<f64>,
}

impl Friction {
    /// Begins a problem at the impulses of the step before, if there are any.
    pub(super) fn begin_by_blocks(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        let path = &mut self.path;
        path.stage = Returns::ToCome;
        path.start.r.clone_from(&rows.impulse);
        path.start.u.clone_from(&rows.after);
        path.is_warm = path.memory.recall(contacts, &mut rows.impulse);
        if path.is_warm {
            rows.evaluate(stages, step)?;
        }
        Ok(())
    }

    /// Impulses and expected velocities of the linear problem at the present ones; false if it is not solved.
    pub(super) fn cone_by_blocks(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        if !rows.set_blocks(stages, step) {
            return false;
        }
        self.path.begin(contacts, rows, step);
        let is_solved = self.path.solve(contacts, rows, stages, step);
        self.r.clone_from(&self.path.now.r);
        self.path.expect(&mut self.expected);
        is_solved
    }

    /// Takes the velocities that contacts return with as those of their laws.
    pub(super) fn accept_returns(contacts: &mut [Contact], rows: &Rows) {
        for (i, contact) in contacts.iter_mut().enumerate() {
            let (before, after) = (rows.before[3 * i], rows.after[3 * i]);
            if contact.has_lasting() && rows.impulse[3 * i] > 0.0 {
                let e = contact.restitution;
                let lasting = -(after + e * before) / (1.0 - e) - before;
                let rising = contact.rising - (lasting - contact.lasting);
                contact.rising = rising.clamp(0.0, contact.rising);
                contact.lasting = lasting;
            }
        }
    }
}

impl Path {
    /// The linear problem at the present impulses and velocities.
    fn begin(&mut self, contacts: &[Contact], rows: &Rows, step: &Step<'_>) {
        self.now.r.clone_from(&rows.impulse);
        self.now.u.clone_from(&rows.after);
        self.normals.clear();
        self.friction.clear();
        self.returns.clear();
        for (i, contact) in contacts.iter().enumerate() {
            let before = rows.before[3 * i];
            let law = NormalLaw::at(contact, before, rows.after[3 * i], step.dt);
            self.now.u[3 * i] += law.offset + law.compliance * self.now.r[3 * i];
            self.normals.push(law);
            self.friction.push(contact.friction);
            let lasting = if contact.has_lasting() { before + contact.lasting } else { 0.0 };
            self.returns.push((contact.restitution - 1.0) * lasting);
        }
        if self.stage == Returns::ToCome {
            let offsets = self.start.u.iter_mut().step_by(3).zip(&self.normals);
            offsets.for_each(|(u, law)| *u += law.offset);
            self.size = self.start.u.iter().fold(f64::MIN_POSITIVE, |m: f64, u| m.max(u.abs()));
        }
    }

    /// The velocities that the linear problem predicts.
    fn expect(&self, expected: &mut Vec<f64>) {
        expected.clone_from(&self.now.u);
        for (i, law) in self.normals.iter().enumerate() {
            expected[3 * i] -= law.offset + law.compliance * self.now.r[3 * i];
        }
    }

    /// Solves the linear problem; false if it is not solved.
    fn solve(&mut self, contacts: &[Contact], rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        match self.stage {
            Returns::ToCome => {
                self.solve_without_returns(rows, stages, step)
                    && self.solve_with_returns(contacts, rows, stages, step)
            }
            _ => self.solve_again(rows, stages, step),
        }
    }

    /// The problem at velocities that have changed a little, without returns if it has no solution with them.
    fn solve_again(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        self.solved.clone_from(&self.now);
        if self.stage == Returns::Yielding {
            if self.follow(AGAIN, rows, stages, step) {
                return true;
            }
            self.now.clone_from(&self.solved);
            self.stage = Returns::None;
        }
        self.add_returns(1.0);
        self.solved.clone_from(&self.now);
        let is_solved = self.solve_near(rows, stages, step);
        self.add_returns(-1.0);
        is_solved
    }

    /// A path from a solution at other velocities, which is kept.
    fn solve_near(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        for tau in [AGAIN, WARM] {
            if self.follow(tau, rows, stages, step) {
                return true;
            }
            self.now.clone_from(&self.solved);
        }
        self.trace(WARM, rows, stages, step)
    }

    /// The first path, to velocities without returns; the laws keep them.
    fn solve_without_returns(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        self.residual = f64::INFINITY;
        self.add_returns(1.0);
        let offsets = self.start.u.iter_mut().step_by(3).zip(&self.returns);
        offsets.for_each(|(u, w)| *u += w);
        let is_solved = if self.is_warm {
            self.solved.clone_from(&self.now);
            self.follow(WARM, rows, stages, step)
                || self.trace_from_start(rows, stages, step)
                || TRIED.into_iter().any(|tau| {
                    self.now.clone_from(&self.solved);
                    self.trace(tau, rows, stages, step)
                })
        } else {
            self.trace_from_start(rows, stages, step)
        };
        let is_taken = is_solved || self.take_nearest();
        self.add_returns(-1.0);
        is_taken
    }

    /// Takes the nearest point to a solution, as the last resort; false if it is too far away.
    fn take_nearest(&mut self) -> bool {
        let missed = self.residual / self.size;
        if !self.is_last_resort || missed > LOOSE {
            return false;
        }
        self.now.clone_from(&self.nearest);
        self.missed = self.missed.max(missed);
        true
    }

    /// Remembers a point of a path if its laws hold better than those of all before.
    fn remember_nearest(&mut self, residual: f64) {
        if self.is_last_resort && residual < self.residual {
            self.residual = residual;
            self.nearest.clone_from(&self.now);
        }
    }

    /// The path that begins without impulses.
    fn trace_from_start(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        self.now.clone_from(&self.start);
        self.trace(FIRST, rows, stages, step)
    }

    /// The second path, from r⁰ to the returns; without one contacts stay as deep as they are.
    fn solve_with_returns(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        self.stage = Returns::None;
        if self.returns.iter().all(|w| *w == 0.0) || !self.memory.may_return(contacts, step) {
            return true;
        }
        self.first.clear();
        self.first.extend(self.now.r.iter().step_by(3));
        self.solved.clone_from(&self.now);
        self.stage = Returns::Yielding;
        let do_return = self.follow(RETURNING, rows, stages, step);
        self.memory.has_returned(contacts, step, do_return);
        if !do_return {
            self.now.clone_from(&self.solved);
            self.stage = Returns::None;
        }
        true
    }

    /// Adds a multiple of the returns to the laws of the normals.
    fn add_returns(&mut self, factor: f64) {
        self.now.u.iter_mut().step_by(3).zip(&self.returns).for_each(|(u, w)| *u += factor * w);
    }

    fn norm(&self, point: &Point, tau: f64, rows: &Rows) -> f64 {
        (0..self.friction.len())
            .map(|c| self.at(c, point, tau, rows).value.norm_squared())
            .sum::<f64>()
            .sqrt()
    }

    /// The linear laws of all contacts at the present point.
    fn differentiate(&mut self, tau: f64, rows: &Rows) {
        self.laws.clear();
        for c in 0..self.friction.len() {
            let [_, yields] = self.yields(c, &self.now, rows);
            let law = self.at(c, &self.now, tau, rows).law(self.size, self.normals[c].compliance + yields);
            self.laws.push(law);
        }
    }

    /// The velocity by which the return of a contact yields, and its derivative by the impulse.
    fn yields(&self, c: usize, point: &Point, rows: &Rows) -> [f64; 2] {
        let most = self.returns[c];
        if self.stage != Returns::Yielding || most <= 0.0 {
            return [0.0; 2];
        }
        let slope = self.yielding * rows.free_mobility(c);
        let part = slope * (point.r[3 * c] - self.first[c]) / most;
        let root = part.hypot(1.0);
        [most * part / root, slope / root.powi(3)]
    }

    /// m r and u of a contact \[m/s\].
    fn of_contact(&self, c: usize, point: &Point, rows: &Rows) -> [Vector3<f64>; 2] {
        let mobility = rows.free_mobility(c);
        let mut u = Vector3::from_column_slice(&point.u[3 * c..3 * c + 3]);
        u.x += self.yields(c, point, rows)[0];
        [mobility * Vector3::from_column_slice(&point.r[3 * c..3 * c + 3]), u]
    }

    fn at(&self, c: usize, point: &Point, tau: f64, rows: &Rows) -> AtContact {
        let [r, u] = self.of_contact(c, point, rows).map(|v| v / self.size);
        AtContact::new(rows.free_mobility(c), [r, u], self.friction[c], tau)
    }

    /// The residual of the natural map \[m/s\].
    fn residual(&mut self, rows: &Rows) -> f64 {
        let Point { mut r, mut u } = std::mem::take(&mut self.trial);
        r.clear();
        u.clear();
        for c in 0..self.friction.len() {
            let [of_r, of_u] = self.of_contact(c, &self.now, rows);
            r.extend_from_slice(of_r.as_slice());
            u.extend_from_slice(of_u.as_slice());
        }
        let residual = friction_residual(&self.friction, 3, &r, &u);
        self.trial = Point { r, u };
        residual
    }
}
