//! The equations of motion linearised about a state at rest.
//!
//! ```text
//! M ξ̈ + K ξ = δf ,   G ξ = 0          K = −∂(f − Gᵀ λ)/∂ξ
//! ```
//!
//! ξ are increments of the positions as in `bodies/increments.rs`; f are the forces of
//! loads, springs, contact and elasticity, λ the multipliers at the state, which stay: K contains the
//! stiffness that the loaded joints have by turning with the bodies. Motions that the joints allow are ξ = Z
//! s, with G Z = 0 and Zᵀ M Z = E.
//!
//! K has central differences. Increments move the bodies by a small part of their size, so that the
//! approach of a contact changes little.

use carom_integrate::{Displacement, Ode, SecondOrder};
use carom_progress::Progress;
use nalgebra::{DMatrix, DVector};

use super::EquilibriumError;
use crate::system::System;
use crate::system_error::RateError;

/// Increment of a difference, relative to the size of the bodies: rounding and curvature err by similar
/// parts.
const INCREMENT: f64 = 1e-7;

/// Largest increment relative to the approach of a contact that presses: a contact that opens within a
/// difference has half of its stiffness there.
const OF_APPROACH: f64 = 0.1;

/// Least factor of the increments for stiff contacts.
const LEAST: f64 = 1e-4;

/// Eigenvalue of the projector to the rows of G, each of length 1, below which a motion is one that they
/// allow.
const ALLOWED: f64 = 1e-9;

/// Forces, masses and joints of a system near a state at rest.
#[derive(Debug, Clone)]
pub(crate) struct Tangent {
    /// Z, n × f.
    pub(crate) motions: DMatrix<f64>,
    /// Zᵀ K Z, its symmetric part \[1/s²\].
    pub(crate) stiffness: DMatrix<f64>,
    /// All of Zᵀ K Z: sliding contacts make it unsymmetric \[1/s²\].
    pub(crate) derivative: DMatrix<f64>,
}

/// The number that a derivative varies.
#[derive(Debug, Clone, Copy)]
enum Of {
    /// An increment of the positions.
    Position(usize),
    /// A velocity.
    Velocity(usize),
}

/// Buffers for evaluations of a system at increments of a state.
#[derive(Debug)]
pub(crate) struct Differences {
    multipliers: Vec<f64>,
    increment: Vec<f64>,
    velocity: Vec<f64>,
    y: Vec<f64>,
    rate: Vec<f64>,
}

impl Differences {
    /// At multipliers of the joints of the system.
    pub(crate) fn new(system: &System, multipliers: &[f64]) -> Self {
        let n = system.velocities();
        Self {
            multipliers: multipliers.to_vec(),
            increment: vec![0.0; n],
            velocity: vec![0.0; n],
            y: vec![0.0; system.dim()],
            rate: vec![0.0; system.dim()],
        }
    }

    /// f − Gᵀ λ in the directions of the velocities, at an increment of y with velocities.
    fn forces(&mut self, system: &mut System, y: &[f64], out: &mut [f64]) -> Result<(), RateError> {
        let step = Displacement { increment: &self.increment, velocity: &self.velocity, impulse: &[] };
        system.place(0.0, y, step, &mut self.y)?;
        system.rate_with(0.0, &self.y, Some(&self.multipliers), &mut self.rate)?;
        system.pull_back(&self.y, &self.rate, out);
        Ok(())
    }

    /// Negative derivative of the forces by a coordinate or a velocity.
    fn derivative(
        &mut self,
        system: &mut System,
        y: &[f64],
        of: Of,
        step: f64,
    ) -> Result<DVector<f64>, RateError> {
        let n = self.increment.len();
        let mut ends = [vec![0.0; n], vec![0.0; n]];
        for (out, sign) in ends.iter_mut().zip([1.0, -1.0]) {
            *self.varied(of) = sign * step;
            let done = self.forces(system, y, out);
            *self.varied(of) = 0.0;
            done?;
        }
        Ok(DVector::from_fn(n, |i, _| (ends[1][i] - ends[0][i]) / (2.0 * step)))
    }

    fn varied(&mut self, of: Of) -> &mut f64 {
        match of {
            Of::Position(k) => &mut self.increment[k],
            Of::Velocity(k) => &mut self.velocity[k],
        }
    }
}

