//! Cells with mean dilatation and with one point: derivatives, patch tests, and problems in which plain
//! linear cells lock.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, Law, Plastic, SmallStrain, SolidLaw};
use carom_fem::internal_force::{
    GeneralTangentAssembly, History, InternalForce, PointRule, TangentAssembly, element_frequencies,
};
use carom_fem::{Body, Discretisation, LumpedMass, QuadratureRule};
use carom_linalg::{Cholesky, DofSet};
use carom_mesh::CellShape;
use carom_progress::Silent;
use faer::Mat;

use crate::bodies::{block, block_of, distort, spline_block_of};
use crate::deformed::{
    affine, difference, displacement, dot, every_law, internal, largest, noise, rotation, soft, sum, waves,
};

pub(crate) const RULES: [PointRule; 2] = [PointRule::MeanDilatation, PointRule::OnePoint];

pub(crate) fn with_rule(body: &Body, rule: PointRule) -> (Discretisation, InternalForce) {
    let d = Discretisation::new(body).unwrap();
    let internal = InternalForce::new(&d, rule).unwrap();
    (d, internal)
}

/// All elastic laws, and a plastic one that yields at the strains of the tests.
fn all_laws() -> Vec<SolidLaw> {
    let plastic = Plastic::new(soft(), Hardening::linear(0.05, 0.3).unwrap()).unwrap();
    every_law().into_iter().map(SolidLaw::Elastic).chain([SolidLaw::Plastic(plastic)]).collect()
}

/// Linear cells, distorted.
fn linear_kinds() -> Vec<(String, Body)> {
    [CellShape::Hex8, CellShape::Wedge6, CellShape::Pyramid5, CellShape::Tet4]
        .map(|shape| (shape.name().to_owned(), block(shape, 2, |x| distort(x, 0.05))))
        .to_vec()
}

fn force<L: Law>(internal: &mut InternalForce, laws: &[L], u: &[f64], history: &History) -> Vec<f64> {
    let (mut history, mut force) = (history.clone(), vec![0.0; u.len()]);
    internal.force(laws, u, &mut history, &mut force).unwrap();
    force
}

/// The history after a first deformation, from which the second one unloads partly.
fn loaded<L: Law>(internal: &mut InternalForce, laws: &[L], u: &[f64]) -> History {
    let mut history = internal.history(laws);
    internal.force(laws, u, &mut history, &mut vec![0.0; u.len()]).unwrap();
    history.commit();
    history
}

#[test]
fn forces_of_cells_with_coupled_points_are_derivatives_of_their_energy() {
    for rule in RULES {
        for (name, body) in linear_kinds() {
            let (d, mut internal) = with_rule(&body, rule);
            let (u, direction) = (waves(&d), noise(d.n_dofs(), 1.0));
            for law in every_law() {
                let laws = [law];
                let mut history = internal.history(&laws);
                let work = dot(&force(&mut internal, &laws, &u, &history), &direction);
                let h = 1e-6;
                let ends = [h, -h]
                    .map(|h| internal.stored_energy(&laws, &sum(&u, h, &direction), &mut history).unwrap());
                let slope = (ends[0] - ends[1]) / (2.0 * h);
                let error = (slope - work).abs() / work.abs().max(1.0);
                assert!(error < 2e-8, "{rule:?}, {name}, {}: {slope} and {work}", law.name());
            }
        }
    }
}

#[test]
fn tangents_of_cells_with_coupled_points_agree_with_differences_and_matrices() {
    for rule in RULES {
        for (name, body) in linear_kinds() {
            let (d, mut internal) = with_rule(&body, rule);
            let (u, direction) = (waves(&d), noise(d.n_dofs(), 1.0));
            for law in all_laws() {
                let (title, laws) = (format!("{rule:?}, {name}, {}", law.name()), [law]);
                let mut history =
                    loaded(&mut internal, &laws, &u.iter().map(|u| 0.5 * u).collect::<Vec<_>>());
                let mut found = vec![0.0; d.n_dofs()];
                internal.tangent_product(&laws, &u, &mut history, &direction, &mut found).unwrap();
                let h = 1e-6;
                let ends = [h, -h].map(|h| force(&mut internal, &laws, &sum(&u, h, &direction), &history));
                let slope: Vec<f64> =
                    ends[0].iter().zip(&ends[1]).map(|(p, m)| (p - m) / (2.0 * h)).collect();
                let error = difference(&slope, &found) / largest(&found);
                assert!(error < 2e-7, "{title}: differences {error:e}");
                let mut assembly = GeneralTangentAssembly::new(&d, &internal).unwrap();
                let mut matrix = assembly.matrix();
                assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
                let mut product = vec![0.0; d.n_dofs()];
                for (row, values) in matrix.outer_iterator().enumerate() {
                    product[row] = values.iter().map(|(column, value)| value * direction[column]).sum();
                }
                let error = difference(&product, &found) / largest(&found);
                assert!(error < 1e-12, "{title}: matrix {error:e}");
                if laws[0].is_symmetric() {
                    let mut assembly = TangentAssembly::new(&d, &internal).unwrap();
                    let mut matrix = assembly.matrix();
                    assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
                    let x = Mat::from_fn(direction.len(), 1, |i, _| direction[i]);
                    let product = matrix.product(x.as_ref()).col_as_slice(0).to_vec();
                    let error = difference(&product, &found) / largest(&found);
                    assert!(error < 1e-12, "{title}: symmetric matrix {error:e}");
                }
            }
        }
    }
}

