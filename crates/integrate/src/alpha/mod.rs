//! Generalised-α for systems of second order with constraints, in momenta.
//!
//! The *algorithmic* accelerations a and forces φ̂ lag behind the true ones by a part of the step:
//!
//! ```text
//! ξ   = h z₀ + h² ((½ − β) a₀ + β a₁) − M⁻¹ Gᵀ μ h β/γ            c₁ = c₀ ∘ ξ
//! z₁  = z₀ + h ((1 − γ) a₀ + γ a₁)                              (defines a₁)
//! π₁  = π₀ + h ((1 − γ) φ̂₀ + γ φ̂₁)                              π₁ = M(c₁) z₁
//! (1 − α_m) φ̂₁ + α_m φ̂₀ = (1 − α_f) π'₁ + α_f π'₀               π' = f(t, c, z) − Gᵀ λ
//! g(t₁, c₁) = 0,      and for the stabilised form  G z₁ + g_t = 0
//! ```
//!
//! For a constant mass matrix φ̂ = M a, and the formula is that of Chung & Hulbert; rotations move by the
//! exponential map of ξ, as in Brüls & Arnold. Sums over all bodies in π' are sums in π: momenta are
//! conserved to rounding, and integrals along the path (work, impulses) follow the same rule. In the
//! index-3 form μ = 0, unless the step is so short that rounding of positions, divided by it, exceeds the
//! tolerance of velocities. The unknowns are ξ, h² κ λ and h μ, scaled so that the matrix of the step stays
//! regular as h → 0 (`matrix`).
//!
//! Lags belong to a step length: a₀ = z'₀ + h τ and φ̂₀ = π'₀ + h σ. τ and σ come from the previous step,
//! or in the first step from Δ = α_m − α_f times the rates of z' and π'. So the order stays 2 if steps
//! change their length. Modes that oscillate within a step are not resolved, and their lags do not exceed
//! those of the previous step.
//!
//! The error of a step is that of its Taylor series, filtered by the factors of the step: stiff or
//! constrained components are weighted by the motion that they cause:
//!
//! ```text
//! e_ξ = c_q h² (a₁ − a₀),     c_q = β + Δ/2 − 1/6
//! e_π = c_π h³ π''',          π''' from the rates at both ends of this step and the one before
//! ```
//!
//! # Source
//!
//! Chung & Hulbert (1993), J. Appl. Mech. 60, 371–375; Brüls & Arnold (2007), Proc. Multibody Dynamics
//! (ECCOMAS), and Arnold, Brüls & Cardona (2015), Numer. Math. 129, 149–179, for Lie groups, lags and both
//! forms of constraints; Bottasso, Dopico & Trainelli (2008), Multibody Syst. Dyn. 19, 3–20, for the scaling;
//! Zienkiewicz & Xie (1991), Earthq. Eng. Struct. Dyn. 20, 871–887, for the error of increments. The form in
//! momenta: docs/theory.md, 5.

mod history;
mod matrix;
mod parameters;
mod step;

pub use parameters::{ConstraintForm, SpectralRadius, SpectralRadiusError};

use history::History;
use matrix::{Point, StepMatrix};
use parameters::Parameters;

use crate::adaptive::{Adaptive, Formula, Shared, Span, Trial};
use crate::attempt::Attempt;
use crate::control::{Controller, Tolerances};
use crate::dense;
use crate::newton::keeps;
use crate::ode::{IntegrateError, Ode};
use crate::second_order::Reading;
use crate::structure::Structure;

/// Growth of the step below which its length and factors are kept.
const SMALL_GROWTH: f64 = 1.2;

/// Contraction of Newton's method up to which M, G and the factors of earlier steps are kept: beyond it
/// further iterations cost more than new factors. The cost of factors over that of an iteration grows with
/// the number of velocities of a part: this is the contraction for [`MANY_VELOCITIES`], for fewer it falls
/// with their fourth power. Up to [`FEW_VELOCITIES`] each step has new factors.
const KEEPS_FACTORS: f64 = 0.05;
const MANY_VELOCITIES: usize = 45;
const FEW_VELOCITIES: usize = 8;

/// Generalised-α under error control.
pub type GeneralisedAlpha = Adaptive<ChungHulbert>;

