//! Structure of the Cholesky factor: elimination tree, supernodes, panels, updates.
//!
//! All of it is done on nodes, nine times cheaper than on dofs. A *supernode* is a range of consecutive nodes (in
//! elimination order) whose columns of the factor have the same rows below; its *list* names its own nodes and then
//! these rows. A *panel* is a part of a supernode at most `MAX_PANEL_DOFS` wide: the unit of numerical work, stored as
//! one dense matrix over the rows of the list from its first node on.
//!
//! Subtrees of the elimination tree whose work is a small part of the whole are *tasks*: they run in parallel, and all
//! supernodes above them (*top*) follow, parallel inside. Which is which depends on the matrix only.
//!
//! # Source
//!
//! Davis (2006), *Direct Methods for Sparse Linear Systems*, chapter 4; Ng & Peyton (1993), SIAM J. Sci. Comput. 14(5).

use std::ops::Range;

use crate::dofs::DofSet;
use crate::graph::NodeGraph;
use crate::ordering::{OrderingError, nested_dissection};

/// Widest panel, in dofs: wide enough for fast matrix products, narrow enough for the cache.
pub(crate) const MAX_PANEL_DOFS: usize = 192;

/// A subtree with less than this part of all work is one task.
const TASK_PART: f64 = 1.0 / 24.0;

/// No node.
const NONE: u32 = u32::MAX;

/// A range of columns of the factor that have the same rows.
#[derive(Debug, Clone)]
pub(crate) struct Supernode {
    /// Its nodes, as positions in the elimination order.
    pub(crate) columns: Range<usize>,
    /// Its own positions, then the positions of the rows below, ascending.
    pub(crate) list: Vec<u32>,
    /// First dof row of each node of the list, and the number of rows: length of the list + 1.
    pub(crate) row_of: Vec<u32>,
    /// Its panels.
    pub(crate) panels: Range<usize>,
}

impl Supernode {
    /// Number of its own nodes.
    pub(crate) fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// Number of dofs of its own nodes.
    pub(crate) fn width(&self) -> usize {
        self.row_of[self.n_columns()] as usize
    }

    /// Number of dof rows, its own included.
    pub(crate) fn height(&self) -> usize {
        self.row_of[self.list.len()] as usize
    }
}

/// A part of a supernode, stored as one dense matrix.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    /// Its supernode.
    pub(crate) supernode: usize,
    /// Its nodes, as indices into the list of the supernode.
    pub(crate) nodes: Range<usize>,
}

/// Contribution of one supernode to a panel above it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Update {
    /// The contributing supernode.
    pub(crate) source: u32,
    /// Where the nodes of the panel begin in the list of the source.
    pub(crate) first: u32,
}

/// An entry of the matrix in its column of the elimination order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Index of the entry in the node graph.
    pub(crate) index: u32,
    /// Position of its row.
    pub(crate) row: u32,
}

/// Structure of the factor of a matrix over a node graph, restricted to free dofs.
#[derive(Debug, Clone)]
pub struct Symbolic {
    pub(crate) free: DofSet,
    /// Node at each position of the elimination order.
    pub(crate) order: Vec<u32>,
    /// First factor dof of each position, and the number of dofs.
    pub(crate) dof_start: Vec<usize>,
    pub(crate) supernodes: Vec<Supernode>,
    pub(crate) panels: Vec<Panel>,
    update_start: Vec<usize>,
    updates: Vec<Update>,
    entry_start: Vec<usize>,
    entries: Vec<Entry>,
    /// Ranges of supernodes that are whole subtrees, ascending.
    pub(crate) tasks: Vec<Range<usize>>,
    /// Supernodes above all tasks, ascending.
    pub(crate) top: Vec<usize>,
    factor_nonzeros: u64,
    flops: f64,
}

impl Symbolic {
    /// Orders the nodes that have free dofs and finds the structure of the factor.
    ///
    /// # Errors
    ///
    /// [`OrderingError`] if METIS cannot order the graph.
    ///
    /// # Panics
    ///
    /// If `free` has another number of nodes than the graph.
    pub fn new(graph: &NodeGraph, free: DofSet) -> Result<Self, OrderingError> {
        assert_eq!(graph.n_nodes(), free.n_nodes(), "the set of dofs must belong to the graph");
        if u32::try_from(graph.n_entries()).is_err() {
            return Err(OrderingError::TooLarge { n_couplings: graph.n_entries() });
        }
        let weights: Vec<u8> =
            (0..free.n_nodes()).map(|node| free.of_node(node).iter().map(|&f| u8::from(f)).sum()).collect();
        let dissection = nested_dissection(graph, &weights)?;
        let (order, tree) = Tree::new(graph, &weights, &dissection);
        let weight_at: Vec<u8> = order.iter().map(|&node| weights[node as usize]).collect();
        let mut dof_start = vec![0; order.len() + 1];
        for (k, &weight) in weight_at.iter().enumerate() {
            dof_start[k + 1] = dof_start[k] + weight as usize;
        }
        let columns = tree.supernode_columns(&dof_start);
        let (entry_start, entries) = entries_by_column(graph, &order);
        let mut supernodes = lists(&columns, &entry_start, &entries, &weight_at);
        let panels = cut_into_panels(&mut supernodes);
        let (update_start, updates) = updates(&supernodes, &panels, order.len());
        let work: Vec<f64> = supernodes.iter().map(|s| work(s.height(), s.width())).collect();
        let (tasks, top) = tasks(&supernodes, &work, order.len());
        let factor_nonzeros = supernodes.iter().map(|s| nonzeros(s.height(), s.width())).sum();
        let flops = work.iter().sum();
        Ok(Self {
            free,
            order,
            dof_start,
            supernodes,
            panels,
            update_start,
            updates,
            entry_start,
            entries,
            tasks,
            top,
            factor_nonzeros,
            flops,
        })
    }

