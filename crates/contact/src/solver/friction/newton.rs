//! Semi-smooth Newton on the Alart-Curnier function, with a line search.

use super::super::operator::largest;
use super::super::outcome::Stop;
use super::problem::{FRICTION_ACCEPTED, FrictionProblem, natural, padded, velocities};
use carom_linalg::DenseLu;

/// Steps of one run.
const MAX_STEPS: usize = 40;
/// Halvings of a step.
const HALVINGS: usize = 8;
/// Unknowns up to which the dense Jacobian is factorised.
pub(super) const MAX_UNKNOWNS: usize = 3000;
/// Term added to the diagonal of W in the Jacobian, relative to its mean: singular W, as of redundant
/// contacts, then has a factor, and the step converges in the range of W at a rate of the order of this
/// number.
const PROXIMAL: f64 = 1e-10;

/// ```text
/// a = r_N − ρ u_N,  b = r_T − ρ u_T;
/// F = r − (max(0, a), projection of b on the disc of radius μ max(0, a)) = 0
/// ```
///
/// with ρ = dim/trace W_cc of each contact. A step is halved until |F| falls; if it never does, the
/// smallest step counts. The best point of all steps is returned.
///
/// # Source
///
/// Alart & Curnier (1991), Comput. Methods Appl. Mech. Engng. 92, 353–375.
#[derive(Default)]
pub(super) struct Newton {
    lu: DenseLu<f64>,
    jacobian: Vec<f64>,
    value: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
    rho: Vec<f64>,
}

impl Newton {
    pub(super) fn resize(&mut self, n: usize) {
        for v in [&mut self.value, &mut self.step, &mut self.trial, &mut self.best, &mut self.rho] {
            v.resize(n, 0.0);
        }
    }

    /// Steps from r; returns their number. r is the point of the least natural residual.
    pub(super) fn solve(
        &mut self,
        problem: FrictionProblem<'_>,
        size: f64,
        r: &mut [f64],
        u: &mut [f64],
    ) -> (usize, Stop) {
        let FrictionProblem { operator, friction, dim, .. } = problem;
        let (n, entries) = (r.len(), operator.entries());
        if n > MAX_UNKNOWNS {
            return (0, Stop::Unfit);
        }
        let at = |i: usize, j: usize| entries.at(i, j).unwrap_or(0.0);
        for c in 0..friction.len() {
            let trace: f64 = (0..dim).map(|k| at(c * dim + k, c * dim + k)).sum();
            self.rho[c] = if trace > 0.0 { dim as f64 / trace } else { 1.0 };
        }
        let mean = (0..n).map(|i| at(i, i).abs()).sum::<f64>() / n.max(1) as f64;
        self.jacobian.resize(n * n, 0.0);
        velocities(problem, r, u);
        let mut least = natural(problem, size, r, u);
        self.best.copy_from_slice(r);
        for steps in 0..MAX_STEPS {
            let norm = self.evaluate(problem, r, u);
            self.differentiate(problem, r, u, PROXIMAL * mean);
            let (jacobian, value) = (&self.jacobian, &self.value);
            if !self.lu.solve_system(n, |i, j| jacobian[i * n + j], |i| -value[i]) {
                r.copy_from_slice(&self.best);
                return (steps, Stop::Singular);
            }
            (0..n).for_each(|i| self.step[i] = self.lu.x(i));
            let mut length = 1.0;
            for _ in 0..=HALVINGS {
                (0..n).for_each(|i| self.trial[i] = r[i] + length * self.step[i]);
                velocities(problem, &self.trial, u);
                let trial = std::mem::take(&mut self.trial);
                let new = self.evaluate(problem, &trial, u);
                self.trial = trial;
                if new < (1.0 - 1e-4 * length) * norm {
                    break;
                }
                length *= 0.5;
            }
            r.copy_from_slice(&self.trial);
            let residual = natural(problem, size, r, u);
            if residual < least {
                least = residual;
                self.best.copy_from_slice(r);
            }
            let scale = largest(problem.q.iter().copied());
            if least <= 0.01 * FRICTION_ACCEPTED * scale || !residual.is_finite() {
                r.copy_from_slice(&self.best);
                return (steps + 1, if residual.is_finite() { Stop::Done } else { Stop::Unbounded });
            }
        }
        r.copy_from_slice(&self.best);
        (MAX_STEPS, Stop::Limit)
    }

    /// F into `value`; returns its norm, in units of r.
    fn evaluate(&mut self, problem: FrictionProblem<'_>, r: &[f64], u: &[f64]) -> f64 {
        let dim = problem.dim;
        for (c, &mu) in problem.friction.iter().enumerate() {
            let (a, b, size, rho) = self.arguments(c, dim, r, u);
            let (r, u, disc) = (padded(r, c, dim), padded(u, c, dim), mu * a);
            let f = if a <= 0.0 {
                r
            } else if size <= disc {
                [rho * u[0], rho * u[1], rho * u[2]]
            } else {
                [rho * u[0], r[1] - disc * b[0] / size, r[2] - disc * b[1] / size]
            };
            self.value[c * dim..(c + 1) * dim].copy_from_slice(&f[..dim]);
        }
        self.value.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// a, b, |b| and ρ of a contact.
    fn arguments(&self, c: usize, dim: usize, r: &[f64], u: &[f64]) -> (f64, [f64; 2], f64, f64) {
        let (r, u, rho) = (padded(r, c, dim), padded(u, c, dim), self.rho[c]);
        let b = [r[1] - rho * u[1], r[2] - rho * u[2]];
        (r[0] - rho * u[0], b, b[0].hypot(b[1]), rho)
    }

    /// An element of the generalised Jacobian of F, row by row, with W + `added` E for W.
    fn differentiate(&mut self, problem: FrictionProblem<'_>, r: &[f64], u: &[f64], added: f64) {
        let FrictionProblem { operator, friction, dim, .. } = problem;
        let (n, entries) = (r.len(), operator.entries());
        let w = |i: usize, j: usize| entries.at(i, j).unwrap_or(0.0) + if i == j { added } else { 0.0 };
        let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        for (c, &mu) in friction.iter().enumerate() {
            let (a, b, size, rho) = self.arguments(c, dim, r, u);
            let first = c * dim;
            for i in first..first + dim {
                let row = &mut self.jacobian[i * n..(i + 1) * n];
                let (tangential, disc) = (i - first, mu * a);
                if a <= 0.0 {
                    (0..n).for_each(|j| row[j] = unit(i, j));
                } else if tangential == 0 || size <= disc {
                    (0..n).for_each(|j| row[j] = rho * w(i, j));
                } else {
                    // dF_T = dr_T − μ n da − (μ a/|b|)(E − n nᵀ) db
                    let normal = [b[0] / size, b[1] / size];
                    let n_i = normal[tangential - 1];
                    for j in 0..n {
                        let da = unit(first, j) - rho * w(first, j);
                        let db = |k: usize| unit(first + k, j) - rho * w(first + k, j);
                        let along: f64 = (1..dim).map(|k| normal[k - 1] * db(k)).sum();
                        row[j] = unit(i, j) - mu * n_i * da - disc / size * (db(tangential) - n_i * along);
                    }
                }
            }
        }
    }
}
