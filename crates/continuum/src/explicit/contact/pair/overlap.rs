//! Overlaps at the start: the depth of each node is an offset of its gaps until the bodies separate.
//!
//! ```text
//! s = −g_1 where g_1 < 0, until g ≥ 0;   the gap of the node is g + s
//! ```
//!
//! No force takes the overlap back: the surfaces touch where they are at the start. The offset of a node is
//! zero once it has moved out.

use super::{LEAST_OVERLAP, Pair};
use crate::explicit::bodies::Bodies;
use crate::explicit::which::Which;

/// The overlap of a node: s, and the depth −g_n of the present step, 0 outside \[m\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sunk {
    offset: f64,
    depth: f64,
}

/// The overlap of two surfaces at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::explicit) struct Overlap {
    /// The deepest one \[m\], and the bodies of the node and of the face.
    pub(in crate::explicit) depth: f64,
    pub(in crate::explicit) bodies: [Which; 2],
    /// Number of nodes.
    pub(in crate::explicit) n_nodes: u64,
}

impl Overlap {
    /// Names of both bodies.
    pub(in crate::explicit) fn names(&self, bodies: &Bodies) -> [String; 2] {
        self.bodies.map(|which| match (which, &bodies.rigid) {
            (Which::Flexible(k), _) => bodies.flexible[k].name().to_owned(),
            (Which::Rigid(k), Some(rigid)) => rigid.system.bodies[k].name.clone(),
            (Which::Rigid(_), None) => String::new(),
        })
    }
}

impl Pair {
    /// Ends the offsets of nodes that were outside in the last step.
    pub(super) fn follow_overlaps(&mut self) {
        if self.overlap.is_none() {
            return;
        }
        for sunk in self.ends.iter_mut().flat_map(|end| &mut end.sunk) {
            *sunk = Sunk { offset: if sunk.depth > 0.0 { sunk.offset } else { 0.0 }, depth: 0.0 };
        }
    }

    pub(super) fn is_deep(&self, gap: f64) -> bool {
        -gap > LEAST_OVERLAP * self.size
    }

    /// The offset of the gap of a row \[m\].
    ///
    /// * `node` — side and number
    /// * `gap` — at t_n, without the offset \[m\]
    pub(super) fn offset(&self, (side, node): (usize, u32), gap: f64) -> f64 {
        // A further face that the node comes to from outside is not shifted.
        match self.is_deep(gap) {
            true if self.step == 1 => -gap,
            true if self.overlap.is_some() => self.ends[side].sunk[node as usize].offset,
            _ => 0.0,
        }
    }

    /// Notes the depth of a row; arguments as in [`Pair::offset`].
    ///
    /// * `which` — bodies of the node and of the face
    pub(super) fn note_overlap(&mut self, (side, node): (usize, u32), gap: f64, which: [Which; 2]) {
        let begins = self.step == 1 && self.is_deep(gap);
        if self.overlap.is_none() && !begins {
            return;
        }
        let sunk = &mut self.ends[side].sunk[node as usize];
        if begins {
            let n_nodes = self.overlap.map_or(0, |overlap| overlap.n_nodes) + u64::from(sunk.offset == 0.0);
            sunk.offset = sunk.offset.max(-gap);
            let known = self.overlap.filter(|overlap| overlap.depth >= -gap);
            let deepest = known.unwrap_or(Overlap { depth: -gap, bodies: which, n_nodes });
            self.overlap = Some(Overlap { n_nodes, ..deepest });
        }
        sunk.depth = sunk.depth.max(-gap);
    }

    /// The overlap at the start and the offsets as numbers, for checkpoints; empty without an overlap.
    pub(in crate::explicit) fn overlap_numbers(&self) -> Vec<f64> {
        let Some(overlap) = self.overlap else { return Vec::new() };
        let mut numbers = vec![overlap.depth, overlap.n_nodes as f64];
        numbers.extend(overlap.bodies.iter().flat_map(|which| match which {
            Which::Flexible(k) => [0.0, *k as f64],
            Which::Rigid(k) => [1.0, *k as f64],
        }));
        numbers.extend(self.ends.iter().flat_map(|end| &end.sunk).flat_map(|s| [s.offset, s.depth]));
        numbers
    }

    /// Length of [`Pair::overlap_numbers`] with an overlap.
    pub(in crate::explicit) fn n_overlap_numbers(&self) -> usize {
        6 + 2 * self.ends.iter().map(|end| end.sunk.len()).sum::<usize>()
    }

    /// Sets overlap and offsets from a checkpoint.
    pub(in crate::explicit) fn read_overlap(&mut self, numbers: &[f64]) {
        let [depth, n_nodes, kind_a, a, kind_b, b, ref offsets @ ..] = *numbers else { return };
        let which = |kind: f64, k: f64| {
            if kind == 0.0 { Which::Flexible(k as usize) } else { Which::Rigid(k as usize) }
        };
        let bodies = [which(kind_a, a), which(kind_b, b)];
        self.overlap = Some(Overlap { depth, bodies, n_nodes: n_nodes as u64 });
        let all = self.ends.iter_mut().flat_map(|end| &mut end.sunk);
        all.zip(offsets.as_chunks::<2>().0)
            .for_each(|(sunk, &[offset, depth])| *sunk = Sunk { offset, depth });
    }
}
