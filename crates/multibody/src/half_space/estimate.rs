//! An estimate of the error of an impact on a half-space grid (docs/theory/half-space.md, section 11.11).
//!
//! ```text
//! e d = Σ_bodies [5/4 |d_linear − d_quadratic| + d_residual/(4 n² − 1) + (0.018 (h/T)² + 0.03 c) d]
//!       + 0.05 a κ d + 0.002 d
//! ```
//!
//! relative to the approach d, with the periods n of the highest mode that is kept within the impact, edges h
//! on the thickness T, the share c of loads that an edge cuts, the contact radius a and the relative
//! curvature κ.

use std::f64::consts::PI;

use carom_contact::half_space::FixedGrid;
use carom_contact::half_space::pair::Under;
use carom_dynamics::ErrorEstimate;

use super::pair::Pair;

/// Factor by which the difference of both orders of weights bounded the error of places in all cases.
const WEIGHTS: f64 = 1.25;

/// Error of the approach in contact radii over radius of curvature: surfaces are spread in a flat plane.
const CURVED: f64 = 0.05;

/// Error of the approach by the cells of the grid.
const CELLS: f64 = 0.002;

/// Error of the duration by these cells: the first one closes late, the last one opens early.
const CELLS_OF_DURATION: f64 = 0.006;

/// Error of the approach of a plate whose faces have edges of its thickness; it grows with the square of the
/// edges, up to edges of twice the thickness.
const THIN: f64 = 0.018;
const THINNEST: f64 = 2.0;

/// Error of the approach where an edge of the body cuts all loads.
const CUT: f64 = 0.03;

/// Change of the force and of the duration of an impact by that of the approach: F ~ d^(3/2) at a given work.
const OF_IMPACT: f64 = 0.6;

/// Error of the force by modes that are left out, above which it is reported.
const MODES: f64 = 0.01;

/// Growth of the largest force after which the estimate is made anew.
const GROWTH: f64 = 1.3;

/// Parts of a body's approach: that of the weights, and of the residual compliance by the modes.
type OfBody = [f64; 2];

/// Parts of the error of a pair under the largest force so far. Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Estimate {
    /// The force \[N\].
    force: f64,
    /// The approach of the undeformed surfaces \[m\].
    approach: f64,
    /// Contact radius over the radius of the relative curvature.
    curved: f64,
    /// Of both bodies, relative to the approach.
    bodies: [OfBody; 2],
}

impl Estimate {
    /// Numbers in [`Estimate::to_array`].
    pub(super) const NUMBERS: usize = 7;

    pub(super) fn to_array(self) -> [f64; Self::NUMBERS] {
        let [[a, b], [c, d]] = self.bodies;
        [self.force, self.approach, self.curved, a, b, c, d]
    }

    pub(super) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [force, approach, curved, a, b, c, d] = *array;
        Self { force, approach, curved, bodies: [[a, b], [c, d]] }
    }
}

impl Pair {
    /// Takes in the forces at the end of a step.
    pub(super) fn estimate(&mut self) {
        let Some(grid) = self.last_grid() else { return };
        let (force, approach) = (grid.sums.force, -grid.sums.least_gap.0);
        if force <= GROWTH * self.estimate.force || approach <= 0.0 {
            return;
        }
        let curved = grid.grid.contact_radius(&grid.forces) / self.hertz.radius;
        let bodies = [0, 1].map(|k| self.parts_of(k, grid, approach));
        self.estimate = Estimate { force, approach, curved, bodies };
    }

    fn parts_of(&self, k: usize, grid: &FixedGrid, approach: f64) -> OfBody {
        let Under::Places(placed) = &self.sides[k].under else { return [0.0; 2] };
        // Places do not surround the contact: the run itself reports that.
        let cells = (grid.planes(k), grid.grid.sides());
        let Ok(parts) = placed.response_parts(cells, &grid.forces) else { return [0.0; 2] };
        [WEIGHTS * parts.weights / approach, parts.residual / approach]
    }

    /// The errors to be expected of the pair's largest force; none without a force.
    ///
    /// * `duration` — of the impact \[s\]
    pub(super) fn error_estimate(&self, duration: f64) -> Option<ErrorEstimate> {
        let Estimate { force, curved, bodies, .. } = self.estimate;
        if force == 0.0 {
            return None;
        }
        // The parts of the bodies grow with F, the approach with F^(2/3): so does their ratio with F^(1/3).
        let growth = (self.worst.force() / force).max(1.0).cbrt();
        let mut error = CURVED * curved * growth + CELLS;
        for ((side, [weights, residual]), cut) in self.sides.iter().zip(bodies).zip(self.worst.cut_shares()) {
            let thin = side.mesh.map_or(0.0, |mesh| (mesh.edge / mesh.thickness).min(THINNEST));
            error += THIN * thin * thin + CUT * cut;
            error += growth * (weights + residual * of_modes(side.cutoff * duration / (2.0 * PI)));
        }
        let of_impact = OF_IMPACT * error;
        let duration = of_impact + CELLS_OF_DURATION;
        Some(ErrorEstimate { force: of_impact, impulse: of_impact, duration })
    }

    /// A sentence for each body whose kept modes end too low for the shortest impact.
    pub(super) fn doubts_of_modes(&self) -> Vec<String> {
        let duration = self.worst.duration();
        let sides = self.sides.iter().zip(self.estimate.bodies);
        let found = sides.filter_map(|(side, [_, residual])| {
            let periods = side.cutoff * duration / (2.0 * PI);
            let error = OF_IMPACT * residual * of_modes(periods);
            (duration > 0.0 && error > MODES).then(|| {
                format!(
                    "the modes of `{}` end at {:.3e} Hz, {periods:.2} periods within the impact of \
                     {duration:.3e} s, and the force errs by up to {:.1} %: keep modes up to 5 periods, \
                     `reduce.up_to = {:.1e}`",
                    side.name,
                    side.cutoff / (2.0 * PI),
                    100.0 * error,
                    5.0 / duration
                )
            })
        });
        found.collect()
    }
}

/// Error of the answer of modes that are left out, over their static answer.
///
/// * `periods` — of the highest mode that is kept, within the impact
fn of_modes(periods: f64) -> f64 {
    if periods > 0.0 { 1.0 / (4.0 * periods * periods - 1.0).max(1.0) } else { 1.0 }
}
