//! Samples of probes: when they are due, what has to be evaluated for them, their values.

use std::collections::BTreeMap;

use carom_dynamics::{
    Axes, Checkpoint, JointState, Marker, Observer, Pose, ProbePlaces, ProbeQuantity, ProbeSample,
};
use nalgebra::{Matrix3, Vector3};

use super::stress::{Buffers, PlaceStress, quantity as stress_quantity};
use super::{Probe, ProbeError, ProbePlace};
use crate::joint::Place;
use crate::outcome::RunError;
use crate::snapshot::write_modal;
use crate::system::System;

/// Part of the interval of a probe by which a sample may lie behind the end of a step and still belong to it:
/// multiples of the interval are rounded.
const ROUNDING: f64 = 1e-9;

/// Name of the numbers of samples in checkpoints.
const ENTRY: &str = "probes";

/// What a sample needs of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Poses and velocities.
    Motion,
    /// Contact too.
    Contact,
    /// Accelerations and the forces of joints too.
    Forces,
}

/// The probes of a run, with the number of their samples and buffers.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    all: Vec<Sampled>,
    /// Values of one sample.
    values: Vec<[f64; 3]>,
    joints: Vec<JointState>,
    work: Work,
}

/// Buffers of a point.
#[derive(Debug, Default)]
struct Work {
    modal: Modal,
    stress: Buffers,
}

/// Coordinates of all modes of one body, and the same over its static modes.
#[derive(Debug, Default)]
struct Modal {
    all: Vec<f64>,
    own: Vec<f64>,
}

impl Modal {
    /// The coordinates of all modes of the file of a body at y, at which the system was evaluated.
    fn of(&mut self, body: usize, system: &System, y: &[f64]) -> &[f64] {
        let of = &system.bodies()[body];
        let n = of.reduced.as_ref().map_or(0, |reduced| reduced.omega.len()).max(of.frame.n);
        write_modal(system, body, y, &mut self.own[..n], &mut self.all[..n]);
        &self.all[..n]
    }
}

#[derive(Debug)]
struct Sampled {
    probe: Probe,
    /// The point over the modes of its body that move.
    moving: Marker,
    /// True if modes that do not move displace the point as well.
    has_response: bool,
    /// The stress there, of a probe of it.
    stress: Option<PlaceStress>,
    /// Position of the point at the start \[m\].
    start: Vector3<f64>,
    need: Need,
    /// Number of samples so far.
    count: u64,
}

impl Probes {
    /// Probes of a system at the state y of its start, at which it was evaluated.
    ///
    /// * `stresses` — the stress at the places of probes, by the number of the probe
    pub(crate) fn new(
        probes: Vec<Probe>,
        mut stresses: BTreeMap<usize, PlaceStress>,
        system: &System,
        y: &[f64],
    ) -> Result<Self, ProbeError> {
        let longest = probes.iter().map(|probe| probe.quantities.len()).max().unwrap_or(0);
        let modes = |body: &crate::Body| body.reduced.as_ref().map_or(0, |of| of.omega.len());
        let n = system.bodies().iter().map(|body| modes(body).max(body.frame.n)).max().unwrap_or(0);
        let mut made = Self {
            all: Vec::with_capacity(probes.len()),
            values: vec![[0.0; 3]; longest],
            joints: vec![JointState::default(); system.n_transmitting()],
            work: Work { modal: Modal { all: vec![0.0; n], own: vec![0.0; n] }, stress: Buffers::default() },
        };
        let places = ProbePlaces {
            bodies: system.bodies().len(),
            joints: system.n_transmitting(),
            contacts: system.pairs(),
        };
        for (number, probe) in probes.into_iter().enumerate() {
            probe.check(number, places)?;
            if let ProbePlace::ContactOfAll { contact: index, .. } = probe.place {
                // Each two surfaces are a pair of their own.
                let kind = "contacts of all bodies";
                return Err(ProbeError::NoPlace { probe: number, kind, index, count: 0 });
            }
            if let ProbePlace::Points { body, .. } = probe.place {
                return Err(ProbeError::WrongPoint { probe: number, body });
            }
            if probe.has_section() {
                return Err(ProbeError::NoSection { probe: number });
            }
            let stress = stresses.remove(&number).filter(|_| probe.has_stress());
            if stress.is_none() && probe.has_stress() {
                return Err(ProbeError::NoStress { probe: number });
            }
            let mut sampled = Sampled::new(probe, stress, system);
            if let ProbePlace::Point { body, .. } = sampled.probe.place {
                sampled.start = sampled.position(body, system, y, &mut made.work.modal);
            }
            made.all.push(sampled);
        }
        Ok(made)
    }

    /// What samples at the ends of steps need; none without such probes.
    pub(crate) fn need_of_steps(&self) -> Option<Need> {
        self.all.iter().filter(|sampled| sampled.probe.every.is_none()).map(|sampled| sampled.need).max()
    }

    /// What the first samples need; none if no probe waits for its first.
    pub(crate) fn need_of_start(&self) -> Option<Need> {
        self.all.iter().filter(|sampled| sampled.count == 0).map(|sampled| sampled.need).max()
    }

