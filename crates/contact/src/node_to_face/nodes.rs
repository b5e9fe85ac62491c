//! Nodes: points of a surface that are tested against another one.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use crate::geometry::{Faces, Start};

/// Nodes of a surface as weighted sums of its points, x = Σ_m w_m x_m.
///
/// On Lagrange faces the nodes are the points themselves. The control points of a NURBS surface are not on
/// it; its nodes are places on its faces.
#[derive(Debug, Clone, PartialEq)]
pub struct Nodes {
    start: Vec<u32>,
    points: Vec<u32>,
    weights: Vec<f64>,
}

impl Default for Nodes {
    fn default() -> Self {
        Self { start: vec![0], points: Vec::new(), weights: Vec::new() }
    }
}

impl Nodes {
    /// Nodes that are points of the surface.
    ///
    /// * `points` — numbers of the points
    pub fn of_points(points: &[u32]) -> Self {
        Self {
            start: (0..=points.len() as u32).collect(),
            points: points.to_vec(),
            weights: vec![1.0; points.len()],
        }
    }

    /// Nodes at places of the faces.
    pub fn on_faces(faces: &Faces, places: &[Start]) -> Self {
        let mut nodes = Self::default();
        let (mut r, mut r_a, mut r_ab) =
            ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
        for place in places {
            faces.surface.shape_into(place.face as usize, place.xi, &mut r, &mut r_a, &mut r_ab);
            let own = &faces.surface.faces[place.face as usize].points;
            let entries = own.iter().zip(&r).filter(|(_, weight)| **weight != 0.0);
            for (&point, &weight) in entries {
                nodes.points.push(point);
                nodes.weights.push(weight);
            }
            nodes.start.push(nodes.points.len() as u32);
        }
        nodes
    }

    /// Adds the nodes of another surface, whose points are numbered from `first` on.
    pub fn append(&mut self, other: &Self, first: u32) {
        let n = self.points.len() as u32;
        self.start.extend(other.start[1..].iter().map(|start| start + n));
        self.points.extend(other.points.iter().map(|point| point + first));
        self.weights.extend(&other.weights);
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points and weights of a node.
    pub fn of(&self, node: usize) -> (&[u32], &[f64]) {
        let range = self.start[node] as usize..self.start[node + 1] as usize;
        (&self.points[range.clone()], &self.weights[range])
    }

    /// Writes the positions of the nodes.
    pub(super) fn places_into(&self, positions: &[Vector3<f64>], places: &mut [Vector3<f64>]) {
        for (node, place) in places.iter_mut().enumerate() {
            let (points, weights) = self.of(node);
            *place = points.iter().zip(weights).map(|(&k, w)| positions[k as usize] * *w).sum();
        }
    }

    pub(super) fn largest_point(&self) -> Option<u32> {
        self.points.iter().copied().max()
    }
}
