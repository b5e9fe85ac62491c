//! An estimate of the error of an impact on a half-space grid (docs/theory/half-space.md, section 11.11).
//!
//! ```text
//! e d = Σ_bodies [5/4 |d_linear − d_quadratic| + d_residual/(4 n² − 1) + 3 d_mesh + 0.02 c d
//!                  + (h κ_b)²/3 d] + 0.05 a κ d + 0.002 d
//! ```
//!
//! relative to the approach d, with the periods n of the highest mode that is kept within the impact, the
//! part that the mesh leaves out, the share c of loads that an edge cuts, edges h of faces of the second
//! degree on the curvature κ_b of the body, the contact radius a and the relative curvature κ.

use std::f64::consts::PI;

use carom_contact::half_space::FixedGrid;
use carom_contact::half_space::estimate::Response;
use carom_contact::half_space::pair::Under;
use carom_dynamics::{ErrorEstimate, ErrorParts};
use nalgebra::Vector3;

use super::pair::{Pair, Side};

/// Factor by which the difference of both orders of weights bounded the error of places in all cases.
const WEIGHTS: f64 = 1.25;

/// Error of the approach in contact radii over radius of curvature: surfaces are spread in a flat plane.
const CURVED: f64 = 0.05;

/// Error of the approach by the cells of the grid.
const CELLS: f64 = 0.002;

/// Error of the duration by these cells.
const CELLS_OF_DURATION: f64 = 0.003;

/// Factor of the error that recovered stress shows, 0.2 to 0.9 of the true one (test `mesh_error` of
/// `carom-fem`): the part is then 0.5 to 2.8 times the true one.
pub(crate) const MESH: f64 = 3.0;

/// Error of the approach by the curvature of faces of the second degree, over the square of their edges in
/// radii of curvature. The curvature errs by up to this square, the force goes with its fifth root.
const TURNED: f64 = 1.0 / 3.0;

/// Error of the approach where an edge of the body cuts all loads.
const CUT: f64 = 0.02;

/// Change of the force and of the duration of an impact by that of the approach: F ~ d^(3/2) at a given work.
pub(crate) const OF_IMPACT: f64 = 0.6;

/// Error of the force by modes that are left out, above which it is reported.
const MODES: f64 = 0.01;

/// Change of the force by the springs of the law, above which it is reported.
const SPRINGS: f64 = 0.01;

/// Growth of the largest force after which the estimate is made anew.
const GROWTH: f64 = 1.3;

/// Relative parts of a body's approach: that of the weights, of the residual compliance, and of the mesh; and
/// the edge of its faces over the radius of curvature at the contact.
type OfBody = [f64; 4];

/// Parts of the error of a pair under the largest force so far. Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Estimate {
    /// The force \[N\].
    force: f64,
    /// The approach of the undeformed surfaces \[m\].
    approach: f64,
    /// Contact radius over the radius of the relative curvature.
    curved: f64,
    /// Share of the approach that the springs of the law carry, those of the forces as weights.
    law: f64,
    /// Of both bodies, relative to the approach.
    bodies: [OfBody; 2],
}

impl Estimate {
    /// Numbers in [`Estimate::to_array`].
    pub(super) const NUMBERS: usize = 12;

    pub(super) fn to_array(self) -> [f64; Self::NUMBERS] {
        let [[a, b, c, d], [e, f, g, h]] = self.bodies;
        [self.force, self.approach, self.curved, self.law, a, b, c, d, e, f, g, h]
    }

    pub(super) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [force, approach, curved, law, a, b, c, d, e, f, g, h] = *array;
        Self { force, approach, curved, law, bodies: [[a, b, c, d], [e, f, g, h]] }
    }

    /// Edge of the faces of a body over the radius of curvature at the contact.
    pub(super) fn turn(&self, body: usize) -> f64 {
        self.bodies[body][3]
    }
}

impl Pair {
    /// Takes in the forces at the end of a step.
    pub(super) fn estimate(&mut self) {
        let Some(grid) = self.last_grid() else { return };
        let (force, approach) = (grid.sums.force, -grid.sums.surface_gap);
        if force <= GROWTH * self.estimate.force || approach <= 0.0 {
            return;
        }
        let curved = grid.grid.contact_radius(&grid.forces) / self.hertz.radius;
        let bodies = [0, 1].map(|k| self.parts_of(k, grid, approach));
        // The energy of the springs is ½ Σ d f².
        let law = 2.0 * grid.sums.contact_energy / (force * approach);
        self.estimate = Estimate { force, approach, curved, law, bodies };
    }

    fn parts_of(&self, k: usize, grid: &FixedGrid, approach: f64) -> OfBody {
        let turn = self.sides[k].faces.turn(grid.curvature_under_forces(k));
        let Under::Places(placed) = &self.sides[k].under else { return [0.0, 0.0, 0.0, turn] };
        // Places do not surround the contact: the run itself reports that.
        let cells = (grid.planes(k), grid.grid.sides());
        let Ok(Response { parts, shares }) = placed.response_parts(cells, &grid.forces) else {
            return [0.0, 0.0, 0.0, turn];
        };
        let mesh = parts.mesh + self.of_wrong_modes(k, &shares, grid.sums.force, approach);
        [WEIGHTS * parts.weights / approach, parts.residual / approach, MESH * mesh / approach, turn]
    }

