//! Cone complementarity with Coulomb friction: u = W r + q, per contact K ∋ r ⟂ u + μ |u_T| e_N ∈ K*.

mod cone;
mod local;
mod newton;
mod problem;
mod smoothing;
mod sweeps;

use std::fmt;

use super::operator::{largest, size};
use super::outcome::Stop;
use newton::Newton;
use problem::{check, natural, velocities};
use smoothing::Smoothing;

pub use cone::{SmoothedCone, smoothed};
pub use problem::{FRICTION_ACCEPTED, FrictionError, FrictionProblem, friction_residual};

/// Rounds of the chain: sweeps, then Newton from where they ended; smoothing once.
const ROUNDS: usize = 40;
/// Unknowns up to which smoothing comes in the first round, as its many factors then cost little; the round
/// in which it comes beyond.
const FEW: usize = 100;
const LATER: usize = 4;
/// Rounds of so few unknowns.
const FEW_ROUNDS: usize = 6;
/// Sweeps of one round of the chain.
const ROUND_SWEEPS: usize = 50;
/// Sweeps of Gauss-Seidel alone.
const MAX_SWEEPS: usize = 20_000;

/// A method for contact with friction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionMethod {
    /// Block Gauss-Seidel, each contact solved exactly.
    GaussSeidel,
    /// Semi-smooth Newton on the Alart-Curnier function, with line search.
    Newton,
    /// Newton on a smoothed projection, the smoothing driven to zero: contacts that repeat each other, on the
    /// point of slipping.
    Smoothing,
}

impl fmt::Display for FrictionMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GaussSeidel => "pgs",
            Self::Newton => "newton",
            Self::Smoothing => "smoothing",
        })
    }
}

/// A problem that was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionSolution {
    /// The method that made the last step.
    pub method: FrictionMethod,
    /// Sweeps of Gauss-Seidel.
    pub sweeps: usize,
    /// Steps of Newton's method, smoothed or not, failed ones included.
    pub newton_steps: usize,
    /// Residual of the natural map of the returned r.
    pub residual: f64,
}

/// A method that failed before the last one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionAttempt {
    /// The method.
    pub method: FrictionMethod,
    /// Sweeps or steps.
    pub iterations: usize,
    /// Residual of the natural map where it stopped, with r times the size of W.
    pub residual: f64,
    /// Why it stopped.
    pub stop: Stop,
}

/// Solver with its memory; nothing is allocated for a dense W of a size that each method has met before.
#[derive(Default)]
pub struct FrictionSolver {
    u: Vec<f64>,
    best: Vec<f64>,
    attempts: Vec<FrictionAttempt>,
    newton: Newton,
    smoothing: Smoothing,
}

impl FrictionSolver {
    /// Makes room for n = contacts × components unknowns.
    pub fn resize(&mut self, n: usize) {
        self.u.resize(n, 0.0);
        self.best.resize(n, 0.0);
        self.attempts.clear();
        self.attempts.reserve(2 * ROUNDS + 1);
        self.newton.resize(n);
        self.smoothing.resize(n);
    }

    /// u = W r + q of the last solve.
    pub fn u(&self) -> &[f64] {
        &self.u
    }

    /// Methods that failed in the last solve, in this order.
    pub fn attempts(&self) -> &[FrictionAttempt] {
        &self.attempts
    }

    /// Solves for r, whose values at entry are the start.
    ///
    /// * `method` — this one alone, or `None` for rounds of Gauss-Seidel and Newton in turn, with one of
    ///   smoothing
    ///
    /// Success is decided by [`friction_residual`] of the returned a r with the size a of W, at most 1e-10
    /// max |q|, so that W and q may have any units. After an error r is the best point found.
    ///
    /// # Errors
    ///
    /// [`FrictionError`] for input that does not fit, and [`FrictionError::Unsolved`] with the residual
    /// reached.
    pub fn solve(
        &mut self,
        problem: FrictionProblem<'_>,
        r: &mut [f64],
        method: Option<FrictionMethod>,
    ) -> Result<FrictionSolution, FrictionError> {
        self.solve_nearly(problem, r, method, FRICTION_ACCEPTED)
    }

