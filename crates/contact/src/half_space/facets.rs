//! The mesh of a surface on which a grid lies: its edges, and flat faces that approximate a curved surface.

use std::collections::BTreeMap;

use carom_fem::FaceBasis;
use carom_mesh::FaceShape;
use nalgebra::Vector3;

use crate::geometry::{Faces, Start};
use crate::pressure::PressureCells;

/// Angles of flat faces between which they approximate a curved surface \[rad\].
const FLAT: f64 = 1e-4;
const SHARP: f64 = 0.52;

/// Edges of squares and equilateral triangles with the areas of faces \[m\].
fn edges(faces: &Faces) -> Vec<f64> {
    let areas = PressureCells::new(faces, &faces.reference).area;
    let edge = |(face, area): (&carom_fem::Face, &f64)| {
        if face.basis.is_triangle() { (4.0 * area / 3f64.sqrt()).sqrt() } else { area.sqrt() }
    };
    faces.surface.faces.iter().zip(&areas).map(edge).collect()
}

/// Mean edge of faces, of squares and equilateral triangles of the same areas \[m\].
pub fn mean_edge(faces: &Faces) -> f64 {
    let edges = edges(faces);
    edges.iter().sum::<f64>() / edges.len() as f64
}

/// Largest edge of faces, of squares and equilateral triangles of the same areas \[m\].
pub fn largest_edge(faces: &Faces) -> f64 {
    edges(faces).into_iter().fold(0.0, f64::max)
}

/// Points and outward normals in the middles of faces.
pub fn middles(faces: &Faces) -> Vec<(Vector3<f64>, Vector3<f64>)> {
    let mut now = faces.state_at_rest();
    (0..faces.n_faces() as u32)
        .map(|face| {
            let xi = faces.domain(face).center();
            let x = faces.position(&mut now, face, xi);
            let foot = faces.project(&mut now, &x, Start { face, xi });
            (x, foot.normal)
        })
        .collect()
}

/// Largest angle between flat faces that meet smoothly \[rad\]; none if they lie in a plane or meet at edges
/// of the body.
pub fn smooth_angle(faces: &Faces) -> Option<f64> {
    let all = &faces.surface.faces;
    let is_flat = |face: &carom_fem::Face| {
        matches!(face.basis, FaceBasis::Lagrange(FaceShape::Tri3 | FaceShape::Quad4))
    };
    // Faces over each pair of points. Pairs across a quadrilateral have one face.
    let mut over: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (k, face) in all.iter().enumerate().filter(|(_, face)| is_flat(face)) {
        for (i, &a) in face.points.iter().enumerate() {
            for &b in &face.points[..i] {
                over.entry([a.min(b), a.max(b)]).or_default().push(k);
            }
        }
    }
    if over.is_empty() {
        return None;
    }
    let normals: Vec<Vector3<f64>> = middles(faces).into_iter().map(|(_, n)| n).collect();
    let mut largest: f64 = 0.0;
    for sharing in over.values() {
        for (i, &j) in sharing.iter().enumerate() {
            for &k in &sharing[..i] {
                let angle = normals[j].cross(&normals[k]).norm().atan2(normals[j].dot(&normals[k]));
                if angle < SHARP {
                    largest = largest.max(angle);
                }
            }
        }
    }
    (largest > FLAT).then_some(largest)
}
