//! Internal forces and tangents in large deformation: derivatives, momenta, closed forms.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Law, NeoHookean, SaintVenantKirchhoff};
use carom_fem::internal_force::{InternalForce, PointRule, SweepError, TangentAssembly};
use carom_fem::{
    AssemblyError, CellEvaluator, Cells, Discretisation, Integrand, Quadrature, QuadratureRule, assemble,
};
use carom_linalg::{BlockMatrix, Cholesky, DofSet};
use carom_mesh::{CellRef, CellShape};
use carom_progress::Silent;
use carom_testing::heap;
use faer::Mat;

use crate::bodies::{block, block_of, distort, spline_block};
use crate::deformed::{
    affine, difference, displacement, dot, every_kind, every_law, internal, largest, laws, noise, rotation,
    soft, sum, times, waves,
};

fn force<L: Law>(internal: &mut InternalForce, laws: &[L], u: &[f64]) -> Vec<f64> {
    let (mut history, mut force) = (internal.history(laws), vec![0.0; u.len()]);
    internal.force(laws, u, &mut history, &mut force).unwrap();
    force
}

fn energy<L: Law>(internal: &mut InternalForce, laws: &[L], u: &[f64]) -> f64 {
    let mut history = internal.history(laws);
    internal.stored_energy(laws, u, &mut history).unwrap()
}

fn product<L: Law>(internal: &mut InternalForce, laws: &[L], u: &[f64], direction: &[f64]) -> Vec<f64> {
    let (mut history, mut product) = (internal.history(laws), vec![0.0; u.len()]);
    internal.tangent_product(laws, u, &mut history, direction, &mut product).unwrap();
    product
}

fn tangent<L: Law>(d: &Discretisation, internal: &mut InternalForce, laws: &[L], u: &[f64]) -> BlockMatrix {
    let mut assembly = TangentAssembly::new(d, internal).unwrap();
    let (history, mut matrix) = (internal.history(laws), assembly.matrix());
    assembly.assemble(internal, laws, u, &history, &mut matrix).unwrap();
    matrix
}

fn times_matrix(matrix: &BlockMatrix, x: &[f64]) -> Vec<f64> {
    let x = Mat::from_fn(x.len(), 1, |i, _| x[i]);
    matrix.product(x.as_ref()).col_as_slice(0).to_vec()
}

#[test]
fn forces_are_derivatives_of_the_energy() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let (u, direction) = (waves(&d), noise(d.n_dofs(), 1.0));
        for law in every_law() {
            let laws = laws(&d, law);
            let work = dot(&force(&mut internal, &laws, &u), &direction);
            let h = 1e-6;
            let ends = [h, -h].map(|h| energy(&mut internal, &laws, &sum(&u, h, &direction)));
            let slope = (ends[0] - ends[1]) / (2.0 * h);
            let error = (slope - work).abs() / work.abs().max(1.0);
            assert!(error < 2e-8, "{name}, {}: {slope} and {work}", law.name());
        }
    }
}

#[test]
fn tangent_products_agree_with_differences_and_with_the_matrix() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let (u, direction) = (waves(&d), noise(d.n_dofs(), 1.0));
        for law in every_law() {
            let laws = laws(&d, law);
            let found = product(&mut internal, &laws, &u, &direction);
            let h = 1e-6;
            let ends = [h, -h].map(|h| force(&mut internal, &laws, &sum(&u, h, &direction)));
            let slope: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(p, m)| (p - m) / (2.0 * h)).collect();
            let error = difference(&slope, &found) / largest(&found);
            assert!(error < 1e-7, "{name}, {}: differences {error:e}", law.name());
            let matrix = tangent(&d, &mut internal, &laws, &u);
            let error = difference(&times_matrix(&matrix, &direction), &found) / largest(&found);
            assert!(error < 1e-12, "{name}, {}: matrix {error:e}", law.name());
        }
    }
}

#[test]
fn rigid_motions_cause_forces_only_in_the_linear_law() {
    let turn = rotation([0.6, 0.0, 0.8], 2.1);
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let u = affine(&d, &turn, [3.0, -1.0, 0.5]);
        for law in every_law() {
            let found = largest(&force(&mut internal, &laws(&d, law), &u));
            if law.is_objective() {
                assert!(found < 1e-13, "{name}, {}: {found:e}", law.name());
            } else {
                assert!(found > 1e-2, "{name}, {}: {found:e}", law.name());
            }
        }
    }
}

