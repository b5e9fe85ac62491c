//! Shells in large rotation: a cantilever under an end moment and an end load.

use std::f64::consts::PI;

use super::model::{Model, Sheet, material};

const LENGTH: f64 = 12.0;

/// A cantilever of width 1 and thickness 0.1 along x, E = 1.2e6, ν = 0.
fn cantilever(n: usize, length: f64, corners: usize) -> (Sheet, Model) {
    let sheet = Sheet::new([n, 1], |s, t| [length * s, t, 0.0]);
    let mut model = sheet.model(corners, 0.1, &material(1.2e6, 0.0));
    for j in 0..2 {
        model.hold(sheet.node(0, j), &[0, 1, 2, 3, 4, 5]);
    }
    (sheet, model)
}

/// The end moment 2πEI/L rolls the strip up: the end returns to the clamp, with errors of second order.
///
/// Sze, Liu & Lo (2004), Finite Elements in Analysis and Design 40, 1551–1569, section 3.2.
#[test]
fn an_end_moment_rolls_a_strip_into_a_circle() {
    let errors = [16, 32].map(|n| {
        let (sheet, mut model) = cantilever(n, LENGTH, 4);
        // The strip stays in its plane.
        (0..2 * (n + 1)).for_each(|point| model.hold(point, &[1, 3, 5]));
        let moment = 2.0 * PI * 100.0 / LENGTH;
        for step in 1..=40 {
            for j in 0..2 {
                // Each edge node carries half of the moment, about −y: the end rises.
                model.load[6 * sheet.node(n, j) + 4] = -0.5 * moment * f64::from(step) / 40.0;
            }
            model.solve(LENGTH);
        }
        let tip = model.displacement(sheet.node(n, 0));
        ((tip.x + LENGTH).powi(2) + tip.z.powi(2)).sqrt() / LENGTH
    });
    assert!(errors[1] < 0.01 && errors[1] < 0.3 * errors[0], "{errors:?}");
}

/// The end load 4, P L²/(E I) = 4: Sze, Liu & Lo (2004), table 1, 3.286 back and 6.698 up with 16 cells; the
/// elastica has 3.2894 and 6.6996.
#[test]
fn a_strip_under_an_end_load_has_the_published_displacements() {
    for (corners, tolerance) in [(4, 0.003), (3, 0.01)] {
        let (sheet, mut model) = cantilever(16, 10.0, corners);
        for step in 1..=20 {
            for j in 0..2 {
                model.load[6 * sheet.node(16, j) + 2] = 0.1 * f64::from(step);
            }
            model.solve(10.0);
        }
        let tip = model.displacement(sheet.node(16, 0));
        assert!((-tip.x / 3.286 - 1.0).abs() < tolerance, "{corners}: {tip}");
        assert!((tip.z / 6.698 - 1.0).abs() < tolerance, "{corners}: {tip}");
    }
}
