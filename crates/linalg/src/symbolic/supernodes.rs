//! Supernodes once their columns are known: their rows, their panels, who updates whom, which subtrees are
//! tasks.

use std::ops::Range;

use super::{Entry, MAX_PANEL_DOFS, Panel, Supernode, Update};
use crate::graph::NodeGraph;
use crate::tree::{NONE, positions};

/// A subtree with less than this part of all work is one task.
const TASK_PART: f64 = 1.0 / 24.0;

/// Entries of the matrix by column of the elimination order, rows at or after the column.
pub(super) fn entries_by_column(graph: &NodeGraph, order: &[u32]) -> (Vec<usize>, Vec<Entry>) {
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
pub(super) fn lists(
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
pub(super) fn cut_into_panels(supernodes: &mut [Supernode]) -> Vec<Panel> {
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
pub(super) fn updates(
    supernodes: &[Supernode],
    panels: &[Panel],
    n_positions: usize,
) -> (Vec<usize>, Vec<Update>) {
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
pub(super) fn tasks(
    supernodes: &[Supernode],
    work: &[f64],
    n_positions: usize,
) -> (Vec<Range<usize>>, Vec<usize>) {
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