#[test]
fn the_tangent_of_the_undeformed_body_is_the_linear_stiffness() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let linear = assemble(&d, QuadratureRule::Default, &Silent).unwrap().stiffness;
        let scale = largest(linear.values.as_flattened());
        for law in ElasticLaw::NAMES {
            let law = ElasticLaw::named(law, ElasticModuli::of(&d.materials[0])).unwrap();
            let matrix = tangent(&d, &mut internal, &laws(&d, law), &vec![0.0; d.n_dofs()]);
            assert_eq!(matrix.graph.rows, linear.graph.rows, "{name}");
            let error = difference(matrix.values.as_flattened(), linear.values.as_flattened()) / scale;
            assert!(error < 1e-13, "{name}, {}: {error:e}", law.name());
        }
    }
}

#[test]
fn total_force_and_torque_are_zero_in_any_state() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let u = waves(&d);
        for law in every_law().into_iter().filter(Law::is_objective) {
            let f = force(&mut internal, &laws(&d, law), &u);
            let (mut total, mut torque) = ([0.0; 3], [0.0; 3]);
            for ((f, u), x) in f.as_chunks::<3>().0.iter().zip(u.as_chunks::<3>().0).zip(&d.points) {
                let x = [x[0] + u[0], x[1] + u[1], x[2] + u[2]];
                for a in 0..3 {
                    let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                    total[a] += f[a];
                    torque[a] += x[b] * f[c] - x[c] * f[b];
                }
            }
            let (total, torque, scale) = (largest(&total), largest(&torque), largest(&f));
            assert!(total < 1e-13 * scale.max(1.0), "{name}, {}: force {total:e}", law.name());
            assert!(torque < 1e-13 * scale.max(1.0), "{name}, {}: torque {torque:e}", law.name());
        }
    }
}

/// P of a deformation gradient, by the force on a single hex8.
fn pk1_of<L: Law + Copy>(law: L, f: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let (d, mut internal) = internal(&block(CellShape::Hex8, 1, |x| x));
    let force = force(&mut internal, &[law], &affine(&d, f, [0.0; 3]));
    moments(&d, &force)
}

/// Σ f_i ⊗ X_i.
fn moments(d: &Discretisation, force: &[f64]) -> [[f64; 3]; 3] {
    let mut sum = [[0.0; 3]; 3];
    for (f, x) in force.as_chunks::<3>().0.iter().zip(&d.points) {
        for (a, b) in (0..9).map(|k| (k / 3, k % 3)) {
            sum[a][b] += f[a] * x[b];
        }
    }
    sum
}

/// ∫ dV by the rule of the stiffness.
fn volume(d: &Discretisation) -> f64 {
    let mut evaluator = CellEvaluator::new(d);
    let mut sum = 0.0;
    for cell in d.cells() {
        let rule = match &d.blocks[cell.block as usize].cells {
            Cells::Lagrange { shape, .. } => {
                Quadrature::for_cell(*shape, Integrand::Stiffness, QuadratureRule::Default)
            }
            Cells::Spline(cells) => Quadrature::cube(cells.degrees.map(|p| p + 1)),
        };
        evaluator.enter(cell);
        sum += rule.points.iter().zip(&rule.weights).map(|(&xi, w)| w * evaluator.at(xi).det).sum::<f64>();
    }
    sum
}

#[test]
fn a_constant_deformation_gradient_gives_constant_stress_on_every_kind() {
    let f = [[1.2, 0.3, -0.1], [-0.2, 0.9, 0.15], [0.05, -0.25, 1.1]];
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let u = affine(&d, &f, [1.0, 2.0, 3.0]);
        let volume = volume(&d);
        for law in every_law() {
            let force = force(&mut internal, &laws(&d, law), &u);
            let (found, expected) = (moments(&d, &force), pk1_of(law, &f));
            for (a, b) in (0..9).map(|k| (k / 3, k % 3)) {
                let error = (found[a][b] / volume - expected[a][b]).abs();
                assert!(error < 1e-12, "{name}, {}, {a}{b}: {error:e}", law.name());
            }
            if name == "hex8" || name == "tet4" || name.starts_with("locally") {
                // Forces on inner points are zero.
                let inside = d
                    .points
                    .iter()
                    .zip(force.as_chunks::<3>().0)
                    .filter(|(x, _)| x.iter().all(|&t| (1e-9..1.0 - 1e-9).contains(&t)));
                for (x, f) in inside {
                    assert!(largest(f) < 1e-13, "{name}, {}: {f:?} at {x:?}", law.name());
                }
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut bodies = every_kind();
    bodies.push(("many hex8".to_owned(), block(CellShape::Hex8, 12, |x| distort(x, 0.02))));
    for (name, body) in bodies {
        let (d, internal) = internal(&body);
        let law = laws(&d, NeoHookean::new(soft()).unwrap());
        let u = waves(&d);
        let with = |n| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            let mut internal = internal.clone();
            pool.install(|| {
                let force = force(&mut internal, &law, &u);
                let energy = energy(&mut internal, &law, &u);
                (force, energy, tangent(&d, &mut internal, &law, &u).values)
            })
        };
        assert!(with(1) == with(8), "{name}");
    }
}

#[test]
fn repeated_calls_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let laws = laws(&d, NeoHookean::new(soft()).unwrap());
        let (u, mut f) = (waves(&d), vec![0.0; d.n_dofs()]);
        let mut history = internal.history(&laws);
        let mut assembly = TangentAssembly::new(&d, &internal).unwrap();
        let mut matrix = assembly.matrix();
        let mut run = || {
            internal.force(&laws, &u, &mut history, &mut f).unwrap();
            history.commit();
            internal.stored_energy(&laws, &u, &mut history).unwrap();
            internal.tangent_product(&laws, &u, &mut history, &u, &mut f).unwrap();
            // Hanging points leave the matrix by a product that allocates.
            if d.hanging.is_empty() {
                assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
            }
        };
        let allocations = pool.install(|| {
            run();
            heap::allocations_during(run).1
        });
        assert_eq!(allocations, 0, "{name}");
    }
}

