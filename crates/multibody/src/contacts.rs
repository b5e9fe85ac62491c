//! The contacts of a system: its models, what their pairs do at a state, and at the end of a step.

use carom_dynamics::{Checkpoint, CheckpointError, Pose};

use crate::body::Body;
use crate::contact::{BodyForces, ContactModel, ContactSums, Motion, Reaction};
use crate::layout::{Layout, put};
use crate::pair_slots::PairSlots;
use crate::settings::Settings;
use crate::system_error::{RateError, SystemError};
use nalgebra::Vector3;

mod aside;
mod pairs;

use aside::Aside;

/// Contact models with the forces and reactions of the last evaluation. Pairs are numbered through all
/// models.
#[derive(Debug)]
pub(crate) struct Contacts {
    models: Vec<Box<dyn ContactModel>>,
    /// Model and number within it of each pair.
    pair_of: Vec<(usize, usize)>,
    reactions: Vec<Reaction>,
    /// Numbers of the pairs that the last evaluation looked at, ascending.
    near: Vec<usize>,
    sums: ContactSums,
    /// Forces on the bodies.
    forces: Vec<BodyForces>,
    /// Forces of a unit of one row.
    row_forces: Vec<BodyForces>,
    /// True while models that expose their rows are not evaluated.
    omits_rows: bool,
    /// Where their impulses lie in y.
    slots: PairSlots,
    aside: Aside,
}

impl Contacts {
    /// Contacts between bodies, at no state yet.
    ///
    /// # Errors
    ///
    /// [`SystemError::Pair`] if a pair does not fit the bodies.
    pub(crate) fn new(models: Vec<Box<dyn ContactModel>>, bodies: &[Body]) -> Result<Self, SystemError> {
        let all = models.iter().enumerate();
        let pair_of: Vec<_> = all.flat_map(|(m, model)| (0..model.pairs()).map(move |k| (m, k))).collect();
        for (pair, &(model, local)) in pair_of.iter().enumerate() {
            let [a, b] = models[model].bodies(local);
            if a == b || a.max(b) >= bodies.len() {
                return Err(SystemError::Pair { pair, bodies: [a, b], count: bodies.len() });
            }
        }
        let forces: Vec<_> = bodies.iter().map(|body| BodyForces::none(body.frame.n)).collect();
        Ok(Self {
            reactions: vec![Reaction::NONE; pair_of.len()],
            near: Vec::with_capacity(pair_of.len()),
            sums: ContactSums::default(),
            row_forces: forces.clone(),
            omits_rows: false,
            slots: PairSlots::new(pair_of.len(), bodies.len()),
            aside: Aside::new(&forces, pair_of.len()),
            forces,
            pair_of,
            models,
        })
    }

    /// All models.
    pub(crate) fn models(&self) -> &[Box<dyn ContactModel>] {
        &self.models
    }

    /// Bodies whose contact forces depend on each other: those of models that do not expose their rows.
    pub(crate) fn couplings(&self) -> impl Iterator<Item = [usize; 2]> {
        let models = self.models.iter().filter(|model| model.rows().is_none());
        models.flat_map(|model| (0..model.pairs()).map(|pair| model.bodies(pair)))
    }

    /// Bodies of all pairs.
    pub(crate) fn all_couplings(&self) -> impl Iterator<Item = [usize; 2]> {
        self.models.iter().flat_map(|model| (0..model.pairs()).map(|pair| model.bodies(pair)))
    }

    /// Asks all models for displacements with errors below this part of the largest one.
    pub(crate) fn set_accuracy(&mut self, relative: f64) {
        self.models.iter_mut().for_each(|model| model.set_accuracy(relative));
    }

