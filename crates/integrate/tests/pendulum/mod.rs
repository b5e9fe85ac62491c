//! A point of mass 2 that hangs on a massless rod of length 1: x² + y² = 1, y upwards, with its momenta.

use std::convert::Infallible;

use carom_integrate::{Displacement, Ode, Reading, SecondOrder};

pub(crate) const MASS: f64 = 2.0;
pub(crate) const GRAVITY: f64 = 9.81;

/// The pendulum with quantities of its last evaluation.
#[derive(Default)]
pub(crate) struct Pendulum {
    state: [f64; 4],
    pub(crate) multiplier: f64,
}

impl Pendulum {
    /// Momenta (x, y, p_x, p_y) at an angle from the lowest point, with an angular rate.
    pub(crate) fn at(angle: f64, rate: f64) -> [f64; 4] {
        let (sin, cos) = angle.sin_cos();
        [sin, -cos, MASS * rate * cos, MASS * rate * sin]
    }

    fn write(&mut self, y: &[f64], multiplier: f64, rate: &mut [f64]) {
        self.state.copy_from_slice(y);
        self.multiplier = multiplier;
        rate.copy_from_slice(&[
            y[2] / MASS,
            y[3] / MASS,
            -multiplier * y[0],
            -multiplier * y[1] - MASS * GRAVITY,
        ]);
    }
}

impl Ode for Pendulum {
    type Error = Infallible;

    fn dim(&self) -> usize {
        4
    }

    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Infallible> {
        // x ẍ + y ÿ + ẋ² + ẏ² = 0.
        let square = (y[2] * y[2] + y[3] * y[3]) / (MASS * MASS);
        let multiplier = MASS * (square - GRAVITY * y[1]) / (y[0] * y[0] + y[1] * y[1]);
        self.write(y, multiplier, rate);
        Ok(())
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder<Error = Infallible>> {
        Some(self)
    }
}

impl SecondOrder for Pendulum {
    type Error = Infallible;

    fn velocities(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        1
    }

    fn components(&self, velocity: usize) -> [usize; 2] {
        [velocity, 2 + velocity]
    }

    fn is_internal(&self, _velocity: usize) -> bool {
        true
    }

    fn is_position(&self, component: usize) -> bool {
        component < 2
    }

    fn magnitude(&self, _: &[f64], _: usize) -> f64 {
        1.0
    }

    fn closure(&self, _: usize) -> f64 {
        1.0
    }

    fn place(
        &mut self,
        _: f64,
        from: &[f64],
        step: Displacement<'_>,
        y: &mut [f64],
    ) -> Result<(), Infallible> {
        for i in 0..2 {
            y[i] = from[i] + step.increment[i];
        }
        for i in 0..2 {
            y[2 + i] = MASS * step.velocity[i] + step.impulse.first().map_or(0.0, |impulse| impulse * y[i]);
        }
        Ok(())
    }

    fn mass_column(&self, velocity: usize, column: &mut [f64]) {
        (0..2).for_each(|i| column[i] = if i == velocity { MASS } else { 0.0 });
    }

    fn rate_with(
        &mut self,
        time: f64,
        y: &[f64],
        multipliers: Option<&[f64]>,
        rate: &mut [f64],
    ) -> Result<(), Infallible> {
        match multipliers {
            Some(multipliers) => self.write(y, multipliers[0], rate),
            None => self.rate(time, y, rate)?,
        }
        Ok(())
    }

    fn read(&mut self, reading: &mut Reading) {
        let [x, y, p, q] = self.state;
        reading.velocity.copy_from_slice(&[p / MASS, q / MASS]);
        reading.multipliers[0] = self.multiplier;
        reading.value[0] = 0.5 * (x * x + y * y - 1.0);
        reading.value_rate[0] = (x * p + y * q) / MASS;
    }

    fn accelerations(&mut self, out: &mut [f64]) {
        let along = self.multiplier / MASS;
        out.copy_from_slice(&[-along * self.state[0], -along * self.state[1] - GRAVITY]);
    }

    fn pull_back(&self, _: &[f64], change: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&change[2..4]);
    }

    fn constraint(&mut self, _: usize, _: usize, row: &mut [f64], column: &mut [f64]) {
        for i in 0..2 {
            (row[i], column[i]) = (self.state[i], self.state[i] / MASS);
        }
    }
}
