//! A body with the loads of all its places, and its response to them.

use carom_progress::Progress;
use carom_reduce::residual::{SpreadLoad, response};
use faer::Mat;

use super::StaticBody;
use crate::statics::SetupError;

/// The loads of all places of a body.
pub(super) struct LoadedBody {
    pub(super) spread: Vec<SpreadLoad>,
    /// A of all loads, three rows each \[m/N\].
    pub(super) response: Mat<f64>,
    /// Displacement that the loads read under the full load of the problem \[m\].
    pub(super) under_load: Vec<f64>,
    /// The same by a unit of each free motion, 3 loads × motions.
    pub(super) motions: Mat<f64>,
    /// Displacement without contact, and forces of the loads by contact.
    pub(super) displacement: Vec<f64>,
    pub(super) forces: Vec<f64>,
}

impl LoadedBody {
    /// Without loads.
    pub(super) fn none() -> Self {
        Self {
            spread: Vec::new(),
            response: Mat::new(),
            under_load: Vec::new(),
            motions: Mat::new(),
            displacement: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// The response of the body to its loads.
    pub(super) fn answer(&mut self, body: &StaticBody, progress: &dyn Progress) -> Result<(), SetupError> {
        let n = 3 * self.spread.len();
        (self.displacement, self.forces) = (vec![0.0; n], vec![0.0; n]);
        let Some(elastic) = body.elastic.as_ref().filter(|_| n > 0) else { return Ok(()) };
        self.response = response(elastic, &self.spread, progress)
            .map_err(|source| SetupError::factor(&body.name, source.into()))?;
        let read = |of: &dyn Fn(u32) -> [f64; 3]| -> Vec<f64> {
            let of_load = |load: &SpreadLoad| {
                let mut sum = [0.0; 3];
                for &(point, share) in load {
                    let u = of(point);
                    (0..3).for_each(|d| sum[d] += share * u[d]);
                }
                sum
            };
            self.spread.iter().flat_map(of_load).collect()
        };
        let at = |point: u32| &body.discretisation.points[point as usize];
        self.under_load = read(&|point| body.response[point as usize]);
        let columns: Vec<Vec<f64>> =
            (0..body.motions.len()).map(|k| read(&|point| body.motions.at(k, at(point)).into())).collect();
        self.motions = Mat::from_fn(n, columns.len(), |i, k| columns[k][i]);
        Ok(())
    }

    /// Displacement of the loads without contact.
    pub(super) fn place(&mut self, part: f64, motion: &[f64]) {
        for (i, u) in self.displacement.iter_mut().enumerate() {
            let by_motions = motion.iter().enumerate().map(|(k, a)| self.motions[(i, k)] * a);
            *u = part * self.under_load[i] + by_motions.sum::<f64>();
        }
    }
}
