//! Nodes of a surface in contact of unreduced bodies, and the areas of their parts of it.

use carom_contact::geometry::{Faces, Start};
use carom_contact::node_to_face::Nodes;
use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

/// The nodes of a surface and the area of each one's part \[m²\]: the points of mesh faces, places on NURBS
/// faces, whose points are not on them.
pub(crate) fn nodes(faces: &Faces) -> (Nodes, Vec<f64>) {
    let is_mesh = |face: &carom_fem::Face| matches!(face.basis, carom_fem::FaceBasis::Lagrange(_));
    if faces.surface.faces.iter().all(is_mesh) {
        let all: Vec<u32> = (0..faces.n_points() as u32).collect();
        (Nodes::of_points(&all), areas_of_points(faces))
    } else {
        nodes_on_faces(faces)
    }
}

/// The smallest size of a face, its diagonal at rest \[m\].
pub(crate) fn smallest_face(faces: &Faces) -> f64 {
    diagonals(faces).fold(f64::INFINITY, f64::min)
}

/// The diagonal of the box around each face at rest \[m\].
pub(crate) fn diagonals(faces: &Faces) -> impl Iterator<Item = f64> + '_ {
    let size = |face: &carom_fem::Face| {
        let places = || face.points.iter().map(|&k| faces.reference[k as usize]);
        let lo = places().fold(Vector3::repeat(f64::INFINITY), |a, b| a.inf(&b));
        let hi = places().fold(Vector3::repeat(f64::NEG_INFINITY), |a, b| a.sup(&b));
        (hi - lo).norm()
    };
    faces.surface.faces.iter().map(size)
}

/// Area of the faces around each point at rest \[m²\].
pub(crate) fn areas_around(faces: &Faces) -> Vec<f64> {
    let mut around = vec![0.0; faces.n_points()];
    for face in 0..faces.n_faces() as u32 {
        let area: f64 =
            rule(faces, face).into_iter().map(|(xi, weight)| weight * at(faces, face, xi).1).sum();
        let points = &faces.surface.faces[face as usize].points;
        points.iter().for_each(|&point| around[point as usize] += area);
    }
    around
}

/// ∫ N dA of the points of mesh faces \[m²\].
fn areas_of_points(faces: &Faces) -> Vec<f64> {
    let mut areas = vec![0.0; faces.n_points()];
    for face in 0..faces.n_faces() as u32 {
        let points = &faces.surface.faces[face as usize].points;
        for (xi, weight) in rule(faces, face) {
            let (values, area) = at(faces, face, xi);
            points.iter().zip(values).for_each(|(&point, r)| areas[point as usize] += weight * area * r);
        }
    }
    areas
}

/// Nodes of NURBS faces: (p+1) × (q+1) places at the centres of equal parts of each face, with their areas.
fn nodes_on_faces(faces: &Faces) -> (Nodes, Vec<f64>) {
    let (mut places, mut areas) = (Vec::new(), Vec::new());
    for face in 0..faces.n_faces() as u32 {
        let [n, m] = match faces.surface.faces[face as usize].basis {
            carom_fem::FaceBasis::Spline { degrees, .. } | carom_fem::FaceBasis::Combined { degrees, .. } => {
                degrees.map(|p| p + 1)
            }
            carom_fem::FaceBasis::Lagrange(_) => [2, 2],
        };
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            let xi = [(i as f64 + 0.5) / n as f64, (j as f64 + 0.5) / m as f64];
            places.push(Start { face, xi });
            areas.push(at(faces, face, xi).1 / (n * m) as f64);
        }
    }
    (Nodes::on_faces(faces, &places), areas)
}

/// Gauss points of a face: parameters and weights.
fn rule(faces: &Faces, face: u32) -> Vec<([f64; 2], f64)> {
    if faces.surface.faces[face as usize].basis.is_triangle() {
        let (a, b) = (1.0 / 6.0, 2.0 / 3.0);
        return [[a, a], [b, a], [a, b]].map(|xi| (xi, 1.0 / 6.0)).to_vec();
    }
    let half = 0.5 / 3.0_f64.sqrt();
    let ends = [0.5 - half, 0.5 + half];
    ends.iter().flat_map(|&x| ends.iter().map(move |&y| ([x, y], 0.25))).collect()
}

/// Shape values and |y,₁ × y,₂| of a face at rest.
fn at(faces: &Faces, face: u32, xi: [f64; 2]) -> ([f64; MAX_FACE_POINTS], f64) {
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    faces.surface.shape_into(face as usize, xi, &mut r, &mut r_a, &mut r_ab);
    let points = &faces.surface.faces[face as usize].points;
    let tangent = |a: usize| -> Vector3<f64> {
        points.iter().zip(&r_a).map(|(&point, slope)| slope[a] * faces.reference[point as usize]).sum()
    };
    (r, tangent(0).cross(&tangent(1)).norm())
}
