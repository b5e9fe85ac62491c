//! How a run is to be made.

use crate::outcome::RunError;
use carom_dynamics::RELATIVE_TOLERANCE;
use carom_integrate::{IntegratorKind, Method};

/// Where a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// At the placements, with joints closed.
    #[default]
    Placed,
    /// At rest in the static equilibrium that the placements lead to; motions of joints begin with their
    /// speed at t = 0.
    Equilibrium,
}

/// How to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The run goes from 0 to here; 0 for an equilibrium alone \[s\].
    pub end_time: f64,
    /// Where the run begins.
    pub start: Start,
    /// Wanted accuracy: error of the energy relative to its size. The integrator works to
    /// [`Settings::INTEGRATOR_SHARE`] of it in each component and step, see [`crate::Scales`].
    pub relative_tolerance: f64,
    /// Fixed steps instead of error control \[s\]; they are still cut where contact begins or ends.
    pub time_step: Option<f64>,
    /// No step is longer than this \[s\].
    pub max_step: Option<f64>,
    /// Time between outputs \[s\]; none for the start and the end only.
    pub output_every: Option<f64>,
    /// Frames that the Hertzian duration of an impact is divided into, in addition to those of
    /// `output_every`; 0 for none.
    pub contact_frames: usize,
    /// Duration of an impact \[s\] if Hertz' estimate from the curvatures does not do.
    pub contact_duration: Option<f64>,
    /// The integrator: of explicit pairs that of order 5 for impacts, whose forces have kinks, of order 8 for
    /// smooth motion; implicit ones where fast motion is damped or need not be seen.
    pub integrator: IntegratorKind,
}

impl Settings {
    /// Local error of the integrator per step, relative to the tolerance of the run: some hundred steps with
    /// contact, each of which loses twice its relative error of velocity in energy, and the kinks where faces
    /// come into contact.
    pub const INTEGRATOR_SHARE: f64 = 1e-3;

    /// Share of the tolerance of the run to which the displacements of quasistatic contact are iterated: with
    /// less, the noise of the forces costs steps; with more, passes.
    pub const CONTACT_SHARE: f64 = 1e-2;

    /// Defaults with an end time.
    pub fn until(end_time: f64) -> Self {
        Self {
            end_time,
            start: Start::Placed,
            relative_tolerance: RELATIVE_TOLERANCE,
            time_step: None,
            max_step: None,
            output_every: None,
            contact_frames: 0,
            contact_duration: None,
            integrator: IntegratorKind::RungeKutta(Method::DormandPrince5),
        }
    }

    /// True for a run that ends where it begins, in an equilibrium.
    pub(crate) fn is_still(&self) -> bool {
        self.start == Start::Equilibrium && self.end_time == 0.0
    }

    pub(crate) fn check(&self) -> Result<(), RunError> {
        let values = [
            ("end_time", Some(self.end_time).filter(|_| !self.is_still())),
            ("relative_tolerance", Some(self.relative_tolerance)),
            ("time_step", self.time_step),
            ("max_step", self.max_step),
            ("output_every", self.output_every),
            ("contact_duration", self.contact_duration),
        ];
        for (name, value) in values {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                return Err(RunError::Setting { name, value });
            }
        }
        Ok(())
    }
}
