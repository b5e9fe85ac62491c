//! Stiffness and mass in the binary format of PETSc, for `MatLoad`.
//!
//! A file is a sequence of big-endian numbers, integers of 32 bits and doubles:
//!
//! ```text
//! 1211216, rows, columns, entries           MAT_FILE_CLASSID; entries 2³¹ − 1 if there are more
//! entries of each row
//! column of each entry, row by row, ascending
//! value of each entry
//! ```
//!
//! Both triangles are stored, over the dofs x, y, z of the nodes that the body uses: the i-th node of the
//! matrices is the i-th used one. The file is written from the lower triangle of 3 × 3 blocks, so that
//! memory holds the places of the upper triangle in addition, and no second copy of the values.
//!
//! A second file, with `.info` after its name, has the size of the blocks, which `MatLoad` reads before the
//! matrix: multigrid needs it.
//!
//! # Source
//!
//! PETSc, manual page of `MatLoad`; `src/mat/impls/aij/mpi/mpiaij.c`, `MatLoad_MPIAIJ_Binary`, which compares
//! the number of entries with the sum over the rows unless it is the largest integer.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use carom_files::{WriteFileError, write_atomically};
use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};
use carom_progress::Progress;

use crate::watched::Watched;

/// The number with which a matrix begins.
pub const MAT_FILE_CLASSID: i32 = 1_211_216;

/// The options of a matrix that `MatLoad` reads from its second file.
pub const MAT_INFO: &str = "-matload_block_size 3\n";

/// The second file of a matrix.
pub fn petsc_info(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".info");
    PathBuf::from(name)
}

/// A symmetric matrix over nodes, as 3 × 3 blocks.
trait Blocks {
    /// Columns of a row of a block with entries; the others of a diagonal block vanish.
    const WIDTH: usize;

    fn graph(&self) -> &NodeGraph;

    /// Row i of the block at an entry of the graph, or of its transpose.
    fn row(&self, entry: usize, i: usize, is_transposed: bool) -> [f64; 3];
}

impl Blocks for BlockMatrix {
    const WIDTH: usize = 3;

    fn graph(&self) -> &NodeGraph {
        &self.graph
    }

    fn row(&self, entry: usize, i: usize, is_transposed: bool) -> [f64; 3] {
        let block = &self.values[entry];
        std::array::from_fn(|j| if is_transposed { block[3 * j + i] } else { block[3 * i + j] })
    }
}

/// M_s ⊗ E₃: one entry in each row of a block.
impl Blocks for NodeMatrix {
    const WIDTH: usize = 1;

    fn graph(&self) -> &NodeGraph {
        &self.graph
    }

    fn row(&self, entry: usize, _: usize, _: bool) -> [f64; 3] {
        [self.values[entry], 0.0, 0.0]
    }
}

/// Writes a stiffness matrix, atomically.
///
/// * `is_used` — true for each node that belongs to a cell; the other nodes are left out
///
/// # Errors
///
/// [`WriteFileError`], also if the user stopped it, or if the dofs do not fit integers of 32 bits
pub fn write_petsc_stiffness(
    path: &Path,
    stiffness: &BlockMatrix,
    is_used: &[bool],
    progress: &dyn Progress,
) -> Result<(), WriteFileError> {
    write(path, stiffness, is_used, progress)
}

/// As [`write_petsc_stiffness`] for the mass matrix M_s ⊗ E₃.
///
/// # Errors
///
/// As [`write_petsc_stiffness`].
pub fn write_petsc_mass(
    path: &Path,
    mass: &NodeMatrix,
    is_used: &[bool],
    progress: &dyn Progress,
) -> Result<(), WriteFileError> {
    write(path, mass, is_used, progress)
}

