//! One solve: its working memory, and the public calls on it.
//!
//! The parts of the working memory keep their own state: [`Gaps`], [`Rows`], [`Friction`], [`Condensed`] and
//! two [`Iterate`]s. Only this file and the phases of the iteration in its folder see all of them.

mod convergence;
mod iteration;
mod line_search;
mod linearised;
mod progress;

use faer::Mat;

use super::closed::{RowForce, row_forces};
use super::condensed::Condensed;
use super::friction::Friction;
use super::gaps::Gaps;
use super::iterate::Iterate;
use super::model::QuasistaticContact;
use super::motion::{PointMotion, motion_stiffness};
use super::overlap::corner_overlap;
use super::patch::{Patch, patch};
use super::row::Rows;
use super::solution::{Overlap, Solution};
use super::warm_state::WarmState;
use super::{BodyState, SolveError};

/// Memory of [`QuasistaticContact::solve`], with the [`Solution`] of the last call.
///
/// Apart from speed nothing in it influences the next call. After a first call nothing is allocated unless a
/// contact grows beyond its largest size so far.
pub struct Workspace {
    /// Result of the last call.
    pub solution: Solution,
    gaps: Gaps,
    rows: Rows,
    /// Tangential motion; none without friction.
    friction: Option<Friction>,
    condensed: Condensed,
    /// The present iterate, and that at the start of the present step.
    now: Iterate,
    base: Iterate,
    /// Change of the displacement in each pass \[m\].
    history: Vec<f64>,
}

impl QuasistaticContact {
    /// Memory for [`Self::solve`].
    pub fn workspace(&self) -> Workspace {
        let (bodies, unknowns) = (&self.bodies, &self.unknowns);
        let (n_cells, n_rows) = (unknowns.n_cells(), unknowns.n_rows());
        Workspace {
            solution: Solution::new(self),
            gaps: Gaps::new(bodies, &self.pairs),
            rows: Rows::new(n_cells, unknowns.n_parts()),
            friction: unknowns.has_friction().then(|| Friction::new(n_cells)),
            condensed: Condensed::new(bodies, unknowns),
            now: Iterate::zero(bodies, n_rows),
            base: Iterate::zero(bodies, n_rows),
            history: Vec::with_capacity(64),
        }
    }

    /// Memory for solves in addition to those of another one, with the room that its rows have needed.
    pub fn workspace_beside(&self, work: &Workspace) -> Workspace {
        Workspace { rows: work.rows.clone(), ..self.workspace() }
    }

    /// A warm state without any memory: the first solve searches everywhere.
    pub fn cold(&self) -> WarmState {
        WarmState::cold(self)
    }

    /// The warm state that [`WarmState::to_numbers`] has written; none if the numbers are not those of such a
    /// state.
    pub fn restore(&self, numbers: &[f64]) -> Option<WarmState> {
        WarmState::from_numbers(self, numbers)
    }

