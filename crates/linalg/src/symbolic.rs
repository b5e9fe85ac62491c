//! Structure of the Cholesky factor: elimination tree, supernodes, panels, updates.
//!
//! All of it is done on nodes, nine times cheaper than on dofs. A *supernode* is a range of consecutive nodes
//! (in elimination order) whose columns of the factor have the same rows below; its *list* names its own
//! nodes and then these rows. A *panel* is a part of a supernode at most `MAX_PANEL_DOFS` wide: the unit of
//! numerical work, stored as one dense matrix over the rows of the list from its first node on.
//!
//! Subtrees of the elimination tree whose work is a small part of the whole are *tasks*: they run in
//! parallel, and all supernodes above them (*top*) follow, parallel inside. Which is which depends on the
//! matrix only.
//!
//! Here are the types and their queries; `tree` finds the supernodes, `supernodes` their rows,
//! panels, updates and tasks.
//!
//! # Source
//!
//! Davis (2006), *Direct Methods for Sparse Linear Systems*, chapter 4; Ng & Peyton (1993), SIAM J. Sci.
//! Comput. 14(5).

use std::ops::Range;

use crate::dofs::DofSet;
use crate::graph::NodeGraph;
use crate::lanes::Row;
use crate::ordering::{OrderingError, nested_dissection};
use crate::tiles::n_rows;
use crate::tree::{Tree, nonzeros};

mod supernodes;

use supernodes::{cut_into_panels, entries_by_column, lists, tasks, updates};

/// Widest panel, in dofs: wide enough for fast matrix products, narrow enough for the cache.
pub(crate) const MAX_PANEL_DOFS: usize = 192;

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
        let (order, tree) = Tree::new(graph, |node| weights[node] as usize, &dissection);
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

    /// Memory of a factor: its panels with all their tiles, the upper triangle of diagonal blocks included.
    pub fn factor_bytes(&self) -> usize {
        let panel = |panel: &Panel| {
            let supernode = &self.supernodes[panel.supernode];
            let (first, end) = (supernode.row_of[panel.nodes.start], supernode.row_of[panel.nodes.end]);
            n_rows::<f64>(supernode.height() - first as usize, (end - first) as usize)
        };
        size_of::<Row>() * self.panels.iter().map(panel).sum::<usize>()
    }

    /// The nodes that have free dofs, in the order in which they are eliminated: METIS's order turned to a
    /// postorder of the elimination tree.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Floating-point operations of one factorisation.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// Dof of each row of the factor.
    pub(crate) fn dof_at_row(&self) -> Vec<u32> {
        let mut dofs = Vec::with_capacity(self.n_free());
        for &node in &self.order {
            let free = self.free.of_node(node as usize);
            dofs.extend((0..3).filter(|&i| free[i]).map(|i| 3 * node + i as u32));
        }
        dofs
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
