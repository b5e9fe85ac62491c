//! The linearised problem with friction, in units in which its numbers are of the size 1.

use crate::solver::{Dense, FrictionError, FrictionMethod, FrictionProblem, FrictionSolver};

/// W + d of spans with three rows each, and the solver of cone complementarity.
///
/// The solver judges residuals that mix forces and lengths, so it gets r̂ = (w/L) r and û = u/L with w the
/// mean of the diagonal and L the largest entry of q.
#[derive(Default)]
pub(super) struct Rubbing {
    solver: FrictionSolver,
    matrix: Dense,
    /// w \[m/N\].
    compliance: f64,
    q: Vec<f64>,
    r: Vec<f64>,
    start: Vec<f64>,
    friction: Vec<f64>,
}

impl Rubbing {
    /// Makes room for n unknowns.
    pub(super) fn resize(&mut self, n: usize) {
        self.solver.resize(n);
        for values in [&mut self.q, &mut self.r, &mut self.start, &mut self.friction] {
            values.clear();
            values.reserve(n);
        }
    }

    /// Takes W + d of n rows; a row of zeros, of a span without friction, gets a diagonal.
    pub(super) fn set_matrix(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) {
        let normal = (0..n).step_by(3).map(|i| entry(i, i)).sum::<f64>();
        self.compliance = if normal > 0.0 { 3.0 * normal / n as f64 } else { 1.0 };
        let inverse = 1.0 / self.compliance;
        let scaled = |i: usize, j: usize| {
            let value = entry(i, j) * inverse;
            if i == j && value == 0.0 { 1.0 } else { value }
        };
        // What is not finite comes back as residuals that are not.
        let _ = self.matrix.fill(n, scaled);
    }

    /// Solves for the forces, whose values at entry are the start; returns the relative motion of each row, W
    /// z + q \[m\].
    ///
    /// * `friction` — μ of each span
    ///
    /// Returns true if Newton's method alone did not do.
    ///
    /// # Errors
    ///
    /// [`FrictionError`] of the chain of all methods.
    pub(super) fn solve(
        &mut self,
        q: &[f64],
        friction: impl Iterator<Item = f64>,
        z: &mut [f64],
        motion: &mut impl FnMut(usize, f64),
    ) -> Result<bool, FrictionError> {
        let length = q.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if length == 0.0 {
            z.fill(0.0);
            (0..q.len()).for_each(|i| motion(i, 0.0));
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
        self.solver.u().iter().enumerate().for_each(|(i, u)| motion(i, u * length));
        Ok(fell_back)
    }
}
