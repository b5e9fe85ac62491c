//! Evaluations for output alone leave the memory and the last evaluation of a run as they are.
//!
//! A solve starts at the last solution, and ends when the error is small enough: its last digits depend on
//! that start. [`QuasistaticContacts::keep_aside`] therefore exchanges the memory and the results of the run
//! for those of a second problem, which starts from a copy of the memory.

use carom_contact::submodel::{QuasistaticContact, WarmState, Workspace};

use super::{QuasistaticContacts, Side};
use crate::contact::Reaction;

/// Memory and results of the evaluations of a run while others are made; those of output in between.
pub(super) struct Aside {
    /// True while they are those of the run.
    is_kept: bool,
    warm: WarmState,
    work: Workspace,
    fallbacks: u64,
    /// Pairs whose reactions were written, and these reactions.
    written: Vec<u32>,
    reactions: Vec<Reaction>,
    /// Coordinates of the modes of all sides.
    modal: Vec<f64>,
}

impl Aside {
    fn new((model, work): (&QuasistaticContact, &Workspace), sides: &[Side]) -> Self {
        Self {
            is_kept: false,
            warm: model.cold(),
            work: model.workspace_beside(work),
            fallbacks: 0,
            written: Vec::new(),
            reactions: Vec::new(),
            modal: Vec::with_capacity(sides.iter().map(|side| side.modal.len()).sum()),
        }
    }
}

impl QuasistaticContacts {
    /// Keeps memory and results of the last evaluation, unless that is done already, and starts anew from a
    /// copy of the memory. Allocates the first time, and where a contact has grown since.
    pub(super) fn keep_aside(&mut self, reactions: &[Reaction]) {
        let new = || Box::new(Aside::new((&self.model, &self.work), &self.sides));
        let aside = self.aside.get_or_insert_with(new);
        if !aside.is_kept {
            aside.is_kept = true;
            aside.reactions.clear();
            aside.reactions.extend(self.written.iter().map(|&pair| reactions[pair as usize]));
            aside.written.clone_from(&self.written);
            aside.modal.clear();
            self.sides.iter().for_each(|side| aside.modal.extend_from_slice(&side.modal));
            aside.fallbacks = self.fallbacks;
            std::mem::swap(&mut aside.warm, &mut self.warm);
            std::mem::swap(&mut aside.work, &mut self.work);
            self.model.lend_compliance(&mut aside.work, &mut self.work, &aside.warm);
        }
        self.warm.copy_from(&aside.warm);
        self.fallbacks = aside.fallbacks;
    }

    /// Takes back what [`Self::keep_aside`] has kept; nothing without it.
    pub(super) fn take_back_kept(&mut self, reactions: &mut [Reaction]) {
        let Some(aside) = self.aside.as_mut().filter(|aside| aside.is_kept) else { return };
        aside.is_kept = false;
        self.written.iter().for_each(|&pair| reactions[pair as usize] = Reaction::NONE);
        self.written.clone_from(&aside.written);
        let kept = aside.written.iter().zip(&aside.reactions);
        kept.for_each(|(&pair, reaction)| reactions[pair as usize] = *reaction);
        let mut modal = &aside.modal[..];
        for side in &mut self.sides {
            let (own, rest) = modal.split_at(side.modal.len());
            side.modal.copy_from_slice(own);
            modal = rest;
        }
        self.fallbacks = aside.fallbacks;
        std::mem::swap(&mut aside.warm, &mut self.warm);
        std::mem::swap(&mut aside.work, &mut self.work);
        self.model.lend_compliance(&mut aside.work, &mut self.work, &self.warm);
    }
}