    /// Time and need of the next samples with an interval of their own, if they lie before `end`, the end of
    /// a step \[s\].
    pub(crate) fn due(&self, end: f64) -> Option<(f64, Need)> {
        let in_step = |sampled: &&Sampled| sampled.is_due(end);
        let next = self.all.iter().filter(in_step).filter_map(Sampled::next).reduce(f64::min)?.min(end);
        let need = self.all.iter().filter(|sampled| sampled.is_due(next)).map(|sampled| sampled.need).max();
        Some((next, need.unwrap_or(Need::Motion)))
    }

    /// Passes the samples that are due at a time to the observer.
    ///
    /// * `system` — evaluated at y for what they need
    pub(crate) fn hand_over_due(
        &mut self,
        time: f64,
        (system, y): (&System, &[f64]),
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        self.hand_over(|sampled| sampled.is_due(time), time, (system, y), observer)
    }

    /// Passes the samples of the end of a step to the observer.
    pub(crate) fn hand_over_step(
        &mut self,
        time: f64,
        at: (&System, &[f64]),
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        self.hand_over(|sampled| sampled.probe.every.is_none(), time, at, observer)
    }

    /// Passes first samples to the observer.
    pub(crate) fn hand_over_start(
        &mut self,
        time: f64,
        at: (&System, &[f64]),
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        self.hand_over(|sampled| sampled.count == 0, time, at, observer)
    }

    fn hand_over(
        &mut self,
        wanted: impl Fn(&Sampled) -> bool,
        time: f64,
        (system, y): (&System, &[f64]),
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let Self { all, values, joints, work } = self;
        let of_joints = |sampled: &Sampled| matches!(sampled.probe.place, ProbePlace::Joint(_));
        if all.iter().any(|sampled| wanted(sampled) && of_joints(sampled)) {
            system.joint_states(time, y, joints);
        }
        for (number, sampled) in all.iter_mut().enumerate() {
            if !wanted(sampled) {
                continue;
            }
            let values = &mut values[..sampled.probe.quantities.len()];
            sampled.write(system, y, joints, work, values);
            observer.probe(&ProbeSample { probe: number, time, values })?;
            sampled.count += 1;
        }
        Ok(())
    }

    /// Adds the numbers of samples to a checkpoint; nothing without probes.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        if !self.all.is_empty() {
            let counts: Vec<u64> = self.all.iter().map(|sampled| sampled.count).collect();
            checkpoint.put_integers(ENTRY, &counts);
        }
    }

    /// Continues after the samples of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it is of a run with other probes.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        if self.all.is_empty() {
            return Ok(());
        }
        let counts = checkpoint.integers(ENTRY)?;
        if counts.len() != self.all.len() {
            return Err(crate::restart::length(ENTRY, counts.len(), self.all.len()));
        }
        self.all.iter_mut().zip(counts).for_each(|(sampled, count)| sampled.count = *count);
        Ok(())
    }
}

impl Sampled {
    fn new(probe: Probe, stress: Option<PlaceStress>, system: &System) -> Self {
        let (moving, has_response) = match &probe.place {
            ProbePlace::Point { body, marker, .. } => {
                let body = &system.bodies()[*body];
                let modes = body.reduced.as_ref().map_or(0, |reduced| reduced.omega.len());
                (body.own_marker(marker), body.static_modes().is_some() || modes > body.frame.n)
            }
            _ => (Marker::default(), false),
        };
        let need = probe.quantities.iter().map(|quantity| need(&probe.place, *quantity, has_response)).max();
        let of_stress = stress.as_ref().filter(|stress| stress.depends_on_contacts()).map(|_| Need::Contact);
        let need = need.max(of_stress).unwrap_or(Need::Motion);
        Self { probe, moving, has_response, stress, start: Vector3::zeros(), need, count: 0 }
    }

    /// Time of the next sample \[s\]; none of a probe with samples at the ends of steps.
    fn next(&self) -> Option<f64> {
        self.probe.every.map(|every| self.count as f64 * every)
    }

    /// True if the next sample lies before a time, but for rounding.
    fn is_due(&self, time: f64) -> bool {
        self.probe.every.is_some_and(|every| self.count as f64 * every <= time + ROUNDING * every)
    }

