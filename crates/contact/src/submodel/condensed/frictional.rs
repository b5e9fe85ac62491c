//! The linearised problem with friction, scaled so that its numbers are of the size 1.

use crate::solver::{Dense, FrictionError, FrictionMethod, FrictionProblem, FrictionSolver};

/// W + d of pressure cells with three rows each, and the solver of cone complementarity.
///
/// The solver judges residuals that mix forces and lengths, so it gets r̂ = (w/L) r and û = u/L with w the
/// mean of the diagonal and L the largest entry of q.
#[derive(Default)]
pub(super) struct FrictionalProblem {
    solver: FrictionSolver,
    matrix: Dense,
    /// w \[m/N\].
    compliance: f64,
    q: Vec<f64>,
    r: Vec<f64>,
    start: Vec<f64>,
    friction: Vec<f64>,
    /// W z + q of each row at the last solution \[m\].
    motion: Vec<f64>,
}

impl FrictionalProblem {
    /// Makes room for n unknowns.
    pub(super) fn resize(&mut self, n: usize) {
        self.solver.resize(n);
        for values in [&mut self.q, &mut self.r, &mut self.start, &mut self.friction, &mut self.motion] {
            values.clear();
            values.reserve(n);
        }
    }

    /// Sets W + d of n rows; a row of zeros, of a cell without friction, gets a diagonal.
    pub(super) fn set_matrix(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) {
        let normal = (0..n).step_by(3).map(|i| entry(i, i)).sum::<f64>();
        self.compliance = if normal > 0.0 { 3.0 * normal / n as f64 } else { 1.0 };
        let inverse = 1.0 / self.compliance;
        let scaled = |i: usize, j: usize| {
            let value = entry(i, j) * inverse;
            if i == j && value == 0.0 { 1.0 } else { value }
        };
        // Entries that are not finite lead to residuals that are not finite, which the solver reports.
        let _ = self.matrix.fill(n, scaled);
    }

    /// Solves for the forces z, whose values at entry are the start \[N\].
    ///
    /// * `friction` — μ of each cell
    ///
    /// Returns true if Newton's method alone failed and the chain of all methods was used.
    ///
    /// # Errors
    ///
    /// [`FrictionError`] of the chain of all methods.
    pub(super) fn solve(
        &mut self,
        q: &[f64],
        friction: impl Iterator<Item = f64>,
        z: &mut [f64],
    ) -> Result<bool, FrictionError> {
        self.motion.clear();
        let length = q.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if length == 0.0 {
            z.fill(0.0);
            self.motion.resize(q.len(), 0.0);
            return Ok(false);
        }
        let force = length / self.compliance;
        self.q.clear();
        self.q.extend(q.iter().map(|q| q / length));
        self.start.clear();
        self.start.extend(z.iter().map(|z| z / force));
        self.r.clone_from(&self.start);
        self.friction.clear();
        self.friction.extend(friction);
        let problem =
            FrictionProblem { operator: &self.matrix, q: &self.q, friction: &self.friction, dim: 3 };
        // Warm from the last pass Newton's method needs few steps; the chain would begin with sweeps.
        let mut fell_back = false;
        if self.solver.solve(problem, &mut self.r, Some(FrictionMethod::Newton)).is_err() {
            fell_back = true;
            self.r.clone_from(&self.start);
            self.solver.solve(problem, &mut self.r, None)?;
        }
        z.iter_mut().zip(&self.r).for_each(|(z, r)| *z = r * force);
        self.motion.extend(self.solver.u().iter().map(|u| u * length));
        Ok(fell_back)
    }

    /// Relative motion W z + q of each row at the last solution \[m\].
    pub(super) fn motions(&self) -> impl Iterator<Item = f64> {
        self.motion.iter().copied()
    }
}