/// Forces vanish inside a body of constant deformation gradient, and the moment Σ f ⊗ X is V P.
#[test]
fn distorted_cells_with_coupled_points_pass_the_patch_test() {
    let f = [[1.2, 0.3, -0.1], [-0.2, 0.9, 0.15], [0.05, -0.25, 1.1]];
    for rule in RULES {
        for (name, body) in linear_kinds() {
            let (d, mut own) = with_rule(&body, rule);
            let (_, mut plain) = internal(&body);
            let u = affine(&d, &f, [1.0, 2.0, 3.0]);
            for law in all_laws() {
                let (title, laws) = (format!("{rule:?}, {name}, {}", law.name()), [law]);
                let history = own.history(&laws);
                let forces = force(&mut own, &laws, &u, &history);
                let history = plain.history(&laws);
                let error = difference(&forces, &force(&mut plain, &laws, &u, &history));
                // The plain pyramid and wedge have the same constant stress at other points.
                assert!(error < 1e-13, "{title}: {error:e}");
                for (x, f) in d.points.iter().zip(forces.as_chunks::<3>().0) {
                    let is_inside = x.iter().all(|&t| (1e-9..1.0 - 1e-9).contains(&t));
                    assert!(!is_inside || largest(f) < 1e-13, "{title}: {f:?} at {x:?}");
                }
            }
        }
    }
}

#[test]
fn cells_with_coupled_points_follow_rotations_and_have_no_torque() {
    let turn = rotation([0.6, 0.0, 0.8], 2.1);
    for rule in RULES {
        for (name, body) in linear_kinds() {
            let (d, mut internal) = with_rule(&body, rule);
            for law in all_laws().into_iter().filter(Law::is_objective) {
                let (title, laws) = (format!("{rule:?}, {name}, {}", law.name()), [law]);
                let history = internal.history(&laws);
                let rigid = affine(&d, &turn, [3.0, -1.0, 0.5]);
                let found = largest(&force(&mut internal, &laws, &rigid, &history));
                assert!(found < 1e-13, "{title}: {found:e} in a rigid motion");
                let u = waves(&d);
                let forces = force(&mut internal, &laws, &u, &history);
                let (mut total, mut torque) = ([0.0; 3], [0.0; 3]);
                for ((f, u), x) in forces.as_chunks::<3>().0.iter().zip(u.as_chunks::<3>().0).zip(&d.points) {
                    let x = [0, 1, 2].map(|a| x[a] + u[a]);
                    for a in 0..3 {
                        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                        total[a] += f[a];
                        torque[a] += x[b] * f[c] - x[c] * f[b];
                    }
                }
                let scale = largest(&forces).max(1.0);
                assert!(largest(&total) < 1e-13 * scale, "{title}: force {total:?}");
                assert!(largest(&torque) < 1e-13 * scale, "{title}: torque {torque:?}");
            }
        }
    }
}

/// The bound of the frequency of each cell is above the true one and at most 1.1 times it: with m = 18
/// eigenvalues m^(1/32) = 1.095 for ω², 1.047 for ω.
#[test]
fn frequencies_of_cells_with_coupled_points_are_bounded() {
    let body =
        block(CellShape::Hex8, 1, |[x, y, z]| [x + 0.2 * y * z, 1.3 * y - 0.1 * x * z, 0.7 * z + 0.1 * x]);
    for rule in RULES {
        let (d, mut internal) = with_rule(&body, rule);
        let mass = LumpedMass::new(&d, QuadratureRule::Default).unwrap();
        for law in every_law() {
            let (laws, u) = ([law], vec![0.0; d.n_dofs()]);
            let history = internal.history(&laws);
            let (bound, _) =
                element_frequencies(&mut internal, &laws, &u, &history, &mass).unwrap().largest();
            let mut assembly = TangentAssembly::new(&d, &internal).unwrap();
            let mut matrix = assembly.matrix();
            assembly.assemble(&mut internal, &laws, &u, &history, &mut matrix).unwrap();
            let dense = matrix.extract(&(0..24).collect::<Vec<_>>());
            let scaled =
                Mat::from_fn(24, 24, |i, j| dense[(i, j)] / (mass.points[i / 3] * mass.points[j / 3]).sqrt());
            let pairs = carom_linalg::dense::symmetric_pairs(scaled.as_ref()).unwrap();
            let largest = pairs.lambda.iter().fold(0.0_f64, |m, x| m.max(*x)).sqrt();
            let ratio = bound / largest;
            assert!((1.0 - 1e-12..1.048).contains(&ratio), "{rule:?}, {}: {ratio}", law.name());
        }
    }
}

