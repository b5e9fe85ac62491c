//! Samples of probes at the ends of steps.
//!
//! Place and velocity are those of the end of a step, after its impulses. Impulses act within a step and
//! change velocities at once, so that accelerations and forces are means since the sample before:
//!
//! ```text
//! a = (v_n − v_m)/(t_n − t_m) ,     F = Σ impulses/(t_n − t_m)
//! ```
//!
//! Sums of a mean times its interval are then exact changes of velocity and exact impulses, for any interval
//! and across impacts. Where a motion is smooth, a mean is the value in the middle of its interval to second
//! order. The first sample has no interval: its means are not known.
//!
//! Samples with an interval of their own are at the nearest steps, as frames are.

use carom_dynamics::{
    Axes, Checkpoint, CheckpointError, Observer, ObserverError, Probe, ProbeError, ProbePlace, ProbePlaces,
    ProbeQuantity, ProbeSample, rotation,
};
use nalgebra::Vector3;

use crate::simulation::Simulation;
use crate::system::System;
use crate::tracking::{ContactPlace, Contacts};

/// Names of the entries in checkpoints.
const COUNTS: &str = "probes";
const SUMS: &str = "probe_sums";

/// Numbers of a probe in the entries.
const N_COUNTS: usize = 2;
const N_SUMS: usize = 6;

/// The probes of a run.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    all: Vec<Sampled>,
    /// Values of one sample.
    values: Vec<[f64; 3]>,
}

#[derive(Debug)]
struct Sampled {
    probe: Probe,
    on: On,
    /// Position of the point at the start \[m\].
    start: Vector3<f64>,
    /// Samples so far.
    count: u64,
    /// Number of steps at the last one.
    steps: u64,
    /// Of a point its velocity and the angular velocity at the last sample; since then, of a joint the
    /// impulse and its moment, of a contact the impulse and, as the first number, the sum of the sizes of the
    /// normal impulses, of a body the impulse of its contacts.
    memory: [Vector3<f64>; 2],
}

/// The place of a probe in the system.
#[derive(Debug, Clone, Copy)]
enum On {
    Body(usize),
    Point {
        body: usize,
        /// The point in the frame of its body, principal axes \[m\].
        point_b: Vector3<f64>,
        axes: Axes,
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
        let (system, contacts) = (&mut self.system, &self.contacts);
        let all = probes.into_iter().enumerate();
        let all = all.map(|(number, probe)| Sampled::new(number, probe, system, contacts));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let longest = all.iter().map(|sampled| sampled.probe.quantities.len()).max().unwrap_or(0);
        self.probes = Probes { all, values: vec![[0.0; 3]; longest] };
        Ok(self)
    }

    /// Takes the impulses of a step, and hands over the samples that are due at its end.
    pub(crate) fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let Self { system, contacts, probes, .. } = self;
        probes.all.iter_mut().for_each(|sampled| sampled.follow(system, contacts));
        probes.hand_over(system, contacts, observer)
    }

    /// Hands over the first samples, unless the run continues from a checkpoint.
    pub(crate) fn sample_start(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let Self { system, contacts, probes, .. } = self;
        if system.steps() > 0 {
            return Ok(());
        }
        probes.hand_over(system, contacts, observer)
    }
}

impl Probes {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn hand_over(
        &mut self,
        system: &System,
        contacts: &Contacts,
        observer: &mut dyn Observer,
    ) -> Result<(), ObserverError> {
        let Self { all, values } = self;
        let dt = system.time_step();
        for (number, sampled) in all.iter_mut().enumerate().filter(|(_, s)| s.is_due(system.steps(), dt)) {
            let values = &mut values[..sampled.probe.quantities.len()];
            sampled.write(system, contacts, values);
            observer.probe(&ProbeSample { probe: number, time: system.time(), values })?;
        }
        Ok(())
    }

    /// Adds what the next samples need to a checkpoint; nothing without probes.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        if self.is_empty() {
            return;
        }
        let counts = self.all.iter().flat_map(|sampled| [sampled.count, sampled.steps]);
        checkpoint.put_integers(COUNTS, &counts.collect::<Vec<_>>());
        let sums = self.all.iter().flat_map(|sampled| sampled.memory.into_iter().flat_map(<[f64; 3]>::from));
        checkpoint.put_reals(SUMS, &sums.collect::<Vec<_>>());
    }

    /// Continues after the samples of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it is of a run with other probes.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.is_empty() {
            return Ok(());
        }
        let (counts, expected) = (checkpoint.integers(COUNTS)?, N_COUNTS * self.all.len());
        if counts.len() != expected {
            let (name, found) = (COUNTS.to_owned(), counts.len());
            return Err(CheckpointError::Length { name, found, expected });
        }
        let sums = checkpoint.reals_of(SUMS, N_SUMS * self.all.len())?;
        let numbers = counts.as_chunks::<N_COUNTS>().0.iter().zip(sums.as_chunks::<N_SUMS>().0);
        for (sampled, (counts, sums)) in self.all.iter_mut().zip(numbers) {
            [sampled.count, sampled.steps] = *counts;
            sampled.memory = [0, 3].map(|i: usize| Vector3::from_column_slice(&sums[i..i + 3]));
        }
        Ok(())
    }
}

