//! The exact solids have their volumes, surfaces, gluing and regions, also after refinement.

use std::f64::consts::PI;

use carom_nurbs::{Multipatch, Side, solids};

/// Largest distance of sampled points of a region from a surface f = 0.
fn deviation(body: &Multipatch, region: &str, f: impl Fn([f64; 3]) -> f64) -> f64 {
    let mut worst: f64 = 0.0;
    for (patch, side) in body.region(region).unwrap().sides {
        let patch = &body.patches[patch as usize];
        let domain = patch.domain();
        for i in 0..=12 {
            for j in 0..=12 {
                let mut u = domain.map(|[a, _]| a);
                u[side.direction()] = domain[side.direction()][usize::from(side.is_end())];
                for (d, t) in side.tangents().into_iter().zip([i, j]) {
                    u[d] = domain[d][0] + (domain[d][1] - domain[d][0]) * f64::from(t) / 12.0;
                }
                worst = worst.max(f(patch.point(u)).abs());
            }
        }
    }
    worst
}

fn radius_about_x(p: [f64; 3]) -> f64 {
    p[1].hypot(p[2])
}

fn norm(p: [f64; 3]) -> f64 {
    p[0].hypot(p[1]).hypot(p[2])
}

fn assert_volume(body: &Multipatch, exact: f64, centroid: [f64; 3]) {
    // 16 points a direction: all digits for these rational integrands, and few enough roundings in the sum.
    let moments = body.moments(16);
    let error = moments.volume / exact - 1.0;
    assert!(error.abs() < 1e-14, "volume {} instead of {exact}: {error:e}", moments.volume);
    for d in 0..3 {
        let scale = exact.cbrt() + centroid[d].abs();
        assert!((moments.first[d] / moments.volume - centroid[d]).abs() < 1e-14 * scale, "{moments:?}");
    }
}

#[test]
fn ball_is_exact_with_517_points() {
    let r = 0.015;
    let body = solids::ball(r, None).unwrap();
    assert_eq!((body.patches.len(), body.n_points), (7, 517));
    assert!(body.patches.iter().all(|patch| patch.degrees() == [4; 3]));
    assert_eq!(body.interfaces().len(), 18);
    assert_eq!(body.outer_sides(), body.regions["surface"].sides);
    assert_volume(&body, 4.0 / 3.0 * PI * r.powi(3), [0.0; 3]);
    let off = deviation(&body, "surface", |p| norm(p) / r - 1.0);
    assert!(off < 1e-15, "radius error {off:e}; the table promises 7.8e-16");
}

#[test]
fn a_focused_ball_is_the_same_ball() {
    let r = 0.015;
    let ball = solids::ball(r, None).unwrap();
    for factor in [1.0, 1.7, 2.5] {
        let body = solids::focused(&ball, r, factor).unwrap();
        assert_eq!((body.n_points, body.interfaces().len()), (517, 18));
        // The denominators vary by the factor: more points than for the ball itself.
        let moments = body.moments(24);
        let error = moments.volume / (4.0 / 3.0 * PI * r.powi(3)) - 1.0;
        assert!(error.abs() < 1e-13, "volume off by {error:e}");
        assert!(moments.first[2].abs() < 1e-13 * r * moments.volume, "{moments:?}");
        let off = deviation(&body, "surface", |p| norm(p) / r - 1.0);
        assert!(off < 4e-15, "factor {factor}: radius error {off:e}");
        // The map is a similarity of ratio 1/factor along the surface at the pole.
        let cap = |body: &Multipatch| {
            let patch = &body.patches[5];
            (norm(patch.derivatives([0.5, 0.5, 1.0]).first[0]), r - patch.point([0.5, 0.5, 0.0])[2])
        };
        let ((along, depth), (along_before, depth_before)) = (cap(&body), cap(&ball));
        assert!((along * factor / along_before - 1.0).abs() < 1e-13, "{along}");
        assert!(
            depth < depth_before / factor * (1.0 + 1e-14),
            "a depth of {depth} is not drawn to the surface"
        );
    }
    for factor in [0.5, 3.0, f64::NAN] {
        let message = solids::focused(&ball, r, factor).unwrap_err().to_string();
        assert!(message.contains("focus"), "{message}");
    }
}

