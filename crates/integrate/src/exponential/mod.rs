//! An exponential Runge-Kutta formula of order 4 with error control and dense output: steps much longer than
//! the periods of oscillations that the rate's linear part describes.
//!
//! ```text
//! f(t, y) = f₀ + L (y − y₀) + D(t, y),     L ≈ ∂f/∂y, kept for many steps
//! y₁ = y₀ + h (φ₁ f₀ + φ₂ (4 D₅ − D₄) + φ₃ (4 D₄ − 8 D₅)),     φ_k = φ_k(hL)
//! ```
//!
//! D₄ and D₅ are the remainders at the end and in the middle of the step, found by the stages of Hochbruck
//! and Ostermann. Oscillations by L are exact at any step, so that modes which ring keep amplitude and phase;
//! the step follows D: slow motion, loads, and the change of L since it was computed.
//!
//! Between the stages D is a parabola through 0, D₅, D₄. The error of a step is measured where the solution
//! of the linear equation under that parabola was not fitted, at a quarter of the step:
//!
//! ```text
//! e = h |f(t + h/4, y(h/4)) − f₀ − L (y(h/4) − y₀) − D(h/4)|
//! ```
//!
//! and at the end, by the rate at y₁. It falls like h⁴ for smooth D, and sees remainders that oscillate
//! within the step. The dense output is the same solution, at any time in the step.
//!
//! Steps have lengths of a ladder, u 2ᵏ, so that functions of hL serve for many of them. The formula of
//! Dormand and Prince takes shorter steps, and all steps while the rate does not oscillate or may have kinks
//! ([`Ode::oscillates`]).
//!
//! # Source
//!
//! Hochbruck & Ostermann (2005), SIAM J. Numer. Anal. 43, 1069–1090, eq. (5.19), for the stages; Higham
//! (2008), Functions of Matrices, chapter 10, for φ by series and doubling; docs/theory/flight.md.

use std::cell::RefCell;

use linear::Linear;
use remainder::Remainder;

use crate::adaptive::{Adaptive, Formula, Shared, Span, Trial, Wanted};
use crate::attempt::Attempt;
use crate::control::Tolerances;
use crate::jacobian::Jacobian;
use crate::ode::{IntegrateError, Ode};
use crate::runge_kutta::Explicit;
use crate::tableau::Method;

mod linear;
mod phi;
mod remainder;

/// Order of the error estimate.
const ERROR_POWER: u32 = 4;

/// Lowest rung of a long step: its quarter is a rung too.
const LOWEST: i32 = 2;

/// Steps after which the linear part is computed again: a fresh one may allow longer steps.
const OLDEST: u32 = 64;

/// Part of the longest step with a linear part below which it is computed again.
const SHORT: f64 = 0.6;

/// Most coupled components: the functions are dense matrices, whose cost grows with the third power.
pub const MOST: usize = 800;

/// Short steps after a failure of the shortest of the long ones.
const PATIENCE: u32 = 32;

/// Part of the room from which a step is taken for one that fills it.
const NEARLY: f64 = 0.98;

/// Step over the wanted one that is tried.
const AHEAD: f64 = 1.3;

/// Difference of a step from that of a rung by rounding of times.
const ROUNDING: f64 = 1e-10;

/// The exponential formula under error control.
pub type Exponential = Adaptive<ExponentialRungeKutta>;

/// The formula with its workspace.
#[derive(Debug)]
pub struct ExponentialRungeKutta {
    /// Short steps, and the rate at the present state.
    explicit: Explicit,
    jacobian: Jacobian,
    linear: Linear,
    has_linear: bool,
    /// Accepted steps since the linear part was computed, and the longest of them \[s\].
    age: u32,
    longest: f64,
    /// True if the trial is a long step.
    is_long: bool,
    /// Steps for which no long one is tried.
    declined: u32,
    remainder: Remainder,
    /// Workspace of the dense output.
    scratch: RefCell<[Vec<f64>; 4]>,
}

