//! Hertz' pressure and force from the analytic compliance of a half-space.

use super::*;
use crate::closed_form::HertzPair;

const YOUNG: f64 = 210e9;
const POISSON: f64 = 0.3;

/// Displacement in the direction of the load at (x, y) on a half-space under a unit force distributed
/// uniformly over a square of side h around the origin. Love (1929), in Johnson, *Contact Mechanics*, eq.
/// (3.25).
fn love(x: f64, y: f64, h: f64) -> f64 {
    let (a, b) = (0.5 * h, 0.5 * h);
    let part = |x: f64, y0: f64, y1: f64| x * ((y1 + y1.hypot(x)) / (y0 + y0.hypot(x))).ln();
    let sum = part(x + a, y - b, y + b) + part(y + b, x - a, x + a)
        - part(x - a, y - b, y + b)
        - part(y - b, x - a, x + a);
    (1.0 - POISSON * POISSON) / (std::f64::consts::PI * YOUNG) * sum / (h * h)
}

/// Compliance of a half-space in z between the nodes of a square grid with spacing h.
fn half_space(points: &[Vector3<f64>], h: f64) -> Mat<f64> {
    Mat::from_fn(3 * points.len(), 3 * points.len(), |i, j| {
        if i % 3 != 2 || j % 3 != 2 {
            return 0.0;
        }
        let d = points[i / 3] - points[j / 3];
        love(d.x.abs(), d.y.abs(), h)
    })
}

/// A patch of n × n faces of size h around `center`, on the paraboloid z = ±(x² + y²)/(2R); forces on nodes
/// spread evenly over the squares between them.
fn patch(
    index: usize,
    shape: FaceShape,
    n: usize,
    h: f64,
    curvature: f64,
    center: [f64; 2],
) -> (ContactBody, Zone, Vec<f64>) {
    let side = n as f64 * h;
    let place = |x: f64, y: f64| {
        let (x, y) = ((x - 0.5) * side + center[0], (y - 0.5) * side + center[1]);
        [x, y, 0.5 * curvature * (x * x + y * y)]
    };
    let (mut surface, points) = plate(shape, n, n, place);
    // The upper body, the first one, has its material above.
    if index == 0 {
        surface.faces.iter_mut().for_each(|f| f.orientation = -1.0);
    }
    let spacing = if shape == FaceShape::Quad9 { 0.5 * h } else { h };
    faced(index, "patch", (surface, points.clone()), Some(half_space(&points, spacing)))
}

struct Case {
    /// Force over Hertz' force.
    force: f64,
    /// Peak pressure over Hertz'.
    peak: f64,
    /// Root mean square error of the pressure over p₀ within 0.8 a.
    rms: f64,
    passes: usize,
}

fn compare(
    work: &Workspace,
    model: &QuasistaticContact,
    positions: &[f64],
    hertz: &HertzPair,
    d: f64,
) -> Case {
    let exact = hertz.at_approach(d);
    let cells = model.cells(0);
    let corner = |&k: &u32| Vector3::from_column_slice(&positions[3 * k as usize..3 * k as usize + 3]);
    let (mut sum, mut count) = (0.0, 0);
    for s in 0..cells.len() {
        // Both kinds of cells are symmetric to the mean of their points.
        let points = cells.points(s);
        let center = points.iter().map(corner).sum::<Vector3<f64>>() / points.len() as f64;
        let r = center.x.hypot(center.y) / exact.contact_radius;
        // The steep edge of Hertz' pressure is not resolved by constant pressures.
        if r < 0.8 {
            let pressure = exact.peak_pressure * (1.0 - r * r).sqrt();
            sum += ((work.solution.lambda[s] / cells.area[s] - pressure) / exact.peak_pressure).powi(2);
            count += 1;
        }
    }
    Case {
        force: work.solution.pairs[0].force / exact.force,
        peak: work.solution.pairs[0].peak_pressure / exact.peak_pressure,
        rms: (sum / f64::from(count)).sqrt(),
        passes: work.solution.passes,
    }
}

