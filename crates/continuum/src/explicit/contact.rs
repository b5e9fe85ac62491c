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
mod solve;
mod spring;
mod wall;

use carom_contact::solver::StepRule;
use nalgebra::Vector3;

use super::bodies::Bodies;
use super::problem::Problem;
use super::rigid::Origin;
use super::{SetupError, StepError};
pub(super) use meeting::Meeting;
pub(super) use pair::{Edges, Pair};
pub(super) use results::Powers;
use row::Rows;
use slip::Friction;
use solve::Multipliers;

/// Part of a gap below zero that remains after a step.
const KEPT: f64 = 0.99;

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
    /// Iterations of conjugate gradients, summed and rounded. Those of a group of rows count by its part of
    /// all rows of the step, so that an iteration is a product with the whole matrix.
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
    multipliers: Multipliers,
    pub(super) counts: ContactCounts,
    /// The iterations before they are rounded.
    pub(super) iterations: f64,
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
            multipliers: Multipliers::default(),
            counts: ContactCounts::default(),
            iterations: 0.0,
            potential: 0.0,
            from_fixed: [Vector3::zeros(); 2],
            deepest: 0.0,
            pairs,
        })
    }

    /// Sets the accuracy of multipliers.
    ///
    /// * `tolerance` — error of a gap, relative to the thickness or the diagonal of its face
    pub(super) fn set_accuracy(&mut self, tolerance: f64, rule: StepRule) {
        self.multipliers.tolerance = tolerance;
        self.multipliers.solver.set_rule(rule);
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
        self.dragged.reset(0..self.pressed.len());
        if self.pairs.iter().any(|pair| !pair.is_hard() && pair.friction > 0.0) {
            self.pressed.weigh();
            let (forces, rows) = (&self.forces, (&self.pressed, 0..self.pressed.len()));
            self.dragged.follow(rows, &mut self.pairs, |k| forces[k], [dt_mean, dt]);
        }
        self.apply(bodies, dt_mean, Applied::Penalties);
        self.note(dt_mean, bodies, true);
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
        self.multipliers.begin();
        let depth = self.rows.rows.iter().map(|row| row.least - row.gap).fold(0.0, f64::max);
        self.note_depth();
        self.impulses.clear();
        if depth <= 0.0 {
            // Impacts of rigid bodies may close these gaps.
            self.impulses.resize(self.rows.len(), 0.0);
            self.friction.reset(0..self.rows.len());
            return Ok(());
        }
        self.rows.rows.retain(|row| row.gap - row.least <= BAND * depth);
        let (pairs, rows) = (&mut self.pairs, &self.rows.rows);
        self.impulses.extend(rows.iter().map(|row| dt_mean * pairs[row.pair as usize].last_force(row)));
        self.friction.reset(0..rows.len());
        self.solve(bodies, time, [dt_mean, dt])?;
        self.apply(bodies, dt_mean, Applied::Multipliers);
        Ok(())
    }

    /// Applies the forces of rows to points and rigid bodies.
    fn apply(&mut self, bodies: &mut Bodies, dt_mean: f64, which: Applied) {
        let is_penalty = which == Applied::Penalties;
        let factor = if which == Applied::TakenBack { -1.0 } else { 1.0 };
        let (rows, friction) = match is_penalty {
            true => (&self.pressed, &self.dragged),
            false => (&self.rows, &self.friction),
        };
        for (k, row) in rows.rows.iter().enumerate() {
            let size = self.normal_force(k, dt_mean, is_penalty);
            if size <= 0.0 || !is_penalty && !self.multipliers.are_open(rows, k) {
                continue;
            }
            let (normal, along) = (factor * size * row.normal, factor * friction.force(k));
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
                let Some(rigid) = &mut bodies.rigid else { continue };
                let origin = if is_penalty { Origin::Penalty } else { Origin::Hard };
                let body = rows.rigid_body(end);
                rigid.push(body, &(end.sign * normal), &end.arm, origin);
                if along != Vector3::zeros() {
                    rigid.push(body, &(end.sign * along), &end.arm, Origin::Friction);
                }
            }
        }
    }

    /// Adds the forces of rows to those of their pairs and of fixed bodies, once they are final.
    fn note(&mut self, dt_mean: f64, bodies: &Bodies, is_penalty: bool) {
        let (rows, friction) = match is_penalty {
            true => (&self.pressed, &self.dragged),
            false => (&self.rows, &self.friction),
        };
        for (k, row) in rows.rows.iter().enumerate() {
            let size = self.normal_force(k, dt_mean, is_penalty);
            if size <= 0.0 {
                continue;
            }
            let force = size * row.normal + friction.force(k);
            for end in row.rigid.iter().flatten() {
                let body = rows.rigid_body(end);
                if bodies.rigid.as_ref().is_some_and(|rigid| rigid.system.bodies[body].fixed) {
                    self.from_fixed[0] -= end.sign * force;
                    self.from_fixed[1] -= end.sign * row.place.cross(&force);
                }
            }
            self.pairs[row.pair as usize].note(row, size, &force);
        }
    }
}

/// The rows whose forces are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applied {
    Penalties,
    /// Multipliers of open groups.
    Multipliers,
    /// The same with the opposite sign.
    TakenBack,
}
