//! Bodies given only by stiffness and mass matrices of a finite-element program.

use std::sync::Arc;

use carom_fem::SystemMatrices;
use carom_linalg::{BlockMatrix, GraphError, NodeGraph, NodeMatrix};
use faer::Mat;

use crate::rigid::rigid_modes;

/// Largest deviation of a mass matrix from M_s ⊗ E₃, relative to its largest entry, for the number of digits
/// in files.
const KRONECKER: f64 = 1e-6;

/// Largest force of a rigid motion, relative to the forces that cancel in it, for the number of digits in
/// files.
const FREE: f64 = 1e-5;

/// The lower triangle of a symmetric matrix: row ≥ column, each pair once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entries {
    /// Number of rows and columns.
    pub size: usize,
    /// Row, column (from 0) and value.
    pub entries: Vec<(u32, u32, f64)>,
}

/// Errors in the matrices of a body.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MatricesError {
    /// Matrix and node list have different lengths.
    #[error(
        "{what} has {size} rows, but the {n_nodes} nodes of the list have {} dofs (three each): list the \
         nodes of the matrices, all of them, in the order of their dofs",
        3 * n_nodes
    )]
    Size {
        /// `the stiffness` or `the mass`.
        what: &'static str,
        /// Its rows.
        size: usize,
        /// Number of nodes in the list.
        n_nodes: usize,
    },
    /// The mass matrix couples directions.
    #[error(
        "the second matrix is not a mass matrix of solid elements, which is the same for x, y and z and has \
         no coupling between them: between {row} and {column} it has {value:e} kg in excess, {part:.1e} of \
         its largest entry; leave out rotary inertias, beams and shells, check the order of the dofs (x, y, \
         z of each \
         node in the order of the list), and that the files are the stiffness and then the mass"
    )]
    CoupledMass {
        /// One dof: node and direction.
        row: String,
        /// The other.
        column: String,
        /// The entry that should be zero, or the difference of two entries that should be equal \[kg\].
        value: f64,
        /// Its ratio to the largest entry.
        part: f64,
    },
    /// A matrix without entries.
    #[error("{what} is zero: check that the right matrices were written")]
    Zero {
        /// `the stiffness` or `the mass`.
        what: &'static str,
    },
    /// Stiffness and mass are exchanged.
    #[error(
        "the first matrix is the same for x, y and z, as a mass matrix is, and the second one is not: give \
         the \
         stiffness first, then the mass"
    )]
    Swapped,
    /// The total mass is not positive.
    #[error(
        "the total mass is {mass:e} kg; it must be above 0: check that stiffness and mass are given in this \
         order"
    )]
    Mass {
        /// 1/3 Σ M \[kg\].
        mass: f64,
    },
    /// A rigid motion strains the body.
    #[error(
        "{motion} causes forces of {part:.1e} relative to the forces that should cancel (at most \
         {FREE:.0e}): with this node list the stiffness does not permit rigid motions. Write the matrices \
         without supports, and \
         list the nodes in the order of the dofs (x, y, z of each)"
    )]
    Held {
        /// Which motion.
        motion: &'static str,
        /// Largest force, relative.
        part: f64,
    },
    /// No graph could be built.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// A free body given by its matrices, with three dofs x, y, z per node.
#[derive(Debug, Clone)]
pub struct MatrixBody {
    /// Name, as shown to the user.
    pub name: String,
    /// Positions of its nodes \[m\].
    pub points: Vec<[f64; 3]>,
    /// True for nodes with stiffness or mass; other nodes do not belong to the body.
    pub is_used: Vec<bool>,
    /// Stiffness and mass.
    pub system: SystemMatrices,
}

impl MatrixBody {
    /// Checks and stores the matrices of a free body.
    ///
    /// The mass must be M_s ⊗ E₃, as that of every solid element is, lumped or not: then all integrals of the
    /// floating frame follow from it (docs/theory/floating-frame.md, eq. (29)).
    ///
    /// * `points` — nodes in the order of their dofs \[m\]
    /// * `stiffness`, `mass` — 3n × 3n
    /// * `node_names` — numbers of the nodes in the user's list
    ///
    /// # Errors
    ///
    /// [`MatricesError`].
    pub fn new(
        name: String,
        points: Vec<[f64; 3]>,
        stiffness: &Entries,
        mass: &Entries,
        node_names: &[u64],
    ) -> Result<Self, MatricesError> {
        let n_nodes = points.len();
        for (what, matrix) in [("the stiffness", stiffness), ("the mass", mass)] {
            if matrix.size != 3 * n_nodes {
                return Err(MatricesError::Size { what, size: matrix.size, n_nodes });
            }
            if matrix.entries.iter().all(|entry| entry.2 == 0.0) {
                return Err(MatricesError::Zero { what });
            }
        }
        let graph = Arc::new(graph(n_nodes, [stiffness, mass])?);
        let stiffness = blocks(&graph, stiffness);
        let mass = node_mass(&blocks(&graph, mass), node_names).map_err(|error| {
            let is_mass = node_mass(&stiffness, node_names).is_ok();
            if is_mass { MatricesError::Swapped } else { error }
        })?;
        let total: f64 = mass.node_product(Mat::full(n_nodes, 1, 1.0).as_ref()).col(0).iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Err(MatricesError::Mass { mass: total });
        }
        let diagonal = stiffness.diagonal();
        let has_stiffness = diagonal.as_chunks::<3>().0.iter().map(|d| d.iter().any(|&k| k != 0.0));
        // A node with mass but without stiffness stays: the factorisation will report it.
        let is_used: Vec<bool> = has_stiffness.zip(mass.diagonal()).map(|(has, m)| has || m != 0.0).collect();
        check_free(&stiffness, &points, &is_used)?;
        Ok(Self { name, points, is_used, system: SystemMatrices { stiffness, mass } })
    }
}

