//! The dofs of a body that supports prescribe.

use carom_fem::{Body, Discretisation};

use super::SetupError;
use super::problem::Support;

/// Held components of the points of a body, each with its support.
pub(super) struct Held {
    /// Whether each component of each point is held.
    pub(super) flags: Vec<[bool; 3]>,
    /// Its displacement under the full load \[m\].
    pub(super) values: Vec<[f64; 3]>,
    /// Number in the problem of the support that holds it.
    pub(super) owner: Vec<[usize; 3]>,
}

const DIRECTIONS: [char; 3] = ['x', 'y', 'z'];

impl Held {
    /// The supports of one body.
    ///
    /// * `body`, `body_number` — the body and its number
    /// * `supports` — all supports of the problem
    pub(super) fn new(
        body: &Body,
        body_number: usize,
        discretisation: &Discretisation,
        supports: &[Support],
    ) -> Result<Self, SetupError> {
        let n = discretisation.n_points();
        let mut held =
            Self { flags: vec![[false; 3]; n], values: vec![[0.0; 3]; n], owner: vec![[usize::MAX; 3]; n] };
        for (number, support) in supports.iter().enumerate().filter(|(_, s)| s.body == body_number) {
            if support.rotations.contains(&true) {
                let (body, set) = (body.name.clone(), support.set.clone());
                return Err(SetupError::RotationOfSolid { body, set });
            }
            let points = body.points_of_set(discretisation, &support.set)?;
            for (d, direction) in DIRECTIONS.into_iter().enumerate() {
                if support.directions[d] {
                    held.hold(&points, d, number, support.displacement[d]).map_err(|other| {
                        SetupError::SupportsDiffer {
                            body: body.name.clone(),
                            first: supports[other].set.clone(),
                            second: support.set.clone(),
                            direction,
                        }
                    })?;
                }
            }
        }
        Ok(held)
    }

    /// Holds a component of points; fails with the number of a support that prescribes another value of one
    /// of them.
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
