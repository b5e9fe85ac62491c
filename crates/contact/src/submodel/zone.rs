//! Zones: the parts of the surfaces of bodies that may come into contact.

use carom_fem::Surface;
use nalgebra::Vector3;

use super::SetupError;
use crate::geometry::Faces;
use crate::shape::Shape;

/// A part of the surface of a body that may come into contact.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Name, for messages: `ball:pole`.
    pub name: String,
    /// Number of the body.
    pub body: usize,
    /// Its shape in the body frame; shapes without faces belong to rigid bodies.
    pub shape: Shape,
    /// Index among the body's points of each point of the faces; empty without faces.
    pub points: Vec<u32>,
    /// For each of these points whether its compliance is complete.
    pub is_interface: Vec<bool>,
}

/// Parts of a zone of faces.
pub(super) struct FaceZone<'a> {
    pub(super) body: usize,
    pub(super) faces: &'a Faces,
    pub(super) points: &'a [u32],
    pub(super) is_interface: &'a [bool],
}

impl Zone {
    /// A zone without faces: a plane, a sphere, a cavity or a block.
    pub fn of_shape(body: usize, name: &str, shape: Shape) -> Self {
        Self { name: name.to_owned(), body, shape, points: Vec::new(), is_interface: Vec::new() }
    }

    /// A zone of faces.
    ///
    /// * `surface` — faces over numbered points
    /// * `body_points` — the numbers of the body's surface points, ascending; `surface.points` must be among
    ///   them
    /// * `positions_b` — reference positions of the body's surface points \[m\]
    /// * `is_interface` — for each of `surface.points` whether its compliance is complete
    ///
    /// # Errors
    ///
    /// [`SetupError`] if a point of the surface is missing or a face cannot be evaluated.
    pub fn of_faces(
        body: usize,
        name: &str,
        surface: Surface,
        body_points: &[u32],
        positions_b: &[[f64; 3]],
        is_interface: &[bool],
    ) -> Result<Self, SetupError> {
        let zone = || name.to_owned();
        let find = |number: &u32| {
            let index = body_points.binary_search(number).ok().filter(|&k| k < positions_b.len());
            index.map(|k| k as u32).ok_or_else(|| SetupError::MissingPoint { zone: zone(), point: *number })
        };
        let points = surface.points.iter().map(find).collect::<Result<Vec<u32>, _>>()?;
        let mut is_interface = is_interface.to_vec();
        is_interface.resize(points.len(), true);
        let reference: Vec<_> = points.iter().map(|&k| Vector3::from(positions_b[k as usize])).collect();
        let shape = Shape::faces(surface, &reference);
        let shape = shape.map_err(|source| SetupError::Surface { zone: zone(), source })?;
        Ok(Self { name: zone(), body, shape, points, is_interface })
    }

    /// Marks edges at which the zone ends because the surface of the body turns there, see
    /// [`Shape::with_sharp_edges`].
    pub fn with_sharp_edges(mut self, edges: &[[u32; 2]]) -> Self {
        self.shape = self.shape.with_sharp_edges(edges);
        self
    }

    /// Checks that every point of the faces is a point of the body.
    ///
    /// * `n_points` — number of points of the body
    pub(super) fn check(&self, n_points: usize) -> Result<(), SetupError> {
        let Some(faces) = self.shape.as_faces() else { return Ok(()) };
        let missing = self.points.iter().position(|&k| k as usize >= n_points);
        match missing.or((self.points.len() < faces.n_points()).then_some(self.points.len())) {
            None => Ok(()),
            Some(k) => {
                let point = faces.surface.points[k];
                Err(SetupError::MissingPoint { zone: self.name.clone(), point })
            }
        }
    }

    /// The faces of the zone; none for other shapes.
    pub(super) fn as_faces(&self) -> Option<FaceZone<'_>> {
        let Self { body, shape, points, is_interface, .. } = self;
        Some(FaceZone { body: *body, faces: shape.as_faces()?, points, is_interface })
    }

    /// Radius of the rounding in which the faces end at their rim \[m\]; nothing for other shapes.
    pub(super) fn set_rim_radius(&mut self, radius: impl Fn(f64) -> f64) {
        if let Shape::Faces(faces) = &mut self.shape {
            faces.rim_radius = radius(faces.rim_radius);
        }
    }
}
