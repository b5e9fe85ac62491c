//! Whether simplified Newton iterations converge.

/// Part of the tolerance that the iterations may leave.
const SHARE: f64 = 0.01;

/// Largest number of iterations.
const MOST: usize = 8;

/// Contraction beyond which no derivative is kept.
const POOR: f64 = 0.3;

/// Contraction up to which a derivative is kept: while the iterations that a worse one takes cost less than
/// the evaluations of a new one.
///
/// A factor κ takes ln 10⁻⁴/ln κ iterations of as many evaluations as there are stages, a new derivative one
/// for each component.
pub(crate) fn keeps(components: usize, stages: usize) -> f64 {
    let stages = stages as f64;
    (1e-4_f64.ln() * stages / (components as f64 + 1.5 * stages)).exp().min(POOR)
}

/// What an iteration says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// Another one.
    GoOn,
    /// The rest is a small part of the tolerance.
    Converged,
    /// It will not come to that in time.
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

    /// Takes the change of the last iteration, in units of the tolerance.
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
            // Also where it is not a number.
            let converges = self.contraction < 0.99 && expected <= SHARE;
            if !converges {
                return Verdict::Failed;
            }
        }
        self.last = change;
        // One change says nothing of the next, unless it is next to nothing.
        let rest = if first { 1e3 * change } else { self.contraction / (1.0 - self.contraction) * change };
        match rest <= SHARE {
            true => Verdict::Converged,
            false if self.done == MOST => Verdict::Failed,
            false => Verdict::GoOn,
        }
    }
}
