//! Systems of second order with constraints, whose positions need not form a vector space.
//!
//! ```text
//! c' = c ∘ z,    π = M(c) z,    π' = f(t, c, z) − Gᵀ(c) λ,    g(t, c) = 0,    G z + g_t = 0
//! ```
//!
//! Positions c move by *increments* ξ of the tangent space, c ∘ ξ, in which rotations move by the
//! exponential map; z are the velocities in the same directions, π the momenta of the state vector y, which
//! may use fixed axes (π' then has no terms of moving axes).

use crate::structure::{StateStructure, Structure};

/// A mechanical system: an [`Ode`](crate::Ode) in positions and momenta whose parts are known to integrators
/// that solve for its constraints themselves.
///
/// The rate of the [`Ode`](crate::Ode) contains reactions found at the level of accelerations;
/// [`SecondOrder::rate_with`] takes given multipliers instead, or none for the same reactions.
pub trait SecondOrder {
    /// Errors from the evaluation of a rate: those of the [`Ode`](crate::Ode).
    type Error: std::error::Error + 'static;

    /// Number N of velocities.
    fn velocities(&self) -> usize;

    /// Number m of constraints.
    fn constraints(&self) -> usize;

    /// Which velocities and constraints depend on each other; constant during a run.
    fn structure(&self) -> Structure {
        Structure::whole(self.velocities(), self.constraints())
    }

    /// The parts of y, for formulas whose rates contain the reactions; constant during a run. None if only
    /// the whole rate is known.
    fn state_structure(&self) -> Option<StateStructure> {
        None
    }

    /// Writes the second derivatives of the constraints (length m) at the positions and velocities of the
    /// last evaluation of a rate, as if the momenta of y had the rates `rate`: zero for those that contain
    /// the reactions. Called if there is a [`SecondOrder::state_structure`].
    fn constraint_accelerations(&mut self, rate: &[f64], out: &mut [f64]) {
        let _ = (rate, out);
    }

    /// For velocity i the components of y whose tolerances measure its increments and its momentum.
    fn components(&self, velocity: usize) -> [usize; 2];

    /// True if velocity i belongs to a vibration that need not be resolved. Its momentum does not contribute
    /// to a conserved sum.
    fn is_internal(&self, velocity: usize) -> bool;

    /// True for components of y that are positions. All others have rates that are integrated.
    fn is_position(&self, component: usize) -> bool;

    /// Size of what increment i changes at y, in which its rounding is relative.
    fn magnitude(&self, y: &[f64], velocity: usize) -> f64;

    /// Scale of the violation of constraint k, at the last evaluation.
    fn closure(&self, constraint: usize) -> f64;

    /// Size of the terms of constraint k at the last evaluation, in which its rounding is relative: at least
    /// [`Self::closure`], and far from the origin more.
    fn terms(&self, constraint: usize) -> f64 {
        self.closure(constraint)
    }

    /// Writes to `y`: the positions of `from` moved by `step.increment`, their momenta M z + Gᵀ μ, and the
    /// other components of `from`.
    ///
    /// # Errors
    ///
    /// As those of the rate.
    fn place(
        &mut self,
        time: f64,
        from: &[f64],
        step: Displacement<'_>,
        y: &mut [f64],
    ) -> Result<(), Self::Error>;

    /// Column i of M at the positions of the last evaluation, over the velocities of its part.
    fn mass_column(&self, velocity: usize, column: &mut [f64]);

    /// As [`Ode::rate`](crate::Ode::rate), with the reactions −Gᵀ λ of given multipliers (length m); without
    /// multipliers the same rate as there.
    ///
    /// # Errors
    ///
    /// As there.
    fn rate_with(
        &mut self,
        time: f64,
        y: &[f64],
        multipliers: Option<&[f64]>,
        rate: &mut [f64],
    ) -> Result<(), Self::Error>;

    /// Writes quantities that the last evaluation of a rate, of either kind, has computed.
    fn read(&mut self, reading: &mut Reading);

    /// z' (length N) at the last evaluation of a rate, of either kind.
    fn accelerations(&mut self, out: &mut [f64]);

    /// Writes a change of y as momenta in the directions of the velocities (length N), so that z · out is
    /// its power.
    fn pull_back(&self, y: &[f64], change: &[f64], out: &mut [f64]);

    /// Excludes the low-rank forces of [`SecondOrder::for_low_rank_rows`] from all rates until it is called
    /// with `false`. The default suits systems without such forces.
    fn omit_low_rank(&mut self, omit: bool) {
        let _ = omit;
    }

    /// Calls `visit` with the number of each row of the low-rank forces that is active at the last evaluation
    /// of a rate, ascending.
    ///
    /// Low-rank forces act along a few rows b of the velocities (B, r × N), with a derivative that is known
    /// without differences:
    ///
    /// ```text
    /// ∂f/∂ξ ≈ −Bᵀ S⁻¹ B
    /// ```
    ///
    /// S (r × r) is the compliance of the rows without inertia. Which rows are active may change from
    /// evaluation to evaluation.
    fn for_low_rank_rows(&self, visit: &mut dyn FnMut(usize)) {
        let _ = visit;
    }

    /// Entry of S of two active rows.
    fn low_rank_compliance(&self, row: usize, other: usize) -> f64 {
        let _ = (row, other);
        0.0
    }

    /// Writes row b (length N) of an active row number, at the last evaluation of a rate.
    fn low_rank_row(&mut self, number: usize, row: &mut [f64]) {
        let _ = (number, row);
    }

    /// Row k of G and the column M⁻¹ Gᵀ of it, both over the velocities of one of its parts, at the last
    /// evaluation of a rate.
    fn constraint(&mut self, constraint: usize, part: usize, row: &mut [f64], column: &mut [f64]);

    /// Writes ∂(M z)/∂ξ of a part, row by row over its velocities, at the positions and velocities of the
    /// last evaluation of a rate and for ξ = 0 there; momenta are in the directions of the velocities, as
    /// those of [`SecondOrder::pull_back`]. A system without a formula for this derivative returns false and
    /// writes nothing.
    fn carried_momenta(&mut self, part: usize, out: &mut [f64]) -> bool {
        let _ = (part, out);
        false
    }

    /// Writes ∂(G z)_k/∂ξ of a constraint over the velocities of one of its parts, at the same point as
    /// [`SecondOrder::carried_momenta`], with the same answer.
    fn carried_rate(&mut self, constraint: usize, part: usize, row: &mut [f64]) -> bool {
        let _ = (constraint, part, row);
        false
    }
}

/// Displacement of positions, and the corresponding momenta.
#[derive(Debug, Clone, Copy)]
pub struct Displacement<'a> {
    /// ξ, length N.
    pub increment: &'a [f64],
    /// z, length N.
    pub velocity: &'a [f64],
    /// μ, an impulse of each constraint; empty for none.
    pub impulse: &'a [f64],
}

/// Velocities and constraints at a state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// z, length N.
    pub velocity: Vec<f64>,
    /// λ, length m.
    pub multipliers: Vec<f64>,
    /// g, length m.
    pub value: Vec<f64>,
    /// G z + g_t, length m.
    pub value_rate: Vec<f64>,
}

impl Reading {
    /// Zeros for N velocities and m constraints.
    pub fn new(velocities: usize, constraints: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        Self {
            velocity: zeros(velocities),
            multipliers: zeros(constraints),
            value: zeros(constraints),
            value_rate: zeros(constraints),
        }
    }
}
