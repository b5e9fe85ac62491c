//! Graded knots: sizes, growth, conforming interfaces and the number of unknowns.

use carom_nurbs::grade::{GradeError, Grading};
use carom_nurbs::{Multipatch, solids};

/// Lengths of the knot spans of a direction along the line through given parameters.
fn lengths(body: &Multipatch, patch: usize, direction: usize, through: [f64; 3]) -> Vec<f64> {
    let patch = &body.patches[patch];
    let breaks = patch.basis[direction].breakpoints();
    let place = |t: f64| {
        let mut u = through;
        u[direction] = t;
        patch.point(u)
    };
    let length = |a: f64, b: f64| -> f64 {
        (0..64)
            .map(|i| {
                let (p, q) =
                    (place(a + (b - a) * f64::from(i) / 64.0), place(a + (b - a) * f64::from(i + 1) / 64.0));
                (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt()
            })
            .sum()
    };
    breaks.windows(2).map(|pair| length(pair[0], pair[1])).collect()
}

fn assert_growth(lengths: &[f64]) {
    for pair in lengths.windows(2) {
        let ratio = (pair[0] / pair[1]).max(pair[1] / pair[0]);
        assert!(ratio < 2.2, "neighbours differ by {ratio}: {lengths:?}");
    }
}

#[test]
fn a_ball_is_graded_towards_its_pole() {
    let ball = solids::ball(0.015, Some(5.6e-4)).unwrap();
    let body = ball.grade(&Grading::new([0.0, 0.0, 0.015], 5.6e-4, 1.1e-4)).unwrap();
    let dofs = 3 * body.n_points();
    let zone = body.faces(&body.region("pole").unwrap());
    println!("ball: {dofs} dofs, {} spans in the zone", zone.len());
    for direction in 0..2 {
        let along = lengths(&body, 5, direction, [0.5, 0.5, 1.0]);
        println!("along the surface: {along:?}");
        assert_growth(&along);
        // The zone lies in the middle of the side; the grading is symmetric about the point.
        let n = along.len();
        assert!((0..n).all(|i| (along[i] / along[n - 1 - i] - 1.0).abs() < 1e-6));
        assert!(along[n / 2 - 5..=n / 2 + 5].iter().all(|&h| h < 1.1e-4 * 1.001 && h > 0.9e-4));
    }
    let depth = lengths(&body, 5, 2, [0.5, 0.5, 1.0]);
    println!("depth: {depth:?}");
    assert_growth(&depth);
    // Degree 4 across the surface: one knot span fills the layer of two sizes.
    assert!(depth[depth.len() - 1] < 2.2e-4 * 1.001);
    for (coarse, fine) in ball.patches.iter().zip(&body.patches) {
        for i in 0..200 {
            let u = [0.317, 0.723, 0.571].map(|step| f64::from(i) * step % 1.0);
            let (p, q) = (coarse.point(u), fine.point(u));
            assert!((0..3).all(|d| (p[d] - q[d]).abs() < 1e-16), "{p:?} {q:?}");
        }
    }
    assert_eq!(body.interfaces().len(), 18);
    assert!((50_000..70_000).contains(&dofs), "{dofs}");
}

#[test]
fn a_rod_is_graded_to_its_end() {
    let rod = solids::rod(0.01, 1.0, Some(5.6e-4)).unwrap().with_degree(2).unwrap();
    for start in [rod.clone(), rod.elements([1, 1, 20]).unwrap()] {
        let body = start.grade(&Grading::new([1.0, 0.0, 0.0], 5.6e-4, 1.1e-4)).unwrap();
        let zone = body.faces(&body.region("end_pole").unwrap());
        let axial = lengths(&body, 0, 2, [0.5, 0.5, 1.0]);
        println!(
            "rod: {} dofs, {} spans in the zone, {} along",
            3 * body.n_points(),
            zone.len(),
            axial.len()
        );
        assert_growth(&axial);
        assert!(axial[axial.len() - 1] < 1.1e-4 * 1.001);
        assert_growth(&lengths(&body, 0, 0, [0.5, 0.5, 1.0]));
        assert!((80..=121).contains(&zone.len()), "{}", zone.len());
        assert!((20_000..60_000).contains(&(3 * body.n_points())), "{}", 3 * body.n_points());
    }
}

#[test]
fn a_zone_across_an_interface_is_graded_on_both_sides() {
    // The rim of the square in the middle of the rod's end.
    let rod = solids::rod(0.01, 0.1, None).unwrap().with_degree(2).unwrap();
    let edge = 0.5 * 0.01 * std::f64::consts::FRAC_1_SQRT_2;
    let body = rod.grade(&Grading::new([0.0, 0.0, edge], 1e-3, 2e-4)).unwrap();
    let inside = lengths(&body, 0, 1, [0.5, 0.5, 0.0]);
    let outside = lengths(&body, 1, 1, [0.5, 0.0, 0.0]);
    assert!(
        inside[inside.len() - 5..].iter().chain(&outside[..5]).all(|&h| h < 2.01e-4),
        "{inside:?} {outside:?}"
    );
    assert_growth(&inside);
    assert_growth(&outside);
}

#[test]
fn grading_again_around_another_point_keeps_the_first_zone() {
    let rod = solids::rod(0.01, 0.2, None).unwrap().with_degree(2).unwrap();
    let once = rod.grade(&Grading::new([0.2, 0.0, 0.0], 5e-4, 1e-4)).unwrap();
    let twice = once.grade(&Grading::new([0.0, 0.0, 0.0], 5e-4, 1e-4)).unwrap();
    // The section is already graded, so that only knots along the rod are added.
    assert_eq!(once.patches[0].counts()[..2], twice.patches[0].counts()[..2]);
    let axial = lengths(&twice, 0, 2, [0.5, 0.5, 0.0]);
    assert!(axial[0] < 1.001e-4 && axial[axial.len() - 1] < 1.001e-4);
    assert_growth(&axial);
}

#[test]
fn impossible_gradings_are_refused() {
    let ball = solids::ball(0.015, None).unwrap();
    let top = [0.0, 0.0, 0.015];
    let refused = |grading: Grading| ball.grade(&grading).map(|body| body.n_points()).unwrap_err();
    assert!(matches!(refused(Grading::new([0.0, 0.0, 0.1], 1e-3, 1e-4)), GradeError::Away { .. }));
    assert!(matches!(refused(Grading::new(top, 1e-3, 0.0)), GradeError::Value { .. }));
    assert!(matches!(refused(Grading::new(top, f64::NAN, 1e-4)), GradeError::Value { .. }));
    assert!(matches!(
        refused(Grading { growth: 3.0, ..Grading::new(top, 1e-3, 1e-4) }),
        GradeError::Value { .. }
    ));
    assert!(matches!(refused(Grading::new(top, 1e-3, 5e-6)), GradeError::TooMany { .. }));
    assert!(matches!(refused(Grading::new(top, 1e-3, 1e-8)), GradeError::TooFine { .. }));
}

#[test]
fn regions_are_graded_around_their_point_or_under_their_sides() {
    let ball = solids::ball(0.015, Some(5.6e-4)).unwrap();
    let by_name = ball.grade_region("pole", 1.1e-4).unwrap();
    assert_eq!(by_name, ball.grade(&Grading::new([0.0, 0.0, 0.015], 5.6e-4, 1.1e-4)).unwrap());
    let rod = solids::rod(0.01, 0.2, None).unwrap().with_degree(2).unwrap();
    let body = rod.grade_region("end", 1e-3).unwrap();
    assert_eq!(body.patches[0].counts()[..2], rod.patches[0].counts()[..2]);
    let axial = lengths(&body, 0, 2, [0.5, 0.5, 1.0]);
    assert_growth(&axial);
    assert!(axial[axial.len() - 2..].iter().all(|&h| h < 1.001e-3), "{axial:?}");
    let message = ball.grade_region("nose", 1e-4).map(|body| body.n_points()).unwrap_err().to_string();
    assert!(message.contains("`nose`") && message.contains("`pole`"), "{message}");
}
