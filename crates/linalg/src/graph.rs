//! Which pairs of nodes couple.

use rayon::prelude::*;

/// Number of columns that one task collects; fixed, so that the result cannot depend on the threads.
const COLUMNS_PER_TASK: usize = 256;

/// Why no graph could be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A cell names a node that does not exist.
    #[error("cell {cell}: node {node} does not exist; the body has {n_nodes} nodes, numbered from 0")]
    NodeOutOfRange {
        /// Zero-based number of the cell in the list.
        cell: usize,
        /// The node that it names.
        node: u32,
        /// Number of nodes.
        n_nodes: usize,
    },
    /// Node numbers are 32 bit wide.
    #[error("{n_nodes} nodes are more than 32-bit node numbers allow ({max}); split the \
        body", max = u32::MAX)]
    TooManyNodes {
        /// Number of nodes.
        n_nodes: usize,
    },
}

/// Which pairs of nodes couple: the lower triangle with its diagonal, column by column, rows ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGraph {
    /// Start of each column in `rows`, length n_nodes + 1.
    pub col_ptr: Vec<usize>,
    /// Row (node) of each entry, row ≥ column.
    pub rows: Vec<u32>,
}

impl NodeGraph {
    /// The graph in which all nodes of a cell couple with each other; every node has its diagonal entry.
    ///
    /// * `n_nodes` — number of nodes; nodes without cells are allowed
    /// * `cells` — node numbers of each cell, in any order, repetitions allowed
    ///
    /// # Errors
    ///
    /// [`GraphError`] if a node does not exist or cannot be numbered.
    pub fn from_cells<C: AsRef<[u32]> + Sync>(n_nodes: usize, cells: &[C]) -> Result<Self, GraphError> {
        let (cell_ptr, cell_of) = cells_of_nodes(n_nodes, cells)?;
        Self::from_neighbours(n_nodes, |node, neighbours| {
            for &i_cell in &cell_of[cell_ptr[node]..cell_ptr[node + 1]] {
                neighbours.extend_from_slice(cells[i_cell as usize].as_ref());
            }
        })
    }

    /// The graph of a relation between nodes that holds both ways; every node has its diagonal entry.
    ///
    /// * `n_nodes` — number of nodes
    /// * `neighbours` — appends to a list the nodes that couple with a node: in any order, repetitions and
    ///   the node itself allowed
    ///
    /// # Errors
    ///
    /// [`GraphError::TooManyNodes`].
    ///
    /// # Panics
    ///
    /// If a neighbour is not below `n_nodes`.
    pub fn from_neighbours(
        n_nodes: usize,
        neighbours: impl Fn(usize, &mut Vec<u32>) + Sync,
    ) -> Result<Self, GraphError> {
        if u32::try_from(n_nodes).is_err() {
            return Err(GraphError::TooManyNodes { n_nodes });
        }
        let n_tasks = n_nodes.div_ceil(COLUMNS_PER_TASK);
        let parts: Vec<(Vec<usize>, Vec<u32>)> = (0..n_tasks)
            .into_par_iter()
            .map_init(
                || (vec![u32::MAX; n_nodes], Vec::new()),
                |(last_seen, found), i_task| {
                    let first = i_task * COLUMNS_PER_TASK;
                    let last = n_nodes.min(first + COLUMNS_PER_TASK);
                    let mut counts = Vec::with_capacity(last - first);
                    let mut rows = Vec::new();
                    for col in first..last {
                        let start = rows.len();
                        rows.push(col as u32);
                        last_seen[col] = col as u32;
                        found.clear();
                        neighbours(col, found);
                        for &row in found.iter() {
                            if row as usize > col && last_seen[row as usize] != col as u32 {
                                last_seen[row as usize] = col as u32;
                                rows.push(row);
                            }
                        }
                        // Neighbours in a lattice come in order.
                        if !rows[start..].is_sorted() {
                            rows[start..].sort_unstable();
                        }
                        counts.push(rows.len() - start);
                    }
                    (counts, rows)
                },
            )
            .collect();
        let mut col_ptr = Vec::with_capacity(n_nodes + 1);
        col_ptr.push(0);
        let mut rows = Vec::with_capacity(parts.iter().map(|(_, part)| part.len()).sum());
        let mut end = 0;
        for (counts, part) in parts {
            for count in counts {
                end += count;
                col_ptr.push(end);
            }
            rows.extend_from_slice(&part);
        }
        Ok(Self { col_ptr, rows })
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.col_ptr.len() - 1
    }

    /// Number of stored entries: pairs row ≥ column, diagonal included.
    pub fn n_entries(&self) -> usize {
        self.rows.len()
    }

    /// The first entry of a column and its rows, ascending; the first row is the diagonal.
    pub fn column(&self, col: usize) -> (usize, &[u32]) {
        let start = self.col_ptr[col];
        (start, &self.rows[start..self.col_ptr[col + 1]])
    }

    /// The entry of the pair of nodes, given in any order, or `None` if they do not couple.
    ///
    /// The stored block belongs to (larger node, smaller node): transpose it for the other order.
    pub fn find(&self, row: usize, col: usize) -> Option<usize> {
        let (row, col) = (row.max(col), row.min(col));
        let (start, rows) = self.column(col);
        rows.binary_search(&(row as u32)).ok().map(|i| start + i)
    }
}

/// For each node the cells that contain it, in compressed form (starts, cells).
fn cells_of_nodes<C: AsRef<[u32]>>(
    n_nodes: usize,
    cells: &[C],
) -> Result<(Vec<usize>, Vec<u32>), GraphError> {
    if u32::try_from(n_nodes).is_err() {
        return Err(GraphError::TooManyNodes { n_nodes });
    }
    let mut starts = vec![0_usize; n_nodes + 1];
    for (i_cell, cell) in cells.iter().enumerate() {
        for &node in cell.as_ref() {
            if node as usize >= n_nodes {
                return Err(GraphError::NodeOutOfRange { cell: i_cell, node, n_nodes });
            }
            starts[node as usize + 1] += 1;
        }
    }
    for node in 0..n_nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut cell_of = vec![0_u32; starts[n_nodes]];
    for (i_cell, cell) in cells.iter().enumerate() {
        for &node in cell.as_ref() {
            cell_of[next[node as usize]] = i_cell as u32;
            next[node as usize] += 1;
        }
    }
    Ok((starts, cell_of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_that_share_a_node_couple_through_it_only() {
        let graph = NodeGraph::from_cells(5, &[vec![2, 0, 1], vec![4, 2, 2]]).unwrap();
        assert_eq!(graph.col_ptr, [0, 3, 5, 7, 8, 9]);
        assert_eq!(graph.rows, [0, 1, 2, 1, 2, 2, 4, 3, 4]);
        assert_eq!(graph.find(4, 2), Some(6));
        assert_eq!(graph.find(2, 4), Some(6));
        assert_eq!(graph.find(4, 0), None);
    }

    #[test]
    fn a_cell_with_an_unknown_node_is_refused_by_number() {
        let error = NodeGraph::from_cells(3, &[vec![0, 1], vec![1, 7]]).unwrap_err();
        assert_eq!(error, GraphError::NodeOutOfRange { cell: 1, node: 7, n_nodes: 3 });
        assert!(error.to_string().contains("node 7 does not exist"));
    }
}
