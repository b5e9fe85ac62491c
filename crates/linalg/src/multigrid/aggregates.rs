//! Aggregates: groups of strongly coupled nodes, each of which becomes one node of the next level.

use super::blocks::{Block, Blocks};

/// No aggregate.
const NONE: u32 = u32::MAX;

/// Nodes couple strongly if ‖A_ij‖² is above the square of this part of ‖A_ii‖ ‖A_jj‖.
///
/// Nodes that stiffness ties together by slivers or along one direction move together; weak couplings would
/// smear their aggregates.
const STRONG: f64 = 0.08;

/// The aggregate of each node.
#[derive(Debug)]
pub(super) struct Aggregates {
    pub(super) of_node: Vec<u32>,
    /// Start of each aggregate in `nodes`, number of aggregates + 1.
    pub(super) start: Vec<usize>,
    /// Nodes of the aggregates, ascending in each.
    pub(super) nodes: Vec<u32>,
}

impl Aggregates {
    /// Groups the nodes of a matrix: first each node whose strong neighbours are all free takes them, then
    /// what is left joins the neighbour with the strongest coupling, and what has none of these makes
    /// aggregates of its own.
    pub(super) fn new<const B: usize>(a: &Blocks<B, B>) -> Self {
        let n = a.n_rows();
        let own: Vec<f64> = (0..n).map(|node| norm(a.diagonal(node))).collect();
        let strength = |i: usize, j: usize, block: &Block<B, B>| -> f64 {
            let part = norm(block).powi(2) / (own[i] * own[j]);
            if i != j && part > STRONG * STRONG { part } else { 0.0 }
        };
        let strong = |i: usize| {
            a.row(i).map(move |(j, block)| (j, strength(i, j, block))).filter(|(_, strength)| *strength > 0.0)
        };
        let mut of_node = vec![NONE; n];
        let mut n_aggregates = 0;
        for i in 0..n {
            if of_node[i] != NONE || strong(i).any(|(j, _)| of_node[j] != NONE) {
                continue;
            }
            // A node without strong neighbours waits: alone it would be a level's worth of nothing.
            let mut alone = true;
            for (j, _) in strong(i) {
                of_node[j] = n_aggregates;
                alone = false;
            }
            if !alone {
                of_node[i] = n_aggregates;
                n_aggregates += 1;
            }
        }
        let first = of_node.clone();
        for i in (0..n).filter(|&i| first[i] == NONE) {
            let mut best = (0.0, NONE);
            for (j, strength) in strong(i).filter(|(j, _)| first[*j] != NONE) {
                if strength > best.0 {
                    best = (strength, first[j]);
                }
            }
            of_node[i] = best.1;
        }
        for i in 0..n {
            if of_node[i] != NONE {
                continue;
            }
            of_node[i] = n_aggregates;
            for (j, _) in strong(i) {
                if of_node[j] == NONE {
                    of_node[j] = n_aggregates;
                }
            }
            n_aggregates += 1;
        }
        Self::listed(of_node, n_aggregates as usize)
    }

    fn listed(of_node: Vec<u32>, n_aggregates: usize) -> Self {
        let mut start = vec![0_usize; n_aggregates + 1];
        for &aggregate in &of_node {
            start[aggregate as usize + 1] += 1;
        }
        for aggregate in 0..n_aggregates {
            start[aggregate + 1] += start[aggregate];
        }
        let mut next = start.clone();
        let mut nodes = vec![0; of_node.len()];
        for (node, &aggregate) in of_node.iter().enumerate() {
            nodes[next[aggregate as usize]] = node as u32;
            next[aggregate as usize] += 1;
        }
        Self { of_node, start, nodes }
    }

    /// Number of aggregates.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The nodes of an aggregate.
    pub(super) fn of(&self, aggregate: usize) -> &[u32] {
        &self.nodes[self.start[aggregate]..self.start[aggregate + 1]]
    }
}

/// Norm of Frobenius.
fn norm<const B: usize>(block: &Block<B, B>) -> f64 {
    block.as_flattened().iter().map(|value| value * value).sum::<f64>().sqrt()
}