    /// By how much the displacement of a body at the largest force changes with the frequencies that the mesh
    /// makes too large, at a force of half a sine \[m\].
    ///
    /// Ω is that of an impact by Hertz with this force and approach: 5/4 m v² = F d, T = 2.943 d/v.
    fn of_wrong_modes(&self, k: usize, shares: &[(usize, Vector3<f64>)], force: f64, approach: f64) -> f64 {
        let Side { values: Some(values), omega, mode_errors, .. } = &*self.sides[k] else { return 0.0 };
        let pulse = PI / (2.943 * (1.25 * self.mass * approach / force).sqrt());
        let of_mode = |(mode, (omega, error)): (usize, (&f64, &f64))| {
            let at = |(place, share): &(usize, Vector3<f64>)| {
                (0..3).map(|a| share[a] * values[(3 * place + a, mode)]).sum::<f64>()
            };
            let moved: f64 = shares.iter().map(at).sum();
            let right = omega / (1.0 + error).sqrt();
            let change = half_sine_response(right / pulse) - half_sine_response(omega / pulse);
            (moved / pulse).powi(2) * force * change.abs()
        };
        omega.iter().zip(mode_errors).enumerate().map(of_mode).sum()
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
        let mut parts = ErrorParts { contact: CURVED * curved * growth + CELLS, ..ErrorParts::default() };
        let cuts = self.worst.cut_shares();
        for ((side, [weights, residual, mesh, turn]), cut) in self.sides.iter().zip(bodies).zip(cuts) {
            parts.contact += TURNED * turn * turn + CUT * cut + growth * weights;
            parts.modes += growth * residual * of_modes(side.cutoff * duration / (2.0 * PI));
            parts.mesh += growth * mesh;
        }
        let parts = ErrorParts::from_array(parts.to_array().map(|part| OF_IMPACT * part));
        let of_impact = parts.sum();
        let duration = of_impact + CELLS_OF_DURATION;
        Some(ErrorEstimate { force: of_impact, impulse: of_impact, duration, parts: Some(parts) })
    }

    /// A sentence if the springs of the law, and not the bodies, carry much of the approach: their energy is
    /// ½ s F d of a force F, and grows with F^(4/3). The force of an impact, whose energy is that of bodies
    /// and springs, 2/5 F d + s F d/6, falls by s/4 for a small share s.
    pub(super) fn doubt_of_springs(&self) -> Option<String> {
        let share = self.estimate.law;
        let loss = 0.25 * share / (1.0 - share);
        (loss > SPRINGS).then(|| {
            format!(
                "the springs of its law carry {:.1} % of the approach, and the force of an impact is about \
                 {:.1} % smaller than that of bodies that touch without them: leave out `law.stiffness` or \
                 `law.factor`, or choose {:.0} times the value",
                100.0 * share,
                100.0 * loss,
                (loss / SPRINGS).ceil()
            )
        })
    }

    /// A sentence for each body whose kept modes end too low for the shortest impact.
    pub(super) fn doubts_of_modes(&self) -> Vec<String> {
        let duration = self.worst.duration();
        let sides = self.sides.iter().zip(self.estimate.bodies);
        let found = sides.filter_map(|(side, [_, residual, ..])| {
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

/// Displacement of an oscillator of unit mass at the peak of a force of half a sine, over F/Ω²:
///
/// ```text
/// G(x) = (1 − sin(π x/2)/x)/(x² − 1) ,   x = ω/Ω
/// ```
///
/// The limits are π/2 − 1 of a free mass, ½ in resonance, and 1/x² of the static displacement.
pub(crate) fn half_sine_response(x: f64) -> f64 {
    let sine = if x < 1e-8 { 0.5 * PI } else { (0.5 * PI * x).sin() / x };
    if (x - 1.0).abs() < 1e-6 { 0.5 } else { (1.0 - sine) / (x * x - 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_to_half_a_sine_has_its_limits_and_solves_the_equation_of_motion() {
        assert!((half_sine_response(0.0) - (0.5 * PI - 1.0)).abs() < 1e-12);
        assert!((half_sine_response(1.0 + 1e-5) - 0.5).abs() < 1e-4);
        assert!((half_sine_response(200.0) * 200.0f64.powi(2) - 1.0).abs() < 6e-3);
        // q'' + x² q = sin t from rest up to t = π/2, by the velocity Verlet method.
        for x in [0.3, 1.0, 2.7, 9.0] {
            let n = 20_000;
            let dt = 0.5 * PI / f64::from(n);
            let (mut q, mut v) = (0.0, 0.0);
            let acceleration = |q: f64, step: i32| (dt * f64::from(step)).sin() - x * x * q;
            for step in 0..n {
                let a = acceleration(q, step);
                q += dt * (v + 0.5 * dt * a);
                v += 0.5 * dt * (a + acceleration(q, step + 1));
            }
            assert!((half_sine_response(x) - q).abs() < 1e-6, "{x}: {} {q}", half_sine_response(x));
        }
    }
}
