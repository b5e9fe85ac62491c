//! How a run is to be made.

use crate::outcome::RunError;
use carom_dynamics::RELATIVE_TOLERANCE;
use carom_integrate::{IntegratorKind, Method};

/// How to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The run goes from 0 to here \[s\].
    pub end_time: f64,
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
            relative_tolerance: RELATIVE_TOLERANCE,
            time_step: None,
            max_step: None,
            output_every: None,
            contact_frames: 0,
            contact_duration: None,
            integrator: IntegratorKind::RungeKutta(Method::DormandPrince5),
        }
    }

    pub(crate) fn check(&self) -> Result<(), RunError> {
        let values = [
            ("end_time", Some(self.end_time)),
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
