//! Gluing of patches: all orientations, patches glued to themselves, around edges, with other knots; and its
//! refusals.

use std::f64::consts::PI;

use crate::boxes::permuted::permuted;
use carom_nurbs::{Interface, KnotVector, Multipatch, Patch, Side, read, solids};
use carom_testing::shared_data;
use proptest::prelude::*;

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The patch with directions in another order and sense: the same solid.
fn turned(patch: &Patch, order: usize, flips: usize) -> Patch {
    let mut other = permuted(patch, ORDERS[order]);
    for d in (0..3).filter(|d| flips >> d & 1 == 1) {
        other = other.reversed(d);
    }
    other
}

/// Points with one number coincide, and so do their weights unless a patch holds the number twice.
fn assert_watertight(body: &Multipatch) {
    let mut place: Vec<Option<(usize, [f64; 3], f64)>> = vec![None; body.n_points()];
    for (number, (patch, ids)) in body.patches.iter().zip(body.point_ids()).enumerate() {
        let mut seen = vec![0; body.n_points()];
        ids.iter().for_each(|&id| seen[id as usize] += 1);
        for ((point, weight), &id) in patch.points.iter().zip(&patch.weights).zip(ids) {
            let (other, p, w) = *place[id as usize].get_or_insert((number, *point, *weight));
            assert!((0..3).all(|d: usize| (point[d] - p[d]).abs() < 1e-12), "point {id}: {point:?} {p:?}");
            let once = seen[id as usize] == 1 && other != number;
            assert!(!once || (weight / w - 1.0).abs() < 1e-12, "point {id}: weights {weight} {w}");
        }
    }
    assert!(place.iter().all(Option::is_some));
}

/// The message of the error of gluing.
fn refused(patches: Vec<Patch>) -> String {
    Multipatch::glue(patches).map(|body| body.n_points()).unwrap_err().to_string()
}

/// A box between two corners, degree 1.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> Patch {
    let mut patch = solids::block([0, 1, 2].map(|d| high[d] - low[d])).unwrap().patches.remove(0);
    patch.points.iter_mut().for_each(|point| (0..3).for_each(|d| point[d] += low[d]));
    patch
}

fn cube_at(x: f64, y: f64, z: f64) -> Patch {
    cuboid([x, y, z], [x + 1.0, y + 1.0, z + 1.0])
}

/// A rational patch without any symmetry between x = 0 and a curved side around x = 1, and a second patch
/// that continues there.
fn curved_pair() -> [Patch; 2] {
    let basis = [
        KnotVector::new(1, vec![0.0, 0.0, 1.0, 1.0]).unwrap(),
        KnotVector::new(2, vec![0.0, 0.0, 0.0, 0.3, 1.0, 1.0, 1.0]).unwrap(),
        KnotVector::new(3, vec![-1.0, -1.0, -1.0, -1.0, 0.7, 2.0, 2.0, 2.0, 2.0]).unwrap(),
    ];
    let side = |j: usize, k: usize| {
        let (y, z) = (j as f64, k as f64);
        ([1.0 + 0.2 * (y + 0.7 * z).sin(), y + 0.1 * z, z - 0.05 * y * y], 1.0 + 0.3 * (2.0 * y + z).sin())
    };
    let patch = |far: f64, factor: f64| {
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        for k in 0..5 {
            for j in 0..4 {
                let (near, w) = side(j, k);
                let other = [far, near[1], near[2]];
                let both = [(near, factor * w), (other, factor * (1.2 - 0.1 * j as f64))];
                for (point, weight) in if far < 1.0 { [both[1], both[0]] } else { both } {
                    points.push(point);
                    weights.push(weight);
                }
            }
        }
        Patch::new(basis.clone(), points, weights).unwrap()
    };
    // The weights of the second are 1.7 times those of the first.
    [patch(0.0, 1.0), patch(2.5, 1.7)]
}

