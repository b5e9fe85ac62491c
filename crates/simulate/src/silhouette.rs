//! The boundary of a body, and points on it.

use carom_fem::{Body, Surface};
use nalgebra::Vector3;

use crate::discretised::Bodies;

/// The boundary of a body, undeformed.
#[derive(Debug, Clone)]
pub struct Silhouette {
    /// Its faces over the points of the body.
    pub surface: Surface,
    /// Places of the points of the faces in source coordinates \[m\].
    pub points: Vec<Vector3<f64>>,
}

impl Silhouette {
    /// None if the body cannot be evaluated; another check reports why.
    pub(crate) fn of<'a>(body: &'a Body, bodies: &Bodies<'a>) -> Option<Self> {
        let known = bodies.of(body).ok()?;
        let (surface, points) = known.whole().clone();
        Some(Self { surface, points })
    }
}

/// Corners and middle of every face \[m\].
///
/// * `positions` — of the points of the surface \[m\]
pub(crate) fn samples(surface: &Surface, positions: &[[f64; 3]]) -> Vec<Vector3<f64>> {
    (0..surface.faces.len()).flat_map(|face| samples_of_face(surface, face, positions)).collect()
}

/// Corners and middle of a face \[m\].
pub(crate) fn samples_of_face(
    surface: &Surface,
    face: usize,
    positions: &[[f64; 3]],
) -> impl Iterator<Item = Vector3<f64>> {
    const CORNERS: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    let is_triangle = surface.faces[face].basis.is_triangle();
    let (corners, middle) = if is_triangle { (3, [1.0 / 3.0; 2]) } else { (4, [0.5; 2]) };
    let places = CORNERS.into_iter().take(corners).chain([middle]);
    places.map(move |xi| Vector3::from(surface.position(face, xi, positions)))
}

/// The box around points: its lowest and its highest corner \[m\].
pub(crate) fn bounds(points: &[Vector3<f64>]) -> [Vector3<f64>; 2] {
    let low = points.iter().fold(Vector3::repeat(f64::INFINITY), |m, x| m.inf(x));
    let high = points.iter().fold(Vector3::repeat(f64::NEG_INFINITY), |m, x| m.sup(x));
    [low, high]
}
