//! Forward and backward substitution, supernode by supernode.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{n_diagonal_tiles, solve_lower, solve_upper};
use super::pieces::{subtract, subtract_transposed};
use crate::factor::{PanelValues, panel_tiles};
use crate::lanes::{Row, add};
use crate::number::Number;
use crate::symbolic::{Supernode, Symbolic};
use crate::tiles::Tiles;

/// A factor W S Wᵀ whose storage holds numbers of one kind.
pub(crate) struct Passes<'f, T> {
    symbolic: &'f Symbolic,
    panels: &'f [PanelValues],
    number: PhantomData<T>,
}

impl<'f, T: Number> Passes<'f, T> {
    /// The factor in these panels.
    pub(crate) fn new(symbolic: &'f Symbolic, panels: &'f [PanelValues]) -> Self {
        Self { symbolic, panels, number: PhantomData }
    }

    /// Solves A X = B in place for groups whose rows are those of the factor, in the order of elimination.
    pub(crate) fn solve_groups(&self, groups: &mut [&mut [Row<T>]]) {
        let symbolic = self.symbolic;
        let n_groups = groups.len();
        // Forward: W y = b, subtrees first.
        let handed_up: Vec<Vec<Vec<Row<T>>>> = self
            .task_rows(groups)
            .into_par_iter()
            .zip(&symbolic.tasks)
            .map(|((first_row, mut own), task)| {
                let root = &symbolic.supernodes[task.end - 1];
                let mut above = vec![vec![T::ZEROS; root.height() - root.width()]; n_groups];
                let mut memory = Memory::new();
                for s in task.clone() {
                    let target = Target { first_row, root: Some(root) };
                    self.forward(s, &mut own, &mut above, target, &mut memory);
                }
                above
            })
            .collect();
        for (task, above) in symbolic.tasks.iter().zip(&handed_up) {
            let root = &symbolic.supernodes[task.end - 1];
            self.for_rows_below(root, |row, local| {
                for (group, above) in groups.iter_mut().zip(above) {
                    add::<T>(&mut group[row], &above[local]);
                }
            });
        }
        drop(handed_up);
        let mut memory = Memory::new();
        let target = Target { first_row: 0, root: None };
        for &s in &symbolic.top {
            self.forward(s, groups, &mut [], target, &mut memory);
        }
        self.apply_signs(groups);
        // Backward: Wᵀ x = y, top first.
        for &s in symbolic.top.iter().rev() {
            self.backward(s, groups, &[], target, &mut memory);
        }
        let from_above: Vec<Vec<Vec<Row<T>>>> = symbolic
            .tasks
            .iter()
            .map(|task| {
                let root = &symbolic.supernodes[task.end - 1];
                let mut above = vec![Vec::with_capacity(root.height() - root.width()); n_groups];
                self.for_rows_below(root, |row, _| {
                    for (group, above) in groups.iter().zip(&mut above) {
                        above.push(group[row]);
                    }
                });
                above
            })
            .collect();
        self.task_rows(groups).into_par_iter().zip(&symbolic.tasks).zip(&from_above).for_each(
            |(((first_row, mut own), task), above)| {
                let root = &symbolic.supernodes[task.end - 1];
                let mut memory = Memory::new();
                for s in task.clone().rev() {
                    let target = Target { first_row, root: Some(root) };
                    self.backward(s, &mut own, above, target, &mut memory);
                }
            },
        );
    }

    /// Solves S z = y: the signs of the pivots of an indefinite matrix.
    fn apply_signs(&self, groups: &mut [&mut [Row<T>]]) {
        for (i_panel, panel) in self.panels.iter().enumerate().filter(|(_, panel)| !panel.signs.is_empty()) {
            let first = self.first_row_of_panel(i_panel);
            for (row, _) in (first..).zip(&panel.signs).filter(|(_, sign)| **sign < 0.0) {
                for group in groups.iter_mut() {
                    for value in group[row].as_mut() {
                        *value = -*value;
                    }
                }
            }
        }
    }