/// The static displacement of a body of the linear law.
///
/// * `held` — the prescribed displacement of a point, by its undeformed place
/// * `load` — force on each dof
pub(crate) fn statics(
    d: &Discretisation,
    internal: &mut InternalForce,
    moduli: ElasticModuli,
    held: impl Fn([f64; 3]) -> [Option<f64>; 3],
    load: &[f64],
) -> Vec<f64> {
    let laws = vec![ElasticLaw::SmallStrain(SmallStrain::new(moduli)); d.blocks.len()];
    let held: Vec<[Option<f64>; 3]> = d.points.iter().map(|&x| held(x)).collect();
    let mut u: Vec<f64> = held.iter().flatten().map(|u| u.unwrap_or(0.0)).collect();
    let history = internal.history(&laws);
    let forces = force(internal, &laws, &u, &history);
    let mut assembly = TangentAssembly::new(d, internal).unwrap();
    let mut matrix = assembly.matrix();
    assembly.assemble(internal, &laws, &u, &history, &mut matrix).unwrap();
    let free: Vec<[bool; 3]> = held.iter().map(|held| held.map(|u| u.is_none())).collect();
    let mut step =
        Mat::from_fn(u.len(), 1, |i, _| if free[i / 3][i % 3] { load[i] - forces[i] } else { 0.0 });
    Cholesky::new(&matrix, None, DofSet::from_flags(free), &Silent).unwrap().solve_in_place(step.as_mut());
    u.iter_mut().zip(step.col_as_slice(0)).for_each(|(u, du)| *u += du);
    u
}

/// Cook's membrane: 48 long, 44 high at the clamped end, 16 at the other, one unit thick.
fn cook([x, y, z]: [f64; 3]) -> [f64; 3] {
    [48.0 * x, 44.0 * x + y * (44.0 - 28.0 * x), z]
}

/// Vertical displacement of the upper corner under a shear force of 1 at the end, in plane strain.
fn cooks_tip(body: &Body, rule: PointRule, moduli: ElasticModuli) -> f64 {
    let (d, mut internal) = with_rule(body, rule);
    // The force over the end: weights of the trapezoidal rule for cells, of a fine sum for splines.
    let at_end = |x: &[f64; 3]| (x[0] - 48.0).abs() < 1e-9;
    let mut places: Vec<f64> = d.points.iter().filter(|x| at_end(x)).map(|x| x[1]).collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let shares = end_shares(body, &places);
    let layers = d.points.iter().filter(|x| at_end(x)).count() as f64 / places.len() as f64;
    let mut load = vec![0.0; d.n_dofs()];
    for (k, x) in d.points.iter().enumerate().filter(|(_, x)| at_end(x)) {
        let place = places.iter().position(|y| (y - x[1]).abs() < 1e-9).unwrap();
        load[3 * k + 1] = shares[place] / layers;
    }
    let held = |x: [f64; 3]| {
        let clamp = (x[0].abs() < 1e-9).then_some(0.0);
        [clamp, clamp, Some(0.0)]
    };
    let u = statics(&d, &mut internal, moduli, held, &load);
    let corner = d.points.iter().position(|x| at_end(x) && (x[1] - 60.0).abs() < 1e-9).unwrap();
    u[3 * corner + 1]
}

/// ∫ R_i dy over the end of unit total for the functions along it.
fn end_shares(body: &Body, places: &[f64]) -> Vec<f64> {
    match &body.geometry {
        carom_fem::Geometry::Mesh(_) => {
            let n = places.len() - 1;
            (0..=n).map(|i| if i == 0 || i == n { 0.5 } else { 1.0 } / n as f64).collect()
        }
        carom_fem::Geometry::Nurbs(solid) => {
            // ∫ N_i over the parameters is (t_{i+p+1} − t_i)/(p + 1).
            let knots = &solid.patches[0].basis[1];
            let (p, t) = (knots.degree(), knots.knots());
            (0..places.len()).map(|i| (t[i + p + 1] - t[i]) / (p + 1) as f64).collect()
        }
    }
}

