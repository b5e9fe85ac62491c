//! Static equilibrium of a mechanism: positions at which bodies at rest stay at rest under loads, springs,
//! contact, gravity and their elasticity, with all joints closed.
//!
//! ```text
//! f(x) − Gᵀ λ = 0 ,   g(x) = 0
//! ```
//!
//! Newton's method over the motions Z that the joints allow (`tangent`):
//!
//! ```text
//! Zᵀ K Z = Σ ω_i² v_i v_iᵀ ,   s = Σ v_i (v_iᵀ Zᵀ f) / |ω_i²| ,   x ← x ∘ Z s ,  then back to the joints
//! ```
//!
//! The sign of ω_i² is left out, so that the step leads downhill and ends in a minimum of the potential; in
//! each direction it moves the bodies no further than a part of their size, which is made smaller where the
//! work of the forces along the step changes its sign. Near the solution this is Newton's method.
//!
//! At the solution all ω_i² must be positive beyond the noise of the differences: a motion without stiffness
//! is reported with the body that moves most. With a negative one the equilibrium is unstable.
//!
//! Contacts with friction stick during the search, and slip by their law after it (`friction`).

mod describe;
mod friction;
mod modes;
mod response;
mod rest;
mod stability;
pub(crate) mod tangent;
mod way;

use carom_integrate::SecondOrder;
use carom_progress::Progress;
use nalgebra::{DVector, Vector3};

use crate::joint::reset_impulses;
use crate::system::System;
use crate::system_error::RateError;
use crate::tangential::Tangential;
use describe::describe;
pub use friction::ContactFriction;
pub use modes::EquilibriumMode;
pub use response::{Excitation, Response};
use stability::Stability;
use tangent::Tangent;

/// Largest step in each direction relative to the size of the bodies, and in radians.
const REACH: f64 = 0.25;

/// Residual forces relative to the applied ones. The iteration ends as soon as they are below the first
/// number; below the second one it ends when a further iteration no longer reduces them.
const BALANCED: [f64; 2] = [1e-11, 1e-7];

/// A step ends where the forces push against it: where their work along it is below minus this part of the
/// work of the forces at its start.
const AGAINST: f64 = 0.5;

const MAX_ITERATIONS: usize = 300;
const MAX_CUTS: usize = 40;

/// Static equilibrium that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// Iterations.
    pub iterations: usize,
    /// Largest force that is left over, relative to the forces that act.
    pub residual: f64,
    /// Number of motions that the joints allow.
    pub freedoms: usize,
    /// How far bodies were moved \[m\].
    pub moved: f64,
    /// The motion that leaves the equilibrium, if it is unstable.
    pub unstable: Option<String>,
    /// Contacts with friction.
    pub friction: Vec<ContactFriction>,
    /// Small oscillations about it, in ascending order of their frequencies.
    pub modes: Vec<EquilibriumMode>,
}

/// A mechanism without an equilibrium that can be found.
#[derive(Debug, thiserror::Error)]
pub enum EquilibriumError {
    /// The system cannot be evaluated.
    #[error(transparent)]
    State(#[from] RateError),
    /// Joints do not close after a step.
    #[error(transparent)]
    Joint(#[from] crate::joint::ProjectError),
    /// A motion has no stiffness.
    #[error(
        "the equilibrium is not determined: {motion} without any force against it; hold the body by a joint, \
         a spring or a contact, or start without `start = \"equilibrium\"`"
    )]
    Free {
        /// The motion.
        motion: String,
    },
    /// Friction does not hold the bodies.
    #[error(
        "there is no equilibrium: to stick, `{first}` on `{second}` needs {wanted:.3} times the friction \
         μ N = {bound:.3e} N that it has, and slides: {motion}; raise its `friction`, hold the body by a \
         joint or a spring, or start without `start = \"equilibrium\"`"
    )]
    Slides {
        /// Names of the surfaces of the contact that needs most.
        first: String,
        /// The other one.
        second: String,
        /// Friction that it needs, over the bound.
        wanted: f64,
        /// μ N \[N\].
        bound: f64,
        /// The motion that begins.
        motion: String,
    },
    /// A response without an equilibrium.
    #[error(
        "the response to harmonic excitation is that about an equilibrium: set `start = \"equilibrium\"`"
    )]
    NotStill,
    /// The user stopped the search, or the response about the equilibrium.
    #[error("interrupted while the {0}")]
    Interrupted(&'static str),
    /// Newton's method does not converge.
    #[error(
        "no equilibrium was found in {iterations} iterations: {:.1e} of the forces is left over, and bodies \
         were moved by {moved:.3e} m; where most of it acts, {motion}: check what holds this body, or place \
         the bodies nearer to their equilibrium",
        residual
    )]
    NotFound {
        /// Iterations.
        iterations: usize,
        /// Largest force that is left over, relative to the forces that act.
        residual: f64,
        /// How far bodies were moved \[m\].
        moved: f64,
        /// The motion.
        motion: String,
    },
}

