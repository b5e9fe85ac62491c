//! Foot points on the surfaces of meshed bodies, from a body file to contact geometry.

use std::path::Path;

use carom_contact::geometry::{Faces, Site};
use carom_fem::{Body, Discretisation, Material};
use carom_format::{read_body, write_body};
use carom_make::{ImportOptions, Shape, ShapeOptions, import, make};
use carom_progress::Silent;
use nalgebra::Vector3;

fn steel() -> Material {
    Material::named("steel").unwrap()
}

/// The faces of a set of a body that went through a file, and positions of their points.
fn zone(body: &Body, set: &str) -> (Faces, Vec<Vector3<f64>>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body.npz");
    write_body(&path, body).unwrap();
    let body = read_body(&path).unwrap().body;
    let discretisation = Discretisation::new(&body).unwrap();
    let surface = body.surface_of_set(&discretisation, set).unwrap();
    let positions: Vec<_> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    (Faces::new(surface, &positions).unwrap(), positions)
}

/// Foot points of points above a plane zone: gap, normal and position are known.
fn check_above(
    name: &str,
    (faces, positions): &(Faces, Vec<Vector3<f64>>),
    center: Vector3<f64>,
    normal: Vector3<f64>,
    radius: f64,
) {
    let mut now = faces.state_at(positions);
    let across = [Vector3::x(), Vector3::y()];
    let mut start = None;
    for i in -6..=6 {
        for j in -6..=6 {
            let below = center
                + across[0] * (f64::from(i) * radius / 6.0)
                + across[1] * (f64::from(j) * radius / 6.0);
            for height in [-1e-5, 1e-6, 1.4e-4, 2e-3] {
                let x = below + normal * height;
                let found = faces.closest(&mut now, &x).unwrap();
                let followed = start.map(|start| faces.project(&mut now, &x, start));
                for foot in [Some(found), followed].into_iter().flatten() {
                    let case = format!("{name} at {below:?}, {height}: {foot:?}");
                    assert!((foot.gap - height).abs() < 1e-12, "{case}");
                    assert!((foot.normal - normal).norm() < 1e-6, "{case}");
                    assert!((foot.position - below).norm() < 1e-9, "{case}");
                    assert!(foot.site == Site::Interior || !foot.beyond_rim, "{case}");
                }
                start = Some(carom_contact::geometry::Start { face: found.face, xi: found.xi });
            }
        }
    }
}

fn block(hex: bool, order: Option<u8>) -> Body {
    let options = ShapeOptions {
        shape: Shape::Box,
        radius: None,
        inner_radius: None,
        length: None,
        size: Some([0.06, 0.06, 0.03]),
        semi_axes: None,
        pole_radius: None,
        focus: None,
        degree: None,
        elements: vec![6, 6, 3],
        grade: Vec::new(),
        hex,
        order,
        elevate: None,
        subdivide: None,
        zones: Vec::new(),
    };
    make(&options, "block", steel(), &Silent).unwrap()
}

#[test]
fn gaps_of_points_above_a_block_equal_their_heights() {
    for (name, body) in
        [("hex8", block(true, Some(1))), ("hex20", block(true, Some(2))), ("spline", block(false, None))]
    {
        for (set, z, normal) in [("bottom", 0.0, -1.0), ("top", 0.03, 1.0)] {
            let center = Vector3::new(0.033, 0.029, z);
            check_above(&format!("{name} {set}"), &zone(&body, set), center, Vector3::z() * normal, 4e-3);
        }
    }
}

#[test]
fn gaps_of_points_above_the_conrod_equal_their_heights() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/ball-on-conrod/conrod.msh");
    let body = import(&path, &ImportOptions::default(), steel()).unwrap().body;
    check_above("tet10", &zone(&body, "impact"), Vector3::new(0.066, 0.0, 0.0045), Vector3::z(), 4e-4);
}

/// The flank of the meshed cam lies at a distance of 5 mm inside of ρ(a) = 36.5 mm − 1.5 mm cos 2a, its bore
/// 10 mm from its axis.
#[test]
fn the_meshed_cam_reproduces_the_drawn_profile() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/cam/cam.msh");
    let body = import(&path, &ImportOptions::default(), steel()).unwrap().body;
    let (faces, positions) = zone(&body, "flank");
    let mut now = faces.state_at(&positions);
    for k in 0..500 {
        let a = f64::from(k) * 0.0126;
        let (rho, slope) = (0.0365 - 0.0015 * (2.0 * a).cos(), 0.003 * (2.0 * a).sin());
        let (sin, cos) = a.sin_cos();
        let tangent = slope * Vector3::new(-sin, cos, 0.0) + rho * Vector3::new(-cos, -sin, 0.0);
        let normal = tangent.cross(&Vector3::z()).normalize();
        let below = rho * Vector3::new(-sin, cos, 0.0) - 0.005 * normal
            + Vector3::new(0.0, 0.0, 1e-3 * f64::from(k % 3 - 1));
        for height in [-1e-4, 1e-6, 1e-3] {
            let foot = faces.closest(&mut now, &(below + normal * height)).unwrap();
            // Parabolas over 3 mm of a curve of 30 mm radius have errors of 0.1 µm; their slopes have an
            // error of three times that over a quarter of their length.
            assert!((foot.gap - height).abs() < 1.5e-7, "{a}: {foot:?}");
            assert!((foot.normal - normal).norm() < 5e-4, "{a}: {} of {normal}", foot.normal);
            assert!((foot.position - below).norm() < 1e-6, "{a}: {} of {below}", foot.position);
        }
    }
    let (_, bore) = zone(&body, "bore");
    for x in bore {
        assert!((x.xy().norm() - 0.01).abs() < 1e-9, "{x}");
    }
}
