//! Static problems with known solutions: patch test, thick cylinder under pressure (Lamé), recovered
//! stresses.

use carom_fem::loads::pressure_force;
use carom_fem::recovery::at_nodes;
use carom_fem::stress::{at_point, of_gradient, von_mises};
use carom_fem::{
    Body, CellEvaluator, Discretisation, Geometry, QuadratureRule, assemble, displacement_norm, solve_static,
};
use carom_linalg::DofSet;
use carom_mesh::{CellRef, CellShape, Set};
use carom_progress::Silent;

use crate::bodies::{block, block_of, digits, distort, mixed, quarter_ring, spline_block};

const H: [[f64; 3]; 3] = [[1.0, 0.2, -0.4], [0.5, -0.7, 0.3], [0.1, 0.9, 0.6]];

fn linear(x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|a| 1e-3 * (H[a][0] * x[0] + H[a][1] * x[1] + H[a][2] * x[2]))
}

fn every_kind() -> Vec<(String, Body)> {
    let mut bodies: Vec<(String, Body)> = CellShape::SOLIDS
        .iter()
        .map(|&shape| (shape.name().to_owned(), block(shape, 2, |x| distort(x, 0.03))))
        .collect();
    bodies.push(("mixed, order 1".to_owned(), mixed(1, |x| distort(x, 0.03))));
    bodies.push(("mixed, order 2".to_owned(), mixed(2, |x| distort(x, 0.03))));
    bodies.push(("spline p = 2".to_owned(), spline_block(2, 3, |x| distort(x, 0.02))));
    bodies
}

#[test]
fn a_linear_displacement_of_the_surface_is_linear_inside() {
    for (name, body) in every_kind() {
        let discretisation = Discretisation::new(&body).unwrap();
        let rule = if ["tet10", "mixed, order 2"].contains(&name.as_str()) {
            QuadratureRule::High
        } else {
            QuadratureRule::Default
        };
        let system = assemble(&discretisation, rule, &Silent).unwrap();
        let on_surface = |x: &[f64; 3]| x.iter().any(|&t| !(1e-9..=1.0 - 1e-9).contains(&t));
        let free = discretisation.points.iter().map(|x| [!on_surface(x); 3]).collect();
        let exact: Vec<[f64; 3]> = discretisation.points.iter().map(|&x| linear(x)).collect();
        let forces = vec![[0.0; 3]; exact.len()];
        let u = solve_static(&system, DofSet::from_flags(free), &exact, &forces, &Silent).unwrap();
        let error = displacement_norm(&discretisation, &u, linear);
        assert!(error < 1e-15, "{name}: {error:e} m of 1e-3 m");
        let material = &discretisation.materials[0];
        let expected = of_gradient(material, &H.map(|row| row.map(|h| 1e-3 * h)));
        if let Geometry::Mesh(_) = body.geometry {
            for stress in at_nodes(&discretisation, &u) {
                for c in 0..6 {
                    assert!(
                        (stress[c] - expected[c]).abs() < 1e-11 * von_mises(&expected),
                        "{name}: {stress:?}"
                    );
                }
            }
        }
        let mut evaluator = CellEvaluator::new(&discretisation);
        for cell in discretisation.cells() {
            let (_, stress) = at_point(&discretisation, &mut evaluator, cell, [0.2, 0.3, 0.1], &u);
            for c in 0..6 {
                assert!((stress[c] - expected[c]).abs() < 1e-11 * von_mises(&expected), "{name}: {stress:?}");
            }
        }
    }
}

#[test]
fn quadratic_cells_recover_a_linear_stress_at_their_nodes() {
    // u = (x y, z², x z): every strain is linear.
    for shape in CellShape::SOLIDS.into_iter().filter(|shape| shape.order() == 2) {
        let discretisation = Discretisation::new(&block(shape, 2, |x| x)).unwrap();
        let u: Vec<[f64; 3]> =
            discretisation.points.iter().map(|x| [x[0] * x[1], x[2] * x[2], x[0] * x[2]]).collect();
        for (x, stress) in discretisation.points.iter().zip(at_nodes(&discretisation, &u)) {
            let gradient = [[x[1], x[0], 0.0], [0.0, 0.0, 2.0 * x[2]], [x[2], 0.0, x[0]]];
            let expected = of_gradient(&discretisation.materials[0], &gradient);
            for c in 0..6 {
                assert!(
                    (stress[c] - expected[c]).abs() < 1e-2,
                    "{shape:?} at {x:?}: {stress:?}, not {expected:?}"
                );
            }
        }
    }
}

