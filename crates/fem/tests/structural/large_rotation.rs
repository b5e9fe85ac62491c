//! Shells in large rotation: a cantilever under an end load.

use super::model::{Model, Sheet, material};

/// A cantilever of width 1 and thickness 0.1 along x, E = 1.2e6, ν = 0.
fn cantilever(n: usize, length: f64, corners: usize) -> (Sheet, Model) {
    let sheet = Sheet::new([n, 1], |s, t| [length * s, t, 0.0]);
    let mut model = sheet.model(corners, 0.1, &material(1.2e6, 0.0));
    for j in 0..2 {
        model.hold(sheet.node(0, j), &[0, 1, 2, 3, 4, 5]);
    }
    (sheet, model)
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
