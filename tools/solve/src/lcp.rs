//! `carom-solve lcp`: one complementarity problem from a file.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;

use carom_cli::{Category, Failure, RunArgs, Session};
use carom_contact::solver::{
    Dense, FrictionError, FrictionMethod, FrictionProblem, FrictionSolver, LcpError, LcpMethod, LcpSolver,
    Operator, Sparse, Stop,
};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Arguments of `carom-solve lcp`.
#[derive(Debug, Args)]
pub struct LcpArgs {
    /// Problem (JSON): M as {"rows": [..], "cols": [..], "vals": [..]}, counted from 0, and q; with friction
    /// W, q, mu and dim.
    problem: PathBuf,

    /// Method; auto falls back from one to the next and reports it.
    #[arg(long, value_enum, default_value_t)]
    method: MethodName,

    /// Flags of every command.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The method by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum MethodName {
    /// The method that suits the matrix, then more robust ones.
    #[default]
    Auto,
    /// Complementary pivoting.
    Lemke,
    /// Projected conjugate gradients: symmetric matrices.
    Cg,
    /// Active sets; Newton's method with friction.
    ActiveSet,
    /// Projected Gauss-Seidel.
    Pgs,
}

/// The file.
#[derive(Debug, Deserialize)]
struct Problem {
    /// M without friction, W with it.
    #[serde(rename = "M", alias = "W")]
    matrix: Option<Coordinates>,
    q: Option<Vec<f64>>,
    /// Coefficients of friction; only then there are cones.
    mu: Option<Vec<f64>>,
    dim: Option<usize>,
}

/// A matrix as coordinate lists.
#[derive(Debug, Deserialize)]
struct Coordinates {
    rows: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
}

/// The printed object: z and w, or r and u with friction.
#[derive(Debug, Serialize)]
struct Solved<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    u: Option<&'a [f64]>,
    solved: bool,
    residual: f64,
    method: String,
    pivots_or_iterations: usize,
    seconds: f64,
}

/// Reads the problem, solves it and prints the solution. If no method converges, the JSON object holds the
/// best point found.
///
/// # Errors
///
/// [`Failure`] for a file that cannot be read or is not a problem, and if no method makes the residual small.
pub fn solve_lcp(arguments: &LcpArgs, session: &Session) -> Result<(), Failure> {
    let LcpProblem { matrix, q, mu, dim } = read_lcp(&arguments.problem)?;
    session.progress().begin(&format!("{}: {} unknowns", arguments.problem.display(), q.len()), 0);
    let solved = match &mu {
        Some(friction) => solve_friction(arguments, session, (&q, friction, dim), &*matrix),
        None => solve_frictionless(arguments, session, &q, &*matrix),
    };
    session.progress().end();
    solved
}

/// A complementarity problem, with friction or without.
pub struct LcpProblem {
    matrix: Box<dyn Operator>,
    q: Vec<f64>,
    mu: Option<Vec<f64>>,
    dim: Option<usize>,
}

impl LcpProblem {
    /// Number of unknowns.
    pub fn n(&self) -> usize {
        self.q.len()
    }
}

/// Reads a complementarity problem.
///
/// # Errors
///
/// [`Failure`] for a file that cannot be read or is not a problem.
pub fn read_lcp(path: &Path) -> Result<LcpProblem, Failure> {
    let text = carom_files::input::read_text(path).map_err(|error| {
        Failure::new(Category::Files, format!("cannot read `{}`: {error}", path.display()))
    })?;
    let problem: Problem = serde_json::from_str(&text).map_err(|error| {
        input(path, &error.to_string()).hint("`carom-solve lcp --help` describes the file")
    })?;
    let (Some(entries), Some(q)) = (&problem.matrix, &problem.q) else {
        let missing = if problem.matrix.is_some() { "`q`" } else { "a matrix: `M`, or `W` with friction" };
        return Err(input(path, &format!("the problem lacks {missing}"))
            .hint("`carom-solve lcp --help` describes the file"));
    };
    let matrix = matrix(path, entries, q.len())?;
    Ok(LcpProblem { matrix, q: q.clone(), mu: problem.mu, dim: problem.dim })
}

/// The matrix, dense if a fifth of it or more is not zero.
fn matrix(path: &Path, entries: &Coordinates, n: usize) -> Result<Box<dyn Operator>, Failure> {
    let Coordinates { rows, cols, vals } = entries;
    if rows.len() != vals.len() || cols.len() != vals.len() {
        let lengths = format!("{} rows, {} cols and {} vals", rows.len(), cols.len(), vals.len());
        return Err(input(path, &format!("the matrix has {lengths}; they must be equally many")));
    }
    if let Some(k) = (0..vals.len()).find(|&k| rows[k].max(cols[k]) >= n) {
        let what = format!(
            "entry {k} of the matrix is at row {}, column {}, counted from 0; q has {n} values",
            rows[k], cols[k]
        );
        return Err(input(path, &what));
    }
    let triplets: Vec<_> = rows.iter().zip(cols).zip(vals).map(|((&r, &c), &v)| (r, c, v)).collect();
    let sparse = Sparse::new(n, &triplets).map_err(|error| input(path, &error.to_string()))?;
    if 5 * sparse.n_entries() < n * n {
        return Ok(Box::new(sparse));
    }
    let mut values = vec![0.0; n * n];
    triplets.iter().for_each(|&(r, c, v)| values[r * n + c] += v);
    Ok(Box::new(Dense::new(n, values).map_err(|error| input(path, &error.to_string()))?))
}

