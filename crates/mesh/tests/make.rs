//! Solids of hexahedra: valid meshes, nodes on the exact surface, orders of convergence of volumes,
//! grading.

use std::f64::consts::PI;

use carom_mesh::make::{Grading, HexOptions, MakeError, Solid, hexahedra};
use carom_mesh::{CellShape, Mesh, quality};

const SHAPES: [CellShape; 3] = [CellShape::Hex8, CellShape::Hex20, CellShape::Hex27];

/// Every solid with its exact volume.
fn solids() -> Vec<(Solid, f64)> {
    let third = 4.0 * PI / 3.0;
    vec![
        (Solid::Ball { radius: 0.015 }, third * 0.015f64.powi(3)),
        (Solid::Shell { radius: 1.0, inner_radius: 0.6 }, third * (1.0 - 0.6f64.powi(3))),
        (Solid::Rod { radius: 0.01, length: 0.1 }, PI * 1e-4 * 0.1),
        (Solid::Tube { radius: 0.03, inner_radius: 0.02, length: 0.05 }, PI * 5e-4 * 0.05),
        (Solid::Box { size: [0.1, 0.2, 0.3] }, 6e-3),
        (Solid::Plate { size: [0.2, 0.1, 0.01] }, 2e-4),
        (Solid::Torus { radius: 0.1, tube_radius: 0.03 }, 2.0 * PI * PI * 0.1 * 9e-4),
    ]
}

