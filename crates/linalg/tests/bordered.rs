//! Bordered systems against dense algebra: solutions, eigenpairs on the null space of the constraints,
//! counts.

use crate::lattice;
use carom_linalg::dense::generalised_pairs;
use carom_linalg::{
    BlockMatrix, Border, Bordered, Counting, DofSet, FactorError, Inverse, NodeMatrix, Pencil, Proof, Wanted,
    lowest_pairs,
};
use carom_progress::Silent;
use faer::Mat;
use faer::linalg::solvers::{Qr, Solve};

const N: [usize; 3] = [7, 6, 5];

fn problem() -> (BlockMatrix, NodeMatrix) {
    let graph = lattice::graph(N, 1);
    (lattice::springs(N, &graph), lattice::mass(&graph))
}

/// Means of the three components over two ends of the lattice, those of the second end weighted.
fn means(n_dofs: usize) -> Mat<f64> {
    Mat::from_fn(n_dofs, 6, |dof, k| {
        let (x, component) = (dof / 3 % N[0], dof % 3);
        let weight = if k < 3 { 1.0 } else { 1e-3 * (1.0 + ((dof / 3) as f64).sin()) };
        let end = if k < 3 { 0 } else { N[0] - 1 };
        if x == end && component == k % 3 { weight } else { 0.0 }
    })
}

/// Borders: means with pins, means with a redundant pin, and means of a lattice that is already held.
fn borders(n_dofs: usize) -> Vec<(&'static str, Border)> {
    let all = DofSet::all(n_dofs / 3);
    let held = all.clone().without_nodes(&[17, 18, 60]);
    vec![
        ("one pin", Border::new(all.clone(), vec![0], means(n_dofs))),
        ("three pins", Border::new(all, vec![0, 14, 35], means(n_dofs))),
        ("held", Border::new(held.clone(), vec![], means(n_dofs))),
        ("held and pinned", Border::new(held, vec![7, 21], means(n_dofs))),
    ]
}

fn dense(k: &BlockMatrix, free: &[usize]) -> Mat<f64> {
    k.extract(free)
}

#[test]
fn solutions_agree_with_the_dense_system() {
    let (k, m) = problem();
    let n_dofs = k.n_dofs();
    let w = means(n_dofs);
    for (case, border) in borders(n_dofs) {
        for shift in [0.0, 0.3] {
            let mass = (shift > 0.0).then_some((&m, shift));
            let factor = Bordered::new(&k, mass, border.clone(), &Silent).unwrap();
            let free = factor.free().to_vec();
            let n = free.len();
            let unit = Mat::from_fn(n_dofs, n, |i, j| if i == free[j] { 1.0 } else { 0.0 });
            let shifted =
                dense(&k, &free) + faer::Scale(shift) * (unit.transpose() * m.product(unit.as_ref()));
            let system = Mat::from_fn(n + 6, n + 6, |i, j| match (i < n, j < n) {
                (true, true) => shifted[(i, j)],
                (true, false) => w[(free[i], j - n)],
                (false, true) => w[(free[j], i - n)],
                (false, false) => 0.0,
            });
            let force = Mat::from_fn(n_dofs, 2, |i, j| ((i * (j + 2)) as f64).sin());
            let values = Mat::from_fn(6, 2, |i, j| if i < 3 { (i + j) as f64 } else { 1e-3 * j as f64 });
            let right =
                Mat::from_fn(n + 6, 2, |i, j| if i < n { force[(free[i], j)] } else { values[(i - n, j)] });
            let exact = system.partial_piv_lu().solve(right);
            let mut x = force;
            factor.solve_with(x.as_mut(), values.as_ref(), &Silent).unwrap();
            let scale = exact.subrows(0, n).norm_max();
            for (i, &dof) in free.iter().enumerate() {
                for j in 0..2 {
                    let error = (x[(dof, j)] - exact[(i, j)]).abs() / scale;
                    assert!(error < 1e-11, "{case}, shift {shift}, dof {dof}: {error:.1e}");
                }
            }
            let error = (w.transpose() * &x - &values).norm_max() / values.norm_max();
            assert!(error < 1e-12, "{case}: constraints are missed by {error:.1e}");
        }
    }
}