/// The formula with its workspace.
#[derive(Debug)]
pub struct ChungHulbert {
    of: Parameters,
    form: ConstraintForm,
    history: History,
    matrix: StepMatrix,
    /// Contraction of Newton's method in the last trial, and its limit for keeping derivatives.
    contraction: f64,
    keeps: f64,
    /// Whether each component of y is a position.
    is_position: Vec<bool>,
    /// ξ, λ, μ.
    increment: Vec<f64>,
    multipliers: Vec<f64>,
    impulse: Vec<f64>,
    /// a₀ and φ̂₀ for the length of this step.
    acceleration: Vec<f64>,
    filtered: Vec<f64>,
    /// z₁ of ξ alone.
    velocity: Vec<f64>,
    /// Rates at the end of the step, and quantities of that evaluation; a₁.
    f1: Vec<f64>,
    end_acceleration: Vec<f64>,
    end: Reading,
    /// z' of the last evaluation.
    found_acceleration: Vec<f64>,
    change: Vec<f64>,
    residual: Vec<f64>,
    /// Scales of increments in Newton's method, and rounding errors of all unknowns.
    scales: Vec<f64>,
    noise: Vec<f64>,
    /// Response of each constraint to its multiplier and its impulse.
    responses: Vec<[f64; 2]>,
    /// Usual rounding of multipliers and of impulses, as violations of their constraints; workspace.
    usual_noise: [f64; 2],
    sorted: Vec<f64>,
    error: Vec<f64>,
    dense: Vec<f64>,
}

impl GeneralisedAlpha {
    /// For systems with the number of components of `tolerances`. Velocities and constraints are counted at
    /// the first step.
    pub fn new(radius: SpectralRadius, form: ConstraintForm, tolerances: Tolerances) -> Self {
        let dim = tolerances.absolute.len();
        let formula = ChungHulbert {
            of: Parameters::new(radius),
            form,
            history: History::new(dim),
            matrix: StepMatrix::default(),
            contraction: 0.0,
            keeps: 0.0,
            is_position: vec![false; dim],
            increment: Vec::new(),
            multipliers: Vec::new(),
            impulse: Vec::new(),
            acceleration: Vec::new(),
            filtered: vec![0.0; dim],
            velocity: Vec::new(),
            f1: vec![0.0; dim],
            end: Reading::default(),
            found_acceleration: Vec::new(),
            change: vec![0.0; dim],
            residual: Vec::new(),
            end_acceleration: Vec::new(),
            scales: Vec::new(),
            noise: Vec::new(),
            responses: Vec::new(),
            usual_noise: [0.0; 2],
            sorted: Vec::new(),
            error: vec![0.0; dim],
            dense: vec![0.0; 4 * dim],
        };
        Self::with(formula, tolerances)
    }
}

impl Formula for ChungHulbert {
    fn error_power(&self) -> u32 {
        3
    }

