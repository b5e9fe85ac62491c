//! One long step: stages, the remainder as a parabola of time, the error, the state within the step.

use super::linear::Linear;
use super::phi::TERMS;
use crate::adaptive::{Shared, Span, Trial};
use crate::ode::Ode;

/// The remainder D of a step and what it was found with. Vectors of coupled components are in units of their
/// sizes.
#[derive(Debug, Default)]
pub(super) struct Remainder {
    /// Rate at the start.
    start: Vec<f64>,
    /// D₂ to D₅ at the stages, the change of the state at a stage, and sums of D.
    stages: [Vec<f64>; 4],
    change: Vec<f64>,
    sum: Vec<f64>,
    /// D(s) = s `slope` + s² `bend`, s = (t − t₀)/h.
    slope: Vec<f64>,
    bend: Vec<f64>,
    /// The same for all components without a linear part.
    plain: [Vec<f64>; 2],
    /// State, its rate, and the change of the rate, of all components.
    state: Vec<f64>,
    rate: Vec<f64>,
    end_rate: Vec<f64>,
    error: Vec<f64>,
}

impl Remainder {
    /// Rate at the end of the last step.
    pub(super) fn end_rate(&self) -> &[f64] {
        &self.end_rate
    }

    fn resize(&mut self, coupled: usize, all: usize) {
        let Self { start, stages, change, sum, slope, bend, .. } = self;
        let [second, third, fourth, fifth] = stages;
        for of_coupled in [start, second, third, fourth, fifth, change, sum, slope, bend] {
            of_coupled.resize(coupled, 0.0);
        }
        let Self { plain: [plain_slope, plain_bend], state, rate, end_rate, error, .. } = self;
        for of_all in [plain_slope, plain_bend, state, rate, end_rate, error] {
            of_all.resize(all, 0.0);
        }
    }

