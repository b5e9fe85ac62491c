//! From the basis T to the modes of the reduced body.

use std::f64::consts::PI;

use carom_linalg::tall::{gram, product};
use faer::{Mat, MatRef};

use super::Subject;
use super::columns::{Described, SecondPairs};
use crate::characteristic::{interface_parts, reduced_second_modes};
use crate::condensation::Condensation;
use crate::doubtful::{DoubtfulModes, found_again};
use crate::error::ReduceError;
use crate::frame::{self, BodyFrame, Follower, FrameChoiceError, Reframed, reframed};
use crate::frequency::hz;
use crate::moments::Moments;
use crate::options::CraigBamptonOptions;
use crate::variant::ModeKind;

/// Combinations of the columns of T that are the modes of the reduced body.
pub(super) struct ReducedModes {
    /// Z, columns of T × modes.
    pub(super) combination: Mat<f64>,
    /// ω of each \[rad/s\].
    pub(super) omega: Vec<f64>,
    pub(super) n_low: usize,
    /// ω of the free reduced body.
    pub(super) free_omega: Vec<f64>,
    /// D̄_e.
    pub(super) damping: Option<Mat<f64>>,
    /// Their columns and shares.
    pub(super) described: Described,
}

impl Subject<'_> {
    /// Interface reduction, second eigenproblem, split, body frame, damping.
    pub(super) fn modes(
        &mut self,
        condensation: &Condensation,
        moments: &Moments,
        options: &CraigBamptonOptions,
        notes: &mut Vec<String>,
    ) -> Result<ReducedModes, ReduceError> {
        let body = || self.name.to_owned();
        let (stiffness, mass) = (condensation.stiffness.as_ref(), moments.mass_matrix());
        let mut rigid = self.boundary.rigid_motions(self.points, moments.center());
        rigid.resize_with(stiffness.nrows(), rigid.ncols(), |_, _| 0.0);
        let parts = interface_parts(
            self.name,
            &self.boundary.points,
            condensation.n_interface,
            self.sets,
            &mut self.surfaces,
            &options.variant,
            notes,
        )?;
        let failed = |source| ReduceError::Second { body: body(), source };
        let (second, reduced) =
            reduced_second_modes(stiffness, mass.as_ref(), rigid.as_ref(), &parts, notes).map_err(failed)?;
        let n_low = self.n_low(condensation, &second.omega, options, notes)?;
        let mut rates = self.damping(&second.omega, n_low, options, notes)?;
        let (mut combination, mut omega) = (second.combination.clone(), second.omega.clone());
        if let Some(follower) = self.follower(&options.variant.frame)?
            && n_low > 0
        {
            let low = second.combination.subcols(0, n_low);
            let seen = self.reframe(&follower, condensation, mass.as_ref(), rigid.as_ref(), low, &omega)?;
            rates = rates.map(|rates| frame::transformed(&rates, &seen.combination));
            frame::apply(&mut combination, &mut omega, &rigid, &seen);
        }
        let described = if options.variant.modes == ModeKind::FixedInterface {
            self.described(condensation, combination.as_ref(), &omega, &parts, reduced.as_ref())
        } else {
            let weighted = mass.as_ref() * combination.as_ref();
            let of_second = gram(second.combination.as_ref(), weighted.as_ref());
            let n_free = n_free(condensation, &second.omega);
            let pairs =
                SecondPairs { combination: second.combination.as_ref(), omega: &second.omega, n_free };
            self.described_free(condensation, &pairs, of_second.as_ref(), &omega).map_err(failed)?
        };
        let mut modes =
            ReducedModes { free_omega: second.omega, combination, omega, n_low, damping: None, described };
        if options.variant.modes == ModeKind::MasslessBoundary {
            // Modes without mass are not dynamic and have no damping.
            rates = rates.map(|rates| without_high(&rates, n_low));
            modes.free_omega.truncate(n_low);
        }
        Ok(ReducedModes { damping: rates, ..modes })
    }

    /// The damping of the modes in the Buckens frame, a diagonal matrix, with a note about overcritical
    /// modes.
    fn damping(
        &self,
        omega: &[f64],
        n_low: usize,
        options: &CraigBamptonOptions,
        notes: &mut Vec<String>,
    ) -> Result<Option<Mat<f64>>, ReduceError> {
        let Some(damping) = &options.variant.damping else { return Ok(None) };
        let rates = damping
            .rates(omega)
            .map_err(|source| ReduceError::Variant { body: self.name.to_owned(), source: source.into() })?;
        let ratios = rates.iter().zip(omega).map(|(rate, omega)| rate / (2.0 * omega));
        let above: Vec<f64> = ratios.take(n_low).filter(|&ratio| ratio >= 1.0).collect();
        if !above.is_empty() {
            notes.push(format!(
                "{} of {n_low} dynamic modes do not vibrate: their damping is critical or above, up to \
                 {:.3e} times critical",
                above.len(),
                above.iter().copied().fold(0.0, f64::max)
            ));
        }
        let n = omega.len();
        Ok(Some(Mat::from_fn(n, n, |i, j| if i == j { rates[i] } else { 0.0 })))
    }

    /// Number of dynamic modes.
    fn n_low(
        &self,
        condensation: &Condensation,
        omega: &[f64],
        options: &CraigBamptonOptions,
        notes: &mut Vec<String>,
    ) -> Result<usize, ReduceError> {
        let mut check = |n_low: usize, n_known: usize, kind: &'static str| {
            notes.extend(DoubtfulModes::of(omega, n_low, n_known, kind).map(|modes| modes.to_string()));
            n_low
        };
        let below = |split: f64| omega.partition_point(|&omega| omega <= 2.0 * PI * split);
        if options.variant.modes == ModeKind::FixedInterface {
            let highest = condensation.stiffness.diagonal().column_vector();
            let last = match condensation.fixed_lambda.last() {
                Some(&lambda) => lambda,
                None if condensation.n_further > 0 => highest[highest.nrows() - 1],
                None => 0.0,
            };
            let known = below(hz(last));
            let n_low = check(options.split.map_or(known, below), known, "fixed-interface");
            if condensation.fixed_lambda.is_empty() && condensation.n_further > 0 && options.split.is_none() {
                notes.push(format!(
                    "there are no fixed-interface modes, so that only inertia relief decides which modes \
                     are dynamic ({known}, up to {:.4e} Hz) and their frequencies are too high; give \
                     fixed-interface modes (--modes) or a split",
                    hz(last)
                ));
            }
            return Ok(n_low);
        }
        let n_free = n_free(condensation, omega);
        let Some(split) = options.split else { return Ok(n_free) };
        let n_low = below(split);
        if options.variant.modes == ModeKind::MasslessBoundary && n_low > n_free {
            let highest = n_free.checked_sub(1).map_or(0.0, |last| omega[last] / (2.0 * PI));
            return Err(ReduceError::MasslessSplit { body: self.name.to_owned(), split, highest });
        }
        Ok(check(n_low, n_free, "exact"))
    }

    /// The points that the body frame follows; none for the Buckens frame.
    fn follower(&self, frame: &BodyFrame) -> Result<Option<Follower>, ReduceError> {
        let found = match frame {
            BodyFrame::Buckens => return Ok(None),
            _ if !self.boundary.held.is_empty() => Err(FrameChoiceError::Held),
            BodyFrame::Nodes(nodes) => Follower::of_nodes(*nodes, self.points, self.is_used),
            BodyFrame::Marker(name) => match self.boundary.markers.iter().find(|own| own.name == *name) {
                Some(marker) => Ok(Follower::of_marker(marker)),
                None => Follower::of_set(name, self.sets, self.points),
            },
        };
        found.map(Some).map_err(|source| ReduceError::Frame { body: self.name.to_owned(), source })
    }

    /// The dynamic modes, `low`, in another frame.
    fn reframe(
        &self,
        follower: &Follower,
        condensation: &Condensation,
        mass: MatRef<'_, f64>,
        rigid: MatRef<'_, f64>,
        low: MatRef<'_, f64>,
        omega: &[f64],
    ) -> Result<Reframed, ReduceError> {
        let rows = follower.rows_of(condensation.basis.as_ref());
        let of_rigid = product(rows.as_ref(), rigid);
        let of_modes = product(rows.as_ref(), low);
        let rigid_mass = rigid.transpose() * mass * rigid;
        reframed(&follower.name, &of_rigid, &of_modes, &rigid_mass, &omega[..low.ncols()])
            .map_err(|source| ReduceError::Frame { body: self.name.to_owned(), source })
    }
}

/// Number of free modes that the second eigenproblem reproduces.
fn n_free(condensation: &Condensation, omega: &[f64]) -> usize {
    found_again(omega, condensation.free_lambda.iter().copied())
}

/// A matrix of the modes with zeros for those from `n_low` on.
fn without_high(matrix: &Mat<f64>, n_low: usize) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| if i.max(j) < n_low { matrix[(i, j)] } else { 0.0 })
}