/// A half-space pressed by a rigid sphere from below, with `cells` cells on the contact radius.
fn sphere_on_half_space(shape: FaceShape, cells: usize, law: Law) -> Case {
    let (radius, d) = (0.015, 7.3394e-6);
    let hertz = HertzPair::new([radius, f64::INFINITY], [YOUNG, f64::INFINITY], [POISSON; 2]);
    let h = hertz.at_approach(d).contact_radius / cells as f64;
    // The patch is shifted by a part of a cell to avoid symmetry.
    let first = patch(0, shape, 2 * (cells + cells / 5 + 1) + 1, h, 0.0, [0.1 * h, 0.0]);
    let (model, positions) = problem(vec![first, rigid(1, contact_sphere(radius))], law);
    let mut work = model.workspace();
    let states = [
        at(&positions[0], Vector3::zeros(), Matrix3::identity()),
        at(&positions[1], Vector3::new(0.0, 0.0, d - radius), Matrix3::identity()),
    ];
    model.solve(&states, &mut model.cold(), &mut work).unwrap();
    assert_eq!((work.solution.fallbacks, work.solution.pairs[0].rim), (0, None));
    compare(&work, &model, &positions[0], &hertz, d)
}

#[test]
fn a_rigid_sphere_on_a_half_space_has_hertz_force_and_pressure() {
    for (shape, all_cells) in [(FaceShape::Quad4, [3, 6, 12]), (FaceShape::Quad9, [2, 4, 6])] {
        let mut errors = Vec::new();
        for cells in all_cells {
            let case = sphere_on_half_space(shape, cells, Law::Hard);
            println!("{shape:?} a/h = {cells}: F {:.7} p0 {:.6} rms {:.6}", case.force, case.peak, case.rms);
            errors.push((case.force - 1.0).abs());
            assert!(case.passes <= 12);
            assert!(case.rms < 0.6 / cells as f64 && (case.peak - 1.0).abs() < 0.4 / cells as f64);
        }
        assert!(errors[2] < 0.6 * errors[1] && errors[1] < 0.6 * errors[0], "{errors:?}");
    }
}

#[test]
fn the_penalty_reduces_the_force_by_its_compliance() {
    // First order: the energy at given approach is low by ½ ∫ p²/ε dA, so the force by 3/(2π) (h/a)/α of
    // itself.
    let cells = 4;
    let hard = sphere_on_half_space(FaceShape::Quad9, cells, Law::Hard);
    for alpha in [10.0, 100.0, 1000.0] {
        let modulus = YOUNG / (1.0 - POISSON * POISSON);
        let soft = sphere_on_half_space(FaceShape::Quad9, cells, Law::of_materials(alpha, modulus));
        let loss = (1.0 - soft.force / hard.force) * alpha * cells as f64;
        println!("alpha {alpha}: loss constant {loss:.4}, passes {}", soft.passes);
        assert!((loss * 2.0 * std::f64::consts::PI / 3.0 - 1.0).abs() < 0.05, "alpha {alpha}: {loss}");
    }
}

#[test]
fn two_elastic_spheres_on_unmatched_meshes_have_hertz_force() {
    let (radii, d) = ([0.015, 0.020], 9e-6);
    let hertz = HertzPair::new(radii, [YOUNG; 2], [POISSON; 2]);
    let mut errors = Vec::new();
    for cells in [3, 5] {
        let h = hertz.at_approach(d).contact_radius / cells as f64;
        let n = 2 * (cells + cells / 5 + 1);
        let upper = patch(0, FaceShape::Quad9, n, h, 1.0 / radii[0], [0.0, 0.0]);
        let lower = patch(1, FaceShape::Quad9, n + 1, 1.07 * h, -1.0 / radii[1], [0.3 * h, 0.2 * h]);
        let (model, positions) = problem(vec![upper, lower], Law::Hard);
        let mut work = model.workspace();
        let states = [
            at(&positions[0], Vector3::new(0.0, 0.0, -d), Matrix3::identity()),
            at(&positions[1], Vector3::zeros(), Matrix3::identity()),
        ];
        model.solve(&states, &mut model.cold(), &mut work).unwrap();
        let case = compare(&work, &model, &positions[0], &hertz, d);
        println!("a/h = {cells}: F {:.7} rms {:.6} passes {}", case.force, case.rms, case.passes);
        errors.push((case.force - 1.0).abs());
        assert!(case.rms < 0.06);
    }
    assert!(errors[0] < 0.02 && errors[1] < 0.008, "{errors:?}");
}
