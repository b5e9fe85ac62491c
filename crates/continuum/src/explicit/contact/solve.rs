//! Multipliers of the groups of rows of a step, and their sweeps with impacts of rigid bodies.
//!
//! Rows that move common points or bodies are a group (`row::groups`), whose multipliers depend on no other
//! row. A sweep solves the groups that are open: all of them at first, then those whose rigid bodies got
//! other velocities by impacts since the group was solved. The accuracy is relative to the fastest row of all
//! groups.

use carom_contact::solver::{LcpError, LcpMethod, LcpSolver};

use super::row::{GroupOperator, Row, Rows};
use super::{Applied, Contacts, KEPT};
use crate::explicit::StepError;
use crate::explicit::bodies::Bodies;
use crate::explicit::rigid::RigidBodies;

/// Largest number of rounds of multipliers and friction.
const ROUNDS: usize = 12;

/// Change of the velocities by impacts of rigid bodies since a group was solved, relative to the largest one
/// of all groups, up to which the group has settled.
const SETTLED: f64 = 1e-9;

/// Error of the velocity along a normal, relative to the largest one that multipliers take away in the step;
/// and of friction, relative to the largest multiplier of the group.
///
/// The nodes of both surfaces have multipliers, of which two at one place have nearly the same effect. To
/// separate them to round-off takes several times the iterations.
const ACCURACY: f64 = 1e-6;

/// Solver of the multipliers of a step, with its memory.
#[derive(Default)]
pub(super) struct Multipliers {
    pub(super) solver: LcpSolver,
    /// Error of a gap that is allowed in addition to round-off, relative to the length of its row.
    pub(super) tolerance: f64,
    /// Rate of the gaps of a group without multipliers \[m/s\], and its impulses \[N s\].
    q: Vec<f64>,
    z: Vec<f64>,
    /// Velocities that impacts of rigid bodies add along the normals of the rows, for which the rows have
    /// been solved, and at present \[m/s\].
    shift: Vec<f64>,
    shift_now: Vec<f64>,
    /// True for the groups that the next sweep solves.
    open: Vec<bool>,
    /// True if groups of this step have been solved.
    have_solved: bool,
}

impl Multipliers {
    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.shift.clear();
        self.open.clear();
        self.have_solved = false;
    }

    /// True if the group of a row is open.
    pub(super) fn are_open(&self, rows: &Rows, row: usize) -> bool {
        self.open[rows.groups.of_row(row)]
    }
}

/// Iterations of one group, and true if conjugate gradients did not find its multipliers.
#[derive(Default, Clone, Copy)]
struct Effort {
    iterations: usize,
    is_fallback: bool,
}

impl Contacts {
    /// True if a rigid body has a row of a multiplier in this step.
    pub(in crate::explicit) fn has_rigid_rows(&self) -> bool {
        self.rows.has_rigid()
    }

