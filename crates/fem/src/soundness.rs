//! Checks that a body is watertight, connected and has no unused points.

use carom_mesh::quality::Quality;
use carom_nurbs::{Multipatch, NearSides, Side};

use crate::parts::parts;
use crate::{Body, Discretisation, Geometry};

/// Connection of the cells of a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Soundness {
    /// Whether the surface is closed, without cracks between cells that seem to touch.
    pub watertight: bool,
    /// Number of parts that share no point.
    pub parts: usize,
    /// Edges of the surface of a mesh at which an odd number of its faces meet: the surface is not closed
    /// there.
    pub open_edges: usize,
    /// Edges of the surface of a mesh at which more than two faces meet: parts touch only along an edge.
    pub non_manifold_edges: usize,
    /// Faces that belong to more than two cells of a mesh.
    pub overlapping_faces: usize,
    /// Pairs of cells of a mesh that share a face and lie on the same side of it.
    pub overlaid_cells: usize,
    /// Points that no cell uses.
    pub unused_nodes: usize,
    /// Nodes of a mesh at the position of another node, each with the first node there, from zero.
    pub duplicate_nodes: Vec<(u32, u32)>,
    /// Cells of a mesh that are folded at a node, though not at inner points.
    pub folded_cells: usize,
    /// Cells of a mesh that are folded at inner points too.
    pub inverted_cells: usize,
    /// Cells of a mesh that are nearly flat: their scaled Jacobian is below
    /// [`SLIVER`](carom_mesh::quality::SLIVER).
    pub slivers: usize,
    /// Sides of patches that are collapsed to a line or point: the map is singular there.
    pub collapsed_sides: Vec<(u32, Side)>,
    /// Sides of patches with the same corners that do not coincide.
    pub near_sides: Vec<NearSides>,
}

/// Checks the connection of the cells of a body.
///
/// * `quality` — the quality of its mesh; `None` for NURBS
pub(crate) fn soundness(body: &Body, discretisation: &Discretisation, quality: Option<Quality>) -> Soundness {
    let unused_nodes = discretisation.point_is_used().iter().filter(|used| !**used).count();
    let found = Soundness {
        parts: parts(discretisation, &[]).len(),
        unused_nodes,
        watertight: true,
        ..Soundness::default()
    };
    match (quality, &body.geometry) {
        (Some(quality), _) => Soundness {
            watertight: quality.is_watertight(),
            open_edges: quality.open_edges,
            non_manifold_edges: quality.crowded_edges,
            overlapping_faces: quality.overlapping_faces,
            overlaid_cells: quality.overlaid.len(),
            folded_cells: quality.folded.len() - quality.inverted.len(),
            inverted_cells: quality.inverted.len(),
            slivers: quality.slivers.len(),
            duplicate_nodes: quality.duplicate_nodes,
            ..found
        },
        // Coincident sides are glued or an error when a body is made: the other sides are its surface.
        (None, Geometry::Nurbs(multipatch)) => {
            let near_sides = multipatch.near_sides();
            let watertight = near_sides.is_empty();
            Soundness { collapsed_sides: collapsed_sides(multipatch), near_sides, watertight, ..found }
        }
        (None, Geometry::Mesh(_)) => found,
    }
}

/// Sides whose control points coincide along a direction.
fn collapsed_sides(multipatch: &Multipatch) -> Vec<(u32, Side)> {
    let mut found = Vec::new();
    for ((number, patch), ids) in (0..).zip(&multipatch.patches).zip(multipatch.point_ids()) {
        let counts = patch.counts();
        let strides = [1, counts[0], counts[0] * counts[1]];
        for side in Side::ALL {
            let fixed = side.direction();
            let start = if side.is_end() { (counts[fixed] - 1) * strides[fixed] } else { 0 };
            let others = [(fixed + 1) % 3, (fixed + 2) % 3];
            let is_collapsed = [others, [others[1], others[0]]].iter().any(|&[along, across]| {
                (0..counts[across]).all(|j| {
                    let at = |i: usize| ids[start + i * strides[along] + j * strides[across]];
                    (1..counts[along]).all(|i| at(i) == at(0))
                })
            });
            if is_collapsed {
                found.push((number, side));
            }
        }
    }
    found
}

impl Soundness {
    /// Defects of the body in words; empty if it is one watertight solid. Nodes are counted from one, as in
    /// files.
    pub fn findings(&self) -> Vec<String> {
        let counts = [
            (self.inverted_cells, "inverted cells: no computation is possible"),
            (self.folded_cells, "cells folded at a node: stresses there are meaningless"),
            (
                self.slivers,
                "slivers (scaled Jacobian below 0.02): steps get small and stresses there are inaccurate",
            ),
            (self.open_edges, "open edges of the surface: it is not watertight"),
            (
                self.non_manifold_edges,
                "edges of the surface where more than two of its faces meet: parts touch only there",
            ),
            (self.overlapping_faces, "faces that belong to more than two cells"),
            (
                self.overlaid_cells,
                "pairs of cells on the same side of a common face: they fill the same space",
            ),
            (self.unused_nodes, "nodes that no cell uses"),
        ];
        let reported = counts.iter().filter(|(count, _)| *count > 0);
        let mut findings: Vec<String> = reported.map(|(count, what)| format!("{count} {what}")).collect();
        if !self.duplicate_nodes.is_empty() {
            let first =
                self.duplicate_nodes.iter().take(3).map(|(a, b)| format!("{} in that of {}", b + 1, a + 1));
            let (first, n) = (first.collect::<Vec<_>>().join(", "), self.duplicate_nodes.len());
            let more = if n > 3 { ", …" } else { "" };
            findings.push(format!(
                "{n} nodes in the place of another ({first}{more}): cells there are not joined"
            ));
        }
        if !self.collapsed_sides.is_empty() {
            let name = |(patch, side): &(u32, Side)| format!("patch{patch}:{}", side.name());
            let names: Vec<String> = self.collapsed_sides.iter().take(6).map(name).collect();
            let more = if self.collapsed_sides.len() > 6 { ", …" } else { "" };
            findings.push(format!(
                "{} sides have collapsed to lines or points ({}{more}): fields are less smooth there",
                self.collapsed_sides.len(),
                names.join(", ")
            ));
        }
        findings.extend(self.near_sides.iter().map(ToString::to_string));
        if self.parts > 1 {
            findings.push(format!("{} parts that share no node", self.parts));
        }
        findings
    }
}