    /// As [`Self::solve`] with a weaker criterion: after a round of sweeps and Newton's method a residual of
    /// at most `enough` max |q| is a solution, and smoothing is left out.
    ///
    /// # Errors
    ///
    /// [`FrictionError`] as of [`FrictionSolver::solve`].
    pub fn solve_nearly(
        &mut self,
        problem: FrictionProblem<'_>,
        r: &mut [f64],
        method: Option<FrictionMethod>,
        enough: f64,
    ) -> Result<FrictionSolution, FrictionError> {
        check(problem, r)?;
        self.resize(r.len());
        self.best.copy_from_slice(r);
        let scale = largest(problem.q.iter().copied());
        let (size, allowed, enough) =
            (size(problem.operator, &mut self.u), FRICTION_ACCEPTED * scale, enough * scale);
        let mut least = self.residual(problem, size, r);
        let (mut sweeps, mut newton_steps) = (0, 0);
        let (rounds, per_round) = match method {
            None => (ROUNDS, ROUND_SWEEPS),
            Some(FrictionMethod::GaussSeidel) => (MAX_SWEEPS / ROUND_SWEEPS, ROUND_SWEEPS),
            Some(FrictionMethod::Newton | FrictionMethod::Smoothing) => (1, 0),
        };
        let smoothing_at = if method.is_none() && r.len() > FEW { LATER } else { 0 };
        // Beyond smoothing more rounds of the others help where it has not been tried from the start, in
        // large problems.
        let rounds = if method.is_none() && r.len() <= FEW { FEW_ROUNDS } else { rounds };
        for round in 0..rounds {
            for next in [FrictionMethod::GaussSeidel, FrictionMethod::Newton, FrictionMethod::Smoothing] {
                if next == FrictionMethod::Smoothing && method.is_none() && least <= enough {
                    r.copy_from_slice(&self.best);
                    let residual = self.residual(problem, 1.0, r);
                    let method = FrictionMethod::Newton;
                    return Ok(FrictionSolution { method, sweeps, newton_steps, residual });
                }
                let again = next == FrictionMethod::Smoothing && round != smoothing_at;
                if again || method.is_some_and(|method| method != next) {
                    continue;
                }
                let (iterations, stop) = match next {
                    FrictionMethod::GaussSeidel => {
                        let aim = 0.1 * FRICTION_ACCEPTED * scale;
                        sweeps::sweep(problem, r, &mut self.u, per_round, (size, aim))
                    }
                    FrictionMethod::Newton => self.newton.solve(problem, size, r, &mut self.u),
                    FrictionMethod::Smoothing => {
                        r.fill(0.0);
                        self.smoothing.solve(problem, r, &mut self.u, (size, enough))
                    }
                };
                match next {
                    FrictionMethod::GaussSeidel => sweeps += iterations,
                    FrictionMethod::Newton | FrictionMethod::Smoothing => newton_steps += iterations,
                }
                let residual = self.residual(problem, size, r);
                let is_last = next == FrictionMethod::Smoothing && residual <= enough;
                if residual <= allowed || is_last {
                    let residual = self.residual(problem, 1.0, r);
                    return Ok(FrictionSolution { method: next, sweeps, newton_steps, residual });
                }
                if residual < least || least.is_nan() {
                    least = residual;
                    self.best.copy_from_slice(r);
                } else if next != FrictionMethod::GaussSeidel {
                    // Newton's method failed: the sweeps continue from the best point.
                    r.copy_from_slice(&self.best);
                }
                if self.attempts.len() < self.attempts.capacity() {
                    self.attempts.push(FrictionAttempt { method: next, iterations, residual, stop });
                }
            }
        }
        r.copy_from_slice(&self.best);
        let residual = self.residual(problem, size, r);
        Err(FrictionError::Unsolved { residual, allowed, sweeps, newton_steps })
    }

    /// The residual with u computed anew, r times `size`.
    fn residual(&mut self, problem: FrictionProblem<'_>, size: f64, r: &[f64]) -> f64 {
        velocities(problem, r, &mut self.u);
        natural(problem, size, r, &self.u)
    }
}

#[cfg(test)]
mod tests;
