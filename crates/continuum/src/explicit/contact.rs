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
//! closing it at once would eject the node with the velocity −g/dt.
//!
//! Friction has no multipliers: each contact has a spring that follows its slip, and slides at the limit μ λ.
//! Friction forces change the gaps, so that multipliers and friction are found in alternation.
//!
//! # Source
//!
//! Zywicz & Puso (1999), eqs. (8)–(18). The weights of forces are our own (`row::balance`): the paper's
//! forces on node and face have a moment if the surfaces slide.

mod pair;
mod row;
mod slip;
mod spring;
mod wall;

use carom_contact::solver::{LcpMethod, LcpSolver};
use nalgebra::Vector3;

use super::bodies::Bodies;
use super::problem::Problem;
use super::{SetupError, StepError};
pub(super) use pair::Pair;
use row::Rows;
use slip::Friction;

/// Part of a gap below zero that remains after a step.
const KEPT: f64 = 0.99;

/// Largest number of rounds of multipliers and friction, and the tolerance: the change of friction relative
/// to the largest multiplier.
const ROUNDS: usize = 12;
const SETTLED: f64 = 1e-9;

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
}

/// Powers of the contact forces on deformable bodies at t_n: f·v_{n−1/2} and f·(v_{n−1/2} + v_{n+1/2}) \[W\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Powers {
    pub(super) hard: [f64; 2],
    pub(super) penalty: [f64; 2],
    pub(super) friction: [f64; 2],
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
    solver: LcpSolver,
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
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            pressed: Rows::new(bodies),
            rows: Rows::new(bodies),
            dragged: Friction::default(),
            friction: Friction::default(),
            forces: Vec::new(),
            impulses: Vec::new(),
            q: Vec::new(),
            solver: LcpSolver::default(),
            counts: ContactCounts::default(),
            potential: 0.0,
            from_fixed: [Vector3::zeros(); 2],
            deepest: 0.0,
            pairs,
        })
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
                let stiffness = pair.stiffness(row.side, row.node);
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
        self.apply(bodies, dt_mean, true);
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
        let depth = self.rows.rows.iter().map(|row| row.least - row.gap).fold(0.0, f64::max);
        self.note_depth();
        if depth <= 0.0 {
            self.impulses.clear();
            return Ok(());
        }
        self.rows.rows.retain(|row| row.gap - row.least <= BAND * depth);
        self.solve(bodies, time, [dt_mean, dt])?;
        self.apply(bodies, dt_mean, false);
        Ok(())
    }

    /// Solves for multipliers and friction in alternation.
    fn solve(&mut self, bodies: &Bodies, time: f64, [dt_mean, dt]: [f64; 2]) -> Result<(), StepError> {
        let n = self.rows.len();
        self.q.clear();
        self.q.extend(self.rows.rows.iter().map(|row| (row.gap - row.least) / dt));
        self.impulses.clear();
        self.impulses.resize(n, 0.0);
        let has_friction = self.rows.rows.iter().any(|row| self.pairs[row.pair as usize].friction > 0.0);
        self.friction.reset(n);
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
            if change <= SETTLED * largest {
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
        let active = self.impulses.iter().filter(|z| **z > 0.0).count() as u64;
        self.counts.steps += 1;
        self.counts.gaps += n as u64;
        self.counts.multipliers += active;
        self.counts.most_multipliers = self.counts.most_multipliers.max(active);
        Ok(())
    }

    /// Applies the forces of all rows to points and rigid bodies, and records them.
    fn apply(&mut self, bodies: &mut Bodies, dt_mean: f64, is_penalty: bool) {
        let (rows, friction) = match is_penalty {
            true => (&self.pressed, &self.dragged),
            false => (&self.rows, &self.friction),
        };
        for (k, row) in rows.rows.iter().enumerate() {
            let normal_force = if is_penalty { self.forces[k] } else { self.impulses[k] / dt_mean };
            if normal_force <= 0.0 {
                continue;
            }
            let (normal, along) = (normal_force * row.normal, friction.force(k));
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
                rigid.push(body, &(end.sign * force), &end.arm);
                if rigid.system.bodies[body].fixed {
                    self.from_fixed[0] -= end.sign * force;
                    self.from_fixed[1] -= end.sign * row.place.cross(&force);
                }
            }
            self.pairs[row.pair as usize].note(row, normal_force, &force);
        }
    }

    /// Powers at t_n, once all velocities are known.
    pub(super) fn powers(&self, bodies: &Bodies, dt_mean: f64) -> Powers {
        let mut powers = Powers::default();
        for (rows, friction, is_penalty) in
            [(&self.pressed, &self.dragged, true), (&self.rows, &self.friction, false)]
        {
            for (k, row) in rows.rows.iter().enumerate() {
                let normal_force = match is_penalty {
                    true => self.forces[k],
                    false => self.impulses.get(k).map_or(0.0, |z| z / dt_mean),
                };
                if normal_force <= 0.0 {
                    continue;
                }
                let mut relative = [Vector3::zeros(); 2];
                rows.for_points(row, |body, point, weight| {
                    let [behind, ahead] = bodies.flexible[body].velocities(point);
                    relative[0] += weight * behind;
                    relative[1] += weight * (behind + ahead);
                });
                let normal = if is_penalty { &mut powers.penalty } else { &mut powers.hard };
                (0..2).for_each(|i| normal[i] += normal_force * row.normal.dot(&relative[i]));
                rows.for_friction(
                    row,
                    &friction.force(k),
                    |body, point| bodies.flexible[body].place(point),
                    |body, point, force| {
                        let [behind, ahead] = bodies.flexible[body].velocities(point);
                        powers.friction[0] += force.dot(&behind);
                        powers.friction[1] += force.dot(&(behind + ahead));
                    },
                );
            }
        }
        powers
    }

    fn note_depth(&mut self) {
        for row in self.rows.rows.iter().chain(&self.pressed.rows) {
            let pair = &mut self.pairs[row.pair as usize];
            pair.deepest = pair.deepest.max(-row.gap_now);
            pair.least_gap = pair.least_gap.min(row.gap_now);
            self.deepest = self.deepest.max(-row.gap_now);
        }
    }

    fn names(&self, bodies: &Bodies) -> String {
        let mut numbers: Vec<usize> =
            self.rows.rows.iter().flat_map(|row| self.pairs[row.pair as usize].bodies).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let name = |number: &usize| bodies.name(*number).to_owned();
        numbers.iter().map(name).collect::<Vec<_>>().join(", ")
    }
}
