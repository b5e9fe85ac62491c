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
    /// [`QuasistaticContact::sizes`] of its problem.
    sizes: u64,
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
            sizes: model.sizes,
            iterate: Iterate::zero(&model.bodies, model.n_rows()),
            gaps: GapMemory::new(&model.pairs),
            friction: FrictionMemory::new(&model.pairs, model.has_friction()),
            condensed: CondensedRows::default(),
        }
    }

    /// Copies another warm state of the same problem; allocates nothing once it has had the size of the
    /// other's contact.
    pub fn copy_from(&mut self, other: &Self) {
        self.sizes = other.sizes;
        self.iterate.copy_from(&other.iterate);
        self.gaps.copy_from(&other.gaps);
        self.friction.copy_from(&other.friction);
        self.condensed.copy_from(&other.condensed);
    }

    /// Sets the energy that friction has taken until the last accepted state to zero.
    pub fn clear_friction_loss(&mut self) {
        self.friction.clear_loss();
    }

    /// True if the state is one of this problem, or of one with the same sizes. Costs a comparison: solves
    /// check it.
    pub(super) fn is_of(&self, model: &QuasistaticContact) -> bool {
        self.sizes == model.sizes
    }

    /// True if all lengths and indices are those of this problem.
    fn fits(&self, model: &QuasistaticContact) -> bool {
        self.iterate.fits(&model.bodies, model.n_rows())
            && self.gaps.fits(&model.pairs)
            && self.friction.fits(&model.pairs, model.has_friction())
            && self.condensed.fits(&model.unknowns)
    }

    /// The state as numbers, for a checkpoint; [`QuasistaticContact::restore`] is the inverse, bit for bit.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut out = Vec::new();
        self.iterate.write(&mut out);
        self.gaps.write_cells(&mut out);
        self.friction.write(&mut out);
        self.gaps.write_positions(&mut out);
        self.condensed.write(&mut out);
        out
    }

    /// See [`QuasistaticContact::restore`].
    pub(super) fn from_numbers(model: &QuasistaticContact, numbers: &[f64]) -> Option<Self> {
        let mut state = Self::cold(model);
        let mut reader = Reader::new(numbers);
        state.iterate.read(&mut reader);
        state.gaps.read_cells(&mut reader);
        state.friction.read(&mut reader);
        state.gaps.read_positions(&mut reader);
        state.condensed.read(&mut reader);
        (reader.is_complete() && state.fits(model)).then_some(state)
    }
}