#[test]
fn curved_rational_sides_are_glued_in_all_eight_orientations() {
    let [first, second] = curved_pair();
    let volume = [&first, &second].map(|patch| patch.moments(16).volume).iter().sum::<f64>();
    let mut seen = Vec::new();
    for order in 0..6 {
        for flips in 0..8 {
            let body = Multipatch::glue(vec![first.clone(), turned(&second, order, flips)]).unwrap();
            assert_eq!(body.n_points(), 2 * 40 - 20);
            assert_watertight(&body);
            let interfaces = body.interfaces();
            assert_eq!((interfaces.len(), body.outer_sides().len()), (1, 10));
            let Interface { orientation, .. } = interfaces[0];
            if seen.contains(&orientation) {
                continue;
            }
            seen.push(orientation);
            let finer = body.k_refine(1, 2).unwrap();
            assert_watertight(&finer);
            let [a, b, c] = finer.patches[0].counts();
            assert_eq!(finer.n_points(), 2 * a * b * c - b * c);
            assert!((finer.moments(10).volume / volume - 1.0).abs() < 1e-11);
        }
    }
    assert_eq!(seen.len(), 8, "{seen:?}");
}

#[test]
fn a_side_in_other_knots_and_degrees_is_matched_in_all_orientations() {
    let [first, second] = curved_pair();
    let volume = [&first, &second].map(|patch| patch.moments(16).volume).iter().sum::<f64>();
    let first = first.insert(1, &[0.1, 0.3]).unwrap();
    let second = second.elevate(1, 1).unwrap().insert(2, &[0.0, 1.5]).unwrap().elevate(0, 2).unwrap();
    for order in 0..6 {
        for flips in 0..8 {
            let patches = vec![first.clone(), turned(&second, order, flips)];
            let (body, matched) = Multipatch::glue_matching(patches).unwrap();
            assert_watertight(&body);
            assert_eq!(body.interfaces().len(), 1);
            if order == flips {
                assert!((body.moments(10).volume / volume - 1.0).abs() < 1e-11);
            }
            // The first along v: degree 3 with 0.1 once and 0.3 three times (twice, raised by one), the
            // second gains 0.1 and 0.3; along w the first gains the two knots of the second.
            let notes: Vec<String> = matched.iter().map(ToString::to_string).collect();
            assert_eq!(matched.len(), 3, "{notes:?}");
            assert!(notes[0].starts_with("patch 0: the degree along v was raised by 1,"), "{notes:?}");
            assert!(notes[1].starts_with("patch 0: 2 knots were inserted along w,"), "{notes:?}");
            assert!(notes[2].starts_with("patch 1: 3 knots were inserted along "), "{notes:?}");
        }
    }
}

#[test]
fn glued_sides_stay_glued_when_they_are_coarsened_by_more_than_rounding() {
    let [first, second] = curved_pair();
    for (order, flips) in [(0, 0), (1, 3), (3, 5), (4, 6), (5, 1), (2, 7)] {
        let body = Multipatch::glue(vec![first.clone(), turned(&second, order, flips)]).unwrap();
        let body = body.subdivide(2).unwrap();
        for tolerance in [0.03, 0.3, 1.0] {
            let coarse = body.coarsen(Some(tolerance)).unwrap();
            assert!(coarse.deviation <= tolerance && coarse.knots > 0);
            assert_watertight(&coarse.body);
            assert_eq!((coarse.body.interfaces().len(), coarse.body.outer_sides().len()), (1, 10));
            let mut worst: f64 = 0.0;
            for (p, q) in body.patches.iter().zip(&coarse.body.patches) {
                for m in 0..9 * 9 * 9 {
                    let at = [m % 9, m / 9 % 9, m / 81].map(|i| f64::from(i) / 8.0);
                    let u =
                        [0, 1, 2].map(|d| p.domain()[d][0] + at[d] * (p.domain()[d][1] - p.domain()[d][0]));
                    let (x, y) = (p.point(u), q.point(u));
                    worst = worst.max((0..3).map(|d| (x[d] - y[d]).powi(2)).sum::<f64>().sqrt());
                }
            }
            println!("{tolerance}: {} knots, moved {worst:.3}, bound {:.3}", coarse.knots, coarse.deviation);
            assert!(worst <= coarse.deviation, "{worst} is more than the bound {}", coarse.deviation);
        }
    }
}