/// The lower triangles of K and M = M_s ⊗ E₃ of a body, over the dofs of the nodes that it uses.
///
/// Nodes that no cell uses are left out: the i-th node of the matrices is the i-th used one.
pub fn entries_of(system: &SystemMatrices, is_used: &[bool]) -> [Entries; 2] {
    let mut number = vec![0_u32; is_used.len()];
    let mut n = 0;
    for (node, _) in is_used.iter().enumerate().filter(|(_, used)| **used) {
        number[node] = n;
        n += 1;
    }
    let size = 3 * n as usize;
    let [mut stiffness, mut mass] = [(); 2].map(|()| Entries { size, entries: Vec::new() });
    let graph = &system.stiffness.graph;
    for column in (0..graph.n_nodes()).filter(|&node| is_used[node]) {
        let (start, rows) = graph.column(column);
        // Column by column of the dofs.
        for j in 0..3_u32 {
            for (at, &row) in rows.iter().enumerate() {
                let (first, to) = (3 * number[row as usize], 3 * number[column] + j);
                for i in 0..3_u32 {
                    if first + i < to {
                        continue;
                    }
                    let value = system.stiffness.values[start + at][(3 * i + j) as usize];
                    if value != 0.0 {
                        stiffness.entries.push((first + i, to, value));
                    }
                    if i == j && system.mass.values[start + at] != 0.0 {
                        mass.entries.push((first + i, to, system.mass.values[start + at]));
                    }
                }
            }
        }
    }
    [stiffness, mass]
}

/// The graph of nodes that either matrix couples.
fn graph(n_nodes: usize, matrices: [&Entries; 2]) -> Result<NodeGraph, GraphError> {
    let mut pairs: Vec<(u32, u32)> = matrices
        .iter()
        .flat_map(|m| m.entries.iter().map(|(row, column, _)| (column / 3, row / 3)))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    NodeGraph::from_neighbours(n_nodes, |node, neighbours| {
        let first = pairs.partition_point(|pair| (pair.0 as usize) < node);
        neighbours
            .extend(pairs[first..].iter().take_while(|pair| pair.0 as usize == node).map(|pair| pair.1));
    })
}

fn blocks(graph: &Arc<NodeGraph>, matrix: &Entries) -> BlockMatrix {
    let mut out = BlockMatrix::zeros(Arc::clone(graph));
    for &(row, column, value) in &matrix.entries {
        let (row, column) = (row as usize, column as usize);
        let entry = graph.find(row / 3, column / 3).expect("the graph holds all pairs");
        out.values[entry][3 * (row % 3) + column % 3] += value;
        // Diagonal blocks are complete.
        if row / 3 == column / 3 && row != column {
            out.values[entry][3 * (column % 3) + row % 3] += value;
        }
    }
    out
}

/// M_s of M_s ⊗ E₃.
fn node_mass(mass: &BlockMatrix, node_names: &[u64]) -> Result<NodeMatrix, MatricesError> {
    let largest = mass.values.as_flattened().iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let mut out = NodeMatrix::zeros(Arc::clone(&mass.graph));
    for column in 0..mass.graph.n_nodes() {
        let (start, rows) = mass.graph.column(column);
        for (at, &row) in rows.iter().enumerate() {
            let block = &mass.values[start + at];
            let mean = (block[0] + block[4] + block[8]) / 3.0;
            for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                let value = block[3 * i + j] - if i == j { mean } else { 0.0 };
                if value.is_nan() || value.abs() > KRONECKER * largest {
                    let dof = |node: usize, i: usize| {
                        let name = node_names.get(node).copied().unwrap_or(node as u64 + 1);
                        format!("{} of node {name}", ["x", "y", "z"][i])
                    };
                    return Err(MatricesError::CoupledMass {
                        row: dof(row as usize, i),
                        column: dof(column, j),
                        value,
                        part: value.abs() / largest,
                    });
                }
            }
            out.values[start + at] = mean;
        }
    }
    Ok(out)
}

/// Refuses a stiffness with forces in a rigid motion.
fn check_free(stiffness: &BlockMatrix, points: &[[f64; 3]], is_used: &[bool]) -> Result<(), MatricesError> {
    const MOTIONS: [&str; 6] = [
        "a translation along x",
        "a translation along y",
        "a translation along z",
        "a rotation about x",
        "a rotation about y",
        "a rotation about z",
    ];
    let n = is_used.iter().filter(|&&used| used).count().max(1) as f64;
    let used = || points.iter().zip(is_used).filter(|(_, used)| **used).map(|(point, _)| point);
    let center = [0, 1, 2].map(|a| used().map(|point| point[a]).sum::<f64>() / n);
    let motions = rigid_modes(points, center);
    let forces = stiffness.product(motions.as_ref());
    let magnitudes = Mat::from_fn(motions.nrows(), 6, |i, k| motions[(i, k)].abs());
    let cancelling = stiffness.magnitude_product(magnitudes.as_ref());
    for (k, motion) in MOTIONS.into_iter().enumerate() {
        let part = forces.col(k).norm_max() / cancelling.col(k).norm_max();
        if part.is_nan() || part > FREE {
            return Err(MatricesError::Held { motion, part });
        }
    }
    Ok(())
}
