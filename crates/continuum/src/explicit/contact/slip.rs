//! Coulomb friction by springs with a sliding limit.
//!
//! ```text
//! ẽ = (e_{n−1} − κ u) along the surface,   e_n = ẽ min(μ λ, |ẽ|)/|ẽ|
//! ```
//!
//! u is the slip of the step, from the velocities without multipliers. The stiffness κ is a small part of the
//! stiffness that would stop the relative motion of the contact in one step, so that it never limits the
//! step.

use nalgebra::Vector3;

use super::pair::Pair;
use super::row::Rows;

/// Ratio of κ to the stiffness that stops a relative motion in one step. Several rows act on a node, and
/// cells use most of the stability limit: ω² dt² is 3.2 of 4 at nine tenths of the critical step.
const STIFFNESS: f64 = 0.02;

/// Forces of friction of the rows of a step.
#[derive(Default)]
pub(super) struct Friction {
    /// e of each row on the side of its node \[N\].
    forces: Vec<Vector3<f64>>,
}

impl Friction {
    /// No friction of some rows.
    pub(super) fn reset(&mut self, rows: impl IntoIterator<Item = usize>) {
        for row in rows {
            if row >= self.forces.len() {
                self.forces.resize(row + 1, Vector3::zeros());
            }
            self.forces[row] = Vector3::zeros();
        }
    }

    /// The force on the node of a row.
    pub(super) fn force(&self, row: usize) -> Vector3<f64> {
        self.forces.get(row).copied().unwrap_or_default()
    }

    /// The forces of some rows for given normal forces; returns their largest change \[N\].
    pub(super) fn follow(
        &mut self,
        (rows, numbers): (&Rows, impl Iterator<Item = usize>),
        pairs: &mut [Pair],
        normal_force: impl Fn(usize) -> f64,
        [dt_mean, dt]: [f64; 2],
    ) -> f64 {
        let mut change = 0.0_f64;
        for k in numbers {
            let row = &rows.rows[k];
            let pair = &mut pairs[row.pair as usize];
            let limit = pair.friction * normal_force(k).max(0.0);
            let mut force = Vector3::zeros();
            if limit > 0.0 {
                let stiffness = STIFFNESS / (dt * dt_mean * rows.inverse_mass(k));
                let trial = pair.spring_force(row) - stiffness * row.slip;
                let along = trial - row.normal * row.normal.dot(&trial);
                let size = along.norm();
                force = if size > limit { along * (limit / size) } else { along };
                pair.set_force(row, force);
            }
            change = change.max((force - self.forces[k]).norm());
            self.forces[k] = force;
        }
        change
    }
}
