//! Conjugate gradients with a multigrid preconditioner for groups of eight columns, each with scalars of its
//! own.
//!
//! ```text
//! |e|_A² ≈ rᵀ B r,   B ≈ A⁻¹ one cycle of multigrid
//! ```
//!
//! measures the error of a solution in the norm of its strain energy, whatever the condition of A: a column
//! has converged when it has fallen by [`TOLERANCE`]². Such a column rests while the others go on. Then the
//! true residual replaces the recurred one, which rounding may have led away from it, and what is left is
//! solved for once more.
//!
//! # Source
//!
//! Saad (2003), Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 9.1.

use carom_progress::Progress;
use rayon::prelude::*;

pub use crate::iteration::{IterationError, TOLERANCE};
use crate::lanes::{LANES, Row, ZERO};
use crate::multigrid::{Cycle, Multigrid};

/// Most iterations for a group.
pub const MAX_ITERATIONS: usize = 1000;

/// Iterations in which the error must fall to a half; else the solution stagnates.
const PATIENCE: usize = 150;

/// True residuals that replace the recurred one at most; rounding forbids more after that.
const MAX_REPLACEMENTS: usize = 3;

/// What the recurred residual may differ by from the true one, as a multiple of [`TOLERANCE`], before it is
/// replaced.
const DRIFT: f64 = 10.0;

/// What a replacement must take off an error for another one.
const GAIN: f64 = 0.1;

/// Rows of one piece of a group: the unit of parallel work.
const PIECE_ROWS: usize = 1536;

/// Vectors of the iteration for one group.
pub(crate) struct Conjugate<'a> {
    inverse: &'a Multigrid,
    /// Right-hand side on entry.
    pub(crate) b: Vec<Row>,
    /// Solution.
    pub(crate) x: Vec<Row>,
    residual: Vec<Row>,
    direction: Vec<Row>,
    force: Vec<Row>,
    /// Partial sums of products, piece by piece.
    parts: Vec<Row>,
    cycle: Cycle,
}

impl<'a> Conjugate<'a> {
    pub(crate) fn new(inverse: &'a Multigrid) -> Self {
        let n = 3 * inverse.matrix().n_rows();
        let zeros = || vec![ZERO; n];
        Self {
            inverse,
            b: zeros(),
            x: zeros(),
            residual: zeros(),
            direction: zeros(),
            force: zeros(),
            parts: vec![ZERO; n.div_ceil(PIECE_ROWS)],
            cycle: inverse.cycle(),
        }
    }

    /// Solves A x = b; returns the number of iterations.
    pub(crate) fn solve(&mut self, progress: &dyn Progress) -> Result<usize, IterationError> {
        self.x.fill(ZERO);
        self.residual.copy_from_slice(&self.b);
        let mut size = ZERO;
        let mut last = [f64::INFINITY; LANES];
        let mut iterations = 0;
        for replacement in 0..=MAX_REPLACEMENTS {
            let z = self.inverse.apply(&self.residual, &mut self.cycle);
            let rho = products(&self.residual, z, &mut self.parts);
            if replacement == 0 {
                size = rho;
            }
            check(&rho, &size)?;
            // A column whose true residual is where rounding leaves it has its solution.
            let is_active: [bool; LANES] = std::array::from_fn(|lane| {
                rho[lane] > (DRIFT * TOLERANCE).powi(2) * size[lane] && rho[lane] <= GAIN * GAIN * last[lane]
            });
            if !is_active.contains(&true) {
                return Ok(iterations);
            }
            last = rho;
            self.direction.copy_from_slice(z);
            iterations = self.iterate(rho, &size, is_active, iterations, progress)?;
            self.inverse.matrix().residual(&self.b, &self.x, &mut self.residual);
        }
        Ok(iterations)
    }