#[test]
fn matching_patches_are_unchanged() {
    for body in [solids::ball(1.0, None).unwrap(), solids::capsule(1.0, 4.0, None).unwrap()] {
        let (again, matched) = Multipatch::glue_matching(body.patches.clone()).unwrap();
        assert_eq!((matched, &again.patches), (Vec::new(), &body.patches));
    }
}

#[test]
fn knots_of_one_patch_are_inserted_through_the_whole_body() {
    // Four cubes in a row and one at the side; the third has knots across.
    let mut patches = vec![cube_at(0.0, 0.0, 0.0), cube_at(1.0, 0.0, 0.0), cube_at(2.0, 0.0, 0.0)];
    patches.extend([cube_at(3.0, 0.0, 0.0), cube_at(1.0, 1.0, 0.0)]);
    patches[2] = patches[2].insert(1, &[0.25, 0.5]).unwrap().elevate(2, 1).unwrap();
    let (body, matched) = Multipatch::glue_matching(patches).unwrap();
    assert_watertight(&body);
    let counts: Vec<_> = body.patches.iter().map(Patch::counts).collect();
    assert_eq!(counts, [[2, 4, 3], [2, 4, 3], [2, 4, 3], [2, 4, 3], [2, 2, 3]]);
    assert_eq!(body.n_points(), 5 * 4 * 3 + 2 * 3);
    assert_eq!(matched.len(), 3 * 2 + 1);
    assert!((body.moments(4).volume - 5.0).abs() < 1e-14);
}

#[test]
fn a_ball_with_a_refined_patch_is_an_exact_ball() {
    let mut patches = solids::ball(1.0, None).unwrap().patches;
    patches[5] = patches[5].insert(0, &[0.3, 0.31]).unwrap().elevate(2, 1).unwrap();
    patches[3] = patches[3].elevate(1, 1).unwrap();
    let (body, matched) = Multipatch::glue_matching(patches).unwrap();
    assert!(!matched.is_empty());
    assert_watertight(&body);
    assert_eq!((body.interfaces().len(), body.outer_sides().len()), (18, 6));
    let error = body.moments(16).volume / (4.0 / 3.0 * PI) - 1.0;
    assert!(error.abs() < 3e-14, "{error:e}");
}

#[test]
fn edges_without_common_sides_are_matched() {
    // Two cubes that share only an edge, one of them finer along it.
    let other = cube_at(1.0, 1.0, 0.0).insert(2, &[0.4]).unwrap();
    let (body, matched) = Multipatch::glue_matching(vec![cube_at(0.0, 0.0, 0.0), other]).unwrap();
    assert_eq!((body.n_points(), matched.len()), (2 * 12 - 3, 1));
    assert_watertight(&body);
    let finer = body.subdivide(2).unwrap();
    assert_eq!(finer.n_points(), 2 * 3 * 3 * 5 - 5);
    assert_watertight(&finer);
}

#[test]
fn any_number_of_patches_meet_in_an_edge_or_a_corner() {
    // Four cubes around an edge; three around an axis; two that share a corner alone.
    let four = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, y]| cube_at(x, y, 0.0));
    let body = Multipatch::glue(four.to_vec()).unwrap();
    assert_eq!((body.n_points(), body.interfaces().len()), (18, 4));
    let finer = body.k_refine(1, 2).unwrap();
    assert_eq!(finer.n_points(), 7 * 7 * 4);
    assert_watertight(&finer);

    let wedge = |k: usize| {
        let ray = |k: usize, r: f64| {
            let angle = 2.0 * PI * k as f64 / 6.0;
            [r * angle.cos(), r * angle.sin()]
        };
        let corners = [[0.0; 2], ray(2 * k, 1.0), ray(2 * k + 2, 1.0), ray(2 * k + 1, 1.0)];
        let points = (0..8).map(|m| [corners[m % 4][0], corners[m % 4][1], (m / 4) as f64]).collect();
        let line = KnotVector::bernstein(1).unwrap();
        Patch::new([line.clone(), line.clone(), line], points, vec![1.0; 8]).unwrap()
    };
    // Each in another orientation.
    let body = Multipatch::glue((0..3).map(|k| turned(&wedge(k), 2 * k, 3 * k)).collect()).unwrap();
    assert_eq!((body.n_points(), body.interfaces().len()), (14, 3));
    let finer = body.subdivide(3).unwrap();
    assert_eq!(finer.n_points(), (3 * 4 * 4 - 3 * 4 + 1) * 4);
    assert_watertight(&finer);
    assert!((finer.moments(2).volume - 1.5 * 3.0f64.sqrt()).abs() < 1e-14);

    let body = Multipatch::glue(vec![cube_at(0.0, 0.0, 0.0), cube_at(1.0, 1.0, 1.0)]).unwrap();
    assert_eq!((body.n_points(), body.interfaces().len()), (15, 0));
    assert_eq!(body.subdivide(2).unwrap().n_points(), 2 * 27 - 1);
}

