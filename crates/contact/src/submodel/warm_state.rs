//! All memory from one solve to the next.

use super::condensed::CondensedRows;
use super::friction::FrictionMemory;
use super::gaps::GapMemory;
use super::iterate::Iterate;
use super::model::QuasistaticContact;
use super::numbers::Reader;

/// All memory from one solve to the next: the same states and the same warm state give the same bits.
#[derive(Debug, Clone, PartialEq)]
pub struct WarmState {
    /// The last solution.
    pub(super) iterate: Iterate,
    pub(super) gaps: GapMemory,
    /// Friction since the last accepted state.
    pub(super) friction: FrictionMemory,
    /// Rows of the condensed compliance.
    pub(super) condensed: CondensedRows,
}

impl WarmState {
    /// Without any memory: the first solve searches everywhere.
    pub(super) fn cold(model: &QuasistaticContact) -> Self {
        Self {
            iterate: Iterate::zero(&model.bodies, model.n_rows()),
            gaps: GapMemory::new(&model.pairs),
            friction: FrictionMemory::new(&model.pairs, model.has_friction()),
            condensed: CondensedRows::default(),
        }
    }

    /// True if the state is one of this problem.
    pub(super) fn fits(&self, model: &QuasistaticContact) -> bool {
        self.iterate.fits(&model.bodies, model.n_rows())
            && self.gaps.fits(&model.pairs)
            && self.friction.fits(&model.pairs, model.has_friction())
            && self.condensed.fits(&model.unknowns)
    }

    /// The state as numbers, for a checkpoint; [`Self::read_numbers`] is the inverse, bit for bit.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut out = Vec::new();
        self.iterate.write(&mut out);
        self.gaps.write_cells(&mut out);
        self.friction.write(&mut out);
        self.gaps.write_positions(&mut out);
        self.condensed.write(&mut out);
        out
    }

    /// Reads the state from numbers made by [`Self::to_numbers`]; `self` gives the sizes (a cold state does).
    ///
    /// Returns false if the numbers are not those of such a state; `self` is then not usable.
    pub fn read_numbers(&mut self, numbers: &[f64]) -> bool {
        let mut reader = Reader::new(numbers);
        self.iterate.read(&mut reader);
        self.gaps.read_cells(&mut reader);
        self.friction.read(&mut reader);
        self.gaps.read_positions(&mut reader);
        self.condensed.read(&mut reader);
        reader.is_complete()
    }
}
