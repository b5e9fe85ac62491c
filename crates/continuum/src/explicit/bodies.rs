//! All bodies of a run: deformable ones, and the system of rigid ones.

use carom_fem::internal_force::SweepError;
use nalgebra::Vector3;

use super::deformable::Deformable;
use super::flexible::Flexible;
use super::problem::{BodyKind, Problem};
use super::reduced::Reduced;
use super::rigid::RigidBodies;
use super::which::Which;
use super::{SetupError, StepError};

/// The bodies of a problem.
pub(super) struct Bodies {
    /// Bodies with points, unreduced and reduced.
    pub(super) flexible: Vec<Deformable>,
    pub(super) rigid: Option<RigidBodies>,
    /// Kind of each body of the problem, and its number in that kind.
    pub(super) which: Vec<Which>,
    pub(super) gravity: Vector3<f64>,
}

impl Bodies {
    /// The bodies at their start. Rigid bodies move back by half a step in [`Bodies::start`], once its length
    /// is known.
    ///
    /// * `end_time` — time at which supports reach their displacements \[s\]
    pub(super) fn new(problem: &Problem, end_time: f64) -> Result<Self, SetupError> {
        let (mut flexible, mut which, mut n_rigid) = (Vec::new(), Vec::new(), 0);
        for (number, spec) in problem.bodies.iter().enumerate() {
            match &spec.kind {
                BodyKind::Deformable { laws, rule, viscosity } => {
                    which.push(Which::Flexible(flexible.len()));
                    let whole = Flexible::new(problem, number, (laws, *rule, *viscosity), end_time)?;
                    flexible.push(Deformable::Whole(Box::new(whole)));
                }
                BodyKind::Reduced(body) => {
                    which.push(Which::Flexible(flexible.len()));
                    let reduced = Reduced::new(problem, number, body)?;
                    flexible.push(Deformable::Reduced(Box::new(reduced)));
                }
                BodyKind::Rigid(_) => {
                    which.push(Which::Rigid(n_rigid));
                    n_rigid += 1;
                }
            }
        }
        let rigid = if n_rigid > 0 { Some(RigidBodies::new(problem, &which)?) } else { None };
        Ok(Self { flexible, rigid, which, gravity: Vector3::from(problem.gravity) })
    }

    /// The number of a body in the problem.
    pub(super) fn number(&self, which: Which) -> usize {
        match (which, &self.rigid) {
            (Which::Flexible(k), _) => self.flexible[k].number(),
            (Which::Rigid(k), Some(rigid)) => rigid.numbers[k],
            (Which::Rigid(_), None) => unreachable!("a rigid body is part of the rigid system"),
        }
    }

    /// Energy of strains that are round-off, Σ m c² (2⁻⁵²)², c the velocity of pressure waves \[J\]: bodies
    /// at rest may have as much.
    pub(super) fn round_off(&self) -> f64 {
        let whole = self.flexible.iter().filter_map(Deformable::whole);
        let energy = |body: &Flexible| body.mass.iter().sum::<f64>() * body.largest_wave_speed().powi(2);
        f64::EPSILON * f64::EPSILON * whole.map(energy).sum::<f64>()
    }

    /// Adds mass to cells whose critical step is smaller than a wanted one.
    ///
    /// * `critical` — the wanted one \[s\]
    ///
    /// # Errors
    ///
    /// The name of the body whose cells have no frequencies.
    pub(super) fn add_mass(&mut self, problem: &Problem, critical: f64) -> Result<(), (String, SweepError)> {
        for body in self.flexible.iter_mut().filter_map(Deformable::whole_mut) {
            let placement = &problem.bodies[body.number].placement;
            body.add_mass(critical, placement).map_err(|source| (body.name.clone(), source))?;
        }
        Ok(())
    }

    /// Sets the velocities at t_{−1/2}, so that the first step is like all others.
    pub(super) fn start(&mut self, dt: f64) -> Result<(), SetupError> {
        for body in &mut self.flexible {
            body.start(dt, &self.gravity)?;
        }
        match &mut self.rigid {
            Some(rigid) => rigid.start(dt, &self.gravity),
            None => Ok(()),
        }
    }

    /// Forces at t_n.
    ///
    /// * `behind` — length of the step before t_n \[s\]
    pub(super) fn compute_forces(&mut self, time: f64, behind: f64, step: u64) -> Result<(), StepError> {
        for body in &mut self.flexible {
            body.compute_forces(time, behind, step)?;
        }
        Ok(())
    }

    /// Velocities at t_{n+1/2} without contact.
    ///
    /// * `dt_mean` — dt̃, from t_{n−1/2} to t_{n+1/2} \[s\]
    /// * `dt` — from t_n to t_{n+1} \[s\]
    pub(super) fn predict(&mut self, time: f64, dt_mean: f64, dt: f64) -> Result<(), StepError> {
        for body in &mut self.flexible {
            body.predict(time, dt_mean, &self.gravity)?;
        }
        if let Some(rigid) = &mut self.rigid {
            rigid.load(time);
            rigid.predict(time, dt_mean, dt)?;
        }
        Ok(())
    }

    /// Positions at t_{n+1} from velocities at t_{n+1/2}, which become the previous velocities.
    pub(super) fn advance(&mut self, time: f64, dt: f64, dt_mean: f64) -> Result<(), StepError> {
        self.flexible.iter_mut().try_for_each(|body| body.advance(time, dt, dt_mean))
    }

    /// Velocities at t_{n+1/2} of reduced bodies with all forces on their points.
    pub(super) fn settle(&mut self, time: f64) -> Result<(), StepError> {
        self.flexible.iter_mut().filter_map(Deformable::reduced_mut).try_for_each(|body| body.settle(time))
    }
}
