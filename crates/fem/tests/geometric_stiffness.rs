//! Geometric stiffness of polynomial fields in a bar under tension, for each kind of cell.

use carom_fem::foreshortening::loads_of_pairs;
use carom_fem::geometric_stiffness::geometric_stiffness;
use carom_fem::{Body, Discretisation};
use carom_mesh::CellShape;
use carom_progress::Silent;
use faer::Mat;

use crate::bodies::{block_of, spline_block_of, steel};

const LENGTH: f64 = 6.0;

fn stretched([x, y, z]: [f64; 3]) -> [f64; 3] {
    [LENGTH * x, y, z]
}

/// Columns of fields at the points of a body.
fn columns(points: &[[f64; 3]], fields: &[&dyn Fn([f64; 3]) -> [f64; 3]]) -> Mat<f64> {
    Mat::from_fn(3 * points.len(), fields.len(), |dof, k| fields[k](points[dof / 3])[dof % 3])
}

/// ∫ tr(∂φ_k σ ∂φ_lᵀ) dV of linear fields under uniform stress, by hand.
#[test]
fn linear_fields_under_uniform_stress_have_the_closed_form() {
    let spline = spline_block_of([2; 3], [2, 1, 1], stretched);
    let bodies = CellShape::SOLIDS.into_iter().map(|shape| block_of(shape, [2, 1, 1], stretched));
    for body in bodies.chain([spline]) {
        let discretisation = Discretisation::new(&body).unwrap();
        let strain = 1e-3;
        let (young, nu) = (steel().young, steel().poisson);
        // Tension along x, and shear of the plane x, y.
        let pulled = |[x, y, z]: [f64; 3]| [strain * x, -nu * strain * y, -nu * strain * z];
        let sheared = |[_, y, _]: [f64; 3]| [strain * y, 0.0, 0.0];
        // A rotation about z, a slope of the y displacement along x, and a stretch along y.
        let turned = |[x, y, _]: [f64; 3]| [-y, x, 0.0];
        let inclined = |[x, _, _]: [f64; 3]| [0.0, x, 0.0];
        let widened = |[_, y, _]: [f64; 3]| [0.0, y, 0.0];
        let states = columns(&discretisation.points, &[&pulled, &sheared]);
        let fields = columns(&discretisation.points, &[&turned, &inclined, &widened]);
        let found = geometric_stiffness(&discretisation, states.as_ref(), fields.as_ref(), &Silent).unwrap();
        let tension = young * strain * LENGTH;
        let shear = 0.5 * young / (1.0 + nu) * strain * LENGTH;
        // σ_xx ∂_x φ · ∂_x φ; σ_xy (∂_x φ_k · ∂_y φ_l + ∂_y φ_k · ∂_x φ_l).
        let expected = [
            [[tension, tension, 0.0], [tension, tension, 0.0], [0.0, 0.0, 0.0]],
            [[0.0, 0.0, shear], [0.0, 0.0, shear], [shear, shear, 0.0]],
        ];
        for (k, expected) in found.iter().zip(expected) {
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                let error = (k[(i, j)] - expected[i][j]).abs();
                assert!(error < 1e-12 * tension, "{}: {i} {j} {k:?} {expected:?}", body.name);
            }
        }
    }
}

/// The forces of the strain of second order do on a displacement u the work of the geometric stiffness of its
/// stress, `K_kl(σ(u)) = uᵀ p_kl`.
#[test]
fn forces_of_the_strain_of_second_order_do_the_work_of_the_geometric_stiffness() {
    let spline = spline_block_of([2; 3], [2, 1, 1], stretched);
    let bodies = CellShape::SOLIDS.into_iter().map(|shape| block_of(shape, [2, 1, 1], stretched));
    for body in bodies.chain([spline]) {
        let discretisation = Discretisation::new(&body).unwrap();
        let field = |seed: f64, dof: usize| (seed + 1.7 * dof as f64).sin();
        let n_dofs = discretisation.n_dofs();
        let states = Mat::from_fn(n_dofs, 2, |dof, k| field(k as f64, dof));
        let fields = Mat::from_fn(n_dofs, 3, |dof, k| field(10.0 + k as f64, dof));
        let found = geometric_stiffness(&discretisation, states.as_ref(), fields.as_ref(), &Silent).unwrap();
        let pairs = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
        let work = states.transpose() * loads_of_pairs(&discretisation, fields.as_ref(), &pairs);
        for (state, k) in found.iter().enumerate() {
            for (pair, [i, j]) in pairs.into_iter().enumerate() {
                let error = (work[(state, pair)] - k[(i, j)]).abs();
                assert!(error < 1e-12 * k.norm_max(), "{}: {i} {j} {work:?} {k:?}", body.name);
            }
        }
    }
}

/// A bar that bends as x² under tension: ∫ N w′² dx = N (4/3) L³.
#[test]
fn bending_under_tension_has_the_energy_of_a_string() {
    let body: Body = block_of(CellShape::Hex20, [3, 1, 1], stretched);
    let discretisation = Discretisation::new(&body).unwrap();
    let nu = steel().poisson;
    let pulled = |[x, y, z]: [f64; 3]| [1e-3 * x, -nu * 1e-3 * y, -nu * 1e-3 * z];
    let bent = |[x, _, _]: [f64; 3]| [0.0, x * x, 0.0];
    let states = columns(&discretisation.points, &[&pulled]);
    let fields = columns(&discretisation.points, &[&bent]);
    let found = geometric_stiffness(&discretisation, states.as_ref(), fields.as_ref(), &Silent).unwrap();
    let expected = 1e-3 * steel().young * 4.0 / 3.0 * LENGTH.powi(3);
    assert!((found[0][(0, 0)] / expected - 1.0).abs() < 1e-12, "{:?} {expected}", found[0]);
}
