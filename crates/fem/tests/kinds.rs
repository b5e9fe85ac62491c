//! Every kind of cell alone, and all kinds in one mesh: rigid modes, mass, closed surfaces, frequencies
//! against a closed form.

use std::f64::consts::PI;

use carom_fem::loads::pressure_force;
use carom_fem::{Body, Discretisation, QuadratureRule, assemble, mass_properties};
use carom_linalg::eigen::{Wanted, lowest_pairs};
use carom_linalg::{Cholesky, DofSet};
use carom_mesh::{CellBlock, CellShape, Mesh};
use carom_progress::Silent;
use faer::{Mat, Side};

use crate::bodies::{block, digits, distort, mesh_body, mixed};

/// A single distorted cell of a kind.
fn one_cell(shape: CellShape) -> Body {
    let bent =
        |x: &[f64; 3]| [x[0] + 0.1 * x[1] * x[2], x[1] + 0.2 * x[2] * x[0], x[2] * (1.0 + 0.3 * x[0] * x[1])];
    let connectivity = (0..shape.n_nodes() as u32).collect();
    let blocks = vec![CellBlock { shape, connectivity }];
    mesh_body(Mesh { points: shape.reference_nodes().iter().map(bent).collect(), blocks, ..Mesh::default() })
}

/// Eigenvalues of the stiffness of a body, ascending, divided by the largest.
fn stiffness_eigenvalues(body: &Body, rule: QuadratureRule) -> Vec<f64> {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, rule, &Silent).unwrap();
    let n = discretisation.n_dofs();
    let dense = system.stiffness.product(Mat::identity(n, n).as_ref());
    let values = dense.self_adjoint_eigenvalues(Side::Lower).unwrap();
    let largest = values.iter().copied().fold(0.0, f64::max);
    values.iter().map(|value| value / largest).collect()
}

#[test]
fn a_free_body_has_exactly_six_rigid_modes() {
    let mut bodies: Vec<(String, Body)> =
        CellShape::SOLIDS.iter().map(|&shape| (shape.name().to_owned(), one_cell(shape))).collect();
    bodies.push(("mixed, order 1".to_owned(), mixed(1, |x| distort(x, 0.03))));
    bodies.push(("mixed, order 2".to_owned(), mixed(2, |x| distort(x, 0.03))));
    for (name, body) in bodies {
        // Four points leave a single tet10 without six of its 24 stiffnesses; meshes of them are stable.
        let rule = if name == "tet10" { QuadratureRule::High } else { QuadratureRule::Default };
        let values = stiffness_eigenvalues(&body, rule);
        assert!(values[..6].iter().all(|value| value.abs() < 1e-13), "{name}: {}", digits(&values[..7]));
        assert!(values[6] > 1e-6, "{name}: {}", digits(&values[..8]));
    }
}

#[test]
fn a_mixed_mesh_has_the_volume_and_inertia_of_the_cube() {
    for order in [1, 2] {
        let discretisation = Discretisation::new(&mixed(order, |x| distort(x, 0.03))).unwrap();
        let counts: Vec<usize> = discretisation.blocks.iter().map(carom_fem::Block::n_cells).collect();
        // In the order of the kinds: tetrahedra, hexahedra, wedges, pyramids.
        assert_eq!(counts, [4, 24, 4, 4]);
        let found = mass_properties(&discretisation);
        assert!((found.volume - 1.0).abs() < 1e-13, "order {order}: {:e}", found.volume - 1.0);
        for d in 0..3 {
            // The rule of the mass integrates first moments of curved cells approximately.
            let tolerance = if order == 1 { 1e-13 } else { 1e-8 };
            assert!(
                (found.center_of_mass[d] - 0.5).abs() < tolerance,
                "order {order}: {:?}",
                found.center_of_mass
            );
            assert!((found.inertia[d][d] / (found.mass / 6.0) - 1.0).abs() < 1e-5, "order {order}");
        }
    }
}

#[test]
fn a_pressure_on_the_closed_surface_of_a_mixed_mesh_has_zero_resultant() {
    for order in [1, 2] {
        let body = mixed(order, |x| distort(x, 0.03).map(|t| t + 0.1 * t * t));
        let discretisation = Discretisation::new(&body).unwrap();
        let force = pressure_force(&discretisation, &body.boundary_faces(), 2.0);
        let mut work = 0.0;
        for d in 0..3 {
            let sum: f64 = force.iter().map(|f| f[d]).sum();
            assert!(sum.abs() < 1e-13, "order {order}: {sum:e}");
            work += force.iter().zip(&discretisation.points).map(|(f, x)| f[d] * x[d]).sum::<f64>();
        }
        // −p ∮ x·n dA = −3 p V.
        let volume = mass_properties(&discretisation).volume;
        assert!((work / (-6.0 * volume) - 1.0).abs() < 1e-12, "order {order}: {work}, {volume}");
    }
}

/// Lowest frequencies, relative to the exact ones, of a unit cube whose faces slide in their planes: shear
/// waves u = (sin πx cos πy, −cos πx sin πy, 0) and two like it, ω² = 2 π² μ/ρ.
fn sliding_cube_errors(shape: CellShape, n: usize) -> f64 {
    let body = block(shape, n, |x| x);
    let discretisation = Discretisation::new(&body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let is_inside = |t: f64| t > 1e-9 && t < 1.0 - 1e-9;
    let free = discretisation.points.iter().map(|x| x.map(is_inside)).collect();
    let factor = Cholesky::new(&system.stiffness, None, DofSet::from_flags(free), &Silent).unwrap();
    let wanted = Wanted::Count(3);
    let (pairs, _) = lowest_pairs(&system.stiffness, &system.mass, factor, 0.0, wanted, &Silent).unwrap();
    let material = &discretisation.materials[0];
    let exact = (2.0 * PI * PI * material.lame().1 / material.density).sqrt();
    let errors = pairs.lambda.iter().map(|lambda| (lambda.sqrt() / exact - 1.0).abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn frequencies_converge_with_the_square_of_the_order_of_the_cells() {
    for shape in CellShape::SOLIDS {
        let sizes: &[usize] = if shape.order() == 1 { &[2, 4, 8] } else { &[2, 3, 6] };
        let errors: Vec<f64> = sizes.iter().map(|&n| sliding_cube_errors(shape, n)).collect();
        let order = (errors[1] / errors[2]).log2();
        eprintln!("{}: errors {}, order {order:.2}", shape.name(), digits(&errors));
        // Orders 2 and 4; tetrahedra of second order have 3.6 at these sizes.
        let least = if shape.order() == 1 { 1.8 } else { 3.5 };
        assert!(order > least, "{}: order {order:.2}; errors {}", shape.name(), digits(&errors));
    }
}
