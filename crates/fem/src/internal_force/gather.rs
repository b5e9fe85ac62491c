//! Sums of the forces of all groups at each point, and the forces of hanging points.

use rayon::prelude::*;

use super::MAX_FIELDS;
use crate::Discretisation;

/// Points that one task sums.
const POINTS_PER_TASK: usize = 1024;

/// The occurrences of each point in the groups: block, group, place.
#[derive(Debug, Clone)]
pub(super) struct Gather {
    starts: Vec<usize>,
    slots: Vec<[u32; 3]>,
}

impl Gather {
    /// * `lists` — for each block the points of each of its groups
    pub(super) fn new(n_ids: usize, lists: &[Vec<&[u32]>]) -> Self {
        let mut starts = vec![0; n_ids + 1];
        lists.iter().flatten().flat_map(|points| *points).for_each(|&id| starts[id as usize + 1] += 1);
        for id in 0..n_ids {
            starts[id + 1] += starts[id];
        }
        let mut next = starts.clone();
        let mut slots = vec![[0; 3]; starts[n_ids]];
        for (block, chunks) in (0..).zip(lists) {
            for (chunk, points) in (0..).zip(chunks) {
                for (local, &id) in (0..).zip(*points) {
                    slots[next[id as usize]] = [block, chunk, local];
                    next[id as usize] += 1;
                }
            }
        }
        Self { starts, slots }
    }

    /// Sums at points and hanging points.
    pub(super) fn sum(
        &self,
        at_points: &mut [[f64; 3]],
        n_points: usize,
        at_hanging: &mut [[f64; 3]],
        of_group: impl Fn([u32; 3]) -> [f64; 3] + Sync,
    ) {
        let fill = |first: usize, sums: &mut [[f64; 3]]| {
            for (id, sum) in (first..).zip(sums) {
                *sum = [0.0; 3];
                for &slot in &self.slots[self.starts[id]..self.starts[id + 1]] {
                    let force = of_group(slot);
                    (0..3).for_each(|a| sum[a] += force[a]);
                }
            }
        };
        let tasks = at_points.par_chunks_mut(POINTS_PER_TASK).enumerate();
        tasks.for_each(|(i, sums)| fill(i * POINTS_PER_TASK, sums));
        fill(n_points, at_hanging);
    }
}

/// Hanging points: values from those of points, and forces that are distributed to points.
#[derive(Debug, Clone)]
pub(super) struct Hanging {
    n_points: usize,
    rows: Vec<Vec<(u32, f64)>>,
    values: [Vec<[f64; 3]>; MAX_FIELDS],
    forces: Vec<[f64; 3]>,
}

impl Hanging {
    pub(super) fn new(discretisation: &Discretisation) -> Self {
        let n = discretisation.hanging.len();
        Self {
            n_points: discretisation.n_points(),
            rows: discretisation.hanging.clone(),
            values: std::array::from_fn(|_| vec![[0.0; 3]; n]),
            forces: vec![[0.0; 3]; n],
        }
    }

    /// Computes the values of some fields at the hanging points.
    pub(super) fn expand(&mut self, fields: &[&[f64]]) {
        for (field, values) in fields.iter().zip(&mut self.values) {
            let (field, _) = field.as_chunks::<3>();
            for (row, value) in self.rows.iter().zip(values) {
                *value = [0.0; 3];
                for &(point, factor) in row {
                    (0..3).for_each(|a| value[a] += factor * field[point as usize][a]);
                }
            }
        }
    }

    /// A field at a point or hanging point.
    #[inline(always)]
    pub(super) fn value(&self, id: u32, i_field: usize, at_points: &[[f64; 3]]) -> [f64; 3] {
        match (id as usize).checked_sub(self.n_points) {
            None => at_points[id as usize],
            Some(hanging) => self.values[i_field][hanging],
        }
    }

    pub(super) fn forces_mut(&mut self) -> &mut [[f64; 3]] {
        &mut self.forces
    }

    /// Distributes the forces at hanging points to the points on which they depend.
    pub(super) fn fold(&self, force: &mut [[f64; 3]]) {
        for (row, value) in self.rows.iter().zip(&self.forces) {
            for &(point, factor) in row {
                (0..3).for_each(|a| force[point as usize][a] += factor * value[a]);
            }
        }
    }
}
