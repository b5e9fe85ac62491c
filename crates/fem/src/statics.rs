//! Static equilibrium of a supported body, and the distance of two displacement fields.

use carom_linalg::{Cholesky, DofSet, FactorError};
use carom_progress::Progress;
use faer::Mat;

use crate::assembly::SystemMatrices;
use crate::evaluator::integrate_cells;
use crate::quadrature::{Integrand, QuadratureRule, cell_rule};
use crate::{Block, Discretisation};

/// Displacements of a body in equilibrium with forces, some of its dofs held or displaced \[m\].
///
/// ```text
/// K_ff u_f = f_f − K_fs u_s
/// ```
///
/// * `free` — the dofs that are not prescribed; leave points without cells out of it
/// * `prescribed` — u at every point, read where a dof is not free \[m\]
/// * `force` — f at every point \[N\]
///
/// # Errors
///
/// [`FactorError::NotPositiveDefinite`] if the supports leave a rigid motion.
///
/// # Panics
///
/// If a list does not have one entry a point.
pub fn solve_static(
    system: &SystemMatrices,
    free: DofSet,
    prescribed: &[[f64; 3]],
    force: &[[f64; 3]],
    progress: &dyn Progress,
) -> Result<Vec<[f64; 3]>, FactorError> {
    let n_points = free.n_nodes();
    assert_eq!(prescribed.len(), n_points, "one prescribed displacement a point");
    assert_eq!(force.len(), n_points, "one force a point");
    let held =
        Mat::from_fn(
            3 * n_points,
            1,
            |dof, _| {
                if free.contains(dof) { 0.0 } else { prescribed[dof / 3][dof % 3] }
            },
        );
    let reaction = system.stiffness.product(held.as_ref());
    let mut u = Mat::from_fn(3 * n_points, 1, |dof, _| force[dof / 3][dof % 3] - reaction[(dof, 0)]);
    let factor = Cholesky::new(&system.stiffness, None, free, progress)?;
    factor.solve_in_place(u.as_mut());
    let component = |dof: usize| u[(dof, 0)] + held[(dof, 0)];
    Ok((0..n_points).map(|k| [component(3 * k), component(3 * k + 1), component(3 * k + 2)]).collect())
}

/// Root mean square of a displacement field over the body's volume, less a given field \[m\].
///
/// ```text
/// ( ∫ |u − v|² dV / ∫ dV )^½
/// ```
///
/// * `displacement` — u of all points \[m\]
/// * `exact` — v at a position; `|_| [0.0; 3]` gives the norm of u itself
pub fn displacement_norm(
    discretisation: &Discretisation,
    displacement: &[[f64; 3]],
    exact: impl Fn([f64; 3]) -> [f64; 3],
) -> f64 {
    let high = |block: &Block| cell_rule(&block.cells, Integrand::Mass, QuadratureRule::High);
    let (mut square, mut volume) = (0.0, 0.0);
    integrate_cells(discretisation, 0..discretisation.blocks.len(), &high, |_, evaluator, point, weight| {
        let v = exact(point.position);
        let mut difference = v.map(|x| -x);
        for (&id, value) in evaluator.ids().iter().zip(evaluator.values()) {
            let u = discretisation.value(id, displacement);
            for a in 0..3 {
                difference[a] += value * u[a];
            }
        }
        let dv = weight * point.det;
        volume += dv;
        square += dv * difference.iter().map(|x| x * x).sum::<f64>();
    });
    (square / volume).sqrt()
}