    /// Number of free dofs: rows of the factor.
    pub fn n_free(&self) -> usize {
        self.dof_start[self.order.len()]
    }

    /// The free dofs.
    pub fn free(&self) -> &DofSet {
        &self.free
    }

    /// Entries of the factor's lower triangle.
    pub fn factor_nonzeros(&self) -> u64 {
        self.factor_nonzeros
    }

    /// Floating-point operations of one factorisation.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// Contributions of other supernodes to a panel, in ascending order.
    pub(crate) fn updates_of(&self, panel: usize) -> &[Update] {
        &self.updates[self.update_start[panel]..self.update_start[panel + 1]]
    }

    /// Entries of the matrix in the column of a position.
    pub(crate) fn entries_of(&self, position: usize) -> &[Entry] {
        &self.entries[self.entry_start[position]..self.entry_start[position + 1]]
    }
}

/// Multiplications and additions of eliminating `width` columns of `height` rows.
fn work(height: usize, width: usize) -> f64 {
    (0..width).map(|c| ((height - c) as f64).powi(2)).sum()
}

/// Entries on and below the diagonal of `width` columns of `height` rows.
fn nonzeros(height: usize, width: usize) -> u64 {
    (height * width - width * width.saturating_sub(1) / 2) as u64
}

/// The elimination tree over positions, postordered.
struct Tree {
    /// Parent of each position, [`NONE`] for roots.
    parent: Vec<u32>,
    /// Number of nodes in each column of the factor, the diagonal included.
    count: Vec<u32>,
    /// Number of dofs in them.
    height: Vec<usize>,
}

