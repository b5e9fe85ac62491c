//! One level: its matrix, the smoother of Chebyshev and the way to the next level.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::aggregates::Aggregates;
use super::blocks::{Block, Blocks, ROWS_PER_TASK, inverse};
use super::coarsen::{MOTIONS, galerkin, smoothed, tentative};
use crate::lanes::{LANES, Row, Vectors, ZERO};

/// Steps of the smoother before and after the correction.
const DEGREE: usize = 2;

/// Part of the spectrum of D⁻¹A that the smoother is made for: from this part of the largest eigenvalue on.
const SMOOTHED_PART: f64 = 1.0 / 16.0;

/// Steps of the power iteration that bounds the largest eigenvalue.
const POWER_STEPS: usize = 12;

/// What the estimate of the largest eigenvalue is raised by: power iteration approaches it from below.
const SAFETY: f64 = 1.1;

/// A level with B dofs a node.
#[derive(Debug)]
pub(super) struct Level<const B: usize> {
    pub(super) a: Blocks<B, B>,
    inverse_diagonal: Vec<Block<B, B>>,
    /// Bound of the eigenvalues of D⁻¹A.
    largest: f64,
    /// P, from the next level.
    up: Blocks<B, MOTIONS>,
    /// Pᵀ, to the next level.
    down: Blocks<MOTIONS, B>,
}

/// Vectors of a level.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Right-hand side.
    pub(super) b: Vec<Row>,
    /// Solution.
    pub(super) x: Vec<Row>,
    /// Solution of the step before, or the residual.
    other: Vec<Row>,
    /// Step.
    step: Vec<Row>,
}

impl Work {
    pub(super) fn new(n_rows: usize) -> Self {
        let zeros = || vec![ZERO; n_rows];
        Self { b: zeros(), x: zeros(), other: zeros(), step: zeros() }
    }
}

impl<const B: usize> Level<B> {
    /// A level and the matrix and rigid motions of the next one.
    ///
    /// * `motions` — rigid motions of each node
    pub(super) fn new(
        a: Blocks<B, B>,
        motions: &[Block<B, MOTIONS>],
    ) -> (Self, Blocks<MOTIONS, MOTIONS>, Vec<Block<MOTIONS, MOTIONS>>) {
        let inverse_diagonal: Vec<Block<B, B>> =
            (0..a.n_rows()).into_par_iter().map(|node| inverse(a.diagonal(node))).collect();
        let largest = SAFETY * largest_eigenvalue(&a, &inverse_diagonal);
        let aggregates = Aggregates::new(&a);
        let (q, coarse_motions) = tentative(&aggregates, motions);
        let up = smoothed(&a, &inverse_diagonal, largest, &aggregates, &q);
        let down = up.transposed();
        let coarse = galerkin(&a, &up, &down);
        (Self { a, inverse_diagonal, largest, up, down }, coarse, coarse_motions)
    }

    /// Smooths from zero; leaves the right-hand side of the next level in `coarse`.
    pub(super) fn descend(&self, work: &mut Work, coarse: &mut [Row]) {
        self.smooth(work, true);
        self.a.residual(&work.b, &work.x, &mut work.other);
        self.down.product(&work.other, coarse);
    }

    /// Adds the correction of the next level and smooths.
    pub(super) fn ascend(&self, work: &mut Work, correction: &[Row]) {
        self.up.add_product(correction, &mut work.x);
        self.smooth(work, false);
    }

    /// Steps of Chebyshev's iteration on D⁻¹A x = D⁻¹b; symmetric, because it is a polynomial in D⁻¹A.
    fn smooth(&self, work: &mut Work, from_zero: bool) {
        let (high, low) = (self.largest, SMOOTHED_PART * self.largest);
        let (center, half) = (0.5 * (high + low), 0.5 * (high - low));
        let sigma = center / half;
        let mut rho = 1.0 / sigma;
        for k in 0..DEGREE {
            let (of_step, of_residual) = if k == 0 {
                (0.0, 1.0 / center)
            } else {
                let next = 1.0 / (2.0 * sigma - rho);
                let factors = (next * rho, 2.0 * next / half);
                rho = next;
                factors
            };
            self.step(work, of_step, of_residual, k == 0 && from_zero);
            std::mem::swap(&mut work.x, &mut work.other);
        }
    }

