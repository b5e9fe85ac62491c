//! Probes of an explicit run: places, and their quantities at t_n.
//!
//! Velocities, energies and momenta at t_n lie between those at t_{n−1/2} and t_{n+1/2}, with the weights of
//! the balance ([`super::books`]). Impulses of a step act around t_n, and their part θ before it.

use carom_dynamics::{
    Axes, BodyBalance, Marker, MeanProbes, Observer, ObserverError, Probe, ProbeError, ProbePlace,
    ProbePlaces, ProbeQuantity, Probed, ProbedPoint, ProbedStress, SampleTime, due_at_nearest, rotation,
};
use carom_fem::Stress;
use carom_rigid::ContactPlace;
use nalgebra::Vector3;

use super::deformable::Deformable;
use super::rigid::RigidBodies;
use super::simulation::Simulation;
use super::step::System;
use super::which::Which;
use crate::probes::{Nodes, PlaceStress, StressOfProbes, no_stress, probed_stress};

/// The place of a probe.
#[derive(Debug)]
pub(super) enum On {
    /// A body, by its number in the problem.
    Body(usize),
    /// A point of an unreduced body, by its number among the deformable ones.
    Nodes(usize, Box<Nodes>),
    /// A point of a reduced body, by its number among the deformable ones.
    Reduced(usize, ReducedPoint),
    /// A point of a rigid body.
    Rigid {
        /// Number among the rigid bodies.
        body: usize,
        /// The point in principal axes, and its position at the start \[m\].
        point_b: Vector3<f64>,
        start: Vector3<f64>,
    },
    Joint(usize),
    Contact(OnContact),
}

/// A point of a reduced body.
#[derive(Debug)]
pub(super) struct ReducedPoint {
    /// Place in the frame \[m\].
    pub(super) place: Vector3<f64>,
    /// Modes there, and their rotations: 3 numbers a mode.
    pub(super) rows: Vec<f64>,
    pub(super) turns: Vec<f64>,
    /// Stress there by a unit of each mode, of a probe of it \[Pa/(m √kg)\].
    pub(super) stress: Vec<Stress>,
    /// Position at the start \[m\].
    start: Vector3<f64>,
}

/// A contact: with deformable bodies, between rigid ones, or, as that of all bodies, both.
#[derive(Debug)]
pub(super) struct OnContact {
    /// Number of the pair in the list.
    pair: Option<usize>,
    /// Two bodies of a contact of all bodies, the smaller number first, and the sign of their force.
    ends: Option<([usize; 2], f64)>,
    rigid: Option<ContactPlace>,
}

impl Simulation {
    /// The same run with probes, which do not change it, without stress. Displacements are relative to the
    /// start. The places of markers of rigid bodies have their origin in the centre of mass, in axes of the
    /// source geometry; points of unreduced bodies are [`ProbePlace::Points`].
    ///
    /// # Errors
    ///
    /// [`ProbeError`] names the probe that does not fit the bodies.
    pub fn with_probes(self, probes: Vec<Probe>) -> Result<Self, ProbeError> {
        self.with_probes_of_stress(probes, StressOfProbes::new())
    }

    /// The same with probes of the stress.
    ///
    /// # Errors
    ///
    /// As [`Simulation::with_probes`]; [`ProbeError::NoStress`] for a probe of a stress without an entry.
    pub fn with_probes_of_stress(
        mut self,
        probes: Vec<Probe>,
        mut stresses: StressOfProbes,
    ) -> Result<Self, ProbeError> {
        let system = &self.system;
        let rigid = system.bodies.rigid.as_ref();
        let places = ProbePlaces {
            bodies: system.bodies.which.len(),
            joints: rigid.map_or(0, |rigid| rigid.system.joint_impulses().len()),
            contacts: system.n_contacts(),
        };
        let place = |number: usize, probe: &Probe| system.place(number, probe, &mut stresses);
        self.probes = MeanProbes::new(probes, places, system.lengths[0], place)?;
        Ok(self)
    }

    /// Hands over the samples that are due at t_n, and takes the impulses of the step.
    pub(super) fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let (time, [_, length]) = (self.system.time, self.system.lengths);
        let due = |count: u64, every: f64| due_at_nearest(time, length, count, every);
        let at = SampleTime { time, share: self.system.books.share, due: &due };
        self.probes.step(&mut self.system, at, observer)
    }
}

