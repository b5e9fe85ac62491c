//! Element matrices of meshes, and their addition.
//!
//! Batches of cells are computed in parallel and then added column range by column range, every entry in the
//! order of the cells.

use carom_linalg::NodeGraph;
use carom_mesh::CellShape;
use carom_progress::Progress;
use rayon::prelude::*;

use super::{AssemblyError, Target, inverted_cell};
use crate::kernel::{Inverted, Kernel, ShapeTable};
use crate::quadrature::{Integrand, Quadrature, QuadratureRule};
use crate::{Block, Discretisation};

/// Bytes of element matrices of one task before they are added: small enough for the cache.
const BYTES_PER_TASK: usize = 4 << 20;

/// Adds the cells of a block of a mesh.
pub(super) fn add_block(
    discretisation: &Discretisation,
    i_block: usize,
    shape: CellShape,
    rule: QuadratureRule,
    target: &mut Target<'_>,
    n_done: &mut u64,
    progress: &dyn Progress,
) -> Result<(), AssemblyError> {
    let block = &discretisation.blocks[i_block];
    let (n_cells, n) = (block.n_cells(), block.n_cell_points());
    let stiffness = ShapeTable::new(shape, Quadrature::for_cell(shape, Integrand::Stiffness, rule));
    let mass = ShapeTable::new(shape, Quadrature::for_cell(shape, Integrand::Mass, rule));
    let tables = Tables { same_rule: stiffness.rule == mass.rule, stiffness, mass };
    let n_pairs = n * (n + 1) / 2;
    let cells_per_task = (BYTES_PER_TASK / (n_pairs * 80)).clamp(1, 512);
    let n_tasks = rayon::current_num_threads().min(n_cells.div_ceil(cells_per_task)).max(1);
    let mut tasks: Vec<Task> = (0..n_tasks).map(|_| Task::new(n, cells_per_task, &tables)).collect();
    let mut order = Vec::with_capacity(n_tasks * cells_per_task * n);
    let mut first = 0;
    while first < n_cells {
        if progress.interrupted() {
            return Err(AssemblyError::Interrupted);
        }
        tasks.par_iter_mut().enumerate().for_each(|(i_task, task)| {
            let start = (first + i_task * cells_per_task).min(n_cells);
            task.compute(discretisation, block, start..(start + cells_per_task).min(n_cells), &tables);
        });
        for task in &tasks {
            if let Some((cell, inverted)) = task.inverted {
                return Err(inverted_cell(i_block, cell, inverted));
            }
        }
        add(&tasks, n, target, &mut order);
        let last = (first + n_tasks * cells_per_task).min(n_cells);
        *n_done += (last - first) as u64;
        first = last;
        progress.set(*n_done);
    }
    Ok(())
}

/// Shape functions of a block at the points of its two rules.
struct Tables {
    stiffness: ShapeTable,
    mass: ShapeTable,
    same_rule: bool,
}

/// Element matrices of some consecutive cells, their points in ascending order of number.
struct Task {
    kernel: Kernel,
    coordinates: [Vec<f64>; 3],
    ids: Vec<u32>,
    order: Vec<usize>,
    n_computed: usize,
    /// Ascending point numbers, n a cell.
    sorted_ids: Vec<u32>,
    /// K_ij for j = 0.., i = j.. of each cell in sorted order.
    stiffness: Vec<[f64; 9]>,
    mass: Vec<f64>,
    inverted: Option<(usize, Inverted)>,
}

impl Task {
    fn new(n: usize, n_cells: usize, tables: &Tables) -> Self {
        let n_pairs = n * (n + 1) / 2;
        Self {
            kernel: Kernel::new(n, &tables.stiffness, &tables.mass),
            coordinates: std::array::from_fn(|_| vec![0.0; n]),
            ids: vec![0; n],
            order: Vec::with_capacity(n),
            n_computed: 0,
            sorted_ids: vec![0; n * n_cells],
            stiffness: vec![[0.0; 9]; n_pairs * n_cells],
            mass: vec![0.0; n_pairs * n_cells],
            inverted: None,
        }
    }