#[test]
fn von_mises_stress_of_tension_and_shear_has_its_closed_form() {
    assert_eq!(von_mises(&[5.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 5.0);
    assert!((von_mises(&[0.0, 0.0, 0.0, 0.0, 2.0, 0.0]) - 12.0_f64.sqrt()).abs() < 1e-15);
    assert_eq!(von_mises(&[7.0, 7.0, 7.0, 0.0, 0.0, 0.0]), 0.0);
}

/// Radial displacement of a cylinder, radii 1 and 2, in plane strain under a pressure inside (Lamé).
fn lame_displacement(x: [f64; 3], pressure: f64) -> [f64; 3] {
    let (young, nu) = (210e9, 0.3);
    let r = x[0].hypot(x[1]);
    let u = (1.0 + nu) / young * pressure / 3.0 * ((1.0 - 2.0 * nu) * r + 4.0 / r);
    [u * x[0] / r, u * x[1] / r, 0.0]
}

const PRESSURE: f64 = 1e8;

/// Solves the quarter cylinder; its inner side is the set `inner`. Returns the error over the norm of the
/// solution.
fn lame_error(body: &Body, inner: &str) -> (f64, Discretisation, Vec<[f64; 3]>) {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::High, &Silent).unwrap();
    let force = pressure_force(&discretisation, &body.faces_of_set(inner).unwrap(), PRESSURE);
    let free = discretisation
        .points
        .iter()
        .map(|x| [x[0] > 1e-9, x[1] > 1e-9, x[2] > 1e-9 && x[2] < 1.0 - 1e-9])
        .collect();
    let held = vec![[0.0; 3]; force.len()];
    let u = solve_static(&system, DofSet::from_flags(free), &held, &force, &Silent).unwrap();
    let size =
        displacement_norm(&discretisation, &vec![[0.0; 3]; force.len()], |x| lame_displacement(x, PRESSURE));
    let error = displacement_norm(&discretisation, &u, |x| lame_displacement(x, PRESSURE)) / size;
    (error, discretisation, u)
}

fn assert_order(name: &str, errors: &[f64], expected: f64) {
    let order = (errors[errors.len() - 2] / errors[errors.len() - 1]).log2();
    eprintln!("{name}: errors {}, order {order:.2}", digits(errors));
    assert!(order > expected - 0.25, "{name}: order {order:.2}, not {expected}; errors {}", digits(errors));
}

#[test]
fn thick_cylinder_converges_with_order_p_plus_1_on_nurbs() {
    for (p, spans) in [(2, [2, 4, 8]), (3, [2, 4, 6])] {
        let errors = spans.map(|n| lame_error(&quarter_ring(p, n), "patch0:west").0);
        if p == 3 {
            let order = (errors[1] / errors[2]).ln() / 1.5_f64.ln();
            assert!(order > 3.75, "p = 3: order {order:.2}; errors {}", digits(&errors));
        } else {
            assert_order("NURBS p = 2", &errors, 3.0);
        }
    }
}

#[test]
fn thick_cylinder_converges_with_order_p_plus_1_on_every_mesh_cell() {
    for shape in CellShape::SOLIDS {
        let errors = [2, 4, 8].map(|n| {
            let mut body = block(shape, n, |x| {
                let (r, angle) = (1.0 + x[0], 0.5 * std::f64::consts::PI * x[1]);
                let clean = |t: f64| if t.abs() < 1e-12 { 0.0 } else { t };
                [clean(r * angle.cos()), clean(r * angle.sin()), x[2]]
            });
            let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
            let inner = (0..mesh.points.len() as u32).filter(|&k| {
                let x = mesh.points[k as usize];
                (x[0].hypot(x[1]) - 1.0).abs() < 1e-9
            });
            let inner = Set::of_nodes(inner.collect());
            mesh.sets.insert("inner".to_owned(), inner);
            lame_error(&body, "inner").0
        });
        assert_order(shape.name(), &errors, shape.order() as f64 + 1.0);
    }
}

/// Largest error of the stress in the centres of the knot spans along a line through the wall, relative to
/// the pressure.
fn stress_error(n: usize) -> f64 {
    let (_, discretisation, u) = lame_error(&quarter_ring(3, n), "patch0:west");
    let mut evaluator = CellEvaluator::new(&discretisation);
    let mut worst = 0.0_f64;
    for cell in 0..n {
        let cell = CellRef { block: 0, cell: cell as u32 };
        // Angle 0, height 0: x is the radius.
        let (point, s) = at_point(&discretisation, &mut evaluator, cell, [0.4, 0.0, 0.0], &u);
        let share = 4.0 / point.position[0].powi(2);
        let (radial, hoop) = (PRESSURE / 3.0 * (1.0 - share), PRESSURE / 3.0 * (1.0 + share));
        worst = worst.max((s[0] - radial).abs() / PRESSURE).max((s[1] - hoop).abs() / PRESSURE);
    }
    worst
}

#[test]
fn stress_of_the_cylinder_converges_with_order_p() {
    assert_order("stress, p = 3", &[2, 4, 8].map(stress_error), 3.0);
}

/// NAFEMS LE10, thick plate under pressure: a quarter of an elliptic ring, 0.6 m thick, 1 MPa on its top.
///
/// The outer face is held in x and y and, on its middle line, in z. Target: σ_yy = −5.38 MPa at D = (2, 0,
/// 0.6).
#[test]
fn nafems_le10_thick_plate() {
    let body = block_of(CellShape::Hex20, [8, 12, 4], |x| {
        let angle = 0.5 * std::f64::consts::PI * x[1];
        let (inner, outer) = ([2.0, 1.0], [3.25, 2.75]);
        let axis = |d: usize| inner[d] + x[0] * (outer[d] - inner[d]);
        let clean = |t: f64| if t.abs() < 1e-12 { 0.0 } else { t };
        [clean(axis(0) * angle.cos()), clean(axis(1) * angle.sin()), 0.6 * x[2]]
    });
    let discretisation = Discretisation::new(&body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let is_top = |k: u32| discretisation.points[k as usize][2] > 0.6 - 1e-9;
    let top: Vec<_> = body
        .boundary_faces()
        .into_iter()
        .filter(|&face| discretisation.points_of_faces(&[face]).into_iter().all(is_top))
        .collect();
    let force = pressure_force(&discretisation, &top, 1e6);
    let free = discretisation.points.iter().map(|x| {
        let is_outer = ((x[0] / 3.25).powi(2) + (x[1] / 2.75).powi(2) - 1.0).abs() < 1e-9;
        let is_middle = (x[2] - 0.3).abs() < 1e-9;
        [x[0] > 1e-9 && !is_outer, x[1] > 1e-9 && !is_outer, !(is_outer && is_middle)]
    });
    let free = DofSet::from_flags(free.collect());
    let u = solve_static(&system, free, &vec![[0.0; 3]; force.len()], &force, &Silent).unwrap();
    let stress = at_nodes(&discretisation, &u);
    let is_d = |x: &[f64; 3]| (x[0] - 2.0).abs() < 1e-9 && x[1].abs() < 1e-9 && (x[2] - 0.6).abs() < 1e-9;
    let d = discretisation.points.iter().position(is_d).unwrap();
    // D is the corner (0, 0, 1) of one cell. The stress evaluated there agrees with that of another code on
    // this mesh.
    let mut evaluator = CellEvaluator::new(&discretisation);
    let corner = discretisation.cells().find(|&cell| {
        evaluator.enter(cell);
        is_d(&evaluator.at([0.0, 0.0, 1.0]).position)
    });
    let (_, direct) = at_point(&discretisation, &mut evaluator, corner.unwrap(), [0.0, 0.0, 1.0], &u);
    let recovered = stress[d][1];
    eprintln!("σ_yy at D: {:.4e} evaluated, {recovered:.4e} recovered", direct[1]);
    assert!((direct[1] / -5.52e6 - 1.0).abs() < 2e-3, "{:e}", direct[1]);
    assert!((recovered / -5.38e6 - 1.0).abs() < 1e-2, "{recovered:e}");
}
