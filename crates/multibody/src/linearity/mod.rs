//! Watches whether reduced bodies stay within linear theory: small deflections, small rotations, slow
//! turning, small axial forces.
//!
//! | watched | error of linear theory | limit |
//! |---|---|---|
//! | deflection over length δ/L | (δ/L)² of the deflection (cantilever) | 0.1 |
//! | rotation θ against the body's frame \[rad\] | θ²/2 of the displacement | 0.14 |
//! | angular rate over first frequency Ω/ω of the held body | 1.17 (Ω/ω)² of the bending stiffness | 0.09 |
//! | axial force over buckling load ρ | ρ of the stiffness against bending | 0.01 ... 0.5 |
//!
//! Each limit corresponds to an error of 1 %. That of the axial force is 1 % where bodies bend by 10⁻³ of
//! their length and more; for a body that bends less it is 10⁻⁵ L of displacement, and half the buckling load
//! at most (decision 33). ρ is averaged over the radian period of the mode that it stiffens, as a pulse that
//! is short for a mode only gives it ω ∫ ρ dt.
//!
//! * `shape`: the body as a line of sections; `held`: its modes as joints hold it; `axial`: N along it;
//!   `report`: the warnings

mod axial;
mod held;
mod report;
mod shape;

use crate::outcome::RunError;
use crate::stepper::Stepper;
use crate::system::System;
use axial::{Axial, place};
use carom_dynamics::BodyState;
use held::{HELD, HeldModes};
use shape::Shape;

/// Strain beyond which no material is linear. Bodies whose stiffness hardly changes under the axial force at
/// this strain are not watched for axial forces.
const STRAIN: f64 = 0.01;

/// Part of the shortest radian period after which axial forces are evaluated again while nothing touches.
const INTERVAL: f64 = 0.1;

/// Largest value so far, and when.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Peak {
    value: f64,
    time: f64,
}

impl Peak {
    fn take(&mut self, value: f64, time: f64) {
        if value > self.value.abs() {
            *self = Self { value, time };
        }
    }
}

/// A reduced body that is watched.
#[derive(Debug, Clone)]
struct Watched {
    /// Its number in the system.
    body: usize,
    /// True if loads on it have static modes, so that states of frames are over other modes.
    has_static_modes: bool,
    /// True if its model has the geometric stiffness.
    is_stiffened: bool,
    shape: Shape,
    held: HeldModes,
    /// None where no axial force that the material bears would matter, or where its effect is known.
    axial: Option<Axial>,
    /// Inertia about the centre of mass over its largest moment.
    inertia: nalgebra::Matrix3<f64>,
    found: Found,
}

/// The largest values of a body so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Found {
    deflection: Peak,
    bending: Peak,
    rotation: Peak,
    rate: Peak,
    /// The largest |ρ|.
    axial: Peak,
    /// True if that ρ is compression.
    is_compression: bool,
    /// ρ of each held mode, averaged over its radian period.
    mean: [f64; HELD],
}

/// All reduced bodies of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinearityWatch {
    bodies: Vec<Watched>,
    work: Vec<f64>,
    /// Time of the last evaluation of axial forces \[s\].
    last: f64,
    /// Time between two evaluations of axial forces \[s\].
    interval: f64,
}

impl LinearityWatch {
    /// For a system at its initial state, for which [`System::set_state`] was called.
    pub(crate) fn new(system: &mut System, y: &[f64]) -> Self {
        system.set_joints(0.0, y);
        let bodies: Vec<Watched> =
            (0..system.bodies().len()).filter_map(|i| Watched::new(system, i)).collect();
        let rows = bodies.iter().map(|watched| watched.shape.rows()).max().unwrap_or(0);
        let watched = bodies.iter().filter(|watched| watched.axial.is_some());
        let fastest =
            watched.filter_map(|watched| watched.held.omega.first()).fold(0.0_f64, |a, b| a.max(*b));
        let interval = if fastest > 0.0 { INTERVAL / fastest } else { f64::INFINITY };
        Self { bodies, work: vec![0.0; rows], last: 0.0, interval }
    }

    /// Records the end of a step, at which poses, velocities and contact were evaluated.
    pub(crate) fn observe_step(
        &mut self,
        system: &mut System,
        stepper: &mut Stepper,
    ) -> Result<(), RunError> {
        let time = stepper.time();
        self.observe(system, stepper.state(), time);
        let touches = || system.contacts().reactions().any(|(_, reaction)| reaction.normal_force > 0.0);
        if !self.watches_forces() || !self.is_due(time, touches()) {
            return Ok(());
        }
        stepper.evaluate_reactions(system)?;
        self.observe_forces(system, stepper.state(), time);
        Ok(())
    }

    /// Deflection, rotation and rate of all bodies by their dynamic modes.
    fn observe(&mut self, system: &System, y: &[f64], time: f64) {
        for watched in &mut self.bodies {
            let i = watched.body;
            watched.observe_shape(system.states().modal_in(i, y), &mut self.work, time);
            let (_, omega) = system.states().mean_motion(i);
            let is_turning = !watched.is_stiffened && !system.bodies()[i].fixed;
            if let Some(first) = watched.held.omega.first().filter(|_| is_turning) {
                let rate = omega.dot(&(watched.inertia * omega)).max(0.0).sqrt();
                watched.found.rate.take(rate / first, time);
            }
        }
    }

