mod consistency;
mod hertz;
mod memory;
mod safeguards;

use carom_fem::Surface;
use carom_mesh::FaceShape;
use faer::Mat;
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

use super::*;
use crate::NormalLaw;
use crate::geometry::{Plane, Sphere};
use crate::test_surfaces::{Random, cap, plate};

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
pub(super) fn rigid(index: usize, shape: ZoneShape) -> (ContactBody, Zone, Vec<f64>) {
    let body = ContactBody { name: "rigid".to_owned(), n_points: 0, compliance: None };
    (body, Zone { name: "rigid".to_owned(), body: index, shape }, Vec::new())
}

pub(super) fn problem(
    parts: Vec<(ContactBody, Zone, Vec<f64>)>,
    law: NormalLaw,
) -> (QuasistaticContact, Vec<Vec<f64>>) {
    let (mut bodies, mut zones, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for (body, zone, x) in parts {
        bodies.push(body);
        zones.push(zone);
        positions.push(x);
    }
    let pairs = [Pair { first: 0, second: 1, law, max_depth: None }];
    (QuasistaticContact::new(bodies, zones, &pairs).unwrap(), positions)
}

pub(super) fn at(positions_b: &[f64], r_ib_i: Vector3<f64>, rot_ib: Matrix3<f64>) -> BodyState<'_> {
    BodyState { rot_ib, r_ib_i, positions_b, twist: None }
}

pub(super) fn turn(axis: [f64; 3], angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(&Unit::new_normalize(Vector3::from(axis)), angle).into_inner()
}

/// Parameters of the inner knots of a cap whose spans in the middle are 0.12 mm wide at a radius of 15 mm.
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
pub(super) fn two_curved_bodies(law: NormalLaw) -> (QuasistaticContact, Vec<Vec<f64>>) {
    let mut random = Random(31);
    let (surface, mut points) = steel_cap();
    points.iter_mut().for_each(|x| *x += random.vector() * 2e-7);
    let upper = faced(0, "cap", (surface, points.clone()), Some(smooth_compliance(&points, &mut random)));
    // A biquadratic sheet of 4 mm that bulges towards it.
    let bulge = |x: f64, y: f64| {
        let (x, y) = (0.004 * (x - 0.47), 0.004 * (y - 0.52));
        [x + 0.03 * y, y - 0.02 * x, -20.0 * x * x - 35.0 * y * y + 3.0 * x * y]
    };
    let (surface, points) = plate(FaceShape::Quad9, 12, 11, bulge);
    let lower = faced(1, "sheet", (surface, points.clone()), Some(smooth_compliance(&points, &mut random)));
    problem(vec![upper, lower], law)
}

/// A symmetric positive definite compliance like that of a half-space of steel, with coupling of the directions.
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

pub(super) fn contact_plane() -> ZoneShape {
    ZoneShape::Plane(Plane { origin: Vector3::zeros(), normal: Vector3::z_axis() })
}

pub(super) fn contact_sphere(radius: f64) -> ZoneShape {
    ZoneShape::Sphere(Sphere { center: Vector3::zeros(), radius })
}
