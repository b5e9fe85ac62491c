//! The system that is iterated on: K + sM on the nodes with free dofs, in an order that keeps neighbours
//! together.

use rayon::prelude::*;

use super::blocks::Blocks;
use crate::block::{BlockMatrix, NodeMatrix};
use crate::dofs::DofSet;

/// No position.
const NONE: u32 = u32::MAX;

/// Nodes with free dofs in their order, and the matrix over them.
///
/// A dof of such a node that is not free keeps its own diagonal entry alone: it never moves.
#[derive(Debug)]
pub(crate) struct System {
    /// Node at each position.
    pub(crate) nodes: Vec<u32>,
    /// K + sM.
    pub(crate) matrix: Blocks<3, 3>,
}

impl System {
    pub(crate) fn new(k: &BlockMatrix, shifted_mass: Option<(&NodeMatrix, f64)>, free: &DofSet) -> Self {
        let couplings = Couplings::new(k, free);
        let nodes = couplings.breadth_first();
        let mut position = vec![NONE; free.n_nodes()];
        for (place, &node) in nodes.iter().enumerate() {
            position[node as usize] = place as u32;
        }
        let rows = nodes
            .par_iter()
            .map(|&node| {
                let own = free.of_node(node as usize);
                let mut row: Vec<(u32, [[f64; 3]; 3])> = couplings
                    .of(node as usize)
                    .iter()
                    .map(|&(other, entry)| {
                        let values = &k.values[entry as usize];
                        // What is stored belongs to (larger node, smaller node).
                        let is_stored = other <= node;
                        let mut block: [[f64; 3]; 3] = std::array::from_fn(|i| {
                            std::array::from_fn(|j| values[if is_stored { 3 * i + j } else { 3 * j + i }])
                        });
                        if let Some((m, shift)) = shifted_mass {
                            (0..3).for_each(|i| block[i][i] += shift * m.values[entry as usize]);
                        }
                        let others = free.of_node(other as usize);
                        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                            if !(own[i] && others[j] || node == other && i == j) {
                                block[i][j] = 0.0;
                            }
                        }
                        (position[other as usize], block)
                    })
                    .collect();
                row.sort_unstable_by_key(|(place, _)| *place);
                row
            })
            .collect();
        let matrix = Blocks::from_rows(rows, nodes.len());
        Self { nodes, matrix }
    }
}

/// For each node those that it couples with, itself too, with the entry of the graph; nodes without free dofs
/// have none and are in none.
struct Couplings {
    start: Vec<usize>,
    /// (other node, entry).
    others: Vec<(u32, u32)>,
}

impl Couplings {
    fn new(k: &BlockMatrix, free: &DofSet) -> Self {
        let graph = &k.graph;
        let n = graph.n_nodes();
        let is_active: Vec<bool> = (0..n).map(|node| free.of_node(node).contains(&true)).collect();
        let pairs = |visit: &mut dyn FnMut(usize, usize, usize)| {
            for col in (0..n).filter(|&col| is_active[col]) {
                let (first, rows) = graph.column(col);
                for (entry, &row) in (first..).zip(rows) {
                    if is_active[row as usize] {
                        visit(row as usize, col, entry);
                    }
                }
            }
        };
        let mut start = vec![0_usize; n + 1];
        pairs(&mut |row, col, _| {
            start[row + 1] += 1;
            if row != col {
                start[col + 1] += 1;
            }
        });
        for node in 0..n {
            start[node + 1] += start[node];
        }
        let mut next = start.clone();
        let mut others = vec![(0, 0); start[n]];
        pairs(&mut |row, col, entry| {
            others[next[row]] = (col as u32, entry as u32);
            next[row] += 1;
            if row != col {
                others[next[col]] = (row as u32, entry as u32);
                next[col] += 1;
            }
        });
        Self { start, others }
    }

    fn of(&self, node: usize) -> &[(u32, u32)] {
        &self.others[self.start[node]..self.start[node + 1]]
    }

    /// The active nodes, breadth first from the end of each connected part.
    fn breadth_first(&self) -> Vec<u32> {
        let n = self.start.len() - 1;
        let mut order = Vec::with_capacity(n);
        let mut seen = vec![0_u8; n];
        for node in 0..n {
            if seen[node] != 0 || self.of(node).is_empty() {
                continue;
            }
            // The last node of a first walk is at an end: levels from there are small.
            let first = order.len();
            self.walk(node as u32, 1, &mut seen, &mut order);
            let end = *order.last().expect("the walk has its first node");
            order.truncate(first);
            self.walk(end, 2, &mut seen, &mut order);
        }
        order
    }

    /// Appends a connected part breadth first.
    fn walk(&self, from: u32, mark: u8, seen: &mut [u8], order: &mut Vec<u32>) {
        let mut next = order.len();
        seen[from as usize] = mark;
        order.push(from);
        while next < order.len() {
            let node = order[next];
            next += 1;
            for &(other, _) in self.of(node as usize) {
                if seen[other as usize] < mark {
                    seen[other as usize] = mark;
                    order.push(other);
                }
            }
        }
    }
}
