//! The edges of a surface at rest, as straight as they are: those of a rigid body.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::{EdgeKind, EdgesOf, SurfaceEdge, straight};
use crate::shape::Edge;

/// Difference of unit vectors up to which edges lie on one line between the same faces.
const SAME: f64 = 1e-6;

impl EdgesOf<'_> {
    /// The sharp edges, with those that continue each other between the same flat faces as one: twelve of a
    /// block, whatever its mesh.
    ///
    /// * `is_wanted` — as in [`EdgesOf::find`]
    pub fn find_straight(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<Edge> {
        let found = self.find(is_wanted);
        let reference = found.places.at(self.reference);
        let is_sharp = |edge: &&SurfaceEdge| matches!(edge.kind, EdgeKind::Sharp(_));
        let mut lines = Vec::new();
        let mut open: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for edge in found.edges.iter().filter(is_sharp) {
            let ends = edge.ends.map(|k| reference[k as usize]);
            open.entry(edge.ends[0]).or_default().push(lines.len());
            open.entry(edge.ends[1]).or_default().push(lines.len());
            lines.push(Some((edge.ends, straight(edge, ends, &reference))));
        }
        // The line of which each edge has become part.
        let mut joined: Vec<usize> = (0..lines.len()).collect();
        // Each place where exactly two edges of one line meet joins them.
        for (&place, numbers) in &open {
            let [first, second] = numbers[..] else { continue };
            let [i, j] = [first, second].map(|edge| line_of(&joined, edge));
            let (Some((a, one)), Some((b, other))) = (lines[i], lines[j]) else { continue };
            if i == j || !continues(&one, &other) {
                continue;
            }
            let far = |ends: [u32; 2]| if ends[0] == place { ends[1] } else { ends[0] };
            let ends = [far(a), far(b)];
            let [x, y] = ends.map(|k| reference[k as usize]);
            lines[i] = Some((ends, Edge { center: 0.5 * (x + y), half: 0.5 * (y - x), ..one }));
            (lines[j], joined[j]) = (None, i);
        }
        lines.into_iter().flatten().map(|(_, edge)| edge).collect()
    }
}

fn line_of(joined: &[usize], edge: usize) -> usize {
    let mut line = edge;
    while joined[line] != line {
        line = joined[line];
    }
    line
}

/// True for edges on one line between the same faces.
fn continues(one: &Edge, other: &Edge) -> bool {
    let is_same = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() < SAME;
    let along = one.half.normalize().cross(&other.half.normalize()).norm() < SAME;
    let ([a, b], [c, d]) = (&one.normals, &other.normals);
    along && (is_same(a, c) && is_same(b, d) || is_same(a, d) && is_same(b, c))
}