#[test]
fn a_body_may_have_several_pieces() {
    let pieces =
        vec![cube_at(0.0, 0.0, 0.0), cube_at(5.0, 0.0, 0.0), cube_at(6.0, 0.0, 0.0).elevate(1, 1).unwrap()];
    let body = Multipatch::glue(pieces).unwrap();
    assert_eq!((body.n_points(), body.interfaces().len()), (8 + 18, 1));
    // The first piece keeps its degree.
    assert_eq!(body.patches[0].degrees(), [1; 3]);
    assert!((body.subdivide(2).unwrap().moments(2).volume - 3.0).abs() < 1e-14);
}

/// A bar bent to a ring of radius 3, its section twisted by k right angles along the ring.
fn twisted_ring(k: usize) -> Patch {
    let n = 24;
    let around = {
        let mut knots = vec![0.0; 3];
        knots.extend((1..n - 1).map(|i| i as f64));
        knots.extend([(n - 1) as f64; 3]);
        KnotVector::new(2, knots).unwrap()
    };
    let across = KnotVector::bernstein(1).unwrap();
    let mut points = Vec::new();
    let n_points = around.n_functions();
    for w in [-0.5, 0.5] {
        for v in [-0.5, 0.5] {
            for i in 0..n_points {
                let t = i as f64 / (n_points - 1) as f64;
                let (angle, twist) = (2.0 * PI * t, 0.5 * PI * k as f64 * t);
                let (radial, up) = (v * twist.cos() - w * twist.sin(), v * twist.sin() + w * twist.cos());
                points.push([(3.0 + radial) * angle.cos(), (3.0 + radial) * angle.sin(), up]);
            }
        }
    }
    let weights = vec![1.0; points.len()];
    Patch::new([around, across.clone(), across], points, weights).unwrap()
}

#[test]
fn a_patch_closes_on_itself_with_any_twist() {
    for k in 0..4 {
        let body = Multipatch::glue(vec![twisted_ring(k)]).unwrap();
        let [n, ..] = body.patches[0].counts();
        assert_eq!((body.n_points(), body.interfaces().len(), body.outer_sides().len()), ((n - 1) * 4, 1, 4));
        // A half turn glues each direction to its own reverse, a quarter turn one direction to the other.
        let finer = body.insert(0, 1, &[0.2]).unwrap();
        let counts = finer.patches[0].counts();
        assert_eq!([counts[1], counts[2]], [[3, 2], [4, 4], [4, 2], [4, 4]][k], "twist {k}");
        assert_watertight(&finer);
        assert_eq!(finer.n_points(), (n - 1) * counts[1] * counts[2]);
        let before = body.moments(6).volume;
        assert!((finer.moments(6).volume / before - 1.0).abs() < 1e-13);
    }
}

#[test]
fn a_ring_read_from_a_file_stays_closed() {
    let Some(folder) = shared_data("nurbs") else { return };
    let body = read::file(&folder.join("gismo/cylinder.xml")).unwrap();
    assert_eq!((body.n_points(), body.interfaces().len(), body.outer_sides().len()), (32, 1, 4));
    let finer = body.k_refine(1, 2).unwrap();
    let [n, m, k] = finer.patches[0].counts();
    assert_eq!(finer.n_points(), (n - 1) * m * k);
    assert!((finer.moments(8).volume / body.moments(16).volume - 1.0).abs() < 1e-12);
}

