//! Limits of the theory that the mesh of a body with places has met, as sentences
//! (docs/theory/half-space.md, section 11.9).

use carom_fem::FaceBasis;

use super::facets::largest_edge;
use crate::Shape;

/// Share of loads that an edge cuts in the weights of a cell, above which the edge is not resolved.
const CUT: f64 = 0.5;

/// Contact radius in edges of the faces up to which the compliance was compared.
const LARGEST: f64 = 3.2;

/// Error of the force of an impact by the curvature of faces that is reported. Parabolas through points of a
/// circle, h apart on the radius R, have a curvature that errs by up to (h/R)²; F ~ R^(1/5).
const CURVED: f64 = 0.01;

/// The mesh below places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshBelow {
    /// Mean edge of its faces \[m\].
    pub edge: f64,
    /// Thickness of the body \[m\].
    pub thickness: f64,
    /// r₀ \[m\].
    pub radius: f64,
}

impl MeshBelow {
    /// A sentence for each limit that a contact has met.
    ///
    /// * `name` — of the surface
    /// * `radius` — of the contact \[m\]
    /// * `cut` — share of loads that an edge cuts in the weights
    /// * `linear` — number of cells with linear weights
    pub fn doubts(&self, name: &str, radius: f64, cut: f64, linear: usize) -> Vec<String> {
        let mut found = Vec::new();
        if cut > CUT {
            found.push(format!(
                "loads of `{name}` that an edge of the body cuts have {cut:.2} of the weight, more than \
                 {CUT}: the edge is nearer than r₀ = {:.3e} m and its compliance is not resolved; refine \
                 the mesh there",
                self.radius
            ));
        }
        if linear > 0 {
            found.push(format!(
                "{linear} cells of the grid have linear weights on `{name}`, as too few places surround \
                 them: lay places over a larger region"
            ));
        }
        if radius > LARGEST * self.edge {
            found.push(format!(
                "the contact radius of {radius:.3e} m is {:.1} edges of the faces of `{name}`, more than \
                 {LARGEST}: the mesh resolves the contact, use `compliance = \"body\"`",
                radius / self.edge
            ));
        }
        if self.edge > self.thickness {
            found.push(format!(
                "faces of `{name}` have edges of {:.3e} m on a thickness of {:.3e} m: the force errs by some \
                 per cent; refine until the edges are at most the thickness",
                self.edge, self.thickness
            ));
        }
        found
    }
}

/// Faces of a mesh, whose curvature is not that of the surface which they approximate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeshFaces {
    /// Largest edge \[m\]; 0 of exact faces.
    edge: f64,
    /// Largest convex curvature \[1/m\].
    curvature: f64,
}

impl MeshFaces {
    /// The faces of a shape.
    pub fn of(shape: &Shape) -> Self {
        let is_lagrange = |face: &carom_fem::Face| matches!(face.basis, FaceBasis::Lagrange(_));
        match shape.as_faces().filter(|faces| faces.surface.faces.iter().any(is_lagrange)) {
            Some(faces) => Self { edge: largest_edge(faces), curvature: shape.convex_curvatures()[1] },
            None => Self::default(),
        }
    }

    /// Largest edge over the radius of curvature at a contact.
    ///
    /// * `curvature` — at the contact \[1/m\]; kinks between faces make it larger than that of the faces
    pub fn turn(&self, curvature: f64) -> f64 {
        self.edge * curvature.min(self.curvature)
    }
}

/// A sentence if faces do not have the curvature of the surface that they approximate.
///
/// * `name` — of the surface
/// * `turn` — [`MeshFaces::turn`]
pub fn doubt_of_curvature(name: &str, turn: f64) -> Option<String> {
    let of_force = 0.2 * turn * turn;
    (of_force > CURVED).then(|| {
        format!(
            "faces of the second degree of `{name}` have edges of {turn:.2} radii of curvature: their \
             curvature at the contact errs by up to {:.0} %, the force of an impact by about {:.1} %; \
             use smaller cells there, or NURBS, which are exact",
            100.0 * turn * turn,
            100.0 * of_force
        )
    })
}
