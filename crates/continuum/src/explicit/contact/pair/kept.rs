//! Forces of the nodes of a pair that are kept from step to step: springs of friction, multipliers.

use nalgebra::Vector3;

use super::Pair;
use super::edges::EDGES;
use crate::explicit::contact::row::Row;
use crate::explicit::contact::spring::Spring;

impl Pair {
    /// The force of the spring of a row at the start of the step \[N\].
    pub(in crate::explicit::contact) fn spring_force(&mut self, row: &Row) -> Vector3<f64> {
        let step = self.step;
        self.spring(row).at_start(step)
    }

    /// Stores the spring force of a row for the next step.
    pub(in crate::explicit::contact) fn set_force(&mut self, row: &Row, force: Vector3<f64>) {
        let step = self.step;
        self.spring(row).set(force, step);
    }

    fn spring(&mut self, row: &Row) -> &mut Spring {
        match (row.side, &mut self.edges) {
            (EDGES, Some(edges)) => &mut edges.touch([row.node, row.other]).spring,
            _ => &mut self.ends[row.side].springs[row.node as usize],
        }
    }

    /// The force of the multipliers of a node, or of two edges, and its step.
    fn force_of(&mut self, row: &Row) -> &mut (f64, u64) {
        match (row.side, &mut self.edges) {
            (EDGES, Some(edges)) => &mut edges.touch([row.node, row.other]).force,
            _ => &mut self.ends[row.side].forces[row.node as usize],
        }
    }

    /// Numbers of a spring in a checkpoint.
    pub(in crate::explicit) const N_SPRING: usize = Spring::NUMBERS;

    /// The springs of all nodes, for checkpoints; empty without friction.
    pub(in crate::explicit) fn springs(&self) -> impl Iterator<Item = [f64; Spring::NUMBERS]> + '_ {
        let has_friction = self.friction > 0.0;
        let springs = self.ends.iter().flat_map(|end| &end.springs).filter(move |_| has_friction);
        springs.map(|spring| spring.to_array())
    }

    /// Sets the springs from a checkpoint.
    pub(in crate::explicit) fn read_springs(&mut self, numbers: &[f64]) {
        let springs = self.ends.iter_mut().flat_map(|end| &mut end.springs);
        springs.zip(numbers.as_chunks().0).for_each(|(spring, array)| *spring = Spring::from_array(array));
    }

    /// The force of the multipliers of a node in the last step, from which those of the present step are
    /// searched \[N\]. It is that of the first row of the node; further ones have 0.
    pub(in crate::explicit::contact) fn last_force(&mut self, row: &Row) -> f64 {
        let now = self.step;
        let (force, step) = self.force_of(row);
        if *step + 1 == now { std::mem::take(force) } else { 0.0 }
    }

    /// Adds to the force of the multipliers of a node.
    pub(in crate::explicit::contact) fn keep_force(&mut self, row: &Row, force: f64) {
        let step = self.step;
        let known = self.force_of(row);
        *known = if known.1 == step { (known.0 + force, step) } else { (force, step) };
    }

    /// The forces of the multipliers of all nodes in the last step, for checkpoints.
    pub(in crate::explicit) fn last_forces(&self) -> impl Iterator<Item = f64> + '_ {
        let forces = self.ends.iter().flat_map(|end| &end.forces);
        forces.map(|(force, step)| if *step == self.step { *force } else { 0.0 })
    }

    /// Sets these forces from a checkpoint, once the number of steps is known.
    pub(in crate::explicit) fn read_last_forces(&mut self, numbers: &[f64]) {
        let (step, all) = (self.step, self.ends.iter_mut().flat_map(|end| &mut end.forces));
        all.zip(numbers).for_each(|(known, force)| *known = (*force, step));
    }

    /// The last step of each node in contact, for checkpoints.
    pub(in crate::explicit) fn seen(&self) -> impl Iterator<Item = u64> + '_ {
        self.ends.iter().flat_map(|end| end.seen.iter().copied())
    }

    /// Sets these steps from a checkpoint.
    pub(in crate::explicit) fn read_seen(&mut self, steps: &[u64]) {
        let all = self.ends.iter_mut().flat_map(|end| &mut end.seen);
        all.zip(steps).for_each(|(seen, step)| *seen = *step);
    }
}
