//! Closes joints that are open at the start by rigid motions of the bodies, before any body is deformed for
//! them.
//!
//! The steps are those of `project` without the modal columns of G: a hinge that was placed a little off
//! turns and shifts its bodies and does not bend them. Deformation costs little in the metric of the masses,
//! but stores unwanted energy. Joints that rigid motions cannot close, as those of a clamped bar that is too
//! long, are left to deformation.

use carom_dynamics::rotation;

use super::Constraints;
use super::project::{DRIFT, ROUND_OFF};
use super::reactions::SMALLEST_PIVOT;
use super::row::Row;
use crate::bodies::Bodies;
use crate::body::Body;
use crate::kinetics::RigidMassInverse;
use crate::layout::{put, quaternion, vector};
use crate::system_error::RateError;
use crate::velocities::Velocities;

const MAX_STEPS: usize = 60;

impl Constraints {
    /// Moves bodies until their joints close at t = 0, and changes their velocities, which go with the
    /// bodies, until the joints allow them. Shapes and their rates stay. Where all fits already, or rigid
    /// motions lead nowhere, y stays as it is to the bit.
    ///
    /// # Errors
    ///
    /// [`RateError`] if y cannot be evaluated.
    pub(super) fn close_rigidly(&mut self, bodies: &mut Bodies, y: &mut [f64]) -> Result<(), RateError> {
        bodies.set_state(y)?;
        self.set_state(bodies.at(0.0, y));
        let velocities: Vec<_> = (0..bodies.all().len()).map(|i| bodies.velocities(i).clone()).collect();
        if self.is_empty() || self.fits() {
            return Ok(());
        }
        let rows = self.rows.clone();
        let given = y.to_vec();
        // Shapes stay, and with them the masses in body axes.
        self.rigid_masses = Some(rigid_masses(bodies)?);
        let closed =
            self.move_bodies(bodies, y, &rows).and_then(|()| self.change_velocities(bodies, y, velocities));
        self.rigid_masses = None;
        self.set_rows(rows, bodies.all());
        if closed.is_none() {
            y.copy_from_slice(&given);
        }
        Ok(())
    }

    /// Whether positions and velocities are those of the joints, at the state that was set last.
    fn fits(&mut self) -> bool {
        let (largest, speed) = self.set_rates();
        self.violation(self.size()).1 <= DRIFT && largest <= DRIFT * speed
    }

    /// Newton's method over the rigid motions; none if it does not close all `rows`.
    fn move_bodies(&mut self, bodies: &mut Bodies, y: &mut [f64], rows: &[(usize, Row)]) -> Option<()> {
        for _ in 0..MAX_STEPS {
            // A row that repeats others here may not do so elsewhere, and must hold in the end.
            self.set_rows(rows.to_vec(), bodies.all());
            bodies.set_state(y).ok()?;
            self.set_state(bodies.at(0.0, y));
            let all = self.violation(self.size()).1;
            self.factorise_rigid(bodies, y)?;
            let independent = self.violation(self.size()).1;
            if all <= ROUND_OFF || independent <= ROUND_OFF {
                return (all <= DRIFT).then_some(());
            }
            self.close(bodies, y);
        }
        None
    }

    /// Brings the velocities z of all bodies to the joints and writes their momenta.
    fn change_velocities(
        &mut self,
        bodies: &mut Bodies,
        y: &mut [f64],
        mut z: Vec<Velocities>,
    ) -> Option<()> {
        put_momenta(bodies, y, &z);
        // A second time for round-off.
        for _ in 0..2 {
            self.factorise_rigid(bodies, y)?;
            self.set_rates();
            self.solve();
            self.changes(|body, v, omega, _, factor| {
                z[body].v += factor * v;
                z[body].omega += factor * omega;
            });
            put_momenta(bodies, y, &z);
        }
        Some(())
    }

    /// The factor at y, without the rows that others repeat as long as bodies keep their shapes.
    fn factorise_rigid(&mut self, bodies: &mut Bodies, y: &[f64]) -> Option<()> {
        bodies.set_state(y).ok()?;
        self.set_state(bodies.at(0.0, y));
        while let Err(dependent) = self.factorise_above(SMALLEST_PIVOT, bodies) {
            let mut rows = self.rows.clone();
            rows.remove(dependent.row);
            self.set_rows(rows, bodies.all());
            self.set_state(bodies.at(0.0, y));
        }
        Some(())
    }
}

/// Inverse masses of all bodies that are not held.
fn rigid_masses(bodies: &Bodies) -> Result<Vec<Option<RigidMassInverse>>, RateError> {
    let of = |(i, body): (usize, &Body)| {
        let inverse = || bodies.kinetics(i).rigid_mass_inverse(&body.frame);
        let failed = |source| RateError::Mass { body: body.name.clone(), source };
        (!body.fixed).then(inverse).transpose().map_err(failed)
    };
    bodies.all().iter().enumerate().map(of).collect()
}

/// Writes the momenta of velocities z at the positions in y, to which the bodies were set.
fn put_momenta(bodies: &Bodies, y: &mut [f64], z: &[Velocities]) {
    let layout = bodies.layout();
    for (i, (body, z)) in bodies.all().iter().zip(z).enumerate() {
        let modal = layout.modal_momentum(i);
        let momenta = &mut y[modal..modal + body.frame.n];
        let (linear, angular) = bodies.kinetics(i).momenta(&body.frame, z, momenta);
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
