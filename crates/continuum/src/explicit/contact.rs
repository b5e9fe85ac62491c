//! Contact of a step: forces of penalties at t_n, then the smallest impulses that leave no gap below zero at
//! t_{n+1}.
//!
//! ```text
//! g_{n+1} = ḡ + dt Gᵀ W G z,   0 ≤ z  ⟂  g_{n+1} − g_least ≥ 0,   λ = z/dt̃
//! ```
//!
//! ḡ are the gaps of the predicted configuration, G the weights of points and rigid bodies in them, W their
//! inverse masses. Only products with G and W are computed. g_least is 0 if the gap was open at t_n:
//! multipliers close it at most. A gap that was already below zero recovers by a hundredth per step, because
//! closing it at once would eject the node with the velocity −g/dt. A gap below zero at the start does not
//! recover at all (`pair::overlap`): a hundredth of it in a short step is a large velocity too.
//!
//! Friction has no multipliers: each contact has a spring that follows its slip, and slides at the limit μ λ.
//! Friction forces change the gaps, so that multipliers and friction are found in alternation.
//!
//! # Source
//!
//! Zywicz & Puso (1999), eqs. (8)–(18). The weights of forces are our own (`row::balance`): the paper's
//! forces on node and face have a moment if the surfaces slide.

mod meeting;
mod pair;
mod results;
mod row;
mod slip;
mod spring;
mod wall;

use carom_contact::solver::{LcpMethod, LcpSolver, StepRule};
use nalgebra::Vector3;

use super::bodies::Bodies;
use super::problem::Problem;
use super::rigid::{Origin, RigidBodies};
use super::{SetupError, StepError};
pub(super) use meeting::Meeting;
pub(super) use pair::{Edges, Pair};
pub(super) use results::Powers;
use row::Rows;
use slip::Friction;

/// Part of a gap below zero that remains after a step.
const KEPT: f64 = 0.99;

/// Largest number of rounds of multipliers and friction.
const ROUNDS: usize = 12;

/// Change of the impacts of rigid bodies from sweep to sweep, relative to the largest one, at which they
/// have settled.
const SETTLED: f64 = 1e-9;

/// Error of the velocity along a normal, relative to the largest one that multipliers take away in the step;
/// and of friction, relative to the largest multiplier.
///
/// The nodes of both surfaces have multipliers, of which two at one place have nearly the same effect. To
/// separate them to round-off takes several times the iterations.
const ACCURACY: f64 = 1e-6;

/// Gaps beyond this multiple of the deepest one are not part of a step.
const BAND: f64 = 4.0;

/// Counts of the contact solution of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContactCounts {
    /// Steps with multipliers.
    pub steps: u64,
    /// Multipliers above zero, summed over these steps.
    pub multipliers: u64,
    /// Largest number of multipliers above zero in a step.
    pub most_multipliers: u64,
    /// Gaps considered, summed over the steps.
    pub gaps: u64,
    /// Iterations of conjugate gradients, summed.
    pub iterations: u64,
    /// Steps solved by the fallback method.
    pub fallbacks: u64,
    /// Further sweeps over impacts of rigid bodies and multipliers of deformable ones.
    pub sweeps: u64,
    /// Steps whose sweeps did not settle.
    pub unsettled: u64,
}

/// All contacts with a deformable body.
pub(super) struct Contacts {
    pub(super) pairs: Vec<Pair>,
    /// Rows of penalties at t_n, and of multipliers at t_{n+1}.
    pressed: Rows,
    rows: Rows,
    /// Forces of penalties \[N\] and impulses of multipliers \[N s\], with the friction of both.
    forces: Vec<f64>,
    impulses: Vec<f64>,
    dragged: Friction,
    friction: Friction,
    q: Vec<f64>,
    /// Velocities that impacts of rigid bodies add along the normals of the rows \[m/s\].
    shift: Vec<f64>,
    solver: LcpSolver,
    /// Error of a gap of multipliers that is allowed in addition to round-off \[m\].
    tolerance: f64,
    pub(super) counts: ContactCounts,
    /// Energy of penalties at t_n \[J\].
    pub(super) potential: f64,
    /// Force and moment about the origin by fixed rigid bodies on deformable ones at t_n.
    pub(super) from_fixed: [Vector3<f64>; 2],
    /// The deepest penetration at t_n since the start, ≥ 0 \[m\].
    pub(super) deepest: f64,
}

impl Contacts {
    pub(super) fn new(problem: &Problem, bodies: &Bodies) -> Result<Self, SetupError> {
        let pairs = problem.contacts.iter().map(|spec| Pair::new(problem, spec, bodies));
        let mut pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        if !bodies.flexible.is_empty() {
            for spec in &problem.automatic {
                pairs.push(Pair::automatic(problem, spec, bodies)?);
            }
        }
        Ok(Self {
            pressed: Rows::new(bodies),
            rows: Rows::new(bodies),
            dragged: Friction::default(),
            friction: Friction::default(),
            forces: Vec::new(),
            impulses: Vec::new(),
            q: Vec::new(),
            shift: Vec::new(),
            solver: LcpSolver::default(),
            tolerance: 0.0,
            counts: ContactCounts::default(),
            potential: 0.0,
            from_fixed: [Vector3::zeros(); 2],
            deepest: 0.0,
            pairs,
        })
    }