#[test]
fn cooks_membrane_of_nearly_incompressible_material_does_not_lock() {
    let moduli = ElasticModuli::from_young_poisson(1.0, 0.4999).unwrap();
    let spline = |n| cooks_tip(&spline_block_of([4, 4, 1], [n, n, 1], cook), PointRule::default(), moduli);
    let cells = |n, rule| cooks_tip(&block_of(CellShape::Hex8, [n, n, 1], cook), rule, moduli);
    // The stress at the clamped corner is singular: all meshes converge with an order near 1.3, and their
    // extrapolated limits agree.
    let limit = extrapolated([8, 16, 32].map(spline));
    for rule in RULES {
        let tips = [8, 16, 32].map(|n| cells(n, rule));
        println!("{rule:?}: {tips:?}, limit {} and {limit}", extrapolated(tips));
        assert!((extrapolated(tips) / limit - 1.0).abs() < 3e-3, "{rule:?}: {tips:?}, {limit}");
        assert!((tips[2] / limit - 1.0).abs() < 0.01, "{rule:?}: {tips:?}, {limit}");
    }
    let plain = cells(16, PointRule::default());
    assert!(plain < 0.8 * limit, "plain cells lock: {plain}, {limit}");
}

/// The limit of a sequence with a constant ratio of its differences (Aitken).
fn extrapolated([a, b, c]: [f64; 3]) -> f64 {
    c + (c - b) * (c - b) / ((b - a) - (c - b))
}

/// A thick-walled tube, radii 1 and 2, whose inner surface moves outwards in plane strain: u = A r + B/r.
/// Relative error of the pressure on the inner surface.
fn tube_error(n: usize, rule: PointRule) -> f64 {
    let moduli = ElasticModuli::from_young_poisson(1.0, 0.4999).unwrap();
    let quarter = |[x, y, z]: [f64; 3]| {
        let (r, angle) = (1.0 + x, std::f64::consts::FRAC_PI_2 * y);
        [r * angle.cos(), r * angle.sin(), z / n as f64]
    };
    let (d, mut internal) = with_rule(&block_of(CellShape::Hex8, [n, 2 * n, 1], quarter), rule);
    let moved = 1e-3;
    let held = |x: [f64; 3]| {
        let r = x[0].hypot(x[1]);
        let is_inner = (r - 1.0).abs() < 1e-9;
        let along =
            |a: usize| if is_inner { Some(moved * x[a] / r) } else { (x[a].abs() < 1e-9).then_some(0.0) };
        [along(0), along(1), Some(0.0)]
    };
    let u = statics(&d, &mut internal, moduli, held, &vec![0.0; d.n_dofs()]);
    let laws = [SmallStrain::new(moduli)];
    let history = internal.history(&laws);
    let forces = force(&mut internal, &laws, &u, &history);
    let inner = d.points.iter().zip(forces.as_chunks::<3>().0).filter(|(x, _)| x[0].hypot(x[1]) < 1.0 + 1e-9);
    let pushed: f64 = inner.map(|(x, f)| f[0] * x[0] + f[1] * x[1]).sum();
    let pressure = pushed / (std::f64::consts::FRAC_PI_2 / n as f64);
    let (lambda, mu) = (moduli.lambda, moduli.mu);
    let b = moved / (mu / ((lambda + mu) * 4.0) + 1.0);
    pressure / (2.0 * mu * b * (1.0 - 0.25)) - 1.0
}

#[test]
fn a_tube_of_nearly_incompressible_material_has_the_pressure_of_lame() {
    for rule in RULES {
        let errors = [4, 8, 16].map(|n| tube_error(n, rule));
        println!("{rule:?}: {errors:?}");
        let order = (errors[1] / errors[2]).abs().log2();
        assert!(order > 1.8 && errors[2].abs() < 0.01, "{rule:?}: order {order}, {errors:?}");
    }
    assert!(tube_error(8, PointRule::default()) > 0.5, "plain cells lock");
}

/// The volume ratio of all points of a cell is that of the cell, also in the stress for pictures.
#[test]
fn the_stress_of_cells_with_mean_dilatation_has_one_pressure_in_each_cell() {
    let (d, mut internal) =
        with_rule(&block(CellShape::Hex8, 2, |x| distort(x, 0.05)), PointRule::MeanDilatation);
    let plastic = Plastic::new(soft(), Hardening::linear(0.05, 0.3).unwrap()).unwrap();
    let (laws, u) = ([plastic], displacement(&d, |[x, y, z]| [0.1 * y * z, 0.1 * x * x, 0.05 * x * y]));
    let history = internal.history(&laws);
    let stress = internal.cauchy_stress(&laws, &u, &history).unwrap();
    for cell in stress.values.chunks_exact(8) {
        let pressures: Vec<f64> = cell.iter().map(|s| (s[0] + s[1] + s[2]) / 3.0).collect();
        assert!(pressures.iter().all(|p| (p - pressures[0]).abs() < 1e-14), "{pressures:?}");
    }
}
