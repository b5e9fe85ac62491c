//! The iteration: pass, condense, solve the linearised problem, move; until the displacement stays.

use super::super::model::QuasistaticContact;
use super::super::results::Filling;
use super::super::warm_state::WarmState;
use super::super::{BodyState, SolveError};
use super::Workspace;
use super::progress::Progress;

/// A frozen W is condensed anew if an iteration reduces the change by less than this.
const POOR_CONTRACTION: f64 = 0.2;

/// Condensations of a solve after which poor contraction leads to no further one.
const MAX_CONDENSATIONS: usize = 3;

impl Workspace {
    /// See [`QuasistaticContact::solve`].
    pub(super) fn solve(
        &mut self,
        model: &QuasistaticContact,
        states: &[BodyState<'_>],
        warm: &mut WarmState,
    ) -> Result<(), SolveError> {
        check(model, states, warm)?;
        self.now.copy_from(&warm.iterate);
        self.history.clear();
        let out = &mut self.solution;
        (out.passes, out.condensations, out.fallbacks, out.cuts, out.stagnated) = (0, 0, 0, 0, false);
        self.condensed.recall(&model.bodies, &model.unknowns, &warm.condensed);
        self.iterate(model, states, warm)?;
        warm.iterate.copy_from(&self.now);
        Ok(())
    }

    fn iterate(
        &mut self,
        model: &QuasistaticContact,
        states: &[BodyState<'_>],
        warm: &mut WarmState,
    ) -> Result<(), SolveError> {
        // A few units in the last place of the positions.
        let size = states.iter().flat_map(|s| s.positions_b).fold(0.0, |a: f64, x| a.max(x.abs()));
        let mut progress = Progress::new(32.0 * f64::EPSILON * size);
        loop {
            self.pass(model, states, warm);
            self.solution.passes += 1;
            if self.cut_step(&mut progress, model)? {
                continue;
            }
            let merit = self.merit(progress.hard_weight, model);
            self.base.copy_from(&self.now);
            self.update_condensed(&mut progress, model, warm);
            let complete = self.solve_linearised(model, warm)?;
            let change = self.change(&model.unknowns);
            let converged = complete && self.has_converged(&progress, change, &model.tolerances);
            self.history.push(change.change);
            if converged {
                self.fill_solution(model, states, warm);
                return Ok(());
            }
            if self.solution.passes >= model.tolerances.max_passes {
                return Err(self.not_converged(change, model));
            }
            let largest = self.now.loaded().fold(0.0, |a: f64, (_, force)| a.max(force));
            progress.hard_weight = progress.hard_weight.max(2.0 * largest);
            progress.base = Some((merit, self.model_energy(&model.unknowns)));
            progress.part = 1.0;
            if self.friction.is_some() {
                self.relax(&mut progress, change);
            }
            progress.change = Some(change);
        }
    }

    /// Evaluates gaps and rows of all cells that may be closed, or have a force, at the present displacement.
    fn pass(&mut self, model: &QuasistaticContact, states: &[BodyState<'_>], warm: &mut WarmState) {
        let (pairs, unknowns) = (&model.pairs, &model.unknowns);
        // A pair with a row in W may get a force; one that was sheared releases its shear force.
        let in_w = warm.condensed.numbers().iter().map(|&r| unknowns.place_of(r as usize).0);
        let needed = in_w.chain(warm.friction.sheared()).map(|s| pairs.pair_of(s));
        self.gaps.place(states, &self.now.displacement, pairs, needed);
        if let Some(friction) = &mut self.friction {
            let left = self.gaps.left().iter().flat_map(|&k| pairs.get(k as usize).cell_range());
            left.for_each(|s| friction.skip(s));
        }
        for at in 0..self.gaps.near().len() {
            let k = self.gaps.near()[at] as usize;
            self.gaps.follow(k, pairs, &mut warm.gaps);
            for (cell, s) in pairs.get(k).cell_range().enumerate() {
                let is_loaded = self.now.of_row(unknowns.normal(s)) > 0.0;
                // A cell that opens within a step releases its shear force, which is part of the loss.
                if !(warm.gaps.may_be_closed(s) || is_loaded || warm.friction.is_sheared(s)) {
                    self.skip(s, warm);
                    continue;
                }
                let row = self.rows.normal_mut(s);
                let Some(normal) = self.gaps.evaluate((k, cell), pairs, &mut warm.gaps, row) else {
                    self.skip(s, warm);
                    continue;
                };
                if let Some(friction) = &mut self.friction {
                    let gaps = (&warm.gaps, self.gaps.geometry_mut(k));
                    let rows = (&mut warm.friction, self.rows.tangential_mut(s));
                    friction.evaluate((k, cell), (pairs, unknowns), &normal, gaps, rows);
                }
            }
        }
    }

    /// A cell that is not evaluated in this pass: no friction either.
    fn skip(&mut self, cell: usize, warm: &WarmState) {
        self.gaps.skip(cell, &warm.gaps);
        if let Some(friction) = &mut self.friction {
            friction.skip(cell);
        }
    }

    /// Condenses anew if a closed cell is not in W, or the iteration contracts poorly with the frozen W.
    fn update_condensed(
        &mut self,
        progress: &mut Progress,
        model: &QuasistaticContact,
        warm: &mut WarmState,
    ) {
        let unknowns = &model.unknowns;
        let is_missing = |s: usize| !self.condensed.has(unknowns.normal(s));
        let is_closed = |s: usize| self.gaps.known(s).is_some_and(|gap| gap < 0.0);
        let missing = self.gaps.near_cells(&model.pairs).any(|s| is_closed(s) && is_missing(s));
        let n = self.history.len();
        let poor = n >= 2
            && self.history[n - 1] > POOR_CONTRACTION * self.history[n - 2]
            && progress.n_condensations < MAX_CONDENSATIONS
            && progress.change.is_some_and(|c| c.change > model.tolerances.relative * c.scale);
        if missing || poor {
            let gaps = self.gaps.near_cells(&model.pairs).map(|s| self.gaps.all()[s]);
            let deepest = gaps.fold(0.0, |a: f64, g| a.max(-g));
            let largest = self.now.displacement.iter().flatten().fold(0.0, |a: f64, u| a.max(u.abs()));
            self.condense(0.5 * deepest.max(largest), model, warm);
            progress.n_condensations += 1;
            self.solution.condensations += 1;
        }
    }

    /// Condenses anew on the cells that are closed or nearly so, with the rows of the last pass.
    ///
    /// * `margin` — gap below which a cell is nearly closed \[m\]
    fn condense(&mut self, margin: f64, model: &QuasistaticContact, warm: &mut WarmState) {
        let unknowns = &model.unknowns;
        let parts = unknowns.n_parts();
        let wanted = |s: &usize| {
            let gap = self.gaps.known(*s);
            gap.is_some_and(|gap| gap < margin || self.now.of_row(unknowns.normal(*s)) > 0.0)
        };
        let rows = self.gaps.near_cells(&model.pairs).filter(wanted).flat_map(|s| parts * s..parts * (s + 1));
        warm.condensed.select(rows, &self.rows);
        self.condensed.assemble(&model.bodies, unknowns, &warm.condensed);
    }

    fn fill_solution(&mut self, model: &QuasistaticContact, states: &[BodyState<'_>], warm: &WarmState) {
        let filling = Filling {
            model,
            states,
            before: &self.base.displacement,
            warm,
            gaps: &self.gaps,
            rows: &self.rows,
            friction: self.friction.as_ref(),
            found: &self.now,
        };
        filling.fill(&mut self.solution);
    }
}

/// Checks that states and warm state have the lengths of the model and finite numbers.
fn check(model: &QuasistaticContact, states: &[BodyState<'_>], warm: &WarmState) -> Result<(), SolveError> {
    if states.len() != model.bodies.len() {
        let (found, needed) = (states.len(), model.bodies.len());
        return Err(SolveError::Size { what: "states", body: 0, found, needed });
    }
    for (body, (state, model)) in states.iter().zip(&model.bodies).enumerate() {
        let needed = 3 * model.n_points;
        let found = state.positions_b.len();
        if found != needed {
            return Err(SolveError::Size { what: "positions", body, found, needed });
        }
        let rates = state.twist.map_or(0, |t| t.rates_b.len());
        if rates != 0 && rates != needed {
            return Err(SolveError::Size { what: "rates", body, found: rates, needed });
        }
        let pose = state.rot_ib.iter().chain(state.r_ib_i.iter());
        if !pose.chain(state.positions_b).all(|x| x.is_finite()) {
            return Err(SolveError::NotFinite { body });
        }
    }
    if warm.is_of(model) { Ok(()) } else { Err(SolveError::ForeignWarmState) }
}
