//! One interface to all methods for z ≥ 0, w = M z + q ≥ 0, z·w = 0, and the chain of them.

use std::fmt;

use super::conjugate_gradients::{ConjugateGradients, StepRule};
use super::gauss_seidel::gauss_seidel;
use super::newton::BlockPivoting;
use super::operator::{Dense, Entries, Operator, largest, product_plus, size};
use super::outcome::{ACCEPTED, Stop, Trial, natural};
use super::{ActiveSet, LcpError, Lemke};

/// Unknowns up to which a matrix known by products alone is formed column by column, as a last resort.
const FORMED: usize = 500;

/// Entries of a row, on the mean, up to which factors of a sparse matrix hardly fill up.
const CHAIN: usize = 4;

/// A method for linear complementarity problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LcpMethod {
    /// Fletcher-Reeves projected conjugate gradients: symmetric positive semi-definite M, products are
    /// enough.
    ConjugateGradients,
    /// Primal-dual active sets (semi-smooth Newton): Cholesky factors if M is symmetric, LU otherwise.
    ActiveSet,
    /// Complementary pivoting with lexicographic ratios.
    Lemke,
    /// Projected Gauss-Seidel: positive diagonal.
    GaussSeidel,
    /// All bases of up to twelve unknowns: if a solution exists at a regular basis, it is found.
    Enumeration,
}

impl fmt::Display for LcpMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ConjugateGradients => "cg",
            Self::ActiveSet => "active-set",
            Self::Lemke => "lemke",
            Self::GaussSeidel => "pgs",
            Self::Enumeration => "enumeration",
        })
    }
}

/// A method that was tried, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// The method.
    pub method: LcpMethod,
    /// Its iterations, pivots, sweeps or sets.
    pub iterations: usize,
    /// max |min(a z, w)| where it stopped, with the size a of M.
    pub residual: f64,
    /// Why it stopped.
    pub stop: Stop,
}

/// A problem that was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LcpSolution {
    /// The method that found the solution.
    pub method: LcpMethod,
    /// Iterations, pivots, sweeps or sets of that method.
    pub iterations: usize,
    /// max |min(z, w)|, computed from the returned z.
    pub residual: f64,
}

/// All methods with their memory.
///
/// ```
/// use carom_contact::solver::{Dense, LcpSolver};
///
/// let m = Dense::new(2, vec![2.0, 1.0, 1.0, 2.0])?;
/// let (mut solver, mut z) = (LcpSolver::default(), [0.0; 2]);
/// let solution = solver.solve(&m, &[-5.0, -6.0], &mut z, None)?;
/// assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && solution.residual < 1e-15);
/// # Ok::<(), carom_contact::solver::LcpError>(())
/// ```
#[derive(Default)]
pub struct LcpSolver {
    /// Residual that is allowed in any case, in units of q; 0 by default.
    pub allowed: f64,
    w: Vec<f64>,
    start: Vec<f64>,
    best: Vec<f64>,
    diagonal: Vec<f64>,
    attempts: Vec<Attempt>,
    conjugate_gradients: ConjugateGradients,
    active_set: ActiveSet,
    block_pivoting: BlockPivoting,
    lemke: Lemke,
}

impl LcpSolver {
    /// Makes room for n unknowns. Conjugate gradients, Gauss-Seidel and the active sets of a dense symmetric
    /// matrix then allocate nothing; other methods keep the memory of the first solve; sparse factors are
    /// allocated anew.
    pub fn resize(&mut self, n: usize) {
        for v in [&mut self.w, &mut self.start, &mut self.best, &mut self.diagonal] {
            v.resize(n, 0.0);
        }
        self.attempts.clear();
        self.attempts.reserve(10);
        self.conjugate_gradients.resize(n);
        self.block_pivoting.resize(n);
    }

    /// Solves for z, whose values at entry are the start.
    ///
    /// * `q`, `z` — length n
    /// * `method` — this one alone, or `None` for the chain: the method that suits the matrix best
    ///   first, then more robust ones
    ///
    /// The residual alone decides on success: max |min(a z, w)| ≤ 1e-10 max |q|, or [`Self::allowed`], with
    /// w = M z + q computed
    /// from the returned z and the size a of M, so that M and q may have any units. After an error z holds
    /// the best point that was found, and [`Self::attempts`] has the end of each method.
    ///
    /// # Errors
    ///
    /// [`LcpError::Size`], [`LcpError::NotFinite`]; [`LcpError::Unsolved`] if no method was good enough.
    pub fn solve(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        method: Option<LcpMethod>,
    ) -> Result<LcpSolution, LcpError> {
        let n = m.n();
        for length in [q.len(), z.len()] {
            if length != n {
                return Err(LcpError::Size { rows: n, columns: n, length });
            }
        }
        if let Some(row) = q.iter().zip(&*z).position(|(q, z)| !q.is_finite() || !z.is_finite()) {
            return Err(LcpError::NotFinite { row, column: n });
        }
        self.resize(n);
        self.start.copy_from_slice(z);
        let symmetric = m.entries().are_symmetric();
        match method {
            Some(method) => self.chain(m, q, z, symmetric, &[method]),
            None => self.automatic(m, q, z, symmetric),
        }
    }

    /// Sets the rule of the steps of projected conjugate gradients.
    pub fn set_rule(&mut self, rule: StepRule) {
        self.conjugate_gradients.rule = rule;
    }