impl System {
    /// The place of a probe.
    fn place(&self, number: usize, probe: &Probe, stresses: &mut StressOfProbes) -> Result<On, ProbeError> {
        Ok(match &probe.place {
            ProbePlace::Body(body) => On::Body(*body),
            ProbePlace::Points { body, weights } => {
                let wrong = ProbeError::WrongPoint { probe: number, body: *body };
                let own = self.bodies.which[*body].flexible().ok_or(wrong)?;
                let Deformable::Whole(whole) = &self.bodies.flexible[own] else { return Err(wrong) };
                let mut nodes = Nodes::new((number, probe, *body), weights, whole.mass.len(), stresses)?;
                nodes.stress = nodes.stress.map(|place| whole.placed(place));
                On::Nodes(own, Box::new(nodes))
            }
            ProbePlace::Point { body, marker, .. } => {
                let found = self.point_of(*body, marker);
                let mut found = found.ok_or(ProbeError::WrongPoint { probe: number, body: *body })?;
                match (&mut found, stresses.remove(&number)) {
                    (On::Reduced(_, point), Some(PlaceStress::Modes(modes))) if !probe.has_section() => {
                        point.stress = modes;
                    }
                    _ => no_stress(number, probe)?,
                }
                found
            }
            ProbePlace::Joint(joint) => On::Joint(*joint),
            ProbePlace::Contact(contact) => {
                let pair = self.contacts.pairs.iter().position(|pair| pair.number == *contact);
                let rigid = self.bodies.rigid.as_ref();
                let has = |rigid: &&RigidBodies| rigid.contacts.numbers().any(|own| own == *contact);
                let rigid = rigid.filter(has).map(|rigid| rigid.contacts.place(*contact));
                let is_of_all = rigid.is_some_and(ContactPlace::is_crowd)
                    || pair.is_some_and(|pair| self.contacts.pairs[pair].is_automatic);
                if is_of_all && probe.quantities.contains(&ProbeQuantity::Force) {
                    return Err(ProbeError::ForceOfAll { probe: number });
                }
                On::Contact(OnContact { pair, ends: None, rigid })
            }
            ProbePlace::ContactOfAll { contact, bodies } => On::Contact(self.two_of_all(*contact, *bodies)),
        })
    }

    /// A point of a rigid or reduced body.
    fn point_of(&self, body: usize, marker: &Marker) -> Option<On> {
        match (self.bodies.which[body], &self.bodies.rigid) {
            (Which::Rigid(k), Some(rigid)) => {
                let (spec, state) = (&rigid.system.bodies[k], &rigid.at_start[k]);
                let point_b = spec.vector_b(&marker.position_b.into());
                let start = state.position + rotation::matrix(&state.quaternion) * point_b;
                Some(On::Rigid { body: k, point_b, start })
            }
            (Which::Flexible(k), _) => {
                let reduced = self.bodies.flexible[k].reduced()?;
                let flat = |vectors: &[[f64; 3]]| vectors.as_flattened().to_vec();
                let (rows, turns) = (flat(&marker.displacement), flat(&marker.rotation));
                if [&rows, &turns].iter().any(|values| values.len() != 3 * reduced.n_modes()) {
                    return None;
                }
                let (place, start) = (marker.position_b.into(), Vector3::zeros());
                let point = ReducedPoint { place, rows, turns, stress: Vec::new(), start };
                let start = reduced.probed(&point, 0.0).position;
                Some(On::Reduced(k, ReducedPoint { start, ..point }))
            }
            (Which::Rigid(_), None) => None,
        }
    }

    /// Two bodies of a contact of all bodies.
    fn two_of_all(&self, contact: usize, bodies: [usize; 2]) -> OnContact {
        if let ([Which::Rigid(a), Which::Rigid(b)], Some(rigid)) =
            (bodies.map(|body| self.bodies.which[body]), &self.bodies.rigid)
        {
            let rigid = rigid.contacts.place_of_two(contact, [a, b]);
            return OnContact { pair: None, ends: None, rigid };
        }
        let is_own = |pair: &super::contact::Pair| pair.is_automatic && pair.number == contact;
        let [a, b] = bodies;
        let ends = Some(([a.min(b), a.max(b)], if a < b { 1.0 } else { -1.0 }));
        OnContact { pair: self.contacts.pairs.iter().position(is_own), ends, rigid: None }
    }

    /// Impulse of the present step on the first body of a contact, and the size of its normal part \[N s\].
    fn contact_impulse(&self, on: &OnContact) -> (Vector3<f64>, f64) {
        let (dt, mut impulse, mut pressed) = (self.dt_mean(), Vector3::zeros(), 0.0);
        if let Some(pair) = on.pair.map(|pair| &self.contacts.pairs[pair]) {
            match on.ends {
                Some((ends, sign)) => {
                    if let Some(meeting) = pair.meetings.get(&ends) {
                        impulse += sign * dt * meeting.force;
                        pressed += dt * meeting.normal_force.norm();
                    }
                }
                None if pair.is_automatic => pressed += dt * pair.pressed,
                None => {
                    let [force, normal_force] = pair.forces();
                    impulse += dt * force;
                    pressed += dt * normal_force.norm();
                }
            }
        }
        if let (Some(place), Some(rigid)) = (on.rigid, &self.bodies.rigid) {
            let (of_rigid, size) = rigid.contacts.impulse_of_step(&rigid.system, place);
            impulse += of_rigid;
            pressed += size;
        }
        (impulse, pressed)
    }

