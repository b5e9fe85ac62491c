//! Faces with two sides: shells, which touch at half of their thickness on either side.

use nalgebra::Vector3;

use super::Nodes;
use super::earlier::Earlier;
use crate::geometry::{Faces, LocalFoot, Site};

/// The faces of a surface that are sheets.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheets {
    /// Largest distance of the surface from the points of each face, 0 for solids; empty without sheets
    /// \[m\].
    of_faces: Vec<f64>,
    of_points: Vec<f64>,
}

impl Sheets {
    /// * `halves` — distance of the surface from each point, 0 for solids; empty without sheets \[m\]
    pub(super) fn new(faces: &Faces, halves: &[f64]) -> Self {
        if halves.iter().all(|half| *half == 0.0) {
            return Self::default();
        }
        let of_face = |face: &carom_fem::Face| {
            face.points.iter().map(|&point| halves[point as usize]).fold(0.0, f64::max)
        };
        Self { of_faces: faces.surface.faces.iter().map(of_face).collect(), of_points: halves.to_vec() }
    }

    /// True for a face with two sides.
    pub(super) fn has(&self, face: u32) -> bool {
        self.of_faces.get(face as usize).is_some_and(|half| *half > 0.0)
    }

    /// Largest distance of the surfaces of a node and a face together \[m\].
    pub(super) fn reach(&self) -> f64 {
        2.0 * self.of_points.iter().copied().fold(0.0, f64::max)
    }

    /// Distance of the surfaces of a node and of a face together \[m\].
    pub(super) fn walls(&self, nodes: &Nodes, node: usize, face: u32) -> f64 {
        let (points, weights) = nodes.of(node);
        let half = |point: u32| self.of_points.get(point as usize).copied().unwrap_or(0.0);
        let own: f64 = points.iter().zip(weights).map(|(&point, weight)| weight * half(point)).sum();
        own + self.of_faces.get(face as usize).copied().unwrap_or(0.0)
    }
}

impl Earlier {
    /// Turns feet inside of sheets on whose other side the node was: it has come through the sheet.
    ///
    /// * `before` — place of the node then \[m\]
    pub(super) fn keep_sides(
        &mut self,
        faces: &Faces,
        before: &Vector3<f64>,
        found: &mut [LocalFoot],
        is_sheet: impl Fn(u32) -> bool,
    ) {
        let Some(then) = &mut self.then else { return };
        let inside = |found: &&mut LocalFoot| found.foot.site == Site::Interior && is_sheet(found.foot.face);
        for LocalFoot { foot, .. } in found.iter_mut().filter(inside) {
            let jet = faces.jet(then, foot.face, foot.xi);
            let normal = faces.normal(then, foot.face, foot.xi, &jet);
            let own = foot.tangents[0].cross(&foot.tangents[1]) * faces.orientation(foot.face);
            let side = own.dot(&foot.normal).signum();
            if side * (before - jet.y).dot(&normal) < 0.0 {
                (foot.gap, foot.normal) = (-foot.gap, -foot.normal);
                (0..2).for_each(|a| (0..2).for_each(|b| foot.curvature[a][b] *= -1.0));
            }
        }
    }
}
