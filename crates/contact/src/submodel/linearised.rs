//! The problem linearised at a pass: complementarity of the condensed rows, and the move to its solution.

use super::workspace::Workspace;
use super::{QuasistaticContact, SolveError, WarmState};
use crate::solver::Method;

impl QuasistaticContact {
    /// Solves the problem linearised at the last pass and moves to f = Bᵀ λ, u = U f.
    ///
    /// ```text
    /// 0 ≤ λ ⊥ g + B (û − u_k) + W (λ − λ_k) + d λ ≥ 0,   û = U Bᵀ λ_k
    /// ```
    ///
    /// û differs from u_k as the rows have turned since u_k was found. Without that term the step is no
    /// descent direction of E: the turn is of the size of the remaining gaps. W may be that of an earlier
    /// pass.
    ///
    /// Returns false if a span got a force whose gap was not looked at in this pass: it has none then, and is
    /// looked at.
    pub(super) fn solve_linearised(
        &self,
        warm: &mut WarmState,
        work: &mut Workspace,
    ) -> Result<bool, SolveError> {
        let n = warm.condensed.len();
        let mut q = std::mem::take(&mut work.condensed.q);
        q.clear();
        q.extend(warm.condensed.iter().map(|&r| self.opening(r as usize, work)));
        work.condensed.q = q;
        self.gather_forces(work);
        self.add_turn(work);
        let condensed = &mut work.condensed;
        condensed.z.clear();
        condensed.z.extend(warm.condensed.iter().map(|&r| work.lambda[r as usize]));
        for j in (0..n).filter(|&j| condensed.z[j] != 0.0) {
            let (column, z) = (condensed.w.col_as_slice(j), condensed.z[j]);
            condensed.q.iter_mut().zip(column).for_each(|(q, w)| *q -= w * z);
        }
        work.solution.fallbacks += usize::from(self.solve_condensed(warm, work)?);
        work.lambda.fill(0.0);
        let mut complete = true;
        for (&r, &z) in warm.condensed.iter().zip(&work.condensed.z).filter(|(_, z)| **z != 0.0) {
            let span = r as usize / self.n_parts;
            if work.spans.evaluated[span] {
                work.lambda[r as usize] = z;
            } else {
                warm.spans[span].slack = f64::NEG_INFINITY;
                complete = false;
            }
        }
        self.gather_forces(work);
        self.respond_to_forces(work);
        Ok(complete)
    }

    /// What a row says without any further force: the gap, or the slip with the law's part of the force it
    /// started from \[m\].
    fn opening(&self, row: usize, work: &Workspace) -> f64 {
        let (span, part) = (row / self.n_parts, row % self.n_parts);
        if part == 0 {
            return work.spans.gap[span];
        }
        let slip = &work.slip;
        if slip.friction[span] > 0.0 {
            slip.slip[span][part - 1] - self.law_compliance(row) * slip.before[span][part - 1]
        } else {
            0.0
        }
    }

    /// Solves the complementarity problem of the condensed rows; true if the first method did not do.
    fn solve_condensed(&self, warm: &WarmState, work: &mut Workspace) -> Result<bool, SolveError> {
        let condensed = &mut work.condensed;
        let n = warm.condensed.len();
        let Some(friction) = &mut condensed.friction else {
            let report = condensed
                .solver
                .solve(&condensed.q, &mut condensed.z)
                .map_err(|source| SolveError::Complementarity { spans: n, source })?;
            return Ok(report.method == Method::Lemke);
        };
        let slip = &mut work.slip;
        let spans = warm.condensed.iter().step_by(3).map(|&r| r as usize / 3);
        let coefficients = spans.map(|span| slip.friction[span]);
        let sliding = &mut slip.sliding;
        let mut take = |k: usize, motion: f64| {
            if !k.is_multiple_of(3) {
                sliding[warm.condensed[k] as usize / 3][k % 3 - 1] = motion;
            }
        };
        friction
            .solve(&condensed.q, coefficients, &mut condensed.z, &mut take)
            .map_err(|source| SolveError::Friction { spans: n / 3, source })
    }
}
