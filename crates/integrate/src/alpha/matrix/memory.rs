//! The matrix of a step as numbers, for a restart.

use std::ops::Range;

use super::super::history::take;
use super::super::parameters::Parameters;
use super::{Age, StepMatrix, Tiles};
use crate::structure::{ConstraintGroup, Part, Structure};

impl StepMatrix {
    fn derivatives(&mut self) -> [&mut Tiles; 8] {
        let Self { mass, carried, stiffness, damping, reactions, rows, row_rates, columns, .. } = self;
        [mass, carried, stiffness, damping, reactions, rows, row_rates, columns]
    }

    /// Structure of the velocities and constraints.
    pub(in crate::alpha) fn structure(&self) -> &Structure {
        &self.places.structure
    }

    /// Appends its numbers: the state of the derivatives, the step of the factors and whether they contain
    /// velocity constraints, whether there are derivatives, and these, block by block.
    pub(in crate::alpha) fn write(&self, memory: &mut Vec<f64>) {
        let flag = |is: bool| f64::from(u8::from(is));
        memory.extend([
            flag(self.has_derivatives),
            self.factored,
            flag(self.factors_hold),
            flag(self.is_filled),
        ]);
        if self.is_filled {
            let Self { mass, carried, stiffness, damping, reactions, rows, row_rates, columns, .. } = self;
            for tiles in [mass, carried, stiffness, damping, reactions, rows, row_rates, columns] {
                memory.extend_from_slice(&tiles.values);
            }
        }
    }

    /// Reads them back from the front of `memory`; false if there are too few.
    pub(in crate::alpha) fn read(&mut self, memory: &mut &[f64], of: &Parameters) -> bool {
        let Some((&[has_derivatives, factored, factors_hold, is_filled], rest)) = memory.split_first_chunk()
        else {
            return false;
        };
        *memory = rest;
        (self.has_derivatives, self.holds_velocities) = (has_derivatives == 1.0, factors_hold == 1.0);
        (self.age, self.factored) = (Age::Kept, 0.0);
        self.is_filled = is_filled == 1.0;
        if !self.is_filled {
            return true;
        }
        if !self.derivatives().into_iter().all(|tiles| take(memory, &mut tiles.values)) {
            return false;
        }
        self.complete();
        if self.has_derivatives && factored > 0.0 {
            self.factorise(of, factored);
        }
        true
    }
}

/// Appends a structure: numbers of parts, groups and couplings; size of each part and whether it is held;
/// for each group its rows, the ground, the number of its parts and these; the couplings.
pub(in crate::alpha) fn write_structure(structure: &Structure, memory: &mut Vec<f64>) {
    let Structure { parts, groups, couplings } = structure;
    memory.extend([parts.len(), groups.len(), couplings.len()].map(|count| count as f64));
    for Part { velocities, is_held } in parts {
        memory.extend([velocities.len() as f64, f64::from(u8::from(*is_held))]);
    }
    for ConstraintGroup { rows, parts, grounded } in groups {
        memory.extend([rows.len() as f64, f64::from(u8::from(*grounded)), parts.len() as f64]);
        memory.extend(parts.iter().map(|&part| part as f64));
    }
    memory.extend(couplings.iter().flatten().map(|&part| part as f64));
}

/// Reads a structure back from the front of `memory`; none if the numbers are not one. No count is larger
/// than `most`.
pub(in crate::alpha) fn read_structure(memory: &mut &[f64], most: usize) -> Option<Structure> {
    let mut next = |most: usize| -> Option<usize> {
        let (&number, rest) = memory.split_first()?;
        *memory = rest;
        (0.0..=most as f64).contains(&number).then_some(number as usize)
    };
    fn range(end: &mut usize, length: usize) -> Range<usize> {
        let start = *end;
        *end += length;
        start..*end
    }
    let mut structure = Structure::default();
    let [n_parts, n_groups, n_couplings] = [next(most)?, next(most)?, next(most * most)?];
    let (mut velocities, mut rows) = (0, 0);
    for _ in 0..n_parts {
        let velocities = range(&mut velocities, next(most)?);
        structure.parts.push(Part { velocities, is_held: next(1)? == 1 });
    }
    let last = n_parts.saturating_sub(1);
    for _ in 0..n_groups {
        let rows = range(&mut rows, next(most)?);
        let (grounded, count) = (next(1)? == 1, next(n_parts)?);
        let parts = (0..count).map(|_| next(last)).collect::<Option<_>>()?;
        structure.groups.push(ConstraintGroup { rows, parts, grounded });
    }
    for _ in 0..n_couplings {
        structure.couplings.push([next(last)?, next(last)?]);
    }
    (velocities.max(rows) <= most).then_some(structure)
}