fn write<B: Blocks>(
    path: &Path,
    matrix: &B,
    is_used: &[bool],
    progress: &dyn Progress,
) -> Result<(), WriteFileError> {
    write_atomically(path, |out| {
        let rows = Rows::new(matrix.graph(), is_used);
        let n_dofs = i32::try_from(3 * rows.n_used)
            .map_err(|_| io::Error::other("more dofs than the 32-bit integers of the format can number"))?;
        let n_entries: u64 = rows.nodes().map(|node| (3 * B::WIDTH * rows.length(node)) as u64).sum();
        let bytes = 16 + 4 * n_dofs as u64 + 12 * n_entries;
        let mut out = Watched::begin(out, "writing", bytes, progress);
        let stated = i32::try_from(n_entries).unwrap_or(i32::MAX);
        for number in [MAT_FILE_CLASSID, n_dofs, n_dofs, stated] {
            out.write_all(&number.to_be_bytes())?;
        }
        for node in rows.nodes() {
            let length = (B::WIDTH * rows.length(node)) as i32;
            out.write_all([length; 3].map(i32::to_be_bytes).as_flattened())?;
        }
        let mut line = Vec::new();
        for node in rows.nodes() {
            for i in 0..3 {
                line.clear();
                for (other, _, _) in rows.entries(node) {
                    let first = 3 * rows.number[other] as i32 + if B::WIDTH == 1 { i } else { 0 };
                    (0..B::WIDTH as i32).for_each(|j| line.extend((first + j).to_be_bytes()));
                }
                out.write_all(&line)?;
            }
        }
        for node in rows.nodes() {
            for i in 0..3 {
                line.clear();
                for (_, entry, is_transposed) in rows.entries(node) {
                    let row = matrix.row(entry, i, is_transposed);
                    row[..B::WIDTH].iter().for_each(|value| line.extend(value.to_be_bytes()));
                }
                out.write_all(&line)?;
            }
        }
        out.end();
        Ok(())
    })?;
    write_atomically(&petsc_info(path), |out| out.write_all(MAT_INFO.as_bytes()))
}

