//! The bodies of a system at a state: poses, mass matrices and velocities; accelerations and rates under
//! given forces.
//!
//! [`Bodies`] keeps poses, mass matrices and velocities of the state y that was set last. Joints, force
//! elements and contacts read it through [`BodiesAt`] and [`Motion`] and never write it.
//!
//! * `aside`: states of output, between which that of a run stays
//! * `carried`: derivatives of momenta by positions
//! * `increments`: positions moved by increments of the tangent space, momenta of given velocities
//! * `energy`: energies of one body

mod aside;
mod carried;
mod energy;
mod increments;

use carom_dynamics::{Placement, Pose, rotation};
use nalgebra::{Matrix3, Vector3};

use crate::body::Body;
use crate::contact::{BodyForces, Motion};
use crate::kinetics::Kinetics;
use crate::layout::{Layout, put, quaternion, vector};
use crate::system_error::{RateError, SystemError};
use crate::velocities::Velocities;
use aside::Aside;
use increments::Directions;

/// The bodies with their poses, mass matrices and velocities at the state that was set last.
#[derive(Debug)]
pub(crate) struct Bodies {
    all: Vec<Body>,
    layout: Layout,
    /// Where velocities lie in increments.
    directions: Directions,
    poses: Vec<Pose>,
    /// Positions of y that poses and mass matrices belong to, body by body, and how often they have changed.
    placed: Vec<f64>,
    moves: u64,
    /// Largest radius of gyration of each \[m\].
    gyration_radii: Vec<f64>,
    kinetics: Vec<Kinetics>,
    accelerations: Vec<Accelerations>,
    /// Generalised forces on the modes of one body.
    modal_forces: Vec<f64>,
    modal_inertia: Vec<f64>,
    /// None before the first output.
    aside: Option<Aside>,
}

/// a₀, ω̇, q̈ of a body.
#[derive(Debug, Clone)]
pub(crate) struct Accelerations {
    pub(crate) translation: Vector3<f64>,
    pub(crate) rotation: Vector3<f64>,
    pub(crate) modal: Vec<f64>,
}

/// The bodies at a state y, which was set before, and a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodiesAt<'a> {
    bodies: &'a Bodies,
    y: &'a [f64],
    time: f64,
}

impl<'a> BodiesAt<'a> {
    /// Time \[s\].
    pub(crate) fn time(&self) -> f64 {
        self.time
    }

    /// All bodies.
    pub(crate) fn all(&self) -> &'a [Body] {
        &self.bodies.all
    }

    /// A number that differs from those of all earlier positions.
    pub(crate) fn moves(&self) -> u64 {
        self.bodies.moves
    }

    /// Pose of a body frame.
    pub(crate) fn pose(&self, body: usize) -> &'a Pose {
        &self.bodies.poses[body]
    }

    /// Mass matrix and velocities of a body.
    pub(crate) fn kinetics(&self, body: usize) -> &'a Kinetics {
        &self.bodies.kinetics[body]
    }

    /// Coordinates of the dynamic modes of a body.
    pub(crate) fn modal(&self, body: usize) -> &'a [f64] {
        let start = self.bodies.layout.modal(body);
        &self.y[start..start + self.bodies.layout.modes(body)]
    }
}

impl Bodies {
    /// Bodies of a system with the impulses of this number of contact pairs, at no state yet.
    pub(crate) fn new(all: Vec<Body>, slots: usize) -> Self {
        let modes: Vec<usize> = all.iter().map(|body| body.frame.n).collect();
        let layout = Layout::new(modes.clone(), slots);
        let zero = |&n: &usize| Accelerations {
            translation: Vector3::zeros(),
            rotation: Vector3::zeros(),
            modal: vec![0.0; n],
        };
        Self {
            directions: Directions::new(&all, &layout),
            gyration_radii: all.iter().map(|body| body.frame.gyration_radius()).collect(),
            poses: vec![Pose { position: Vector3::zeros(), rotation: Matrix3::identity() }; all.len()],
            placed: vec![f64::NAN; modes.iter().map(|n| 7 + n).sum()],
            moves: 0,
            kinetics: modes.iter().map(|&n| Kinetics::new(n)).collect(),
            accelerations: modes.iter().map(zero).collect(),
            modal_forces: vec![0.0; modes.iter().copied().max().unwrap_or(0)],
            modal_inertia: vec![0.0; modes.iter().copied().max().unwrap_or(0)],
            aside: None,
            layout,
            all,
        }
    }