impl System {
    /// Factor of the increments of differences at the state that was evaluated last: below 1 where contacts
    /// press with a small approach.
    fn scale_of_increments(&self) -> f64 {
        let contacts = self.contacts();
        let pressed = contacts.reactions().filter(|(_, reaction)| reaction.normal_force > 0.0);
        let approaches = pressed.map(|(pair, _)| -contacts.free_gap(pair)).filter(|depth| *depth > 0.0);
        let least = approaches.fold(f64::INFINITY, f64::min);
        (OF_APPROACH * least / (INCREMENT * self.size_of_bodies())).clamp(LEAST, 1.0)
    }
}

impl Tangent {
    /// The tangent at a state y at rest.
    ///
    /// * `multipliers` — of all equations of the joints there
    /// * `scale` — factor of the increments of differences; another one shows their noise
    ///
    /// # Errors
    ///
    /// [`EquilibriumError`] if the system cannot be evaluated next to y, or the user stops the search.
    pub(crate) fn at(
        system: &mut System,
        y: &[f64],
        multipliers: &[f64],
        scale: f64,
        progress: &dyn Progress,
    ) -> Result<Self, EquilibriumError> {
        let n = system.velocities();
        let motions = motions(system, y)?;
        let mut differences = Differences::new(system, multipliers);
        // Contacts are those at y.
        differences.forces(system, y, &mut vec![0.0; n])?;
        let scale = scale * system.scale_of_increments();
        let mut stiffness = DMatrix::zeros(n, n);
        for j in 0..n {
            if progress.interrupted() {
                return Err(EquilibriumError::Interrupted("equilibrium was sought"));
            }
            let step = scale * INCREMENT * system.unit_of(j, system.size_at(j));
            stiffness.set_column(j, &differences.derivative(system, y, Of::Position(j), step)?);
        }
        let derivative = motions.tr_mul(&(stiffness * &motions));
        let stiffness = 0.5 * (&derivative + derivative.transpose());
        Ok(Self { motions, stiffness, derivative })
    }

    /// Zᵀ D Z with D = −∂f/∂z, the damping of springs, modes and contact at the state y, by central
    /// differences \[1/s\].
    ///
    /// # Errors
    ///
    /// As [`Tangent::at`].
    pub(crate) fn damping(
        &self,
        system: &mut System,
        y: &[f64],
        multipliers: &[f64],
        progress: &dyn Progress,
    ) -> Result<DMatrix<f64>, EquilibriumError> {
        let n = system.velocities();
        let mut differences = Differences::new(system, multipliers);
        let mut damping = DMatrix::zeros(n, n);
        for j in 0..n {
            if progress.interrupted() {
                return Err(EquilibriumError::Interrupted("equilibrium was sought"));
            }
            // Forces of dampers are linear in small velocities.
            let step = INCREMENT * system.unit_of(j, system.size_at(j));
            damping.set_column(j, &differences.derivative(system, y, Of::Velocity(j), step)?);
        }
        Ok(self.motions.tr_mul(&(damping * &self.motions)))
    }

    /// Number of the motions that the joints allow.
    pub(crate) fn freedoms(&self) -> usize {
        self.motions.ncols()
    }
}

/// Z at a state y at rest: motions that the joints allow, of mass 1 each and without coupling by the masses.
fn motions(system: &mut System, y: &[f64]) -> Result<DMatrix<f64>, RateError> {
    let n = system.velocities();
    system.set_state(y)?;
    system.set_joints(0.0, y);
    let (mass, mut rows) = system.masses_and_rows();
    for mut row in rows.row_iter_mut() {
        let length = row.norm();
        if length > 0.0 {
            row /= length;
        }
    }
    // Lengths of rows and masses make units alike: with M = L Lᵀ and ξ = L⁻ᵀ x, the rows are G L⁻ᵀ.
    let factor = mass.cholesky().map(|factor| factor.l()).unwrap_or_else(|| DMatrix::identity(n, n));
    let mut scaled = rows.transpose();
    factor.solve_lower_triangular_mut(&mut scaled);
    for mut column in scaled.column_iter_mut() {
        let length = column.norm();
        if length > 0.0 {
            column /= length;
        }
    }
    let pairs = (&scaled * scaled.transpose()).symmetric_eigen();
    let kept: Vec<usize> = (0..n).filter(|&k| pairs.eigenvalues[k] < ALLOWED).collect();
    let mut motions = pairs.eigenvectors.select_columns(&kept);
    factor.tr_solve_lower_triangular_mut(&mut motions);
    Ok(motions)
}