    /// The recurrence until all active columns have converged.
    fn iterate(
        &mut self,
        mut rho: Row,
        size: &Row,
        mut is_active: [bool; LANES],
        before: usize,
        progress: &dyn Progress,
    ) -> Result<usize, IterationError> {
        let worst = |rho: &Row, is_active: &[bool; LANES]| {
            (0..LANES).filter(|&k| is_active[k]).map(|k| (rho[k] / size[k]).sqrt()).fold(0.0, f64::max)
        };
        let mut mark = (before, worst(&rho, &is_active));
        for iteration in before + 1.. {
            if progress.interrupted() {
                return Err(IterationError::Interrupted);
            }
            self.inverse.matrix().product(&self.direction, &mut self.force);
            let energy = products(&self.direction, &self.force, &mut self.parts);
            let mut alpha = ZERO;
            for lane in (0..LANES).filter(|&lane| is_active[lane]) {
                if energy[lane].is_nan() || energy[lane] <= 0.0 {
                    return Err(IterationError::NotPositiveDefinite { energy: energy[lane] });
                }
                alpha[lane] = rho[lane] / energy[lane];
            }
            self.advance(&alpha);
            let z = self.inverse.apply(&self.residual, &mut self.cycle);
            let next = products(&self.residual, z, &mut self.parts);
            check(&next, size)?;
            let mut beta = ZERO;
            for (lane, is_active) in is_active.iter_mut().enumerate().filter(|(_, is_active)| **is_active) {
                beta[lane] = next[lane] / rho[lane];
                rho[lane] = next[lane];
                *is_active = next[lane] > TOLERANCE * TOLERANCE * size[lane];
            }
            if !is_active.contains(&true) {
                return Ok(iteration);
            }
            turn(&mut self.direction, z, &beta);
            let error = worst(&rho, &is_active);
            if error <= 0.5 * mark.1 {
                mark = (iteration, error);
            }
            if iteration - mark.0 >= PATIENCE || iteration >= MAX_ITERATIONS {
                return Err(IterationError::Stagnation { error, iterations: iteration });
            }
        }
        unreachable!("the iterations are limited")
    }

    /// x += α p, r −= α A p; columns that rest have α = 0.
    fn advance(&mut self, alpha: &Row) {
        let Self { x, residual, direction, force, .. } = self;
        x.par_chunks_mut(PIECE_ROWS)
            .zip(residual.par_chunks_mut(PIECE_ROWS))
            .zip(direction.par_chunks(PIECE_ROWS))
            .zip(force.par_chunks(PIECE_ROWS))
            .for_each(|(((x, residual), direction), force)| {
                for (((x, residual), direction), force) in
                    x.iter_mut().zip(residual).zip(direction).zip(force)
                {
                    for lane in 0..LANES {
                        x[lane] += alpha[lane] * direction[lane];
                        residual[lane] -= alpha[lane] * force[lane];
                    }
                }
            });
    }
}

/// p ← z + β p.
fn turn(direction: &mut [Row], z: &[Row], beta: &Row) {
    direction.par_chunks_mut(PIECE_ROWS).zip(z.par_chunks(PIECE_ROWS)).for_each(|(direction, z)| {
        for (direction, z) in direction.iter_mut().zip(z) {
            for lane in 0..LANES {
                direction[lane] = z[lane] + beta[lane] * direction[lane];
            }
        }
    });
}

/// aᵀ b of each column, summed by pieces in their order.
fn products(a: &[Row], b: &[Row], parts: &mut [Row]) -> Row {
    parts.par_iter_mut().zip(a.par_chunks(PIECE_ROWS)).zip(b.par_chunks(PIECE_ROWS)).for_each(
        |((part, a), b)| {
            *part = ZERO;
            for (a, b) in a.iter().zip(b) {
                for lane in 0..LANES {
                    part[lane] += a[lane] * b[lane];
                }
            }
        },
    );
    let mut sum = ZERO;
    for part in parts.iter() {
        crate::lanes::add::<f64>(&mut sum, part);
    }
    sum
}

/// Refuses rᵀ B r that is not the square of a norm.
fn check(rho: &Row, size: &Row) -> Result<(), IterationError> {
    match (0..LANES).find(|&lane| rho[lane].is_nan() || rho[lane] < 0.0 || size[lane].is_infinite()) {
        Some(lane) => Err(IterationError::NotPositiveDefinite { energy: rho[lane] }),
        None => Ok(()),
    }
}
