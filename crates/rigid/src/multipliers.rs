//! Contact by Lagrange multipliers: an inelastic phase finds the pairs that touch, an elastic one their impulses.
//!
//! ```text
//! inelastic:  0 ≤ g_{n+1}(λ) − min(g_n, 0) ⟂ λ ≥ 0          contacts that stay open leave
//! elastic:    0 ≤ u₊ + e u₋ ⟂ λ ≥ 0                          on those that are left
//! ```
//!
//! With e = 1 no energy is lost: Σ λ (u₋ + u₊)/2 = 0 (THEORY 6.3). A gap that was closed before is not opened in one step, it
//! only must not close further. u₊ depends on λ through the rotation, so that the elastic phase is Newton's method: each of
//! its linear complementarity problems gives the contacts that carry impulses, for which the equations are then solved to
//! round-off.
//!
//! # Source
//!
//! Zywicz & Puso (1999), section 4.2, eqs. (58) to (60).

use carom_contact::solver::{Dense, LcpSolver};

use crate::contact::{Contact, Rows};
use crate::elimination;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

const MAX_ITERATIONS: usize = 30;

/// Velocities that are zero but for round-off, relative to the largest.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Velocities that are as good as zero where round-off is not reached.
const SMALL: f64 = 1e-12;

/// A gap that stays closed without an impulse, since others repeat it, relative to the largest change of a gap.
const STAYS: f64 = 1e-9;

/// Memory of the solution.
#[derive(Default)]
pub(crate) struct Multipliers {
    lcp: LcpSolver,
    matrix: Dense,
    scale: Vec<f64>,
    q: Vec<f64>,
    z: Vec<f64>,
    small: Vec<f64>,
    change: Vec<f64>,
    active: Vec<usize>,
    columns: Vec<usize>,
}

impl Multipliers {
    /// Makes room for n contacts.
    pub(crate) fn reserve(&mut self, n: usize) {
        for list in [&mut self.scale, &mut self.q, &mut self.z, &mut self.change] {
            list.reserve(n);
        }
        self.small.reserve(n * n);
        self.active.reserve(n);
        self.columns.reserve(n);
        self.lcp.resize(n);
    }

    /// Removes the contacts that do not touch. `rows` are their normals, evaluated without impulses.
    pub(crate) fn inelastic_phase(
        &mut self,
        contacts: &mut Vec<Contact>,
        rows: &Rows,
        step: &Step<'_>,
    ) -> Result<bool, Unsolved> {
        let n = contacts.len();
        self.q.clear();
        self.q.extend(contacts.iter().map(|c| 2.0 / step.dt * (c.gap_new - c.gap_old)));
        if n == 1 {
            contacts.retain(|contact| contact.gap_new < contact.gap_old);
            return Ok(contacts.is_empty());
        }
        self.lcp(rows)?;
        let largest = self.q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        let mut number = 0;
        let (z, q, mobility) = (&self.z, &self.q, &rows.mobility);
        contacts.retain(|_| {
            let i = number;
            number += 1;
            let opens: f64 = q[i] + (0..n).map(|j| mobility[i * n + j] * z[j]).sum::<f64>();
            z[i] > 0.0 || opens <= STAYS * largest
        });
        Ok(contacts.len() < n)
    }

    /// Impulses that bring about the restitution.
    pub(crate) fn elastic_phase(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        let n = rows.n();
        // At the end all of these may be zero.
        let speed = rows.speed();
        let rounded = contacts.iter().fold(speed, |m: f64, contact| m.max(contact.speed(stages)));
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.q.clear();
            for (i, contact) in contacts.iter().enumerate() {
                let linear: f64 = (0..n).map(|j| rows.mobility[i * n + j] * rows.impulse[j]).sum();
                self.q.push(rows.after[i] + contact.restitution * rows.before[i] - linear);
            }
            self.lcp(rows)?;
            self.refine(rows);
            rows.impulse.copy_from_slice(&self.z);
            rows.evaluate(stages, step)?;
            let error = self.error(contacts, rows);
            if error <= ROUND_OFF * speed || (error >= 0.5 * last && error <= SMALL * rounded) {
                return Ok(());
            }
            last = error;
        }
        Err(Unsolved::Impulses { contacts: n, residual: last, speed })
    }

    /// Largest violation of 0 ≤ u₊ + e u₋ ⟂ λ \[m/s\].
    fn error(&self, contacts: &[Contact], rows: &Rows) -> f64 {
        let of = |(i, contact): (usize, &Contact)| {
            let opening = rows.after[i] + contact.restitution * rows.before[i];
            if rows.impulse[i] > 0.0 { opening.abs() } else { (-opening).max(0.0) }
        };
        contacts.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// z ≥ 0, M z + q ≥ 0, z·(M z + q) = 0 with the symmetric part of the mobility, scaled to ones on its diagonal.
    fn lcp(&mut self, rows: &Rows) -> Result<(), Unsolved> {
        let n = rows.n();
        self.z.clear();
        if n == 1 {
            self.z.push((-self.q[0] / rows.mobility[0]).max(0.0));
            return Ok(());
        }
        self.z.resize(n, 0.0);
        self.scale.clear();
        self.scale.extend((0..n).map(|i| 1.0 / rows.mobility[i * n + i].sqrt()));
        let (s, m) = (&self.scale, &rows.mobility);
        self.matrix.fill(n, |i, j| 0.5 * s[i] * s[j] * (m[i * n + j] + m[j * n + i]))?;
        let size = self.q.iter().zip(s).fold(0.0, |m: f64, (q, s)| m.max((q * s).abs()));
        if size == 0.0 {
            return Ok(());
        }
        self.small.clear();
        self.small.extend(self.q.iter().zip(s).map(|(q, s)| q * s / size));
        self.lcp.solve(&self.matrix, &self.small, &mut self.z, None)?;
        self.z.iter_mut().zip(s).for_each(|(z, s)| *z *= s * size);
        Ok(())
    }

    /// Solves M_aa z_a + q_a = 0 of the contacts with impulses to round-off, with M as it is; the solution of the
    /// complementarity problem stays where that would pull.
    fn refine(&mut self, rows: &Rows) {
        let n = rows.n();
        self.active.clear();
        self.active.extend((0..n).filter(|&i| self.z[i] > 0.0));
        let (active, z) = (&self.active, &self.z);
        self.small.clear();
        self.small.extend(active.iter().flat_map(|&i| active.iter().map(move |&j| rows.mobility[i * n + j])));
        self.change.clear();
        self.change.extend(
            active
                .iter()
                .map(|&i| -self.q[i] - active.iter().map(|&j| rows.mobility[i * n + j] * z[j]).sum::<f64>()),
        );
        elimination::solve(&mut self.small, &mut self.change, &mut self.columns);
        for (k, &i) in self.active.iter().enumerate() {
            let refined = self.z[i] + self.change[k];
            if refined > 0.0 {
                self.z[i] = refined;
            }
        }
    }
}
