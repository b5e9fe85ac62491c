//! The loaded patch of a pair, and the size of the faces on either side of it: how well meshes resolve a
//! contact.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use super::{QuasistaticContact, WarmState, Workspace, Zone};
use crate::geometry::Domain;

/// The loaded patch of a pair at the last solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// Sum of the pressures \[N\].
    pub force: f64,
    /// Contact radius a \[m\]: that of Hertz' pressure with the same force and the same ∫ p² dA.
    pub radius: f64,
    /// √A of the spans that carry the pressure, mean by force \[m\].
    pub first_size: f64,
    /// √A of the faces that they meet, mean by force \[m\]; none where the second surface has no faces.
    pub second_size: Option<f64>,
    /// True if every span of the surface carries pressure: two surfaces that fit each other, whose patch is
    /// given by their outline.
    pub is_full: bool,
}

impl QuasistaticContact {
    /// The loaded patch of a pair; none without force. Allocates nothing.
    ///
    /// ```text
    /// ∫ p dA = ⅔ π a² p₀,   ∫ p² dA = ½ π a² p₀²    ⟹    a² = 9/(8π) (Σ λ)² / Σ λ²/A
    /// ```
    pub fn patch(&self, pair: usize, warm: &WarmState, work: &Workspace) -> Option<Patch> {
        let model = &self.pairs[pair];
        let (mut force, mut square, mut size, mut second_size) = (0.0, 0.0, 0.0, 0.0);
        let (mut n_loaded, mut n_spans) = (0, 0);
        for (span, &area) in model.spans.area.iter().enumerate().filter(|(_, area)| **area > 0.0) {
            n_spans += 1;
            let lambda = work.solution.lambda[model.span_offset + span];
            if lambda > 0.0 {
                n_loaded += 1;
                force += lambda;
                square += lambda * lambda / area;
                size += lambda * area.sqrt();
                // Any integration point will do: the face that the span meets, or one beside it.
                let foot = warm.feet[model.foot_offset + model.spans.start[span] as usize];
                second_size += lambda * model.second_sizes.get(foot.face as usize).copied().unwrap_or(0.0);
            }
        }
        (force > 0.0).then(|| Patch {
            force,
            radius: (9.0 / (8.0 * std::f64::consts::PI) * force * force / square).sqrt(),
            first_size: size / force,
            second_size: (!model.second_sizes.is_empty()).then_some(second_size / force),
            is_full: n_loaded == n_spans,
        })
    }
}

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