#[test]
fn eight_octants_with_collapsed_sides_are_one_ball() {
    let octant = solids::octant(1.0, None).unwrap().patches.remove(0);
    let mirrored = |signs: usize| {
        let mut patch = octant.clone();
        for point in &mut patch.points {
            for d in (0..3).filter(|d| signs >> d & 1 == 1) {
                point[d] = -point[d];
            }
        }
        patch
    };
    let body = Multipatch::glue((0..8).map(mirrored).collect()).unwrap();
    // The number of points agrees with the file of eight octants: the centre, 26 points on the sphere.
    assert_eq!((body.n_points(), body.interfaces().len(), body.outer_sides().len()), (27, 12, 8));
    let finer = body.k_refine(1, 2).unwrap();
    assert_watertight(&finer);
    assert!((finer.moments(10).volume / (4.0 / 3.0 * PI) - 1.0).abs() < 1e-13);
    // One octant is refined, and the others follow.
    let mut patches: Vec<Patch> = (0..8).map(mirrored).collect();
    patches[3] = patches[3].insert(0, &[0.4]).unwrap().elevate(2, 1).unwrap();
    let (body, matched) = Multipatch::glue_matching(patches).unwrap();
    assert_watertight(&body);
    assert!(matched.iter().any(|m| m.direction == 2 && m.degrees == 1) && !matched.is_empty());
    assert_eq!(body.outer_sides().len(), 8);
    assert!((body.moments(16).volume / (4.0 / 3.0 * PI) - 1.0).abs() < 1e-14);
}

#[test]
fn sides_that_cannot_be_glued_are_named() {
    let cube = || cube_at(0.0, 0.0, 0.0);
    let message = refused(vec![cube(), cuboid([1.0, 0.0, 0.0], [2.0, 0.5, 1.0])]);
    assert!(message.starts_with("patch1:west lies on a part of patch0:east"), "{message}");
    assert!(message.contains("split patch 0"), "{message}");
    let message = refused(vec![cuboid([1.0, 0.0, 0.0], [2.0, 0.5, 1.0]), cube()]);
    assert!(message.starts_with("patch0:west lies on a part of patch1:east"), "{message}");
    let message = refused(vec![cube(), cuboid([1.0, 0.5, 0.0], [2.0, 1.5, 1.0])]);
    assert!(message.contains("patch0:east and patch1:west lie on each other in part"), "{message}");
    let message = refused(vec![cube(), cube_at(1.0, 0.0, 0.0), cuboid([1.0, 0.0, 0.0], [3.0, 1.0, 1.0])]);
    assert!(message.contains("patch0:east, patch1:west and patch2:west are the same surface"), "{message}");

    // The same square with a faster parametrisation at one end.
    let mut other = cube_at(1.0, 0.0, 0.0).elevate(1, 1).unwrap();
    other.points.iter_mut().filter(|point| point[1] == 0.5).for_each(|point| point[1] = 0.3);
    let message = refused(vec![cube(), other]);
    assert!(
        message.contains("patch0:east and patch1:west") && message.contains("other parameters"),
        "{message}"
    );

    // The same control points with other knots are another surface.
    let wavy = |knot: f64| {
        let mut patch = cube().elevate(1, 1).unwrap().insert(1, &[knot]).unwrap();
        let even = [0.0, 0.2, 0.7, 1.0];
        for (m, point) in patch.points.iter_mut().enumerate() {
            let j = m / 2 % 4;
            (point[1], point[2]) = (even[j], point[2] + 0.1 * (j % 2) as f64);
        }
        patch
    };
    let mut other = wavy(0.6);
    other.points.iter_mut().for_each(|point| point[0] = 2.0 - point[0]);
    let message = refused(vec![wavy(0.4), other]);
    assert!(message.contains("different knots or degrees"), "{message}");
}