    fn start<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        time: f64,
        room: f64,
        is_first: bool,
    ) -> Result<f64, IntegrateError<O::Error>> {
        let Some(system) = ode.second_order() else { return Err(IntegrateError::FirstOrder) };
        let (velocities, constraints) = (system.velocities(), system.constraints());
        if (velocities, constraints) != self.sizes() {
            self.resize(system.structure());
            self.is_position.clear();
            self.is_position.extend((0..shared.dim()).map(|i| system.is_position(i)));
        }
        if !self.history.is_started {
            shared.rate_at_start(ode, (time, room), &mut self.history.rate)?;
            if let Some(system) = ode.second_order() {
                system.read(&mut self.end);
                system.accelerations(&mut self.found_acceleration);
            }
            self.history.start(&self.end, &self.found_acceleration);
        }
        self.keeps = keeps(self.matrix.evaluations(), 1);
        Ok(if is_first { shared.euler_step(&self.history.rate, room) } else { room })
    }

    fn trial<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error> {
        let Some(system) = ode.second_order() else { return Ok(Trial::UNSOLVED) };
        if self.needs_slopes(span.h) {
            self.estimate_lags(system, shared, span)?;
        }
        self.matrix.start_step();
        loop {
            self.predict(system, span.h);
            let Self { increment, velocity, multipliers, matrix, .. } = self;
            matrix.prepare(system, shared, Point { increment, velocity, multipliers }, span.end)?;
            self.matrix.holds_velocities =
                self.form == ConstraintForm::Stabilised || self.is_below_rounding(system, shared, span.h);
            match self.iterate(system, shared, span)? {
                None => break,
                // Where low-rank rows change, a shorter step helps sooner than new derivatives.
                Some(component) if self.matrix.is_fresh() || self.matrix.is_corrected() && !span.again => {
                    return Ok(Trial { component, ..Trial::UNSOLVED });
                }
                Some(_) => self.matrix.drop_oldest(),
            }
        }
        self.finish(system, shared, span)?;
        Ok(self.estimate(system, shared, span))
    }

    /// A step that would grow little keeps its length and its factors.
    fn settle(&self, controller: &mut Controller, h: f64) {
        if (1.0..SMALL_GROWTH).contains(&(controller.next_step / h)) {
            controller.next_step = h;
        }
    }

    fn prepare_dense<O: Ode>(
        &mut self,
        _ode: &mut O,
        shared: &mut Shared,
        attempt: Attempt,
    ) -> Result<(), O::Error> {
        let f0 = &self.history.rate;
        let ends = [&shared.y0[..], f0, &shared.y1, &self.f1];
        dense::hermite(&mut self.dense, shared.dim(), attempt.step(), ends);
        Ok(())
    }

    fn interpolate(&self, _shared: &Shared, _h: f64, s: f64, out: &mut [f64]) {
        dense::evaluate(&self.dense, out.len(), s, out);
    }

    fn accepted(&mut self, _shared: &Shared, attempt: Attempt) {
        self.carry_on(attempt.step());
        if self.contraction > self.keeps {
            self.matrix.drop_oldest();
        } else if self.contraction > self.keeps_factors() {
            self.matrix.drop_factors();
        }
    }

    /// Positions and momenta have moved by less than their errors: rates and lags are kept.
    fn nudged(&mut self) {}

    fn changed(&mut self) {
        (self.history.is_started, self.history.has_lags) = (false, false);
    }

    /// Lags and slopes of earlier steps are not used after a kink.
    fn kinked(&mut self) {
        self.changed();
    }

    fn rate_mut(&mut self) -> Option<&mut [f64]> {
        Some(&mut self.history.rate)
    }

    /// Which components are positions, structure, history, derivatives.
    fn memory(&self) -> Vec<f64> {
        let mut memory: Vec<f64> = self.is_position.iter().map(|&is| f64::from(u8::from(is))).collect();
        self.matrix.structure().write(&mut memory);
        self.history.write(&mut memory);
        self.matrix.write(&mut memory);
        memory
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        let dim = self.f1.len();
        let Some((is_position, mut rest)) = memory.split_at_checked(dim) else { return false };
        self.is_position = is_position.iter().map(|&is| is == 1.0).collect();
        // A system has no more velocities than components, nor more constraints.
        let Some(structure) = Structure::read(&mut rest, dim) else { return false };
        self.resize(structure);
        self.history.read(&mut rest) && self.matrix.read(&mut rest, &self.of) && rest.is_empty()
    }
}

impl ChungHulbert {
    fn sizes(&self) -> (usize, usize) {
        (self.increment.len(), self.multipliers.len())
    }

    /// Contraction up to which factors are kept.
    fn keeps_factors(&self) -> f64 {
        let size = self.matrix.largest_part();
        let part = (size as f64 / MANY_VELOCITIES as f64).min(1.0);
        if size <= FEW_VELOCITIES { 0.0 } else { KEEPS_FACTORS * part.powi(4) }
    }

    fn resize(&mut self, structure: Structure) {
        self.matrix = StepMatrix::new(self.f1.len(), structure);
        let (velocities, constraints) = self.matrix.sizes();
        let zeros = |n: usize| vec![0.0; n];
        self.history.resize(velocities, constraints);
        (self.increment, self.multipliers) = (zeros(velocities), zeros(constraints));
        (self.impulse, self.acceleration) = (zeros(constraints), zeros(velocities));
        (self.velocity, self.residual) = (zeros(velocities), zeros(velocities + 2 * constraints));
        (self.end_acceleration, self.scales) = (zeros(velocities), zeros(velocities));
        self.sorted = zeros(constraints);
        (self.noise, self.responses) = (zeros(velocities + 2 * constraints), vec![[0.0; 2]; constraints]);
        self.end = Reading::new(velocities, constraints);
        self.found_acceleration = zeros(velocities);
    }
}
