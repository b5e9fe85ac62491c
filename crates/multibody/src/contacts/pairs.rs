//! Properties and reactions of single pairs, numbered through all models.

use carom_dynamics::{ContactState, ErrorEstimate};

use super::Contacts;
use crate::contact::{ContactModel, HertzNumbers, LoadedPatch, Reaction, RimPolicy};
use crate::half_space::Touched;
use crate::tangential::Tangential;

impl Contacts {
    /// Number of pairs.
    pub(crate) fn pairs(&self) -> usize {
        self.pair_of.len()
    }

    /// Coefficient μ of a pair.
    pub(crate) fn friction(&self, pair: usize) -> f64 {
        let (model, local) = self.model_of(pair);
        model.friction(local)
    }

    /// True if a pair has friction.
    pub(crate) fn have_friction(&self) -> bool {
        (0..self.pairs()).any(|pair| self.friction(pair) > 0.0)
    }

    /// [`ContactModel::hold`] of a pair.
    pub(crate) fn hold(&mut self, pair: usize, tangential: Tangential) {
        let (model, local) = self.pair_of[pair];
        self.models[model].hold(local, tangential);
    }

    /// [`ContactModel::hold`] of all pairs.
    pub(crate) fn hold_all(&mut self, tangential: Tangential) {
        (0..self.pairs()).for_each(|pair| self.hold(pair, tangential));
    }

    /// Counts friction of pairs from the last evaluation on, without forces there.
    ///
    /// * `pressed` — true for pairs with normal forces too
    pub(crate) fn follow(&mut self, pressed: bool) {
        for (&(model, local), reaction) in self.pair_of.iter().zip(&self.reactions) {
            let moves = pressed || reaction.normal_force == 0.0;
            if moves && self.models[model].friction(local) > 0.0 {
                self.models[model].follow(local);
            }
        }
    }

    /// [`ContactModel::clear_friction_loss`] of all models.
    pub(crate) fn clear_friction_loss(&mut self) {
        self.models.iter_mut().for_each(|model| model.clear_friction_loss());
    }

    pub(super) fn model_of(&self, pair: usize) -> (&dyn ContactModel, usize) {
        let (model, local) = self.pair_of[pair];
        (&*self.models[model], local)
    }

    /// Indices of the two bodies of a pair.
    pub(crate) fn bodies(&self, pair: usize) -> [usize; 2] {
        let (model, local) = self.model_of(pair);
        model.bodies(local)
    }

    /// What a pair did at the last evaluation.
    pub(crate) fn reaction(&self, pair: usize) -> &Reaction {
        &self.reactions[pair]
    }

    /// Names of the two surfaces of a pair.
    pub(crate) fn surface_names(&self, pair: usize) -> [String; 2] {
        let (model, local) = self.model_of(pair);
        [0, 1].map(|side| model.surface_name(local, side))
    }

    /// [`ContactModel::reach`] of a pair.
    pub(crate) fn reach(&self, pair: usize) -> [f64; 2] {
        let (model, local) = self.model_of(pair);
        model.reach(local)
    }

    /// [`ContactModel::hertz`] of a pair.
    pub(crate) fn hertz(&self, pair: usize) -> HertzNumbers {
        let (model, local) = self.model_of(pair);
        model.hertz(local)
    }

    /// [`ContactModel::carrier`] of a pair.
    pub(crate) fn carrier(&self, pair: usize) -> usize {
        let (model, local) = self.model_of(pair);
        model.carrier(local)
    }

    /// [`ContactModel::for_modal_forces`] of the model of a pair.
    pub(crate) fn for_modal_forces(&self, pair: usize, body: usize, take: &mut dyn FnMut(usize, f64)) {
        self.model_of(pair).0.for_modal_forces(body, take);
    }

    /// [`ContactModel::stiffens`] of a pair.
    pub(crate) fn stiffens(&self, pair: usize, body: usize) -> bool {
        let (model, local) = self.model_of(pair);
        model.stiffens(local, body)
    }

    /// [`ContactModel::error_estimate`] of a pair.
    pub(crate) fn error_estimate(&self, pair: usize, duration: f64) -> Option<ErrorEstimate> {
        let (model, local) = self.model_of(pair);
        model.error_estimate(local, duration)
    }

    /// [`ContactModel::touched`] of a pair.
    pub(crate) fn touched(&self, pair: usize) -> Option<Touched> {
        let (model, local) = self.model_of(pair);
        model.touched(local)
    }

    /// [`ContactModel::rim_policy`] of a pair.
    pub(crate) fn rim_policy(&self, pair: usize) -> RimPolicy {
        let (model, local) = self.model_of(pair);
        model.rim_policy(local)
    }

    /// [`ContactModel::patch`] of a pair.
    pub(crate) fn patch(&self, pair: usize) -> Option<LoadedPatch> {
        let (model, local) = self.model_of(pair);
        model.patch(local)
    }

    /// [`ContactModel::report`] of a pair.
    pub(crate) fn report(&self, pair: usize, state: &mut ContactState) {
        let (model, local) = self.model_of(pair);
        model.report(local, state);
    }
}
