//! Sets, their surfaces, and loads on them.

use std::f64::consts::PI;

use carom_fem::loads::{area, gravity_force, pressure_force, total_force};
use carom_fem::{Body, Discretisation, Geometry, QuadratureRule, SetError, assemble, mass_properties};
use carom_mesh::{CellShape, Set};
use carom_nurbs::solids;
use carom_progress::Silent;

use crate::bodies::{block, distort, nurbs_body, quarter_ring};

fn bodies() -> Vec<(String, Body)> {
    let mut all: Vec<(String, Body)> = CellShape::SOLIDS
        .iter()
        .map(|&shape| {
            (shape.name().to_owned(), block(shape, 2, |x| distort(x, 0.02).map(|t| t + 0.1 * t * t)))
        })
        .collect();
    all.push(("quarter ring".to_owned(), quarter_ring(2, 3)));
    all.push(("ball".to_owned(), nurbs_body(solids::ball(0.5, None).unwrap())));
    all.push(("rod".to_owned(), nurbs_body(solids::rod(0.1, 0.4, None).unwrap().subdivide(2).unwrap())));
    all
}

/// ⅓ ∮ x·n dA over a surface, by its own shape functions.
fn enclosed_volume(body: &Body, discretisation: &Discretisation) -> f64 {
    let surface = discretisation.surface(&body.boundary_faces());
    surface.validate().unwrap();
    let positions: Vec<[f64; 3]> =
        surface.points.iter().map(|&k| discretisation.points[k as usize]).collect();
    let mut sum = 0.0;
    for (k, face) in surface.faces.iter().enumerate() {
        let rule = if face.basis.is_triangle() {
            carom_fem::Quadrature::triangle(6)
        } else {
            carom_fem::Quadrature::square(14)
        };
        for (xi, weight) in rule.points.iter().zip(&rule.weights) {
            let (y, [a, b]) = surface.tangents(k, [xi[0], xi[1]], &positions);
            let n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            sum += face.orientation * weight * (0..3).map(|d| y[d] * n[d]).sum::<f64>() / 3.0;
        }
    }
    sum
}

#[test]
fn a_zone_to_the_edge_of_a_rod_has_sharp_edges_and_one_on_a_ball_has_none() {
    let sharp = |body: &Body, set: &str| {
        let discretisation = Discretisation::new(body).unwrap();
        let whole = discretisation.surface(&body.boundary_faces());
        let zone = body.surface_of_set(&discretisation, set).unwrap();
        (zone.sharp_edges(&whole, &discretisation.points), zone.faces.len())
    };
    // Five patches of four faces make the end: eight edges lie on its circle.
    let rod = nurbs_body(solids::rod(0.1, 0.4, None).unwrap().subdivide(2).unwrap());
    let (edges, faces) = sharp(&rod, "end");
    assert_eq!((edges.len(), faces), (8, 20), "{edges:?}");
    // The side meets both ends.
    assert_eq!(sharp(&rod, "side").0.len(), 16);
    let ball = nurbs_body(solids::ball(0.015, Some(2e-3)).unwrap().subdivide(2).unwrap());
    assert_eq!(sharp(&ball, "pole"), (Vec::new(), 4));
}

#[test]
fn the_boundary_surface_encloses_the_volume_and_points_out() {
    for (name, body) in bodies() {
        let discretisation = Discretisation::new(&body).unwrap();
        let volume = mass_properties(&discretisation).volume;
        let error = enclosed_volume(&body, &discretisation) / volume - 1.0;
        assert!(error.abs() < 1e-12, "{name}: {error:e}");
    }
}