/// Complete rows of a graph of which the lower triangle is stored by columns.
struct Rows<'a> {
    graph: &'a NodeGraph,
    /// Number of each used node in the file, of the others [`u32::MAX`].
    number: Vec<u32>,
    n_used: usize,
    /// Start of each row of the strict lower triangle in `columns` and `entries`.
    starts: Vec<usize>,
    columns: Vec<u32>,
    /// Its entry of the graph.
    entries: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn new(graph: &'a NodeGraph, is_used: &[bool]) -> Self {
        let n_nodes = graph.n_nodes();
        let mut number = vec![u32::MAX; n_nodes];
        let mut n_used = 0;
        for (node, _) in is_used.iter().enumerate().filter(|(_, used)| **used) {
            number[node] = n_used;
            n_used += 1;
        }
        let below = |column: usize| graph.column(column).1.iter().skip(1).map(|&row| row as usize);
        let mut starts = vec![0; n_nodes + 1];
        (0..n_nodes).flat_map(below).for_each(|row| starts[row + 1] += 1);
        for row in 0..n_nodes {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let (mut columns, mut entries) = (vec![0; starts[n_nodes]], vec![0; starts[n_nodes]]);
        // Columns are passed in ascending order, so that they ascend in each row.
        for column in 0..n_nodes {
            let first = graph.col_ptr[column] + 1;
            for (entry, row) in (first..).zip(below(column)) {
                (columns[next[row]], entries[next[row]]) = (column as u32, entry);
                next[row] += 1;
            }
        }
        Self { graph, number, n_used: n_used as usize, starts, columns, entries }
    }

    /// The used nodes.
    fn nodes(&self) -> impl Iterator<Item = usize> {
        self.number.iter().enumerate().filter(|(_, number)| **number != u32::MAX).map(|(node, _)| node)
    }

    /// Number of entries in the row of a node.
    fn length(&self, node: usize) -> usize {
        self.starts[node + 1] - self.starts[node] + self.graph.column(node).1.len()
    }

    /// The row of a node: other node, entry of the graph, true if the entry is that of the transposed pair.
    fn entries(&self, node: usize) -> impl Iterator<Item = (usize, usize, bool)> {
        let lower = self.starts[node]..self.starts[node + 1];
        let (first, rows) = self.graph.column(node);
        let upper = (first..).zip(rows).map(|(entry, &row)| (row as usize, entry, true));
        lower.map(|at| (self.columns[at] as usize, self.entries[at], false)).chain(upper)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use carom_progress::Silent;

    use super::*;

    /// The dense matrix in a file, read number by number.
    fn read(bytes: &[u8]) -> Vec<Vec<f64>> {
        let integer = |at: usize| i32::from_be_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap());
        assert_eq!(integer(0), MAT_FILE_CLASSID);
        let (n, entries) = (integer(1) as usize, integer(3) as usize);
        assert_eq!(integer(2) as usize, n);
        let lengths: Vec<usize> = (0..n).map(|row| integer(4 + row) as usize).collect();
        assert_eq!(lengths.iter().sum::<usize>(), entries);
        let values = 4 * (4 + n + entries);
        assert_eq!(bytes.len(), values + 8 * entries);
        let mut dense = vec![vec![0.0; n]; n];
        let mut entry = 0;
        for (row, length) in lengths.into_iter().enumerate() {
            let columns: Vec<usize> = (0..length).map(|k| integer(4 + n + entry + k) as usize).collect();
            assert!(columns.is_sorted_by(|a, b| a < b), "columns ascend: {columns:?}");
            for column in columns {
                let at = values + 8 * entry;
                dense[row][column] = f64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
                entry += 1;
            }
        }
        dense
    }

    /// Four nodes, of which node 1 is not used; all entries differ.
    fn matrices() -> (BlockMatrix, NodeMatrix) {
        let graph = Arc::new(NodeGraph::from_cells(4, &[vec![0, 2], vec![2, 3]]).unwrap());
        let mut stiffness = BlockMatrix::zeros(Arc::clone(&graph));
        let mut mass = NodeMatrix::zeros(Arc::clone(&graph));
        for column in 0..4 {
            let (start, rows) = graph.column(column);
            for (at, &row) in rows.iter().enumerate() {
                for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                    // Diagonal blocks are symmetric.
                    let (a, b) = if row as usize == column { (i.max(j), i.min(j)) } else { (i, j) };
                    stiffness.values[start + at][3 * i + j] = (100 * (start + at + 1) + 10 * a + b) as f64;
                }
                mass.values[start + at] = (start + at) as f64 + 0.5;
            }
        }
        (stiffness, mass)
    }

    #[test]
    fn the_file_holds_both_triangles_of_the_used_nodes() {
        let (stiffness, mass) = matrices();
        let used = [true, false, true, true];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.petsc");
        let dofs: Vec<usize> =
            [0, 2, 3].into_iter().flat_map(|node| (0..3).map(move |i| 3 * node + i)).collect();
        write_petsc_stiffness(&path, &stiffness, &used, &Silent).unwrap();
        let found = read(&std::fs::read(&path).unwrap());
        let expected = stiffness.extract(&dofs);
        for (i, row) in found.iter().enumerate() {
            (0..9).for_each(|j| assert_eq!(row[j], expected[(i, j)], "K at {i}, {j}"));
        }
        write_petsc_mass(&path, &mass, &used, &Silent).unwrap();
        let found = read(&std::fs::read(&path).unwrap());
        for (j, &dof) in dofs.iter().enumerate() {
            let mut unit = faer::Mat::zeros(12, 1);
            unit[(dof, 0)] = 1.0;
            let column = mass.product(unit.as_ref());
            (0..9).for_each(|i| assert_eq!(found[i][j], column[(dofs[i], 0)], "M at {i}, {j}"));
        }
    }
}
