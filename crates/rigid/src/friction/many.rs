//! Friction of many contacts: Newton's method along a path of smooth problems, each step by blocks of bodies,
//! joints and contacts.
//!
//! With x = (μ m r_N, m r_T) and y = (u_N/μ + |u_T|, u_T) of each contact, m its mobility without joints, the
//! cone of friction is that of Lorentz and its own dual, and K ∋ r ⟂ u + μ |u_T| e_N ∈ K* becomes
//!
//! ```text
//! F_τ = x − P_τ(x − y) = 0 ,     |u_T|_τ = u_T²/√(u_T² + τ²) ,     τ → 0
//! ```
//!
//! with the projection P_τ of [`SmoothedCone`], all in units of the largest velocity. Impulses that hold each
//! other stay near the middle of all that solve the problem. Velocities are linear in the impulses, so that a
//! shorter step needs no other solution.
//!
//! # Return from depths
//!
//! Contacts that hold each other may not all return from where they have sunk: a closed ring of them asks for
//! velocities that contradict each other, and impulses grow until friction gives way. Therefore the first
//! path has no returns: all velocities zero then obey the laws, so that there is a solution r⁰. From there a
//! second path adds the returns w, each of which yields to an impulse above r⁰:
//!
//! ```text
//! 0 ≤ u_N − w + w s/√(1 + s²) ⟂ r_N ≥ 0 ,     s = γ m (r_N − r⁰_N)/w
//! ```
//!
//! No contact sinks by it, and the impulses of depths are bounded. At rest without depth w = 0, and r⁰ is the
//! solution.
//!
//! # Paths that turn back
//!
//! The term |u_T| makes the problem non-monotone, and some paths turn back before τ = 0. With |u_T| held the
//! problem is convex, and its path leads to the end. From its solution the path with |u_T| free begins again
//! at a small τ; if this turns back too, |u_T| is held at its new values.
//!
//! # Source
//!
//! Hayashi, Yamashita & Fukushima (2005), SIAM J. Optim. 15(2), 593–615; the term |u_T| is De Saxcé's.

use carom_contact::solver::{SmoothedCone, friction_residual, smoothed};
use nalgebra::{Matrix3, Vector3};

use super::{CONE, Friction};
use crate::contact::{Contact, Rows};
use crate::law::{LinearLaw, NormalLaw};
use crate::search::Step;
use crate::stage::Stage;

/// τ at the start of the first path, of the second one, of one at new velocities, and at the end.
const FIRST: f64 = 1.0;
const SECOND: f64 = 1e-3;
const AGAIN: f64 = 1e-5;
const LAST: f64 = 1e-11;

/// τ at the start and at the end of a path with |u_T| held, and where it is let go. Such paths at most,
/// without returns and with them, which may be given up.
const HELD: [f64; 2] = [1e-2, 1e-6];
const FREED: f64 = 1e-4;
const PATHS: [usize; 2] = [8, 1];

/// τ is multiplied by this once |F| is less than this part of it.
const REDUCED: f64 = 0.3;
const NEAR: f64 = 0.1;

/// |F| that counts as zero.
const ROUNDING: f64 = 1e-13;

/// Steps of one path.
const STEPS: usize = 60;

/// Steps at one τ, after which τ is reduced by the root of its factor instead, and the factor nearest to one.
const PATIENCE: usize = 12;
const SLOWEST: f64 = 0.95;

/// Compliance of all contacts relative to their mobility: this part of τ², and its least value. Contacts that
/// repeat each other leave impulses open without it.
const REGULAR: f64 = 0.1;
const LEAST_REGULAR: f64 = 1e-12;

/// The shortest part of a step.
const SHORTEST: f64 = 1e-6;

/// γ of the returns.
const YIELD: f64 = 3e-3;