#[test]
fn shell_is_exact_with_196_points() {
    let body = solids::shell(1.0, 0.8, Some(0.05)).unwrap();
    assert_eq!((body.patches.len(), body.n_points), (6, 196));
    assert_volume(&body, 4.0 / 3.0 * PI * (1.0 - 0.512), [0.0; 3]);
    assert!(deviation(&body, "outer", |p| norm(p) - 1.0) < 1e-15);
    assert!(deviation(&body, "inner", |p| norm(p) - 0.8) < 1e-15);
}

#[test]
fn rod_is_exact_with_50_points() {
    let (r, l) = (0.01, 1.0);
    let body = solids::rod(r, l, None).unwrap();
    assert_eq!((body.patches.len(), body.n_points), (5, 50 - 4 * 4)); // sectors linear across: a row of 4 less each
    assert_volume(&body, PI * r * r * l, [0.5 * l, 0.0, 0.0]);
    assert!(deviation(&body, "side", |p| radius_about_x(p) / r - 1.0) < 1e-15);
    assert!(deviation(&body, "start", |p| p[0]) == 0.0);
    assert!(deviation(&body, "end", |p| p[0] - l) == 0.0);
    assert_eq!(body.outer_sides().len(), 14);
    let quadratic = body.with_degree(2).unwrap();
    assert_volume(&quadratic, PI * r * r * l, [0.5 * l, 0.0, 0.0]);
    assert!(solids::rod(r, l, None).unwrap().with_degree(1).unwrap_err().to_string().contains("needs 2"));
}

#[test]
fn tube_box_plate_and_torus_are_exact() {
    let tube = solids::tube(0.02, 0.015, 0.3).unwrap();
    assert_volume(&tube, PI * (4e-4 - 2.25e-4) * 0.3, [0.15, 0.0, 0.0]);
    assert!(deviation(&tube, "inner", |p| radius_about_x(p) / 0.015 - 1.0) < 1e-15);
    assert_eq!(tube.outer_sides().len(), 16);
    let block = solids::block([1.0, 2.0, 3.0]).unwrap();
    assert_volume(&block, 6.0, [0.5, 1.0, 1.5]);
    assert!(deviation(&block, "north", |p| p[1] - 2.0) == 0.0);
    let plate = solids::plate([1.0, 2.0, 0.1], None).unwrap();
    assert_volume(&plate, 0.2, [0.0; 3]);
    let torus = solids::torus(1.0, 0.3).unwrap();
    assert_volume(&torus, 2.0 * PI * PI * 0.09, [0.0; 3]);
    assert!(deviation(&torus, "surface", |p| (p[0].hypot(p[1]) - 1.0).hypot(p[2]) - 0.3) < 1e-15);
    assert_eq!(torus.outer_sides(), torus.regions["surface"].sides);
}

#[test]
fn sizes_out_of_range_are_named() {
    let message = |result: Result<Multipatch, solids::SolidError>| result.unwrap_err().to_string();
    assert!(message(solids::ball(-1.0, None)).contains("radius of the ball is -1"));
    assert!(message(solids::shell(1.0, 1.0, None)).contains("below the outer radius 1"));
    assert!(message(solids::rod(1.0, f64::NAN, None)).contains("length of the rod"));
    assert!(message(solids::torus(1.0, 2.0)).contains("radius of the tube"));
    assert!(message(solids::block([1.0, 0.0, 1.0])).contains("width of the box"));
}

#[test]
fn refinement_leaves_the_solid_as_it_is() {
    let ball = solids::ball(1.0, None).unwrap();
    let torus = solids::torus(1.0, 0.3).unwrap();
    for (body, exact) in [(ball, 4.0 / 3.0 * PI), (torus, 2.0 * PI * PI * 0.09)] {
        let finer = body.subdivide(2).unwrap().elevate(1).unwrap();
        assert_eq!(finer.interfaces().len(), body.interfaces().len());
        assert!((finer.moments(12).volume / exact - 1.0).abs() < 1e-13);
        for (a, b) in body.patches.iter().zip(&finer.patches) {
            for u in [[0.1, 0.5, 0.9], [0.3, 0.77, 0.2], [1.0, 0.0, 0.6]] {
                let (p, q) = (a.point(u), b.point(u));
                assert!((0..3).all(|d| (p[d] - q[d]).abs() < 1e-14));
            }
        }
    }
}