    /// The rigid bodies with rows of multipliers.
    pub(in crate::explicit) fn rigid_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.rigid_bodies()
    }

    /// Adds the velocities of impacts of rigid bodies to the gaps of the groups that have not settled, which
    /// are open from then on. True if all groups have settled.
    pub(in crate::explicit) fn follow_impacts(&mut self, rigid: &RigidBodies, dt: f64) -> bool {
        self.divide();
        let Self { rows, multipliers, .. } = self;
        let Multipliers { shift, shift_now, open, .. } = multipliers;
        shift.resize(rows.len(), 0.0);
        shift_now.clear();
        shift_now.extend(rows.rows.iter().map(|row| {
            let ends = row.rigid.iter().flatten().map(|end| {
                let [linear, angular] = rigid.pushed(rows.rigid_body(end));
                end.sign * (linear + angular.cross(&end.arm)).dot(&row.normal)
            });
            ends.sum::<f64>()
        }));
        let least = SETTLED * shift_now.iter().fold(0.0, |largest: f64, shift| largest.max(shift.abs()));
        open.fill(false);
        for (row, (now, known)) in shift_now.iter().zip(&*shift).enumerate() {
            if (now - known).abs() > least {
                open[rows.groups.of_row(row)] = true;
            }
        }
        for row in 0..rows.len() {
            if open[rows.groups.of_row(row)] {
                rows.rows[row].gap += dt * (shift_now[row] - shift[row]);
                shift[row] = shift_now[row];
            }
        }
        !open.contains(&true)
    }

    /// Replaces the impulses of open groups by those for the gaps with the impacts of rigid bodies.
    pub(in crate::explicit) fn correct_again(
        &mut self,
        bodies: &mut Bodies,
        time: f64,
        [dt_mean, dt]: [f64; 2],
    ) -> Result<(), StepError> {
        self.counts.sweeps += 1;
        self.apply(bodies, dt_mean, Applied::TakenBack);
        self.solve(bodies, time, [dt_mean, dt])?;
        self.apply(bodies, dt_mean, Applied::Multipliers);
        Ok(())
    }

    /// Finds the groups of the step, all open, if they are not known.
    fn divide(&mut self) {
        if self.multipliers.open.is_empty() {
            self.rows.divide();
            self.rows.weigh();
            self.multipliers.open.resize(self.rows.groups.len(), true);
        }
    }

    /// Solves the open groups.
    pub(super) fn solve(
        &mut self,
        bodies: &Bodies,
        time: f64,
        [dt_mean, dt]: [f64; 2],
    ) -> Result<(), StepError> {
        self.divide();
        self.multipliers.have_solved = true;
        self.multipliers.solver.allowed = self.scale(dt);
        let mut is_fallback = false;
        for group in 0..self.rows.groups.len() {
            if !self.multipliers.open[group] {
                continue;
            }
            let effort = self.solve_group(group, [dt_mean, dt]).map_err(|source| StepError::Contact {
                time,
                n_rows: self.rows.groups.rows.of(group).len(),
                bodies: self.names(bodies, group),
                source,
            })?;
            let share = self.rows.groups.rows.of(group).len() as f64 / self.rows.len() as f64;
            self.iterations += share * effort.iterations as f64;
            is_fallback |= effort.is_fallback;
        }
        self.counts.iterations = self.iterations.round() as u64;
        self.counts.fallbacks += u64::from(is_fallback);
        Ok(())
    }

    /// The error of a velocity along a normal that is allowed \[m/s\]: the smallest one of all rows. Rows
    /// that may have a larger one get scales by which theirs is the same.
    fn scale(&mut self, dt: f64) -> f64 {
        let Self { rows, multipliers, .. } = self;
        let fastest = rows.rows.iter().map(|row| row.least - row.gap).fold(0.0, f64::max) / dt;
        // With g_{n+1} ≥ KEPT g_n − (1 − KEPT) tolerance gaps stay above −tolerance. The whole tolerance in
        // each step would let bodies sink into each other that approach by less than that in a step.
        let tolerance = (1.0 - KEPT) * multipliers.tolerance / dt;
        let of_row = |row: &Row| f64::max(tolerance * row.length, ACCURACY * fastest);
        let range = rows.rows.iter().map(of_row);
        let [least, most] = range.fold([f64::INFINITY, 0.0], |[a, b], x| [a.min(x), f64::max(b, x)]);
        rows.scales.clear();
        if least < most {
            rows.scales.extend(rows.rows.iter().map(|row| least / of_row(row)));
        }
        if least.is_finite() { least } else { 0.0 }
    }

    /// Solves for multipliers and friction of a group in alternation.
    fn solve_group(&mut self, group: usize, [dt_mean, dt]: [f64; 2]) -> Result<Effort, LcpError> {
        let Self { rows, multipliers, impulses, friction, pairs, .. } = self;
        let Multipliers { solver, q, z, .. } = multipliers;
        let own = || rows.groups.rows.of(group).iter().map(|&row| row as usize);
        let rate = |row: usize| rows.scale(row) * (rows.rows[row].gap - rows.rows[row].least) / dt;
        q.clear();
        q.extend(own().map(rate));
        z.clear();
        z.extend(own().map(|row| impulses[row] / rows.scale(row)));
        friction.reset(own());
        let mut effort = Effort::default();
        if q.iter().all(|q| *q >= 0.0) && z.iter().all(|z| *z == 0.0) {
            return Ok(effort);
        }
        let has_friction = own().any(|row| pairs[rows.rows[row].pair as usize].friction > 0.0);
        let operator = GroupOperator { rows, group };
        for round in 0..ROUNDS {
            let solution = solver.solve(&operator, q, z, None)?;
            effort.iterations += solution.iterations;
            effort.is_fallback |= round == 0 && solution.method != LcpMethod::ConjugateGradients;
            own().zip(&*z).for_each(|(row, z)| impulses[row] = rows.scale(row) * z);
            if !has_friction {
                break;
            }
            let normal_force = |row: usize| impulses[row] / dt_mean;
            let change = friction.follow((rows, own()), pairs, normal_force, [dt_mean, dt]);
            let largest = own().map(|row| impulses[row]).fold(0.0, f64::max) / dt_mean;
            if change <= ACCURACY * largest {
                break;
            }
            rows.respond(
                group,
                |_, row| dt_mean * friction.force(row),
                |place, row, velocity| {
                    q[place] = rate(row) + rows.scale(row) * velocity.dot(&rows.rows[row].normal);
                },
            );
        }
        Ok(effort)
    }

    /// Notes the forces of the multipliers of the step, once they are final.
    pub(in crate::explicit) fn close(&mut self, bodies: &Bodies, dt_mean: f64) {
        if !self.multipliers.have_solved {
            return;
        }
        self.note(dt_mean, bodies, false);
        let active = self.impulses.iter().filter(|z| **z > 0.0).count() as u64;
        self.counts.steps += 1;
        self.counts.gaps += self.rows.len() as u64;
        self.counts.multipliers += active;
        self.counts.most_multipliers = self.counts.most_multipliers.max(active);
        for (row, impulse) in self.rows.rows.iter().zip(&self.impulses) {
            self.pairs[row.pair as usize].keep_force(row, impulse / dt_mean);
        }
    }
}