impl Exponential {
    /// For systems of as many components as `tolerances` has.
    pub fn new(tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        let formula = ExponentialRungeKutta {
            explicit: Explicit::new(Method::DormandPrince5, n),
            jacobian: Jacobian::new(n),
            linear: Linear::new(),
            has_linear: false,
            age: 0,
            longest: 0.0,
            is_long: false,
            declined: 0,
            remainder: Remainder::default(),
            scratch: RefCell::default(),
        };
        Self::with(formula, tolerances)
    }
}

impl Formula for ExponentialRungeKutta {
    fn error_power(&self) -> u32 {
        if self.is_long { ERROR_POWER } else { self.explicit.error_power() }
    }

    fn start<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        time: f64,
        room: f64,
        is_first: bool,
    ) -> Result<f64, IntegrateError<O::Error>> {
        self.explicit.start(ode, shared, time, room, is_first)
    }

    /// A rung, where the rate oscillates: at least the lowest one, however short the steps were before.
    fn length<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        time: f64,
        Wanted { step, room, again }: Wanted,
    ) -> Result<f64, O::Error> {
        self.is_long = false;
        let mut short = step.min(room);
        if !ode.oscillates() || ode.coupled() > MOST {
            return Ok(short);
        }
        if self.has_linear {
            // Short steps resolve the oscillations.
            short = short.min(self.linear.unit);
        }
        if self.declined > 0 && !again {
            return Ok(short);
        }
        if !self.has_linear || self.is_worn(step) && !again {
            if self.linearise(ode, shared, time, step.min(room)).is_err() {
                self.declined = PATIENCE;
                return Ok(short);
            }
            short = step.min(room).min(self.linear.unit);
        }
        let linear = &self.linear;
        let least = linear.length(LOWEST);
        if room * (1.0 + ROUNDING) < least || again && step < least {
            return Ok(short);
        }
        self.is_long = true;
        // A rung is twice the one below: the next one is taken before the controller asks for all of it.
        let ahead = if again { 1.0 } else { AHEAD };
        let most = (step * ahead).min(room * (1.0 + ROUNDING)).max(least);
        let length = linear.length(linear.rung_below(most));
        if (length / room - 1.0).abs() <= ROUNDING {
            return Ok(room);
        }
        // The caller takes a step that nearly fills the room for one that does.
        let is_near = length > NEARLY * room;
        self.is_long = !is_near || length > least;
        Ok(if is_near { 0.5 * length } else { length })
    }

    fn trial<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error> {
        if !self.is_long {
            return self.explicit.trial(ode, shared, span);
        }
        let failed = |trial: &Trial| trial.error.is_nan() || trial.error > 1.0;
        // A stage that cannot be evaluated: short steps see where.
        self.declined = PATIENCE;
        let mut trial = self.long_trial(ode, shared, span)?;
        if failed(&trial) && self.age > 0 {
            self.linearise(ode, shared, span.start, span.h)?;
            if self.rung(span.h).is_some() {
                trial = self.long_trial(ode, shared, span)?;
            }
        }
        // Not even the shortest of the long steps: short ones may do for a while.
        if !failed(&trial) || self.rung(span.h).is_some_and(|rung| rung > LOWEST as usize) {
            self.declined = 0;
        }
        Ok(trial)
    }

    fn prepare_dense<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        attempt: Attempt,
    ) -> Result<(), O::Error> {
        if self.is_long { Ok(()) } else { self.explicit.prepare_dense(ode, shared, attempt) }
    }

    fn interpolate(&self, shared: &Shared, h: f64, s: f64, out: &mut [f64]) {
        if !self.is_long {
            return self.explicit.interpolate(shared, h, s, out);
        }
        out.copy_from_slice(&shared.y0);
        let scratch = &mut *self.scratch.borrow_mut();
        self.remainder.add_change(&self.linear, self.explicit.present_rate(), (h, s), scratch, out);
    }

    fn accepted(&mut self, shared: &Shared, attempt: Attempt) {
        if self.is_long {
            self.explicit.set_rate(self.remainder.end_rate());
            self.longest = self.longest.max(attempt.step());
        } else {
            self.explicit.accepted(shared, attempt);
            self.declined = self.declined.saturating_sub(1);
        }
        self.age = self.age.saturating_add(1);
    }

    fn nudged(&mut self) {
        self.explicit.nudged();
    }

    fn changed(&mut self) {
        self.explicit.changed();
        self.has_linear = false;
    }

    /// The linear part may have changed: a rejected step computes it again.
    fn kinked(&mut self) {
        self.age = self.age.max(1);
    }

    fn rate_mut(&mut self) -> Option<&mut [f64]> {
        self.explicit.rate_mut()
    }

    /// Unit and rungs of the ladder, age and longest step, coupled components, steps without a long one, the
    /// derivative by columns, the rate.
    fn memory(&self) -> Vec<f64> {
        let unit = if self.has_linear { self.linear.unit } else { 0.0 };
        let [rungs, coupled] = [self.linear.rungs(), self.jacobian.coupled].map(|n| n as f64);
        let [age, declined] = [self.age, self.declined].map(f64::from);
        let mut memory = vec![unit, rungs, age, self.longest, coupled, declined];
        if unit > 0.0 {
            memory.extend(self.jacobian.numbers());
        }
        memory.extend(self.explicit.memory());
        memory
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        let Some((&[unit, rungs, age, longest, coupled, declined], rest)) = memory.split_first_chunk() else {
            return false;
        };
        let n = self.jacobian.matrix.nrows();
        let numbers = if unit > 0.0 { n * n } else { 0 };
        let Some((derivative, rate)) = rest.split_at_checked(numbers) else { return false };
        (self.age, self.longest, self.declined) = (age as u32, longest, declined as u32);
        self.jacobian.coupled = coupled as usize;
        self.has_linear = unit > 0.0;
        if self.has_linear {
            self.jacobian.take(derivative);
            self.linear.set(&self.jacobian, Some(unit));
            (0..rungs as usize).for_each(|rung| self.linear.extend(rung));
        }
        self.explicit.recall(rate)
    }
}