    fn compute(
        &mut self,
        discretisation: &Discretisation,
        block: &Block,
        cells: std::ops::Range<usize>,
        tables: &Tables,
    ) {
        let n = self.ids.len();
        let n_pairs = n * (n + 1) / 2;
        let material = &discretisation.materials[block.material];
        let (lambda, mu) = material.lame();
        self.n_computed = cells.len();
        for (i_local, cell) in cells.enumerate() {
            block.basis(cell).point_ids_into(&mut self.ids);
            for (k, &id) in self.ids.iter().enumerate() {
                let point = discretisation.points[id as usize];
                for d in 0..3 {
                    self.coordinates[d][k] = point[d];
                }
            }
            let shapes = [&tables.stiffness, &tables.mass];
            let computed = self.kernel.compute(shapes, tables.same_rule, &self.coordinates);
            if let Err(inverted) = computed {
                self.inverted = Some((cell, inverted));
                return;
            }
            self.order.clear();
            self.order.extend(0..n);
            self.order.sort_unstable_by_key(|&k| (self.ids[k], k));
            let mut pair = n_pairs * i_local;
            for jj in 0..n {
                let j = self.order[jj];
                self.sorted_ids[n * i_local + jj] = self.ids[j];
                for &i in &self.order[jj..] {
                    self.stiffness[pair] = self.kernel.stiffness_block(i, j, lambda, mu);
                    self.mass[pair] = material.density * self.kernel.mass_entry(i, j);
                    pair += 1;
                }
            }
        }
    }
}

/// A column of an element matrix: global column, task, cell in the task, sorted local column.
type Column = (u32, u32, u32, u32);

/// Adds the element matrices of all tasks, each entry in the order of the cells.
fn add(tasks: &[Task], n: usize, target: &mut Target<'_>, order: &mut Vec<Column>) {
    order.clear();
    for (i_task, task) in tasks.iter().enumerate() {
        for i_cell in 0..task.n_computed {
            let ids = &task.sorted_ids[n * i_cell..n * (i_cell + 1)];
            order.extend(
                ids.iter().enumerate().map(|(jj, &id)| (id, i_task as u32, i_cell as u32, jj as u32)),
            );
        }
    }
    // A single part adds cell by cell: the same sums without sorting.
    let n_parts = if tasks.len() == 1 { 1 } else { rayon::current_num_threads() };
    if n_parts > 1 {
        order.sort_unstable();
    }
    let graph = target.graph;
    let (mut stiffness, mut mass) = (&mut target.stiffness[..], &mut target.mass[..]);
    let (mut rest, mut offset) = (&order[..], 0);
    let mut parts = Vec::with_capacity(n_parts);
    for i_part in 0..n_parts {
        let is_last = i_part + 1 == n_parts;
        // A part ends at the end of a column, so that no entry belongs to two parts.
        let mut end = if is_last { rest.len() } else { rest.len() / (n_parts - i_part) };
        while end > 0 && end < rest.len() && rest[end].0 == rest[end - 1].0 {
            end += 1;
        }
        let (columns, others) = rest.split_at(end);
        let boundary = match others.first() {
            Some(next) if !is_last => graph.col_ptr[next.0 as usize],
            _ => graph.rows.len(),
        };
        let (k_part, k_rest) = stiffness.split_at_mut(boundary - offset);
        let (m_part, m_rest) = mass.split_at_mut(boundary - offset);
        parts.push((columns, offset, k_part, m_part));
        (rest, offset, stiffness, mass) = (others, boundary, k_rest, m_rest);
    }
    parts.into_par_iter().for_each(|(columns, offset, stiffness, mass)| {
        for &(_, i_task, i_cell, jj) in columns {
            add_column(
                &tasks[i_task as usize],
                n,
                i_cell as usize,
                jj as usize,
                graph,
                offset,
                stiffness,
                mass,
            );
        }
    });
}

/// Adds column jj of a cell's matrices to the entries of its point's column.
fn add_column(
    task: &Task,
    n: usize,
    i_cell: usize,
    jj: usize,
    graph: &NodeGraph,
    offset: usize,
    stiffness: &mut [[f64; 9]],
    mass: &mut [f64],
) {
    let ids = &task.sorted_ids[n * i_cell..n * (i_cell + 1)];
    let column = ids[jj] as usize;
    let range = graph.col_ptr[column]..graph.col_ptr[column + 1];
    let rows = &graph.rows[range.clone()];
    // Pairs of the columns before jj: n + (n−1) + … + (n−jj+1).
    let first_pair = n * (n + 1) / 2 * i_cell + jj * n - jj * jj.saturating_sub(1) / 2;
    let mut position = 0;
    for (ii, pair) in (jj..n).zip(first_pair..) {
        let id = ids[ii];
        if rows[position] != id {
            position += 1;
        }
        if rows[position] != id {
            position += rows[position..].partition_point(|&row| row < id);
        }
        let entry = range.start - offset + position;
        let block = &task.stiffness[pair];
        for (sum, x) in stiffness[entry].iter_mut().zip(block) {
            *sum += x;
        }
        mass[entry] += task.mass[pair];
        if ii > jj && id as usize == column {
            // Two functions of a collapsed cell share a point: the pair (j, i) falls on the diagonal too.
            for a in 0..3 {
                for b in 0..3 {
                    stiffness[entry][3 * a + b] += block[3 * b + a];
                }
            }
            mass[entry] += task.mass[pair];
        }
    }
}
