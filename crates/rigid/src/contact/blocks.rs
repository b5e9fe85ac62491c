//! The linear problem of many contacts, solved by blocks of bodies, joints and contacts instead of by a dense
//! mobility: at a cost in proportion to the number of bodies where they are a chain, a tree or a heap of
//! small groups.

use super::Rows;
use crate::joint::factors::{Factors, Touching};
use crate::law::LinearLaw;
use crate::search::Step;
use crate::stage::Stage;

/// Matrices whose elimination is known, at most: the contacts that may touch, and those that do, of a few
/// groups.
const KNOWN: usize = 6;

/// Memory of the solution.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContactBlocks {
    /// Factors for the contacts of some bodies, the latest first.
    known: Vec<(Key, Factors)>,
    sides: Vec<[Option<usize>; 2]>,
    mobility: Vec<f64>,
}

/// The contacts and joints that decide which blocks a matrix has.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    per_contact: usize,
    /// How often the rows of joints were chosen.
    prepared: usize,
    /// Bodies of each contact that move.
    sides: Vec<[Option<usize>; 2]>,
}

impl Rows {
    /// Prepares problems of the present rows at the last evaluation; false where joints are in a singular
    /// position, so that the blocks have no solution.
    pub(crate) fn set_blocks(&mut self, stages: &[Stage], step: &Step<'_>) -> bool {
        if self.joints.is_singular() {
            return false;
        }
        let Self { rows, bodies, per_contact: per, joints, blocks, .. } = self;
        let moves = |body: &usize| !step.bodies[*body].fixed;
        blocks.mobility.clear();
        blocks.mobility.extend(rows.chunks(*per).map(|rows| {
            let sum: f64 = rows.iter().map(|row| row.free_mobility(stages, step)).sum();
            (sum / *per as f64).max(f64::MIN_POSITIVE)
        }));
        blocks.sides.clear();
        blocks.sides.extend(rows.iter().step_by(*per).map(|row| row.bodies.map(|body| body.filter(moves))));
        let is_present = |key: &Key| {
            key.per_contact == *per && key.prepared == joints.prepared && key.sides == blocks.sides
        };
        if let Some(place) = blocks.known.iter().position(|(key, _)| is_present(key)) {
            blocks.known[..=place].rotate_right(1);
            return true;
        }
        let mut moving: Vec<usize> = bodies.iter().copied().filter(moves).collect();
        moving.sort_unstable();
        let factors = joints.with_contacts(step.joints, moving, &blocks.sides, *per);
        let key = Key { per_contact: *per, prepared: joints.prepared, sides: blocks.sides.clone() };
        blocks.known.truncate(KNOWN - 1);
        blocks.known.insert(0, (key, factors));
        true
    }

    /// Mean mobility of the rows of a contact, if its bodies had no joints \[1/kg\]; after
    /// [`Rows::set_blocks`].
    pub(crate) fn free_mobility(&self, contact: usize) -> f64 {
        self.blocks.mobility[contact]
    }

    /// Changes of impulses and velocities that linear laws of all contacts give; false if they are not
    /// finite. After [`Rows::set_blocks`].
    ///
    /// * `change` — impulse and velocity of each row
    pub(crate) fn change_by_laws(
        &mut self,
        laws: &[LinearLaw],
        stages: &[Stage],
        step: &Step<'_>,
        change: &mut Vec<[f64; 2]>,
    ) -> bool {
        let Self { rows, joints, blocks, .. } = self;
        let touching = Touching { rows, laws, mobility: &blocks.mobility };
        let factors = &mut blocks.known[0].1;
        factors.factorise(joints.rows_now(), touching, stages, step);
        self.change_by_values(laws, stages, step, change)
    }

    /// The same changes for other values f of the laws of the last call.
    pub(crate) fn change_by_values(
        &mut self,
        laws: &[LinearLaw],
        stages: &[Stage],
        step: &Step<'_>,
        change: &mut Vec<[f64; 2]>,
    ) -> bool {
        let Self { rows, blocks, .. } = self;
        let touching = Touching { rows, laws, mobility: &blocks.mobility };
        blocks.known[0].1.change(touching, stages, step, change)
    }
}