impl ExponentialRungeKutta {
    /// True if the linear part is likely to shorten the steps.
    fn is_worn(&self, wanted: f64) -> bool {
        self.age >= OLDEST || self.age > 0 && wanted < SHORT * self.longest
    }

    /// Computes the linear part at the start of a step.
    fn linearise<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        time: f64,
        step: f64,
    ) -> Result<(), O::Error> {
        self.has_linear = false;
        let at = (&shared.y0[..], self.explicit.present_rate());
        shared.counters.evaluations += self.jacobian.evaluate(ode, time, at, &shared.tolerances)?;
        shared.counters.jacobians += 1;
        // Steps of a given length are rungs.
        let given = (!shared.tolerances.controls()).then_some(step);
        self.linear.set(&self.jacobian, given);
        (self.has_linear, self.age, self.longest) = (true, 0, 0.0);
        Ok(())
    }

    /// The rung of a step, if it is long enough.
    fn rung(&self, h: f64) -> Option<usize> {
        let rung = self.linear.rung_below(h * (1.0 + ROUNDING));
        (rung >= LOWEST).then_some(rung as usize)
    }

    fn long_trial<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        span: Span,
    ) -> Result<Trial, O::Error> {
        let rung = self.rung(span.h).unwrap_or_default();
        let linear = &mut self.linear;
        let known = linear.rungs();
        linear.extend(rung);
        shared.counters.factorisations += (linear.rungs() - known) as u64;
        let Self { linear, explicit, remainder, scratch, .. } = self;
        scratch.get_mut().iter_mut().for_each(|part| part.resize(linear.len(), 0.0));
        remainder.step(ode, shared, linear, (explicit.present_rate(), span, rung))
    }
}
