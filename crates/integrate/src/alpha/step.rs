//! One step: lags, starting values, Newton's method, the end, its error.

use super::ChungHulbert;
use crate::adaptive::{Shared, Span, Trial};
use crate::control::ROUNDING;
use crate::newton::{Iterations, Verdict};
use crate::second_order::{Displacement, SecondOrder};

/// Fraction of the first step over which slopes are estimated, as there is no earlier step.
const LOOK_AHEAD: f64 = 0.01;

/// Look-ahead relative to the step, above which it is repeated.
const FAR: f64 = 0.25;

/// Rounding of positions and constraints, relative to their sizes: smaller changes need no iteration.
const NOISE: f64 = 32.0 * f64::EPSILON;

/// Tolerance of constraint violations in the iterations, relative to their sizes; a hundredth of it may
/// remain.
const VIOLATION: f64 = 1e-12;

/// Tolerance of multipliers, relative to them: a hundredth may remain, and of those of velocities a
/// ten-thousandth of that.
const DIGITS: f64 = 1e-7;

/// Largest number of changes of the low-rank rows in the iterations of a step.
const MOST_CHANGES: usize = 8;

impl ChungHulbert {
    /// True if slopes are unknown, or were computed over a time longer than the step.
    pub(super) fn needs_slopes(&self, h: f64) -> bool {
        !self.history.has_lags || -2.0 * self.history.slope_age > FAR * h
    }

