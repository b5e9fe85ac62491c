//! Hanging points leave the matrices.

use std::sync::Arc;

use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};

use super::SystemMatrices;
use crate::Discretisation;

/// Matrices over the points of the body from those over points (f) and hanging points (h), which follow u_h = C u_f.
///
/// ```text
/// K = K̂_ff + Cᵀ A + Aᵀ C,   A = K̂_hf + ½ K̂_hh C
/// ```
///
/// A row of A is formed in a dense array and added to the rows of Cᵀ A by merging sorted lists: no search per entry. The sums
/// have one order, whatever the number of threads.
///
/// * `graph` — of the points alone
/// * `free` — K̂ and M̂
pub(super) fn without_hanging(
    discretisation: &Discretisation,
    graph: NodeGraph,
    free: &SystemMatrices,
) -> SystemMatrices {
    let n_points = discretisation.n_points();
    let mut product = Product::new(&graph, &discretisation.hanging);
    let mut row = DenseRow::new(n_points);
    for (hanging, couplings) in couplings(n_points, discretisation.hanging.len(), free).iter().enumerate() {
        for coupling in couplings {
            let value = coupling.value(free);
            match (coupling.other as usize).checked_sub(n_points) {
                None => row.add(coupling.other, &value, 1.0),
                Some(other) => {
                    for &(point, factor) in &discretisation.hanging[other] {
                        row.add(point, &value, 0.5 * factor);
                    }
                }
            }
        }
        row.touched.sort_unstable();
        for &(point, factor) in &discretisation.hanging[hanging] {
            product.add(point, factor, &row);
        }
        row.clear();
    }
    let (mut stiffness, mut mass) = (vec![[0.0; 9]; graph.n_entries()], vec![0.0; graph.n_entries()]);
    add_free(&graph, free, &mut stiffness, &mut mass);
    product.add_symmetric(&graph, &mut stiffness, &mut mass);
    let graph = Arc::new(graph);
    SystemMatrices {
        stiffness: BlockMatrix { graph: Arc::clone(&graph), values: stiffness },
        mass: NodeMatrix { graph, values: mass },
    }
}

/// A block of stiffness, row by row, and the mass beside it.
type Value = [f64; 10];

/// An entry of K̂ and M̂ in the row of a hanging point.
struct Coupling {
    other: u32,
    entry: usize,
    /// Whether the stored block is that of (other, hanging point).
    transposed: bool,
}

impl Coupling {
    fn value(&self, free: &SystemMatrices) -> Value {
        let block = &free.stiffness.values[self.entry];
        let place = |n: usize| if self.transposed { 3 * (n % 3) + n / 3 } else { n };
        std::array::from_fn(|n| if n < 9 { block[place(n)] } else { free.mass.values[self.entry] })
    }
}

/// The rows of all hanging points, in the order of the columns of the lower triangle.
fn couplings(n_points: usize, n_hanging: usize, free: &SystemMatrices) -> Vec<Vec<Coupling>> {
    let mut rows: Vec<Vec<Coupling>> = (0..n_hanging).map(|_| Vec::new()).collect();
    let graph = &free.stiffness.graph;
    for column in 0..graph.n_nodes() {
        let (start, of_column) = graph.column(column);
        for (entry, &row) in (start..).zip(of_column) {
            let Some(hanging) = (row as usize).checked_sub(n_points) else { continue };
            rows[hanging].push(Coupling { other: column as u32, entry, transposed: false });
            if column >= n_points && column != row as usize {
                rows[column - n_points].push(Coupling { other: row, entry, transposed: true });
            }
        }
    }
    rows
}

/// A row of A.
struct DenseRow {
    values: Vec<Value>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl DenseRow {
    fn new(n: usize) -> Self {
        Self { values: vec![[0.0; 10]; n], is_touched: vec![false; n], touched: Vec::new() }
    }

    fn add(&mut self, point: u32, value: &Value, factor: f64) {
        let place = point as usize;
        if !self.is_touched[place] {
            self.is_touched[place] = true;
            self.touched.push(point);
        }
        self.values[place].iter_mut().zip(value).for_each(|(sum, x)| *sum += factor * x);
    }

    fn clear(&mut self) {
        for &point in &self.touched {
            self.values[point as usize] = [0.0; 10];
            self.is_touched[point as usize] = false;
        }
        self.touched.clear();
    }
}

/// Cᵀ A: full rows of the points that hanging points follow.
struct Product {
    /// For each point its coupled points, ascending, and their values; empty where no hanging point follows it.
    rows: Vec<Vec<u32>>,
    values: Vec<Vec<Value>>,
}

impl Product {
    fn new(graph: &NodeGraph, hanging: &[Vec<(u32, f64)>]) -> Self {
        let n = graph.n_nodes();
        let mut is_followed = vec![false; n];
        hanging.iter().flatten().for_each(|&(point, _)| is_followed[point as usize] = true);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); n];
        for column in 0..n {
            for &row in graph.column(column).1 {
                if is_followed[row as usize] {
                    rows[row as usize].push(column as u32);
                }
                if is_followed[column] && row as usize != column {
                    rows[column].push(row);
                }
            }
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        let values = rows.iter().map(|row| vec![[0.0; 10]; row.len()]).collect();
        Self { rows, values }
    }

    fn add(&mut self, point: u32, factor: f64, row: &DenseRow) {
        let (columns, values) = (&self.rows[point as usize], &mut self.values[point as usize]);
        let mut place = 0;
        for &column in &row.touched {
            while columns[place] != column {
                place += 1;
            }
            let from = &row.values[column as usize];
            values[place].iter_mut().zip(from).for_each(|(sum, x)| *sum += factor * x);
        }
    }

    /// Adds the product and its transpose to the lower triangle.
    fn add_symmetric(&self, graph: &NodeGraph, stiffness: &mut [[f64; 9]], mass: &mut [f64]) {
        for (row, (columns, values)) in self.rows.iter().zip(&self.values).enumerate() {
            for (&column, value) in columns.iter().zip(values) {
                let entry = graph.find(row, column as usize).expect("the rows are those of the graph");
                let (below, above) = (row >= column as usize, row <= column as usize);
                for n in 0..9 {
                    let transposed = 3 * (n % 3) + n / 3;
                    stiffness[entry][n] += if below { value[n] } else { 0.0 };
                    stiffness[entry][n] += if above { value[transposed] } else { 0.0 };
                }
                mass[entry] += value[9] * if below && above { 2.0 } else { 1.0 };
            }
        }
    }
}

/// Adds K̂_ff and M̂_ff.
fn add_free(graph: &NodeGraph, free: &SystemMatrices, stiffness: &mut [[f64; 9]], mass: &mut [f64]) {
    for column in 0..graph.n_nodes() {
        let (start, rows) = free.stiffness.graph.column(column);
        let (first, own) = graph.column(column);
        let mut place = 0;
        // Hanging points come after all points.
        for (entry, &row) in (start..).zip(rows).take_while(|(_, row)| (**row as usize) < graph.n_nodes()) {
            while own[place] != row {
                place += 1;
            }
            let block = &free.stiffness.values[entry];
            stiffness[first + place].iter_mut().zip(block).for_each(|(sum, x)| *sum += x);
            mass[first + place] += free.mass.values[entry];
        }
    }
}
