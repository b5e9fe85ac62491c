//! The elimination tree in postorder, and the supernodes that its columns make.

use std::ops::Range;

use crate::graph::NodeGraph;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// The elimination tree over positions, postordered.
pub(crate) struct Tree {
    /// Parent of each position, [`NONE`] for roots.
    parent: Vec<u32>,
    /// Number of nodes in each column of the factor, the diagonal included.
    count: Vec<u32>,
    /// Number of dofs in them.
    height: Vec<usize>,
}

impl Tree {
    /// The tree of the matrix in a given order, and that order turned to a postorder of the tree (same fill).
    ///
    /// * `weight` — dofs of a node
    pub(crate) fn new(
        graph: &NodeGraph,
        weight: impl Fn(usize) -> usize,
        dissection: &[u32],
    ) -> (Vec<u32>, Self) {
        let n = dissection.len();
        let (row_start, earlier) = earlier_neighbours(graph, dissection);
        let mut parent = vec![NONE; n];
        let mut ancestor = vec![NONE; n];
        for i in 0..n {
            for &k in &earlier[row_start[i]..row_start[i + 1]] {
                let mut k = k as usize;
                while ancestor[k] != NONE && ancestor[k] != i as u32 {
                    k = std::mem::replace(&mut ancestor[k], i as u32) as usize;
                }
                if ancestor[k] == NONE {
                    ancestor[k] = i as u32;
                    parent[k] = i as u32;
                }
            }
        }
        // Row i of the factor is the part of the tree between its neighbours and i.
        let weight = |i: usize| weight(dissection[i] as usize);
        let mut count = vec![1_u32; n];
        let mut height: Vec<usize> = (0..n).map(weight).collect();
        let mut seen = vec![NONE; n];
        for i in 0..n {
            seen[i] = i as u32;
            for &k in &earlier[row_start[i]..row_start[i + 1]] {
                let mut k = k as usize;
                while seen[k] != i as u32 {
                    seen[k] = i as u32;
                    count[k] += 1;
                    height[k] += weight(i);
                    k = parent[k] as usize;
                }
            }
        }
        let post = postorder(&parent, &count);
        let mut position = vec![0_u32; n];
        for (new, &old) in post.iter().enumerate() {
            position[old as usize] = new as u32;
        }
        let renumber = |k: u32| if k == NONE { NONE } else { position[k as usize] };
        let tree = Self {
            parent: post.iter().map(|&old| renumber(parent[old as usize])).collect(),
            count: post.iter().map(|&old| count[old as usize]).collect(),
            height: post.iter().map(|&old| height[old as usize]).collect(),
        };
        (post.iter().map(|&old| dissection[old as usize]).collect(), tree)
    }

    /// The position above another one.
    pub(crate) fn parent(&self, position: usize) -> Option<usize> {
        let parent = self.parent[position];
        (parent != NONE).then_some(parent as usize)
    }

