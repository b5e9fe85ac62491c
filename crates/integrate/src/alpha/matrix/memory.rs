//! The matrix of a step as numbers, for a restart.

use super::super::parameters::Parameters;
use super::{Age, StepMatrix};
use crate::structure::Structure;
use crate::tiles::{Tiles, take};

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
        self.note_damping();
        self.complete();
        if self.has_derivatives && factored > 0.0 {
            self.factorise(of, factored);
        }
        true
    }
}