fn solve_frictionless(
    arguments: &LcpArgs,
    session: &Session,
    q: &[f64],
    matrix: &dyn Operator,
) -> Result<(), Failure> {
    let method = match arguments.method {
        MethodName::Auto => None,
        MethodName::Lemke => Some(LcpMethod::Lemke),
        MethodName::Cg => Some(LcpMethod::ConjugateGradients),
        MethodName::ActiveSet => Some(LcpMethod::ActiveSet),
        MethodName::Pgs => Some(LcpMethod::GaussSeidel),
    };
    let (mut solver, mut z) = (LcpSolver::default(), vec![0.0; q.len()]);
    let start = Instant::now();
    let result = solver.solve(matrix, q, &mut z, method);
    let seconds = start.elapsed().as_secs_f64();
    for tried in solver.attempts() {
        tell_attempt(session, &tried.method, tried.stop, tried.iterations, tried.residual);
    }
    let last = solver.attempts().last();
    let (residual, name, pivots_or_iterations) = match &result {
        Ok(solution) => (solution.residual, solution.method.to_string(), solution.iterations),
        Err(LcpError::Unsolved { residual, .. }) => (
            *residual,
            last.map_or_else(String::new, |a| a.method.to_string()),
            last.map_or(0, |a| a.iterations),
        ),
        Err(error) => return Err(input(&arguments.problem, &error.to_string())),
    };
    let solved = Solved {
        z: Some(&z),
        w: Some(solver.w()),
        r: None,
        u: None,
        solved: result.is_ok(),
        residual,
        method: name,
        pivots_or_iterations,
        seconds,
    };
    finish(session, &solved, result.err().map(|error| Failure::from_error(Category::Convergence, error)))
}

fn solve_friction(
    arguments: &LcpArgs,
    session: &Session,
    (q, friction, dim): (&[f64], &[f64], Option<usize>),
    operator: &dyn Operator,
) -> Result<(), Failure> {
    let method = match arguments.method {
        MethodName::Auto => None,
        MethodName::ActiveSet => Some(FrictionMethod::Newton),
        MethodName::Pgs => Some(FrictionMethod::GaussSeidel),
        MethodName::Lemke | MethodName::Cg => {
            let what = "a problem with friction is solved by the methods auto, active-set and pgs";
            return Err(Failure::new(Category::Usage, what));
        }
    };
    // Without `dim` as many components as the lengths tell.
    let dim = dim.unwrap_or(q.len() / friction.len().max(1));
    let (mut solver, mut r) = (FrictionSolver::default(), vec![0.0; q.len()]);
    let start = Instant::now();
    let result = solver.solve(FrictionProblem { operator, q, friction, dim }, &mut r, method);
    let seconds = start.elapsed().as_secs_f64();
    for tried in solver.attempts() {
        tell_attempt(session, &tried.method, tried.stop, tried.iterations, tried.residual);
    }
    let (residual, name, pivots_or_iterations) = match &result {
        Ok(solution) => {
            (solution.residual, solution.method.to_string(), solution.sweeps + solution.newton_steps)
        }
        Err(FrictionError::Unsolved { residual, sweeps, newton_steps, .. }) => {
            (*residual, "none".to_owned(), sweeps + newton_steps)
        }
        Err(error) => return Err(input(&arguments.problem, &error.to_string())),
    };
    let solved = Solved {
        z: None,
        w: None,
        r: Some(&r),
        u: Some(solver.u()),
        solved: result.is_ok(),
        residual,
        method: name,
        pivots_or_iterations,
        seconds,
    };
    finish(session, &solved, result.err().map(|error| Failure::from_error(Category::Convergence, error)))
}

/// Says of a method that failed where it stopped, and why.
fn tell_attempt(session: &Session, method: &dyn Display, stop: Stop, iterations: usize, residual: f64) {
    session.note(&format!("{method} {stop} after {iterations} iterations: residual {residual:.3e}"));
}

fn finish(session: &Session, solved: &Solved<'_>, failure: Option<Failure>) -> Result<(), Failure> {
    session.print_json("carom-solve lcp 1", solved)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let (names, first, second) = match (solved.z, solved.w, solved.r, solved.u) {
        (Some(z), Some(w), ..) => ("z and w", z, w),
        (.., Some(r), Some(u)) => ("r and u", r, u),
        _ => return Ok(()),
    };
    let mut text = format!(
        "{names} by {} in {} iterations, residual {:.3e}\n",
        solved.method, solved.pivots_or_iterations, solved.residual
    );
    for (a, b) in first.iter().zip(second) {
        text.push_str(&format!("{a:>24.16e} {b:>24.16e}\n"));
    }
    session.print(text.trim_end())
}

fn input(path: &Path, what: &str) -> Failure {
    Failure::new(Category::Input, format!("`{}`: {what}", path.display()))
}
