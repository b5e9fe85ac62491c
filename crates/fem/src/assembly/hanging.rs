//! Elimination of hanging points from the matrices.

use std::sync::Arc;

use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};
use carom_progress::Progress;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

use super::{AssemblyError, SystemMatrices, written};
use crate::Discretisation;

/// Largest number of hanging points whose rows are multiplied together.
const GROUP: usize = 64;

/// Matrices over the points of the body from those over points (f) and hanging points (h), which depend on
/// them by u_h = C u_f.
///
/// ```text
/// K = K̂_ff + Cᵀ A + Aᵀ C,   A = K̂_hf + ½ K̂_hh C
/// ```
///
/// Neighbouring hanging points depend on nearly the same points: Cᵀ A is a dense product for each group of
/// them. The sums have a fixed order, whatever the number of threads.
///
/// * `graph` — of the points alone
/// * `free` — K̂ and M̂
///
/// # Errors
///
/// [`AssemblyError::Interrupted`].
pub(crate) fn without_hanging(
    discretisation: &Discretisation,
    graph: NodeGraph,
    free: &SystemMatrices,
    progress: &dyn Progress,
) -> Result<SystemMatrices, AssemblyError> {
    let (n_points, hanging) = (discretisation.n_points(), &discretisation.hanging);
    let couplings = couplings(n_points, hanging.len(), free);
    let mut product = Product::new(&graph, hanging);
    let groups = groups(discretisation);
    progress.begin("hanging points", hanging.len() as u64);
    let mut n_done = 0;
    for batch in groups.chunks(rayon::current_num_threads()) {
        if progress.interrupted() {
            return Err(AssemblyError::Interrupted);
        }
        let panel = |group: &Vec<u32>| Panel::new(group, &couplings, n_points, hanging, free);
        let panels: Vec<Panel> = batch.par_iter().map(panel).collect();
        panels.iter().for_each(|panel| product.add(panel));
        n_done += batch.iter().map(Vec::len).sum::<usize>();
        progress.set(n_done as u64);
    }
    let (mut stiffness, mut mass) = (written(graph.n_entries(), [0.0; 9]), written(graph.n_entries(), 0.0));
    add_free(&graph, free, &mut stiffness, &mut mass);
    product.add_symmetric(&graph, &mut stiffness, &mut mass);
    progress.end();
    let graph = Arc::new(graph);
    Ok(SystemMatrices {
        stiffness: BlockMatrix { graph: Arc::clone(&graph), values: stiffness },
        mass: NodeMatrix { graph, values: mass },
    })
}

