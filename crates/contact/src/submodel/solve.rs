//! The iteration: linearise, solve the complementarity problem, move; until the displacement stays.

use super::workspace::Workspace;
use super::{BodyState, QuasistaticContact, SolveError, WarmState};

/// Most halvings of a step (docs/theory/contact.md, section 4.5).
const MAX_CUTS: usize = 30;
/// A frozen W is condensed anew if an iteration reduces the change by less than this.
const POOR_CONTRACTION: f64 = 0.2;
/// No iteration is taken to contract better than this: the first passes seem to, as the error of the gaps is
/// of second order there, but the curvature that Gauss-Newton leaves out contracts by 0.01 or so.
const CONTRACTION: f64 = 0.02;
/// With friction steps are halved from this ratio of changes on, down to this part.
const POOR_RELAXED: f64 = 0.7;
const LEAST_RELAXATION: f64 = 1.0 / 64.0;
/// Below this relative change the energy is flat to round-off and cannot judge a step.
const ENERGY_JUDGES: f64 = 1e-6;

/// Change brought about by one step, and how large the displacement is \[m\].
#[derive(Clone, Copy)]
struct Change {
    change: f64,
    scale: f64,
}

/// Energy of an iterate: ½ f·u and penalties, violations of hard gaps weighted by a force, and what the model
/// promised.
#[derive(Clone, Copy)]
struct Merit {
    smooth: f64,
    violation: f64,
    hard_weight: f64,
    /// What an error of all gaps by a unit would make of it \[J/m\].
    slope: f64,
}

impl Merit {
    fn value(&self) -> f64 {
        self.smooth + self.hard_weight * self.violation
    }
}

/// Where the iteration stands between two passes.
struct Progress {
    change: Option<Change>,
    /// Merit at the start of the last step, the model's value at its end, and the part of it that is taken.
    base: Option<(Merit, f64)>,
    part: f64,
    /// Part of the steps that is taken with friction.
    relaxation: f64,
    hard_weight: f64,
    condensed_here: usize,
    /// To which positions, and thus gaps, are exact \[m\].
    rounding: f64,
}

