//! An estimate of the error of an impact on the bodies' own meshes (docs/theory/half-space.md, section
//! 11.14).
//!
//! ```text
//! e = 0.6/W Σ_bodies [Σ_static g²/ω² · 4/3 (π/(ω T))² + 3 Σ_moving g²/Ω² |G(ω'/Ω) − G(ω/Ω)|] + cells
//! W = Σ g²/ω² ,   over static modes and moving ones with ω T ≥ 2 π
//! ```
//!
//! with the work g of the contact forces on a mode, the duration T = π/Ω of the impact, the response G to
//! half a sine, the frequency ω' without the error of the mesh, and the error of the cells at the contact
//! ([`crate::resolution`]). A force that swings with the modes next to a split errs by its swing.

use std::f64::consts::PI;

use carom_dynamics::{ContactEvent, ErrorEstimate, ErrorParts};

use crate::events::PairRecord;
use crate::force_swing::reported_swing;
use crate::half_space::{MESH, OF_IMPACT, half_sine_response};
use crate::system::System;

/// Growth of the largest force after which the response is summed anew.
const GROWTH: f64 = 1.05;

/// Bound of 4 n²/(4 n² − 1) from one period n in the impact on.
const ABOVE_ONE_PERIOD: f64 = 4.0 / 3.0;

/// How the modes of both bodies of a pair answer its largest force. Plain numbers, part of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ModalResponse {
    /// The force \[N\].
    force: f64,
    /// W \[N m\].
    work: f64,
    /// Σ g²/ω⁴ of static modes \[N m s²\].
    inertia: f64,
    /// Change of the moving modes' part of W by their errors by the mesh \[N m\].
    mesh: f64,
}

impl ModalResponse {
    /// Numbers in [`ModalResponse::to_array`].
    pub(crate) const NUMBERS: usize = 4;

    pub(crate) fn to_array(self) -> [f64; Self::NUMBERS] {
        [self.force, self.work, self.inertia, self.mesh]
    }

    pub(crate) fn from_array([force, work, inertia, mesh]: [f64; Self::NUMBERS]) -> Self {
        Self { force, work, inertia, mesh }
    }

    /// Takes in the end of a step.
    ///
    /// * `since` — time since the first touch \[s\]: half of the impact at its largest force
    pub(crate) fn observe(&mut self, system: &System, pair: usize, since: f64) {
        let force = system.contacts().reaction(pair).normal_force;
        if force <= GROWTH * self.force || since <= 0.0 || system.contacts().patch(pair).is_none() {
            return;
        }
        let mut found = Self { force, ..Self::default() };
        let pulse = PI / (2.0 * since);
        for i in system.pair_bodies(pair) {
            let body = &system.bodies()[i];
            let Some(reduced) = &body.reduced else { continue };
            system.contacts().for_modal_forces(pair, i, &mut |mode, g| {
                let omega = reduced.omega[mode];
                let answer = (g / omega).powi(2);
                if mode >= body.frame.n {
                    found.work += answer;
                    found.inertia += answer / (omega * omega);
                    return;
                }
                if omega >= 2.0 * pulse {
                    found.work += answer;
                }
                let error = reduced.mode_errors.get(mode).copied().unwrap_or(0.0);
                let right = omega / (1.0 + error).sqrt();
                let change = half_sine_response(right / pulse) - half_sine_response(omega / pulse);
                found.mesh += (g / pulse).powi(2) * change.abs();
            });
        }
        *self = found;
    }
}

impl PairRecord {
    /// The errors to be expected of the largest impact of a pair; none without a loaded patch of a mesh, or
    /// of two rigid bodies.
    pub(crate) fn expected_error(
        &self,
        system: &System,
        pair: usize,
        largest: &ContactEvent,
    ) -> Option<ErrorEstimate> {
        let ModalResponse { work, inertia, mesh, .. } = self.response;
        let duration = largest.end - largest.start;
        let is_elastic = system.pair_bodies(pair).iter().any(|i| system.bodies()[*i].reduced.is_some());
        if !is_elastic || duration <= 0.0 || work <= 0.0 {
            return None;
        }
        let cells = self.resolution.cost(system, pair, self.memory.loaded_cells)?;
        let mut parts = ErrorParts {
            contact: cells.force,
            modes: OF_IMPACT * ABOVE_ONE_PERIOD * (PI / duration).powi(2) * inertia / work,
            mesh: OF_IMPACT * MESH * mesh / work,
            time: 0.0,
        };
        let mut impulse = parts.sum();
        if let Some((swing, split)) = reported_swing(system, pair, &self.swing) {
            parts.modes = (swing.peak - swing.mean) / swing.mean;
            impulse = 1.0 / (3.0 * split * duration);
        }
        Some(ErrorEstimate {
            force: parts.sum(),
            impulse,
            duration: impulse + cells.duration,
            parts: Some(parts),
        })
    }
}

/// A sentence for each body whose model does not state the errors of its mesh, for a pair with an estimate.
pub(crate) fn doubts_of_meshes(system: &System, pair: usize, record: &PairRecord) -> Vec<String> {
    if record.response.work == 0.0 {
        return Vec::new();
    }
    let [first, second] = system.contacts().surface_names(pair);
    let bodies = system.pair_bodies(pair).into_iter().map(|i| &system.bodies()[i]);
    let silent = bodies.filter(|body| {
        body.frame.n > 0 && body.reduced.as_ref().is_some_and(|model| model.mode_errors.is_empty())
    });
    let sentence = |name: &str| {
        format!(
            "contact `{first}` / `{second}`: the model of `{name}` does not state the errors of its mesh, \
             which the estimate of the force leaves out: models that were imported and those before version \
             1.6 have none; reduce the body again"
        )
    };
    silent.map(|body| sentence(&body.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn the_bound_of_static_modes_holds_from_one_period_on() {
        for n in [1.0, 1.5, 4.0, 20.0] {
            let (omega, duration) = (TAU * n / 1e-4, 1e-4);
            let exact = 1.0 / (4.0 * n * n - 1.0);
            let bound = ABOVE_ONE_PERIOD * (PI / (omega * duration)).powi(2);
            assert!(bound >= exact * (1.0 - 1e-12) && bound < 1.34 * exact, "{n}: {bound} {exact}");
        }
    }

    #[test]
    fn a_response_written_to_a_checkpoint_is_read_back() {
        let found = ModalResponse { force: 7.0, work: 1e-3, inertia: 2e-12, mesh: 1e-6 };
        assert_eq!(ModalResponse::from_array(found.to_array()), found);
    }
}
