//! The obstacle course of shells: MacNeal & Harder (1985), Finite Elements in Analysis and Design 1, 3–20;
//! Belytschko et al. (1985), Comput. Methods Appl. Mech. Engrg 51, 221–258. All values are those of linear
//! theory, computed here with the tangent of the undeformed shell.

use std::f64::consts::PI;

use super::model::{Model, Sheet, material};

/// Scordelis-Lo roof: a quarter of n × n cells under its weight of 90 a unit area, on rigid diaphragms.
/// Returns the vertical displacement in the middle of the free edge, published 0.3024.
fn roof(n: usize, corners: usize) -> f64 {
    // s along the axis from the diaphragm to the middle, t over the arc from the crown to the free edge.
    let angle = 40.0 * PI / 180.0;
    let sheet = Sheet::new([n, n], |s, t| [25.0 * (angle * t).sin(), 25.0 * s, 25.0 * (angle * t).cos()]);
    let mut model = sheet.model(corners, 0.25, &material(4.32e8, 0.0));
    for k in 0..=n {
        model.hold(sheet.node(0, k), &[0, 2]);
        model.hold(sheet.node(n, k), &[1, 3, 5]);
        model.hold(sheet.node(k, 0), &[0, 4, 5]);
    }
    let area: Vec<f64> = model.force.masses().mass.iter().map(|mass| mass / 0.25).collect();
    for (point, area) in area.iter().enumerate() {
        model.load[6 * point + 2] = -90.0 * area;
    }
    -model.solve_linear(25.0)[sheet.node(n, n)][2]
}

#[test]
fn the_scordelis_lo_roof_comes_to_its_published_deflection() {
    let found = [8, 16].map(|n| roof(n, 4) / 0.3024);
    assert!((found[1] - 1.0).abs() < 0.015 && (found[0] - 1.0).abs() < 0.04, "{found:?}");
    let triangles = roof(16, 3) / 0.3024;
    assert!((triangles - 1.0).abs() < 0.05, "{triangles}");
}

/// Pinched cylinder with end diaphragms: an octant of n × n cells. Returns the displacement under the load of
/// 1, published 1.8248e-5.
fn cylinder(n: usize) -> f64 {
    let sheet = Sheet::new([n, n], |s, t| {
        let angle = 0.5 * PI * t;
        [300.0 * angle.sin(), 300.0 * s, 300.0 * angle.cos()]
    });
    let mut model = sheet.model(4, 3.0, &material(3.0e6, 0.3));
    for k in 0..=n {
        // s = 0 is the middle, s = 1 the diaphragm; t = 0 under the load, t = 1 at the side.
        model.hold(sheet.node(0, k), &[1, 3, 5]);
        model.hold(sheet.node(n, k), &[0, 2]);
        model.hold(sheet.node(k, 0), &[0, 4, 5]);
        model.hold(sheet.node(k, n), &[2, 3, 4]);
    }
    // A quarter of the load acts on the octant.
    model.load[2] = -0.25;
    -model.solve_linear(300.0)[0][2]
}

#[test]
fn the_pinched_cylinder_comes_to_its_published_deflection() {
    let found = [8, 16, 32].map(|n| cylinder(n) / 1.8248e-5);
    assert!(found[0] > 0.7 && found[1] > 0.9 && (found[2] - 1.0).abs() < 0.03, "{found:?}");
}

/// Twisted beam of length 12, width 1.1, thickness 0.32, turned by 90° over its length. Returns the
/// displacement of the end along a unit load: along its width (published 5.424e-3), along its thickness
/// (1.754e-3).
fn twisted(n: [usize; 2], corners: usize) -> [f64; 2] {
    let sheet = Sheet::new(n, |s, t| {
        let (angle, across) = (0.5 * PI * s, 1.1 * (t - 0.5));
        [12.0 * s, across * angle.cos(), across * angle.sin()]
    });
    let model = || {
        let mut model = sheet.model(corners, 0.32, &material(29.0e6, 0.22));
        for j in 0..=n[1] {
            model.hold(sheet.node(0, j), &[0, 1, 2, 3, 4, 5]);
        }
        model
    };
    // The width of the end is along z.
    [2, 1].map(|direction| {
        let mut model = model();
        let middle = sheet.node(n[0], n[1] / 2);
        model.load[6 * middle + direction] = 1.0;
        model.solve_linear(12.0)[middle][direction]
    })
}

