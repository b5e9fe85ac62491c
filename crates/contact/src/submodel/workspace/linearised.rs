//! The problem linearised at a pass: complementarity of the condensed rows, and the move to its solution.

use super::super::SolveError;
use super::super::model::QuasistaticContact;
use super::super::warm_state::WarmState;
use super::Workspace;

impl Workspace {
    /// Solves the problem linearised at the last pass and moves to f = Bᵀ λ, u = U f.
    ///
    /// ```text
    /// 0 ≤ λ ⊥ g + B (û − u_k) + W (λ − λ_k) + d λ ≥ 0,   û = U Bᵀ λ_k
    /// ```
    ///
    /// û differs from u_k as the rows have turned since u_k was found. Without that term the step is no
    /// descent direction of E: the turn is of the size of the remaining gaps. W may be that of an earlier
    /// pass.
    ///
    /// Returns false if a cell got a force that was not evaluated in this pass: its force is set to zero, and
    /// the next pass evaluates it.
    pub(super) fn solve_linearised(
        &mut self,
        model: &QuasistaticContact,
        warm: &mut WarmState,
    ) -> Result<bool, SolveError> {
        let Self { gaps, rows, friction, condensed, now, base, .. } = self;
        let (bodies, unknowns) = (&model.bodies, &model.unknowns);
        let numbers = warm.condensed.numbers();
        // The gap, or the slip with the law's part of the force at its start.
        let opening = |&r: &u32| match (unknowns.place_of(r as usize), &*friction) {
            ((cell, 0), _) | ((cell, _), None) => gaps.all()[cell],
            ((cell, part), Some(friction)) => {
                friction.opening(cell, part - 1, unknowns.law_compliance(r as usize))
            }
        };
        condensed.set_openings(numbers.iter().map(opening));
        now.gather_forces(rows, unknowns);
        condensed.add_turn(bodies, &now.force, &base.force);
        condensed.set_start(numbers.iter().map(|&r| now.of_row(r as usize)));
        self.solution.fallbacks += usize::from(condensed.solve(numbers, friction.as_mut())?);
        now.release();
        let mut complete = true;
        for (&r, &z) in numbers.iter().zip(condensed.forces()).filter(|(_, z)| **z != 0.0) {
            let (cell, _) = unknowns.place_of(r as usize);
            if gaps.is_evaluated(cell) {
                now.load(r as usize, z);
            } else {
                warm.gaps.require(cell);
                complete = false;
            }
        }
        now.gather_forces(rows, unknowns);
        now.respond(bodies);
        Ok(complete)
    }
}
