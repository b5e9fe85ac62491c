//! Errors of the lowest frequencies by the mesh, from the same body in a richer space.
//!
//! A mesh makes a body too stiff. In a space that contains the displacements of the mesh each of the ordered
//! frequencies is lower, by min-max: no shapes have to be matched. With the frequency ω of the mesh, the
//! frequency ω_r in the richer space, and the share s of the error in ω² that this space removes
//! ([`Enriched::removed`]),
//!
//! ```text
//! ω_∞² = ω² − (ω² − ω_r²)/s ,   e = ω/ω_∞ − 1
//! ```
//!
//! Recovered stress ([`carom_fem::recovery::energy_errors`]) needs no second reduction, and shows a few per
//! cent to within a factor of three. It does not see large errors: a bar of two quadratic cells, whose lowest
//! bending mode is 20 % too high, has a nearly smooth stress.

use carom_fem::{Body, Enriched};
use carom_progress::Progress;

use crate::craig_bampton::craig_bampton;
use crate::error::ReduceError;
use crate::options::{CraigBamptonOptions, Fields, FixedModes};
use crate::reduced::ReducedBody;

/// Number of frequencies whose errors are estimated.
const LOWEST: usize = 6;

/// Accepted error of the modes after the first one, over that of the first: a load deflects them less.
const FURTHER: f64 = 2.5;

/// Dofs of the richer space up to which it is reduced: about a second of CPU time.
const MOST_DOFS: usize = 8000;

/// Dofs of the interface up to which the richer space, which has more of them, is reduced.
const MOST_INTERFACE_DOFS: usize = 150;

/// By how much the lowest frequencies of a model are too high, relative to them; empty of a large body, and
/// of one without a richer space.
///
/// * `options` — those of the reduction to `model`
///
/// # Errors
///
/// [`ReduceError::Interrupted`] if the user stopped it. A body that can be reduced on its mesh but not in the
/// richer space has no estimate.
pub fn frequency_errors(
    body: &Body,
    options: &CraigBamptonOptions,
    model: &ReducedBody,
    progress: &dyn Progress,
) -> Result<Vec<f64>, ReduceError> {
    let size = [model.n_dofs, model.n_interface_dofs, model.fixed_interface_hz.len()];
    let Some((Enriched { body: finer, removed }, own)) = second_reduction(body, options, size) else {
        return Ok(Vec::new());
    };
    let finer = match craig_bampton(&finer, &own, progress) {
        Ok(result) => result.reduced,
        Err(ReduceError::Interrupted) => return Err(ReduceError::Interrupted),
        Err(_) => return Ok(Vec::new()),
    };
    let pairs = model.omega.iter().zip(&finer.omega).take(LOWEST);
    Ok(pairs.map(|(&omega, &finer)| error_of(omega, finer, removed)).collect())
}

/// A body in its richer space, and the options of its reduction; none of a large body, and of one without a
/// richer space.
///
/// * `size` — dofs, interface dofs and fixed-interface modes of the reduction on the mesh
pub(crate) fn second_reduction(
    body: &Body,
    options: &CraigBamptonOptions,
    [n_dofs, n_interface, n_modes]: [usize; 3],
) -> Option<(Enriched, CraigBamptonOptions)> {
    let is_large = n_dofs >= MOST_DOFS || n_interface > MOST_INTERFACE_DOFS;
    // Points have other numbers in the richer space.
    if is_large || !options.interface_points.is_empty() {
        return None;
    }
    let enriched = body.enriched().filter(|enriched| 3 * enriched.body.n_points() <= MOST_DOFS)?;
    let mut own = options.clone();
    own.modes = FixedModes::Count(n_modes);
    own.fields = Fields::Interface;
    own.variant.stiffening = false;
    Some((enriched, own))
}

/// e from the frequencies of a mesh and of the richer space.
fn error_of(omega: f64, finer: f64, removed: f64) -> f64 {
    // Of the share of ω² that the richer space leaves, extrapolation must not take more than half: far from
    // convergence it could take all of it.
    let ratio = (finer / omega).powi(2).min(1.0);
    let limit = 1.0 - (1.0 - ratio) / removed;
    limit.max(0.5 * ratio).sqrt().recip() - 1.0
}

impl ReducedBody {
    /// A sentence about a mesh that makes the lowest frequencies too high, without a remedy; none if the
    /// error is below the wanted one or not known.
    ///
    /// * `wanted` — the error of the lowest frequency that is accepted; 2.5 times of it in the next five
    pub fn doubt_of_mesh(&self, wanted: f64) -> Option<String> {
        let is_checked = !self.frequency_errors.is_empty();
        // Contact at places has an estimate of its own, of the modes that its impacts need.
        let of_stress = self.mode_errors.iter().filter(|_| self.places.is_empty());
        let errors: Vec<f64> = if is_checked {
            self.frequency_errors.clone()
        } else {
            of_stress.take(LOWEST).map(|error| (1.0 + error).sqrt() - 1.0).collect()
        };
        let first = *errors.first()?;
        let worst = errors.iter().copied().fold(0.0, f64::max);
        if first <= wanted && worst <= FURTHER * wanted {
            return None;
        }
        // The first of equal ones, which rounding tells apart.
        let mode = errors.iter().position(|&error| error >= 0.999 * worst)?;
        let or_more = if is_checked { "" } else { " or more" };
        Some(format!(
            "its mesh is too coarse for its lowest frequencies: of the first {} modes, mode {} at {:.4e} Hz \
             is too high by about {:.1} %{or_more}, mode 1 by {:.1} %",
            errors.len(),
            mode + 1,
            self.omega[mode] / std::f64::consts::TAU,
            100.0 * worst,
            100.0 * first,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::error_of;

    /// ω² = 1 + C hᵖ of halved cells has the limit 1.
    #[test]
    fn errors_are_those_of_converging_frequencies() {
        for (order, removed) in [(2, 0.75), (4, 0.9375)] {
            for share in [1e-3, 0.1, 0.5] {
                let [omega, finer] = [1.0, 0.5_f64.powi(order)].map(|h| (1.0 + share * h).sqrt());
                let error = error_of(omega, finer, removed);
                assert!((error - (omega - 1.0)).abs() < 1e-12, "{order} {share}: {error}");
            }
        }
    }

    #[test]
    fn errors_are_finite_far_from_convergence_and_not_negative() {
        assert!((1.0..20.0).contains(&error_of(10.0, 1.0, 0.75)));
        assert_eq!(error_of(1.0, 1.0 + 1e-12, 0.75), 0.0);
    }
}
