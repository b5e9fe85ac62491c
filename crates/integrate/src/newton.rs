//! Convergence of simplified Newton iterations.

/// Fraction of the tolerance that may remain after the iterations.
const SHARE: f64 = 0.01;

/// Largest number of iterations.
const MOST: usize = 8;

/// Contraction above which derivatives are not kept.
const POOR: f64 = 0.3;

/// Contraction up to which a derivative is kept: the additional iterations with an old one then cost less
/// than the evaluations for a new one.
///
/// A factor κ needs ln 10⁻⁴/ln κ iterations, each with as many evaluations as there are stages; a new
/// derivative needs one evaluation for each component.
pub(crate) fn keeps(components: usize, stages: usize) -> f64 {
    let stages = stages as f64;
    (1e-4_f64.ln() * stages / (components as f64 + 1.5 * stages)).exp().min(POOR)
}

/// Result of an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// Another iteration is needed.
    GoOn,
    /// The remaining error is a small part of the tolerance.
    Converged,
    /// The iterations will not converge in time.
    Failed,
}

/// Changes of the unknowns from iteration to iteration (Hairer & Wanner, IV.8).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Iterations {
    done: usize,
    last: f64,
    /// Ratio of successive changes; 0 after one iteration.
    pub(crate) contraction: f64,
}

impl Iterations {
    pub(crate) const START: Self = Self { done: 0, last: f64::INFINITY, contraction: 0.0 };

    /// Adds the change of the last iteration, in units of the tolerance.
    pub(crate) fn judge(&mut self, change: f64) -> Verdict {
        let first = self.done == 0;
        self.done += 1;
        if !change.is_finite() {
            return Verdict::Failed;
        }
        if !first && change > 0.0 {
            let ratio = change / self.last;
            self.contraction = if self.done == 2 { ratio } else { (ratio * self.contraction).sqrt() };
            let left = (MOST - self.done) as i32;
            let expected = self.contraction.powi(left) / (1.0 - self.contraction) * change;
            // False for NaN too.
            let converges = self.contraction < 0.99 && expected <= SHARE;
            if !converges {
                return Verdict::Failed;
            }
        }
        self.last = change;
        // A single change does not give a contraction, and must be very small.
        let rest = if first { 1e3 * change } else { self.contraction / (1.0 - self.contraction) * change };
        match rest <= SHARE {
            true => Verdict::Converged,
            false if self.done == MOST => Verdict::Failed,
            false => Verdict::GoOn,
        }
    }
}