    /// Slopes of rates, accelerations and multipliers after a short motion with the initial acceleration,
    /// and lags from them. That motion satisfies the constraints to third order of its time.
    pub(super) fn estimate_lags<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        span: Span,
    ) -> Result<(), E> {
        let (ahead, lag) = (LOOK_AHEAD * span.h, self.of.lag());
        let history = &mut self.history;
        for i in 0..self.increment.len() {
            let gain = ahead * history.acceleration[i];
            self.increment[i] = ahead * (history.velocity[i] + 0.5 * gain);
            self.velocity[i] = history.velocity[i] + gain;
        }
        let displacement =
            Displacement { increment: &self.increment, velocity: &self.velocity, impulse: &[] };
        system.place(span.start + ahead, &shared.y0, displacement, &mut self.change)?;
        shared.counters.evaluations += 1;
        system.rate_with(span.start + ahead, &self.change, None, &mut self.f1)?;
        system.read(&mut self.end);
        system.accelerations(&mut self.found_acceleration);
        slopes(&mut history.rate_slope, &self.f1, &history.rate, ahead);
        slopes(&mut history.jerk, &self.found_acceleration, &history.acceleration, ahead);
        slopes(&mut history.multiplier_slope, &self.end.multipliers, &history.multipliers, ahead);
        let scaled = |lags: &mut [f64], slopes: &[f64]| {
            lags.iter_mut().zip(slopes).for_each(|(lag_of, slope)| *lag_of = lag * slope);
        };
        scaled(&mut history.rate_lag, &history.rate_slope);
        scaled(&mut history.acceleration_lag, &history.jerk);
        (history.slope_age, history.has_lags) = (-0.5 * ahead, true);
        Ok(())
    }

    /// a₀ and φ̂₀ for a step of length h; ξ and λ from their slopes, z₁ of that ξ.
    ///
    /// The end-of-step acceleration of a mode that oscillates within the step is not extrapolated. Such a
    /// mode starts with the mean velocity of the last step, and keeps at most the lag of that step, so that
    /// a step after a shortened one is not disturbed. Momenta whose sums are conserved follow one rule.
    pub(super) fn predict<E: std::error::Error + 'static>(
        &mut self,
        system: &dyn SecondOrder<Error = E>,
        h: f64,
    ) {
        let Self { history, matrix, of, filtered, .. } = self;
        for (i, filtered) in filtered.iter_mut().enumerate() {
            *filtered = history.rate[i] + h * history.rate_lag[i];
        }
        let last = if history.slope_age > 0.0 { h.min(2.0 * history.slope_age) } else { h };
        for i in 0..self.increment.len() {
            let is_stiff = system.is_internal(i) && matrix.is_stiff(i, of, h);
            let lag = if is_stiff { last } else { h };
            let acceleration = history.acceleration[i] + lag * history.acceleration_lag[i];
            self.acceleration[i] = acceleration;
            let bend = 0.5 * acceleration + of.beta * h * history.jerk[i];
            let pace = if is_stiff { history.pace[i] } else { history.velocity[i] + h * bend };
            self.increment[i] = h * pace;
            if is_stiff {
                let [_, momentum] = system.components(i);
                filtered[momentum] = history.rate[momentum] + last * history.rate_lag[momentum];
            }
        }
        for (k, multiplier) in self.multipliers.iter_mut().enumerate() {
            *multiplier = history.multipliers[k] + h * history.multiplier_slope[k];
        }
        self.impulse.fill(0.0);
        self.set_velocity(h);
    }

    /// z₁ of the present increment, without impulses.
    fn set_velocity(&mut self, h: f64) {
        for (i, velocity) in self.velocity.iter_mut().enumerate() {
            let (start, acceleration) = (self.history.velocity[i], self.acceleration[i]);
            *velocity = self.of.end_velocity(h, self.increment[i], start, acceleration);
        }
    }

    /// State, rates and constraints at the end, of the present ξ, λ and μ.
    fn evaluate_end<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        span: Span,
    ) -> Result<(), E> {
        self.set_velocity(span.h);
        let Self { increment, velocity, .. } = &*self;
        let impulse = if self.matrix.holds_velocities { &self.impulse[..] } else { &[] };
        system.place(span.end, &shared.y0, Displacement { increment, velocity, impulse }, &mut shared.y1)?;
        shared.counters.evaluations += 1;
        system.rate_with(span.end, &shared.y1, Some(&self.multipliers), &mut self.f1)?;
        system.read(&mut self.end);
        Ok(())
    }

    /// Component i of y after the step by the rule for rates.
    fn by_rule(&self, shared: &Shared, h: f64, i: usize) -> f64 {
        let of = &self.of;
        let end = of.filtered(self.history.rate[i], self.f1[i], self.filtered[i]);
        shared.y0[i] + h * ((1.0 - of.gamma) * self.filtered[i] + of.gamma * end)
    }

    /// Newton's method with the present derivatives: `None` if it converged, otherwise the component that
    /// changed most.
    pub(super) fn iterate<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        span: Span,
    ) -> Result<Option<usize>, E> {
        let mut iterations = Iterations::START;
        let (mut is_first, mut changes) = (true, 0);
        loop {
            self.evaluate_end(system, shared, span)?;
            shared.counters.iterations += 1;
            if is_first {
                let is_new = self.matrix.refresh(system, &self.of, span.h);
                shared.counters.factorisations += u64::from(is_new);
                self.set_scales(system, shared, span.h);
                is_first = false;
            }
            self.set_residual(system, shared, span.h);
            if self.matrix.update_correction(system, &self.of, span.h) {
                // The equations have changed: the test of convergence starts again.
                iterations = Iterations::START;
                changes += 1;
            }
            let change = self.correct(system, span.h);
            match iterations.judge(change.largest) {
                Verdict::GoOn if changes <= MOST_CHANGES => {}
                Verdict::Converged => {
                    self.contraction = iterations.contraction;
                    return Ok(None);
                }
                Verdict::GoOn | Verdict::Failed => return Ok(Some(system.components(change.velocity)[0])),
            }
        }
    }

    /// The equations at the last evaluation of the end, in the order of the matrix.
    fn set_residual<E: std::error::Error + 'static>(
        &mut self,
        system: &dyn SecondOrder<Error = E>,
        shared: &Shared,
        h: f64,
    ) {
        for i in 0..shared.dim() {
            let off = if self.is_position[i] { 0.0 } else { shared.y1[i] - self.by_rule(shared, h, i) };
            self.change[i] = off;
        }
        let (of_momenta, of_joints) = self.residual.split_at_mut(self.increment.len());
        system.pull_back(&shared.y1, &self.change, of_momenta);
        of_momenta.iter_mut().for_each(|off| *off *= h);
        let (values, speeds) = of_joints.split_at_mut(self.multipliers.len());
        values.copy_from_slice(&self.end.value);
        // Velocities without constraints have no impulse.
        let held = if self.matrix.holds_velocities { h } else { 0.0 };
        speeds.iter_mut().zip(&self.end.value_rate).for_each(|(off, speed)| *off = held * speed);
    }

    /// Corrects the unknowns by the residual, and measures the changes and the violation of constraints.
    fn correct<E: std::error::Error + 'static>(
        &mut self,
        system: &dyn SecondOrder<Error = E>,
        h: f64,
    ) -> Change {
        let (n, m) = (self.increment.len(), self.multipliers.len());
        let share = h * h * self.of.share();
        let mut all = Change::default();
        for (k, off) in self.end.value.iter().enumerate() {
            all.of_constraint(*off, system.closure(k), NOISE * system.terms(k));
        }
        let Self { matrix, residual, increment, multipliers, impulse, scales, noise, responses, .. } = self;
        let (of_motion, of_joints) = matrix.solve(|i| -residual[i]).split_at(n);
        for (i, change) in of_motion.iter().enumerate() {
            increment[i] += change;
            all.of_position(resolved(*change, noise[i]) / scales[i], i);
        }
        // Motion by the reactions in the step; near a singular position reactions have fewer digits than
        // constraints.
        let mut of_reaction = |k: usize, kind: usize, change: f64, multiplier: f64, digits: f64| {
            let response = responses[k][kind];
            let moved = share * multiplier.abs() * response;
            let size = system.closure(k).max(digits / VIOLATION * moved);
            let rounding = (noise[n + kind * m + k] * response).max(self.usual_noise[kind]);
            all.of_constraint(change * response, size, rounding);
        };
        let (of_multipliers, of_impulses) = of_joints.split_at(m);
        for (k, (change, of_impulse)) in of_multipliers.iter().zip(of_impulses).enumerate() {
            multipliers[k] += change / share;
            impulse[k] += of_impulse / h;
            of_reaction(k, 0, *change, multipliers[k], DIGITS);
            of_reaction(k, 1, *of_impulse, multipliers[k], 1e-4 * DIGITS);
        }
        all
    }

    /// True if positions do not determine velocities to their tolerance, in steps of length h.
    pub(super) fn is_below_rounding<E: std::error::Error + 'static>(
        &self,
        system: &dyn SecondOrder<Error = E>,
        shared: &Shared,
        h: f64,
    ) -> bool {
        (0..self.increment.len()).any(|i| {
            let [_, momentum] = system.components(i);
            let speed = shared.tolerances.newton_scale(momentum, shared.y0[momentum]) / self.matrix.mass(i);
            f64::EPSILON * system.magnitude(&shared.y0, i) > h * speed
        })
    }

    /// Scales of increments in Newton's method: tolerances of positions and momenta, limited by the
    /// rounding of positions. Rounding of constraints appears in the unknowns that respond to them most, such
    /// as a light mode with a large motion away from the joint, or the reactions of a mechanism whose joints
    /// nearly repeat each other.
    pub(super) fn set_scales<E: std::error::Error + 'static>(
        &mut self,
        system: &dyn SecondOrder<Error = E>,
        shared: &Shared,
        h: f64,
    ) {
        self.matrix.carried_along(|k| system.terms(k), &mut self.noise);
        self.noise.iter_mut().for_each(|change| *change *= NOISE);
        for (i, scale) in self.scales.iter_mut().enumerate() {
            let [position, momentum] = system.components(i);
            let magnitude = system.magnitude(&shared.y0, i);
            let speed = shared.tolerances.newton_scale(momentum, shared.y0[momentum]) / self.matrix.mass(i);
            let of_position = shared.tolerances.newton_scale(position, magnitude);
            self.noise[i] = self.noise[i].max(NOISE * magnitude);
            *scale = of_position.min(h * speed / self.of.speed()).max(ROUNDING * magnitude);
        }
        self.matrix.responses(&mut self.responses);
        self.usual_noise = [0, 1].map(|kind| self.median_noise(kind));
    }

    /// Median of the rounding of multipliers (0) or impulses (1), as violations of their constraints: by
    /// chance the rounding of all constraints together may leave one of them where it is.
    fn median_noise(&mut self, kind: usize) -> f64 {
        let (n, m) = (self.increment.len(), self.multipliers.len());
        if m == 0 {
            return 0.0;
        }
        let Self { sorted, noise, responses, .. } = self;
        for (k, (sorted, response)) in sorted.iter_mut().zip(responses).enumerate() {
            *sorted = noise[n + kind * m + k] * response[kind];
        }
        *sorted.select_nth_unstable_by(m / 2, f64::total_cmp).1
    }

    /// Computes the state at the end of the step, with rates, from the solution of its equations.
    pub(super) fn finish<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        span: Span,
    ) -> Result<(), E> {
        self.evaluate_end(system, shared, span)?;
        system.accelerations(&mut self.found_acceleration);
        let (h, gamma) = (span.h, self.of.gamma);
        for i in 0..shared.dim() {
            if !self.is_position[i] {
                shared.y1[i] = self.by_rule(shared, h, i);
            }
        }
        for (i, end) in self.end_acceleration.iter_mut().enumerate() {
            let change = self.end.velocity[i] - self.history.velocity[i];
            *end = (change / h - (1.0 - gamma) * self.acceleration[i]) / gamma;
        }
        Ok(())
    }

    /// Error of increments and momenta of the step, filtered by its factors.
    pub(super) fn estimate<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &Shared,
        span: Span,
    ) -> Trial {
        if !shared.tolerances.controls() {
            return shared.largest(|_| 0.0);
        }
        let (n, h, speed) = (self.increment.len(), span.h, self.of.speed());
        self.error.fill(0.0);
        let of_increment = self.of.increment_error() * h * h;
        for (i, bend) in self.velocity.iter_mut().enumerate() {
            *bend = of_increment * (self.end_acceleration[i] - self.acceleration[i]);
        }
        let of_momentum = self.of.momentum_error() * h.powi(3) / (0.5 * h + self.history.slope_age);
        let Self { matrix, velocity, residual, error, history, f1, change, is_position, .. } = &mut *self;
        (0..n).for_each(|i| residual[i] = speed * matrix.times_mass(i, velocity));
        residual[n..].fill(0.0);
        let largest_of = |error: &mut f64, x: f64| *error = error.abs().max(x.abs());
        for (i, x) in matrix.solve(|i| residual[i])[..n].iter().enumerate() {
            largest_of(&mut error[system.components(i)[0]], *x);
        }
        for (i, change) in change.iter_mut().enumerate() {
            let slope = (f1[i] - history.rate[i]) / h;
            *change = if is_position[i] { 0.0 } else { of_momentum * (slope - history.rate_slope[i]) };
        }
        system.pull_back(&shared.y1, change, &mut residual[..n]);
        residual[..n].iter_mut().for_each(|change| *change *= speed);
        velocity.copy_from_slice(&matrix.solve(|i| residual[i])[..n]);
        for i in 0..n {
            largest_of(&mut error[system.components(i)[1]], matrix.mass(i) * velocity[i]);
        }
        shared.largest(|i| self.error[i])
    }

    /// Makes the end of the step the start of the next.
    pub(super) fn carry_on(&mut self, h: f64) {
        let Self { history, of, increment, found_acceleration, .. } = self;
        for i in 0..self.f1.len() {
            let end = of.filtered(history.rate[i], self.f1[i], self.filtered[i]);
            history.rate_lag[i] = (end - self.f1[i]) / h;
        }
        slopes(&mut history.rate_slope, &self.f1, &history.rate, h);
        slopes(&mut history.jerk, &self.end_acceleration, &self.acceleration, h);
        slopes(&mut history.acceleration_lag, &self.end_acceleration, found_acceleration, h);
        slopes(&mut history.multiplier_slope, &self.end.multipliers, &history.multipliers, h);
        history.pace.iter_mut().zip(&*increment).for_each(|(pace, increment)| *pace = increment / h);
        history.slope_age = 0.5 * h;
        history.rate.copy_from_slice(&self.f1);
        history.velocity.copy_from_slice(&self.end.velocity);
        history.acceleration.copy_from_slice(found_acceleration);
        history.multipliers.copy_from_slice(&self.end.multipliers);
    }
}

/// (end − start)/h.
fn slopes(out: &mut [f64], end: &[f64], start: &[f64], h: f64) {
    out.iter_mut().zip(end.iter().zip(start)).for_each(|(out, (end, start))| *out = (end - start) / h);
}

/// The size of a change, 0 for rounding; NaN for an infinite change.
fn resolved(change: f64, noise: f64) -> f64 {
    if change.abs() > noise { change.abs() } else { 0.0 * change }
}

/// Changes of an iteration, in units of the tolerance.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    largest: f64,
    /// The largest of a position, and its velocity.
    of_positions: f64,
    velocity: usize,
}

impl Change {
    /// * `noise` — its rounding beyond that of its size
    fn of_constraint(&mut self, off: f64, size: f64, noise: f64) {
        let off = resolved(off, noise.max(NOISE * size)) / (VIOLATION * size);
        if off.is_nan() || off > self.largest {
            self.largest = off;
        }
    }

    fn of_position(&mut self, change: f64, velocity: usize) {
        if change.is_nan() || change > self.largest {
            self.largest = change;
        }
        if change.is_nan() || change > self.of_positions {
            (self.of_positions, self.velocity) = (change, velocity);
        }
    }
}
