//! Evaluations for output alone leave the last evaluation of a run, and the memory of its contacts, as they
//! are.

use super::Contacts;
use crate::contact::{BodyForces, ContactSums};

/// Results of the last evaluation of the run while others are made.
#[derive(Debug)]
pub(super) struct Aside {
    /// True while they are kept.
    is_kept: bool,
    near: Vec<usize>,
    sums: ContactSums,
    forces: Vec<BodyForces>,
}

impl Aside {
    /// Room for forces on these bodies and a number of pairs.
    pub(super) fn new(forces: &[BodyForces], pairs: usize) -> Self {
        let near = Vec::with_capacity(pairs);
        Self { is_kept: false, near, sums: ContactSums::default(), forces: forces.to_vec() }
    }
}

impl Contacts {
    /// Puts the last evaluation and the memory of all models aside until [`Contacts::take_back`]. Each
    /// further call before that makes the next evaluation start from this memory again.
    ///
    /// Returns true if all models have put theirs aside; others are to be evaluated again for the motion of
    /// the last evaluation before its results are read.
    pub(crate) fn put_aside(&mut self) -> bool {
        let mut reactions = &self.reactions[..];
        let mut is_whole = true;
        for model in &mut self.models {
            let (own, rest) = reactions.split_at(model.pairs());
            is_whole &= model.put_aside(own);
            reactions = rest;
        }
        let Self { aside, near, sums, forces, slots, .. } = self;
        if !aside.is_kept {
            aside.is_kept = true;
            std::mem::swap(&mut aside.near, near);
            std::mem::swap(&mut aside.forces, forces);
            aside.sums = *sums;
            slots.lend();
        }
        is_whole
    }

    /// Takes back what [`Contacts::put_aside`] has put aside; nothing without it.
    pub(crate) fn take_back(&mut self) {
        if !self.aside.is_kept {
            return;
        }
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.models {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            model.take_back(own);
            reactions = rest;
        }
        let Self { aside, near, sums, forces, slots, .. } = self;
        aside.is_kept = false;
        std::mem::swap(&mut aside.near, near);
        std::mem::swap(&mut aside.forces, forces);
        *sums = aside.sums;
        slots.take_back();
    }
}