    /// d ← α d + β D⁻¹ (b − A x),  other ← x + d.
    fn step(&self, work: &mut Work, alpha: f64, beta: f64, is_zero: bool) {
        let Work { b, x, other, step } = work;
        let rows = B * ROWS_PER_TASK;
        other.par_chunks_mut(rows).zip(step.par_chunks_mut(rows)).enumerate().for_each(
            |(piece, (other, step))| {
                let first = piece * ROWS_PER_TASK;
                Arch::new().dispatch(Step { level: self, first, alpha, beta, is_zero, b, x, other, step });
            },
        );
    }
}

/// One step of the smoother over some rows.
struct Step<'a, const B: usize> {
    level: &'a Level<B>,
    first: usize,
    alpha: f64,
    beta: f64,
    /// Whether x is zero, whatever it holds.
    is_zero: bool,
    b: &'a [Row],
    x: &'a [Row],
    other: &'a mut [Row],
    step: &'a mut [Row],
}

impl<const B: usize> WithSimd for Step<'_, B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { level, first, alpha, beta, is_zero, b, x, other, step } = self;
        let (x, _) = x.as_chunks::<B>();
        let (b, _) = b.as_chunks::<B>();
        let (other, _) = other.as_chunks_mut::<B>();
        let (step, _) = step.as_chunks_mut::<B>();
        for ((row, other), step) in (first..).zip(other).zip(step) {
            let zero = [Vectors::zero(simd); B];
            let sums = if is_zero { zero } else { level.a.row_product(simd, row, x, zero) };
            let mut residual = zero;
            for i in 0..B {
                residual[i] = Vectors::load(simd, &b[row][i]).plus(simd, -1.0, sums[i]);
            }
            let inverse = &level.inverse_diagonal[row];
            for i in 0..B {
                let mut d = Vectors::zero(simd);
                for j in 0..B {
                    d = d.plus(simd, inverse[i][j], residual[j]);
                }
                let mut d = d.times(simd, beta);
                if alpha != 0.0 {
                    d = d.plus(simd, alpha, Vectors::load(simd, &step[i]));
                }
                d.store(&mut step[i]);
                let x = if is_zero { Vectors::zero(simd) } else { Vectors::load(simd, &x[row][i]) };
                x.plus(simd, 1.0, d).store(&mut other[i]);
            }
        }
    }
}

/// The largest eigenvalue of D⁻¹A from below, by power iteration with eight directions.
fn largest_eigenvalue<const B: usize>(a: &Blocks<B, B>, inverse_diagonal: &[Block<B, B>]) -> f64 {
    let n = B * a.n_rows();
    // Numbers of either sign that no symmetry of a body shares.
    let mut x: Vec<Row> = (0..n)
        .map(|i| {
            std::array::from_fn(|lane| {
                ((12.9898 * i as f64 + 78.233 * lane as f64).sin() * 43758.5453).fract()
            })
        })
        .collect();
    let mut y = vec![ZERO; n];
    let mut largest = 0.0;
    for _ in 0..POWER_STEPS {
        a.product(&x, &mut y);
        // Rayleigh's quotient xᵀA D⁻¹ A x / xᵀ A x of D⁻¹A in the product of A.
        let (mut above, mut below) = (ZERO, ZERO);
        for (node, inverse) in inverse_diagonal.iter().enumerate() {
            for i in 0..B {
                let mut d = ZERO;
                for j in 0..B {
                    for lane in 0..LANES {
                        d[lane] += inverse[i][j] * y[B * node + j][lane];
                    }
                }
                let (force, old) = (y[B * node + i], &mut x[B * node + i]);
                for lane in 0..LANES {
                    above[lane] += d[lane] * force[lane];
                    below[lane] += old[lane] * force[lane];
                }
                *old = d;
            }
        }
        largest = (0..LANES).map(|lane| above[lane] / below[lane]).fold(0.0, f64::max);
        let scale: Row = std::array::from_fn(|lane| 1.0 / below[lane].sqrt());
        for row in &mut x {
            (0..LANES).for_each(|lane| row[lane] *= scale[lane]);
        }
    }
    largest
}
