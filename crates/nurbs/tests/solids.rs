//! Volumes, surfaces, gluing and regions of the exact solids, also after refinement.

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
    assert_eq!((body.patches.len(), body.n_points()), (7, 517));
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
        assert_eq!((body.n_points(), body.interfaces().len()), (517, 18));
        // The denominators vary by the factor, which requires more points than the ball itself.
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
            "a depth of {depth} is not concentrated at the surface"
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
    assert_eq!((body.patches.len(), body.n_points()), (6, 196));
    assert_volume(&body, 4.0 / 3.0 * PI * (1.0 - 0.512), [0.0; 3]);
    assert!(deviation(&body, "outer", |p| norm(p) - 1.0) < 1e-15);
    assert!(deviation(&body, "inner", |p| norm(p) - 0.8) < 1e-15);
}

#[test]
fn rod_is_exact_with_50_points() {
    let (r, l) = (0.01, 1.0);
    let body = solids::rod(r, l, None).unwrap();
    // The sectors are linear across: each has a row of 4 less.
    assert_eq!((body.patches.len(), body.n_points()), (5, 50 - 4 * 4));
    assert_volume(&body, PI * r * r * l, [0.5 * l, 0.0, 0.0]);
    assert!(deviation(&body, "side", |p| radius_about_x(p) / r - 1.0) < 1e-15);
    assert!(deviation(&body, "start", |p| p[0]) == 0.0);
    assert!(deviation(&body, "end", |p| p[0] - l) == 0.0);
    assert_eq!(body.outer_sides().len(), 14);
    // All five patches are quadratic over the section, as in published tables.
    let across = body.patches.iter().map(|patch| patch.elevate(1, 2 - patch.degrees()[1]).unwrap());
    assert_eq!(Multipatch::glue(across.collect()).unwrap().n_points(), 50);
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

/// Smallest det J of a body over points of all knot spans, divided by the mean of its patch.
fn least_jacobian(body: &Multipatch, inside: f64) -> f64 {
    let mut least = f64::INFINITY;
    for patch in &body.patches {
        let domain = patch.domain();
        let scale: f64 = domain.iter().map(|[a, b]| b - a).product();
        let mean = patch.moments(8).volume / scale;
        for m in 0..9 * 9 * 9 {
            let at = [m % 9, m / 9 % 9, m / 81].map(|i| inside + (1.0 - 2.0 * inside) * f64::from(i) / 8.0);
            let u = [0, 1, 2].map(|d| domain[d][0] + at[d] * (domain[d][1] - domain[d][0]));
            least = least.min(patch.derivatives(u).jacobian() / mean);
        }
    }
    least
}

#[test]
fn a_capsule_is_one_exact_body_with_conforming_patches() {
    let (r, l) = (0.012, 0.1);
    let body = solids::capsule(r, l, None).unwrap();
    assert_eq!(body.patches.len(), 17);
    // 4 around and 4 between the sectors in each of three sections, 5 on each cut, 5 around the last patch of
    // each cap.
    assert_eq!(body.interfaces().len(), 3 * 8 + 2 * 5 + 2 * 5);
    assert_volume(&body, PI * r * r * (l - 2.0 * r) + 4.0 / 3.0 * PI * r.powi(3), [0.5 * l, 0.0, 0.0]);
    let on_sphere = |x: f64| move |p: [f64; 3]| norm([p[0] - x, p[1], p[2]]) / r - 1.0;
    assert!(deviation(&body, "side", |p| radius_about_x(p) / r - 1.0) < 1e-15);
    assert!(deviation(&body, "start", on_sphere(r)) < 2e-15);
    assert!(deviation(&body, "end", on_sphere(l - r)) < 2e-14); // x as large as 8 r costs digits
    let mut outer = body.regions["surface"].sides.clone();
    outer.sort_unstable();
    assert_eq!(outer, body.outer_sides());
    assert!(least_jacobian(&body, 0.0) > 0.05, "{}", least_jacobian(&body, 0.0));
    // The sections are closed: a long, refined capsule is as exact.
    let finer =
        solids::capsule(1.0, 20.0, Some(0.1)).unwrap().with_degree(4).unwrap().elements([2, 2, 2]).unwrap();
    assert_volume(&finer, PI * 18.0 + 4.0 / 3.0 * PI, [10.0, 0.0, 0.0]);
    assert!(finer.faces(&finer.region("end_pole").unwrap()).iter().all(|face| face.patch == 16));
}

#[test]
fn ellipsoid_and_octant_are_exact() {
    let [a, b, c] = [0.3, 0.2, 0.5];
    let body = solids::ellipsoid([a, b, c], None).unwrap();
    assert_eq!((body.patches.len(), body.n_points()), (7, 517));
    assert_volume(&body, 4.0 / 3.0 * PI * a * b * c, [0.0; 3]);
    assert!(deviation(&body, "surface", |p| norm([p[0] / a, p[1] / b, p[2] / c]) - 1.0) < 1e-15);
    assert!(least_jacobian(&body, 0.0) > 0.05);

    let body = solids::octant(2.0, None).unwrap();
    assert_eq!((body.patches.len(), body.n_points()), (1, 8));
    assert_volume(&body, PI / 6.0 * 8.0, [0.75; 3]);
    assert!(deviation(&body, "surface", |p| norm(p) / 2.0 - 1.0) < 1e-15);
    for (d, region) in ["x0", "y0", "z0"].into_iter().enumerate() {
        assert!(deviation(&body, region, |p| p[d]) == 0.0, "{region}");
    }
    assert_eq!(body.outer_sides().len(), 4);
    assert!(least_jacobian(&body, 0.01) > 0.0);
    // The collapsed sides stay glued: the centre is one point, the axis a line of points.
    let finer = body.elements([3, 2, 4]).unwrap();
    let [n, m, k] = finer.patches[0].counts();
    assert_eq!(finer.n_points(), 1 + (k - 1) * (n * (m - 1) + 1));
    assert_volume(&finer, PI / 6.0 * 8.0, [0.75; 3]);
}

#[test]
fn the_jacobian_of_every_exact_solid_is_positive() {
    for body in [
        solids::ball(1.0, None).unwrap(),
        solids::shell(1.0, 0.3, None).unwrap(),
        solids::rod(1.0, 2.0, None).unwrap(),
        solids::tube(1.0, 0.5, 2.0).unwrap(),
        solids::torus(1.0, 0.6).unwrap(),
    ] {
        let least = least_jacobian(&body, 0.0);
        assert!(least > 0.05, "det J falls to {least} of its mean");
    }
}

#[test]
fn sizes_out_of_range_are_named() {
    let message = |result: Result<Multipatch, solids::SolidError>| result.unwrap_err().to_string();
    assert!(message(solids::ball(-1.0, None)).contains("radius of the ball is -1"));
    assert!(message(solids::shell(1.0, 1.0, None)).contains("below the outer radius 1"));
    assert!(message(solids::rod(1.0, f64::NAN, None)).contains("length of the rod"));
    assert!(message(solids::torus(1.0, 2.0)).contains("radius of the tube"));
    assert!(message(solids::torus(1.0, 1.0)).contains("below the radius of the ring 1"));
    assert!(message(solids::capsule(1.0, 2.0, None)).contains("above twice the radius 1"));
    assert!(message(solids::capsule(1.0, f64::INFINITY, None)).contains("length of the capsule"));
    assert!(message(solids::capsule(0.0, 2.0, None)).contains("radius of the capsule is 0"));
    assert!(message(solids::octant(f64::NAN, None)).contains("radius of the octant is NaN"));
    assert!(message(solids::ellipsoid([1.0, -2.0, 1.0], None)).contains("semi-axis along y"));
    assert!(message(solids::tube(1.0, 0.0, 1.0)).contains("inner radius of the tube is 0"));
    assert!(message(solids::block([1.0, 0.0, 1.0])).contains("width of the box"));
}

#[test]
fn refinement_keeps_the_solid() {
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
    let mut place = vec![None; body.n_points()];
    for (patch, ids) in body.patches.iter().zip(body.point_ids()) {
        for ((point, weight), &id) in patch.points.iter().zip(&patch.weights).zip(ids) {
            let (p, w) = *place[id as usize].get_or_insert((*point, *weight));
            assert!((0..3).all(|d: usize| (point[d] - p[d]).abs() < 1e-15) && (weight - w).abs() < 1e-15);
        }
    }
    // Three tangential classes of 3 knot spans (sides of the cube), the radial one of 3.
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
    // The four knot spans that meet at the pole are the nearest; the next begin 0.4 away.
    let faces = body.faces(&body.region("pole").unwrap());
    assert_eq!(faces.len(), 4);
    assert!(faces.iter().all(|face| face.patch == 5 && face.side == Side::Top));
}

/// The faces of a zone are those with a point in its ball, among points that cover each face closely.
#[test]
fn a_zone_has_the_faces_that_reach_into_its_ball() {
    const N: usize = 24;
    let near = [carom_nurbs::Near::point([0.0, 0.0, 1.0], 0.15, 2)];
    let refined = solids::ball(1.0, None).unwrap().subdivide(2).unwrap().refine_near(&near).unwrap();
    let rod = solids::rod(0.3, 2.0, None).unwrap().subdivide(3).unwrap();
    for (body, sides) in [(refined, "surface"), (rod, "side")] {
        let whole = body.region(sides).unwrap();
        let all = body.faces(&whole);
        let mut n_inside = 0;
        for (centre, radius) in [
            ([0.0, 0.0, 1.0], 0.2),
            ([0.6, 0.5, 0.6], 0.3),
            ([0.9, 0.3, 0.0], 0.05),
            ([0.1, -0.4, 0.0], 0.35),
            ([2.0, 0.0, 0.0], 0.7),
            ([0.0, 0.0, 0.0], 0.9),
        ] {
            let zone = carom_nurbs::Region { near: vec![(centre, radius)], ..whole.clone() };
            let found = body.faces(&zone);
            for &face in &all {
                let bounds = body.face_bounds(face);
                let grid = (0..=N).flat_map(|j| (0..=N).map(move |i| [i, j]));
                let points = grid.map(|ij| {
                    let mut u = bounds.map(|[low, _]| low);
                    for (d, k) in face.side.tangents().into_iter().zip(ij) {
                        u[d] += k as f64 / N as f64 * (bounds[d][1] - bounds[d][0]);
                    }
                    body.patches[face.patch as usize].point(u)
                });
                let points: Vec<[f64; 3]> = points.collect();
                let length = |a: [f64; 3], b: [f64; 3]| {
                    (0..3).map(|d: usize| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
                };
                let nearest = points.iter().map(|&x| length(x, centre)).fold(f64::INFINITY, f64::min);
                let beside = (0..points.len()).flat_map(|k| {
                    let right = (k % (N + 1) < N).then_some(k + 1);
                    [right, Some(k + N + 1)].into_iter().flatten().map(move |other| (k, other))
                });
                let beside = beside.filter(|&(_, other)| other < points.len());
                let between = beside.map(|(k, other)| length(points[k], points[other])).fold(0.0, f64::max);
                // No point of the face lies farther from those that were looked at.
                if (nearest - radius).abs() > between {
                    assert_eq!(found.contains(&face), nearest < radius, "{centre:?} {radius} {face:?}");
                    n_inside += usize::from(nearest < radius);
                }
            }
        }
        assert!(n_inside > 10 && n_inside < 5 * all.len(), "{sides}: {n_inside}");
    }
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
    let capsule = divided(Solid::Capsule { radius: 1.0, length: 4.0 }, &[7, 4, 3]);
    assert_eq!((spans(&capsule, 0), spans(&capsule, 1)), ([7, 4, 4], [7, 4, 3]));
    assert_eq!((spans(&capsule, 5), spans(&capsule, 7)), ([2, 4, 4], [4, 2, 3]));
    assert_eq!(spans(&capsule, 16), [4, 4, 3]);
    let octant = divided(Solid::Octant { radius: 1.0 }, &[2, 5]);
    assert_eq!(spans(&octant, 0), [2, 2, 5]);
    let ellipsoid = divided(Solid::Ellipsoid { semi_axes: [1.0, 2.0, 3.0] }, &[2, 5]);
    assert_eq!((spans(&ellipsoid, 0), spans(&ellipsoid, 5)), ([2, 2, 2], [2, 2, 5]));
    let plate = divided(Solid::Plate { size: [1.0, 1.0, 0.1] }, &[4]);
    assert_eq!(spans(&plate, 0), [4, 4, 4]);
    let solid = Solid::Ball { radius: 1.0 };
    let refused = solid.with_elements(&ball, &[1, 2, 3]).map(|body| body.n_points()).unwrap_err().to_string();
    assert!(refused.contains("[1, 2, 3]") && refused.contains("inner cube"), "{refused}");
}
