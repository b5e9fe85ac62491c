//! What holds a body: the dofs that supports prescribe.

use carom_fem::{Body, Discretisation, SetError};
use carom_format::scenario::model::SupportSpec;

use super::StaticError;
use crate::SimulateError;

/// Held components of the points of a body, and by which support.
pub(super) struct Held {
    /// Whether each component of each point is held.
    pub(super) flags: Vec<[bool; 3]>,
    /// Its displacement under the full load \[m\].
    pub(super) values: Vec<[f64; 3]>,
    /// The support that holds it, numbered as in the scenario.
    pub(super) owner: Vec<[usize; 3]>,
}

const DIRECTIONS: [char; 3] = ['x', 'y', 'z'];

impl Held {
    /// The supports of one body.
    ///
    /// * `supports` — all supports of the scenario
    pub(super) fn new(
        body: &Body,
        discretisation: &Discretisation,
        supports: &[SupportSpec],
    ) -> Result<Self, SimulateError> {
        let n = discretisation.n_points();
        let mut held =
            Self { flags: vec![[false; 3]; n], values: vec![[0.0; 3]; n], owner: vec![[usize::MAX; 3]; n] };
        for (number, support) in supports.iter().enumerate().filter(|(_, s)| s.on.body == body.name) {
            let points = body.points_of_set(discretisation, &support.on.part).map_err(|e: SetError| e)?;
            for (d, direction) in DIRECTIONS.into_iter().enumerate() {
                if support.directions.iter().any(|held| held.starts_with(direction)) {
                    held.hold(&points, d, number, support.displacement[d]).map_err(|other| {
                        StaticError::SupportsDiffer {
                            body: body.name.clone(),
                            first: supports[other].on.part.clone(),
                            second: support.on.part.clone(),
                            direction,
                        }
                    })?;
                }
            }
        }
        Ok(held)
    }

    /// Holds a component of points; fails with the number of a support that holds one of them elsewhere.
    fn hold(&mut self, points: &[u32], d: usize, number: usize, value: f64) -> Result<(), usize> {
        for &point in points {
            let k = point as usize;
            if !self.flags[k][d] {
                (self.flags[k][d], self.values[k][d], self.owner[k][d]) = (true, value, number);
            } else if self.values[k][d] != value {
                return Err(self.owner[k][d]);
            }
        }
        Ok(())
    }

    /// The dofs that are not held, of points that have cells.
    pub(super) fn free(&self, used: &[bool]) -> Vec<[bool; 3]> {
        self.flags.iter().zip(used).map(|(held, &used)| held.map(|held| used && !held)).collect()
    }
}