/// Forces at a state.
struct Forces {
    /// f − Gᵀ λ in the directions of the velocities.
    left: Vec<f64>,
    /// Largest of these as a force, relative to the forces that act.
    relative: f64,
    multipliers: Vec<f64>,
}

impl System {
    /// Moves bodies from the state y, whose joints are closed, to their static equilibrium at t = 0; motions
    /// of joints begin with their speed.
    ///
    /// # Errors
    ///
    /// [`EquilibriumError`]; y is then between the start and an equilibrium.
    pub(crate) fn settle(
        &mut self,
        y: &mut Vec<f64>,
        progress: &dyn Progress,
    ) -> Result<Equilibrium, EquilibriumError> {
        self.joints_mut().hold_drives(true);
        let found = self.find_equilibrium(y, progress);
        self.joints_mut().hold_drives(false);
        self.contacts_mut().hold_all(Tangential::Coulomb);
        let found = found?;
        self.project(0.0, y, 1e-13)?;
        reset_impulses(self.states(), y);
        Ok(found)
    }

    /// Moves bodies at rest from the state y, whose joints are closed, to their static equilibrium at t = 0.
    ///
    /// # Errors
    ///
    /// [`EquilibriumError`]; y is then between the start and an equilibrium.
    fn find_equilibrium(
        &mut self,
        y: &mut Vec<f64>,
        progress: &dyn Progress,
    ) -> Result<Equilibrium, EquilibriumError> {
        let start = self.places(y);
        self.stop(y)?;
        let has_friction = self.contacts().have_friction();
        if has_friction {
            self.stick(y)?;
        }
        let (mut forces, mut iterations) = self.descend(y, &start, progress)?;
        let mut friction = Vec::new();
        if has_friction {
            (forces, friction) = self.slip(y, &mut iterations, progress)?;
        }
        let moved = self.moved(&start, y);
        let found = Equilibrium {
            iterations,
            residual: forces.relative,
            freedoms: 0,
            moved,
            unstable: None,
            friction,
            modes: Vec::new(),
        };
        let judged = self.judge(y, &forces, found, progress);
        progress.end();
        judged
    }

    /// Goes downhill from y to an equilibrium; returns the forces there and the number of iterations.
    fn descend(
        &mut self,
        y: &mut Vec<f64>,
        start: &[Vector3<f64>],
        progress: &dyn Progress,
    ) -> Result<(Forces, usize), EquilibriumError> {
        let size = self.size_of_bodies();
        let has_friction = self.contacts().have_friction();
        let mut forces = self.forces_at_rest(y)?;
        let mut reach = REACH;
        let mut iterations = 0;
        progress.begin("iterations towards the equilibrium, at most", MAX_ITERATIONS as u64);
        loop {
            progress.set(iterations as u64);
            progress.note(&format!("{:.1e} of the forces is left over", forces.relative));
            let tangent = Tangent::at(self, y, &forces.multipliers, 1.0, progress)?;
            if forces.relative <= BALANCED[0] || tangent.freedoms() == 0 {
                break;
            }
            let moved = self.moved(start, y);
            let failed = |system: &Self, forces: &Forces| {
                let motion = describe(system, &DVector::from_vec(tangent_of_forces(&tangent, forces)));
                EquilibriumError::NotFound { iterations, residual: forces.relative, moved, motion }
            };
            if iterations == MAX_ITERATIONS || moved > 1e3 * size.max(self.joints().size()) {
                return Err(failed(self, &forces));
            }
            match self.improve(y, &tangent, &forces, &mut reach, progress)? {
                Some(next) => {
                    let ends = next.relative <= BALANCED[1] && next.relative > 0.5 * forces.relative;
                    forces = next;
                    iterations += 1;
                    if has_friction {
                        self.contacts_mut().follow(false);
                    }
                    if ends {
                        break;
                    }
                }
                None if forces.relative <= BALANCED[1] => break,
                None => return Err(failed(self, &forces)),
            }
        }
        Ok((forces, iterations))
    }

