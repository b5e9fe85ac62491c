//! Derivatives of momenta, rates and constraints by increments and velocities.

use faer::Mat;

use super::StepMatrix;
use crate::adaptive::Shared;
use crate::jacobian::increment;
use crate::second_order::{Displacement, SecondOrder};

impl StepMatrix {
    /// Stores M of the last evaluation.
    pub(super) fn take_masses<E: std::error::Error + 'static>(
        &mut self,
        system: &dyn SecondOrder<Error = E>,
    ) {
        for j in 0..self.mass.ncols() {
            system.mass_column(j, self.mass.col_as_slice_mut(j));
        }
    }

    /// Stores Gᵀ and M⁻¹ Gᵀ of the last evaluation.
    pub(super) fn take_constraints<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
    ) {
        let work = &mut self.work;
        for k in 0..self.reactions.ncols() {
            system.constraint(k, &mut work.row, &mut work.column);
            write_column(&mut self.reactions, k, &work.row);
            write_column(&mut self.columns, k, &work.column);
        }
    }

    /// Derivatives by differences, without the low-rank part, which [`super::low_rank`] adds.
    pub(super) fn differentiate<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        point: Point<'_>,
        time: f64,
    ) -> Result<(), E> {
        system.omit_low_rank(true);
        let done = self.difference(system, shared, point, time);
        system.omit_low_rank(false);
        done
    }

    /// Momenta and constraints are linear in z. Increments are those of the whole step, so that their
    /// derivatives contain the tangent of the exponential map.
    fn difference<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        point: Point<'_>,
        time: f64,
    ) -> Result<(), E> {
        let (n, m) = (self.mass.nrows(), self.rows.nrows());
        let work = &mut self.work;
        let (y0, z, lambda) = (&shared.y0[..], point.velocity, point.multipliers);
        system.place(time, y0, at(point.increment, z), &mut work.y_base)?;
        system.rate_with(time, &work.y_base, Some(lambda), &mut work.rate_base)?;
        self.take_masses(system);
        self.take_constraints(system);
        let work = &mut self.work;
        system.read(&mut work.reading);
        work.values.copy_from_slice(&work.reading.value);
        work.speeds.copy_from_slice(&work.reading.value_rate);
        for j in 0..n {
            let [position, momentum] = system.components(j);
            let change = increment(&shared.tolerances, position, system.magnitude(&work.y_base, j));
            let change = shift(&mut work.shifted, point.increment, j, change);
            system.place(time, y0, at(&work.shifted, z), &mut work.y)?;
            subtract(&mut work.rate, &work.y, &work.y_base);
            system.pull_back(&work.y_base, &work.rate, &mut work.column);
            work.column.iter_mut().for_each(|x| *x /= change);
            write_column(&mut self.carried, j, &work.column);
            system.rate_with(time, &work.y, Some(lambda), &mut work.rate)?;
            system.read(&mut work.reading);
            for k in 0..m {
                let row = (work.reading.value[k] - work.values[k]) / change;
                self.rows[(k, j)] = row - self.reactions[(j, k)];
                self.row_rates[(k, j)] = (work.reading.value_rate[k] - work.speeds[k]) / change;
            }
            take_off(&mut work.rate, &work.rate_base);
            system.pull_back(&work.y_base, &work.rate, &mut work.column);
            work.column.iter_mut().for_each(|x| *x /= change);
            write_column(&mut self.stiffness, j, &work.column);

            let mass = self.mass[(j, j)];
            let change = increment(&shared.tolerances, momentum, z[j].abs() * mass) / mass;
            let change = shift(&mut work.shifted, z, j, change);
            system.place(time, y0, at(point.increment, &work.shifted), &mut work.y)?;
            system.rate_with(time, &work.y, Some(lambda), &mut work.rate)?;
            take_off(&mut work.rate, &work.rate_base);
            system.pull_back(&work.y_base, &work.rate, &mut work.column);
            work.column.iter_mut().for_each(|x| *x /= change);
            write_column(&mut self.damping, j, &work.column);
        }
        shared.counters.evaluations += 1 + 2 * n as u64;
        self.complete();
        Ok(())
    }
}

/// The point of the derivatives: ξ, z, λ.
#[derive(Debug, Clone, Copy)]
pub(in crate::alpha) struct Point<'a> {
    pub(in crate::alpha) increment: &'a [f64],
    pub(in crate::alpha) velocity: &'a [f64],
    pub(in crate::alpha) multipliers: &'a [f64],
}

/// `out` = `values` with one value changed; returns the actual change after rounding.
fn shift(out: &mut [f64], values: &[f64], j: usize, change: f64) -> f64 {
    out.copy_from_slice(values);
    out[j] += change;
    out[j] - values[j]
}

/// A displacement without impulses.
fn at<'a>(increment: &'a [f64], velocity: &'a [f64]) -> Displacement<'a> {
    Displacement { increment, velocity, impulse: &[] }
}

fn write_column(matrix: &mut Mat<f64>, j: usize, values: &[f64]) {
    values.iter().enumerate().for_each(|(i, value)| matrix[(i, j)] = *value);
}

/// a − b.
fn subtract(out: &mut [f64], a: &[f64], b: &[f64]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a - b);
}

/// a ← a − b.
fn take_off(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= b);
}
