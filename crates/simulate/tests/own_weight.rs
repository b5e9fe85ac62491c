//! Reduced bodies under their own weight, beside Galerkin's method for a beam and Greenhill's column.

use std::f64::consts::PI;

use nalgebra::{SMatrix, SVector};

use crate::fixtures::{Chain, parse};

pub(crate) const LENGTH: f64 = 1.0;
pub(crate) const RADIUS: f64 = 0.005;
pub(crate) const YOUNG: f64 = 210e9;
const DENSITY: f64 = 7800.0;

/// Gravity under which a standing column buckles: q L³/(E I) = 7.8373 (Greenhill 1881).
pub(crate) fn greenhill() -> f64 {
    let line = DENSITY * PI * RADIUS * RADIUS;
    7.837_347 * YOUNG * PI * RADIUS.powi(4) / (4.0 * LENGTH.powi(3) * line)
}

/// A rod in equilibrium, with its modes.
/// Without Poisson's ratio its clamp is that of a beam.
pub(crate) fn rod_scenario(gravity: [f64; 3], reduce: &str, rest: &str) -> String {
    format!(
        "[simulation]\nstart = \"equilibrium\"\nend_time = 0.0\nscheme = \"dynamic\"\ngravity = \
         {gravity:?}\n[material.m]\ndensity = {DENSITY:?}\nyoung = {YOUNG:?}\npoisson = 0.0\n\
         [[body]]\nname = \"rod\"\nmaterial = \"m\"\nmake = {{ shape = \"rod\", radius = \
         {RADIUS:?}, length = {LENGTH:?}, degree = 3, elements = [16, 1, 1] }}\nreduce = {{ {reduce}, \
         modes = 12 }}\n{rest}"
    )
}

/// Lowest frequency \[Hz\] of a rod that is clamped at its start, with gravity along it, away from the clamp
/// if positive.
fn lowest(gravity: f64, reduce: &str, rest: &str) -> f64 {
    let text = rod_scenario([gravity, 0.0, 0.0], reduce, rest);
    let chain = Chain::new();
    chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    chain.reader().modes().unwrap()[0].frequency
}

/// ω² over that without gravity of a clamped beam with the tension q (L − x).
fn of_beam(part: f64) -> f64 {
    // The weight is q L³/(E I).
    clamped_beam(|x| 7.837_347 * part * (1.0 - x))
}

/// ω² over that without tension of a clamped beam with a tension along it, by polynomials. In units of L, E I
/// and the mass of a length.
pub(crate) fn clamped_beam(along: impl Fn(f64) -> f64) -> f64 {
    const N: usize = 6;
    let (mut mass, mut bending, mut tension) =
        (SMatrix::<f64, N, N>::zeros(), SMatrix::<f64, N, N>::zeros(), SMatrix::<f64, N, N>::zeros());
    let n = 2000;
    for i in 0..n {
        let (x, dx) = ((f64::from(i) + 0.5) / f64::from(n), 1.0 / f64::from(n));
        let power = |k: usize, of: i32| x.powi(i32::try_from(k + 2).unwrap() - of);
        let p = |k: usize| (k + 2) as f64;
        let w = SVector::<f64, N>::from_fn(|k, _| power(k, 0));
        let slope = SVector::<f64, N>::from_fn(|k, _| p(k) * power(k, 1));
        let bend = SVector::<f64, N>::from_fn(|k, _| p(k) * (p(k) - 1.0) * power(k, 2));
        mass += dx * w * w.transpose();
        bending += dx * bend * bend.transpose();
        tension += dx * along(x) * slope * slope.transpose();
    }
    let root = mass.cholesky().unwrap().l();
    let least = |stiffness: SMatrix<f64, N, N>| {
        let half = root.solve_lower_triangular(&stiffness).unwrap();
        root.solve_lower_triangular(&half.transpose()).unwrap().symmetric_eigenvalues().min()
    };
    let (free, loaded) = (least(bending), least(bending + tension));
    // 1.8751⁴.
    assert!((free - 12.362_363).abs() < 1e-3, "{free}");
    loaded / free
}

/// A rod that hangs is stiffer, one that stands is softer, whether its model is held or a joint holds it.
#[test]
fn the_own_weight_changes_the_frequency_of_a_clamped_rod_up_to_its_buckling() {
    let held = "attach = { end = \"mean\" }, fix = [\"start\"], stiffening = true";
    let joined = "attach = { start = \"rigid\" }, stiffening = true";
    let joint =
        "[[joint]]\nkind = \"fixed\"\nbetween = [\"ground\", \"rod:start\"]\naxis = [1.0, 0.0, 0.0]\n";
    assert!(of_beam(-1.0).abs() < 1e-3);
    for (reduce, rest) in [(held, ""), (joined, joint)] {
        let frequency = |part: f64| lowest(part * greenhill(), reduce, rest);
        let free = frequency(0.0);
        for part in [-0.9, -0.5, 0.5, 3.0] {
            let (ratio, expected) = ((frequency(part) / free).powi(2), of_beam(part));
            println!("{part}: {ratio} {expected}");
            assert!((ratio - expected).abs() < 5e-4, "{part}: {ratio} {expected}");
        }
        // A negative frequency is that of a growth.
        assert!(frequency(-1.001) < 0.0);
    }
    // Linear theory does not know the weight.
    let linear = held.replace(", stiffening = true", "");
    let ratio = lowest(-0.5 * greenhill(), &linear, "") / lowest(0.0, &linear, "");
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
}

/// The weight of a fixed body acts along inertial axes, whatever its placement.
#[test]
fn a_turned_rod_has_the_frequency_of_a_rod_under_turned_gravity() {
    let held = "attach = { end = \"mean\" }, fix = [\"start\"], stiffening = true";
    let turned = "rotation = { axis = [0.0, 1.0, 0.0], degrees = 180.0 }\n";
    let g = 0.5 * greenhill();
    let (hanging, standing) = (lowest(-g, held, turned), lowest(-g, held, ""));
    let expected = lowest(g, held, "");
    assert!((hanging / expected - 1.0).abs() < 1e-6 && standing < 0.8 * hanging, "{hanging} {standing}");
}
