//! Derivatives of momenta, rates and constraints by increments and velocities.

use super::{StepMatrix, Tiles};
use crate::adaptive::Shared;
use crate::jacobian::increment;
use crate::second_order::{Displacement, SecondOrder};

impl StepMatrix {
    /// Stores M of the last evaluation.
    pub(super) fn take_masses<E: std::error::Error + 'static>(
        &mut self,
        system: &dyn SecondOrder<Error = E>,
    ) {
        let column = &mut self.work.column;
        for (k, part) in self.places.structure.parts.iter().enumerate() {
            let size = part.velocities.len();
            for (j, velocity) in part.velocities.clone().enumerate() {
                system.mass_column(velocity, &mut column[..size]);
                // M is symmetric.
                self.mass.get_mut(k)[j * size..(j + 1) * size].copy_from_slice(&column[..size]);
            }
        }
    }

    /// Stores G and M⁻¹ Gᵀ of the last evaluation.
    pub(super) fn take_constraints<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
    ) {
        let Self { places, reactions, columns, .. } = self;
        for (at, &(group, part)) in places.incidences.iter().enumerate() {
            let size = places.structure.parts[part].velocities.len();
            for (l, k) in places.structure.groups[group].rows.clone().enumerate() {
                let row = l * size..(l + 1) * size;
                let (row, column) = (&mut reactions.get_mut(at)[row.clone()], &mut columns.get_mut(at)[row]);
                system.constraint(k, part, row, column);
            }
        }
    }

    /// Stores M_ξ and (G z)_ξ of the last evaluation, where the system knows them. Both turn with the bodies,
    /// and chains of many bodies do not converge with old ones.
    pub(super) fn take_carried<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
    ) {
        let Self { places, carried, row_rates, .. } = self;
        for (k, _) in places.structure.parts.iter().enumerate() {
            if !system.carried_momenta(k, carried.get_mut(k)) {
                return;
            }
        }
        for (at, &(group, part)) in places.incidences.iter().enumerate() {
            let size = places.structure.parts[part].velocities.len();
            for (l, k) in places.structure.groups[group].rows.clone().enumerate() {
                system.carried_rate(k, part, &mut row_rates.get_mut(at)[l * size..(l + 1) * size]);
            }
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
    /// derivatives contain the tangent of the exponential map. Coordinates of parts that have no influence
    /// in common change at the same time.
    fn difference<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        point: Point<'_>,
        time: f64,
    ) -> Result<(), E> {
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
        shared.counters.evaluations += 1;
        for class in 0..self.places.classes.len() {
            let sizes = self.places.classes[class].iter().map(|&part| self.size(part));
            for j in 0..sizes.max().unwrap_or(0) {
                self.difference_by_positions(system, shared, point, time, (class, j))?;
                self.difference_by_velocities(system, shared, point, time, (class, j))?;
                shared.counters.evaluations += 2;
            }
        }
        self.note_damping();
        self.complete();
        Ok(())
    }

    /// Number of velocities of a part.
    fn size(&self, part: usize) -> usize {
        self.places.structure.parts[part].velocities.len()
    }

    /// K, M_ξ, g_ξ and (G z)_ξ by coordinate j of the parts of a class.
    fn difference_by_positions<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &Shared,
        point: Point<'_>,
        time: f64,
        (class, j): (usize, usize),
    ) -> Result<(), E> {
        let Self { places, work, carried, reactions, rows, row_rates, .. } = self;
        let parts = &places.structure.parts;
        let moved = || places.classes[class].iter().copied().filter(|&part| j < parts[part].velocities.len());
        work.shifted.copy_from_slice(point.increment);
        for part in moved() {
            let i = parts[part].velocities.start + j;
            let [position, _] = system.components(i);
            let change = increment(&shared.tolerances, position, system.magnitude(&work.y_base, i));
            work.shifted[i] += change;
            // The change after rounding.
            work.changes[part] = work.shifted[i] - point.increment[i];
        }
        system.place(time, &shared.y0, at(&work.shifted, point.velocity), &mut work.y)?;
        subtract(&mut work.rate, &work.y, &work.y_base);
        system.pull_back(&work.y_base, &work.rate, &mut work.column);
        for part in moved() {
            let change = work.changes[part];
            let own = &mut work.column[parts[part].velocities.clone()];
            own.iter_mut().for_each(|x| *x /= change);
            carried.set_column(part, j, own);
        }
        system.rate_with(time, &work.y, Some(point.multipliers), &mut work.rate)?;
        system.read(&mut work.reading);
        for part in moved() {
            let change = work.changes[part];
            let size = parts[part].velocities.len();
            for &at in &places.of_part[part] {
                let group = &places.structure.groups[places.incidences[at].0];
                for (l, k) in group.rows.clone().enumerate() {
                    let row = (work.reading.value[k] - work.values[k]) / change;
                    rows.get_mut(at)[l * size + j] = row - reactions.row(at, l)[j];
                    row_rates.get_mut(at)[l * size + j] =
                        (work.reading.value_rate[k] - work.speeds[k]) / change;
                }
            }
        }
        take_off(&mut work.rate, &work.rate_base);
        system.pull_back(&work.y_base, &work.rate, &mut work.column);
        self.take_forces((class, j), |matrix| &mut matrix.stiffness);
        Ok(())
    }

    /// C by velocity j of the parts of a class.
    fn difference_by_velocities<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &Shared,
        point: Point<'_>,
        time: f64,
        (class, j): (usize, usize),
    ) -> Result<(), E> {
        let Self { places, work, mass, .. } = self;
        let parts = &places.structure.parts;
        work.shifted.copy_from_slice(point.velocity);
        for &part in places.classes[class].iter().filter(|&&part| j < parts[part].velocities.len()) {
            let i = parts[part].velocities.start + j;
            let [_, momentum] = system.components(i);
            let mass = mass.row(part, j)[j];
            let change = increment(&shared.tolerances, momentum, point.velocity[i].abs() * mass) / mass;
            work.shifted[i] += change;
            work.changes[part] = work.shifted[i] - point.velocity[i];
        }
        system.place(time, &shared.y0, at(point.increment, &work.shifted), &mut work.y)?;
        system.rate_with(time, &work.y, Some(point.multipliers), &mut work.rate)?;
        take_off(&mut work.rate, &work.rate_base);
        system.pull_back(&work.y_base, &work.rate, &mut work.column);
        self.take_forces((class, j), |matrix| &mut matrix.damping);
        Ok(())
    }

    /// Column j of the parts of a class in K or C, from the differences of all forces.
    fn take_forces(&mut self, (class, j): (usize, usize), of: impl Fn(&mut Self) -> &mut Tiles) {
        for coupling in 0..self.places.couplings.len() {
            let [part, by] = self.places.couplings[coupling];
            if j >= self.size(by) || !self.places.classes[class].contains(&by) {
                continue;
            }
            let range = self.places.structure.parts[part].velocities.clone();
            let mut column = std::mem::take(&mut self.work.column);
            let change = self.work.changes[by];
            let mut values = std::mem::take(&mut self.work.row);
            let values_of = &mut values[..range.len()];
            values_of.iter_mut().zip(&column[range]).for_each(|(out, x)| *out = x / change);
            of(self).set_column(coupling, j, values_of);
            std::mem::swap(&mut self.work.column, &mut column);
            std::mem::swap(&mut self.work.row, &mut values);
        }
    }
}

/// The point of the derivatives: ξ, z, λ.
#[derive(Debug, Clone, Copy)]
pub(in crate::alpha) struct Point<'a> {
    pub(in crate::alpha) increment: &'a [f64],
    pub(in crate::alpha) velocity: &'a [f64],
    pub(in crate::alpha) multipliers: &'a [f64],
}

/// A displacement without impulses.
fn at<'a>(increment: &'a [f64], velocity: &'a [f64]) -> Displacement<'a> {
    Displacement { increment, velocity, impulse: &[] }
}

/// a − b.
fn subtract(out: &mut [f64], a: &[f64], b: &[f64]) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = a - b);
}

/// a ← a − b.
fn take_off(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= b);
}
