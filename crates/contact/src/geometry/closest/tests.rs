use carom_mesh::FaceShape;

use super::*;
use crate::test_surfaces::{Random, ball, cap, plate};

const SHAPES: [FaceShape; 5] =
    [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9];

/// A wavy, sheared sheet.
fn sheet(x: f64, y: f64) -> [f64; 3] {
    [x + 0.15 * y * y, y + 0.1 * (3.0 * x).sin(), 0.12 * (4.0 * x).sin() * (3.0 * y).cos()]
}

/// Smallest distance by dense sampling of every face, then by successively finer samples around the best
/// point.
fn brute_force(faces: &Faces, now: &mut FacesNow, x: &Vector3<f64>) -> f64 {
    let mut best = (f64::INFINITY, 0, [0.0; 2]);
    for face in 0..faces.n_faces() as u32 {
        for (i, j) in (0..=24).flat_map(|i| (0..=24).map(move |j| (i, j))) {
            let xi = faces.domain(face).clamp([f64::from(i) / 24.0, f64::from(j) / 24.0]);
            let d = (x - faces.position(now, face, xi)).norm();
            if d < best.0 {
                best = (d, face, xi);
            }
        }
    }
    let mut width = 1.0 / 24.0;
    while width > 1e-9 {
        let (_, face, center) = best;
        for (i, j) in (-4..=4).flat_map(|i| (-4..=4).map(move |j| (i, j))) {
            let xi = [center[0] + width * f64::from(i) / 4.0, center[1] + width * f64::from(j) / 4.0];
            let xi = faces.domain(face).clamp(xi);
            let d = (x - faces.position(now, face, xi)).norm();
            if d < best.0 {
                best = (d, face, xi);
            }
        }
        width *= 0.4;
    }
    best.0
}

#[test]
fn the_closest_point_of_an_exact_ball_lies_on_its_radius() {
    let radius = 0.015;
    let (surface, positions) = ball(radius, 3);
    let faces = Faces::new(surface, &positions).unwrap();
    let mut now = faces.state_at(&positions);
    let mut random = Random(1);
    for _ in 0..500 {
        let direction = random.vector().normalize();
        let x = direction * radius * (0.6 + 2.0 * random.next());
        let foot = faces.closest(&mut now, &x).unwrap();
        assert!((foot.gap - (x.norm() - radius)).abs() < 1e-16 + 1e-14 * radius, "{}", foot.gap);
        assert!((foot.normal - direction).norm() < 1e-9, "{:?}", foot);
        assert!((foot.position - direction * radius).norm() < 1e-9 * radius);
        let k = foot.principal_curvatures().unwrap();
        assert!(k.iter().all(|k| (k * radius + 1.0).abs() < 1e-5), "{k:?}");
        assert!(!foot.beyond_rim);
    }
}

#[test]
fn a_warm_start_anywhere_on_the_ball_converges_across_faces() {
    let (surface, positions) = ball(1.0, 4);
    let faces = Faces::new(surface, &positions).unwrap();
    let mut now = faces.state_at(&positions);
    let mut random = Random(2);
    for _ in 0..500 {
        let x = random.vector().normalize() * 1.3;
        let face = (random.next() * faces.n_faces() as f64) as u32;
        let start = Start { face, xi: [random.next(), random.next()] };
        // Starts on the far side are left out: the distance has another stationary point there.
        if faces.position(&mut now, face, start.xi).dot(&x) < 0.0 {
            continue;
        }
        let foot = faces.project(&mut now, &x, start);
        assert!((foot.gap - 0.3).abs() < 1e-13, "{:?} {}", start, foot.gap);
    }
}

#[test]
fn the_global_search_agrees_with_brute_force_on_every_kind_of_face() {
    for shape in SHAPES {
        let (surface, positions) = plate(shape, 4, 3, sheet);
        let faces = Faces::new(surface, &positions).unwrap();
        let mut now = faces.state_at(&positions);
        let mut random = Random(3);
        for _ in 0..60 {
            let x =
                Vector3::new(1.6 * random.next() - 0.3, 1.6 * random.next() - 0.3, 0.5 * random.symmetric());
            let foot = faces.closest(&mut now, &x).unwrap();
            let truth = brute_force(&faces, &mut now, &x);
            let found = (x - foot.position).norm();
            assert!(found < truth + 1e-9, "{shape:?} at {x:?}: {found} against {truth}");
            assert!((x - foot.position - foot.normal * foot.gap).norm() < 1e-8, "{shape:?} {foot:?}");
        }
    }
}

#[test]
fn the_global_search_agrees_with_brute_force_on_a_deformed_nurbs_cap() {
    let (surface, mut positions) = cap(1.0, &[0.3, 0.5, 0.8]);
    let mut random = Random(4);
    positions.iter_mut().for_each(|x| *x += random.vector() * 0.05);
    let faces = Faces::new(surface, &positions).unwrap();
    let mut now = faces.state_at(&positions);
    for _ in 0..80 {
        let x = Vector3::new(random.symmetric(), random.symmetric(), -0.9 + 0.5 * random.symmetric());
        let foot = faces.closest(&mut now, &x).unwrap();
        let truth = brute_force(&faces, &mut now, &x);
        let found = (x - foot.position).norm();
        assert!(found - truth < 1e-9, "at {x:?}: {found} against {truth}");
    }
}

