mod apart;
mod consistency;
mod friction;
mod hertz;
mod memory;
mod rolling;
mod safeguards;

use carom_fem::Surface;
use carom_mesh::FaceShape;
use faer::Mat;
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

use super::*;
use crate::geometry::{Plane, Sphere};
use crate::test_surfaces::{Random, cap, plate};
use crate::{Block, Law, Shape};

/// A body with one zone of faces over all its points.
pub(super) fn faced(
    index: usize,
    name: &str,
    (surface, positions): (Surface, Vec<Vector3<f64>>),
    compliance: Option<Mat<f64>>,
) -> (ContactBody, Zone, Vec<f64>) {
    let positions_b: Vec<[f64; 3]> = positions.iter().map(|&x| x.into()).collect();
    let numbers: Vec<u32> = (0..positions.len() as u32).collect();
    let inside = vec![true; positions.len()];
    let zone = Zone::of_faces(index, name, surface, &numbers, &positions_b, &inside).unwrap();
    let body = ContactBody { name: name.to_owned(), n_points: positions.len(), compliance };
    (body, zone, positions_b.concat())
}

/// A rigid body without points that carries a plane or a sphere.
pub(super) fn rigid(index: usize, shape: Shape) -> (ContactBody, Zone, Vec<f64>) {
    let body = ContactBody { name: "rigid".to_owned(), n_points: 0, compliance: None };
    (body, Zone::of_shape(index, "rigid", shape), Vec::new())
}

pub(super) fn problem(
    parts: Vec<(ContactBody, Zone, Vec<f64>)>,
    law: Law,
) -> (QuasistaticContact, Vec<Vec<f64>>) {
    problem_with((parts, law), 0.0)
}

pub(super) fn problem_with(
    (parts, law): (Vec<(ContactBody, Zone, Vec<f64>)>, Law),
    friction: f64,
) -> (QuasistaticContact, Vec<Vec<f64>>) {
    let (mut bodies, mut zones, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for (body, zone, x) in parts {
        bodies.push(body);
        zones.push(zone);
        positions.push(x);
    }
    let pairs = [Pair { first: 0, second: 1, law, friction, max_depth: None }];
    (QuasistaticContact::new(bodies, zones, &pairs).unwrap(), positions)
}

pub(super) fn at(positions_b: &[f64], r_ib_i: Vector3<f64>, rot_ib: Matrix3<f64>) -> BodyState<'_> {
    BodyState { rot_ib, r_ib_i, positions_b, twist: None }
}

pub(super) fn turn(axis: [f64; 3], angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(&Unit::new_normalize(Vector3::from(axis)), angle).into_inner()
}

/// Parameters of the inner knots of a cap whose cells in the middle are 0.12 mm wide at a radius of 15 mm.
pub(super) fn fine_knots() -> Vec<f64> {
    let fine = (-6..=6).map(|k| 0.5 + 0.006 * f64::from(k));
    [0.2, 0.35, 0.43].into_iter().chain(fine).chain([0.57, 0.65, 0.8]).collect()
}

/// A NURBS cap of radius 15 mm with its pole in the origin, its material above.
pub(super) fn steel_cap() -> (Surface, Vec<Vector3<f64>>) {
    let (surface, mut points) = cap(0.015, &fine_knots());
    points.iter_mut().for_each(|x| x.z += 0.015);
    (surface, points)
}

/// Two curved, elastic bodies that touch near their middles; full compliance in three directions.
pub(super) fn two_curved_bodies(law: Law) -> (QuasistaticContact, Vec<Vec<f64>>) {
    two_curved_bodies_with(law, 0.0)
}

pub(super) fn two_curved_bodies_with(law: Law, friction: f64) -> (QuasistaticContact, Vec<Vec<f64>>) {
    let mut random = Random(31);
    let (surface, mut points) = steel_cap();
    points.iter_mut().for_each(|x| *x += random.vector() * 2e-7);
    let upper = faced(0, "cap", (surface, points.clone()), Some(smooth_compliance(&points, &mut random)));
    // A biquadratic sheet of 4 mm that is convex towards the cap.
    let bulge = |x: f64, y: f64| {
        let (x, y) = (0.004 * (x - 0.47), 0.004 * (y - 0.52));
        [x + 0.03 * y, y - 0.02 * x, -20.0 * x * x - 35.0 * y * y + 3.0 * x * y]
    };
    let (surface, points) = plate(FaceShape::Quad9, 12, 11, bulge);
    let lower = faced(1, "sheet", (surface, points.clone()), Some(smooth_compliance(&points, &mut random)));
    problem_with((vec![upper, lower], law), friction)
}

/// A symmetric positive definite compliance like that of a half-space of steel, with coupling of the
/// directions.
///
/// Completely monotone functions of the distance are positive definite kernels (Schoenberg).
fn smooth_compliance(points: &[Vector3<f64>], random: &mut Random) -> Mat<f64> {
    let n = 3 * points.len();
    let rank = 6;
    let mix: Vec<f64> = (0..n * rank).map(|_| random.symmetric()).collect();
    Mat::from_fn(n, n, |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        let distance = (points[i / 3] - points[j / 3]).norm();
        let direct = if i % 3 == j % 3 { 1.4e-12 / (distance + 1e-4) } else { 0.0 };
        let coupled: f64 = (0..rank).map(|k| mix[i * rank + k] * mix[j * rank + k]).sum();
        // The diagonal term keeps neighbouring control points independent.
        direct + 1e-10 * coupled + if i == j { 3e-9 } else { 0.0 }
    })
}

