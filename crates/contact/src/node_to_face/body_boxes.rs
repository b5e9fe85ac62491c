//! Boxes around the bodies of a surface that touches itself: a node that is farther from a box than the reach
//! touches no face of its body.

use nalgebra::Vector3;

use crate::broad::{Bounds, NOTHING, separation, union};
use crate::geometry::Faces;

/// A point without faces belongs to no body.
const NONE: u32 = u32::MAX;

/// Boxes around the surfaces of bodies while they move from an earlier configuration to the present one.
#[derive(Debug, Clone)]
pub(super) struct BodyBoxes {
    /// Body of each point.
    of_points: Vec<u32>,
    /// Largest ratio of the sides of the boxes around a surface and around its points.
    growth: f64,
    boxes: Vec<Bounds>,
}

impl BodyBoxes {
    /// * `bodies` — number of the body of each face
    pub(super) fn new(faces: &Faces, bodies: &[u32]) -> Self {
        let mut of_points = vec![NONE; faces.n_points()];
        for (face, &body) in faces.surface.faces.iter().zip(bodies) {
            face.points.iter().for_each(|&point| of_points[point as usize] = body);
        }
        let n_bodies = bodies.iter().max().map_or(0, |last| *last as usize + 1);
        Self { of_points, growth: faces.growth(), boxes: vec![NOTHING; n_bodies] }
    }

    /// Updates the boxes.
    ///
    /// * `before`, `now` — positions of the points in both configurations \[m\]
    pub(super) fn place(&mut self, before: Option<&[Vector3<f64>]>, now: &[Vector3<f64>]) {
        self.boxes.fill(NOTHING);
        for positions in before.into_iter().chain([now]) {
            for (x, &body) in positions.iter().zip(&self.of_points).filter(|(_, body)| **body != NONE) {
                let bounds = &mut self.boxes[body as usize];
                *bounds = union(bounds, &[*x, *x]);
            }
        }
        if self.growth > 1.0 {
            for [low, high] in &mut self.boxes {
                let aside = 0.5 * (self.growth - 1.0) * (*high - *low);
                (*low, *high) = (*low - aside, *high + aside);
            }
        }
    }

    /// True if a node is farther from a body than the reach all the time.
    ///
    /// * `way` — the box around the places of the node
    pub(super) fn are_apart(&self, body: u32, way: &Bounds, reach: f64) -> bool {
        separation(&self.boxes[body as usize], way) > reach
    }
}
