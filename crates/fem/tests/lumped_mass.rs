//! Lumped mass, element frequencies, and frequencies of lumped bodies.

use std::f64::consts::PI;

use carom_fem::constitutive::{ElasticModuli, NeoHookean, SaintVenantKirchhoff};
use carom_fem::internal_force::{InternalForce, PointRule, element_frequencies, largest_stretch};
use carom_fem::{Body, Discretisation, LumpedMass, Lumping, QuadratureRule, assemble, mass_properties};
use carom_linalg::dense::symmetric_pairs;
use carom_linalg::eigen::{Wanted, lowest_pairs};
use carom_linalg::{Cholesky, DofSet, NodeMatrix};
use carom_mesh::CellShape;
use carom_progress::Silent;
use faer::Mat;

use crate::bodies::{block, block_of, digits, distort, spline_block};
use crate::deformed::{displacement, dot, every_kind, internal, laws, noise, soft, waves};

fn lumped(d: &Discretisation) -> LumpedMass {
    LumpedMass::new(d, QuadratureRule::Default).unwrap()
}

#[test]
fn masses_are_positive_and_add_up() {
    for (name, body) in every_kind() {
        let d = Discretisation::new(&body).unwrap();
        let mass = lumped(&d);
        assert!(mass.points.iter().all(|&m| m > 0.0), "{name}: {:?}", mass.points);
        // The mass of the consistent matrix, by the same rule.
        let consistent = assemble(&d, QuadratureRule::Default, &Silent).unwrap().mass;
        let ones = faer::Mat::from_fn(d.n_points(), 1, |_, _| 1.0);
        let total: f64 = consistent.node_product(ones.as_ref()).col_as_slice(0).iter().sum();
        assert!((mass.total() / total - 1.0).abs() < 1e-13, "{name}: {} and {total}", mass.total());
    }
}

#[test]
fn quadratic_tetrahedra_and_serendipity_hexahedra_are_scaled_and_all_others_summed() {
    for (name, body) in every_kind() {
        let expected = match name.as_str() {
            "tet10" | "hex20" => Lumping::DiagonalScaling,
            "tet4" | "hex8" | "hex27" => Lumping::RowSum,
            name if name.contains("spline") || name.contains("ring") || name == "ball" => Lumping::RowSum,
            "locally refined" => Lumping::RowSum,
            // Other kinds choose their own lumping.
            _ => continue,
        };
        let mass = lumped(&Discretisation::new(&body).unwrap());
        assert!(mass.lumping.iter().all(|&l| l == expected), "{name}: {:?}", mass.lumping);
    }
}

#[test]
fn row_sums_keep_the_centre_of_mass() {
    for (name, body) in every_kind() {
        let d = Discretisation::new(&body).unwrap();
        let mass = lumped(&d);
        if mass.lumping.contains(&Lumping::DiagonalScaling) {
            continue;
        }
        let centre = mass_properties(&d).center_of_mass;
        // The rule of the mass is not exact for rational cells.
        let tolerance = if name.contains("ring") || name == "ball" { 1e-4 } else { 1e-13 };
        for a in 0..3 {
            let sum: f64 = d.points.iter().zip(&mass.points).map(|(x, m)| m * x[a]).sum();
            let error = (sum / mass.total() - centre[a]).abs();
            assert!(error < tolerance, "{name}: {error:e}");
        }
    }
}

/// Relative error of the lowest frequency of the unit cube behind sliding walls: ω² = 2π² μ/ρ with
/// u = (sin πx cos πy, −cos πx sin πy, 0).
fn sliding_cube_error(body: &Body) -> f64 {
    let d = Discretisation::new(body).unwrap();
    let system = assemble(&d, QuadratureRule::Default, &Silent).unwrap();
    let mut mass = NodeMatrix::zeros(std::sync::Arc::clone(&system.mass.graph));
    for (node, m) in lumped(&d).points.iter().enumerate() {
        mass.values[mass.graph.col_ptr[node]] = *m;
    }
    let free = d.points.iter().map(|x| x.map(|t| t > 1e-9 && t < 1.0 - 1e-9)).collect();
    let factor = Cholesky::new(&system.stiffness, None, DofSet::from_flags(free), &Silent).unwrap();
    let (pairs, _) = lowest_pairs(&system.stiffness, &mass, factor, 0.0, Wanted::Count(3), &Silent).unwrap();
    let (_, mu) = d.materials[0].lame();
    (pairs.lambda[0] / (2.0 * PI * PI * mu / d.materials[0].density)).sqrt() - 1.0
}

