//! Warnings of a run outside linear theory, and the numbers of the watch in a checkpoint.

use super::{Found, LinearityWatch, Peak, Watched};
use crate::system::System;
use carom_dynamics::{Checkpoint, CheckpointError};

/// Name of the entry in checkpoints.
const ENTRY: &str = "linearity";

/// Error of linear theory at the limits.
pub(super) const ERROR: f64 = 0.01;

/// δ/L: error (δ/L)².
const DEFLECTION: f64 = 0.1;

/// θ \[rad\]: error θ²/2.
const ROTATION: f64 = 0.14;

/// Ω/ω: error [`SOUTHWELL`] (Ω/ω)².
const RATE: f64 = 0.09;

/// Southwell's coefficient: the square of the first bending frequency of a turning clamped beam grows by this
/// times Ω².
const SOUTHWELL: f64 = 1.17;

/// Error of a displacement over the length of the body below which an axial force is not reported.
const DISPLACEMENT: f64 = 1e-5;

/// ρ above which an axial force is always reported: half the buckling load.
const BUCKLING: f64 = 0.5;

impl LinearityWatch {
    /// Warnings of all bodies: what, where, when, value, limit, remedy.
    pub(crate) fn warnings(&self, system: &System) -> impl Iterator<Item = String> {
        self.bodies.iter().flat_map(|watched| watched.warnings(&system.bodies()[watched.body].name))
    }

    /// Adds the largest values so far to a checkpoint.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        checkpoint.put_reals(ENTRY, &self.to_numbers());
    }

    /// Restores the largest values from a checkpoint; those of earlier releases do not have them.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it belongs to other bodies.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if !checkpoint.entries.contains_key(ENTRY) {
            return Ok(());
        }
        let numbers = checkpoint.reals(ENTRY)?;
        if !self.read_numbers(numbers) {
            let (found, expected) = (numbers.len(), self.to_numbers().len());
            return Err(CheckpointError::Length { name: ENTRY.to_owned(), found, expected });
        }
        Ok(())
    }

    /// Numbers for a checkpoint.
    fn to_numbers(&self) -> Vec<f64> {
        let bodies = self.bodies.iter().flat_map(|watched| watched.found.to_numbers());
        std::iter::once(self.last).chain(bodies).collect()
    }

    /// The inverse of [`LinearityWatch::to_numbers`]; false if the numbers do not fit.
    fn read_numbers(&mut self, numbers: &[f64]) -> bool {
        let Some((last, rest)) = numbers.split_first() else { return false };
        let (bodies, []) = rest.as_chunks::<{ Found::NUMBERS }>() else { return false };
        if bodies.len() != self.bodies.len() {
            return false;
        }
        self.last = *last;
        self.bodies
            .iter_mut()
            .zip(bodies)
            .for_each(|(watched, numbers)| watched.found = Found::from_numbers(numbers));
        true
    }
}

impl Watched {
    fn warnings(&self, name: &str) -> Vec<String> {
        let found = &self.found;
        let mut warnings = Vec::new();
        let stiffen = match self.is_stiffened {
            true => "",
            false => "keep its geometric stiffness (`reduce.stiffening = true`), ",
        };
        let mut report = |what: &str, peak: &Peak, limit: f64, error: String, (way, parts): (&str, f64)| {
            if peak.value > limit {
                let parts = parts.ceil().clamp(2.0, 1000.0);
                warnings.push(format!(
                    "body `{name}`: outside linear theory at t = {:.4e} s: {what} {:.3e}, limit {limit:.2e} \
                     ({error}): {way}divide it into {parts} or more bodies joined by `fixed` joints, or \
                     lower the load",
                    peak.time, peak.value
                ));
            }
        };
        let d = found.deflection.value;
        let error = format!("the deflection is off by some {}", percent(d * d));
        report("deflection over length", &found.deflection, DEFLECTION, error, ("", d / DEFLECTION));
        let theta = found.rotation.value;
        let error = format!("displacements are off by some {}", percent(0.5 * theta * theta));
        report("rotation against its frame [rad]", &found.rotation, ROTATION, error, ("", theta / ROTATION));
        let rate = found.rate.value;
        let error = format!(
            "turning stiffens it against bending by some {}, which is left out",
            percent(SOUTHWELL * rate * rate)
        );
        report(
            "angular rate over its first frequency as it is held",
            &found.rate,
            RATE,
            error,
            (stiffen, (rate / RATE).sqrt()),
        );
        let rho = found.axial.value;
        let limit = (DISPLACEMENT / found.bending.value).clamp(ERROR, BUCKLING);
        let change = if found.is_compression { "compression softens" } else { "tension stiffens" };
        let error = format!("{change} it against bending by some {}, which is left out", percent(rho));
        let way = match self.is_stiffened {
            true => "reduce it again if its model is older than version 1.10, ",
            false => stiffen,
        };
        report("axial force over buckling load", &found.axial, limit, error, (way, (rho / limit).sqrt()));
        warnings
    }
}

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

impl Found {
    const NUMBERS: usize = 11 + super::HELD;

    fn to_numbers(self) -> [f64; Self::NUMBERS] {
        let peaks = [self.deflection, self.bending, self.rotation, self.rate, self.axial];
        let mut numbers = [0.0; Self::NUMBERS];
        for (pair, peak) in numbers.as_chunks_mut::<2>().0.iter_mut().zip(peaks) {
            *pair = [peak.value, peak.time];
        }
        numbers[10] = f64::from(u8::from(self.is_compression));
        numbers[11..].copy_from_slice(&self.mean);
        numbers
    }

    fn from_numbers(numbers: &[f64; Self::NUMBERS]) -> Self {
        let peak = |k: usize| Peak { value: numbers[2 * k], time: numbers[2 * k + 1] };
        let mut mean = [0.0; super::HELD];
        mean.copy_from_slice(&numbers[11..]);
        Self {
            deflection: peak(0),
            bending: peak(1),
            rotation: peak(2),
            rate: peak(3),
            axial: peak(4),
            is_compression: numbers[10] == 1.0,
            mean,
        }
    }
}
