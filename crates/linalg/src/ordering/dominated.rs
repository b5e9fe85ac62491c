//! Nodes that need no order of their own: those whose neighbours are all neighbours of another node.
//!
//! A node m is *dominated* by a node a if every neighbour of m, and m itself, is a neighbour of a or a. Where
//! a is eliminated, m can be too, without any fill that a does not cause. The nodes between the corners of
//! quadratic elements are dominated by both corners of their edge: only the corners, a sixth of all nodes of
//! a mesh of tet10, are left to order, and each other node goes with the first of those that dominate it.
//! Splines have no such nodes.

use std::cmp::Reverse;

use crate::graph::NodeGraph;

/// Parts of a weight, to be shared by the 2 corners of an edge or the 4 of a face.
const SHARES: i32 = 12;

/// A symmetric graph in compressed form, without the diagonal, neighbours ascending.
pub(super) struct Adjacency {
    pub(super) starts: Vec<i32>,
    pub(super) neighbours: Vec<i32>,
}

impl Adjacency {
    pub(super) fn n_vertices(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of(&self, vertex: usize) -> &[i32] {
        &self.neighbours[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Its lower triangle, with the diagonal.
    pub(super) fn lower(&self) -> NodeGraph {
        let (mut col_ptr, mut rows) = (vec![0], Vec::new());
        for vertex in 0..self.n_vertices() {
            rows.push(vertex as u32);
            let below = self.of(vertex).iter().filter(|&&other| other as usize > vertex);
            rows.extend(below.map(|&other| other as u32));
            col_ptr.push(rows.len());
        }
        NodeGraph { col_ptr, rows }
    }
}

/// The nodes that are left to order and, of the others, those of them that dominate each.
pub(super) struct Dominance {
    /// Vertices that nothing dominates, ascending.
    pub(super) corners: Vec<u32>,
    /// Start of each vertex in `by`.
    starts: Vec<u32>,
    /// Numbers among `corners` of those that dominate a vertex; none for a corner.
    by: Vec<u32>,
}

impl Dominance {
    /// Finds them.
    pub(super) fn new(graph: &Adjacency) -> Self {
        let n = graph.n_vertices();
        let rank = |vertex: usize| (graph.of(vertex).len(), Reverse(vertex));
        let dominates =
            |a: usize, m: usize| rank(a) > rank(m) && is_subset(graph.of(m), graph.of(a), a as i32);
        let is_corner: Vec<bool> =
            (0..n).map(|m| !graph.of(m).iter().any(|&a| dominates(a as usize, m))).collect();
        let corners: Vec<u32> = (0..n as u32).filter(|&vertex| is_corner[vertex as usize]).collect();
        let mut number = vec![0; n];
        for (k, &corner) in corners.iter().enumerate() {
            number[corner as usize] = k as u32;
        }
        let (mut starts, mut by) = (Vec::with_capacity(n + 1), Vec::new());
        starts.push(0);
        for m in 0..n {
            if !is_corner[m] {
                let dominators =
                    graph.of(m).iter().filter(|&&a| is_corner[a as usize] && dominates(a as usize, m));
                by.extend(dominators.map(|&a| number[a as usize]));
            }
            starts.push(by.len() as u32);
        }
        Self { corners, starts, by }
    }

    /// Numbers among the corners of those that dominate a vertex.
    pub(super) fn of(&self, vertex: usize) -> &[u32] {
        &self.by[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Weights of the corners with those of the vertices that they dominate, in twelfths: all corners that
    /// dominate a vertex share its weight equally.
    pub(super) fn shared_weights(&self, weight_of: impl Fn(usize) -> i32) -> Vec<i32> {
        let mut weights: Vec<i32> =
            self.corners.iter().map(|&corner| SHARES * weight_of(corner as usize)).collect();
        for vertex in 0..self.starts.len() - 1 {
            let by = self.of(vertex);
            for &corner in by {
                weights[corner as usize] += SHARES * weight_of(vertex) / by.len() as i32;
            }
        }
        weights
    }

    /// The graph of the corners.
    pub(super) fn corner_graph(&self, graph: &Adjacency) -> Adjacency {
        let mut number = vec![-1; graph.n_vertices()];
        for (k, &corner) in self.corners.iter().enumerate() {
            number[corner as usize] = k as i32;
        }
        let (mut starts, mut neighbours) = (vec![0], Vec::new());
        for &corner in &self.corners {
            let others = graph.of(corner as usize).iter().map(|&other| number[other as usize]);
            neighbours.extend(others.filter(|&other| other >= 0));
            starts.push(neighbours.len() as i32);
        }
        Adjacency { starts, neighbours }
    }

    /// All vertices in order: each corner behind those for which it is the first to dominate them.
    ///
    /// * `corner_order` — the corners' numbers in the order of elimination
    pub(super) fn expand(&self, corner_order: &[i32]) -> Vec<u32> {
        let mut position = vec![0_u32; self.corners.len()];
        for (k, &corner) in corner_order.iter().enumerate() {
            position[corner as usize] = k as u32;
        }
        let n = self.starts.len() - 1;
        let mut keyed: Vec<(u32, bool, u32)> = Vec::with_capacity(n);
        for vertex in 0..n {
            if let Some(first) = self.of(vertex).iter().map(|&corner| position[corner as usize]).min() {
                keyed.push((first, false, vertex as u32));
            }
        }
        keyed.extend(self.corners.iter().zip(&position).map(|(&corner, &k)| (k, true, corner)));
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, _, vertex)| vertex).collect()
    }
}

/// Whether all of `inner` but `except` are in `outer`, both ascending.
fn is_subset(inner: &[i32], outer: &[i32], except: i32) -> bool {
    let mut rest = outer.iter();
    let holds = |value: &i32| rest.by_ref().find(|&other| other >= value) == Some(value);
    inner.len() <= outer.len() && inner.iter().filter(|&&value| value != except).all(holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NodeGraph;
    use crate::ordering::{adjacency, nested_dissection};

    fn dominance(n: usize, cells: &[Vec<u32>]) -> (Adjacency, Dominance) {
        let graph = NodeGraph::from_cells(n, cells).unwrap();
        let active: Vec<u32> = (0..n as u32).collect();
        let couplings = adjacency(&graph, &vec![3; n], &active).unwrap();
        let dominance = Dominance::new(&couplings);
        (couplings, dominance)
    }

    #[test]
    fn midside_nodes_are_ordered_with_the_first_of_their_corners() {
        // Quadratic elements in a row: 0 1 2, 2 3 4, ... The corner at either end has the neighbours of a
        // midside node.
        let cells: Vec<Vec<u32>> = (0..6).map(|cell| vec![2 * cell, 2 * cell + 1, 2 * cell + 2]).collect();
        let (couplings, dominance) = dominance(13, &cells);
        assert_eq!(dominance.corners, [2, 4, 6, 8, 10]);
        assert_eq!(dominance.of(5), [1, 2]);
        assert_eq!(dominance.of(0), [0]);
        let corners = dominance.corner_graph(&couplings);
        assert_eq!((corners.of(0), corners.of(1)), (&[1][..], &[0, 2][..]));
        assert_eq!(dominance.shared_weights(|_| 2), [24 + 60, 48, 48, 48, 24 + 60]);
        assert_eq!(dominance.expand(&[2, 0, 4, 1, 3]), [5, 7, 6, 0, 1, 3, 2, 9, 11, 12, 10, 4, 8]);
    }

    #[test]
    fn separate_cells_are_ordered() {
        for cells in [vec![vec![0, 1, 2, 3, 4]], vec![vec![0, 1, 2], vec![3, 4]]] {
            let graph = NodeGraph::from_cells(5, &cells).unwrap();
            let mut order = nested_dissection(&graph, &[3; 5]).unwrap();
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4]);
        }
    }
}