#[test]
fn a_neo_hookean_bar_follows_the_closed_form_in_tension() {
    let moduli = soft();
    let law = NeoHookean::new(moduli).unwrap();
    for stretch in [0.5_f64, 0.8, 1.5, 3.0] {
        // Free sides, P₂₂ = 0: μ (s² − 1) + ½ λ (λ₁² s⁴ − 1) = 0 with s the lateral stretch.
        let (a, b, c) = (0.5 * moduli.lambda * stretch * stretch, moduli.mu, moduli.mu + 0.5 * moduli.lambda);
        let square = (-b + (b * b + 4.0 * a * c).sqrt()) / (2.0 * a);
        let j = stretch * square;
        let expected = moduli.mu * (stretch - 1.0 / stretch) + 0.5 * moduli.lambda * (j * j - 1.0) / stretch;
        for (name, body) in
            [("hex8", block(CellShape::Hex8, 2, |x| x)), ("spline", spline_block(2, 2, |x| x))]
        {
            let (d, mut internal) = internal(&body);
            let s = square.sqrt();
            let u = affine(&d, &[[stretch, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s]], [0.0; 3]);
            let f = force(&mut internal, &laws(&d, law), &u);
            let ends = d.points.iter().zip(f.as_chunks::<3>().0);
            let pull: f64 = ends.clone().filter(|(x, _)| x[0] == 1.0).map(|(_, f)| f[0]).sum();
            let aside = ends.map(|(_, f)| f[1].abs().max(f[2].abs())).fold(0.0, f64::max);
            assert!((pull / expected - 1.0).abs() < 1e-12, "{name}, {stretch}: {pull} and {expected}");
            assert!(aside < 1e-13, "{name}, {stretch}: {aside:e} on the free sides");
        }
    }
}

/// Equilibrium of a cube that is clamped at x = 0 and displaced at x = 1, by Newton's method: its energy.
fn pulled_cube(body: &carom_fem::Body, residuals: &mut Vec<f64>) -> f64 {
    let (d, mut internal) = internal(body);
    let laws = laws(&d, NeoHookean::new(soft()).unwrap());
    let mut assembly = TangentAssembly::new(&d, &internal).unwrap();
    let (mut history, mut matrix) = (internal.history(&laws), assembly.matrix());
    let held: Vec<[bool; 3]> = d.points.iter().map(|x| [x[0] > 1e-9 && x[0] < 1.0 - 1e-9; 3]).collect();
    let mut u = displacement(&d, |x| [0.3 * x[0], 0.2 * x[0], 0.0]);
    for _ in 0..8 {
        let mut f = vec![0.0; u.len()];
        internal.force(&laws, &u, &mut history, &mut f).unwrap();
        let mut step = Mat::from_fn(u.len(), 1, |i, _| if held[i / 3][i % 3] { -f[i] } else { 0.0 });
        residuals.push(step.norm_max());
        assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
        let free = DofSet::from_flags(held.clone());
        Cholesky::new(&matrix, None, free, &Silent).unwrap().solve_in_place(step.as_mut());
        u.iter_mut().zip(step.col_as_slice(0)).for_each(|(u, du)| *u += du);
    }
    energy(&mut internal, &laws, &u)
}