/// Memory of the solution.
pub(crate) struct Path {
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
    /// |u_T| of each contact in units of the largest velocity, if it is held.
    slips: Vec<f64>,
    is_held: bool,
    /// Largest velocity without impulses \[m/s\].
    size: f64,
    changes: Vec<[f64; 2]>,
    /// Impulses, and velocities with the laws of the normals.
    now: Point,
    trial: Point,
    /// The solution at the last τ, and where a path began.
    level: Point,
    begun: Point,
    /// The solution without returns.
    solved: Point,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            laws: Vec::new(),
            normals: Vec::new(),
            friction: Vec::new(),
            returns: Vec::new(),
            stage: Returns::default(),
            yielding: YIELD,
            first: Vec::new(),
            slips: Vec::new(),
            is_held: false,
            size: 0.0,
            changes: Vec::new(),
            now: Point::default(),
            trial: Point::default(),
            level: Point::default(),
            begun: Point::default(),
            solved: Point::default(),
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
        let is_solved = self.path.solve(rows, stages, step);
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
        let Point { r, u } = &mut self.now;
        r.clone_from(&rows.impulse);
        u.clone_from(&rows.after);
        self.normals.clear();
        self.friction.clear();
        self.returns.clear();
        for (i, contact) in contacts.iter().enumerate() {
            let before = rows.before[3 * i];
            let law = NormalLaw::at(contact, before, rows.after[3 * i], step.dt);
            u[3 * i] += law.offset + law.compliance * r[3 * i];
            self.normals.push(law);
            self.friction.push(contact.friction);
            let lasting = if contact.has_lasting() { before + contact.lasting } else { 0.0 };
            self.returns.push((contact.restitution - 1.0) * lasting);
        }
        if r.iter().all(|r| *r == 0.0) {
            self.size = u.iter().fold(f64::MIN_POSITIVE, |m: f64, u| m.max(u.abs()));
            self.stage = Returns::ToCome;
        }
    }

    /// The velocities that the linear problem predicts.
    fn expect(&self, expected: &mut Vec<f64>) {
        expected.clone_from(&self.now.u);
        for (i, law) in self.normals.iter().enumerate() {
            expected[3 * i] -= law.offset + law.compliance * self.now.r[3 * i];
        }
    }

    /// Solves the linear problem; false if it is not solved. Where no path leads to the returns, contacts
    /// stay as deep as they are.
    fn solve(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        let [mut without, mut with] = [AGAIN; 2];
        if self.stage == Returns::ToCome {
            [without, with] = [FIRST, SECOND];
            if !self.solve_without_returns(without, rows, stages, step) {
                return false;
            }
            self.first.clear();
            self.first.extend(self.now.r.iter().step_by(3));
            let returns = self.returns.iter().any(|w| *w != 0.0);
            self.stage = if returns { Returns::Yielding } else { Returns::None };
            if !returns {
                return true;
            }
        }
        if self.stage == Returns::Yielding {
            self.solved.clone_from(&self.now);
            if self.solve_from(with, rows, stages, step) {
                return true;
            }
            self.now.clone_from(&self.solved);
            self.stage = Returns::None;
            if without == FIRST {
                return true;
            }
        }
        self.solve_without_returns(without, rows, stages, step)
    }

    /// A path to velocities without returns; the laws keep them.
    fn solve_without_returns(
        &mut self,
        tau: f64,
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        self.add_returns(1.0);
        let is_solved = self.solve_from(tau, rows, stages, step);
        self.add_returns(-1.0);
        is_solved
    }

    /// A path from τ and the present point. Where it turns back before its end, |u_T| is held, which leaves a
    /// convex problem, and let go near the solution of that.
    fn solve_from(&mut self, tau: f64, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        self.begun.clone_from(&self.now);
        if self.follow([tau, LAST], rows, stages, step) {
            return true;
        }
        self.now.clone_from(&self.begun);
        let mut from = if tau == FIRST { FIRST } else { HELD[0] };
        for _ in 0..PATHS[usize::from(self.stage == Returns::Yielding)] {
            self.slips.clear();
            let (begins, size) = (from == FIRST, self.size);
            let slip = |u: &[f64]| if begins { 0.0 } else { u[1].hypot(u[2]) / size };
            self.slips.extend(self.now.u.chunks(3).map(slip));
            self.is_held = true;
            let is_solved = self.follow([from, HELD[1]], rows, stages, step);
            self.is_held = false;
            if !is_solved {
                return false;
            }
            self.begun.clone_from(&self.now);
            if self.follow([FREED, LAST], rows, stages, step) {
                return true;
            }
            self.now.clone_from(&self.begun);
            from = HELD[0];
        }
        false
    }

    /// Adds a multiple of the returns to the laws of the normals.
    fn add_returns(&mut self, factor: f64) {
        self.now.u.iter_mut().step_by(3).zip(&self.returns).for_each(|(u, w)| *u += factor * w);
    }

    /// One path from the present point, from the first τ; false if it does not get to the solution, or with
    /// |u_T| held to the last τ.
    fn follow(
        &mut self,
        [mut tau, last]: [f64; 2],
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        let (mut factor, mut here, mut solved) = (REDUCED, 0, None);
        for _ in 0..STEPS {
            let mut norm = self.norm(&self.now, tau, rows);
            while norm <= NEAR * tau + ROUNDING && tau > last {
                self.level.clone_from(&self.now);
                solved = Some(tau);
                factor = if here * 4 <= PATIENCE { factor.min(REDUCED).max(factor * factor) } else { factor };
                here = 0;
                tau *= factor;
                norm = self.norm(&self.now, tau, rows);
            }
            let is_solved = if self.is_held {
                tau <= last && norm <= NEAR * tau
            } else {
                self.residual(rows) <= CONE * self.size
            };
            if is_solved {
                return true;
            }
            self.differentiate(tau, rows);
            if !rows.change_by_laws(&self.laws, stages, step, &mut self.changes) {
                return false;
            }
            here += 1;
            let falls = here <= PATIENCE && self.search(norm, tau, rows);
            match solved {
                _ if falls => {}
                Some(reached) if factor < SLOWEST => {
                    self.now.clone_from(&self.level);
                    (factor, here) = (factor.sqrt(), 0);
                    tau = factor * reached;
                }
                // A valley, or rounding: on to the next τ from here.
                _ if tau > last => (tau, factor, here) = (REDUCED * tau, REDUCED, 0),
                _ => return false,
            }
        }
        false
    }

    /// Goes along the changes as far as |F| falls; false if it never does.
    fn search(&mut self, norm: f64, tau: f64, rows: &Rows) -> bool {
        let mut length = 1.0;
        while length > SHORTEST {
            self.set_trial(length);
            if self.norm(&self.trial, tau, rows) < (1.0 - 1e-4 * length) * norm {
                std::mem::swap(&mut self.now, &mut self.trial);
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// A part of the changes into `trial`.
    fn set_trial(&mut self, length: f64) {
        let Point { r, u } = &mut self.trial;
        r.clear();
        u.clear();
        for (i, [by, velocity]) in self.changes.iter().enumerate() {
            let compliance = if i % 3 == 0 { self.normals[i / 3].compliance } else { 0.0 };
            r.push(self.now.r[i] + length * by);
            u.push(self.now.u[i] + length * (velocity + compliance * by));
        }
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
        let held = self.is_held.then(|| self.slips[c]);
        AtContact::new(rows.free_mobility(c), [r, u], (self.friction[c], held), tau)
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

/// The smoothed equation of one contact.
struct AtContact {
    mobility: f64,
    friction: f64,
    /// P'.
    slope: Matrix3<f64>,
    /// The derivative of |u_T|.
    slip: [f64; 2],
    regular: f64,
    /// F.
    value: Vector3<f64>,
}

impl AtContact {
    /// * `r`, `u` — impulses times the mobility, and velocities, both in units of the largest velocity
    fn new(mobility: f64, [r, u]: [Vector3<f64>; 2], (friction, held): (f64, Option<f64>), tau: f64) -> Self {
        let regular = REGULAR * tau * tau + LEAST_REGULAR;
        if friction == 0.0 {
            let (p, slope) = smoothed((1.0 - regular) * r.x - u.x, tau);
            let value = Vector3::new(r.x - p, r.y, r.z);
            let slope = Matrix3::from_diagonal(&Vector3::new(slope, 0.0, 0.0));
            return Self { mobility, friction, slope, slip: [0.0; 2], regular, value };
        }
        let square = u.y * u.y + u.z * u.z;
        let root = square + tau * tau;
        let along = if held.is_some() { 0.0 } else { (square + 2.0 * tau * tau) / (root * root.sqrt()) };
        let slip = held.unwrap_or(square / root.sqrt());
        let x = Vector3::new(friction * r.x, r.y, r.z);
        let y = Vector3::new(u.x / friction + slip, u.y, u.z) + regular * x;
        let cone = SmoothedCone::new((x - y).into(), tau);
        let slope = Matrix3::from_fn(|i, j| cone.slope(i, j));
        Self {
            mobility,
            friction,
            slope,
            slip: [along * u.y, along * u.z],
            regular,
            value: x - Vector3::from(cone.value),
        }
    }

    /// (E − (1 − ε) P') dx + P' dy/du du = −F, in units of velocities.
    fn law(&self, size: f64, compliance: f64) -> LinearLaw {
        let mut by_impulse = self.mobility * (Matrix3::identity() - (1.0 - self.regular) * self.slope);
        let mut of_u = Matrix3::identity();
        if self.friction > 0.0 {
            by_impulse.column_mut(0).scale_mut(self.friction);
            of_u[(0, 0)] = 1.0 / self.friction;
            (of_u[(0, 1)], of_u[(0, 2)]) = (self.slip[0], self.slip[1]);
        }
        let by_velocity = self.slope * of_u;
        for line in 0..3 {
            by_impulse[(line, 0)] += compliance * by_velocity[(line, 0)];
        }
        LinearLaw { by_impulse, by_velocity, value: -size * self.value }
    }
}