#[test]
fn the_gap_outside_the_rim_is_the_distance_and_not_negative() {
    let (surface, positions) = plate(FaceShape::Quad4, 3, 3, |x, y| [x, y, 0.0]);
    let faces = Faces::new(surface, &positions).unwrap();
    let mut now = faces.state_at(&positions);
    for (x, gap, beyond) in [
        ([0.4, 0.4, -0.2], -0.2, false),
        ([1.3, 0.4, -0.4], 0.5, true),
        ([1.3, 1.4, 1.2], 1.3, true),
        ([0.5, 1.0, -0.1], -0.1, false),
    ] {
        let foot = faces.closest(&mut now, &Vector3::from(x)).unwrap();
        assert!((foot.gap - gap).abs() < 1e-14 && foot.beyond_rim == beyond, "{foot:?}");
        assert!((Vector3::from(x) - foot.position - foot.normal * foot.gap).norm() < 1e-14);
    }
}

/// A sheet with a rounded rim: the penetration of a body that slides off under pressure decreases gradually,
/// and normals are continuous.
#[test]
fn gap_and_normal_are_continuous_across_a_rounded_rim() {
    let (surface, positions) = plate(FaceShape::Quad4, 3, 3, |x, y| [x, y, 0.1 * x]);
    let mut faces = Faces::new(surface, &positions).unwrap();
    faces.rim_radius = 0.05;
    let mut now = faces.state_at(&positions);
    let mut last: Option<FootPoint> = None;
    let step = 1e-4;
    for k in 0..1500 {
        let x = Vector3::new(0.95 + step * f64::from(k), 0.4, 0.07);
        let foot = faces.closest(&mut now, &x).unwrap();
        assert!((x - foot.position - foot.normal * foot.gap).norm() < 1e-14, "{foot:?}");
        if let Some(last) = last {
            assert!((foot.gap - last.gap - last.normal.x * step).abs() < 1e-6, "{last:?} {foot:?}");
            assert!((foot.normal - last.normal).norm() < 1e-2, "{last:?} {foot:?}");
        }
        last = Some(foot);
    }
    // Depths of 0.02 to 0.03 over the sheet, none beyond the rounded rim.
    assert!(last.is_some_and(|foot| foot.gap > 0.02));
    // A point deeper than the rounding is outside the sheet and has no negative gap.
    let deep = faces.closest(&mut now, &Vector3::new(1.02, 0.4, 0.1 - 0.075)).unwrap();
    assert!(deep.gap > 0.07 && deep.lever == Vector3::zeros(), "{deep:?}");
}

#[test]
fn the_gap_at_a_ridge_between_facets_is_positive_outside_and_negative_inside() {
    // A roof with its ridge along y at x = 1/2.
    let roof = |x: f64, y: f64| [x, y, 0.5 - (x - 0.5).abs()];
    for shape in [FaceShape::Quad4, FaceShape::Tri3] {
        let (surface, positions) = plate(shape, 2, 2, roof);
        let faces = Faces::new(surface, &positions).unwrap();
        let mut now = faces.state_at(&positions);
        let above = faces.closest(&mut now, &Vector3::new(0.52, 0.3, 0.8)).unwrap();
        assert!((above.gap - 0.3f64.hypot(0.02)).abs() < 1e-14 && above.site != Site::Interior);
        let below = faces.closest(&mut now, &Vector3::new(0.55, 0.3, 0.35)).unwrap();
        assert!((below.gap + 0.1 / 2f64.sqrt()).abs() < 1e-14);
        // A valley: points above it are not nearest to the ridge of the mirrored roof, points below it are.
        let (surface, positions) = plate(shape, 2, 2, |x, y| [x, y, -roof(x, y)[2]]);
        let faces = Faces::new(surface, &positions).unwrap();
        let mut now = faces.state_at(&positions);
        let below = faces.closest(&mut now, &Vector3::new(0.52, 0.3, -0.8)).unwrap();
        assert!((below.gap + 0.3f64.hypot(0.02)).abs() < 1e-14, "{below:?}");
    }
}

#[test]
fn a_radius_limits_the_search() {
    let (surface, positions) = ball(1.0, 2);
    let faces = Faces::new(surface, &positions).unwrap();
    let mut now = faces.state_at(&positions);
    let x = Vector3::new(1.0, 1.0, 1.0);
    assert!(faces.closest_within(&mut now, &x, 0.7).is_none());
    assert!(faces.closest_within(&mut now, &x, 0.8).is_some());
    now.set_positions(|k| positions[k] + Vector3::new(1.0, 1.0, 1.0));
    assert!((faces.closest(&mut now, &x).unwrap().gap + 1.0).abs() < 1e-12);
}

/// Points exactly above the lines of edges, so that round-off determines the side of an edge. The
/// faces are rectangles along the axes, whose closest points are known.
#[test]
fn newton_from_any_corner_converges_above_the_lines_of_edges() {
    for shape in [FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9] {
        let (surface, reference) = plate(shape, 8, 8, |x, y| [x, y, 0.0]);
        let faces = Faces::new(surface, &reference).unwrap();
        for step in 0..40 {
            let height = 0.1 - 1e-4 * f64::from(step);
            let mut now = faces.state_at(&reference);
            now.set_positions(|k| reference[k] - height * Vector3::z());
            for (i, j) in (0..=4).flat_map(|j| (0..=4).map(move |i| (f64::from(i), f64::from(j)))) {
                let x = Vector3::new(0.25 * i, 0.25 * j, 0.0);
                for face in 0..faces.n_faces() as u32 {
                    let low = [face % 8, face / 8].map(|k| f64::from(k) / 8.0);
                    let beside = [0, 1].map(|d| (low[d] - x[d]).max(x[d] - low[d] - 0.125).max(0.0));
                    let distance = Vector3::new(beside[0], beside[1], height).norm();
                    for corner in 0..4 {
                        let local = faces.newton(&mut now, face, Domain::Square.corner(corner), &x);
                        let found = local.distance_squared.sqrt();
                        assert!((found - distance).abs() < 1e-13, "{shape:?} {face} {corner} {x:?}: {found}");
                    }
                }
            }
        }
    }
}
