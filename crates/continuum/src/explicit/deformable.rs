//! A body with points that forces move: unreduced, or reduced.

use carom_dynamics::{BodyMotion, BodyState};
use carom_fem::internal_force::SweepError;
use nalgebra::Vector3;

use super::flexible::{Flexible, MaterialEnergies, Sums};
use super::reduced::Reduced;
use super::{SetupError, StepError};

/// A deformable body.
pub(super) enum Deformable {
    /// All of its points are unknowns.
    Whole(Box<Flexible>),
    /// Its unknowns are a frame and modes.
    Reduced(Box<Reduced>),
}

impl Deformable {
    /// The unreduced body, if it is one.
    pub(super) fn whole(&self) -> Option<&Flexible> {
        match self {
            Self::Whole(body) => Some(body),
            Self::Reduced(_) => None,
        }
    }

    /// The unreduced body, if it is one.
    pub(super) fn whole_mut(&mut self) -> Option<&mut Flexible> {
        match self {
            Self::Whole(body) => Some(body),
            Self::Reduced(_) => None,
        }
    }

    /// The reduced body, if it is one.
    pub(super) fn reduced(&self) -> Option<&Reduced> {
        match self {
            Self::Whole(_) => None,
            Self::Reduced(body) => Some(body),
        }
    }

    /// The reduced body, if it is one.
    pub(super) fn reduced_mut(&mut self) -> Option<&mut Reduced> {
        match self {
            Self::Whole(_) => None,
            Self::Reduced(body) => Some(body),
        }
    }

    /// Its number in the problem.
    pub(super) fn number(&self) -> usize {
        match self {
            Self::Whole(body) => body.number,
            Self::Reduced(body) => body.number,
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Whole(body) => &body.name,
            Self::Reduced(body) => &body.name,
        }
    }

    /// Number of points.
    pub(super) fn n_points(&self) -> usize {
        match self {
            Self::Whole(body) => body.mass.len(),
            Self::Reduced(body) => body.n_points(),
        }
    }

    /// Mass \[kg\].
    pub(super) fn mass(&self) -> f64 {
        match self {
            Self::Whole(body) => body.mass.iter().sum(),
            Self::Reduced(body) => body.mass(),
        }
    }

    /// Origin of the frame of its coordinates in source coordinates \[m\].
    pub(super) fn frame_origin(&self) -> [f64; 3] {
        match self {
            Self::Whole(_) => [0.0; 3],
            Self::Reduced(body) => body.frame_origin(),
        }
    }

    /// Number of displacements, or of modes.
    pub(super) fn n_coordinates(&self) -> usize {
        match self {
            Self::Whole(body) => body.u.len(),
            Self::Reduced(body) => body.n_modes(),
        }
    }

    /// The longest stable step \[s\].
    ///
    /// * `stretch` — change of the distances within a cell up to which a costly one is kept
    pub(super) fn critical_step(&mut self, stretch: f64) -> Result<f64, SweepError> {
        match self {
            Self::Whole(body) => body.critical_step(stretch),
            Self::Reduced(body) => Ok(body.critical_step()),
        }
    }

    /// Velocities or momenta at t_{−1/2}.
    pub(super) fn start(&mut self, dt: f64, gravity: &Vector3<f64>) -> Result<(), SetupError> {
        match self {
            Self::Whole(body) => body.start(dt, gravity),
            Self::Reduced(body) => body.start(dt),
        }
    }

    /// Forces at t_n.
    ///
    /// * `behind` — length of the step before t_n \[s\]
    pub(super) fn compute_forces(&mut self, time: f64, behind: f64, step: u64) -> Result<(), StepError> {
        let Self::Whole(body) = self else { return Ok(()) };
        let computed = body.compute_forces(time, behind);
        computed.map_err(|source| StepError::Sweep { time, step, body: body.name.clone(), source })
    }

    /// Velocities at t_{n+1/2} without contact.
    pub(super) fn predict(
        &mut self,
        time: f64,
        dt_mean: f64,
        gravity: &Vector3<f64>,
    ) -> Result<(), StepError> {
        match self {
            Self::Whole(body) => body.predict(dt_mean, gravity),
            Self::Reduced(body) => body.predict(time, dt_mean)?,
        }
        Ok(())
    }

    /// Adds a force on a point; velocities of a reduced body follow in [`Reduced::settle`].
    pub(super) fn push(&mut self, point: u32, force: &Vector3<f64>, dt_mean: f64) {
        match self {
            Self::Whole(body) => body.push(point, force, dt_mean),
            Self::Reduced(body) => body.push(point, force, dt_mean),
        }
    }

    /// x_n of a point \[m\].
    pub(super) fn place(&self, point: u32) -> Vector3<f64> {
        match self {
            Self::Whole(body) => body.place(point),
            Self::Reduced(body) => body.place(point),
        }
    }

    /// Velocities of a point before and after t_n \[m/s\].
    pub(super) fn velocities(&self, point: u32) -> [Vector3<f64>; 2] {
        match self {
            Self::Whole(body) => body.velocities(point),
            Self::Reduced(body) => body.velocities(point),
        }
    }

    /// Sums at t_n.
    ///
    /// * `level` — dt̃ \[s\], and θ of [`super::books`]
    pub(super) fn sums(&mut self, level: (f64, f64), gravity: &Vector3<f64>) -> Sums {
        match self {
            Self::Whole(body) => body.sums(level, gravity),
            Self::Reduced(body) => body.sums(level),
        }
    }

    /// Energies of the material at t_n.
    pub(super) fn energies(&mut self) -> Result<MaterialEnergies, SweepError> {
        match self {
            Self::Whole(body) => body.energies(),
            Self::Reduced(body) => Ok(body.energies()),
        }
    }

    /// Coordinates at t_{n+1}.
    pub(super) fn advance(&mut self, time: f64, dt: f64, dt_mean: f64) -> Result<(), StepError> {
        match self {
            Self::Whole(body) => body.advance(dt),
            Self::Reduced(body) => body.advance(time, dt, dt_mean)?,
        }
        Ok(())
    }

    /// Reported state at t_n.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn reported(&mut self, sums: &Sums, share: f64) -> BodyState {
        match self {
            Self::Whole(body) => body.reported(sums, share),
            Self::Reduced(body) => body.reported(share),
        }
    }

    /// Rigid part of the motion before t_n, seen from a place.
    pub(super) fn motion(&self, place: &Vector3<f64>) -> BodyMotion {
        match self {
            Self::Whole(body) => body.motion(place, false),
            Self::Reduced(body) => body.motion(place),
        }
    }
}