fn options(shape: CellShape, elements: &[usize]) -> HexOptions {
    HexOptions { shape, elements: elements.to_vec(), ..HexOptions::default() }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// Distance of a point from the exact curved surfaces that a named set lies on; `None` for plane ones.
fn off_surface(solid: Solid, set: &str, x: [f64; 3]) -> Option<f64> {
    match (solid, set) {
        (Solid::Ball { radius }, _) | (Solid::Shell { radius, .. }, "outer" | "pole") => {
            Some(length(&x) - radius)
        }
        (Solid::Shell { inner_radius, .. }, _) => Some(length(&x) - inner_radius),
        (Solid::Rod { radius, .. }, "side") | (Solid::Tube { radius, .. }, "outer") => {
            Some(length(&x[1..]) - radius)
        }
        (Solid::Tube { inner_radius, .. }, "inner") => Some(length(&x[1..]) - inner_radius),
        (Solid::Torus { radius, tube_radius }, _) => {
            Some(length(&[length(&x[..2]) - radius, x[2]]) - tube_radius)
        }
        _ => None,
    }
}

fn assert_sound(mesh: &Mesh, what: &str) {
    let quality = quality::assess(mesh);
    assert!(quality.is_watertight(), "{what}: {quality:?}");
    assert_eq!((quality.parts, quality.unused_nodes, quality.crowded_edges), (1, 0, 0), "{what}");
    assert!(quality.min_scaled_jacobian > 0.0, "{what}: {}", quality.min_scaled_jacobian);
}

#[test]
fn solids_are_valid_and_their_sides_cover_the_surface_once() {
    for (solid, _) in solids() {
        for shape in SHAPES {
            for elements in [vec![], vec![1], vec![3]] {
                let what = format!("{} of {} {elements:?}", solid.name(), shape.name());
                let mesh = hexahedra(solid, &options(shape, &elements)).unwrap();
                assert_sound(&mesh, &what);
                assert!(quality::assess(&mesh).min_scaled_jacobian > 0.35, "{what}");
                let sides = mesh.sets.keys().filter(|name| !name.contains("pole") && *name != "edge");
                let mut faces: Vec<_> =
                    sides.flat_map(|name| mesh.faces_of_set(name).unwrap().to_vec()).collect();
                faces.sort_unstable();
                assert_eq!(faces, mesh.boundary_faces(), "{what}");
            }
        }
    }
}

#[test]
fn every_surface_node_lies_on_the_exact_surface() {
    for (solid, _) in solids() {
        for shape in SHAPES {
            let mesh = hexahedra(solid, &options(shape, &[])).unwrap();
            for set in mesh.sets.keys() {
                for node in mesh.nodes_of_set(set).unwrap() {
                    let off = off_surface(solid, set, mesh.points[node as usize]).unwrap_or(0.0);
                    assert!(off.abs() < 1e-15, "{} {set}: {off:e}", solid.name());
                }
            }
        }
    }
}

#[test]
fn volumes_converge_at_the_order_of_the_cells() {
    for (solid, exact) in solids() {
        for (shape, order) in SHAPES.into_iter().zip([2.0, 4.0, 4.0]) {
            let errors = [4, 8, 16].map(|n| {
                let mesh = hexahedra(solid, &options(shape, &[n])).unwrap();
                (mesh.volume() / exact - 1.0).abs()
            });
            if matches!(solid, Solid::Box { .. } | Solid::Plate { .. }) {
                assert!(errors.iter().all(|e| *e < 1e-12), "{} {errors:?}", solid.name());
                continue;
            }
            let observed = (errors[1] / errors[2]).log2();
            // Quadratic cells on curved boundaries gain two orders by symmetry; some solids show a little
            // more.
            assert!(
                observed > order - 0.15,
                "{} of {}: order {observed:.2}, errors {errors:?}",
                solid.name(),
                shape.name()
            );
        }
    }
}

/// Longest edge of each cell with a corner within `radius` of `point`, and the growth between cells that
/// share a face, measured by the edge lengths along each direction.
fn longest_edge_near(mesh: &Mesh, point: [f64; 3], radius: f64) -> f64 {
    let mut longest: f64 = 0.0;
    for (_, shape, nodes) in mesh.cells() {
        let corners: Vec<[f64; 3]> = nodes[..8].iter().map(|n| mesh.points[*n as usize]).collect();
        let away = |x: &[f64; 3]| length(&[x[0] - point[0], x[1] - point[1], x[2] - point[2]]);
        if corners.iter().all(|x| away(x) > radius) {
            continue;
        }
        for [a, b] in shape.edges() {
            let (a, b) = (corners[*a as usize], corners[*b as usize]);
            longest = longest.max(length(&[a[0] - b[0], a[1] - b[1], a[2] - b[2]]));
        }
    }
    longest
}

#[test]
fn grading_gives_the_finest_size_within_the_zone_of_a_pole() {
    let ball = (Solid::Ball { radius: 0.015 }, [0.0, 0.0, 0.015]);
    let rod = (Solid::Rod { radius: 0.01, length: 0.4 }, [0.4, 0.0, 0.0]);
    let shell = (Solid::Shell { radius: 0.015, inner_radius: 0.01 }, [0.0, 0.0, 0.015]);
    let plate = (Solid::Plate { size: [0.05, 0.04, 0.005] }, [0.0, 0.0, 0.0025]);
    for (solid, point) in [ball, rod, shell, plate] {
        for shape in SHAPES {
            for growth in if shape == CellShape::Hex8 { vec![1.5, 2.0] } else { vec![2.0] } {
                let grading = Grading { growth, ..Grading::new(point, 1e-4, 6e-4) };
                let mesh = hexahedra(
                    solid,
                    &HexOptions { gradings: vec![grading], pole_radius: Some(6e-4), ..options(shape, &[]) },
                )
                .unwrap();
                let what = format!("{} of {}: {} nodes", solid.name(), shape.name(), mesh.points.len());
                assert_sound(&mesh, &what);
                let longest = longest_edge_near(&mesh, point, 4e-4);
                assert!(longest < 1.02e-4, "{what}: {longest:e}");
                let pole = if mesh.sets.contains_key("end_pole") { "end_pole" } else { "pole" };
                // A disc of radius 6 cells holds about π 6² of them.
                let n = mesh.set(pole).unwrap().len();
                assert!((95..150).contains(&n), "{what}: {n} faces in the zone");
                assert!(mesh.points.contains(&point), "{what}: the pole is a node");
            }
        }
    }
}

#[test]
fn neighbouring_cells_grow_by_the_ratio_at_most() {
    let point = [0.0, 0.0, 0.015];
    for growth in [1.3, 2.0] {
        let grading = Grading { growth, ..Grading::new(point, 1e-4, 6e-4) };
        let mesh = hexahedra(
            Solid::Ball { radius: 0.015 },
            &HexOptions { gradings: vec![grading], ..options(CellShape::Hex8, &[6, 4]) },
        )
        .unwrap();
        let mut heights: Vec<f64> =
            mesh.points.iter().filter(|x| x[0] == 0.0 && x[1] == 0.0 && x[2] > 5e-3).map(|x| x[2]).collect();
        heights.sort_by(f64::total_cmp);
        let sizes: Vec<f64> = heights.windows(2).map(|z| z[1] - z[0]).collect();
        assert!(sizes.len() > 10);
        for pair in sizes.windows(2) {
            let ratio = (pair[0] / pair[1]).max(pair[1] / pair[0]);
            assert!(ratio < growth * 1.01, "{ratio} in {sizes:?}");
        }
    }
}

#[test]
fn meshes_are_graded_to_any_point_and_to_several_points() {
    let at = |x: f64, y: f64, z: f64| Grading::new([x, y, z], 2e-4, 5e-4);
    let radius = 0.015;
    let side = radius / 2.0f64.sqrt();
    let mesh = hexahedra(
        Solid::Ball { radius },
        &HexOptions {
            gradings: vec![at(side, 0.0, -side), at(-radius, 0.0, 0.0)],
            ..options(CellShape::Hex20, &[])
        },
    )
    .unwrap();
    assert_sound(&mesh, "ball");
    for point in [[side, 0.0, -side], [-radius, 0.0, 0.0]] {
        let longest = longest_edge_near(&mesh, point, 3e-4);
        assert!(longest < 2.1e-4, "{longest:e} at {point:?}");
    }
    let rod = Solid::Rod { radius: 0.01, length: 0.1 };
    let options = HexOptions {
        gradings: vec![at(0.0, 0.0, 0.0), at(0.1, 0.0, 0.0), at(0.05, 0.0, 0.01)],
        ..options(CellShape::Hex8, &[])
    };
    let mesh = hexahedra(rod, &options).unwrap();
    assert_sound(&mesh, "rod");
    for grading in &options.gradings {
        let longest = longest_edge_near(&mesh, grading.point, 3e-4);
        assert!(longest < 2.1e-4, "{longest:e} at {:?}", grading.point);
    }
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    let message = |solid, options: HexOptions| hexahedra(solid, &options).unwrap_err().to_string();
    let ball = Solid::Ball { radius: 1.0 };
    assert_eq!(
        message(Solid::Ball { radius: -1.0 }, HexOptions::default()),
        "the radius of the ball is -1.0 m: it must be a positive length in metres, from 1e-60 to 1e60"
    );
    let shell = Solid::Shell { radius: 1.0, inner_radius: 1.5 };
    assert!(message(shell, HexOptions::default()).contains("above 0 and below the radius 1"));
    assert!(message(ball, options(CellShape::Hex8, &[1, 2, 3])).contains("an edge of the inner cube"));
    assert!(message(ball, options(CellShape::Hex8, &[0])).contains("at least 1"));
    assert!(message(ball, options(CellShape::Tet4, &[2])).contains("not of tet4"));
    let graded = |grading| HexOptions { gradings: vec![grading], ..HexOptions::default() };
    let point = [0.0, 0.0, 1.0];
    assert!(message(ball, graded(Grading::new(point, 0.0, 0.1))).contains("finest size"));
    assert!(
        message(ball, graded(Grading { growth: 3.0, ..Grading::new(point, 0.1, 0.1) })).contains("growth")
    );
    assert!(message(ball, graded(Grading::new([f64::NAN, 0.0, 0.0], 0.1, 0.1))).contains("finite"));
    assert!(matches!(
        hexahedra(ball, &graded(Grading::new(point, 1e-9, 0.1))),
        Err(MakeError::TooManyCells { .. })
    ));
    assert!(matches!(
        hexahedra(ball, &options(CellShape::Hex27, &[400])),
        Err(MakeError::TooManyNodes { .. })
    ));
    let small_pole = HexOptions { pole_radius: Some(1e-4), ..HexOptions::default() };
    assert!(message(ball, small_pole).contains("the nearest is"));
}
