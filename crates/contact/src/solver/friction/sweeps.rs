//! Block Gauss-Seidel: contact by contact the exact solution with the others held.

use nalgebra::{Matrix3, Vector3};

use super::super::outcome::Stop;
use super::local;
use super::problem::{FrictionProblem, natural, padded, project, velocities};

/// Sweeps between two checks of the residual.
const LOOK: usize = 10;

/// Makes up to `most` sweeps over all contacts, until the residual, with r times `size`, is at most `aim`;
/// returns how many.
///
/// A contact without a solution of its own (W_cc not positive definite) makes a projected step of length
/// 1/max W_cc instead.
///
/// # Source
///
/// Jourdan, Alart & Jean (1998), Comput. Methods Appl. Mech. Engng. 155, 31–47.
pub(super) fn sweep(
    problem: FrictionProblem<'_>,
    r: &mut [f64],
    u: &mut [f64],
    most: usize,
    (size, aim): (f64, f64),
) -> (usize, Stop) {
    let FrictionProblem { operator, q, friction, dim } = problem;
    let entries = operator.entries();
    for done in 0..=most {
        if done % LOOK == 0 || done == most {
            velocities(problem, r, u);
            let residual = natural(problem, size, r, u);
            if residual <= aim {
                return (done, Stop::Done);
            }
            if done == most {
                break;
            }
        }
        for (c, &mu) in friction.iter().enumerate() {
            let first = c * dim;
            let mut w = Matrix3::identity();
            let mut rest = Vector3::zeros();
            let before = padded(r, c, dim);
            for i in 0..dim {
                for j in 0..dim {
                    w[(i, j)] = entries.at(first + i, first + j).unwrap_or(0.0);
                }
                let own: f64 = (0..dim).map(|j| w[(i, j)] * before[j]).sum();
                rest[i] = q[first + i] + entries.row_times(first + i, r).unwrap_or(0.0) - own;
            }
            let found = local::solve(&w, &rest, mu, dim == 2, before).unwrap_or_else(|| {
                let u = rest + w * Vector3::from(before);
                let step = 1.0 / (0..dim).map(|i| w[(i, i)].abs()).fold(f64::MIN_POSITIVE, f64::max);
                let v = [
                    before[0] - step * (u[0] + mu * u[1].hypot(u[2])),
                    before[1] - step * u[1],
                    before[2] - step * u[2],
                ];
                project(v, mu)
            });
            r[first..first + dim].copy_from_slice(&found[..dim]);
        }
    }
    (most, Stop::Limit)
}