impl Tree {
    /// The tree of the matrix in a given order, and that order turned to a postorder of the tree (same fill).
    fn new(graph: &NodeGraph, weights: &[u8], dissection: &[u32]) -> (Vec<u32>, Self) {
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
        let weight = |i: usize| weights[dissection[i] as usize] as usize;
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

    /// Cuts the positions into supernodes: same structure, or nearly so that wider ones are worth a few stored zeros.
    ///
    /// The allowed part of zeros by width is CHOLMOD's: Chen, Davis, Hager & Rajamanickam (2008), ACM TOMS 35(3), sec. 4.
    fn supernode_columns(&self, dof_start: &[usize]) -> Vec<Range<usize>> {
        let n = self.parent.len();
        let mut merged: Vec<Group> = Vec::new();
        for j in 0..n {
            let same = j > 0 && self.parent[j - 1] == j as u32 && self.count[j - 1] == self.count[j] + 1;
            match merged.last_mut() {
                Some(group) if same => group.columns.end = j + 1,
                _ => merged.push(Group { columns: j..j + 1, zeros: 0 }),
            }
        }
        // A group may only be merged into the next one, its parent; later merges may make earlier ones possible.
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

/// Position of each node in an order, [`NONE`] for nodes that are not in it.
fn positions(n_nodes: usize, order: &[u32]) -> Vec<u32> {
    let mut position = vec![NONE; n_nodes];
    for (k, &node) in order.iter().enumerate() {
        position[node as usize] = k as u32;
    }
    position
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

/// Entries of the matrix by column of the elimination order, rows at or after the column.
fn entries_by_column(graph: &NodeGraph, order: &[u32]) -> (Vec<usize>, Vec<Entry>) {
    let position = positions(graph.n_nodes(), order);
    let mut start = vec![0_usize; order.len() + 1];
    let each = |visit: &mut dyn FnMut(usize, Entry)| {
        for col in 0..graph.n_nodes() {
            let p_col = position[col];
            if p_col == NONE {
                continue;
            }
            let (first, rows) = graph.column(col);
            for (k, &row) in rows.iter().enumerate() {
                let p_row = position[row as usize];
                if p_row != NONE {
                    let entry = Entry { index: (first + k) as u32, row: p_row.max(p_col) };
                    visit(p_row.min(p_col) as usize, entry);
                }
            }
        }
    };
    each(&mut |col, _| start[col + 1] += 1);
    for k in 0..order.len() {
        start[k + 1] += start[k];
    }
    let mut next = start.clone();
    let mut entries = vec![Entry { index: 0, row: 0 }; start[order.len()]];
    each(&mut |col, entry| {
        entries[next[col]] = entry;
        next[col] += 1;
    });
    (start, entries)
}

/// The rows of every supernode: those of the matrix in its columns and those handed up by its children.
fn lists(
    columns: &[Range<usize>],
    entry_start: &[usize],
    entries: &[Entry],
    weight_at: &[u8],
) -> Vec<Supernode> {
    let n = weight_at.len();
    let mut supernode_at = vec![0_u32; n];
    for (s, range) in columns.iter().enumerate() {
        supernode_at[range.clone()].fill(s as u32);
    }
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
    let mut seen = vec![NONE; n];
    let mut out: Vec<Supernode> = Vec::with_capacity(columns.len());
    for (s, range) in columns.iter().enumerate() {
        let mut list: Vec<u32> = (range.start as u32..range.end as u32).collect();
        let mut add = |row: u32, list: &mut Vec<u32>| {
            if row as usize >= range.end && seen[row as usize] != s as u32 {
                seen[row as usize] = s as u32;
                list.push(row);
            }
        };
        for entry in &entries[entry_start[range.start]..entry_start[range.end]] {
            add(entry.row, &mut list);
        }
        for &child in &children[s] {
            let child = &out[child as usize];
            for &row in &child.list[child.n_columns()..] {
                add(row, &mut list);
            }
        }
        list[range.len()..].sort_unstable();
        if let Some(&first_below) = list.get(range.len()) {
            children[supernode_at[first_below as usize] as usize].push(s as u32);
        }
        let mut row_of = Vec::with_capacity(list.len() + 1);
        row_of.push(0);
        let mut rows = 0;
        for &position in &list {
            rows += u32::from(weight_at[position as usize]);
            row_of.push(rows);
        }
        out.push(Supernode { columns: range.clone(), list, row_of, panels: 0..0 });
    }
    out
}

/// Cuts wide supernodes into panels of equal width.
fn cut_into_panels(supernodes: &mut [Supernode]) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (s, supernode) in supernodes.iter_mut().enumerate() {
        let first = panels.len();
        let n_panels = supernode.width().div_ceil(MAX_PANEL_DOFS).max(1);
        let n_nodes = supernode.n_columns();
        for k in 0..n_panels {
            let nodes = k * n_nodes / n_panels..(k + 1) * n_nodes / n_panels;
            if !nodes.is_empty() {
                panels.push(Panel { supernode: s, nodes });
            }
        }
        supernode.panels = first..panels.len();
    }
    panels
}

/// Which supernodes contribute to which panels of other supernodes.
fn updates(supernodes: &[Supernode], panels: &[Panel], n_positions: usize) -> (Vec<usize>, Vec<Update>) {
    let mut panel_at = vec![0_u32; n_positions];
    for (k, panel) in panels.iter().enumerate() {
        let list = &supernodes[panel.supernode].list;
        for &position in &list[panel.nodes.clone()] {
            panel_at[position as usize] = k as u32;
        }
    }
    let mut start = vec![0_usize; panels.len() + 1];
    let each = |visit: &mut dyn FnMut(usize, Update)| {
        for (s, supernode) in supernodes.iter().enumerate() {
            let mut last = NONE;
            for k in supernode.n_columns()..supernode.list.len() {
                let panel = panel_at[supernode.list[k] as usize];
                if panel != last {
                    last = panel;
                    visit(panel as usize, Update { source: s as u32, first: k as u32 });
                }
            }
        }
    };
    each(&mut |panel, _| start[panel + 1] += 1);
    for k in 0..panels.len() {
        start[k + 1] += start[k];
    }
    let mut next = start.clone();
    let mut updates = vec![Update { source: 0, first: 0 }; start[panels.len()]];
    each(&mut |panel, update| {
        updates[next[panel]] = update;
        next[panel] += 1;
    });
    (start, updates)
}

/// Whole subtrees with little work each, and the supernodes above them.
fn tasks(supernodes: &[Supernode], work: &[f64], n_positions: usize) -> (Vec<Range<usize>>, Vec<usize>) {
    let mut supernode_at = vec![0_u32; n_positions];
    for (s, supernode) in supernodes.iter().enumerate() {
        supernode_at[supernode.columns.clone()].fill(s as u32);
    }
    let mut subtree_work = work.to_vec();
    let mut subtree_start: Vec<usize> = (0..supernodes.len()).collect();
    for (s, supernode) in supernodes.iter().enumerate() {
        if let Some(&first_below) = supernode.list.get(supernode.n_columns()) {
            let parent = supernode_at[first_below as usize] as usize;
            subtree_work[parent] += subtree_work[s];
            subtree_start[parent] = subtree_start[parent].min(subtree_start[s]);
        }
    }
    let limit = TASK_PART * work.iter().sum::<f64>();
    let mut tasks = Vec::new();
    let mut top = Vec::new();
    let mut s = supernodes.len();
    while s > 0 {
        let root = s - 1;
        if subtree_work[root] <= limit {
            tasks.push(subtree_start[root]..s);
            s = subtree_start[root];
        } else {
            top.push(root);
            s = root;
        }
    }
    tasks.reverse();
    top.reverse();
    (tasks, top)
}
