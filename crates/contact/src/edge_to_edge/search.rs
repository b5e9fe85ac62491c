//! Edges near each other: a list that is valid while no end has moved by more than a margin.

use nalgebra::Vector3;

use super::SurfaceEdge;
use crate::broad::{Bounds, NOTHING, Tree};

/// Motion after which the list is renewed, as a part of the mean length of an edge.
const MARGIN: f64 = 0.1;

/// Edges near each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    tree: Tree,
    boxes: Vec<Bounds>,
    centers: Vec<Vector3<f64>>,
    /// Ends of the edges at the last search \[m\].
    then: [Vec<[Vector3<f64>; 2]>; 2],
    margin: f64,
    near: Vec<[u32; 2]>,
    stack: Vec<u32>,
}

impl Search {
    /// Pairs of near edges, ascending.
    pub(super) fn near(&self) -> &[[u32; 2]] {
        &self.near
    }

    /// Brings the list up to date.
    ///
    /// * `neighbours` — pairs that never touch, ascending, if both lists are the same
    /// * `times` — positions at the start and at the end of the step \[m\]
    /// * `reach` — half of the distance up to which edges are near, less the own part of an edge \[m\]
    pub(super) fn update(
        &mut self,
        lists: [&[SurfaceEdge]; 2],
        neighbours: Option<&[[u32; 2]]>,
        times: [[&[Vector3<f64>]; 2]; 2],
        reach: impl Fn(&SurfaceEdge) -> f64,
    ) {
        if !self.covers(lists, neighbours.is_some(), &times) {
            self.renew(lists, neighbours, times[0], reach);
        }
    }

    fn covers(&self, lists: [&[SurfaceEdge]; 2], is_within: bool, times: &[[&[Vector3<f64>]; 2]; 2]) -> bool {
        let limit = self.margin * self.margin;
        let is_near = |side: usize| {
            lists[side].len() == self.then[side].len()
                && lists[side].iter().zip(&self.then[side]).all(|(edge, then)| {
                    times.iter().all(|at| {
                        let moved = |k: usize| at[side][edge.ends[k] as usize] - then[k];
                        (0..2).all(|k| moved(k).norm_squared() <= limit)
                    })
                })
        };
        is_near(0) && (is_within || is_near(1))
    }

    fn renew(
        &mut self,
        lists: [&[SurfaceEdge]; 2],
        neighbours: Option<&[[u32; 2]]>,
        positions: [&[Vector3<f64>]; 2],
        reach: impl Fn(&SurfaceEdge) -> f64,
    ) {
        self.near.clear();
        for side in 0..2 {
            let ends = |edge: &SurfaceEdge| edge.ends.map(|k| positions[side][k as usize]);
            self.then[side].clear();
            self.then[side].extend(lists[side].iter().map(ends));
        }
        let lengths = self.then.iter().flatten().map(|[a, b]| (b - a).norm());
        self.margin =
            MARGIN * lengths.sum::<f64>() / self.then.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let second = usize::from(neighbours.is_none());
        let (margin, then) = (self.margin, &self.then);
        self.centers.clear();
        self.centers.extend(then[second].iter().map(|[a, b]| 0.5 * (a + b)));
        self.tree.rebuild(&self.centers, &mut self.stack);
        self.boxes.resize(self.tree.n_nodes(), NOTHING);
        let around = |side: usize, k: u32| {
            let ([a, b], edge) = (&then[side][k as usize], &lists[side][k as usize]);
            // Both edges move.
            let out = Vector3::repeat(reach(edge) + margin);
            [a.inf(b) - out, a.sup(b) + out]
        };
        self.tree.refit(&mut self.boxes, |k| around(second, k));
        for i in 0..lists[0].len() as u32 {
            let (own, near) = (&lists[0][i as usize], &mut self.near);
            self.tree.overlapping(&self.boxes, &around(0, i), &mut self.stack, |j| {
                let other = &lists[second][j as usize];
                let may_touch = neighbours.is_none_or(|neighbours| {
                    j > i && (other.body != own.body || neighbours.binary_search(&[i, j]).is_err())
                });
                if may_touch {
                    near.push([i, j]);
                }
            });
        }
        self.near.sort_unstable();
    }
}