#[test]
fn frequencies_of_lumped_bodies_converge() {
    let kinds: [(&str, CellShape, [usize; 2], f64); 5] = [
        ("tet4", CellShape::Tet4, [6, 12], 2.0),
        ("hex8", CellShape::Hex8, [6, 12], 2.0),
        ("tet10", CellShape::Tet10, [4, 8], 2.0),
        ("hex20", CellShape::Hex20, [3, 6], 2.0),
        // Row sums of hex27 are Simpson's rule, which keeps the order of the consistent mass.
        ("hex27", CellShape::Hex27, [2, 4], 4.0),
    ];
    let mut wrong = Vec::new();
    for (name, shape, sizes, expected) in kinds {
        let errors = sizes.map(|n| sliding_cube_error(&block(shape, n, |x| x)));
        let order = (errors[0] / errors[1]).abs().log2();
        let found = format!("{name}: {} order {order:.2}, expected {expected}", digits(&errors));
        println!("{found}");
        if order < expected - 0.3 || errors[1].abs() > 0.02 {
            wrong.push(found);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The frequency error by Rayleigh's quotient of the exact motion; its values at the control points are used
/// as coefficients.
fn sliding_motion_error(body: &Body) -> f64 {
    let (d, mut internal) = internal(body);
    let moduli = ElasticModuli::of(&d.materials[0]);
    let law = laws(&d, SaintVenantKirchhoff::new(moduli));
    let u = displacement(&d, |[x, y, _]| {
        [(PI * x).sin() * (PI * y).cos(), -(PI * x).cos() * (PI * y).sin(), 0.0]
    });
    let (mut history, mut force) = (internal.history(&law), vec![0.0; u.len()]);
    internal.tangent_product(&law, &vec![0.0; u.len()], &mut history, &u, &mut force).unwrap();
    let mass = lumped(&d);
    let inertia: f64 = u.iter().enumerate().map(|(i, u)| mass.points[i / 3] * u * u).sum();
    (dot(&u, &force) / inertia / (2.0 * PI * PI * moduli.mu / d.materials[0].density)).sqrt() - 1.0
}

#[test]
fn smooth_motions_of_lumped_splines_converge_with_order_two() {
    for p in [2, 3] {
        let errors = [8, 16].map(|n| sliding_motion_error(&spline_block(p, n, |x| x)));
        let order = (errors[0] / errors[1]).abs().log2();
        println!("p = {p}: {} order {order:.2}", digits(&errors));
        assert!(order > 1.7 && errors[1].abs() < 0.03, "p = {p}: {} order {order:.2}", digits(&errors));
    }
}

#[test]
fn short_waves_of_lumped_splines_are_too_slow_and_speed_up_with_refinement() {
    // The inertia of the coefficients is many times that of the motion; λ grows with 1/h².
    let [coarse, fine] = [4, 8].map(|n| 1.0 + sliding_cube_error(&spline_block(2, n, |x| x)));
    assert!(fine < 0.8, "{coarse} and {fine}");
    let growth = (fine / coarse).powi(2);
    assert!((3.0..4.5).contains(&growth), "{growth}");
}

/// The lowest frequency of the sliding cube relative to the true one, with the inverse of the mass by a fixed
/// number of Jacobi's iterations from row sums L: M̃⁻¹ = Σ_{k<m} (E − L⁻¹M)^k L⁻¹. One iteration is L alone.
fn iterated_cube(body: &Body, iterations: usize) -> [f64; 2] {
    let d = Discretisation::new(body).unwrap();
    let system = assemble(&d, QuadratureRule::Default, &Silent).unwrap();
    let free: Vec<usize> =
        (0..d.n_dofs()).filter(|&i| (1e-9..1.0 - 1e-9).contains(&d.points[i / 3][i % 3])).collect();
    let sums = lumped(&d).points;
    let columns: Vec<Mat<f64>> = (0..d.n_points())
        .map(|p| {
            let unit = Mat::from_fn(d.n_points(), 1, |i, _| if i == p { 1.0 } else { 0.0 });
            system.mass.node_product(unit.as_ref())
        })
        .collect();
    let n = free.len();
    let mass = Mat::from_fn(n, n, |i, j| {
        let (a, b) = (free[i], free[j]);
        if a % 3 == b % 3 { columns[b / 3][(a / 3, 0)] } else { 0.0 }
    });
    // E − L⁻¹M, and the sum of its powers by Horner's rule.
    let step = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - mass[(i, j)] / sums[free[i] / 3]);
    let mut sum = Mat::<f64>::identity(n, n);
    for _ in 1..iterations {
        sum = Mat::<f64>::identity(n, n) + &step * &sum;
    }
    let inverse = Mat::from_fn(n, n, |i, j| sum[(i, j)] / sums[free[j] / 3]);
    let stiffness = symmetric_pairs(system.stiffness.extract(&free).as_ref()).unwrap();
    let half = Mat::from_fn(n, n, |i, k| stiffness.vectors[(i, k)] * stiffness.lambda[k].sqrt());
    let product = half.transpose() * &inverse * &half;
    let lambda = symmetric_pairs(product.as_ref()).unwrap().lambda;
    let exact = 2.0 * PI * PI * d.materials[0].lame().1 / d.materials[0].density;
    let extreme = |pick: fn(f64, f64) -> f64, from| lambda.iter().fold(from, |m, &x| pick(m, x));
    [(extreme(f64::min, f64::INFINITY) / exact).sqrt(), (extreme(f64::max, 0.0) / exact).sqrt()]
}

/// Jacobi's iterations restore the inertia of short waves step by step, and raise the largest frequency,
/// which shortens the step; docs/decisions/0044-solid-cells-without-locking.md has the figures.
#[test]
fn iterations_from_row_sums_speed_up_short_waves_of_splines() {
    let body = spline_block(2, 4, |x| x);
    let found = [1, 2, 4, 8, 16].map(|m| iterated_cube(&body, m));
    println!("lowest and largest frequency over the lowest true one: {found:?}");
    assert!((found[0][0] / (1.0 + sliding_cube_error(&body)) - 1.0).abs() < 1e-9, "{found:?}");
    assert!(found.windows(2).all(|pair| pair[1][0] > pair[0][0] && pair[1][1] > pair[0][1]), "{found:?}");
    // The inverse of the mass grows with each iteration and stays below that of the consistent mass.
    assert!(found[4][0] > 0.9 && found[4][0] < 1.001, "{found:?}");
}

/// The moment of inertia of lumped masses about an edge of the unit cube, ⅔ m, converges with order 2 for
/// every kind of mesh cell.
#[test]
fn moments_of_inertia_of_lumped_cells_converge_with_order_two() {
    for shape in CellShape::SOLIDS {
        let errors = [2, 4].map(|n| {
            let d = Discretisation::new(&block(shape, n, |x| x)).unwrap();
            let mass = lumped(&d);
            let sum: f64 =
                d.points.iter().zip(&mass.points).map(|(x, m)| m * (x[0] * x[0] + x[1] * x[1])).sum();
            1.5 * sum / mass.total() - 1.0
        });
        let order = (errors[0] / errors[1]).abs().log2();
        // Simpson's rule of hex27 is exact.
        let is_exact = errors[1].abs() < 1e-12;
        assert!(is_exact || order > 1.8, "{}: {} order {order:.2}", shape.name(), digits(&errors));
    }
}

#[test]
fn a_lumped_bar_of_hex8_has_the_frequency_of_the_chain_of_masses() {
    // ν = 0, u along x alone: ω = (2c/h) sin(π h / (4 L)) of the clamped bar.
    let n = 8;
    let mut body = block_of(CellShape::Hex8, [n, 1, 1], |x| x);
    body.materials[0].poisson = 0.0;
    let d = Discretisation::new(&body).unwrap();
    let (mut internal, mass) = (InternalForce::new(&d, PointRule::default()).unwrap(), lumped(&d));
    let law = [SaintVenantKirchhoff::new(ElasticModuli::of(&d.materials[0]))];
    let u: Vec<f64> = d.points.iter().flat_map(|x| [(0.5 * PI * x[0]).sin(), 0.0, 0.0]).collect();
    let (mut history, mut force) = (internal.history(&law), vec![0.0; u.len()]);
    internal.tangent_product(&law, &vec![0.0; u.len()], &mut history, &u, &mut force).unwrap();
    let c = (d.materials[0].young / d.materials[0].density).sqrt();
    let omega = 2.0 * c * n as f64 * (PI / (4.0 * n as f64)).sin();
    for (node, x) in d.points.iter().enumerate().filter(|(_, x)| x[0] > 0.0) {
        let expected = omega * omega * mass.points[node] * u[3 * node];
        assert!((force[3 * node] / expected - 1.0).abs() < 1e-12, "at x = {}", x[0]);
    }
}

#[test]
fn the_largest_frequency_of_a_cube_belongs_to_its_dilation() {
    // ω = 2 √(3K/ρ) / h.
    for poisson in [0.0, 0.3, 0.45] {
        let mut body = block(CellShape::Hex8, 2, |x| x);
        body.materials[0].poisson = poisson;
        let d = Discretisation::new(&body).unwrap();
        let moduli = ElasticModuli::of(&d.materials[0]);
        let omega = 2.0 * (3.0 * moduli.bulk() / d.materials[0].density).sqrt() / 0.5;
        for rule in [PointRule::default(), PointRule::Centre] {
            let mut internal = InternalForce::new(&d, rule).unwrap();
            let law = [SaintVenantKirchhoff::new(moduli)];
            let (history, u) = (internal.history(&law), vec![0.0; d.n_dofs()]);
            let found = element_frequencies(&mut internal, &law, &u, &history, &lumped(&d)).unwrap();
            let ratio = found.largest().0 / omega;
            assert!((1.0 - 1e-12..1.05).contains(&ratio), "ν = {poisson}, {rule:?}: {ratio}");
            assert!((found.critical_step() * found.largest().0 - 2.0).abs() < 1e-14);
        }
    }
}

#[test]
fn the_stable_step_of_a_bar_is_the_travel_time_of_sound_through_a_cell() {
    let mut body = block_of(CellShape::Hex8, [10, 2, 2], |x| x);
    body.materials[0].poisson = 0.0;
    let d = Discretisation::new(&body).unwrap();
    let mut internal = InternalForce::new(&d, PointRule::default()).unwrap();
    let law = [SaintVenantKirchhoff::new(ElasticModuli::of(&d.materials[0]))];
    let (history, u) = (internal.history(&law), vec![0.0; d.n_dofs()]);
    let found = element_frequencies(&mut internal, &law, &u, &history, &lumped(&d)).unwrap();
    let time = 0.1 / (d.materials[0].young / d.materials[0].density).sqrt();
    let ratio = found.critical_step() / time;
    assert!((0.95..=1.0 + 1e-12).contains(&ratio), "{ratio}");
}

/// The largest frequency of the linearised body by iteration with M⁻¹ K.
fn largest_frequency(d: &Discretisation, internal: &mut InternalForce, u: &[f64], mass: &LumpedMass) -> f64 {
    let laws = laws(d, NeoHookean::new(soft()).unwrap());
    let (mut history, mut x) = (internal.history(&laws), noise(d.n_dofs(), 1.0));
    let mut force = vec![0.0; x.len()];
    let mut lambda = 0.0;
    for _ in 0..400 {
        internal.tangent_product(&laws, u, &mut history, &x, &mut force).unwrap();
        let inertia: f64 = x.iter().enumerate().map(|(i, x)| mass.points[i / 3] * x * x).sum();
        lambda = dot(&x, &force) / inertia;
        let scale = inertia.sqrt().recip() / lambda;
        for (i, x) in x.iter_mut().enumerate() {
            *x = scale * force[i] / mass.points[i / 3];
        }
    }
    lambda.sqrt()
}

#[test]
fn element_frequencies_bound_those_of_the_body_closely() {
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let (law, mass) = (laws(&d, NeoHookean::new(soft()).unwrap()), lumped(&d));
        for (state, u) in [("at rest", vec![0.0; d.n_dofs()]), ("deformed", waves(&d))] {
            let history = internal.history(&law);
            let bound = element_frequencies(&mut internal, &law, &u, &history, &mass).unwrap().largest().0;
            let ratio = largest_frequency(&d, &mut internal, &u, &mass) / bound;
            println!("{name}, {state}: {ratio:.3} of the bound");
            assert!(ratio <= 1.0, "{name}, {state}: {ratio}");
            // The collapsed poles of a coarse ball have the smallest cells, and share their points.
            assert!(ratio > 0.5, "{name}, {state}: {ratio}");
        }
    }
}

/// Turns do not stretch; a stretch along x and a shear have their values.
#[test]
fn the_stretch_of_cells_is_that_of_the_strain() {
    for (name, body) in every_kind() {
        let d = Discretisation::new(&body).unwrap();
        let by = |a: [[f64; 3]; 3]| -> Vec<f64> {
            let of_point = |x: &[f64; 3]| -> [f64; 3] {
                std::array::from_fn(|i| (0..3).map(|j| a[i][j] * x[j]).sum::<f64>() - x[i])
            };
            d.points.iter().flat_map(of_point).collect()
        };
        let rest = vec![0.0; d.n_dofs()];
        let (s, c) = 0.7_f64.sin_cos();
        let turned = by([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
        assert!(largest_stretch(&d, &rest, &turned) < 1e-12, "{name}");
        let stretched = by([[c * 1.01, -s, 0.0], [s * 1.01, c, 0.0], [0.0, 0.0, 1.0]]);
        let found = largest_stretch(&d, &turned, &stretched);
        assert!(found > 0.003 && found < 0.01 * (1.0 + 1e-10), "{name}: {found}");
        let sheared = by([[1.0, 0.01, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let found = largest_stretch(&d, &rest, &sheared);
        // √(1 + γ + γ²/4 …) of the diagonal is γ/2 at most, to first order.
        assert!(found > 0.001 && found < 0.00502, "{name}: {found}");
    }
}

/// The bound, that of Lanczos' method alone and the largest frequency of the body, for cells of many points.
#[test]
fn bounds_of_large_cells_are_close_to_the_frequencies_of_bodies() {
    println!("| cells | body over bound, at rest | deformed |");
    println!("|---|---|---|");
    let bodies = [
        ("hex27", block(CellShape::Hex27, 3, |x| distort(x, 0.05))),
        ("p = 2", spline_block(2, 4, |x| distort(x, 0.05))),
        ("p = 3", spline_block(3, 3, |x| distort(x, 0.05))),
        ("p = 4", spline_block(4, 2, |x| distort(x, 0.05))),
    ];
    for (name, body) in bodies {
        let (d, mut internal) = internal(&body);
        let (law, mass) = (laws(&d, NeoHookean::new(soft()).unwrap()), lumped(&d));
        let ratios = [vec![0.0; d.n_dofs()], waves(&d)].map(|u| {
            let history = internal.history(&law);
            let bound = element_frequencies(&mut internal, &law, &u, &history, &mass).unwrap().largest().0;
            largest_frequency(&d, &mut internal, &u, &mass) / bound
        });
        println!("| {name} | {:.4} | {:.4} |", ratios[0], ratios[1]);
        assert!(ratios.iter().all(|ratio| (0.6..=1.0).contains(ratio)), "{name}: {ratios:?}");
    }
}

#[test]
fn finer_distorted_meshes_keep_the_bound() {
    let body = block(CellShape::Hex8, 5, |x| distort(x, 0.06));
    let (d, mut internal) = internal(&body);
    let (law, mass) = (laws(&d, NeoHookean::new(soft()).unwrap()), lumped(&d));
    let (u, history) = (waves(&d), internal.history(&law));
    let bound = element_frequencies(&mut internal, &law, &u, &history, &mass).unwrap().largest().0;
    let ratio = largest_frequency(&d, &mut internal, &u, &mass) / bound;
    assert!((0.6..=1.0).contains(&ratio), "{ratio}");
}
