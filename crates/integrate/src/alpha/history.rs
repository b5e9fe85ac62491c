//! Quantities of earlier steps that a step of generalised-α needs.

use crate::second_order::Reading;
use crate::tiles::take;

/// Present rates, lags of the algorithmic variables, slopes for predictions and errors.
#[derive(Debug, Clone)]
pub(super) struct History {
    /// True if `rate`, z', z and λ are those of the present state.
    pub(super) is_started: bool,
    /// True if the slopes below are known.
    pub(super) has_lags: bool,
    /// f₀ of the components of y.
    pub(super) rate: Vec<f64>,
    /// σ = (φ̂₀ − f₀)/h.
    pub(super) rate_lag: Vec<f64>,
    /// An earlier f', and the time since then \[s\].
    pub(super) rate_slope: Vec<f64>,
    pub(super) slope_age: f64,
    /// z₀, z'₀, τ = (a₀ − z'₀)/h and a'.
    pub(super) velocity: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    pub(super) acceleration_lag: Vec<f64>,
    pub(super) jerk: Vec<f64>,
    /// ξ/h of the last step, z₀ before the first.
    pub(super) pace: Vec<f64>,
    /// λ₀ and λ'.
    pub(super) multipliers: Vec<f64>,
    pub(super) multiplier_slope: Vec<f64>,
}

impl History {
    pub(super) fn new(dim: usize) -> Self {
        let zeros = || vec![0.0; dim];
        Self {
            is_started: false,
            has_lags: false,
            rate: zeros(),
            rate_lag: zeros(),
            rate_slope: zeros(),
            slope_age: 0.0,
            velocity: Vec::new(),
            acceleration: Vec::new(),
            acceleration_lag: Vec::new(),
            jerk: Vec::new(),
            pace: Vec::new(),
            multipliers: Vec::new(),
            multiplier_slope: Vec::new(),
        }
    }

    pub(super) fn resize(&mut self, velocities: usize, constraints: usize) {
        *self = Self::new(self.rate.len());
        let Self { velocity, acceleration, acceleration_lag, jerk, pace, .. } = self;
        for values in [velocity, acceleration, acceleration_lag, jerk, pace] {
            values.resize(velocities, 0.0);
        }
        for values in [&mut self.multipliers, &mut self.multiplier_slope] {
            values.resize(constraints, 0.0);
        }
    }

    /// Stores a state with a known rate.
    pub(super) fn start(&mut self, reading: &Reading, acceleration: &[f64]) {
        self.velocity.copy_from_slice(&reading.velocity);
        self.acceleration.copy_from_slice(acceleration);
        self.multipliers.copy_from_slice(&reading.multipliers);
        self.pace.copy_from_slice(&reading.velocity);
        (self.is_started, self.has_lags) = (true, false);
    }

    fn arrays(&self) -> [&Vec<f64>; 10] {
        [
            &self.rate,
            &self.rate_lag,
            &self.rate_slope,
            &self.velocity,
            &self.acceleration,
            &self.acceleration_lag,
            &self.jerk,
            &self.pace,
            &self.multipliers,
            &self.multiplier_slope,
        ]
    }

    fn arrays_mut(&mut self) -> [&mut Vec<f64>; 10] {
        [
            &mut self.rate,
            &mut self.rate_lag,
            &mut self.rate_slope,
            &mut self.velocity,
            &mut self.acceleration,
            &mut self.acceleration_lag,
            &mut self.jerk,
            &mut self.pace,
            &mut self.multipliers,
            &mut self.multiplier_slope,
        ]
    }

    /// Appends its numbers.
    pub(super) fn write(&self, memory: &mut Vec<f64>) {
        let flag = |is: bool| f64::from(u8::from(is));
        memory.extend([flag(self.is_started), flag(self.has_lags), self.slope_age]);
        self.arrays().into_iter().for_each(|values| memory.extend_from_slice(values));
    }

    /// Reads them back from the front of `memory`; false if there are too few.
    pub(super) fn read(&mut self, memory: &mut &[f64]) -> bool {
        let Some((&[is_started, has_lags, slope_age], rest)) = memory.split_first_chunk() else {
            return false;
        };
        *memory = rest;
        (self.is_started, self.has_lags, self.slope_age) = (is_started == 1.0, has_lags == 1.0, slope_age);
        self.arrays_mut().into_iter().all(|values| take(memory, values))
    }
}