/// Groups of neighbouring hanging points, halved along the longest extent until they are small.
fn groups(discretisation: &Discretisation) -> Vec<Vec<u32>> {
    let place = |row: &Vec<(u32, f64)>| {
        let mut sum = [0.0; 3];
        for &(point, factor) in row {
            (0..3).for_each(|d| sum[d] += factor * discretisation.points[point as usize][d]);
        }
        sum
    };
    let places: Vec<[f64; 3]> = discretisation.hanging.iter().map(place).collect();
    let (mut open, mut groups) = (vec![(0..places.len() as u32).collect::<Vec<u32>>()], Vec::new());
    while let Some(mut group) = open.pop() {
        if group.len() <= GROUP {
            groups.push(group);
            continue;
        }
        let along = |d: usize| group.iter().map(move |&h| (h, d)).map(|(h, d)| places[h as usize][d]);
        let extent = [0, 1, 2].map(|d| {
            let (low, high) =
                along(d).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            high - low
        });
        let longest = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
        let before = |&a: &u32, &b: &u32| {
            places[a as usize][longest].total_cmp(&places[b as usize][longest]).then(a.cmp(&b))
        };
        let half = group.len() / 2;
        group.select_nth_unstable_by(half, before);
        let rest = group.split_off(half);
        open.extend([rest, group]);
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// A block of stiffness, row by row, and the mass after it.
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

/// Cᵀ A of a group of hanging points.
struct Panel {
    /// Points on which the group depends, ascending.
    followed: Vec<u32>,
    /// Points coupled by its rows of A, ascending.
    coupled: Vec<u32>,
    /// A column for each point of `followed`: the values of all coupled points one after the other.
    values: Mat<f64>,
}

impl Panel {
    fn new(
        group: &[u32],
        couplings: &[Vec<Coupling>],
        n_points: usize,
        hanging: &[Vec<(u32, f64)>],
        free: &SystemMatrices,
    ) -> Self {
        let mut places = vec![u32::MAX; n_points];
        let followed = sorted(&mut places, |visit| {
            group.iter().flat_map(|&h| &hanging[h as usize]).for_each(|&(point, _)| visit(point));
        });
        let mut factors = Mat::zeros(group.len(), followed.len());
        for (row, &h) in group.iter().enumerate() {
            for &(point, factor) in &hanging[h as usize] {
                factors[(row, places[point as usize] as usize)] = factor;
            }
        }
        followed.iter().for_each(|&point| places[point as usize] = u32::MAX);
        let others = group.iter().flat_map(|&h| &couplings[h as usize]).map(|coupling| coupling.other);
        let coupled = sorted(&mut places, |visit| {
            for other in others {
                match (other as usize).checked_sub(n_points) {
                    None => visit(other),
                    Some(h) => hanging[h].iter().for_each(|&(point, _)| visit(point)),
                }
            }
        });
        let mut rows: Mat<f64> = Mat::zeros(10 * coupled.len(), group.len());
        for (row, &h) in group.iter().enumerate() {
            let (row, _) = rows.col_as_slice_mut(row).as_chunks_mut::<10>();
            let mut add = |point: u32, value: &Value, factor: f64| {
                let sums = &mut row[places[point as usize] as usize];
                sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += factor * x);
            };
            for coupling in &couplings[h as usize] {
                let value = coupling.value(free);
                match (coupling.other as usize).checked_sub(n_points) {
                    None => add(coupling.other, &value, 1.0),
                    Some(other) => {
                        hanging[other].iter().for_each(|&(point, factor)| add(point, &value, 0.5 * factor));
                    }
                }
            }
        }
        let mut values = Mat::zeros(rows.nrows(), followed.len());
        matmul(values.as_mut(), Accum::Replace, rows.as_ref(), factors.as_ref(), 1.0, Par::Seq);
        Self { followed, coupled, values }
    }
}

/// The visited points, ascending and once each; `places` receives the index of each in the list.
fn sorted(places: &mut [u32], for_each: impl FnOnce(&mut dyn FnMut(u32))) -> Vec<u32> {
    let mut points = Vec::new();
    for_each(&mut |point| {
        if places[point as usize] == u32::MAX {
            places[point as usize] = 0;
            points.push(point);
        }
    });
    points.sort_unstable();
    (0..).zip(&points).for_each(|(place, &point)| places[point as usize] = place);
    points
}

/// Cᵀ A: full rows of the points on which hanging points depend.
struct Product {
    /// For each point its coupled points, ascending, and their values; empty if no hanging point depends on
    /// it.
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

    fn add(&mut self, panel: &Panel) {
        for (column, &point) in panel.followed.iter().enumerate() {
            let (columns, values) = (&self.rows[point as usize], &mut self.values[point as usize]);
            let (from, _) = panel.values.col_as_slice(column).as_chunks::<10>();
            let mut place = 0;
            for (other, from) in panel.coupled.iter().zip(from) {
                while columns.get(place).is_some_and(|column| column < other) {
                    place += 1;
                }
                // Points that meet in the group, but in no cell, have a zero entry.
                if columns.get(place) == Some(other) {
                    values[place].iter_mut().zip(from).for_each(|(sum, x)| *sum += x);
                }
            }
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
        // Hanging points have larger numbers than points.
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