pub(super) fn contact_plane() -> Shape {
    Shape::Planes(vec![Plane { origin: Vector3::zeros(), normal: Vector3::z_axis() }])
}

pub(super) fn contact_sphere(radius: f64) -> Shape {
    Shape::Sphere(Sphere { center: Vector3::zeros(), radius })
}

/// Uniform biquadratic B-spline patch of n × n cells of size h on z = c (x² + y²)/2, as contact zones of
/// NURBS bodies are.
pub(super) fn spline_patch(
    n: usize,
    h: f64,
    curvature: f64,
    orientation: f64,
) -> (Surface, Vec<Vector3<f64>>) {
    use carom_fem::{Face, FaceBasis};
    let operators =
        crate::test_surfaces::refine(2, &(1..n).map(|k| k as f64 / n as f64).collect::<Vec<_>>()).1;
    let m = n + 2;
    // Greville points; control heights shifted so that the parabola is exact.
    let greville = |i: usize| match i {
        0 => 0.0,
        i if i == n + 1 => n as f64,
        i => i as f64 - 0.5,
    };
    let product = |i: usize| {
        let (a, b) = (i.saturating_sub(1) as f64, i.min(n) as f64);
        (a - 0.5 * n as f64) * (b - 0.5 * n as f64) * h * h
    };
    let mut points = Vec::new();
    for (j, i) in (0..m).flat_map(|j| (0..m).map(move |i| (j, i))) {
        let [x, y] = [i, j].map(|k| (greville(k) - 0.5 * n as f64) * h);
        points.push(Vector3::new(x, y, 0.5 * curvature * (product(i) + product(j))));
    }
    let faces = (0..n).flat_map(|f| (0..n).map(move |e| (e, f))).map(|(e, f)| Face {
        basis: FaceBasis::Spline { degrees: [2, 2], operators: [e as u32, f as u32] },
        points: (0..3).flat_map(|j| (0..3).map(move |i| ((f + j) * m + e + i) as u32)).collect(),
        orientation,
    });
    let faces = faces.collect();
    let numbers = (0..points.len() as u32).collect();
    (Surface { points: numbers, weights: vec![1.0; points.len()], faces, operators }, points)
}

/// Successive steps of an impact, as in a time loop: a solve begins with the pressures of the previous
/// one.
#[test]
fn warm_solves_need_fewer_passes_than_cold_ones_and_agree_with_them() {
    let h = 85e-6;
    let mut random = Random(3);
    let body = |k: usize, c: f64, o: f64, random: &mut Random| {
        let (surface, points) = spline_patch(12, if k == 0 { h } else { 1.1 * h }, c, o);
        let compliance = smooth_compliance(&points, random);
        faced(k, "patch", (surface, points), Some(compliance))
    };
    let (first, second) = (body(0, 1.0 / 0.015, -1.0, &mut random), body(1, 0.0, 1.0, &mut random));
    let (model, positions) = problem(vec![first, second], Law::of_materials(100.0, 1e11));
    let (mut warm, mut work) = (model.cold(), model.workspace());
    let (mut warm_passes, mut cold_passes, mut condensed, mut active) = (0, 0, 0, 0);
    let n = 400;
    for k in 0..=n {
        let t = k as f64 / n as f64;
        let depth = 1.1e-5 * (std::f64::consts::PI * t).sin() - 1e-7;
        let states = [
            at(&positions[0], Vector3::new(1e-6 * t, 0.0, -depth), turn([0.0, 1.0, 0.0], 1e-4 * t)),
            at(&positions[1], Vector3::zeros(), Matrix3::identity()),
        ];
        model.solve(&states, &mut warm, &mut work).unwrap();
        if k == 0 {
            continue;
        }
        warm_passes += work.solution.passes;
        condensed += work.solution.condensations;
        active = active.max(work.solution.pairs[0].n_active);
        if k % 10 == 0 {
            let mut beside = model.workspace();
            model.solve(&states, &mut model.cold(), &mut beside).unwrap();
            cold_passes += 10 * beside.solution.passes;
            let [found, cold] = [&work, &beside].map(|work| work.solution.pairs[0].force);
            println!("step {k}: {} passes cold; {found:.9e} and {cold:.9e} N", beside.solution.passes);
            assert!((found - cold).abs() <= 1e-8 * cold, "step {k}: {found} and {cold} N");
        }
    }
    let [warm, cold] = [warm_passes, cold_passes].map(|passes| passes as f64 / n as f64);
    println!(
        "{warm:.2} passes a solve, {cold:.2} from nothing; {condensed} condensations of {n}, at most \
         {active} active cells"
    );
    assert!(active > 40 && warm < 0.9 * cold, "{active} active cells, {warm} and {cold} passes");
    assert!(condensed < n / 10, "{condensed} condensations of {n}");
}