impl QuasistaticContact {
    /// Pressures, forces and displacements of the contact for the given states, into `work.solution`.
    ///
    /// `warm` is the memory of the last solve (or [`Self::cold`]) and becomes that of this one. On an error
    /// it must not be used further: go on from a copy, or cold.
    ///
    /// # Errors
    ///
    /// [`SolveError`] if the input does not fit, or the iteration does not converge: never a result that is
    /// not one.
    pub fn solve(
        &self,
        states: &[BodyState<'_>],
        warm: &mut WarmState,
        work: &mut Workspace,
    ) -> Result<(), SolveError> {
        self.check(states, warm)?;
        work.lambda.copy_from_slice(&warm.lambda);
        copy_all(&mut work.force, &warm.force);
        copy_all(&mut work.displacement, &warm.displacement);
        work.history.clear();
        let out = &mut work.solution;
        (out.passes, out.condensations, out.fallbacks, out.cuts, out.stagnated) = (0, 0, 0, 0, false);
        self.recall(warm, work);
        self.iterate(states, warm, work)?;
        warm.lambda.copy_from_slice(&work.lambda);
        copy_all(&mut warm.force, &work.force);
        copy_all(&mut warm.displacement, &work.displacement);
        Ok(())
    }

    fn check(&self, states: &[BodyState<'_>], warm: &WarmState) -> Result<(), SolveError> {
        if states.len() != self.bodies.len() {
            let (found, needed) = (states.len(), self.bodies.len());
            return Err(SolveError::Size { what: "states", body: 0, found, needed });
        }
        for (body, (state, model)) in states.iter().zip(&self.bodies).enumerate() {
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
        if self.fits(warm) { Ok(()) } else { Err(SolveError::ForeignWarmState) }
    }

    fn iterate(
        &self,
        states: &[BodyState<'_>],
        warm: &mut WarmState,
        work: &mut Workspace,
    ) -> Result<(), SolveError> {
        // A few units in the last place of the positions.
        let size = states.iter().flat_map(|s| s.positions_b).fold(0.0, |a: f64, x| a.max(x.abs()));
        let rounding = 32.0 * f64::EPSILON * size;
        let mut progress = Progress {
            change: None,
            base: None,
            part: 1.0,
            relaxation: 1.0,
            hard_weight: 0.0,
            condensed_here: 0,
            rounding,
        };
        loop {
            self.pass(states, warm, work);
            work.solution.passes += 1;
            if self.cut_step(&mut progress, work)? {
                continue;
            }
            let merit = self.merit(progress.hard_weight, work);
            self.keep_base(work);
            self.update_condensed(&mut progress, warm, work);
            let complete = self.solve_linearised(warm, work)?;
            let change = self.change(work);
            let converged = complete && self.has_converged(&progress, change, work);
            work.history.push(change.change);
            if converged {
                let before = std::mem::take(&mut work.base.displacement);
                self.fill_solution(states, &before, warm, work);
                work.base.displacement = before;
                return Ok(());
            }
            if work.solution.passes >= self.tolerances.max_passes {
                return Err(self.not_converged(change, work));
            }
            let largest = work.lambda.iter().fold(0.0, |a: f64, b| a.max(*b));
            progress.hard_weight = progress.hard_weight.max(2.0 * largest);
            progress.base = Some((merit, self.model_energy(work)));
            progress.part = 1.0;
            if self.has_friction() {
                self.relax(&mut progress, change, work);
            }
            progress.change = Some(change);
        }
    }

    /// With friction there is no energy to judge a step by: a sequence that does not contract, as spans close
    /// and open or sticking and slipping take turns, goes on by a part of its steps.
    fn relax(&self, progress: &mut Progress, now: Change, work: &mut Workspace) {
        if let Some(last) = progress.change {
            let contraction = now.change / last.change;
            if contraction > POOR_RELAXED {
                progress.relaxation = (0.5 * progress.relaxation).max(LEAST_RELAXATION);
            } else if contraction < POOR_CONTRACTION {
                progress.relaxation = (2.0 * progress.relaxation).min(1.0);
            }
        }
        progress.part = progress.relaxation;
        let mut part = 1.0;
        while part > progress.part {
            self.halve_step(work);
            part *= 0.5;
        }
    }

    /// The iterate is the target of the step; halving its distance from the base halves the step taken.
    fn halve_step(&self, work: &mut Workspace) {
        halve(&mut work.lambda, &work.base.lambda);
        for (target, base) in work.force.iter_mut().zip(&work.base.force) {
            halve(target, base);
        }
        for (target, base) in work.displacement.iter_mut().zip(&work.base.displacement) {
            halve(target, base);
        }
    }

    /// Armijo's rule on E: halves the step, and asks for another pass, if the energy did not decrease enough.
    fn cut_step(&self, progress: &mut Progress, work: &mut Workspace) -> Result<bool, SolveError> {
        let (Some((mut base, promised)), Some(last)) = (progress.base, progress.change) else {
            return Ok(false);
        };
        // With friction there is no energy whose minimum the solution would be.
        if self.has_friction() {
            return Ok(false);
        }
        base.hard_weight = progress.hard_weight;
        let now = self.merit(progress.hard_weight, work);
        let decrease = (base.value() - promised).max(0.0);
        // Gaps that are small beside the positions they follow from are noise in their last places.
        let noise =
            1e-12 * (base.value().abs() + now.value().abs()) + progress.rounding * (base.slope + now.slope);
        let enough = now.value() <= base.value() - 1e-4 * progress.part * decrease + noise;
        if enough || last.change * progress.part <= ENERGY_JUDGES * last.scale {
            return Ok(false);
        }
        work.solution.cuts += 1;
        progress.part *= 0.5;
        if progress.part < 0.5f64.powi(MAX_CUTS as i32) {
            let (pair, span, gap) = self.worst(work);
            let (energy, cuts, history) = (base.value(), MAX_CUTS, work.history.clone());
            return Err(SolveError::NoDescent {
                energy,
                cuts,
                change: last.change,
                pair,
                span,
                gap,
                history,
            });
        }
        self.halve_step(work);
        Ok(true)
    }

    fn keep_base(&self, work: &mut Workspace) {
        work.base.lambda.copy_from_slice(&work.lambda);
        copy_all(&mut work.base.force, &work.force);
        copy_all(&mut work.base.displacement, &work.displacement);
    }

    /// ½ f·u + Σ ½ [−g]₊²/d and Σ [−g]₊ over hard spans, at the last pass.
    fn merit(&self, hard_weight: f64, work: &Workspace) -> Merit {
        let mut merit = Merit { smooth: elastic_energy(work), violation: 0.0, hard_weight, slope: 0.0 };
        for (s, &gap) in
            work.spans.gap.iter().enumerate().filter(|(s, g)| work.spans.evaluated[*s] && **g < 0.0)
        {
            match self.law_compliance(self.n_parts * s) {
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

    /// Energy of the linearised problem at its solution.
    fn model_energy(&self, work: &Workspace) -> f64 {
        let penalty = |(s, l): (usize, &f64)| 0.5 * self.law_compliance(s) * l * l;
        let active = work.lambda.iter().enumerate().filter(|(_, l)| **l > 0.0);
        elastic_energy(work) + active.map(penalty).sum::<f64>()
    }

    /// Condenses anew if a closed span is not in W, or the frozen W serves badly.
    fn update_condensed(&self, progress: &mut Progress, warm: &mut WarmState, work: &mut Workspace) {
        let missing = (0..self.n_spans).any(|s| {
            let row = self.n_parts * s;
            work.spans.evaluated[s] && work.spans.gap[s] < 0.0 && work.condensed.position[row] == u32::MAX
        });
        let n = work.history.len();
        let poor = n >= 2
            && work.history[n - 1] > POOR_CONTRACTION * work.history[n - 2]
            && progress.condensed_here < 3
            && progress.change.is_some_and(|c| c.change > self.tolerances.relative * c.scale);
        if missing || poor {
            let deepest = work.spans.gap.iter().fold(0.0, |a: f64, g| a.max(-g));
            let largest = work.displacement.iter().flatten().fold(0.0, |a: f64, u| a.max(u.abs()));
            self.condense(0.5 * deepest.max(largest), warm, work);
            progress.condensed_here += 1;
            work.solution.condensations += 1;
        }
    }

    /// Largest change of a displacement, or of a penalty's own gap, by the step.
    fn change(&self, work: &Workspace) -> Change {
        let mut result = Change { change: 0.0, scale: 0.0 };
        let pairs = work.displacement.iter().flatten().zip(work.base.displacement.iter().flatten());
        for (new, old) in pairs {
            result.change = result.change.max((new - old).abs());
            result.scale = result.scale.max(new.abs());
        }
        for (s, (new, old)) in work.lambda.iter().zip(&work.base.lambda).enumerate() {
            if *new != 0.0 || *old != 0.0 {
                let d = self.law_compliance(s);
                result.change = result.change.max(d * (new - old).abs());
                result.scale = result.scale.max(d * new.abs());
            }
        }
        result
    }

    fn has_converged(&self, progress: &Progress, now: Change, work: &mut Workspace) -> bool {
        let floor = progress.rounding;
        let allowed = self.tolerances.relative * now.scale + floor;
        let error = match progress.change {
            // A sequence that contracts by κ is at most κ/(1 − κ) times its last change from its limit.
            Some(last) if progress.part == 1.0 && now.change < 0.5 * last.change => {
                let kappa = (now.change / last.change).max(CONTRACTION);
                now.change * kappa / (1.0 - kappa)
            }
            _ => now.change,
        };
        work.solution.error = if now.scale > 0.0 { error / now.scale } else { 0.0 };
        if error <= allowed {
            return true;
        }
        // Round-off: three passes without progress, all of them nearly there.
        let n = work.history.len();
        let near = now.change <= 1e-7 * now.scale + 8.0 * floor;
        let best = work.history.iter().rev().skip(2).fold(f64::INFINITY, |a, b| a.min(*b));
        let stalled =
            n >= 5 && now.change >= best && work.history[n - 1] >= best && work.history[n - 2] >= best;
        work.solution.stagnated = near && stalled;
        work.solution.stagnated
    }

    fn not_converged(&self, change: Change, work: &Workspace) -> SolveError {
        let (pair, span, gap) = self.worst(work);
        let Change { change, scale } = change;
        let (passes, history) = (work.solution.passes, work.history.clone());
        SolveError::NotConverged { passes, change, scale, pair, span, gap, history }
    }

    /// The span that violates 0 ≤ λ ⊥ g + d λ ≥ 0 most: pair, span, gap.
    fn worst(&self, work: &Workspace) -> (usize, usize, f64) {
        let violation = |s: usize| {
            let lambda = work.lambda[self.n_parts * s];
            let w = work.spans.gap[s] + self.law_compliance(self.n_parts * s) * lambda;
            if lambda > 0.0 { w.abs() } else { (-w).max(0.0) }
        };
        let spans = (0..self.n_spans).filter(|&s| work.spans.evaluated[s]);
        let worst = spans.max_by(|&a, &b| violation(a).total_cmp(&violation(b))).unwrap_or(0);
        if self.n_spans == 0 {
            return (0, 0, 0.0);
        }
        let pair = self.pair_of(worst);
        (pair, worst - self.pairs[pair].span_offset, work.spans.gap[worst])
    }
}

fn elastic_energy(work: &Workspace) -> f64 {
    let pairs = work.force.iter().flatten().zip(work.displacement.iter().flatten());
    0.5 * pairs.map(|(f, u)| f * u).sum::<f64>()
}

fn halve(target: &mut [f64], base: &[f64]) {
    target.iter_mut().zip(base).for_each(|(t, b)| *t = 0.5 * (*t + *b));
}

fn copy_all(to: &mut [Vec<f64>], from: &[Vec<f64>]) {
    to.iter_mut().zip(from).for_each(|(to, from)| to.copy_from_slice(from));
}
