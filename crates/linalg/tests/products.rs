//! Products with stiffnesses of free bodies: rigid shifts of any size cause no forces.

use crate::lattice;
use carom_linalg::BlockMatrix;
use faer::Mat;

const BOX: [usize; 3] = [9, 8, 7];

/// Springs of 1e11 N/m: their blocks add up to zero except for rounding.
fn stiff() -> BlockMatrix {
    let graph = lattice::graph(BOX, 2);
    let mut k = lattice::springs(BOX, &graph);
    k.values.iter_mut().flatten().for_each(|x| *x *= 1.1e11);
    k
}

#[test]
fn a_shift_of_a_free_body_causes_exactly_zero_forces() {
    let k = stiff();
    let shift = Mat::from_fn(k.n_dofs(), 3, |i, j| if i % 3 == j { 4321.0 / 7.0 } else { 0.0 });
    assert_eq!(k.product(shift.as_ref()).norm_max(), 0.0);
    assert_eq!(k.rows_product(&[5, 700, 3, 44], shift.as_ref()).norm_max(), 0.0);
}

/// With strains of 1e-9 and a shift of 600 m, the error of the product is the rounding of the displacements,
/// not the rounding of forces of 1e14 N.
#[test]
fn forces_of_small_strains_are_exact_in_a_large_shift() {
    let k = stiff();
    // Sixteenths of 1e-9 added to 512 are exact.
    let strain = |i: usize| (((i * 7) as f64 * 0.37).sin() * 4096.0).round() * 2.0_f64.powi(-40);
    let fields = Mat::from_fn(k.n_dofs(), 2, |i, j| strain(i) + if j == 1 { 512.0 } else { 0.0 });
    let forces = k.product(fields.as_ref());
    let error = (forces.col(0) - forces.col(1)).norm_max() / forces.col(0).norm_max();
    assert!(error < 1e-14, "{error:.1e}");
}

#[test]
fn nodes_that_are_held_by_springs_keep_their_forces() {
    let mut k = stiff();
    let spring = |node: usize| 1e3 * (1 + node % 3) as f64;
    let held = [3, 77, 500];
    for node in held {
        let diagonal = k.graph.col_ptr[node];
        k.values[diagonal][0] += spring(node);
    }
    let shift = Mat::from_fn(k.n_dofs(), 1, |i, _| if i % 3 == 0 { 2.0 } else { 0.0 });
    let forces = k.product(shift.as_ref());
    for dof in 0..k.n_dofs() {
        let node = dof / 3;
        let exact = if dof % 3 == 0 && held.contains(&node) { 2.0 * spring(node) } else { 0.0 };
        // A force of 1e3 in sums of 1e13 keeps some six figures.
        assert!((forces[(dof, 0)] - exact).abs() < 0.1, "dof {dof}: {} instead of {exact}", forces[(dof, 0)]);
    }
    let rows = k.rows_product(&[9, 1500], shift.as_ref());
    assert_eq!([rows[(0, 0)], rows[(1, 0)]], [forces[(9, 0)], forces[(1500, 0)]]);
}
