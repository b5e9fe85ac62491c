//! Newton's method along the path, τ after τ: for paths that do not turn back, and from a point near the end.

use super::{CONE, LAST, NEAR, Path, Point, ROUNDING};
use crate::contact::Rows;
use crate::search::Step;
use crate::stage::Stage;

/// τ is multiplied by this once |F| is less than a part of it.
const REDUCED: f64 = 0.3;

/// Steps of Newton's method.
const STEPS: usize = 60;

/// Steps at one τ, after which τ is reduced by the root of its factor instead, and the factor nearest to one.
const PATIENCE: usize = 12;
const SLOWEST: f64 = 0.95;

/// The shortest part of a step.
const SHORTEST: f64 = 1e-6;

impl Path {
    /// Goes along the path from τ and the present point; false if it turns back or takes too many steps.
    pub(super) fn follow(
        &mut self,
        mut tau: f64,
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        let (mut factor, mut here, mut solved) = (REDUCED, 0, None);
        for _ in 0..STEPS {
            let mut norm = self.norm(&self.now, tau, rows);
            while norm <= NEAR * tau + ROUNDING && tau > LAST {
                self.level.clone_from(&self.now);
                solved = Some(tau);
                factor = if here * 4 <= PATIENCE { factor.min(REDUCED).max(factor * factor) } else { factor };
                here = 0;
                tau *= factor;
                norm = self.norm(&self.now, tau, rows);
            }
            if self.residual(rows) <= CONE * self.size {
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
                _ if tau > LAST => (tau, factor, here) = (REDUCED * tau, REDUCED, 0),
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
}
