//! The length of a step: Armijo's rule on the energy, or with friction relaxation.

use super::super::SolveError;
use super::super::model::QuasistaticContact;
use super::super::unknowns::Unknowns;
use super::Workspace;
use super::progress::{Change, Merit, Progress};

/// Most halvings of a step (docs/theory/contact.md, section 4.5).
const MAX_CUTS: usize = 30;
/// With friction steps are halved from this ratio of changes on, down to [`LEAST_RELAXATION`].
const POOR_RELAXED: f64 = 0.7;
/// With friction steps are doubled again below this ratio of changes.
const GOOD_RELAXED: f64 = 0.2;
const LEAST_RELAXATION: f64 = 1.0 / 64.0;
/// Below this relative change the energy is flat to round-off and cannot judge a step.
const ENERGY_JUDGES: f64 = 1e-6;

impl Workspace {
    /// Shortens the steps with friction where the sequence does not contract.
    ///
    /// There is no energy to judge a step by. A sequence in which cells close and open, or stick and slip, in
    /// turn does not contract with full steps.
    pub(super) fn relax(&mut self, progress: &mut Progress, now: Change) {
        if let Some(last) = progress.change {
            let contraction = now.change / last.change;
            if contraction > POOR_RELAXED {
                progress.relaxation = (0.5 * progress.relaxation).max(LEAST_RELAXATION);
            } else if contraction < GOOD_RELAXED {
                progress.relaxation = (2.0 * progress.relaxation).min(1.0);
            }
        }
        progress.part = progress.relaxation;
        let mut part = 1.0;
        while part > progress.part {
            self.now.halve_step(&self.base);
            part *= 0.5;
        }
    }

    /// Armijo's rule on E: halves the step if the energy did not decrease enough.
    ///
    /// Returns true if the step was halved: another pass is needed.
    pub(super) fn cut_step(
        &mut self,
        progress: &mut Progress,
        model: &QuasistaticContact,
    ) -> Result<bool, SolveError> {
        let (Some((mut base, promised)), Some(last)) = (progress.base, progress.change) else {
            return Ok(false);
        };
        // With friction the solution minimises no energy.
        if self.friction.is_some() {
            return Ok(false);
        }
        base.hard_weight = progress.hard_weight;
        let now = self.merit(progress.hard_weight, model);
        let decrease = (base.value() - promised).max(0.0);
        // Gaps that are small against the positions they follow from are noise in their last places.
        let noise =
            1e-12 * (base.value().abs() + now.value().abs()) + progress.rounding * (base.slope + now.slope);
        let enough = now.value() <= base.value() - 1e-4 * progress.part * decrease + noise;
        if enough || last.change * progress.part <= ENERGY_JUDGES * last.scale {
            return Ok(false);
        }
        self.solution.cuts += 1;
        progress.part *= 0.5;
        if progress.part < 0.5f64.powi(MAX_CUTS as i32) {
            let (pair, cell, gap) = self.worst(model);
            let (energy, cuts, history) = (base.value(), MAX_CUTS, self.history.clone());
            let change = last.change;
            return Err(SolveError::NoDescent { energy, cuts, change, pair, cell, gap, history });
        }
        self.now.halve_step(&self.base);
        Ok(true)
    }

    /// ½ f·u + Σ ½ [−g]₊²/d and Σ [−g]₊ over hard cells, at the last pass.
    pub(super) fn merit(&self, hard_weight: f64, model: &QuasistaticContact) -> Merit {
        let unknowns = &model.unknowns;
        let smooth = self.now.elastic_energy();
        let mut merit = Merit { smooth, violation: 0.0, hard_weight, slope: 0.0 };
        let gap = |s: usize| self.gaps.known(s).filter(|gap| *gap < 0.0).map(|gap| (s, gap));
        for (s, gap) in self.gaps.near_cells(&model.pairs).filter_map(gap) {
            match unknowns.law_compliance(unknowns.normal(s)) {
                0.0 => {
                    merit.violation -= gap;
                    merit.slope += hard_weight;
                }
                d => {
                    merit.smooth += 0.5 * gap * gap / d;
                    merit.slope -= gap / d;
                }
            }
        }
        merit
    }

    /// Energy of the linearised problem at its solution \[J\].
    pub(super) fn model_energy(&self, unknowns: &Unknowns) -> f64 {
        let penalty = |(row, l): (usize, f64)| 0.5 * unknowns.law_compliance(row) * l * l;
        let active = self.now.loaded().filter(|(_, l)| *l > 0.0);
        self.now.elastic_energy() + active.map(penalty).sum::<f64>()
    }
}
