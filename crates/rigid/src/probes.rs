//! Samples of probes at the ends of steps, see [`carom_dynamics::mean_probes`].
//!
//! Place and velocity are those of the end of a step, after its impulses, all of which have acted then.
//! Samples with an interval of their own are at the nearest steps, as frames are.

use carom_dynamics::{
    BodyBalance, MeanProbes, Observer, ObserverError, Probe, ProbeError, ProbePlace, ProbePlaces,
    ProbeQuantity, Probed, ProbedPoint, SampleTime, rotation,
};
use nalgebra::Vector3;

use crate::simulation::Simulation;
use crate::system::System;
use crate::tracking::{ContactPlace, Contacts};

/// The place of a probe in the system.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On {
    Body(usize),
    Point {
        body: usize,
        /// The point in the frame of its body, principal axes \[m\].
        point_b: Vector3<f64>,
        /// Its position at the start \[m\].
        start: Vector3<f64>,
    },
    Joint(usize),
    Contact(ContactPlace),
}

impl Simulation {
    /// The same run with probes, which do not change it. Displacements are relative to the state of the
    /// start, which is the present one. The places of markers have their origin in the centre of mass, in
    /// axes of the source geometry.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] names the probe that does not fit the system.
    pub fn with_probes(mut self, probes: Vec<Probe>) -> Result<Self, ProbeError> {
        let (system, contacts) = (&self.system, &self.contacts);
        let places = ProbePlaces {
            bodies: system.bodies.len(),
            joints: system.n_transmitting(),
            contacts: contacts.numbers().count(),
        };
        let place = |number: usize, probe: &Probe| place(number, probe, system, contacts);
        self.probes = MeanProbes::new(probes, places, system.time_step(), place)?;
        Ok(self)
    }

    /// Takes the impulses of a step, and hands over the samples that are due at its end; before the first
    /// step, those of the start.
    pub(crate) fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let Self { system, contacts, probes, .. } = self;
        let (steps, dt) = (system.steps(), system.time_step());
        let due = |count: u64, every: f64| {
            ((count as f64 * every / dt).round() as u64 == steps).then_some(count + 1)
        };
        let at = SampleTime { time: system.time(), share: 1.0, due: &due };
        probes.step(&mut OfStep { system, contacts }, at, observer)
    }
}

/// The place of a probe.
fn place(number: usize, probe: &Probe, system: &System, contacts: &Contacts) -> Result<On, ProbeError> {
    if probe.has_stress() {
        return Err(ProbeError::NoStress { probe: number });
    }
    if probe.has_section() {
        return Err(ProbeError::NoSection { probe: number });
    }
    Ok(match &probe.place {
        ProbePlace::Body(body) => On::Body(*body),
        ProbePlace::Point { body, marker, .. } => {
            let point_b = system.bodies[*body].vector_b(&marker.position_b.into());
            On::Point { body: *body, point_b, start: position(system, *body, &point_b) }
        }
        ProbePlace::Points { body, .. } => {
            return Err(ProbeError::WrongPoint { probe: number, body: *body });
        }
        ProbePlace::Joint(joint) => On::Joint(*joint),
        ProbePlace::Contact(contact) => {
            let place = contacts.place(*contact);
            if place.is_crowd() && probe.quantities.contains(&ProbeQuantity::Force) {
                return Err(ProbeError::ForceOfAll { probe: number });
            }
            On::Contact(place)
        }
        ProbePlace::ContactOfAll { contact, bodies } => {
            let (kind, index) = ("contacts of all bodies", *contact);
            let place = contacts.place_of_two(*contact, *bodies);
            On::Contact(place.ok_or(ProbeError::NoPlace { probe: number, kind, index, count: 0 })?)
        }
    })
}

/// The system at the end of a step.
struct OfStep<'a> {
    system: &'a System,
    contacts: &'a Contacts,
}

impl Probed<On> for OfStep<'_> {
    fn point(&self, place: &On) -> ProbedPoint {
        let On::Point { body, point_b, start } = place else { unreachable!("a probe at a point has one") };
        let (spec, state) = (&self.system.bodies[*body], &self.system.states()[*body]);
        let arm = rotation::matrix(&state.quaternion) * point_b;
        let omega = spec.angular_velocity(state);
        let position = state.position + arm;
        ProbedPoint {
            position,
            displacement: position - start,
            velocity: state.momentum / spec.mass + omega.cross(&arm),
            angular_velocity: omega,
            rotation: spec.reported(state).pose().rotation,
        }
    }

    /// A rigid body has no elastic energy.
    fn balance(&mut self, place: &On, _: bool) -> BodyBalance {
        let On::Body(body) = *place else { return BodyBalance::default() };
        let (spec, state) = (&self.system.bodies[body], &self.system.states()[body]);
        BodyBalance {
            e_kin: spec.kinetic(state),
            e_el: 0.0,
            e_pot: -spec.mass * self.system.gravity.dot(&state.position),
            momentum: state.momentum.into(),
            ang_momentum: state.ang_momentum().into(),
        }
    }

    fn gap(&self, place: &On) -> f64 {
        match place {
            On::Contact(place) => self.contacts.gap_of_step(self.system, *place),
            _ => f64::INFINITY,
        }
    }

    fn impulses(&self, place: &On) -> [Vector3<f64>; 2] {
        match *place {
            On::Body(body) => [self.system.contact_impulse_on(body), Vector3::zeros()],
            On::Point { .. } => [Vector3::zeros(); 2],
            On::Joint(joint) => self.system.joint_impulses[joint].wrench,
            On::Contact(place) => {
                let (impulse, pressed) = self.contacts.impulse_of_step(self.system, place);
                [impulse, Vector3::new(pressed, 0.0, 0.0)]
            }
        }
    }
}

/// Position of a point of a body \[m\].
fn position(system: &System, body: usize, point_b: &Vector3<f64>) -> Vector3<f64> {
    let state = &system.states()[body];
    state.position + rotation::matrix(&state.quaternion) * point_b
}