    /// Sets the accuracy of multipliers.
    ///
    /// * `tolerance` — error of a gap, relative to the smallest diagonal of a face
    pub(super) fn set_accuracy(&mut self, tolerance: f64, rule: StepRule) {
        let size = self.pairs.iter().map(|pair| pair.size).fold(f64::INFINITY, f64::min);
        self.tolerance = if size.is_finite() { tolerance * size } else { 0.0 };
        self.solver.set_rule(rule);
    }

    /// Adds forces of penalties at t_n to the predicted velocities.
    pub(super) fn press(&mut self, bodies: &mut Bodies, [dt_mean, dt]: [f64; 2]) {
        self.pressed.clear();
        self.forces.clear();
        self.potential = 0.0;
        self.from_fixed = [Vector3::zeros(); 2];
        self.pairs.iter_mut().for_each(|pair| pair.begin());
        for number in 0..self.pairs.len() {
            let pair = &mut self.pairs[number];
            if pair.is_hard() {
                continue;
            }
            let first = self.pressed.len();
            pair.add_rows(number, bodies, dt, &mut self.pressed);
            for row in &self.pressed.rows[first..] {
                let stiffness = pair.stiffness(row);
                let depth = (-row.gap).max(0.0);
                self.forces.push(stiffness * depth);
                self.potential += 0.5 * stiffness * depth * depth;
            }
        }
        if self.pressed.is_empty() {
            return;
        }
        let forces = &self.forces;
        self.dragged.follow(&self.pressed, &mut self.pairs, |k| forces[k], [dt_mean, dt]);
        self.apply(bodies, dt_mean, true, 1.0);
    }

    /// Adds impulses of multipliers to the predicted velocities.
    pub(super) fn correct(
        &mut self,
        bodies: &mut Bodies,
        time: f64,
        [dt_mean, dt]: [f64; 2],
    ) -> Result<(), StepError> {
        self.rows.clear();
        for number in 0..self.pairs.len() {
            if self.pairs[number].is_hard() {
                self.pairs[number].add_rows(number, bodies, dt, &mut self.rows);
            }
        }
        self.shift.clear();
        let depth = self.rows.rows.iter().map(|row| row.least - row.gap).fold(0.0, f64::max);
        self.note_depth();
        if depth <= 0.0 {
            // Impacts of rigid bodies may close these gaps.
            self.impulses.clear();
            self.impulses.resize(self.rows.len(), 0.0);
            return Ok(());
        }
        self.rows.rows.retain(|row| row.gap - row.least <= BAND * depth);
        let (pairs, rows) = (&mut self.pairs, &self.rows.rows);
        self.impulses.clear();
        self.impulses.extend(rows.iter().map(|row| dt_mean * pairs[row.pair as usize].last_force(row)));
        self.solve(bodies, time, [dt_mean, dt])?;
        self.count();
        for (row, impulse) in self.rows.rows.iter().zip(&self.impulses) {
            self.pairs[row.pair as usize].keep_force(row, impulse / dt_mean);
        }
        self.apply(bodies, dt_mean, false, 1.0);
        Ok(())
    }

    /// True if a rigid body has a row of a multiplier in this step.
    pub(super) fn has_rigid_rows(&self) -> bool {
        self.rows.has_rigid()
    }

