//! ∂f/∂y by differences.

use faer::Mat;

use crate::control::Tolerances;
use crate::ode::Ode;

/// Change of a component, relative to it: the root of round-off.
const RELATIVE: f64 = 1.5e-8;

/// Change of a small component in units of its tolerance: far above rounding, and still small in its
/// effect.
const IN_TOLERANCES: f64 = 1e3;

/// The derivative of a rate with workspace.
#[derive(Debug, Clone)]
pub(crate) struct Jacobian {
    /// ∂f_i/∂y_j, n × n.
    pub(crate) matrix: Mat<f64>,
    /// Components from here on influenced no rate at the last evaluation.
    pub(crate) coupled: usize,
    shifted: Vec<f64>,
    rate: Vec<f64>,
}

impl Jacobian {
    pub(crate) fn new(n: usize) -> Self {
        Self { matrix: Mat::zeros(n, n), coupled: n, shifted: vec![0.0; n], rate: vec![0.0; n] }
    }

    /// Its entries, column by column.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        self.matrix.col_iter().flat_map(|column| column.iter().copied())
    }

    /// Sets n² entries, column by column.
    pub(crate) fn take(&mut self, numbers: &[f64]) {
        let n = self.matrix.nrows();
        numbers.iter().enumerate().for_each(|(k, &entry)| self.matrix[(k % n, k / n)] = entry);
    }

    /// Evaluates it at y with rate f: one evaluation for each component that influences a rate. Returns their
    /// number.
    pub(crate) fn evaluate<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        (y, f): (&[f64], &[f64]),
        tolerances: &Tolerances,
    ) -> Result<u64, O::Error> {
        let coupled = ode.coupled();
        self.coupled = coupled;
        self.shifted.copy_from_slice(y);
        for j in 0..coupled {
            let change = increment(tolerances, j, y[j].abs());
            // The change after rounding, to the last bit.
            self.shifted[j] = y[j] + change;
            let change = self.shifted[j] - y[j];
            ode.rate(time, &self.shifted, &mut self.rate)?;
            self.shifted[j] = y[j];
            for (i, (shifted, f)) in self.rate.iter().zip(f).enumerate() {
                self.matrix[(i, j)] = (shifted - f) / change;
            }
        }
        Ok(coupled as u64)
    }
}

/// Change of component j, of this magnitude, for a difference.
pub(crate) fn increment(tolerances: &Tolerances, j: usize, magnitude: f64) -> f64 {
    let least = tolerances.resolution(j).map_or(RELATIVE, |scale| IN_TOLERANCES * scale);
    (RELATIVE * magnitude).max(least).max(f64::MIN_POSITIVE.sqrt())
}
