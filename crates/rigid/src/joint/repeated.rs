//! Equations of joints that repeat others, as those of a plane linkage of hinges in space.
//!
//! Bodies rarely fit such equations to the last digit: a marker that is off by 1e-13 of the size leaves an
//! opening that no motion closes. They are found at the start, within what rounded figures explain, and left
//! out; their impulses are 0. A linkage that starts in a singular position, as one that lies flat, has
//! equations that repeat others there alone: a row that opens by more than it did is looked at again.

use super::JointEquation;
use super::start::AtRest;
use super::{Joints, Row};
use crate::state::State;

/// Opening of a row since it was left out, over the size of its joint, at which it is looked at again. Each
/// time that it still repeats others, the limit is doubled.
const OPENS: f64 = 1e-9;

/// The rows that are left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repeated {
    is_left_out: Vec<bool>,
    /// Values of these rows when they were left out; 0 of others.
    values: Vec<f64>,
    /// Limit of their change.
    limit: f64,
}

impl Repeated {
    /// None of n rows.
    pub(crate) fn new(n: usize) -> Self {
        Self { is_left_out: vec![false; n], values: vec![0.0; n], limit: OPENS }
    }

    /// True if a row is left out.
    pub(crate) fn has(&self, row: usize) -> bool {
        self.is_left_out[row]
    }

    /// The rows, ascending.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.is_left_out.iter().enumerate().filter(|(_, is)| **is).map(|(row, _)| row)
    }

    /// Leaves out rows whose values are known.
    pub(crate) fn set(&mut self, rows: impl Iterator<Item = (usize, f64)>) {
        self.is_left_out.fill(false);
        self.values.fill(0.0);
        rows.for_each(|(row, value)| (self.is_left_out[row], self.values[row]) = (true, value));
    }

    /// Looks at the rows again if one of them has opened; true if others are left out then.
    pub(crate) fn follow(&mut self, joints: &AtRest<'_>, states: &[State]) -> bool {
        let opens = |row: usize| {
            let (value, size) = joints.value(row, states);
            (value - self.values[row]).abs() > self.limit * size
        };
        if !self.rows().any(opens) {
            return false;
        }
        self.limit *= 2.0;
        let dependent = joints.dependent(states);
        let has_changed = !self.rows().eq(dependent.iter().copied());
        self.set(dependent.into_iter().map(|row| (row, joints.value(row, states).0)));
        has_changed
    }

    /// All numbers, for checkpoints.
    pub(crate) fn to_vec(&self) -> Vec<f64> {
        let rows = self.rows().flat_map(|row| [row as f64, self.values[row]]);
        std::iter::once(self.limit).chain(rows).collect()
    }

    /// The inverse of [`Repeated::to_vec`]; false if the numbers belong to other joints.
    pub(crate) fn restore(&mut self, numbers: &[f64]) -> bool {
        let Some((&limit, rows)) = numbers.split_first() else { return false };
        let pairs = rows.as_chunks::<2>().0.iter().map(|&[row, value]| (row as usize, value));
        let are_rows = pairs.clone().all(|(row, _)| row < self.values.len()) && rows.len().is_multiple_of(2);
        if are_rows {
            self.limit = limit;
            self.set(pairs);
        }
        are_rows
    }
}

impl Joints {
    /// Expresses the meeting of two ends in axes that turn with the first body, in joints some of whose rows
    /// are left out: of a plane linkage that turns in space, the rows across the plane stay the same.
    pub(crate) fn turn_with_bodies(&mut self, rows: &[usize], is_still: impl Fn(usize) -> bool) -> bool {
        let mut has_changed = false;
        for joint in &mut self.all {
            let own = joint.first..joint.first + joint.rows.len();
            let moves = joint.ends[0].body.is_some_and(|body| !is_still(body));
            if !moves || !rows.iter().any(|row| own.contains(row)) {
                continue;
            }
            for row in &mut joint.rows {
                if let Row::Kept(JointEquation::Apart(axis)) = *row {
                    *row = Row::Kept(JointEquation::Along(axis));
                    has_changed = true;
                }
            }
        }
        has_changed
    }
}