#[test]
fn a_pressure_on_the_whole_surface_has_zero_resultant() {
    for (name, body) in bodies() {
        let discretisation = Discretisation::new(&body).unwrap();
        let faces = body.boundary_faces();
        let force = pressure_force(&discretisation, &faces, 3.0);
        let scale = 3.0 * area(&discretisation, &faces);
        for a in 0..3 {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let sum: f64 = force.iter().map(|f| f[a]).sum();
            let moment: f64 =
                force.iter().zip(&discretisation.points).map(|(f, x)| x[b] * f[c] - x[c] * f[b]).sum();
            // Rational faces are integrated with p+2 points: exact to some 1e-8 of the coarse ball's.
            let tolerance =
                if name == "ball" || name == "rod" || name == "quarter ring" { 1e-6 } else { 1e-13 };
            assert!(sum.abs() < tolerance * scale, "{name}: force {:e}", sum / scale);
            assert!(moment.abs() < tolerance * scale, "{name}: moment {:e}", moment / scale);
        }
    }
}

#[test]
fn a_total_force_and_gravity_sum_up_to_their_values() {
    for (name, body) in bodies() {
        let discretisation = Discretisation::new(&body).unwrap();
        let force = total_force(&discretisation, &body.boundary_faces(), [1.0, -2.0, 3.0]);
        let system = assemble(&discretisation, QuadratureRule::High, &Silent).unwrap();
        let weight = gravity_force(&system.mass, [0.0, 0.0, -9.81]);
        let mass = mass_properties(&discretisation).mass;
        for (a, expected) in [1.0, -2.0, 3.0].into_iter().enumerate() {
            assert!((force.iter().map(|f| f[a]).sum::<f64>() - expected).abs() < 1e-12, "{name}");
        }
        let error = weight.iter().map(|f| f[2]).sum::<f64>() / (-9.81 * mass) - 1.0;
        // p+3 points on the single rational knot span of a patch of the ball are exact to some 1e-8.
        assert!(error.abs() < if name == "ball" { 2e-8 } else { 1e-9 }, "{name}: {error:e}");
    }
}

#[test]
fn ball_surface_and_patch_sides_are_found_by_name() {
    let body = nurbs_body(solids::ball(2.0, None).unwrap());
    let discretisation = Discretisation::new(&body).unwrap();
    let faces = body.faces_of_set("surface").unwrap();
    assert_eq!(faces, body.boundary_faces());
    let error = carom_fem::properties::surface_area(&discretisation, &faces) / (16.0 * PI) - 1.0;
    assert!(error.abs() < 1e-13, "{error:e}");
    let side = body.surface_of_set(&discretisation, "patch0:west").unwrap();
    assert_eq!(side.faces.len(), 1);
    assert_eq!(side.points.len(), 25);
    let message = body.faces_of_set("polle").unwrap_err().to_string();
    assert!(
        message.contains("`polle`") && message.contains("surface") && message.contains("patch0:"),
        "{message}"
    );
}

#[test]
fn a_set_of_nodes_has_the_faces_that_it_covers() {
    let mut body = block(CellShape::Hex20, 2, |x| x);
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    let on = |value: f64| -> Vec<u32> {
        (0..mesh.points.len()).filter(|&k| mesh.points[k][2] == value).map(|k| k as u32).collect()
    };
    let (top, middle) = (on(1.0), on(0.5));
    mesh.sets.insert("top".to_owned(), Set::of_nodes(top.clone()));
    mesh.sets.insert("middle".to_owned(), Set::of_nodes(middle));
    let discretisation = Discretisation::new(&body).unwrap();
    let surface = body.surface_of_set(&discretisation, "top").unwrap();
    assert_eq!((surface.faces.len(), &surface.points), (4, &top));
    assert_eq!(body.points_of_set(&discretisation, "top").unwrap(), top);
    let error = body.faces_of_set("middle").unwrap_err();
    assert!(matches!(&error, SetError::NoFaces { count: 21, .. }), "{error}");
    let message = body.points_of_set(&discretisation, "tpo").unwrap_err().to_string();
    assert!(message.contains("`tpo`") && message.contains("`middle`, `top`"), "{message}");
}