    /// Finds pressures, forces and displacements of the contact for the given states, into `work.solution`.
    ///
    /// `warm` is the memory of the last solve (or [`Self::cold`]) and becomes that of this one. After an
    /// error it is not usable: continue from a copy, or cold.
    ///
    /// # Errors
    ///
    /// [`SolveError`] if the input does not fit, or the iteration does not converge.
    pub fn solve(
        &self,
        states: &[BodyState<'_>],
        warm: &mut WarmState,
        work: &mut Workspace,
    ) -> Result<(), SolveError> {
        work.solve(self, states, warm)
    }

    /// Exchanges the condensed compliance of two working memories, the largest part of them, and makes it
    /// that of a warm state. Two solves that continue from their own states so need one matrix.
    ///
    /// * `from` — results of its last solve stay, but for [`Self::closed_compliance`]
    /// * `warm` — the state from which `to` continues
    pub fn lend_compliance(&self, from: &mut Workspace, to: &mut Workspace, warm: &WarmState) {
        std::mem::swap(&mut from.condensed, &mut to.condensed);
        to.condensed.recall(&self.bodies, &self.unknowns, &warm.condensed);
    }

    /// Accepts the state of the last solve: friction continues from there.
    ///
    /// * `warm` — that of the last solve
    pub fn accept(&self, warm: &mut WarmState, work: &Workspace) {
        if let Some(friction) = &work.friction {
            let found = (work.now.of_rows(), work.solution.friction_loss);
            friction.accept(
                &mut warm.friction,
                (&work.gaps, &warm.gaps),
                (&self.pairs, &self.unknowns),
                found,
            );
        }
    }

    /// Friction of a pair that was without forces in the last solve is counted from there; that of other
    /// pairs from where it was.
    ///
    /// * `warm` — that of the last solve
    pub fn follow(&self, pair: usize, warm: &mut WarmState, work: &Workspace) {
        if let Some(friction) = &work.friction
            && work.gaps.near().contains(&(pair as u32))
        {
            friction.follow(&mut warm.friction, (&work.gaps, &warm.gaps), self.pairs.get(pair));
        }
    }

    /// The loaded patch of a pair at the last solve; none without force. Allocates nothing.
    ///
    /// ```text
    /// ∫ p dA = ⅔ π a² p₀,   ∫ p² dA = ½ π a² p₀²    ⟹    a² = 9/(8π) (Σ λ)² / Σ λ²/A
    /// ```
    pub fn patch(&self, pair: usize, warm: &WarmState, work: &Workspace) -> Option<Patch> {
        patch(self.pairs.get(pair), &work.solution.lambda, warm.gaps.feet())
    }

    /// Bound from below on the gap of a pair whose bodies were apart at the last solve \[m\].
    pub fn clearance(&self, pair: usize, work: &Workspace) -> f64 {
        work.gaps.clearance(pair, &self.pairs)
    }

    /// The least time in which a pair whose bodies were apart at the last solve may touch: the least quotient
    /// of [`Self::clearance`] and the speed at which the gap closes \[s\]; infinite without such a pair.
    /// Near-linear in the number of bodies.
    ///
    /// * `speed` — of each body: the speeds of two bodies add up to at least that of their pair \[m/s\]
    /// * `closing` — upper bound of the speed at which the gap of a pair closes \[m/s\]
    pub fn least_time_apart(
        &self,
        work: &mut Workspace,
        speed: impl Fn(usize) -> f64,
        closing: impl Fn(usize) -> f64,
    ) -> f64 {
        work.gaps.least_time_apart(&self.pairs, speed, closing)
    }

    /// The corner at an edge of the first zone that lies deepest inside the other body, in sizes of its
    /// pressure cell, at the positions of the last solve, among the cells without force.
    ///
    /// Corners of a pair that are far from the other body cost a comparison each.
    pub fn corner_overlap(&self, pair: usize, warm: &WarmState, work: &mut Workspace) -> Option<Overlap> {
        corner_overlap((pair, &self.pairs), &work.solution.lambda, &mut work.gaps, &warm.gaps)
    }

    /// Calls `with` for each row whose motion changes its force at once at the last solve, in ascending
    /// order: the normal rows of cells with pressure, and the tangential ones of those that stick.
    pub fn for_closed(&self, work: &Workspace, mut with: impl FnMut(usize)) {
        let lambda = work.now.of_rows();
        let cells = work.gaps.near_cells(&self.pairs);
        for s in cells.filter(|&s| lambda[self.unknowns.normal(s)] > 0.0) {
            let normal = self.unknowns.normal(s);
            with(normal);
            if work.friction.as_ref().is_some_and(|friction| friction.sticks(s, lambda)) {
                with(normal + 1);
                with(normal + 2);
            }
        }
    }

    /// (W + d) of two rows of [`Self::for_closed`] \[m/N\], with W of the last condensation.
    pub fn closed_compliance(&self, work: &Workspace, r: usize, s: usize) -> f64 {
        let law = if r == s { self.unknowns.law_compliance(r) } else { 0.0 };
        work.condensed.entry(r, s).map_or(law, |compliance| law + compliance)
    }

    /// Forces of a unit of a row's force on its two bodies, at the positions of the last pass.
    pub fn row_forces<'a>(&self, work: &'a Workspace, row: usize) -> [RowForce<'a>; 2] {
        row_forces(work.rows.get(row), self.unknowns.bodies_of(row), &work.gaps)
    }

    /// Stiffness of the contact of the last solve against motions of the bodies, without that of turning
    /// normals.
    ///
    /// ```text
    /// H = (B R)ᵀ (W + d)⁻¹ (B R)    over the cells with pressure
    /// ```
    ///
    /// * `motions` — R, one column each
    ///
    /// Returns H, n × n for n motions, symmetric and positive semi-definite: minus the derivative of the
    /// forces Rᵀ f on the points by the motions. `None` if W is singular, as with several pressures on one
    /// point.
    pub fn motion_stiffness(&self, motions: &[PointMotion], work: &Workspace) -> Option<Mat<f64>> {
        let lambda = &work.solution.lambda;
        let loaded: Vec<usize> = (0..self.n_cells()).filter(|&s| lambda[s] > 0.0).collect();
        motion_stiffness((&self.bodies, &self.unknowns), &work.rows, &loaded, motions)
    }
}