#[test]
fn a_union_of_too_many_knots_is_refused() {
    // Two boxes with 2500 knot spans each, in different directions of the common side.
    let many: Vec<f64> = (1..2500).map(|i| f64::from(i) / 2500.0).collect();
    let first = cube_at(0.0, 0.0, 0.0).insert(1, &many).unwrap();
    let second = cube_at(1.0, 0.0, 0.0).insert(2, &many).unwrap();
    let message = refused(vec![first, second]);
    assert!(message.contains("patch0:east and patch1:west"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patches_in_any_knots_degrees_and_directions_make_the_same_body(
        which in 0usize..3,
        seeds in prop::collection::vec((0usize..6, 0usize..8, 0usize..3, 0.05f64..0.95, 0usize..2), 7),
        shift in 0usize..7,
    ) {
        let body = match which {
            0 => solids::ball(1.0, None).unwrap().coarsen(None).unwrap().body,
            1 => solids::rod(1.0, 2.0, None).unwrap(),
            _ => solids::tube(1.0, 0.5, 2.0).unwrap(),
        };
        let exact = body.moments(16).volume;
        let n = body.patches.len();
        let patches = (0..n).map(|i| {
            let (order, flips, direction, at, degrees) = seeds[i];
            let patch = &body.patches[(i + shift) % n];
            let patch = patch.elevate((direction + 1) % 3, degrees).unwrap();
            turned(&patch.insert(direction, &[at]).unwrap(), order, flips)
        });
        let (again, _) = Multipatch::glue_matching(patches.collect()).unwrap();
        assert_watertight(&again);
        prop_assert_eq!(again.interfaces().len(), body.interfaces().len());
        prop_assert_eq!(again.outer_sides().len(), body.outer_sides().len());
        let coarse = again.coarsen(None).unwrap();
        let expected = body.coarsen(None).unwrap().body.n_points();
        prop_assert_eq!(coarse.body.n_points(), expected, "{:e}", coarse.deviation);
        let error = coarse.body.moments(16).volume / exact - 1.0;
        prop_assert!(error.abs() < 1e-12, "{error:e}");
    }
}

#[test]
fn two_patches_in_the_same_place_are_refused() {
    let block = solids::block([1.0, 2.0, 3.0]).unwrap().patches[0].clone();
    for (order, flips) in (0..6).flat_map(|order| (0..8).map(move |flips| (order, flips))) {
        for other in [turned(&block, order, flips), turned(&block, order, flips).insert(0, &[0.3]).unwrap()] {
            let printed = refused(vec![block.clone(), other]);
            assert!(printed.contains("fill the same space"), "{order} {flips}: {printed}");
        }
    }
    // A neighbour folded onto the block.
    let mut folded = block.clone();
    folded.points.iter_mut().for_each(|p| p[0] *= 0.5);
    let printed = refused(vec![block, folded]);
    assert!(printed.contains("fill the same space"), "{printed}");
}

#[test]
fn sides_with_the_same_edges_that_lie_apart_are_found() {
    // Two cubes on each other; the middle of the side between them is moved in one of them alone.
    let low = solids::block([1.0, 1.0, 1.0]).unwrap().with_degree(2).unwrap().patches[0].clone();
    let mut high = low.clone();
    high.points.iter_mut().for_each(|p| p[2] += 1.0);
    for (dent, distance) in [(0.2, 0.05), (-0.2, 0.05), (4e-4, 1e-4)] {
        let mut dented = low.clone();
        let middle = dented.index([1, 1, 2]);
        dented.points[middle][2] -= dent;
        let body = Multipatch::glue(vec![dented, high.clone()]).unwrap();
        let found = body.near_sides();
        let [near] = &found[..] else { panic!("{dent}: {found:?}") };
        assert_eq!((near.first, near.second), ((0, Side::Top), (1, Side::Bottom)));
        // N² N² of degree 2 in the middle is 1/4; the sampled places are near the middle.
        assert!((near.distance / distance - 1.0).abs() < 0.02, "{dent}: {}", near.distance);
    }
    assert!(Multipatch::glue(vec![low, high]).unwrap().near_sides().is_empty());
    // Walls of rings and shells have other rims and are not reported.
    for made in [
        solids::ball(1.0, None).unwrap(),
        solids::tube(1.0, 0.5, 2.0).unwrap(),
        solids::torus(1.0, 0.3).unwrap(),
    ] {
        assert!(made.near_sides().is_empty());
    }
}