    /// The rigid bodies with rows of multipliers.
    pub(super) fn rigid_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.rigid_bodies()
    }

    /// Adds the velocities of impacts of rigid bodies to the gaps. True if they are those of the last sweep.
    pub(super) fn follow_impacts(&mut self, rigid: &RigidBodies, dt: f64) -> bool {
        let n = self.rows.len();
        self.shift.resize(n, 0.0);
        let (mut change, mut largest) = (0.0_f64, 0.0_f64);
        for k in 0..n {
            let row = self.rows.rows[k];
            let mut shift = 0.0;
            for end in row.rigid.iter().flatten() {
                let [linear, angular] = rigid.pushed(self.rows.rigid_body(end));
                shift += end.sign * (linear + angular.cross(&end.arm)).dot(&row.normal);
            }
            change = change.max((shift - self.shift[k]).abs());
            largest = largest.max(shift.abs());
            self.rows.rows[k].gap += dt * (shift - self.shift[k]);
            self.shift[k] = shift;
        }
        change <= SETTLED * largest
    }

    /// Replaces the impulses of multipliers by those for the gaps with the impacts of rigid bodies.
    pub(super) fn correct_again(
        &mut self,
        bodies: &mut Bodies,
        time: f64,
        [dt_mean, dt]: [f64; 2],
    ) -> Result<(), StepError> {
        self.counts.sweeps += 1;
        self.apply(bodies, dt_mean, false, -1.0);
        self.solve(bodies, time, [dt_mean, dt])?;
        self.apply(bodies, dt_mean, false, 1.0);
        Ok(())
    }

    /// Solves for multipliers and friction in alternation.
    fn solve(&mut self, bodies: &Bodies, time: f64, [dt_mean, dt]: [f64; 2]) -> Result<(), StepError> {
        let n = self.rows.len();
        self.q.clear();
        self.q.extend(self.rows.rows.iter().map(|row| (row.gap - row.least) / dt));
        let has_friction = self.rows.rows.iter().any(|row| self.pairs[row.pair as usize].friction > 0.0);
        self.friction.reset(n);
        // With g_{n+1} ≥ KEPT g_n − (1 − KEPT) tolerance gaps stay above −tolerance. The whole tolerance in
        // each step would let bodies sink into each other that approach by less than that in a step.
        self.solver.allowed = (1.0 - KEPT) * self.tolerance / dt;
        let fastest = self.q.iter().fold(0.0, |fastest: f64, q| fastest.max(-q));
        self.solver.allowed = self.solver.allowed.max(ACCURACY * fastest);
        for round in 0..ROUNDS {
            let solved = self.solver.solve(&self.rows, &self.q, &mut self.impulses, None);
            let solution = solved.map_err(|source| StepError::Contact {
                time,
                n_rows: n,
                bodies: self.names(bodies),
                source,
            })?;
            self.counts.iterations += solution.iterations as u64;
            if round == 0 {
                self.counts.fallbacks += u64::from(solution.method != LcpMethod::ConjugateGradients);
            }
            if !has_friction {
                break;
            }
            let impulses = &self.impulses;
            let change =
                self.friction.follow(&self.rows, &mut self.pairs, |k| impulses[k] / dt_mean, [dt_mean, dt]);
            let largest = impulses.iter().copied().fold(0.0, f64::max) / dt_mean;
            if change <= ACCURACY * largest {
                break;
            }
            let (rows, q, friction) = (&self.rows, &mut self.q, &self.friction);
            rows.respond(
                |k| dt_mean * friction.force(k),
                |k, velocity| {
                    let row = &rows.rows[k];
                    q[k] = (row.gap - row.least) / dt + velocity.dot(&row.normal);
                },
            );
        }
        Ok(())
    }

    /// Counts a step with multipliers.
    fn count(&mut self) {
        let active = self.impulses.iter().filter(|z| **z > 0.0).count() as u64;
        self.counts.steps += 1;
        self.counts.gaps += self.rows.len() as u64;
        self.counts.multipliers += active;
        self.counts.most_multipliers = self.counts.most_multipliers.max(active);
    }

    /// Applies the forces of all rows to points and rigid bodies, and records them.
    ///
    /// * `factor` — 1, or −1 to take them back
    fn apply(&mut self, bodies: &mut Bodies, dt_mean: f64, is_penalty: bool, factor: f64) {
        let (rows, friction) = match is_penalty {
            true => (&self.pressed, &self.dragged),
            false => (&self.rows, &self.friction),
        };
        for (k, row) in rows.rows.iter().enumerate() {
            let size = match is_penalty {
                true => self.forces[k],
                false => self.impulses.get(k).map_or(0.0, |impulse| impulse / dt_mean),
            };
            if size <= 0.0 {
                continue;
            }
            let normal_force = factor * size;
            let (normal, along) = (normal_force * row.normal, factor * friction.force(k));
            let force = normal + along;
            rows.for_points(row, |body, point, weight| {
                bodies.flexible[body].push(point, &(weight * normal), dt_mean);
            });
            let flexible = std::cell::RefCell::new(&mut bodies.flexible);
            rows.for_friction(
                row,
                &along,
                |body, point| flexible.borrow()[body].place(point),
                |body, point, force| flexible.borrow_mut()[body].push(point, &force, dt_mean),
            );
            for end in row.rigid.iter().flatten() {
                let body = rows.rigid_body(end);
                let Some(rigid) = &mut bodies.rigid else { continue };
                let origin = if is_penalty { Origin::Penalty } else { Origin::Hard };
                rigid.push(body, &(end.sign * normal), &end.arm, origin);
                if along != Vector3::zeros() {
                    rigid.push(body, &(end.sign * along), &end.arm, Origin::Friction);
                }
                if rigid.system.bodies[body].fixed {
                    self.from_fixed[0] -= end.sign * force;
                    self.from_fixed[1] -= end.sign * row.place.cross(&force);
                }
            }
            self.pairs[row.pair as usize].note(row, normal_force, &force);
        }
    }
}
