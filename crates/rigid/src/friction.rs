//! Coulomb friction with multipliers and with penalties: one cone complementarity problem per iteration.
//!
//! ```text
//! K ∋ r ⟂ u + μ |u_T| e_N ∈ K*,   u_N = u₊ + e u₋ (multipliers),   u_T = tangential u₊
//! ```
//!
//! A contact sticks if it ends the step without tangential velocity. The work r_T·(u₋ + u₊)/2 is then never
//! positive for a contact alone; the ledger contains it as friction loss. Springs have u_N = u₊ + C r_N +
//! b, see `law`. Finally the normal impulses are refined to round-off.

pub(crate) mod many;
pub(crate) mod memory;

use carom_contact::solver::{Dense, FrictionProblem, FrictionSolver};

use crate::contact::{Contact, Rows};
use crate::law::NormalLaw;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

const MAX_ITERATIONS: usize = 60;

/// Error of the contact laws, relative to the largest velocity or the largest impulse of springs, at which
/// the iteration ends. The energy balance closes nevertheless: it contains the actual tangential work, and
/// the laws of the normals are met to round-off afterwards.
const SMALL: f64 = 2.0 * CONE;

/// Relative residual at which a cone problem counts as solved: where feet repeat each other the last digits
/// converge slowly.
const CONE: f64 = 1e-7;

/// Memory of the solution.
#[derive(Default)]
pub(crate) struct Friction {
    solver: FrictionSolver,
    matrix: Dense,
    q: Vec<f64>,
    r: Vec<f64>,
    expected: Vec<f64>,
    compliance: Vec<f64>,
    coefficients: Vec<f64>,
    pub(crate) path: many::Path,
}

impl Friction {
    /// Impulses with friction; at entry impulses are zero.
    pub(crate) fn solve(
        &mut self,
        contacts: &mut [Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        self.coefficients.clear();
        self.coefficients.extend(contacts.iter().map(|c| c.friction));
        // Velocities by the loads alone: for bodies at rest there are no others.
        let speed = rows.speed().max(f64::MIN_POSITIVE);
        let mut missed = f64::INFINITY;
        if rows.by_blocks {
            self.begin_by_blocks(contacts, rows, stages, step)?;
        }
        for _ in 0..MAX_ITERATIONS {
            if rows.by_blocks {
                if !self.cone_by_blocks(contacts, rows, stages, step) {
                    break;
                }
            } else {
                rows.set_mobility(stages, step);
                self.linearise(contacts, rows, step);
                self.cone(rows)?;
                self.expect(rows);
            }
            rows.impulse.copy_from_slice(&self.r);
            rows.evaluate(stages, step)?;
            missed = self.missed(contacts, rows, step, speed);
            if missed <= SMALL {
                if rows.by_blocks {
                    Self::accept_returns(contacts, rows);
                }
                return Ok(());
            }
        }
        Err(Unsolved::Friction { contacts: contacts.len(), missed })
    }

    /// The velocities that the linear problem predicts for its impulses.
    fn expect(&mut self, rows: &Rows) {
        let n = rows.n();
        self.expected.clear();
        for i in 0..n {
            let change: f64 = (0..n).map(|j| rows.mobility[i * n + j] * (self.r[j] - rows.impulse[j])).sum();
            self.expected.push(rows.after[i] + change);
        }
    }

    /// Deviation of the velocities from those of the linear problem, relative to `speed`, and of impulses
    /// from those of their springs, relative to the largest.
    fn missed(&self, contacts: &[Contact], rows: &Rows, step: &Step<'_>, speed: f64) -> f64 {
        let curved = self.expected.iter().zip(&rows.after).map(|(e, u)| (e - u).abs()).fold(0.0, f64::max);
        let largest = rows.impulse.iter().fold(f64::MIN_POSITIVE, |m: f64, r| m.max(r.abs()));
        let spring = |(i, contact): (usize, &Contact)| {
            let (f, _) = contact.spring_force(rows.before[3 * i], rows.after[3 * i], step.dt);
            (rows.impulse[3 * i] - step.dt * f).abs() / largest
        };
        let springs = contacts.iter().enumerate().filter(|(_, contact)| !contact.is_multiplier());
        springs.map(spring).fold(curved / speed, f64::max)
    }

    /// q and the compliance of springs: u = (M + C) r + q.
    fn linearise(&mut self, contacts: &[Contact], rows: &Rows, step: &Step<'_>) {
        let n = rows.n();
        self.q.clear();
        self.compliance.clear();
        for i in 0..n {
            let linear: f64 = (0..n).map(|j| rows.mobility[i * n + j] * rows.impulse[j]).sum();
            let law = if i % 3 == 0 {
                NormalLaw::at(&contacts[i / 3], rows.before[i], rows.after[i], step.dt)
            } else {
                NormalLaw::TANGENT
            };
            self.q.push(rows.after[i] + law.offset - linear);
            self.compliance.push(law.compliance);
        }
    }

    /// The cone problem in scaled numbers.
    fn cone(&mut self, rows: &Rows) -> Result<(), Unsolved> {
        let n = rows.n();
        let (m, c) = (&rows.mobility, &self.compliance);
        let unit = (0..n).map(|i| m[i * n + i]).fold(0.0, f64::max);
        let size = self.q.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        self.r.clear();
        if size == 0.0 {
            self.r.resize(n, 0.0);
            return Ok(());
        }
        self.r.extend(rows.impulse.iter().map(|r| r * unit / size));
        let entry = |i: usize, j: usize| (m[i * n + j] + if i == j { c[i] } else { 0.0 }) / unit;
        self.matrix.fill(n, entry)?;
        self.q.iter_mut().for_each(|q| *q /= size);
        let problem =
            FrictionProblem { operator: &self.matrix, q: &self.q, friction: &self.coefficients, dim: 3 };
        self.solver.solve_nearly(problem, &mut self.r, None, CONE)?;
        self.r.iter_mut().for_each(|r| *r *= size / unit);
        Ok(())
    }
}
