//! Coarsening removes the knots and degrees added by refinement, together in glued directions.

use std::f64::consts::PI;

use carom_nurbs::{Grading, KnotVector, Multipatch, Patch, Side, solids};
use proptest::prelude::*;

/// Largest distance between points of two bodies at the same parameters.
fn farthest(a: &Multipatch, b: &Multipatch) -> f64 {
    let mut worst: f64 = 0.0;
    for (p, q) in a.patches.iter().zip(&b.patches) {
        for m in 0..7 * 7 * 7 {
            let at = [m % 7, m / 7 % 7, m / 49].map(|i| f64::from(i) / 6.0);
            let u = [0, 1, 2].map(|d| {
                let [a, b] = p.domain()[d];
                a + at[d] * (b - a)
            });
            let (x, y) = (p.point(u), q.point(u));
            worst = (0..3).map(|d| (x[d] - y[d]).abs()).fold(worst, f64::max);
        }
    }
    worst
}

/// Checks that knots are equal and control points equal within a tolerance.
fn assert_same(found: &Multipatch, expected: &Multipatch, tolerance: f64) {
    assert_eq!((found.n_points(), found.point_ids()), (expected.n_points(), expected.point_ids()));
    for (p, q) in found.patches.iter().zip(&expected.patches) {
        for d in 0..3 {
            assert_eq!(p.basis[d].knots(), q.basis[d].knots());
        }
        for (x, y) in p.points.iter().flatten().zip(q.points.iter().flatten()) {
            assert!((x - y).abs() < tolerance, "{x} {y}");
        }
        for (x, y) in p.weights.iter().zip(&q.weights) {
            assert!((x - y).abs() < tolerance, "{x} {y}");
        }
    }
}

#[test]
fn coarsening_undoes_k_refinement_of_every_solid() {
    for body in [
        solids::ball(1.0, None).unwrap(),
        solids::octant(1.0, None).unwrap(),
        solids::shell(1.0, 0.5, None).unwrap(),
        solids::rod(1.0, 3.0, None).unwrap(),
        solids::capsule(1.0, 5.0, None).unwrap(),
        solids::tube(1.0, 0.5, 2.0).unwrap(),
        solids::torus(1.0, 0.3).unwrap(),
        solids::block([1.0, 2.0, 3.0]).unwrap(),
    ] {
        // The core of a ball has a higher degree than necessary, because it is glued to the sphere, which
        // needs this degree.
        let coarsest = body.coarsen(None).unwrap();
        assert!(farthest(&body, &coarsest.body) <= coarsest.deviation + 1e-15);
        let fine = body.k_refine(2, 3).unwrap();
        let again = fine.coarsen(None).unwrap();
        assert_same(&again.body, &coarsest.body, 1e-12);
        assert!(again.deviation < 1e-12 && again.knots > 0 && again.degrees > 0, "{}", again.deviation);
        assert_eq!(again.body.regions, body.regions);
    }
}

#[test]
fn the_ball_is_as_coarse_as_its_surface_allows() {
    // The radius has degree 1 outside of the cube; the tiles of the sphere keep degree 4 around.
    let ball = solids::ball(1.0, None).unwrap();
    let coarsest = ball.coarsen(None).unwrap();
    assert_eq!(coarsest.body.patches[0].degrees(), [4; 3]);
    assert!(coarsest.body.patches[1..].iter().all(|patch| patch.degrees() == [4, 4, 1]));
    assert_eq!((coarsest.knots, coarsest.degrees), (0, 3));
    assert!((coarsest.body.moments(16).volume / (4.0 / 3.0 * PI) - 1.0).abs() < 1e-14);
    let kept = ball.remove_knots(None).unwrap();
    assert_eq!((kept.body, kept.knots, kept.deviation), (ball, 0, 0.0));
}

#[test]
fn coarsening_removes_graded_knots() {
    let ball = solids::ball(0.015, None).unwrap();
    let graded = ball.grade(&Grading::new([0.0, 0.0, 0.015], 1.0e-3, 2.0e-4)).unwrap();
    assert!(graded.n_points() > 2 * ball.n_points());
    let again = graded.remove_knots(None).unwrap();
    assert_same(&again.body, &ball, 1e-12);
    assert!(again.deviation < 1e-13, "{:e}", again.deviation);
}

#[test]
fn knots_that_the_map_needs_are_kept() {
    // A patch with a kink at 0.5 and a knot at 0.25 that it does not need.
    let mut body = solids::block([1.0, 1.0, 1.0]).unwrap().insert(0, 0, &[0.5]).unwrap();
    for point in body.patches[0].points.iter_mut().filter(|point| point[0] == 0.5) {
        point[1] += 0.1;
    }
    let body = Multipatch::glue(body.patches).unwrap();
    let fine = body.insert(0, 0, &[0.25]).unwrap();
    let coarse = fine.coarsen(None).unwrap();
    assert_same(&coarse.body, &body, 1e-15);
    // With a tolerance of the size of the kink this knot is removed, and the bound limits the motion of
    // points.
    let straight = fine.coarsen(Some(0.2)).unwrap();
    assert_eq!(straight.body.patches[0].basis[0].knots(), [0.0, 0.0, 1.0, 1.0]);
    let moved = farthest(&fine, &straight.body);
    assert!(moved > 0.09 && moved <= straight.deviation + 1e-14 && straight.deviation <= 0.2, "{moved}");
    let message = fine.coarsen(Some(-1.0)).unwrap_err().to_string();
    assert!(message.contains("-1"), "{message}");
    assert!(fine.coarsen(Some(f64::NAN)).is_err());
}

