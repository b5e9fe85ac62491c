//! Joints that are open at the start are closed by motions of the bodies as they are, before any body is
//! deformed for them.
//!
//! The steps are those of `project` without the modal columns of G: a hinge that was placed a little off
//! turns and shifts its bodies, it does not bend them. Deformation costs little in the metric of the masses,
//! and stores energy that nobody meant. What rigid motions cannot close, as a clamped bar that is too long,
//! is left to deformation.

use carom_dynamics::rotation;

use super::project::{DRIFT, ROUND_OFF};
use super::row::Row;
use crate::body::Body;
use crate::kinetics::{Kinetics, RigidMassFactor, Velocities};
use crate::layout::{put, quaternion, vector};
use crate::system::System;
use crate::system_error::RateError;

const MAX_STEPS: usize = 60;

impl System {
    /// Moves bodies until their joints close at t = 0, and changes their velocities, which go with the
    /// bodies, until the joints allow them. Shapes and their rates stay. Where all fits already, or rigid
    /// motions lead nowhere, y stays as it is to the bit.
    ///
    /// # Errors
    ///
    /// [`RateError`] if y cannot be evaluated.
    pub(super) fn close_rigidly(&mut self, y: &mut [f64]) -> Result<(), RateError> {
        self.set_state(y)?;
        self.set_joints(0.0, y);
        let velocities: Vec<_> = self.kinetics.iter().map(|kinetics| kinetics.velocities.clone()).collect();
        if self.constraints.is_empty() || self.fits() {
            return Ok(());
        }
        let rows = self.constraints.rows.clone();
        let given = y.to_vec();
        // Shapes stay, and with them the masses in body axes.
        self.constraints.rigid_masses = Some(self.rigid_masses()?);
        let closed = self.move_bodies(y, &rows).and_then(|()| self.change_velocities(y, velocities));
        self.constraints.rigid_masses = None;
        self.constraints.set_rows(rows, &self.bodies);
        if closed.is_none() {
            y.copy_from_slice(&given);
        }
        Ok(())
    }

    /// Factors of the masses of all bodies that are not held.
    fn rigid_masses(&self) -> Result<Vec<Option<RigidMassFactor>>, RateError> {
        let of = |(body, kinetics): (&Body, &Kinetics)| {
            let factor = || kinetics.rigid_mass_factor(&body.frame);
            let failed = |source| RateError::Mass { body: body.name.clone(), source };
            (!body.fixed).then(factor).transpose().map_err(failed)
        };
        self.bodies.iter().zip(&self.kinetics).map(of).collect()
    }

    /// Whether positions and velocities are those of the joints, at the state that was set last.
    fn fits(&mut self) -> bool {
        let (largest, speed) = self.constraints.set_rates();
        self.constraints.violation(self.constraints.size()).1 <= DRIFT && largest <= DRIFT * speed
    }

    /// Newton's method over the rigid motions; none if it does not close all `rows`.
    fn move_bodies(&mut self, y: &mut [f64], rows: &[(usize, Row)]) -> Option<()> {
        for _ in 0..MAX_STEPS {
            // What repeats other rows here may not do so elsewhere, and must hold in the end.
            self.constraints.set_rows(rows.to_vec(), &self.bodies);
            self.set_state(y).ok()?;
            self.set_joints(0.0, y);
            let all = self.constraints.violation(self.constraints.size()).1;
            self.factorise_rigid(y)?;
            let independent = self.constraints.violation(self.constraints.size()).1;
            if all <= ROUND_OFF || independent <= ROUND_OFF {
                return (all <= DRIFT).then_some(());
            }
            self.close(y);
        }
        None
    }

    /// Brings the velocities z of all bodies to the joints and writes their momenta.
    fn change_velocities(&mut self, y: &mut [f64], mut z: Vec<Velocities>) -> Option<()> {
        self.put_momenta(y, &z);
        // A second time for round-off.
        for _ in 0..2 {
            self.factorise_rigid(y)?;
            self.constraints.set_rates();
            self.constraints.solve();
            self.constraints.changes(|body, v, omega, _, factor| {
                z[body].v += factor * v;
                z[body].omega += factor * omega;
            });
            self.put_momenta(y, &z);
        }
        Some(())
    }

    /// The factor at y, without the rows that others repeat as long as bodies keep their shapes.
    fn factorise_rigid(&mut self, y: &[f64]) -> Option<()> {
        self.set_state(y).ok()?;
        self.set_joints(0.0, y);
        while let Err(dependent) = self.constraints.factorise(&self.bodies, &self.kinetics) {
            let mut rows = self.constraints.rows.clone();
            rows.remove(dependent.row);
            self.constraints.set_rows(rows, &self.bodies);
            self.set_joints(0.0, y);
        }
        Some(())
    }

    /// Momenta of the velocities z at the positions in y, for which [`System::set_state`] was called.
    fn put_momenta(&self, y: &mut [f64], z: &[Velocities]) {
        let Self { bodies, layout, kinetics, .. } = self;
        for (i, (body, z)) in bodies.iter().zip(z).enumerate() {
            let modal = layout.modal_momentum(i);
            let (linear, angular) = kinetics[i].momenta(&body.frame, z, &mut y[modal..modal + body.frame.n]);
            if body.fixed {
                continue;
            }
            let a = rotation::matrix(&quaternion(y, layout.quaternion(i)));
            let momentum = a * linear;
            let moment = vector(y, layout.position(i)).cross(&momentum);
            put(y, layout.momentum(i), &momentum);
            put(y, layout.ang_momentum(i), &(a * angular + moment));
        }
    }
}