    /// Deflection and rotation by all modes, quasistatic ones included, of a frame. Where loads have static
    /// modes, these and the low modes describe the body's deformation as a whole; every step evaluates them.
    pub(crate) fn observe_frame(&mut self, bodies: &[BodyState], time: f64) {
        for watched in self.bodies.iter_mut().filter(|watched| !watched.has_static_modes) {
            watched.observe_shape(&bodies[watched.body].modal, &mut self.work, time);
        }
    }

    /// True if axial forces are to be evaluated at the end of a step.
    fn is_due(&self, time: f64, touches: bool) -> bool {
        self.interval.is_finite() && (touches || time - self.last >= self.interval)
    }

    /// Axial forces of all bodies at a state at which the forces of the system were evaluated.
    fn observe_forces(&mut self, system: &System, y: &[f64], time: f64) {
        let passed = time - self.last;
        self.last = time;
        let gravity = system.loads().gravity();
        for watched in &mut self.bodies {
            if let Some(axial) = &mut watched.axial {
                axial.clear();
                let (i, shape) = (watched.body, &watched.shape);
                let pose = system.states().pose(i);
                let along = pose.rotation * shape.axes.column(0);
                system.for_forces_on(i, y, time, &mut |point, force| {
                    let point_b = pose.rotation.tr_mul(&(point - pose.position));
                    axial.add(place(shape, &point_b), along.dot(force));
                });
                let (_, omega) = system.states().mean_motion(i);
                let turning = omega.norm_squared() - omega.dot(&shape.axes.column(0)).powi(2);
                axial.balance(turning, along.dot(&gravity));
                watched.take_force(passed, time);
            }
        }
    }

    /// Whether a body is watched for its axial force.
    fn watches_forces(&self) -> bool {
        self.interval.is_finite()
    }
}

impl Watched {
    fn new(system: &System, i: usize) -> Option<Self> {
        let body = &system.bodies()[i];
        let reduced = body.reduced.clone()?;
        let shape = Shape::new(body, &reduced)?;
        let held = HeldModes::new(system, i, &shape).unwrap_or_default();
        let axial = Axial::new(body, &shape, held.holds_end);
        // The largest ρ at the largest strain of linear theory: N = E V/L ε.
        let softest = held.stiffening.iter().map(|s| s.iter().sum::<f64>()).fold(0.0, f64::max);
        let strength = reduced.materials.first().map_or(f64::INFINITY, |material| {
            STRAIN * material.young * body.frame.mass / (material.density * (shape.ends[1] - shape.ends[0]))
        });
        let is_stiffened = reduced.stiffening.is_some();
        let is_known = is_stiffened && !bears_linear_loads(system, i);
        let matters = softest > 0.0 && softest * strength > report::ERROR && !is_known;
        let inertia = body.frame.inertia_com();
        let inertia = inertia / inertia.symmetric_eigenvalues().max();
        let axial = matters.then_some(axial);
        let has_static_modes = body.static_modes().is_some();
        let found = Found::default();
        Some(Self { body: i, has_static_modes, is_stiffened, shape, held, axial, inertia, found })
    }

    fn observe_shape(&mut self, q: &[f64], work: &mut [f64], time: f64) {
        let found = self.shape.deformation(q, &mut work[..self.shape.rows()]);
        self.found.deflection.take(found.deflection, time);
        self.found.bending.take(found.bending, time);
        self.found.rotation.take(found.rotation, time);
    }

    /// ρ of each held mode, averaged since the last look.
    fn take_force(&mut self, passed: f64, time: f64) {
        let Some(axial) = &self.axial else { return };
        for ((mean, omega), stiffening) in
            self.found.mean.iter_mut().zip(&self.held.omega).zip(&self.held.stiffening)
        {
            let now: f64 = stiffening.iter().zip(&axial.force).map(|(s, n)| s * n).sum();
            *mean -= (-omega * passed).exp_m1() * (now - *mean);
            if mean.abs() > self.found.axial.value {
                self.found.axial.take(mean.abs(), time);
                self.found.is_compression = *mean < 0.0;
            }
        }
    }
}

/// True if the model of a body leaves out how some of its forces change its stiffness: forces of contact on a
/// surface without displacement of second order, forces at points without an attachment, and the weight of a
/// fixed body whose model does not have it.
fn bears_linear_loads(system: &System, body: usize) -> bool {
    let contacts = system.contacts();
    let of = &system.bodies()[body];
    let stiffening = of.reduced.as_ref().and_then(|reduced| reduced.stiffening.as_ref());
    let is_known = stiffening.is_some_and(|stiffening| !stiffening.weight.is_empty());
    let weighs = of.fixed && !is_known && system.loads().gravity().norm() > 0.0;
    weighs
        || system.markers_on(body).any(|marker| marker.second_order.is_none())
        || (0..contacts.pairs())
            .any(|pair| contacts.bodies(pair).contains(&body) && !contacts.stiffens(pair, body))
}