#[test]
fn the_twisted_beam_comes_to_its_published_deflections() {
    for (n, corners, tolerance) in [([12, 2], 4, 0.02), ([24, 4], 4, 0.01), ([48, 8], 3, 0.03)] {
        let [in_plane, out_of_plane] = twisted(n, corners);
        let found = [in_plane / 5.424e-3, out_of_plane / 1.754e-3];
        assert!(found.iter().all(|ratio| (ratio - 1.0).abs() < tolerance), "{n:?} {corners}: {found:?}");
    }
}

/// Hemisphere of radius 10 and thickness 0.04 with a hole of 18°, pulled and pushed at its equator by 2 (1 on
/// the quarter). Returns the displacement under the load, published 0.0940.
fn hemisphere(n: usize) -> f64 {
    let sheet = Sheet::new([n, n], |s, t| {
        let (round, up) = (0.5 * PI * s, 72.0 * PI / 180.0 * t);
        [10.0 * up.cos() * round.cos(), 10.0 * up.cos() * round.sin(), 10.0 * up.sin()]
    });
    let mut model: Model = sheet.model(4, 0.04, &material(6.825e7, 0.3));
    for k in 0..=n {
        model.hold(sheet.node(0, k), &[1, 3, 5]);
        model.hold(sheet.node(n, k), &[0, 4, 5]);
    }
    // The shell may move along z: one point is held.
    model.hold(sheet.node(0, 0), &[2]);
    model.load[6 * sheet.node(0, 0)] = 1.0;
    model.load[6 * sheet.node(n, 0) + 1] = -1.0;
    let found = model.solve_linear(10.0);
    0.5 * (found[sheet.node(0, 0)][0] - found[sheet.node(n, 0)][1])
}

#[test]
fn the_hemisphere_comes_to_its_published_deflection() {
    let found = [8, 16].map(|n| hemisphere(n) / 0.0940);
    assert!((found[0] - 1.0).abs() < 0.08 && (found[1] - 1.0).abs() < 0.02, "{found:?}");
}

impl Model {
    /// A bound of the largest frequency \[rad/s\].
    fn frequency(&self) -> f64 {
        2.0 / self.force.critical_step(&self.u, &self.rotations)
    }
}

/// The bound of the elements is above the largest frequency of the body, found by power iteration of M⁻¹K,
/// and not more than a third above it.
#[test]
fn the_bound_of_the_frequencies_is_above_and_near_the_largest_one() {
    for corners in [3, 4] {
        let sheet = Sheet::new([6, 5], |s, t| [1.2 * s, t, 0.1 * (s - t * t)]);
        let mut model = sheet.model(corners, 0.02, &material(100.0, 0.3));
        let masses = model.force.masses().clone();
        let n = model.rotations.len();
        let mass = |k: usize| if k % 6 < 3 { masses.mass[k / 6] } else { masses.inertia[k / 6] };
        let mut x: Vec<f64> = (0..6 * n).map(|k| ((37 * k) % 17) as f64 - 8.0).collect();
        let mut square = 0.0;
        for _ in 0..300 {
            let norm = (0..6 * n).map(|k| mass(k) * x[k] * x[k]).sum::<f64>().sqrt();
            x.iter_mut().for_each(|x| *x /= norm);
            let step = 1e-7;
            for point in 0..n {
                let by: Vec<f64> = x[6 * point..6 * point + 6].iter().map(|x| step * x).collect();
                model.turn(point, &by);
            }
            let force = model.internal();
            model.u.fill(0.0);
            model.rotations.fill(nalgebra::Matrix3::identity());
            square = (0..6 * n).map(|k| x[k] * force[k] / step).sum();
            x = (0..6 * n).map(|k| force[k] / mass(k)).collect();
        }
        let (largest, bound) = (square.sqrt(), model.frequency());
        assert!(bound > largest && bound < 1.33 * largest, "{corners}: {largest} {bound}");
    }
}