#[test]
fn newton_converges_quadratically_and_meshes_and_splines_agree() {
    let mut residuals = Vec::new();
    let spline = pulled_cube(&spline_block(3, 4, |x| x), &mut residuals);
    // The fourth residual is the square of the third times a constant.
    let constant = residuals[2] / residuals[1].powi(2);
    assert!(residuals[3] < 10.0 * constant * residuals[2].powi(2) + 1e-13, "{residuals:?}");
    assert!(residuals[6] < 1e-13, "{residuals:?}");
    let hex20: Vec<f64> =
        [2, 4].map(|n| pulled_cube(&block(CellShape::Hex20, n, |x| x), &mut Vec::new())).to_vec();
    let tet10 = pulled_cube(&block(CellShape::Tet10, 3, |x| x), &mut Vec::new());
    println!("energies: spline {spline}, hex20 {hex20:?}, tet10 {tet10}");
    // All are stiffer than the limit. The singular stress at the clamped edges makes the convergence
    // slow: 1.1 % from n = 2 to 4.
    assert!(hex20[0] > hex20[1] && hex20[1] > 0.998 * spline, "{hex20:?} and {spline}");
    assert!((hex20[1] / spline - 1.0).abs() < 5e-3, "{hex20:?} and {spline}");
    assert!((tet10 / spline - 1.0).abs() < 1e-2, "{tet10} and {spline}");
}

#[test]
fn a_cell_that_is_turned_inside_out_is_named() {
    let (d, mut internal) = internal(&block(CellShape::Hex8, 2, |x| x));
    let laws = [SaintVenantKirchhoff::new(soft())];
    let (mut history, mut f) = (internal.history(&laws), vec![0.0; d.n_dofs()]);
    let corner = d.points.iter().position(|&x| x == [1.0; 3]).unwrap();
    let mut u = vec![0.0; d.n_dofs()];
    for (size, is_inverted) in [(-0.2, false), (-1.2, true), (f64::NAN, true)] {
        u[3 * corner..3 * corner + 3].fill(size);
        let found = internal.force(&laws, &u, &mut history, &mut f);
        assert_eq!(found.is_err(), is_inverted, "{size}: {found:?}");
        if let Err(error) = found {
            let SweepError::Inverted { cell, .. } = error else { panic!("{error}") };
            assert_eq!(cell, CellRef { block: 0, cell: 7 });
            assert!(error.to_string().contains("cell 7 of block 0") && error.to_string().contains("det F"));
        }
    }
}

#[test]
fn one_point_rule_of_a_hex8_has_twelve_hourglass_modes() {
    let d = Discretisation::new(&block(CellShape::Hex8, 1, |x| x)).unwrap();
    let laws = [SaintVenantKirchhoff::new(soft())];
    let n_zero = |rule| {
        let mut internal = InternalForce::new(&d, rule).unwrap();
        let matrix = tangent(&d, &mut internal, &laws, &[0.0; 24]);
        let dense = matrix.extract(&(0..24).collect::<Vec<_>>());
        let pairs = carom_linalg::dense::symmetric_pairs(dense.as_ref()).unwrap();
        pairs.lambda.iter().filter(|lambda| lambda.abs() < 1e-12).count()
    };
    assert_eq!(n_zero(PointRule::default()), 6);
    assert_eq!(n_zero(PointRule::Centre), 18);
}

#[test]
fn an_inverted_reference_cell_is_named_with_its_place() {
    let body = block(CellShape::Hex8, 2, |x| if x == [0.5; 3] { [1.4; 3] } else { x });
    let d = Discretisation::new(&body).unwrap();
    let error = InternalForce::new(&d, PointRule::default()).unwrap_err();
    assert!(matches!(error, AssemblyError::InvertedCell { .. }), "{error}");
}

#[test]
fn bodies_with_other_dofs_than_displacements_are_refused_by_name() {
    let mut d = Discretisation::new(&block_of(CellShape::Hex8, [1; 3], |x| x)).unwrap();
    d.dofs_per_point = 6;
    assert_eq!(d.n_dofs(), 48);
    for (error, operation) in [
        (InternalForce::new(&d, PointRule::default()).unwrap_err(), "the internal force is for solids"),
        (
            assemble(&d, QuadratureRule::Default, &Silent).unwrap_err(),
            "the stiffness and mass of linear elasticity is for solids",
        ),
    ] {
        let message = error.to_string();
        assert!(message.starts_with(operation) && message.contains("this body has 6"), "{message}");
    }
}

#[test]
fn large_rotations_of_a_stretched_body_rotate_its_forces() {
    let turn = rotation([0.0, 0.6, 0.8], 1.3);
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let u = waves(&d);
        let turned: Vec<f64> = (d.points.iter().zip(u.as_chunks::<3>().0))
            .flat_map(|(x, u)| {
                let y = times(&turn, [x[0] + u[0], x[1] + u[1], x[2] + u[2]]);
                [y[0] - x[0], y[1] - x[1], y[2] - x[2]]
            })
            .collect();
        for law in every_law().into_iter().filter(Law::is_objective) {
            let laws = laws(&d, law);
            let expected: Vec<f64> = force(&mut internal, &laws, &u)
                .as_chunks::<3>()
                .0
                .iter()
                .flat_map(|&f| times(&turn, f))
                .collect();
            let error = difference(&force(&mut internal, &laws, &turned), &expected) / largest(&expected);
            assert!(error < 1e-12, "{name}, {}: {error:e}", law.name());
        }
    }
}