#[test]
fn a_knot_that_one_of_two_glued_patches_needs_stays_in_both() {
    let left = solids::block([1.0, 1.0, 1.0]).unwrap().insert(0, 1, &[0.3, 0.6]).unwrap().patches.remove(0);
    let mut right = left.clone();
    right.points.iter_mut().for_each(|point| point[0] = 2.0 - point[0]);
    // A roof on the far side of the right one, its ridge at 0.6.
    for point in right.points.iter_mut().filter(|point| point[0] == 2.0) {
        point[0] += [0.0, 0.1, 0.2][(point[1] / 0.3).round() as usize % 3];
    }
    let body = Multipatch::glue(vec![left, right]).unwrap();
    let coarse = body.coarsen(None).unwrap();
    for patch in &coarse.body.patches {
        assert_eq!(patch.basis[1].inner_knots(), [(0.6, 1)]);
    }
    assert_eq!(coarse.knots, 1);
    assert_eq!(coarse.body.interfaces().len(), 1);
    assert!((coarse.body.moments(4).volume - body.moments(4).volume).abs() < 1e-15);
}

#[test]
fn k_refinement_is_smooth_with_few_points() {
    let block = solids::block([1.0, 1.0, 1.0]).unwrap();
    let (k, n) = (2, 4);
    let fine = block.k_refine(k, n).unwrap();
    assert_eq!(fine.patches[0].counts(), [1 + k + n; 3]);
    assert!(fine.patches[0].basis.iter().all(|line| line.inner_knots().iter().all(|&(_, m)| m == 1)));
    let other = block.subdivide(n).unwrap().elevate(k).unwrap();
    assert_eq!(other.patches[0].counts(), [1 + k + 1 + (n - 1) * (k + 1); 3]);
    // The knots that elevation kept at the old continuity go, and the degree with them.
    assert_same(&other.coarsen(None).unwrap().body, &block, 1e-14);
}

/// The side of a ring of one patch that closes on itself, with given knots along it.
fn ring(turned: bool) -> Multipatch {
    // A quadratic spline around the axis, closed at its double knot 0 = 4.
    let around =
        KnotVector::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0]).unwrap();
    let flat = KnotVector::new(1, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
    let s = 0.5f64.sqrt();
    let circle = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)];
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for z in [0.0, 1.0] {
        for r in [2.0, 1.0] {
            for (i, (x, y)) in circle.into_iter().enumerate() {
                points.push([r * f64::from(x), r * f64::from(y), z]);
                weights.push(if i % 2 == 1 { s } else { 1.0 });
            }
        }
    }
    let patch = Patch::new([around, flat.clone(), flat], points, weights).unwrap();
    Multipatch::glue(vec![if turned { patch.reversed(0) } else { patch }]).unwrap()
}

#[test]
fn a_ring_of_one_patch_is_refined_and_coarsened_as_a_ring() {
    for turned in [false, true] {
        let body = ring(turned);
        assert_eq!((body.n_points(), body.interfaces().len()), (32, 1));
        let interface = body.interfaces()[0];
        assert_eq!([interface.first, interface.second], [(0, Side::West), (0, Side::East)]);
        let fine = body.k_refine(1, 3).unwrap();
        let [n, m, k] = fine.patches[0].counts();
        assert_eq!(fine.n_points(), (n - 1) * m * k);
        // The error is rounding of the sum over 36 knot spans with 8³ points.
        let error = fine.moments(8).volume / (3.0 * PI) - 1.0;
        assert!(error.abs() < 3e-14, "{error:e}");
        assert_same(&fine.coarsen(None).unwrap().body, &body, 1e-13);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn coarsening_undoes_the_insertion_of_random_knots(
        at in prop::array::uniform3(prop::collection::vec(0.02f64..0.98, 0..4)),
        times in 1usize..3,
        k in 0usize..2,
        which in 0usize..7,
    ) {
        let body = solids::ball(1.0, None).unwrap().coarsen(None).unwrap().body;
        let mut fine = body.elevate(k).unwrap();
        for (direction, knots) in at.iter().enumerate() {
            let knots: Vec<f64> = knots.iter().flat_map(|&u| std::iter::repeat_n(u, times)).collect();
            // A class that is glued to its own reverse refuses a knot that it already has; such cases are not
            // tested here.
            if let Ok(next) = fine.insert(which, direction, &knots) {
                fine = next;
            }
        }
        let again = fine.coarsen(None).unwrap();
        prop_assert!(again.deviation < 1e-11, "{:e}", again.deviation);
        assert_same(&again.body, &body, 1e-10);
    }
}
