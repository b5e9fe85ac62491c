//! Sizes of the faces of a zone.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use super::Zone;
use crate::geometry::Domain;

/// √A of each face of a zone in its reference position \[m\], from the tangents in its middle; empty for a
/// zone without faces.
pub(super) fn face_sizes(zone: &Zone) -> Vec<f64> {
    let Some(faces) = zone.shape.as_faces() else { return Vec::new() };
    let size = |face: u32| {
        let domain = faces.domain(face);
        let (mut r, mut r_a, mut r_ab) =
            ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
        faces.surface.shape_into(face as usize, domain.center(), &mut r, &mut r_a, &mut r_ab);
        let own = &faces.surface.faces[face as usize].points;
        let tangent = |a: usize| -> Vector3<f64> {
            own.iter().zip(&r_a).map(|(&k, d)| faces.reference[k as usize] * d[a]).sum()
        };
        let of_square = tangent(0).cross(&tangent(1)).norm();
        match domain {
            Domain::Square => of_square.sqrt(),
            Domain::Triangle => (0.5 * of_square).sqrt(),
        }
    };
    (0..faces.n_faces() as u32).map(size).collect()
}