    /// Computes y₁, the rate there, and the error.
    ///
    /// * `f0` — rate at the start
    /// * `rung` — of the step
    pub(super) fn step<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        linear: &Linear,
        (f0, span, rung): (&[f64], Span, usize),
    ) -> Result<Trial, O::Error> {
        self.resize(linear.len(), shared.dim());
        linear.gather(f0, &mut self.start);
        self.find_parabola(ode, shared, linear, (f0, span, rung))?;
        self.finish(shared, linear, (f0, span.h, rung));
        self.measure(ode, shared, linear, (f0, span, rung))?;
        if let Some(component) = self.error.iter().position(|error| !error.is_finite()) {
            return Ok(Trial { error: f64::NAN, component });
        }
        self.measure_end(ode, shared, linear, (f0, span))?;
        let trial = shared.largest(|i| self.error[i]);
        if trial.error <= 1.0 && self.end_rate.iter().any(|rate| !rate.is_finite()) {
            return Ok(Trial { error: f64::NAN, ..trial });
        }
        Ok(trial)
    }

    /// The stages of Hochbruck and Ostermann: D in the middle and at the end.
    fn find_parabola<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        linear: &Linear,
        (f0, span, rung): (&[f64], Span, usize),
    ) -> Result<(), O::Error> {
        const SECOND: usize = 0;
        const THIRD: usize = 1;
        const FOURTH: usize = 2;
        const FIFTH: usize = 3;
        let (h, half, middle) = (span.h, rung - 1, span.start + 0.5 * span.h);
        // y₀ + h/2 φ₁(hL/2) f₀
        self.change.fill(0.0);
        linear.add_phi(&mut self.change, 0.5 * h, (half, 1), &self.start);
        self.evaluate(ode, shared, linear, (f0, middle), SECOND)?;
        // … + h φ₂(hL/2) D₂
        linear.add_phi(&mut self.change, h, (half, 2), &self.stages[SECOND]);
        self.evaluate(ode, shared, linear, (f0, middle), THIRD)?;
        // y₀ + h φ₁ f₀ + h φ₂ (D₂ + D₃)
        self.sum_stages([1.0, 1.0, 0.0]);
        self.change.fill(0.0);
        linear.add_phi(&mut self.change, h, (rung, 1), &self.start);
        linear.add_phi(&mut self.change, h, (rung, 2), &self.sum);
        self.evaluate(ode, shared, linear, (f0, span.end), FOURTH)?;
        self.plain[1].copy_from_slice(&self.rate);
        // y₀ + h/2 φ₁(hL/2) f₀ + h a₅₂ (D₂ + D₃ − D₄) + h/4 φ₂(hL/2) D₄,
        // a₅₂ = φ₂(hL/2)/2 − φ₃ + φ₂/4 − φ₃(hL/2)/2
        self.change.fill(0.0);
        linear.add_phi(&mut self.change, 0.5 * h, (half, 1), &self.start);
        linear.add_phi(&mut self.change, 0.25 * h, (half, 2), &self.stages[FOURTH]);
        self.sum_stages([1.0, 1.0, -1.0]);
        linear.add_phi(&mut self.change, 0.5 * h, (half, 2), &self.sum);
        linear.add_phi(&mut self.change, -h, (rung, 3), &self.sum);
        linear.add_phi(&mut self.change, 0.25 * h, (rung, 2), &self.sum);
        linear.add_phi(&mut self.change, -0.5 * h, (half, 3), &self.sum);
        self.evaluate(ode, shared, linear, (f0, middle), FIFTH)?;
        let Self { stages: [_, _, end, middle], slope, bend, plain: [plain_slope, plain_bend], rate, .. } =
            self;
        for (k, (end, middle)) in end.iter().zip(middle).enumerate() {
            (slope[k], bend[k]) = parabola(*end, *middle);
        }
        for i in 0..f0.len() {
            (plain_slope[i], plain_bend[i]) = parabola(plain_bend[i] - f0[i], rate[i] - f0[i]);
        }
        Ok(())
    }

    /// Sum of D₂, D₃ and D₄ with these factors.
    fn sum_stages(&mut self, factors: [f64; 3]) {
        for (k, sum) in self.sum.iter_mut().enumerate() {
            *sum = factors.iter().zip(&self.stages).map(|(factor, stage)| factor * stage[k]).sum();
        }
    }

    /// Evaluates the rate after the present change of the state, and D there.
    fn evaluate<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        linear: &Linear,
        (f0, time): (&[f64], f64),
        stage: usize,
    ) -> Result<(), O::Error> {
        self.state.copy_from_slice(&shared.y0);
        linear.scatter_add(&self.change, &mut self.state);
        shared.counters.evaluations += 1;
        ode.rate(time, &self.state, &mut self.rate)?;
        let of_stage = &mut self.stages[stage];
        linear.gather_difference((&self.rate, f0), of_stage);
        linear.add_linear(of_stage, -1.0, &self.change);
        Ok(())
    }

    /// The end of the step under the parabola.
    fn finish(&mut self, shared: &mut Shared, linear: &Linear, (f0, h, rung): (&[f64], f64, usize)) {
        self.set_change(linear, (h, rung, 1.0));
        shared.y1.copy_from_slice(&shared.y0);
        linear.scatter_add(&self.change, &mut shared.y1);
        add_plain(linear, f0, &self.plain, (h, 1.0), &mut shared.y1);
    }

    /// The change of the state after a part s of the step, whose length is that of a rung.
    fn set_change(&mut self, linear: &Linear, (h, rung, s): (f64, usize, f64)) {
        let Self { start, slope, bend, change, .. } = self;
        change.fill(0.0);
        linear.add_phi(change, s * h, (rung, 1), start);
        linear.add_phi(change, s * s * h, (rung, 2), slope);
        linear.add_phi(change, 2.0 * s.powi(3) * h, (rung, 3), bend);
    }

    /// The errors of all components: by D at a quarter of the step; of integrals also by the rule of the
    /// trapezium.
    fn measure<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        linear: &Linear,
        (f0, span, rung): (&[f64], Span, usize),
    ) -> Result<(), O::Error> {
        const PART: f64 = 0.25;
        const SPARE: usize = 0;
        // ∫ s − s² over the step.
        const TRAPEZIUM: f64 = 1.0 / 6.0;
        let h = span.h;
        self.set_change(linear, (h, rung - 2, PART));
        self.evaluate(ode, shared, linear, (f0, span.start + PART * h), SPARE)?;
        self.error.fill(0.0);
        let Self { stages, slope, bend, plain: [_, plain_bend], error, .. } = self;
        for (k, found) in stages[SPARE].iter().enumerate() {
            let i = linear.active()[k];
            let fitted = PART * slope[k] + PART * PART * bend[k];
            let off = if i < ode.coupled() { found - fitted } else { TRAPEZIUM * bend[k] };
            error[i] = h * linear.scale(k) * off;
        }
        for &i in linear.free() {
            error[i] = h * TRAPEZIUM * plain_bend[i];
        }
        Ok(())
    }

    /// Evaluates the rate at y₁, and takes in how far D there is from that of the stage at the end.
    fn measure_end<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        linear: &Linear,
        (f0, span): (&[f64], Span),
    ) -> Result<(), O::Error> {
        shared.counters.evaluations += 1;
        ode.rate(span.end, &shared.y1, &mut self.end_rate)?;
        linear.gather_difference((&shared.y1, &shared.y0), &mut self.change);
        linear.gather_difference((&self.end_rate, f0), &mut self.sum);
        linear.add_linear(&mut self.sum, -1.0, &self.change);
        for (k, found) in self.sum.iter().enumerate() {
            let i = linear.active()[k];
            if i < ode.coupled() {
                let off = found - self.slope[k] - self.bend[k];
                self.error[i] = self.error[i].abs().max((span.h * linear.scale(k) * off).abs());
            }
        }
        Ok(())
    }

    /// Adds the change of the state after the part s of the last step, of length h.
    ///
    /// It runs over rungs below the time, and over the rest by the series of the solution.
    pub(super) fn add_change(
        &self,
        linear: &Linear,
        f0: &[f64],
        (h, s): (f64, f64),
        [change, force, slope, bend]: &mut [Vec<f64>; 4],
        out: &mut [f64],
    ) {
        add_plain(linear, f0, &self.plain, (h, s), out);
        let (mut from, mut left) = (0.0, s * h);
        change.fill(0.0);
        for k in 0..bend.len() {
            bend[k] = self.bend[k] / (h * h);
        }
        for rung in (0..linear.rungs()).rev() {
            let length = linear.length(rung as i32);
            if left >= length {
                self.set_forcing((h, from), force, slope);
                linear.add_linear(force, 1.0, change);
                linear.add_phi(change, length, (rung, 1), force);
                linear.add_phi(change, length.powi(2), (rung, 2), slope);
                linear.add_phi(change, 2.0 * length.powi(3), (rung, 3), bend);
                (from, left) = (from + length, left - length);
            }
        }
        self.set_forcing((h, from), force, slope);
        linear.add_linear(force, 1.0, change);
        // Derivatives of the change, one after the other: `force` is the present one.
        let mut weight = left;
        for order in 1..=TERMS {
            change.iter_mut().zip(&*force).for_each(|(change, of)| *change += weight * of);
            weight *= left / (order + 1) as f64;
            // The next derivative.
            let mut next = std::mem::take(slope);
            match order {
                1 => {}
                2 => next.iter_mut().zip(&*bend).for_each(|(next, bend)| *next = 2.0 * bend),
                _ => next.fill(0.0),
            }
            linear.add_linear(&mut next, 1.0, force);
            *slope = std::mem::replace(force, next);
        }
        linear.scatter_add(change, out);
    }

    /// f₀ + D and its slope at a time after the start of the step.
    fn set_forcing(&self, (h, from): (f64, f64), force: &mut [f64], slope: &mut [f64]) {
        let s = from / h;
        for k in 0..force.len() {
            force[k] = self.start[k] + s * (self.slope[k] + s * self.bend[k]);
            slope[k] = (self.slope[k] + 2.0 * s * self.bend[k]) / h;
        }
    }
}

/// Slope and bend of s `slope` + s² `bend` with these values at 1 and ½.
fn parabola(end: f64, middle: f64) -> (f64, f64) {
    (4.0 * middle - end, 2.0 * end - 4.0 * middle)
}

/// Adds the integrals over the part s of the step to the components without a linear part.
fn add_plain(linear: &Linear, f0: &[f64], plain: &[Vec<f64>; 2], (h, s): (f64, f64), out: &mut [f64]) {
    let [slope, bend] = plain;
    for &i in linear.free() {
        out[i] += s * h * (f0[i] + s * (slope[i] / 2.0 + s * bend[i] / 3.0));
    }
}
