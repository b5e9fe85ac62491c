//! Projection to the joints: positions by Newton's method, then momenta, both by the least change in the
//! metric of the masses.
//!
//! ```text
//! δ = −M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ g      r ← r + A δ_v,  A ← A Exp(δ_ω),  q ← q + δ_q
//! M z ← M z − Gᵀ (G M⁻¹ Gᵀ)⁻¹ G z
//! ```
//!
//! Momenta change by impulses of the joints alone, so that a system that is free in space keeps P and L.
//! Impulses of joints to the ground are external, and a held body passes its impulses on: both enter the
//! integrals of the state.

use carom_dynamics::rotation;

use super::Constraints;
use super::reactions::SMALLEST_PIVOT;
use super::row::Row;
use super::skyline::Dependent;
use crate::bodies::Bodies;
use crate::layout::{add, put, quaternion, vector};
use crate::stall::likely_cause;
use crate::system_error::RateError;

/// Violation of joints below which no projection is made, relative to the sizes of the system: below the
/// error of an integrator.
pub(crate) const DRIFT: f64 = 1e-10;

/// Violation that is left at a singular position.
const SINGULAR_DRIFT: f64 = 1e-7;

/// Violation at which Newton's method ends.
pub(super) const ROUND_OFF: f64 = 1e-13;

/// Violation from which on no pivot is raised: a singular position on the way of Newton's method from so far
/// off is one of its iterates alone, and raised pivots would shorten its steps.
const NEAR: f64 = 1e-2;

const MAX_ITERATIONS: usize = 40;

/// Errors from projecting positions or velocities to the joints.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The state cannot be evaluated.
    #[error(transparent)]
    State(#[from] RateError),
    /// Newton's method does not converge.
    #[error(
        "joint `{joint}` cannot be closed: {} of {violation:.3e} remains; {}",
        if *is_length { "a gap in metres" } else { "a cosine between its axes, or an angle in radians," },
        remedy(singular.as_deref())
    )]
    Open {
        /// Name of the worst joint.
        joint: String,
        /// The remaining violation.
        violation: f64,
        /// True for a length.
        is_length: bool,
        /// The joint whose equations depend on those of the others there.
        singular: Option<String>,
    },
}

fn remedy(singular: Option<&str>) -> String {
    match singular {
        Some(joint) => likely_cause(Some(joint), false),
        None => "check its ends, its axes and the positions of the bodies".to_owned(),
    }
}

/// Outcome of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Projection {
    /// Largest displacement of the ends of joints \[m\].
    pub(crate) moved: f64,
    /// True if the state was changed.
    pub(crate) changed: bool,
}

impl Constraints {
    /// Brings y to the joints as they are at `time`, if it is further from them than `tolerance` (relative to
    /// the sizes of the system).
    ///
    /// # Errors
    ///
    /// [`ProjectError`]; y may then have changed.
    pub(crate) fn project(
        &mut self,
        bodies: &mut Bodies,
        time: f64,
        y: &mut [f64],
        tolerance: f64,
    ) -> Result<Projection, ProjectError> {
        let mut projection = Projection::default();
        if self.is_empty() {
            return Ok(projection);
        }
        self.evaluate(bodies, time, y)?;
        let size = self.size();
        let mut worst = self.violation(size);
        if worst.1 > tolerance {
            let mut iterations = 0;
            while worst.1 > ROUND_OFF {
                iterations += 1;
                if iterations > MAX_ITERATIONS || !worst.1.is_finite() {
                    return Err(self.open(worst.0));
                }
                projection.moved += self.close(bodies, y);
                projection.changed = true;
                self.evaluate(bodies, time, y)?;
                let next = self.violation(size);
                // Round-off: no better.
                let is_best = next.1 >= worst.1 && next.1 < tolerance;
                // At a singular position the joints cannot be closed; behind it they are.
                let is_singular =
                    self.singular_here().is_some() && next.1 < SINGULAR_DRIFT && next.1 > 0.5 * worst.1;
                if is_best || is_singular {
                    break;
                }
                worst = next;
            }
        }
        projection.changed |= self.project_momenta(bodies, time, y, tolerance)?;
        Ok(projection)
    }

    /// Takes the momenta that joints do not allow out of y, at which the joints were evaluated; true if there
    /// were any.
    fn project_momenta(
        &mut self,
        bodies: &mut Bodies,
        time: f64,
        y: &mut [f64],
        tolerance: f64,
    ) -> Result<bool, ProjectError> {
        // A second time for round-off, where rates are large.
        for pass in 0..2 {
            let (largest, speed) = self.set_rates();
            let is_off = largest > tolerance * speed;
            if !is_off || (pass > 0 && largest <= ROUND_OFF * speed) {
                return Ok(pass > 0);
            }
            self.solve();
            let [impulse, ang_impulse] = self.add_impulses(bodies, y);
            let layout = bodies.layout();
            add(y, layout.external_impulse(), &impulse);
            add(y, layout.external_ang_impulse(), &ang_impulse);
            // Held bodies do not move; their impulses are kept as momenta and given back.
            for (i, _) in bodies.all().iter().enumerate().filter(|(_, body)| body.fixed) {
                add(y, layout.momentum(i), &self.impulses[i].force);
                add(y, layout.ang_momentum(i), &self.impulses[i].moment);
            }
            self.evaluate(bodies, time, y)?;
        }
        Ok(true)
    }