    /// Impulse of all contacts on a body in the present step \[N s\].
    ///
    /// * `body` — its number in the problem
    fn contact_impulse_on(&self, body: usize) -> Vector3<f64> {
        let mut force = Vector3::zeros();
        for (ends, meeting) in self.contacts.pairs.iter().flat_map(|pair| &pair.meetings) {
            match *ends {
                [first, _] if first == body => force += meeting.force,
                [_, second] if second == body => force -= meeting.force,
                _ => {}
            }
        }
        let impulse = self.dt_mean() * force;
        match (self.bodies.which[body], &self.bodies.rigid) {
            (Which::Rigid(k), Some(rigid)) => impulse + rigid.system.contact_impulse_on(k),
            _ => impulse,
        }
    }
}

impl Probed<On> for System {
    fn point(&self, place: &On) -> ProbedPoint {
        let share = self.books.share;
        match (place, &self.bodies.rigid) {
            (On::Nodes(body, nodes), _) => {
                let Deformable::Whole(body) = &self.bodies.flexible[*body] else {
                    unreachable!("points are those of an unreduced body")
                };
                let [behind, ahead] = [&body.v, &body.next].map(|v| nodes.mean_of(v));
                let velocity = (1.0 - share) * behind + share * ahead;
                nodes.moved(&body.discretisation.points, &body.u, velocity)
            }
            (On::Reduced(body, point), _) => {
                let Deformable::Reduced(body) = &self.bodies.flexible[*body] else {
                    unreachable!("modes are those of a reduced body")
                };
                let found = body.probed(point, share);
                ProbedPoint { displacement: found.position - point.start, ..found }
            }
            (On::Rigid { body, point_b, start }, Some(rigid)) => {
                let found = rigid.probed(*body, point_b, share);
                ProbedPoint { displacement: found.position - start, ..found }
            }
            _ => unreachable!("a probe at a point has one"),
        }
    }

    fn stress(&mut self, place: &On, axes: Axes) -> Option<ProbedStress> {
        if let On::Reduced(body, point) = place {
            let body = self.bodies.flexible[*body].reduced()?;
            return Some(probed_stress(&body.stress(point, axes)));
        }
        let On::Nodes(body, nodes) = place else { return None };
        let (Deformable::Whole(body), Some(place)) = (&self.bodies.flexible[*body], &nodes.stress) else {
            return None;
        };
        Some(probed_stress(&body.stress(place)))
    }

    fn section(&self, place: &On) -> Option<[Vector3<f64>; 2]> {
        let On::Nodes(body, nodes) = place else { return None };
        let (Deformable::Whole(body), Some(place)) = (&self.bodies.flexible[*body], &nodes.stress) else {
            return None;
        };
        body.section(place)
    }

    fn balance(&mut self, place: &On, needs_elastic: bool) -> BodyBalance {
        let On::Body(body) = *place else { return BodyBalance::default() };
        match (self.bodies.which[body], &self.bodies.rigid) {
            (Which::Rigid(k), Some(rigid)) => rigid.balance_of(k, self.books.share),
            (Which::Flexible(k), _) => {
                let sums = self.books.bodies[k];
                let gravity = self.bodies.gravity;
                // The forces at these displacements have been computed: no cell is inverted.
                let stored = |body: &mut Deformable| body.energies().map_or(f64::INFINITY, |own| own.stored);
                BodyBalance {
                    e_kin: sums.kinetic,
                    e_el: if needs_elastic { stored(&mut self.bodies.flexible[k]) } else { 0.0 },
                    e_pot: -gravity.dot(&sums.mass_moment),
                    momentum: sums.momentum.into(),
                    ang_momentum: sums.ang_momentum.into(),
                }
            }
            (Which::Rigid(_), None) => BodyBalance::default(),
        }
    }

    fn gap(&self, place: &On) -> f64 {
        let On::Contact(on) = place else { return f64::INFINITY };
        let pair = on.pair.map(|pair| &self.contacts.pairs[pair]);
        let of_pair = pair.and_then(|pair| match on.ends {
            Some((ends, _)) => pair.meetings.get(&ends).map(|meeting| meeting.least_gap),
            None => Some(pair.least_gap),
        });
        let of_rigid = on.rigid.zip(self.bodies.rigid.as_ref());
        let of_rigid = of_rigid.map(|(place, rigid)| rigid.contacts.gap_of_step(&rigid.system, place));
        of_pair.into_iter().chain(of_rigid).fold(f64::INFINITY, f64::min)
    }

    fn impulses(&self, place: &On) -> [Vector3<f64>; 2] {
        match (place, &self.bodies.rigid) {
            (On::Body(body), _) => [self.contact_impulse_on(*body), Vector3::zeros()],
            (On::Joint(joint), Some(rigid)) => rigid.system.joint_impulses()[*joint].wrench,
            (On::Contact(on), _) => {
                let (impulse, pressed) = self.contact_impulse(on);
                [impulse, Vector3::new(pressed, 0.0, 0.0)]
            }
            _ => [Vector3::zeros(); 2],
        }
    }
}
