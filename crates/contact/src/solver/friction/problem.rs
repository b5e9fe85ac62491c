//! The problem of contacts with friction, its residual, and why it was not solved.

use thiserror::Error;

use super::super::operator::{Entries, Operator, largest};

/// Residual that counts as solved, relative to max |q|, with r times the size of W, its largest |W_ij|.
pub const FRICTION_ACCEPTED: f64 = 1e-10;

/// Contacts with Coulomb friction.
///
/// ```text
/// u = W r + q;   K = {r : |r_T| ≤ μ r_N},   K ∋ r ⟂ u + μ |u_T| e_N ∈ K*
/// ```
///
/// So a closed contact sticks (u = 0) or slips (u_N = 0, r_T = −μ r_N u_T/|u_T|), and an open one has r = 0.
///
/// # Source
///
/// Acary & Brogliato (2008), *Numerical Methods for Nonsmooth Dynamical Systems*, section 3.9; De Saxcé &
/// Feng (1991) for the form with one cone.
#[derive(Clone, Copy)]
pub struct FrictionProblem<'a> {
    /// W, with `dim` rows and columns for each contact, the normal first; its entries must be known. May be
    /// non-symmetric.
    pub operator: &'a dyn Operator,
    /// q, `dim` values for each contact.
    pub q: &'a [f64],
    /// μ ≥ 0 of each contact.
    pub friction: &'a [f64],
    /// 2 or 3: components of a contact.
    pub dim: usize,
}

/// Why a problem with friction was not solved.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FrictionError {
    /// Neither two nor three components.
    #[error("contacts have 2 or 3 components, not {dim}")]
    Dimension {
        /// The number of components given.
        dim: usize,
    },
    /// W, q, μ and r do not fit together.
    #[error(
        "{contacts} coefficients of friction with {dim} components of each contact make {} rows; the matrix \
         has {rows}, q {q} values, r {r}",
        contacts * dim
    )]
    Size {
        /// Number of coefficients of friction.
        contacts: usize,
        /// Components of a contact.
        dim: usize,
        /// Rows of W.
        rows: usize,
        /// Length of q.
        q: usize,
        /// Length of r.
        r: usize,
    },
    /// A value of q or r is not finite.
    #[error("value {index} of q or r is not finite")]
    NotFinite {
        /// Where.
        index: usize,
    },
    /// A coefficient of friction that is negative or not finite.
    #[error(
        "the coefficient of friction of contact {contact} is {friction}; it must be finite and at least 0"
    )]
    Friction {
        /// Which contact.
        contact: usize,
        /// Its coefficient.
        friction: f64,
    },
    /// W is known by products alone.
    #[error("contacts with friction need the entries of their matrix; only its products are known")]
    NoEntries,
    /// No method solved the problem.
    #[error(
        "contact with friction is not solved: residual {residual:.3e} after {sweeps} sweeps and \
         {newton_steps} Newton steps, at most {allowed:.3e} allowed; perhaps it has no solution or its \
         matrix is singular"
    )]
    Unsolved {
        /// Least residual of the natural map, with r times the size of W.
        residual: f64,
        /// Largest residual that is accepted.
        allowed: f64,
        /// Sweeps of Gauss-Seidel.
        sweeps: usize,
        /// Steps of Newton's method.
        newton_steps: usize,
    },
}

/// The residual of r times the size of W, in units of u: the same whatever the units of W and q.
pub(super) fn natural(
    FrictionProblem { friction, dim, .. }: FrictionProblem<'_>,
    size: f64,
    r: &[f64],
    u: &[f64],
) -> f64 {
    map_error(friction, dim, size, r, u)
}

/// max |r − P_K(r − u − μ |u_T| e_N)| over all contacts; zero exactly at solutions.
///
/// * `r`, `u` — `dim` values for each contact, the normal first
pub fn friction_residual(friction: &[f64], dim: usize, r: &[f64], u: &[f64]) -> f64 {
    map_error(friction, dim, 1.0, r, u)
}

fn map_error(friction: &[f64], dim: usize, size: f64, r: &[f64], u: &[f64]) -> f64 {
    let errors = friction.iter().enumerate().map(|(c, &mu)| {
        let (r, u) = (padded(r, c, dim).map(|r| size * r), padded(u, c, dim));
        let v = [r[0] - u[0] - mu * u[1].hypot(u[2]), r[1] - u[1], r[2] - u[2]];
        let p = project(v, mu);
        largest((0..3).map(|k| r[k] - p[k]))
    });
    largest(errors)
}

/// The point of K = {v : |v_T| ≤ μ v_N} nearest to v.
pub(super) fn project(v: [f64; 3], mu: f64) -> [f64; 3] {
    let tangential = v[1].hypot(v[2]);
    // Without friction the cone is a ray, and the tangential part of v does not show on which side v lies.
    if v[0] >= 0.0 && tangential <= mu * v[0] {
        return v;
    }
    if mu * tangential <= -v[0] {
        return [0.0; 3];
    }
    let normal = (v[0] + mu * tangential) / (1.0 + mu * mu);
    let factor = if tangential > 0.0 { mu * normal / tangential } else { 0.0 };
    [normal, factor * v[1], factor * v[2]]
}

/// The values of contact c; the third is zero in two dimensions.
pub(super) fn padded(x: &[f64], c: usize, dim: usize) -> [f64; 3] {
    [x[c * dim], x[c * dim + 1], if dim == 3 { x[c * dim + 2] } else { 0.0 }]
}

/// u = W r + q.
pub(super) fn velocities(problem: FrictionProblem<'_>, r: &[f64], u: &mut [f64]) {
    problem.operator.apply_into(r, u);
    u.iter_mut().zip(problem.q).for_each(|(u, q)| *u += q);
}

/// Whether W, q, μ and r fit together and are finite.
pub(super) fn check(problem: FrictionProblem<'_>, r: &[f64]) -> Result<(), FrictionError> {
    let FrictionProblem { operator, q, friction, dim } = problem;
    if dim != 2 && dim != 3 {
        return Err(FrictionError::Dimension { dim });
    }
    let (contacts, rows) = (friction.len(), operator.n());
    if [rows, q.len(), r.len()].iter().any(|&n| n != contacts * dim) {
        return Err(FrictionError::Size { contacts, dim, rows, q: q.len(), r: r.len() });
    }
    if let Some(index) = q.iter().zip(r).position(|(q, r)| !q.is_finite() || !r.is_finite()) {
        return Err(FrictionError::NotFinite { index });
    }
    if let Some(contact) = friction.iter().position(|mu| !(mu.is_finite() && *mu >= 0.0)) {
        return Err(FrictionError::Friction { contact, friction: friction[contact] });
    }
    if matches!(operator.entries(), Entries::Product) {
        return Err(FrictionError::NoEntries);
    }
    Ok(())
}