#[test]
fn groups_in_the_order_of_the_factor_have_the_solutions_of_columns() {
    let (k, _) = problem();
    let n_dofs = k.n_dofs();
    for (case, border) in borders(n_dofs) {
        let factor = Bordered::new(&k, None, border, &Silent).unwrap();
        let order = factor.order().unwrap();
        let free = factor.free();
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let nodes = (0..n_dofs as u32 / 3).filter(|&node| free.of_node(node as usize) != [false; 3]);
        assert_eq!(sorted, nodes.collect::<Vec<_>>(), "{case}");
        let mut columns = Mat::from_fn(n_dofs, 8, |i, j| ((i * (j + 2)) as f64).sin());
        let dofs: Vec<usize> =
            order.iter().flat_map(|&node| (0..3).map(move |i| 3 * node as usize + i)).collect();
        let row = |columns: &Mat<f64>, dof: usize| std::array::from_fn(|j| columns[(dof, j)]);
        let mut group: Vec<[f64; 8]> = dofs.iter().map(|&dof| row(&columns, dof)).collect();
        factor.solve_group(&mut group, &Silent).unwrap();
        factor.solve_in_place(columns.as_mut(), &Silent).unwrap();
        for (found, &dof) in group.iter().zip(&dofs) {
            let exact: [f64; 8] = row(&columns, dof);
            for (found, exact) in found.iter().zip(exact) {
                let error = (found - exact).abs() / columns.norm_max();
                assert!(error < 1e-13, "{case}, dof {dof}: {error:.1e}");
            }
        }
    }
}

#[test]
fn eigenpairs_and_counts_agree_with_the_null_space() {
    let (k, m) = problem();
    let n_dofs = k.n_dofs();
    let w = means(n_dofs);
    for (case, border) in borders(n_dofs) {
        let factor = Bordered::new(&k, None, border, &Silent).unwrap();
        let free = factor.free().to_vec();
        let own = Mat::from_fn(free.len(), 6, |i, j| w[(free[i], j)] / w.col(j).norm_l2());
        let q = Qr::new(own.as_ref()).compute_Q();
        let dimension = free.len() - 6;
        assert_eq!(factor.dimension(), dimension);
        let mut basis = Mat::zeros(n_dofs, dimension);
        for (i, &dof) in free.iter().enumerate() {
            (0..dimension).for_each(|j| basis[(dof, j)] = q[(i, 6 + j)]);
        }
        let stiffness = basis.transpose() * k.product(basis.as_ref());
        let mass = basis.transpose() * m.product(basis.as_ref());
        let exact = generalised_pairs(stiffness.as_ref(), mass.as_ref()).unwrap().lambda;
        let (pairs, structure) = lowest_pairs(&k, &m, factor, 0.0, Wanted::Count(25), &Silent).unwrap();
        for (i, &lambda) in pairs.lambda.iter().enumerate() {
            let error = (lambda / exact[i] - 1.0).abs();
            assert!(error < 1e-10, "{case}, pair {i}: {lambda} instead of {}, {error:.1e}", exact[i]);
        }
        assert!(pairs.residuals.iter().all(|&r| r < 1e-8) && pairs.orthogonality < 1e-10, "{case}");
        let missed = (w.transpose() * &pairs.vectors).norm_max() / pairs.vectors.norm_max();
        assert!(missed < 1e-11, "{case}: constraints are missed by {missed:.1e}");
        let Proof::Counted { shift: sigma, below: count } = pairs.proof else { panic!("{:?}", pairs.proof) };
        assert_eq!(count, exact.iter().filter(|&&lambda| lambda < sigma).count(), "{case}");
        for i in [0, 5, 60, dimension - 2] {
            let sigma = 0.5 * (exact[i] + exact[i + 1]);
            let count =
                Bordered::count_below(&structure, &Pencil { k: &k, m: &m, shift: 0.0 }, sigma, &Silent)
                    .unwrap();
            assert_eq!(count.below, i + 1, "{case}, below {sigma}");
        }
    }
}

#[test]
fn insufficient_and_repeated_constraints_are_refused() {
    let (k, _) = problem();
    let n_dofs = k.n_dofs();
    // Means along x and y leave the shift along z free.
    let w = means(n_dofs).subcols(0, 2).to_owned();
    let border = Border::new(DofSet::all(n_dofs / 3), vec![0], w);
    let error = Bordered::new(&k, None, border, &Silent).unwrap_err();
    assert!(matches!(error, FactorError::SingularBorder { .. }), "{error}");
    // The same mean twice.
    let w = Mat::from_fn(n_dofs, 4, |i, j| means(n_dofs)[(i, j % 3)]);
    let error =
        Bordered::new(&k, None, Border::new(DofSet::all(n_dofs / 3), vec![0], w), &Silent).unwrap_err();
    assert!(matches!(error, FactorError::SingularBorder { .. }), "{error}");
}