    /// All bodies.
    pub(crate) fn all(&self) -> &[Body] {
        &self.all
    }

    /// Where each quantity lies in y.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Largest radius of gyration of a body \[m\].
    pub(crate) fn gyration_radius(&self, body: usize) -> f64 {
        self.gyration_radii[body]
    }

    /// Pose of a body frame.
    pub(crate) fn pose(&self, body: usize) -> &Pose {
        &self.poses[body]
    }

    /// Poses of all body frames.
    pub(crate) fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Mass matrix and velocities of a body.
    pub(crate) fn kinetics(&self, body: usize) -> &Kinetics {
        &self.kinetics[body]
    }

    /// Velocities of a body.
    pub(crate) fn velocities(&self, body: usize) -> &Velocities {
        &self.kinetics[body].velocities
    }

    /// [`crate::FloatingFrame::mean_motion`] of a body.
    pub(crate) fn mean_motion(&self, body: usize) -> (Vector3<f64>, Vector3<f64>) {
        self.all[body].frame.mean_motion(&self.kinetics[body].velocities)
    }

    /// Coordinates of the dynamic modes of a body in y.
    pub(crate) fn modal_in<'y>(&self, body: usize, y: &'y [f64]) -> &'y [f64] {
        &y[self.layout.modal(body)..self.layout.modal(body) + self.all[body].frame.n]
    }

    /// The view of joints and force elements, at the state y that was set last.
    pub(crate) fn at<'a>(&'a self, time: f64, y: &'a [f64]) -> BodiesAt<'a> {
        BodiesAt { bodies: self, y, time }
    }

    /// The view of contact models, at the state y that was set last.
    pub(crate) fn motion<'a>(&'a self, y: &'a [f64]) -> Motion<'a> {
        Motion { layout: &self.layout, poses: &self.poses, kinetics: &self.kinetics, y }
    }

    /// State vector of bodies placed undeformed.
    pub(crate) fn initial_state(&self, placements: &[Placement]) -> Result<Vec<f64>, SystemError> {
        if placements.len() != self.all.len() {
            return Err(SystemError::Placements { placements: placements.len(), bodies: self.all.len() });
        }
        let layout = &self.layout;
        let mut y = vec![0.0; layout.dim()];
        for (i, (body, placement)) in self.all.iter().zip(placements).enumerate() {
            let state = body.placed(placement);
            let n = body.frame.n;
            put(&mut y, layout.position(i), &state.position);
            y[layout.quaternion(i)..layout.quaternion(i) + 4].copy_from_slice(&state.quaternion);
            y[layout.modal(i)..layout.modal(i) + n].copy_from_slice(&state.modal);
            if !body.fixed {
                put(&mut y, layout.momentum(i), &state.momentum);
                put(&mut y, layout.ang_momentum(i), &state.ang_momentum);
                y[layout.modal_momentum(i)..layout.modal_momentum(i) + n]
                    .copy_from_slice(&state.modal_momentum);
            }
        }
        Ok(y)
    }

    /// Sets poses, mass matrices and velocities to those of y.
    ///
    /// # Errors
    ///
    /// [`RateError::Mass`].
    pub(crate) fn set_state(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.set_positions(y);
        let layout = &self.layout;
        for (i, body) in self.all.iter().enumerate() {
            let n = body.frame.n;
            let Pose { position, rotation: a } = self.poses[i];
            let q = &y[layout.modal(i)..layout.modal(i) + n];
            let p = &y[layout.modal_momentum(i)..layout.modal_momentum(i) + n];
            let kinetics = &mut self.kinetics[i];
            if body.fixed {
                kinetics.solve_fixed(&body.frame, p);
                continue;
            }
            let momentum = vector(y, layout.momentum(i));
            let spin = vector(y, layout.ang_momentum(i)) - position.cross(&momentum);
            kinetics
                .invert(&body.frame, q)
                .map_err(|source| RateError::Mass { body: body.name.clone(), source })?;
            kinetics.solve_free(&body.frame, &a.tr_mul(&momentum), &a.tr_mul(&spin), p);
        }
        Ok(())
    }

    /// Sets (a₀, ω̇, q̈) = M⁻¹ (h − h_ω) of each body under forces, docs/theory/floating-frame.md, eq. (31).
    pub(crate) fn set_accelerations(&mut self, forces: &[BodyForces]) {
        for (i, forces) in forces.iter().enumerate() {
            self.modal_forces[..forces.modal.len()].copy_from_slice(&forces.modal);
            self.accelerate(i, &forces.force, &forces.moment);
        }
    }

    /// Sets the accelerations under the forces that give the momenta of y these rates.
    pub(crate) fn set_accelerations_of_rates(&mut self, rate: &[f64]) {
        for i in 0..self.all.len() {
            let (start, n) = (self.layout.modal_momentum(i), self.all[i].frame.n);
            let modal = &mut self.modal_forces[..n];
            modal.fill(0.0);
            self.kinetics[i].add_kinetic_force(&self.all[i].frame, modal);
            modal.iter_mut().zip(&rate[start..]).for_each(|(force, rate)| *force = rate - *force);
            let force = vector(rate, self.layout.momentum(i));
            let moment = vector(rate, self.layout.ang_momentum(i));
            self.accelerate(i, &force, &moment);
        }
    }

    /// Sets the accelerations of a body under a force, its moment about the inertial origin, and the modal
    /// forces in `modal_forces`.
    fn accelerate(&mut self, i: usize, force: &Vector3<f64>, moment: &Vector3<f64>) {
        let (body, kinetics, pose) = (&self.all[i], &mut self.kinetics[i], &self.poses[i]);
        let (forces, inertial) =
            (&mut self.modal_forces[..body.frame.n], &mut self.modal_inertia[..body.frame.n]);
        let out = &mut self.accelerations[i];
        if body.fixed {
            Kinetics::apply_inverse_modal_mass(&body.frame, forces, &mut out.modal);
            return;
        }
        let (translation, rotation) = kinetics.quadratic_forces(&body.frame, inertial);
        forces.iter_mut().zip(&*inertial).for_each(|(force, h)| *force -= h);
        let moment = moment - pose.position.cross(force);
        let force = pose.rotation.tr_mul(force) - translation;
        let moment = pose.rotation.tr_mul(&moment) - rotation;
        (out.translation, out.rotation) =
            kinetics.apply_inverse_mass(&body.frame, &force, &moment, forces, &mut out.modal);
    }

    /// The accelerations that were set last, body by body.
    pub(crate) fn accelerations(&self) -> &[Accelerations] {
        &self.accelerations
    }

    /// Writes ẏ of the bodies from velocities and forces.
    pub(crate) fn write_rates(&mut self, y: &[f64], forces: &[BodyForces], rate: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.all.iter().enumerate() {
            let n = body.frame.n;
            let kinetics = &mut self.kinetics[i];
            let velocities = &kinetics.velocities;
            put(rate, layout.position(i), &(self.poses[i].rotation * velocities.v));
            let b = layout.quaternion(i);
            rate[b..b + 4].copy_from_slice(&rotation::rate(&quaternion(y, b), &velocities.omega));
            rate[layout.modal(i)..layout.modal(i) + n].copy_from_slice(&velocities.modal);
            put(rate, layout.momentum(i), &forces[i].force);
            put(rate, layout.ang_momentum(i), &forces[i].moment);
            let p = &mut rate[layout.modal_momentum(i)..layout.modal_momentum(i) + n];
            p.copy_from_slice(&forces[i].modal);
            kinetics.add_kinetic_force(&body.frame, p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A force on a free body through its centre of mass; the test needs no system.
    #[test]
    fn a_force_through_the_centre_of_mass_does_not_turn_a_body() {
        let body = Body::rigid("ball", 2.0, Matrix3::from_diagonal_element(0.1), Vector3::zeros()).unwrap();
        let mut bodies = Bodies::new(vec![body], 0);
        let placement = Placement { origin: [1.0, -2.0, 0.5], ..Placement::default() };
        let y = bodies.initial_state(&[placement]).unwrap();
        bodies.set_state(&y).unwrap();
        let mut forces = BodyForces::none(0);
        forces.add_force(&Vector3::new(1.0, -2.0, 0.5), &Vector3::new(0.0, 3.0, -4.0));
        bodies.set_accelerations(&[forces]);
        let found = &bodies.accelerations()[0];
        assert!((found.translation - Vector3::new(0.0, 1.5, -2.0)).norm() < 1e-15, "{found:?}");
        assert!(found.rotation.norm() < 1e-15, "{found:?}");
    }
}