    /// w = M z + q of the last solve.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Methods that failed in the last solve, in this order.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    fn automatic(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        symmetric: bool,
    ) -> Result<LcpSolution, LcpError> {
        use LcpMethod::{ActiveSet, ConjugateGradients, Enumeration, GaussSeidel, Lemke};
        let chain: &[LcpMethod] = match m.entries() {
            // Factors of many active sets fill up and cost more than products with the few entries, except
            // for a chain.
            Entries::Sparse(m) if symmetric && m.n_entries() > CHAIN * m.n() => {
                &[ConjugateGradients, ActiveSet, Lemke, GaussSeidel, Enumeration]
            }
            Entries::Dense(_) | Entries::Sparse(_) if symmetric => {
                &[ActiveSet, ConjugateGradients, Lemke, GaussSeidel, Enumeration]
            }
            Entries::Dense(_) | Entries::Sparse(_) => &[ActiveSet, Lemke, GaussSeidel, Enumeration],
            Entries::Product => &[ConjugateGradients],
        };
        let result = self.chain(m, q, z, symmetric, chain);
        if result.is_ok() || !matches!(m.entries(), Entries::Product) || m.n() > FORMED {
            return result;
        }
        // The matrix is small enough to be formed for methods that need entries.
        let formed = form(m)?;
        self.start.copy_from_slice(z);
        let symmetric = formed.is_symmetric();
        self.chain(&formed, q, z, symmetric, &[ActiveSet, Lemke, GaussSeidel, Enumeration])
    }

    /// Tries the methods in turn; each begins where the one before was best.
    fn chain(
        &mut self,
        m: &dyn Operator,
        q: &[f64],
        z: &mut [f64],
        symmetric: bool,
        methods: &[LcpMethod],
    ) -> Result<LcpSolution, LcpError> {
        let size = size(m, &mut self.diagonal);
        let allowed = self.allowed.max(ACCEPTED * largest(q.iter().copied()));
        let mut least = f64::INFINITY;
        self.best.copy_from_slice(&self.start);
        for &method in methods {
            z.copy_from_slice(&self.best);
            let trial = self.run(method, (m, size), q, z, symmetric, methods.len() == 1);
            let residual = if z.iter().all(|z| z.is_finite()) {
                // Solutions of equations may be negative by rounding; the residual is that of the
                // values returned.
                z.iter_mut().for_each(|z| *z = z.max(0.0));
                // Conjugate gradients have computed it, from z ≥ 0.
                if method != LcpMethod::ConjugateGradients || trial.stop == Stop::Unfit {
                    product_plus(m, q, z, &mut self.w);
                }
                natural(size, z, &self.w)
            } else {
                f64::NAN
            };
            if residual <= allowed {
                let residual = natural(1.0, z, &self.w);
                return Ok(LcpSolution { method, iterations: trial.iterations, residual });
            }
            if residual < least {
                least = residual;
                self.best.copy_from_slice(z);
            }
            self.attempts.push(Attempt { method, iterations: trial.iterations, residual, stop: trial.stop });
        }
        z.copy_from_slice(&self.best);
        product_plus(m, q, z, &mut self.w);
        let residual = natural(size, z, &self.w);
        Err(LcpError::Unsolved { attempts: self.attempts.len(), residual, allowed })
    }

    fn run(
        &mut self,
        method: LcpMethod,
        (m, size): (&dyn Operator, f64),
        q: &[f64],
        z: &mut [f64],
        symmetric: bool,
        alone: bool,
    ) -> Trial {
        let scale = largest(q.iter().copied());
        let (w, aim) = (&mut self.w, self.allowed.max(0.1 * ACCEPTED * scale));
        match method {
            LcpMethod::ConjugateGradients => self.conjugate_gradients.solve(m, q, z, w, (size, aim)),
            LcpMethod::GaussSeidel => gauss_seidel(m, q, z, w, &mut self.diagonal, (size, aim)),
            LcpMethod::Enumeration => self.block_pivoting.enumerate(m, q, z, w, (size, ACCEPTED * scale)),
            LcpMethod::ActiveSet => {
                if let (Entries::Dense(dense), true) = (m.entries(), symmetric) {
                    self.active_set.resize(q.len());
                    self.active_set.set_matrix(q.len(), |i, j| dense.at(i, j));
                    match self.active_set.solve_alone(q, z) {
                        Ok(iterations) => return Trial { iterations, stop: Stop::Done },
                        // Other methods of the chain cost less than many LU factors.
                        Err(iterations) if !alone => return Trial { iterations, stop: Stop::Limit },
                        Err(_) => {}
                    }
                }
                self.block_pivoting.solve(m, q, z, w, symmetric)
            }
            LcpMethod::Lemke => {
                let entries = m.entries();
                if matches!(entries, Entries::Product) {
                    return Trial { iterations: 0, stop: Stop::Unfit };
                }
                match self.lemke.solve(|i, j| entries.at(i, j).unwrap_or(f64::NAN), q, z) {
                    Ok(iterations) => Trial { iterations, stop: Stop::Done },
                    Err(LcpError::Ray { pivots }) => Trial { iterations: pivots, stop: Stop::Ray },
                    Err(LcpError::PivotLimit { pivots, .. }) => {
                        Trial { iterations: pivots, stop: Stop::Limit }
                    }
                    Err(_) => Trial { iterations: 0, stop: Stop::Unfit },
                }
            }
        }
    }
}

/// All columns of M, by n products.
fn form(m: &dyn Operator) -> Result<Dense, LcpError> {
    let n = m.n();
    let (mut values, mut unit, mut column) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        unit[j] = 1.0;
        m.apply_into(&unit, &mut column);
        unit[j] = 0.0;
        (0..n).for_each(|i| values[i * n + j] = column[i]);
    }
    Dense::new(n, values)
}