    fn write(
        &self,
        system: &System,
        y: &[f64],
        joints: &[JointState],
        work: &mut Work,
        values: &mut [[f64; 3]],
    ) {
        let quantities = self.probe.quantities.iter().zip(values);
        match &self.probe.place {
            ProbePlace::Point { body, axes, .. } => {
                self.write_point(*body, *axes, (system, y), work, quantities);
            }
            ProbePlace::Body(body) => {
                let own = system.states().balance(*body, y, &system.loads().gravity());
                for (quantity, value) in quantities {
                    *value = match quantity {
                        ProbeQuantity::KineticEnergy => [own.e_kin, 0.0, 0.0],
                        ProbeQuantity::ElasticEnergy => [own.e_el, 0.0, 0.0],
                        ProbeQuantity::PotentialEnergy => [own.e_pot, 0.0, 0.0],
                        ProbeQuantity::Momentum => own.momentum,
                        ProbeQuantity::ContactForce => system.contacts().force_on(*body).into(),
                        _ => own.ang_momentum,
                    };
                }
            }
            ProbePlace::Points { .. } => unreachable!("points of unreduced bodies are refused"),
            ProbePlace::Joint(joint) => {
                let state = &joints[*joint];
                for (quantity, value) in quantities {
                    *value = if *quantity == ProbeQuantity::Torque { state.torque } else { state.force };
                }
            }
            ProbePlace::Contact(pair) | ProbePlace::ContactOfAll { contact: pair, .. } => {
                let reaction = system.contacts().reaction(*pair);
                for (quantity, value) in quantities {
                    *value = match quantity {
                        ProbeQuantity::NormalForce => [reaction.normal_force, 0.0, 0.0],
                        ProbeQuantity::Gap => [system.contacts().free_gap(*pair), 0.0, 0.0],
                        _ => reaction.force.into(),
                    };
                }
            }
        }
    }

    /// Quantities of a point of a body.
    fn write_point<'a>(
        &'a self,
        body: usize,
        axes: Axes,
        (system, y): (&System, &[f64]),
        Work { modal, stress: buffers }: &mut Work,
        quantities: impl Iterator<Item = (&'a ProbeQuantity, &'a mut [f64; 3])>,
    ) {
        let pose = *system.states().pose(body);
        let place = self.place(body, system, y);
        let own = self.stress.as_ref();
        let stress = own.and_then(|own| own.at((system, body), modal.of(body, system, y), buffers));
        for (quantity, value) in quantities {
            if ProbeQuantity::OF_STRESS.contains(quantity) {
                let turn_by = (axes == Axes::Inertial).then_some(&pose);
                *value = stress_quantity(*quantity, stress.as_ref(), turn_by).into();
                continue;
            }
            let vector = match quantity {
                ProbeQuantity::Position => self.position(body, system, y, modal),
                ProbeQuantity::Displacement => self.position(body, system, y, modal) - self.start,
                ProbeQuantity::Velocity => place.velocity,
                ProbeQuantity::AngularVelocity => place.omega,
                ProbeQuantity::Acceleration => self.accelerations((body, y), system, &place, &pose)[0],
                _ => self.accelerations((body, y), system, &place, &pose)[1],
            };
            *value = match axes {
                Axes::Inertial => vector,
                Axes::Body => pose.rotation.tr_mul(&vector),
            }
            .into();
        }
    }

    /// The point with its motion by the modes that move.
    fn place(&self, body: usize, system: &System, y: &[f64]) -> Place {
        let states = system.states();
        let (q, velocities) = (states.modal_in(body, y), states.velocities(body));
        Place::on(&self.moving, &Matrix3::identity(), states.pose(body), q, velocities)
    }

    /// Position of the point, with the response of modes that do not move \[m\].
    fn position(&self, body: usize, system: &System, y: &[f64], modal: &mut Modal) -> Vector3<f64> {
        let ProbePlace::Point { marker, .. } = &self.probe.place else { return Vector3::zeros() };
        if !self.has_response {
            return self.place(body, system, y).position;
        }
        let mut c = Vector3::from(marker.position_b);
        for (phi, q) in marker.displacement.iter().zip(modal.of(body, system, y)) {
            c += *q * Vector3::from(*phi);
        }
        if let Some(second) = &self.moving.second_order {
            c -= 0.5 * second.square(system.states().modal_in(body, y))[0];
        }
        system.states().pose(body).point(&c)
    }

    /// ẍ and ω̇ of the point, inertial axes \[m/s², rad/s²\].
    fn accelerations(
        &self,
        (body, y): (usize, &[f64]),
        system: &System,
        place: &Place,
        pose: &Pose,
    ) -> [Vector3<f64>; 2] {
        let states = system.states();
        let of = &states.accelerations()[body];
        let (mut along, mut about) = (of.translation + of.rotation.cross(&place.arm_b), Vector3::zeros());
        for (k, q) in of.modal.iter().enumerate() {
            let [phi, psi] = self.moving.shape(k, states.modal_in(body, y));
            along += *q * phi;
            about += *q * psi;
        }
        let about = of.rotation + place.tangent * about;
        [pose.rotation * along + place.bias, pose.rotation * about + place.ang_bias]
    }
}

/// What a quantity needs of the state.
fn need(place: &ProbePlace, quantity: ProbeQuantity, has_response: bool) -> Need {
    match (place, quantity) {
        (ProbePlace::Joint(_), _) | (_, ProbeQuantity::Acceleration | ProbeQuantity::AngularAcceleration) => {
            Need::Forces
        }
        (ProbePlace::Contact(_) | ProbePlace::ContactOfAll { .. }, _) | (_, ProbeQuantity::ContactForce) => {
            Need::Contact
        }
        (
            _,
            ProbeQuantity::Displacement
            | ProbeQuantity::Position
            | ProbeQuantity::NormalStress
            | ProbeQuantity::ShearStress
            | ProbeQuantity::VonMises,
        ) if has_response => Need::Contact,
        _ => Need::Motion,
    }
}
