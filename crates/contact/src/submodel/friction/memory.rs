//! Memory of friction from one accepted state to the next.

use super::super::gaps::{feet_fit, read_feet, write_feet};
use super::super::numbers::Reader;
use super::super::pair::Pairs;
use crate::geometry::Start;

/// Memory of a pressure cell with friction since the last accepted state, in the frame of the second body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Anchor {
    /// Tangential force then \[N\].
    pub(super) force: [f64; 3],
    /// Its mean position less that of its foot points then \[m\].
    pub(super) offset: [f64; 3],
    /// False if the cell was not evaluated then: it has no friction until the next accepted state.
    pub(super) is_set: bool,
    /// Axis of that frame along which the first tangent lies as far as it can.
    pub(super) axis: u8,
}

/// Memory of friction; empty without friction.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in super::super) struct FrictionMemory {
    /// One for each pressure cell.
    pub(super) anchors: Vec<Anchor>,
    /// Cells whose anchors are set, ascending.
    set: Vec<u32>,
    /// Foot points of all integration points at the last accepted state.
    pub(super) feet: Vec<Start>,
    /// Energy lost by friction until then \[J\].
    pub(super) loss: f64,
}

impl FrictionMemory {
    /// Before any state was accepted.
    pub(in super::super) fn new(pairs: &Pairs, has_friction: bool) -> Self {
        if !has_friction {
            return Self::default();
        }
        let anchors = vec![Anchor::default(); pairs.n_cells()];
        Self { anchors, set: Vec::new(), feet: vec![Start::default(); pairs.n_feet()], loss: 0.0 }
    }

    /// Copies the memory of the same pairs.
    pub(in super::super) fn copy_from(&mut self, other: &Self) {
        self.anchors.copy_from_slice(&other.anchors);
        self.set.clone_from(&other.set);
        self.feet.copy_from_slice(&other.feet);
        self.loss = other.loss;
    }

    /// True if the memory is one of these pairs.
    pub(in super::super) fn fits(&self, pairs: &Pairs, has_friction: bool) -> bool {
        if !has_friction {
            return self.anchors.is_empty() && self.feet.is_empty();
        }
        self.anchors.len() == pairs.n_cells() && feet_fit(&self.feet, pairs)
    }

    /// True if a cell had a tangential force at the last accepted state.
    pub(in super::super) fn is_sheared(&self, cell: usize) -> bool {
        self.anchors.get(cell).is_some_and(|anchor| anchor.force != [0.0; 3])
    }

    /// Cells with a tangential force at the last accepted state, ascending.
    pub(in super::super) fn sheared(&self) -> impl Iterator<Item = usize> + '_ {
        self.set.iter().map(|&cell| cell as usize).filter(|&cell| self.is_sheared(cell))
    }

    /// Clears all anchors; their axes stay.
    pub(super) fn release(&mut self) {
        for cell in self.set.drain(..) {
            let anchor = &mut self.anchors[cell as usize];
            *anchor = Anchor { axis: anchor.axis, ..Anchor::default() };
        }
    }

    /// Sets the anchor of a cell; cells come in ascending order.
    pub(super) fn set(&mut self, cell: usize, force: [f64; 3], offset: [f64; 3]) {
        let anchor = &mut self.anchors[cell];
        *anchor = Anchor { force, offset, is_set: true, axis: anchor.axis };
        self.set.push(cell as u32);
    }

    /// Sets or moves the anchor of a cell without forces.
    pub(super) fn add(&mut self, cell: usize, offset: [f64; 3]) {
        let anchor = &mut self.anchors[cell];
        *anchor = Anchor { force: [0.0; 3], offset, is_set: true, axis: anchor.axis };
        if let Err(place) = self.set.binary_search(&(cell as u32)) {
            self.set.insert(place, cell as u32);
        }
    }

    /// Energy lost by friction until the last accepted state \[J\].
    pub(in super::super) fn loss(&self) -> f64 {
        self.loss
    }

    /// Sets that energy to zero.
    pub(in super::super) fn clear_loss(&mut self) {
        self.loss = 0.0;
    }

    /// Appends the memory to the numbers of a checkpoint.
    pub(in super::super) fn write(&self, out: &mut Vec<f64>) {
        write_feet(&self.feet, out);
        for anchor in &self.anchors {
            out.extend(anchor.force.iter().chain(&anchor.offset));
            out.extend([f64::from(u8::from(anchor.is_set)), f64::from(anchor.axis)]);
        }
        out.push(self.loss);
    }

    /// The inverse of [`Self::write`].
    pub(in super::super) fn read(&mut self, reader: &mut Reader<'_>) {
        read_feet(&mut self.feet, reader);
        for anchor in &mut self.anchors {
            let (force, offset, is_set) = (reader.vector(), reader.vector(), reader.next() == 1.0);
            *anchor = Anchor { force, offset, is_set, axis: reader.index().min(2) as u8 };
        }
        let is_set = |(_, anchor): &(usize, &Anchor)| anchor.is_set;
        self.set.clear();
        self.set.extend(self.anchors.iter().enumerate().filter(is_set).map(|(cell, _)| cell as u32));
        self.loss = reader.next();
    }
}
