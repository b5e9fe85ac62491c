//! Mass properties against closed forms and against the meshes of the reference data.

use std::f64::consts::PI;

use carom_fem::properties::surface_area;
use carom_fem::{
    Body, Discretisation, Geometry, MassProperties, inspect, mass_properties, rough_mass_properties,
};
use carom_nurbs::{Multipatch, solids};
use carom_testing::{json_file, shared_data};

use crate::bodies::{digits, mesh_body, nurbs_body};

fn properties(body: &Body) -> MassProperties {
    mass_properties(&Discretisation::new(body).unwrap())
}

/// Largest difference of two inertia tensors, relative to the largest entry.
fn inertia_error(found: &[[f64; 3]; 3], expected: &[[f64; 3]; 3]) -> f64 {
    let scale = expected.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let pairs = found.iter().flatten().zip(expected.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale
}

/// Name, body, volume, area, centre, moments of inertia per mass.
type Solid = (&'static str, Multipatch, f64, f64, [f64; 3], [f64; 3]);

#[test]
fn exact_solids_have_their_closed_form_volume_area_and_inertia() {
    let ball = |r: f64| (4.0 / 3.0 * PI * r.powi(3), 4.0 * PI * r * r);
    let (r, l) = (0.01, 0.4);
    let rod_across = |m: f64| m * (3.0 * r * r + l * l) / 12.0;
    let (a, c) = (0.005_f64, 0.03_f64);
    let cases: Vec<Solid> = vec![
        (
            "ball",
            solids::ball(0.015, None).unwrap(),
            ball(0.015).0,
            ball(0.015).1,
            [0.0; 3],
            [0.4 * 0.015 * 0.015; 3],
        ),
        (
            "shell",
            solids::shell(1.0, 0.8, None).unwrap(),
            ball(1.0).0 - ball(0.8).0,
            ball(1.0).1 + ball(0.8).1,
            [0.0; 3],
            [0.4 * (1.0 - 0.8_f64.powi(5)) / (1.0 - 0.8_f64.powi(3)); 3],
        ),
        (
            "rod",
            solids::rod(r, l, None).unwrap(),
            PI * r * r * l,
            2.0 * PI * r * (r + l),
            [0.5 * l, 0.0, 0.0],
            [0.5 * r * r, rod_across(1.0), rod_across(1.0)],
        ),
        (
            "torus",
            solids::torus(c, a).unwrap(),
            2.0 * PI * PI * c * a * a,
            4.0 * PI * PI * a * c,
            [0.0; 3],
            [0.5 * c * c + 0.625 * a * a, 0.5 * c * c + 0.625 * a * a, c * c + 0.75 * a * a],
        ),
    ];
    for (name, multipatch, volume, area, center, inertia) in cases {
        let body = nurbs_body(multipatch);
        let found = properties(&body);
        let mass = 7800.0 * volume;
        let expected =
            [[mass * inertia[0], 0.0, 0.0], [0.0, mass * inertia[1], 0.0], [0.0, 0.0, mass * inertia[2]]];
        let discretisation = Discretisation::new(&body).unwrap();
        let found_area = surface_area(&discretisation, &body.boundary_faces());
        let errors = [
            found.volume / volume - 1.0,
            found.mass / mass - 1.0,
            found_area / area - 1.0,
            inertia_error(&found.inertia, &expected),
        ];
        let shift = (0..3).map(|d| (found.center_of_mass[d] - center[d]).abs()).fold(0.0, f64::max);
        eprintln!("{name}: volume, mass, area, inertia {}, centre {shift:.1e} m", digits(&errors));
        assert!(errors.iter().all(|e| e.abs() < 2e-14), "{name}: {}", digits(&errors));
        assert!(shift < 1e-15 * (1.0 + l), "{name}: centre off by {shift:.1e}");
        let rough = rough_mass_properties(&discretisation);
        let errors = [rough.volume / volume - 1.0, rough.mass / mass - 1.0];
        assert!(errors.iter().all(|e| e.abs() < 1e-3), "{name}: {}", digits(&errors));
    }
}

#[test]
fn a_shift_of_the_origin_moves_only_the_centre() {
    let body = nurbs_body(solids::rod(0.01, 0.4, None).unwrap());
    let mut shifted = body.clone();
    let Geometry::Nurbs(multipatch) = &mut shifted.geometry else { unreachable!() };
    for point in multipatch.patches.iter_mut().flat_map(|patch| &mut patch.points) {
        *point = [point[0] + 10.0, point[1] - 20.0, point[2] + 5.0];
    }
    let (a, b) = (properties(&body), properties(&shifted));
    assert!((b.center_of_mass[1] - a.center_of_mass[1] + 20.0).abs() < 1e-13);
    // Coordinates of 20 m carry rounding of 4e-15 m on a radius of 1e-2 m.
    assert!((b.volume / a.volume - 1.0).abs() < 1e-11);
    assert!(inertia_error(&b.inertia, &a.inertia) < 1e-11);
}

#[test]
fn meshes_have_the_reference_volume_mass_and_inertia() {
    let Some(path) = shared_data("meshes/reference.json") else { return };
    let reference = json_file(&path);
    for (name, expected) in reference.as_object().unwrap() {
        let (mesh, _) = carom_mesh::msh::read(&path.with_file_name(name)).unwrap();
        let body = mesh_body(mesh);
        let found = inspect(&body).unwrap();
        let number = |key: &str| expected[key].as_f64().unwrap();
        let vector = |v: &serde_json::Value| -> [f64; 3] { std::array::from_fn(|d| v[d].as_f64().unwrap()) };
        let inertia: [[f64; 3]; 3] = std::array::from_fn(|d| vector(&expected["inertia_about_com"][d]));
        let center = vector(&expected["center_of_mass"]);
        let size = found.properties.volume.cbrt();
        let shift =
            (0..3).map(|d| (found.properties.center_of_mass[d] - center[d]).abs()).fold(0.0, f64::max) / size;
        let errors = [
            found.properties.volume / number("volume") - 1.0,
            found.properties.mass / number("mass") - 1.0,
            shift,
            inertia_error(&found.properties.inertia, &inertia),
        ];
        eprintln!(
            "{name}: volume, mass, centre, inertia {}; scaled Jacobian {:.3}; {:?}",
            digits(&errors),
            found.min_scaled_jacobian,
            found.findings
        );
        assert_eq!(found.nodes as u64, expected["nodes"].as_u64().unwrap(), "{name}");
        let element = expected["element"].as_str().unwrap();
        assert_eq!(found.elements[element] as u64, expected["elements"].as_u64().unwrap(), "{name}");
        assert!(errors.iter().all(|e| e.abs() < 1e-9), "{name}: {}", digits(&errors));
        // The counts of the reference are nodes of the group.
        let discretisation = Discretisation::new(&body).unwrap();
        for (group, count) in expected["surface_groups"].as_object().unwrap() {
            let n = body.points_of_set(&discretisation, group).unwrap().len() as u64;
            // Some triangles of this group belong to no cell; their nodes are unused.
            let has_loose_triangles = name == "rod_hemi_tet10.msh" && group == "tip";
            let expected = if has_loose_triangles { 180 } else { count.as_u64().unwrap() };
            assert_eq!(n, expected, "{name}: set {group}");
            assert_eq!(found.sets[group].kind, "faces");
        }
    }
}

#[test]
fn cracks_separate_parts_and_collapsed_sides_are_found() {
    use carom_mesh::{CellBlock, CellShape, Mesh};
    // Two cubes side by side without common nodes, and an unused node.
    let cube = CellShape::Hex8.reference_nodes();
    let shifted = cube.iter().map(|x| [x[0] + 1.0, x[1], x[2]]);
    let mesh = Mesh {
        points: cube.iter().copied().chain(shifted).chain([[0.5; 3]]).collect(),
        blocks: vec![CellBlock { shape: CellShape::Hex8, connectivity: (0..16).collect() }],
        ..Mesh::default()
    };
    let found = inspect(&mesh_body(mesh)).unwrap();
    let sound = &found.soundness;
    assert_eq!((sound.watertight, sound.parts, sound.unused_nodes), (false, 2, 1));
    assert_eq!(sound.duplicate_nodes, [(1, 8), (2, 11), (5, 12), (6, 15)]);
    let duplicates = "4 nodes in the place of another (9 in that of 2, 12 in that of 3, 13 in that of 6, …)";
    assert!(found.findings.iter().any(|f| f.starts_with(duplicates)), "{:?}", found.findings);

    // A cube whose side x = 1 collapses to the line y = 0 is a wedge.
    let corner = |n: usize| {
        let [x, y, z] = [n % 2, n / 2 % 2, n / 4].map(|c| c as f64);
        [x, y * (1.0 - x), z]
    };
    let line = || carom_nurbs::KnotVector::bernstein(1).unwrap();
    let wedge = carom_nurbs::Patch::new([line(), line(), line()], (0..8).map(corner).collect(), vec![1.0; 8])
        .unwrap();
    let wedge = inspect(&nurbs_body(Multipatch::glue(vec![wedge]).unwrap())).unwrap();
    assert_eq!(wedge.soundness.collapsed_sides, [(0, carom_nurbs::Side::East)]);
    let finding = "1 sides have collapsed to lines or points (patch0:east)";
    assert!(wedge.findings.iter().any(|f| f.starts_with(finding)), "{:?}", wedge.findings);
    let ball = inspect(&nurbs_body(solids::ball(1.0, None).unwrap())).unwrap();
    assert_eq!((ball.soundness.watertight, ball.soundness.parts), (true, 1));
    assert_eq!((ball.soundness.collapsed_sides.len(), ball.findings.len()), (0, 0));
}