    /// Row of the factor at which a panel begins.
    fn first_row_of_panel(&self, i_panel: usize) -> usize {
        let panel = &self.symbolic.panels[i_panel];
        let supernode = &self.symbolic.supernodes[panel.supernode];
        self.symbolic.dof_start[supernode.columns.start] + supernode.row_of[panel.nodes.start] as usize
    }

    /// The rows of each task in every group, with the number of the first one.
    fn task_rows<'a>(&self, groups: &'a mut [&mut [Row<T>]]) -> Vec<(usize, Vec<&'a mut [Row<T>]>)> {
        let symbolic = self.symbolic;
        let mut rests: Vec<&mut [Row<T>]> = groups.iter_mut().map(|group| &mut **group).collect();
        let mut parts = Vec::with_capacity(symbolic.tasks.len());
        let mut offset = 0;
        for task in &symbolic.tasks {
            let first = symbolic.dof_start[symbolic.supernodes[task.start].columns.start];
            let end = symbolic.dof_start[symbolic.supernodes[task.end - 1].columns.end];
            let mut part = Vec::with_capacity(rests.len());
            for rest in &mut rests {
                let (own, after) = std::mem::take(rest)[first - offset..].split_at_mut(end - first);
                part.push(own);
                *rest = after;
            }
            parts.push((first, part));
            offset = end;
        }
        parts
    }

    /// Calls back for every row below a supernode with its number and its place below the supernode's own
    /// rows.
    fn for_rows_below(&self, supernode: &Supernode, mut visit: impl FnMut(usize, usize)) {
        let mut local = 0;
        for &position in &supernode.list[supernode.n_columns()..] {
            for row in
                self.symbolic.dof_start[position as usize]..self.symbolic.dof_start[position as usize + 1]
            {
                visit(row, local);
                local += 1;
            }
        }
    }

    /// Where the rows below a supernode lie: first those in `own`, whose number is returned, then those in
    /// the buffer `above`.
    fn places_below(&self, supernode: &Supernode, target: Target<'_>, places: &mut Vec<u32>) -> usize {
        let dof_start = &self.symbolic.dof_start;
        places.clear();
        let (mut n_own, mut at_root) = (0, 0);
        for &position in &supernode.list[supernode.n_columns()..] {
            let n = dof_start[position as usize + 1] - dof_start[position as usize];
            let outside = target.root.filter(|root| position as usize >= root.columns.end);
            let first = match outside {
                None => {
                    n_own += n;
                    dof_start[position as usize] - target.first_row
                }
                Some(root) => {
                    let below = &root.list[root.n_columns()..];
                    at_root += below[at_root..].partition_point(|&other| other < position);
                    root.row_of[root.n_columns() + at_root] as usize - root.width()
                }
            };
            places.extend((first..first + n).map(|row| row as u32));
        }
        n_own
    }

    /// Forward substitution with one supernode: solves for its rows, subtracts from the rows below.
    fn forward(
        &self,
        s: usize,
        own: &mut [&mut [Row<T>]],
        above: &mut [Vec<Row<T>>],
        target: Target<'_>,
        memory: &mut Memory<T>,
    ) {
        let supernode = &self.symbolic.supernodes[s];
        let first = self.symbolic.dof_start[supernode.columns.start] - target.first_row;
        let (width, height) = (supernode.width(), supernode.height());
        let Memory { rows: memory_of_rows, places, loaded } = memory;
        // Loads on a few nodes, as of constraint modes, reach only what lies above them in the elimination
        // tree.
        loaded.clear();
        loaded.extend((0..own.len()).filter(|&group| {
            T::flat(&own[group][first..first + width]).iter().any(|&value| value != T::ZERO)
        }));
        memory_of_rows.clear();
        for &group in &*loaded {
            memory_of_rows.extend_from_slice(&own[group][first..first + width]);
            memory_of_rows.resize(memory_of_rows.len() + height - width, T::ZEROS);
        }
        for (panel, columns) in self.panels_of(supernode) {
            let n_diagonal = n_diagonal_tiles(&panel);
            let mut parts = Vec::with_capacity(loaded.len());
            for rows in memory_of_rows.chunks_mut(height) {
                let rows = &mut rows[columns.start..];
                solve_lower(panel, rows);
                let (done, rest) = rows.split_at_mut(rows.len().min(T::LANES * n_diagonal));
                parts.push((&done[..panel.width], rest));
            }
            subtract(panel, n_diagonal, parts, target.root.is_none());
        }
        let n_own = self.places_below(supernode, target, places);
        let (in_own, in_above) = places.split_at(n_own);
        for (&group, rows) in loaded.iter().zip(memory_of_rows.chunks(height)) {
            let (solved, below) = rows.split_at(width);
            own[group][first..first + width].copy_from_slice(solved);
            let (to_own, to_above) = below.split_at(n_own);
            for (&row, value) in in_own.iter().zip(to_own) {
                add::<T>(&mut own[group][row as usize], value);
            }
            for (&row, value) in in_above.iter().zip(to_above) {
                add::<T>(&mut above[group][row as usize], value);
            }
        }
    }

    /// Backward substitution with one supernode: subtracts the rows below, solves for its rows.
    fn backward(
        &self,
        s: usize,
        own: &mut [&mut [Row<T>]],
        above: &[Vec<Row<T>>],
        target: Target<'_>,
        memory: &mut Memory<T>,
    ) {
        let supernode = &self.symbolic.supernodes[s];
        let first = self.symbolic.dof_start[supernode.columns.start] - target.first_row;
        let (width, height) = (supernode.width(), supernode.height());
        let Memory { rows: memory_of_rows, places, .. } = memory;
        let n_own = self.places_below(supernode, target, places);
        let (in_own, in_above) = places.split_at(n_own);
        memory_of_rows.clear();
        for (group, own) in own.iter().enumerate() {
            memory_of_rows.extend_from_slice(&own[first..first + width]);
            memory_of_rows.extend(in_own.iter().map(|&row| own[row as usize]));
            memory_of_rows.extend(in_above.iter().map(|&row| above[group][row as usize]));
        }
        for (panel, columns) in self.panels_of(supernode).rev() {
            let n_diagonal = n_diagonal_tiles(&panel);
            let mut parts = Vec::with_capacity(own.len());
            for rows in memory_of_rows.chunks_mut(height) {
                let rows = &mut rows[columns.start..];
                let (start, rest) = rows.split_at_mut(rows.len().min(T::LANES * n_diagonal));
                parts.push((&mut start[..panel.width], &*rest));
            }
            subtract_transposed(panel, n_diagonal, &mut parts, target.root.is_none());
            for rows in memory_of_rows.chunks_mut(height) {
                solve_upper(panel, &mut rows[columns.start..]);
            }
        }
        for (own, rows) in own.iter_mut().zip(memory_of_rows.chunks(height)) {
            own[first..first + width].copy_from_slice(&rows[..width]);
        }
    }

    /// The panels of a supernode, each with its columns.
    fn panels_of<'a>(
        &'a self,
        supernode: &'a Supernode,
    ) -> impl DoubleEndedIterator<Item = (Tiles<'a, T>, Range<usize>)> {
        supernode.panels.clone().map(|i_panel| {
            let nodes = &self.symbolic.panels[i_panel].nodes;
            let columns = supernode.row_of[nodes.start] as usize..supernode.row_of[nodes.end] as usize;
            (panel_tiles(self.symbolic, i_panel, &self.panels[i_panel]), columns)
        })
    }
}

/// Memory of one worker.
struct Memory<T: Number> {
    /// Rows of a supernode, its own and those below, group after group.
    rows: Vec<Row<T>>,
    /// Where the rows below lie.
    places: Vec<u32>,
    /// Groups with a load.
    loaded: Vec<usize>,
}

impl<T: Number> Memory<T> {
    fn new() -> Self {
        Self { rows: Vec::new(), places: Vec::new(), loaded: Vec::new() }
    }
}

/// Where the rows of a supernode lie: `own` begins at `first_row`; rows past the columns of `root` are in a
/// buffer.
#[derive(Clone, Copy)]
struct Target<'a> {
    first_row: usize,
    root: Option<&'a Supernode>,
}