    /// Evaluates all models.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn evaluate(&mut self, motion: &Motion<'_>) -> Result<(), RateError> {
        self.forces.iter_mut().for_each(BodyForces::clear);
        self.sums = ContactSums::default();
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.models {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            if self.omits_rows && model.rows().is_some() {
                reactions = rest;
                continue;
            }
            let sums = model
                .evaluate(motion, &mut self.forces, own)
                .map_err(|source| RateError::Contact { source })?;
            self.sums.elastic_energy += sums.elastic_energy;
            self.sums.contact_energy += sums.contact_energy;
            self.sums.friction_loss += sums.friction_loss;
            self.sums.residual = self.sums.residual.max(sums.residual);
            self.sums.off_interface = self.sums.off_interface.max(sums.off_interface);
            self.sums.fallbacks += sums.fallbacks;
            reactions = rest;
        }
        self.note_near();
        Ok(())
    }

    /// As [`Contacts::evaluate`], for the forces alone.
    ///
    /// # Errors
    ///
    /// As there.
    pub(crate) fn evaluate_forces(&mut self, motion: &Motion<'_>) -> Result<(), RateError> {
        self.models.iter_mut().for_each(|model| model.seek_forces_alone(true));
        let done = self.evaluate(motion);
        self.models.iter_mut().for_each(|model| model.seek_forces_alone(false));
        done
    }

    /// Completes what the last evaluation, for the same motion, has left out: see [`ContactModel::complete`].
    ///
    /// # Errors
    ///
    /// As those of an evaluation.
    pub(crate) fn complete(&mut self, motion: &Motion<'_>, all: bool) -> Result<(), RateError> {
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.models {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            let done = model.complete(motion, &mut self.forces, own, all);
            done.map_err(|source| RateError::Contact { source })?;
            reactions = rest;
        }
        self.note_near();
        Ok(())
    }

    /// The reaction of one pair, as [`Contacts::evaluate`] finds it; other reactions and the forces on the
    /// bodies are no longer those of a state.
    ///
    /// # Errors
    ///
    /// As those of an evaluation.
    pub(crate) fn evaluate_pair(&mut self, pair: usize, motion: &Motion<'_>) -> Result<(), RateError> {
        self.forces.iter_mut().for_each(BodyForces::clear);
        let (model, local) = self.pair_of[pair];
        let start = pair - local;
        let model = &mut self.models[model];
        let reactions = &mut self.reactions[start..start + model.pairs()];
        let done = model.evaluate_pair(local, motion, &mut self.forces, reactions);
        done.map_err(|source| RateError::Contact { source })
    }

    /// [`ContactModel::evaluate_settled`] of all models.
    ///
    /// # Errors
    ///
    /// As those of an evaluation.
    pub(crate) fn evaluate_settled(&mut self, motion: &Motion<'_>) -> Result<(), RateError> {
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.models {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            let done = model.evaluate_settled(motion, &mut self.forces, own);
            done.map_err(|source| RateError::Contact { source })?;
            reactions = rest;
        }
        self.note_near();
        Ok(())
    }

    fn note_near(&mut self) {
        self.near.clear();
        let mut offset = 0;
        for model in &self.models {
            let end = offset + model.pairs();
            match model.near() {
                Some(near) => self.near.extend(near.iter().map(|&pair| offset + pair as usize)),
                None => self.near.extend(offset..end),
            }
            offset = end;
        }
    }

    /// Takes the state of the last evaluation as the end of a step.
    pub(crate) fn accept(&mut self) {
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.models {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            model.accept(own);
            reactions = rest;
        }
    }

    /// Forces on all bodies at the last evaluation.
    pub(crate) fn forces(&self) -> &[BodyForces] {
        &self.forces
    }

    /// Energies and residuals of the last evaluation.
    pub(crate) fn sums(&self) -> &ContactSums {
        &self.sums
    }

    /// Numbers of the pairs that the last evaluation looked at, ascending; all others are far apart.
    pub(crate) fn near(&self) -> &[usize] {
        &self.near
    }

    /// Numbers and reactions of these pairs.
    pub(crate) fn reactions(&self) -> impl Iterator<Item = (usize, &Reaction)> {
        self.near.iter().map(|&pair| (pair, &self.reactions[pair]))
    }

    /// Sum of the forces of all pairs on a body at the last evaluation \[N\].
    pub(crate) fn force_on(&self, body: usize) -> Vector3<f64> {
        self.reactions().fold(Vector3::zeros(), |sum, (pair, reaction)| {
            let [first, second] = self.bodies(pair).map(|of_pair| of_pair == body);
            sum + (f64::from(u8::from(first)) - f64::from(u8::from(second))) * reaction.force
        })
    }

    /// Free gap of a pair at the last evaluation, or a bound from below \[m\].
    pub(crate) fn free_gap(&self, pair: usize) -> f64 {
        let gap = self.reactions[pair].free_gap;
        let (model, local) = self.model_of(pair);
        if gap.is_finite() { gap } else { model.clearance(local) }
    }

    /// [`ContactModel::time_apart`] of all models \[s\].
    pub(crate) fn time_apart(&mut self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        self.models.iter_mut().map(|model| model.time_apart(motion)).fold(f64::INFINITY, f64::min)
    }

    /// [`ContactModel::time_settled`] of all models \[s\].
    pub(crate) fn time_settled(&self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        self.models.iter().map(|model| model.time_settled(motion)).fold(f64::INFINITY, f64::min)
    }

    /// The least [`ContactModel::integrator_share`] of the models.
    pub(crate) fn integrator_share(&self) -> f64 {
        let shares = self.models.iter().map(|model| model.integrator_share());
        shares.fold(Settings::INTEGRATOR_SHARE, f64::min)
    }

    /// Writes the rates of the impulses of pairs to ẏ, up to the last one that is in use.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`] with more forces than y has room for.
    pub(crate) fn write_rates(&mut self, layout: &Layout, rate: &mut [f64]) -> Result<(), RateError> {
        rate[layout.pair_integrals(self.slots.in_use())].fill(0.0);
        for &pair in &self.near {
            let Reaction { force, friction, .. } = &self.reactions[pair];
            if *force != Vector3::zeros() {
                let slot = self.slots.slot_for(pair).map_err(|source| RateError::Contact { source })?;
                let start = layout.pair_slot(slot).start;
                put(rate, start, force);
                put(rate, start + 3, &friction.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Where the impulses of pairs lie in y.
    pub(crate) fn slots(&self) -> &PairSlots {
        &self.slots
    }

    /// Keeps room in y for the impulses of pairs with forces alone, after the end y of a step at which the
    /// contacts were evaluated.
    pub(crate) fn give_slots_back(&mut self, layout: &Layout, y: &[f64]) {
        let Self { slots, near, reactions, .. } = self;
        let has_force =
            |pair: usize| near.binary_search(&pair).is_ok() && reactions[pair].force != Vector3::zeros();
        slots.give_back(has_force, layout, y);
    }

    /// Calls `visit` with the point and the force of each pair that presses on a body.
    pub(crate) fn for_forces_on(&self, body: usize, visit: &mut dyn FnMut(&Vector3<f64>, &Vector3<f64>)) {
        for (pair, reaction) in self.reactions().filter(|(_, r)| r.normal_force > 0.0) {
            let sign = match self.bodies(pair) {
                [first, _] if first == body => 1.0,
                [_, second] if second == body => -1.0,
                _ => continue,
            };
            visit(&reaction.point, &(sign * reaction.force));
        }
    }
}

/// Closed rows, numbered through all models that expose theirs.
impl Contacts {
    /// Excludes models that expose their rows from all evaluations until it is called with `false`.
    pub(crate) fn omit_rows(&mut self, omit: bool) {
        self.omits_rows = omit;
    }

    /// Calls `visit` with each row that is closed at the last evaluation, ascending.
    pub(crate) fn for_closed_rows(&self, visit: &mut dyn FnMut(usize)) {
        for (model, offset) in self.models_with_rows() {
            model.for_closed(&mut |row| visit(offset + row));
        }
    }

    /// (W + d) of two closed rows. Rows of two models move each other only by their common bodies.
    pub(crate) fn compliance_of_rows(&self, row: usize, other: usize) -> f64 {
        let [(model, offset), (of_other, _)] = [row, other].map(|row| self.model_of_row(row));
        if std::ptr::addr_eq(model, of_other) {
            model.closed_compliance(row - offset, other - offset)
        } else {
            0.0
        }
    }

    /// Generalised forces of a unit of a closed row on each body.
    pub(crate) fn forces_of_row(&mut self, row: usize, poses: &[Pose]) -> &[BodyForces] {
        let mut forces = std::mem::take(&mut self.row_forces);
        forces.iter_mut().for_each(BodyForces::clear);
        let (model, offset) = self.model_of_row(row);
        model.add_row(row - offset, poses, &mut forces);
        self.row_forces = forces;
        &self.row_forces
    }

    fn models_with_rows(&self) -> impl Iterator<Item = (&dyn ContactModel, usize)> {
        let mut offset = 0;
        self.models.iter().filter_map(move |model| {
            let start = offset;
            let rows = model.rows()?;
            offset += rows;
            Some((&**model, start))
        })
    }

    fn model_of_row(&self, row: usize) -> (&dyn ContactModel, usize) {
        let before = self.models_with_rows().take_while(|(_, offset)| *offset <= row);
        before.last().expect("rows are those of a model")
    }
}

/// Checkpoints.
impl Contacts {
    /// Adds the memory of all models.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        for (i, model) in self.models.iter().enumerate() {
            checkpoint.put_reals(&entry(i), &model.memory());
        }
        self.slots.save(checkpoint);
    }

    /// Takes the memory of all models.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it is not that of these models.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        for (i, model) in self.models.iter_mut().enumerate() {
            let (name, memory) = (entry(i), checkpoint.reals(&entry(i))?);
            if !model.restore(memory) {
                return Err(CheckpointError::Length {
                    name,
                    found: memory.len(),
                    expected: model.memory().len(),
                });
            }
        }
        self.slots.restore(checkpoint)
    }
}

/// Name of the entry of a model.
fn entry(model: usize) -> String {
    format!("contact_{model}")
}