impl Sampled {
    fn new(number: usize, probe: Probe, system: &System, contacts: &Contacts) -> Result<Self, ProbeError> {
        let places = ProbePlaces {
            bodies: system.bodies.len(),
            joints: system.n_transmitting(),
            contacts: contacts.numbers().count(),
        };
        probe.check(number, places)?;
        if probe.has_stress() {
            return Err(ProbeError::NoStress { probe: number });
        }
        let dt = system.time_step();
        if let Some(every) = probe.every.filter(|&every| every < dt) {
            return Err(ProbeError::ShorterThanSteps { probe: number, every, dt });
        }
        let on = match &probe.place {
            ProbePlace::Body(body) => On::Body(*body),
            ProbePlace::Point { body, marker, axes } => {
                let point_b = system.bodies[*body].vector_b(&marker.position_b.into());
                On::Point { body: *body, point_b, axes: *axes }
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
                let place = place.ok_or(ProbeError::NoPlace { probe: number, kind, index, count: 0 })?;
                On::Contact(place)
            }
        };
        let mut made =
            Self { probe, on, start: Vector3::zeros(), count: 0, steps: 0, memory: [Vector3::zeros(); 2] };
        if let On::Point { body, point_b, .. } = on {
            made.start = position(system, body, &point_b);
        }
        Ok(made)
    }

    /// True if a sample belongs to the end of this number of steps.
    fn is_due(&self, steps: u64, dt: f64) -> bool {
        match self.probe.every {
            Some(every) => (self.count as f64 * every / dt).round() as u64 == steps,
            None => true,
        }
    }

    /// Adds the impulses of the step that has ended.
    fn follow(&mut self, system: &System, contacts: &Contacts) {
        let [sum, other] = &mut self.memory;
        match self.on {
            On::Body(body) => {
                if self.probe.quantities.contains(&ProbeQuantity::ContactForce) {
                    *sum += system.contact_impulse_on(body);
                }
            }
            On::Point { .. } => {}
            On::Joint(joint) => {
                let [impulse, moment] = system.joint_impulses[joint].wrench;
                *sum += impulse;
                *other += moment;
            }
            On::Contact(place) => {
                let (impulse, pressed) = contacts.impulse_of_step(system, place);
                *sum += impulse;
                other.x += pressed;
            }
        }
    }

    /// Values at the end of a step; the next means begin there.
    fn write(&mut self, system: &System, contacts: &Contacts, values: &mut [[f64; 3]]) {
        let since = system.time_step() * (system.steps() - self.steps) as f64;
        match self.on {
            On::Body(body) => {
                self.write_body(system, body, since, values);
                self.memory = [Vector3::zeros(); 2];
            }
            On::Point { body, point_b, axes } => {
                self.write_point(system, (body, &point_b, axes), since, values)
            }
            On::Joint(_) | On::Contact(_) => {
                let mean = self.memory.map(|sum| mean(sum, since));
                for (quantity, value) in self.probe.quantities.iter().zip(values) {
                    *value = match (self.on, quantity) {
                        (On::Contact(place), ProbeQuantity::Gap) => {
                            [contacts.gap_of_step(system, place), 0.0, 0.0]
                        }
                        (_, ProbeQuantity::Torque | ProbeQuantity::NormalForce) => mean[1],
                        _ => mean[0],
                    };
                }
                self.memory = [Vector3::zeros(); 2];
            }
        }
        self.count += 1;
        self.steps = system.steps();
    }

    fn write_body(&self, system: &System, body: usize, since: f64, values: &mut [[f64; 3]]) {
        let (spec, state) = (&system.bodies[body], &system.states()[body]);
        for (quantity, value) in self.probe.quantities.iter().zip(values) {
            *value = match quantity {
                ProbeQuantity::KineticEnergy => [spec.kinetic(state), 0.0, 0.0],
                ProbeQuantity::PotentialEnergy => {
                    [-spec.mass * system.gravity.dot(&state.position), 0.0, 0.0]
                }
                ProbeQuantity::Momentum => state.momentum.into(),
                ProbeQuantity::AngularMomentum => state.ang_momentum().into(),
                ProbeQuantity::ContactForce => mean(self.memory[0], since),
                // The elastic energy of a rigid body.
                _ => [0.0; 3],
            };
        }
    }

    fn write_point(
        &mut self,
        system: &System,
        (body, point_b, axes): (usize, &Vector3<f64>, Axes),
        since: f64,
        values: &mut [[f64; 3]],
    ) {
        let (spec, state) = (&system.bodies[body], &system.states()[body]);
        let arm = rotation::matrix(&state.quaternion) * point_b;
        let omega = spec.angular_velocity(state);
        let velocity = state.momentum / spec.mass + omega.cross(&arm);
        let position = state.position + arm;
        let turned = |vector: Vector3<f64>| match axes {
            Axes::Inertial => vector,
            Axes::Body => spec.reported(state).pose().rotation.tr_mul(&vector),
        };
        for (quantity, value) in self.probe.quantities.iter().zip(values) {
            *value = match quantity {
                ProbeQuantity::Position => turned(position).into(),
                ProbeQuantity::Displacement => turned(position - self.start).into(),
                ProbeQuantity::Velocity => turned(velocity).into(),
                ProbeQuantity::AngularVelocity => turned(omega).into(),
                ProbeQuantity::Acceleration => mean(turned(velocity - self.memory[0]), since),
                _ => mean(turned(omega - self.memory[1]), since),
            };
        }
        self.memory = [velocity, omega];
    }
}

/// A sum over time as a mean; not known without an interval.
fn mean(sum: Vector3<f64>, since: f64) -> [f64; 3] {
    if since > 0.0 { (sum / since).into() } else { [f64::INFINITY; 3] }
}

/// Position of a point of a body \[m\].
fn position(system: &System, body: usize, point_b: &Vector3<f64>) -> Vector3<f64> {
    let state = &system.states()[body];
    state.position + rotation::matrix(&state.quaternion) * point_b
}