    /// Positions of the subtree below each position; columns of the same structure, such as those of a
    /// separator, have that of the last.
    pub(crate) fn subtree_sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1; self.parent.len()];
        for k in 0..sizes.len() {
            if let Some(parent) = self.parent(k) {
                sizes[parent] += sizes[k];
            }
        }
        for k in (1..sizes.len()).rev() {
            if self.continues(k) {
                sizes[k - 1] = sizes[k];
            }
        }
        sizes
    }

    /// Whether a position has the structure of the one before it.
    fn continues(&self, position: usize) -> bool {
        self.parent[position - 1] == position as u32 && self.count[position - 1] == self.count[position] + 1
    }

    /// Operations of a factorisation in this order, as far as orders are compared by them.
    ///
    /// * `weight` — dofs of a position
    pub(crate) fn operations(&self, weight: impl Fn(usize) -> usize) -> f64 {
        let column = |(k, &height): (usize, &usize)| weight(k) as f64 * (height as f64).powi(2);
        self.height.iter().enumerate().map(column).sum()
    }

    /// Cuts the positions into supernodes: same structure, or nearly so that wider ones are worth a few
    /// stored zeros.
    ///
    /// The allowed part of zeros by width is CHOLMOD's: Chen, Davis, Hager & Rajamanickam (2008), ACM TOMS
    /// 35(3), sec. 4.
    pub(super) fn supernode_columns(&self, dof_start: &[usize]) -> Vec<Range<usize>> {
        let n = self.parent.len();
        let mut merged: Vec<Group> = Vec::new();
        for j in 0..n {
            let same = j > 0 && self.continues(j);
            match merged.last_mut() {
                Some(group) if same => group.columns.end = j + 1,
                _ => merged.push(Group { columns: j..j + 1, zeros: 0 }),
            }
        }
        // A group may only be merged into the next one, its parent; later merges may make earlier ones
        // possible.
        let mut out: Vec<Group> = Vec::new();
        for group in merged {
            let mut group = group;
            while let Some(child) = out.last() {
                if self.parent[child.columns.end - 1] as usize != group.columns.start {
                    break;
                }
                let Some(zeros) = self.zeros_if_merged(child, &group, dof_start) else { break };
                group = Group { columns: child.columns.start..group.columns.end, zeros };
                out.pop();
            }
            out.push(group);
        }
        out.into_iter().map(|group| group.columns).collect()
    }

    /// Number of stored zeros of two merged groups, or `None` if they are too many.
    fn zeros_if_merged(&self, child: &Group, parent: &Group, dof_start: &[usize]) -> Option<u64> {
        let width = |columns: &Range<usize>| dof_start[columns.end] - dof_start[columns.start];
        let (width_child, width_parent) = (width(&child.columns), width(&parent.columns));
        // Height of a group with stored zeros: own columns and all rows below the last.
        let below =
            self.height[parent.columns.end - 1] - width(&(parent.columns.end - 1..parent.columns.end));
        let height_parent = width_parent + below;
        let below_child =
            self.height[child.columns.end - 1] - width(&(child.columns.end - 1..child.columns.end));
        let extra = (height_parent - below_child) as u64 * width_child as u64;
        let zeros = child.zeros + parent.zeros + extra;
        let total = nonzeros(width_child + height_parent, width_child + width_parent);
        let part = zeros as f64 / total as f64;
        let allowed = match width_child + width_parent {
            0..=12 => 1.0,
            13..=48 => 0.8,
            49..=144 => 0.1,
            _ => 0.05,
        };
        (extra == 0 || part <= allowed).then_some(zeros)
    }
}

/// Columns on the way to become a supernode.
struct Group {
    columns: Range<usize>,
    /// Stored zeros, in dofs squared.
    zeros: u64,
}

/// For each position the positions of its neighbours that come earlier, in compressed form.
fn earlier_neighbours(graph: &NodeGraph, order: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let position = positions(graph.n_nodes(), order);
    let mut start = vec![0_usize; order.len() + 1];
    let pairs = |visit: &mut dyn FnMut(u32, u32)| {
        for col in 0..graph.n_nodes() {
            let p_col = position[col];
            if p_col == NONE {
                continue;
            }
            for &row in &graph.column(col).1[1..] {
                let p_row = position[row as usize];
                if p_row != NONE {
                    visit(p_row.max(p_col), p_row.min(p_col));
                }
            }
        }
    };
    pairs(&mut |late, _| start[late as usize + 1] += 1);
    for k in 0..order.len() {
        start[k + 1] += start[k];
    }
    let mut next = start.clone();
    let mut earlier = vec![0_u32; start[order.len()]];
    pairs(&mut |late, early| {
        earlier[next[late as usize]] = early;
        next[late as usize] += 1;
    });
    (start, earlier)
}
/// Children before parents, the child with the longest column last, so that it can merge with its parent.
fn postorder(parent: &[u32], count: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let mut by_count: Vec<u32> = (0..n as u32).collect();
    by_count.sort_by_key(|&k| count[k as usize]);
    let mut first_child = vec![NONE; n];
    let mut next_sibling = vec![NONE; n];
    let mut roots = Vec::new();
    // Prepending in descending order leaves each list ascending.
    for &k in by_count.iter().rev() {
        match parent[k as usize] {
            NONE => roots.push(k),
            p => {
                next_sibling[k as usize] = first_child[p as usize];
                first_child[p as usize] = k;
            }
        }
    }
    roots.sort_unstable();
    let mut post = Vec::with_capacity(n);
    let mut stack: Vec<u32> = Vec::new();
    for root in roots {
        stack.push(root);
        while let Some(&k) = stack.last() {
            let child = first_child[k as usize];
            if child == NONE {
                post.push(k);
                stack.pop();
            } else {
                first_child[k as usize] = next_sibling[child as usize];
                stack.push(child);
            }
        }
    }
    post
}

/// Entries on and below the diagonal of `width` columns of `height` rows.
pub(crate) fn nonzeros(height: usize, width: usize) -> u64 {
    (height * width - width * width.saturating_sub(1) / 2) as u64
}

/// Position of each node in an order, [`NONE`] for nodes that are not in it.
pub(crate) fn positions(n_nodes: usize, order: &[u32]) -> Vec<u32> {
    let mut position = vec![NONE; n_nodes];
    for (k, &node) in order.iter().enumerate() {
        position[node as usize] = k as u32;
    }
    position
}