#[test]
fn glued_points_coincide_after_refinement() {
    let body = solids::ball(1.0, None).unwrap().elements([2, 2, 3]).unwrap();
    let mut place = vec![None; body.n_points];
    for (patch, ids) in body.patches.iter().zip(&body.point_ids) {
        for ((point, weight), &id) in patch.points.iter().zip(&patch.weights).zip(ids) {
            let (p, w) = *place[id as usize].get_or_insert((*point, *weight));
            assert!((0..3).all(|d: usize| (point[d] - p[d]).abs() < 1e-15) && (weight - w).abs() < 1e-15);
        }
    }
    // Three tangential classes of 3 spans (sides of the cube), the radial one of 3.
    let per_side = 4 + 3 - 1 + 1; // p + spans functions
    assert!(body.patches.iter().all(|patch| patch.counts()[2] == per_side || patch.counts()[2] == 6));
}

#[test]
fn regions_are_found_by_name_and_by_side() {
    let body = solids::ball(1.0, Some(0.2)).unwrap().subdivide(4).unwrap();
    assert_eq!(body.region("patch5:top").unwrap().sides, [(5, Side::Top)]);
    let message = body.region("patch7:top").unwrap_err().to_string();
    assert!(message.contains("`pole`, `surface`") && message.contains("patch6"), "{message}");
    assert_eq!(body.faces(&body.region("surface").unwrap()).len(), 6 * 16);
    // The four spans that meet at the pole are the nearest; the next begin 0.4 away.
    let faces = body.faces(&body.region("pole").unwrap());
    assert_eq!(faces.len(), 4);
    assert!(faces.iter().all(|face| face.patch == 5 && face.side == Side::Top));
    assert_eq!(body.face_indices(faces[0]).len(), 25);
}

#[test]
fn elements_are_counted_in_the_directions_of_the_solid() {
    use carom_nurbs::solids::Solid;
    let spans = |body: &Multipatch, patch: usize| {
        [0, 1, 2].map(|d: usize| body.patches[patch].basis[d].spans().len())
    };
    let divided = |solid: Solid, n: &[usize]| solid.with_elements(&solid.make(None).unwrap(), n).unwrap();
    let ball = divided(Solid::Ball { radius: 1.0 }, &[2, 5]);
    assert_eq!((spans(&ball, 0), spans(&ball, 5)), ([2, 2, 2], [2, 2, 5]));
    let shell = divided(Solid::Shell { radius: 1.0, inner_radius: 0.5 }, &[3, 2]);
    assert_eq!(spans(&shell, 2), [3, 3, 2]);
    let rod = divided(Solid::Rod { radius: 1.0, length: 3.0 }, &[7, 2, 3]);
    assert_eq!((spans(&rod, 0), spans(&rod, 4)), ([2, 2, 7], [2, 3, 7]));
    let tube = divided(Solid::Tube { radius: 1.0, inner_radius: 0.5, length: 3.0 }, &[7, 2, 3]);
    assert_eq!(spans(&tube, 3), [2, 3, 7]);
    let torus = divided(Solid::Torus { radius: 1.0, tube_radius: 0.5 }, &[7, 2, 3]);
    assert_eq!((spans(&torus, 5), spans(&torus, 6)), ([2, 2, 7], [2, 3, 7]));
    let plate = divided(Solid::Plate { size: [1.0, 1.0, 0.1] }, &[4]);
    assert_eq!(spans(&plate, 0), [4, 4, 4]);
    let solid = Solid::Ball { radius: 1.0 };
    let refused = solid.with_elements(&ball, &[1, 2, 3]).map(|body| body.n_points).unwrap_err().to_string();
    assert!(refused.contains("[1, 2, 3]") && refused.contains("inner cube"), "{refused}");
}