    /// One step of Newton's method for the positions; returns the largest displacement of an end.
    pub(super) fn close(&mut self, bodies: &Bodies, y: &mut [f64]) -> f64 {
        self.set_values();
        self.solve();
        let layout = bodies.layout();
        let mut largest = 0.0_f64;
        self.changes(|i, v, omega, modal, factor| {
            let step = factor * (v.norm() + omega.norm() * bodies.gyration_radius(i));
            largest = largest.max(step.abs());
            if !bodies.all()[i].fixed {
                let r = layout.position(i);
                let position = vector(y, r) + bodies.pose(i).rotation * (factor * v);
                put(y, r, &position);
                let b = layout.quaternion(i);
                let mut turned =
                    rotation::product(&quaternion(y, b), &rotation::from_vector(&(factor * omega)));
                rotation::normalise(&mut turned);
                y[b..b + 4].copy_from_slice(&turned);
            }
            let q = layout.modal(i);
            for (y, x) in y[q..q + modal.len()].iter_mut().zip(modal) {
                *y += factor * x;
            }
        });
        largest
    }

    fn open(&self, row: usize) -> ProjectError {
        ProjectError::Open {
            joint: self.name_of(self.rows[row]).to_owned(),
            violation: self.now[row].value.abs(),
            is_length: self.rows[row].1.is_length(),
            singular: self.singular_here().map(str::to_owned),
        }
    }

    /// Sets poses, velocities, rows and the factor of G M⁻¹ Gᵀ to those at y.
    pub(crate) fn evaluate(&mut self, bodies: &mut Bodies, time: f64, y: &[f64]) -> Result<(), RateError> {
        bodies.set_state(y)?;
        self.factorise_at(bodies, time, y)
    }

    /// Rows and factor at y, to which the bodies were set.
    pub(super) fn factorise_at(&mut self, bodies: &Bodies, time: f64, y: &[f64]) -> Result<(), RateError> {
        self.set_state(bodies.at(time, y));
        let is_near = self.violation(self.size()).1 < NEAR;
        let done =
            if is_near { self.factorise(bodies) } else { self.factorise_above(SMALLEST_PIVOT, bodies) };
        done.map_err(|dependent| self.locked(dependent))
    }

    pub(super) fn locked(&self, dependent: Dependent) -> RateError {
        RateError::Locked { joint: self.name_of(self.rows[dependent.row]).to_owned() }
    }

    /// The joint whose equations nearly depend on those before it at y: whose pivot is below `part` of that
    /// at the start. The factor is lost.
    pub(crate) fn singular_joint(
        &mut self,
        bodies: &mut Bodies,
        time: f64,
        y: &[f64],
        part: f64,
    ) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        bodies.set_state(y).ok()?;
        self.set_state(bodies.at(time, y));
        let dependent = self.factorise_above_part(part, bodies).err()?;
        Some(self.name_of(self.rows[dependent.row]).to_owned())
    }

    /// The row that is violated most, and by how much, lengths relative to the size.
    pub(super) fn violation(&self, size: f64) -> (usize, f64) {
        let of = |(number, &(_, row)): (usize, &(usize, Row))| {
            let scale = if row.is_length() { size } else { 1.0 };
            (number, self.now[number].value.abs() / scale)
        };
        let all = self.rows.iter().enumerate().map(of);
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    fn set_values(&mut self) {
        for (multiplier, now) in self.multipliers.iter_mut().zip(&self.now) {
            *multiplier = now.value;
        }
    }

    /// Puts ġ into the multipliers; returns its largest and the speed it is relative to, lengths and angles
    /// made alike by the size.
    pub(super) fn set_rates(&mut self) -> (f64, f64) {
        let size = self.size();
        let (mut largest, mut speed) = (0.0_f64, f64::MIN_POSITIVE);
        for (number, (_, row)) in self.rows.iter().enumerate() {
            let rate = self.now[number].rate(&self.places);
            self.multipliers[number] = rate;
            largest = largest.max(rate.abs() * if row.is_length() { 1.0 } else { size });
            for place in self.now[number].parts.iter().flat_map(|part| &self.places[part.joint]) {
                speed = speed.max(place.velocity.norm()).max(place.omega.norm() * size);
            }
        }
        (largest, speed)
    }
}