    /// One step; none if no length of it is better.
    fn improve(
        &mut self,
        y: &mut Vec<f64>,
        tangent: &Tangent,
        forces: &Forces,
        reach: &mut f64,
        progress: &dyn Progress,
    ) -> Result<Option<Forces>, EquilibriumError> {
        let size = self.size_of_bodies().max(self.joints().size());
        let units: Vec<f64> = (0..self.velocities()).map(|k| self.unit_of(k, size)).collect();
        let pairs = tangent.stiffness.clone().symmetric_eigen();
        let along = tangent.motions.tr_mul(&DVector::from_column_slice(&forces.left));
        for _ in 0..MAX_CUTS {
            if progress.interrupted() {
                return Err(EquilibriumError::Interrupted("equilibrium was sought"));
            }
            let mut step = DVector::zeros(units.len());
            for (vector, stiffness) in pairs.eigenvectors.column_iter().zip(&pairs.eigenvalues) {
                let motion = &tangent.motions * vector;
                let force = vector.dot(&along);
                let per_unit = longest_of(&motion, &units);
                let most = *reach / per_unit;
                // Without stiffness along the forces.
                let downhill = most * force.abs() / along.amax();
                let wanted = if *stiffness == 0.0 { downhill } else { (force / stiffness).abs() };
                step += motion * wanted.min(most).copysign(force);
            }
            let longest = longest_of(&step, &units);
            if longest > *reach {
                step *= *reach / longest;
            }
            if longest < 1e-15 {
                return Ok(None);
            }
            let work: f64 = step.iter().zip(&forces.left).map(|(x, f)| x * f).sum();
            if let Ok(Some(part)) = self.obstacle(y, step.as_slice(), longest * size, work) {
                *reach = part * longest;
                continue;
            }
            let mut next = y.clone();
            if let Ok(found) = self.moved_by(&mut next, step.as_slice()) {
                let after: f64 = step.iter().zip(&found.left).map(|(x, f)| x * f).sum();
                // The forces no longer push along the step, or not much against it.
                if after >= -AGAINST * work || found.relative < 0.9 * forces.relative {
                    *y = next;
                    if longest >= 0.99 * *reach && after > 0.0 {
                        *reach = (2.0 * *reach).min(REACH);
                    }
                    return Ok(Some(found));
                }
                let share = (work / (work - after)).clamp(0.1, 0.7);
                *reach = share * longest.min(*reach);
            } else {
                *reach = 0.25 * longest.min(*reach);
            }
        }
        Ok(None)
    }

    /// Moves y by an increment, closes the joints, and returns the forces there.
    fn moved_by(&mut self, y: &mut [f64], increment: &[f64]) -> Result<Forces, EquilibriumError> {
        let rest = vec![0.0; increment.len()];
        let from = y.to_vec();
        let step = carom_integrate::Displacement { increment, velocity: &rest, impulse: &[] };
        self.place(0.0, &from, step, y)?;
        self.project(0.0, y, 1e-13)?;
        self.stop(y)?;
        self.forces_at_rest(y)
    }

    /// Judges the equilibrium at y by the stiffness of its motions, and adds its modes.
    fn judge(
        &mut self,
        y: &[f64],
        forces: &Forces,
        mut equilibrium: Equilibrium,
        progress: &dyn Progress,
    ) -> Result<Equilibrium, EquilibriumError> {
        self.contacts_mut().hold_all(Tangential::Stuck);
        let mut stability = Stability::at(self, y, forces, progress)?;
        equilibrium.freedoms = stability.tangent.freedoms();
        if equilibrium.freedoms > 0 {
            if let Some(motion) = stability.free() {
                return Err(EquilibriumError::Free { motion: describe(self, &motion) });
            }
            if equilibrium.friction.iter().any(|contact| contact.slides) {
                self.hold_by_friction(&equilibrium.friction);
                stability = Stability::at(self, y, forces, progress)?;
            }
            equilibrium.unstable = stability.unstable().map(|motion| describe(self, &motion));
            let damping = stability.tangent.damping(self, y, &forces.multipliers, progress)?;
            self.set_state(y)?;
            equilibrium.modes = modes::modes(self, &stability.tangent, &damping);
        }
        self.contacts_mut().hold_all(Tangential::Coulomb);
        self.forces_at_rest(y)?;
        Ok(equilibrium)
    }

    /// Forces and multipliers at a state at rest.
    fn forces_at_rest(&mut self, y: &[f64]) -> Result<Forces, EquilibriumError> {
        let mut rate = vec![0.0; y.len()];
        self.rate_with(0.0, y, None, &mut rate)?;
        let mut left = vec![0.0; self.velocities()];
        self.pull_back(y, &rate, &mut left);
        let size = self.size_of_bodies();
        let as_force = |(k, force): (usize, &f64)| force.abs() * self.unit_of(k, size) / size;
        let largest = left.iter().enumerate().map(as_force).fold(0.0, f64::max);
        let acting = self.acting_forces(y);
        let relative = if largest > 0.0 { largest / acting.max(f64::MIN_POSITIVE) } else { 0.0 };
        Ok(Forces { left, relative, multipliers: self.joints().multipliers().to_vec() })
    }
}

/// Largest component relative to its unit.
fn longest_of(motion: &DVector<f64>, units: &[f64]) -> f64 {
    motion.iter().zip(units).map(|(x, unit)| (x / unit).abs()).fold(0.0, f64::max)
}

/// The direction in which forces that are left over move the bodies.
fn tangent_of_forces(tangent: &Tangent, forces: &Forces) -> Vec<f64> {
    let along = tangent.motions.tr_mul(&DVector::from_column_slice(&forces.left));
    (&tangent.motions * along).as_slice().to_vec()
}
