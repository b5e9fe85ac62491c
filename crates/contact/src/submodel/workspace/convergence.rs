//! When the iteration has converged, and the worst pressure cell if it has not.

use super::super::model::QuasistaticContact;
use super::super::unknowns::Unknowns;
use super::super::{SolveError, Tolerances};
use super::Workspace;
use super::progress::{Change, Progress};

/// Least contraction that is assumed of an iteration: the first passes seem to contract better, as the error
/// of the gaps is of second order there, but the curvature that Gauss-Newton leaves out contracts by 0.01 or
/// so.
const CONTRACTION: f64 = 0.02;

impl Workspace {
    /// Largest change of a displacement, or of a penalty's own gap, by the step.
    pub(super) fn change(&self, unknowns: &Unknowns) -> Change {
        let [change, scale] = self.now.change(&self.base);
        let mut result = Change { change, scale };
        for (row, _) in self.now.loaded().chain(self.base.loaded()) {
            let (new, old, d) = (self.now.of_row(row), self.base.of_row(row), unknowns.law_compliance(row));
            result.change = result.change.max(d * (new - old).abs());
            result.scale = result.scale.max(d * new.abs());
        }
        result
    }

    /// True if the estimated error is below the tolerance, or round-off allows no progress.
    pub(super) fn has_converged(
        &mut self,
        progress: &Progress,
        now: Change,
        tolerances: &Tolerances,
    ) -> bool {
        let floor = progress.rounding;
        let allowed = tolerances.relative * now.scale + floor;
        let error = match progress.change {
            // A sequence that contracts by κ is at most κ/(1 − κ) times its last change from its limit.
            Some(last) if progress.part == 1.0 && now.change < 0.5 * last.change => {
                let kappa = (now.change / last.change).max(CONTRACTION);
                now.change * kappa / (1.0 - kappa)
            }
            _ => now.change,
        };
        let (out, history) = (&mut self.solution, &self.history);
        out.error = if now.scale > 0.0 { error / now.scale } else { 0.0 };
        if error <= allowed {
            return true;
        }
        // Round-off: three passes without progress, all of them nearly converged.
        let n = history.len();
        let near = now.change <= 1e-7 * now.scale + 8.0 * floor;
        let best = history.iter().rev().skip(2).fold(f64::INFINITY, |a, b| a.min(*b));
        let stalled = n >= 5 && now.change >= best && history[n - 1] >= best && history[n - 2] >= best;
        out.stagnated = near && stalled;
        out.stagnated
    }

    /// The error after the last pass that is allowed.
    pub(super) fn not_converged(&self, change: Change, model: &QuasistaticContact) -> SolveError {
        let (pair, cell, gap) = self.worst(model);
        let Change { change, scale } = change;
        let (passes, history) = (self.solution.passes, self.history.clone());
        SolveError::NotConverged { passes, change, scale, pair, cell, gap, history }
    }

    /// The cell that violates 0 ≤ λ ⊥ g + d λ ≥ 0 most: its pair, its number in the pair, and its gap.
    pub(super) fn worst(&self, model: &QuasistaticContact) -> (usize, usize, f64) {
        let (pairs, unknowns, gap) = (&model.pairs, &model.unknowns, self.gaps.all());
        let violation = |s: usize| {
            let row = unknowns.normal(s);
            let lambda = self.now.of_row(row);
            let w = gap[s] + unknowns.law_compliance(row) * lambda;
            if lambda > 0.0 { w.abs() } else { (-w).max(0.0) }
        };
        let cells = self.gaps.near_cells(pairs).filter(|&s| self.gaps.is_evaluated(s));
        let worst = cells.max_by(|&a, &b| violation(a).total_cmp(&violation(b))).unwrap_or(0);
        if unknowns.n_cells() == 0 {
            return (0, 0, 0.0);
        }
        let pair = pairs.pair_of(worst);
        (pair, worst - pairs.get(pair).cell_offset, gap[worst])
    }
}
