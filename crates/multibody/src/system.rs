//! Bodies under loads as a system of ordinary differential equations in momenta (decision 2).
//!
//! ```text
//! ṙ = A v      ḃ = ½ b ⊗ (0, ω)    q̇                   from (Aᵀ P, Aᵀ (L − r × P), p) = M(q) (v, ω, q̇)
//! Ṗ = Σ f      L̇ = Σ x × f + τ     ṗ = ∂T/∂q − K̄ q − D q̇ + Σ φᵀ Aᵀ f + ψᵀ Aᵀ τ
//! ```
//!
//! A system consists of parts that do not see each other's fields: `bodies`, loads, force elements
//! (`force`), contacts (`contacts`), joints (`joint`) and the forces that these apply (`applied`). An
//! evaluation calls one after the other.

use crate::applied::AppliedForces;
use crate::balance::{self, Parts};
use crate::bodies::Bodies;
use crate::body::Body;
use crate::contact::ContactModel;
use crate::contacts::Contacts;
use crate::force::{ForceElement, ForceElements, check_loads, for_loads_on, set_loads};
use crate::joint::{
    Assembly, AssemblyError, Constraints, Coupling, CouplingError, Drive, DriveError, Joint, ProjectError,
    Projection, SpecError, write_joint_states,
};
use crate::layout::Layout;
use crate::system_error::{RateError, SystemError};
use carom_dynamics::{Balance, JointState, Loads, Marker, Placement};
use carom_integrate::{Ode, SecondOrder};
use nalgebra::Vector3;

mod aside;
mod parts;
mod second_order;

/// Bodies, loads, force elements, contacts and joints.
#[derive(Debug)]
pub struct System {
    bodies: Bodies,
    loads: Loads,
    elements: ForceElements,
    contacts: Contacts,
    joints: Constraints,
    applied: AppliedForces,
    /// True while no body touches another, and some have modes.
    oscillates: bool,
}

impl System {
    /// A system of bodies under loads, with contact between some.
    ///
    /// # Errors
    ///
    /// [`SystemError`] if a load or a pair does not fit the bodies.
    pub fn new(
        bodies: Vec<Body>,
        loads: Loads,
        contacts: Vec<Box<dyn ContactModel>>,
    ) -> Result<Self, SystemError> {
        let contacts = Contacts::new(contacts, &bodies)?;
        check_loads(&loads, &bodies)?;
        Ok(Self {
            applied: AppliedForces::none(bodies.iter().map(|body| body.frame.n)),
            bodies: Bodies::new(bodies, contacts.slots().len()),
            elements: ForceElements::default(),
            joints: Constraints::default(),
            oscillates: false,
            contacts,
            loads,
        })
    }

    /// The same system with joints between its bodies.
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the joint that does not fit.
    pub fn with_joints(mut self, joints: Vec<Joint>) -> Result<Self, SpecError> {
        self.joints = Constraints::new(joints, self.bodies.all())?;
        Ok(self)
    }

    /// The same system, for which [`System::with_joints`] came before, with linear relations between
    /// coordinates of its joints.
    ///
    /// # Errors
    ///
    /// [`CouplingError`] names the coupling that does not fit.
    pub fn with_couplings(mut self, couplings: Vec<Coupling>) -> Result<Self, CouplingError> {
        self.joints.set_couplings(couplings, self.bodies.all())?;
        Ok(self)
    }

    /// The same system, for which [`System::with_joints`] came before, with motions prescribed to joints. A
    /// driven length replaces the constant one of a distance.
    ///
    /// # Errors
    ///
    /// [`DriveError`] if a drive names a joint that does not exist.
    pub fn with_drives(mut self, drives: Vec<Drive>) -> Result<Self, DriveError> {
        self.joints.set_drives(drives, self.bodies.all())?;
        Ok(self)
    }

    /// The same system with springs, dampers, stops and bushings.
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the element that does not fit.
    pub fn with_forces(mut self, elements: Vec<ForceElement>) -> Result<Self, SpecError> {
        self.elements = ForceElements::new(elements, self.bodies.all())?;
        Ok(self)
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        self.bodies.all()
    }

    /// Gravity, forces and torques.
    pub fn loads(&self) -> &Loads {
        &self.loads
    }

    /// The contact models. Pairs are numbered through all of them.
    pub fn contact_models(&self) -> &[Box<dyn ContactModel>] {
        self.contacts.models()
    }

    /// Where each quantity lies in y.
    pub fn layout(&self) -> &Layout {
        self.bodies.layout()
    }

    /// Number of contact pairs.
    pub fn pairs(&self) -> usize {
        self.contacts.pairs()
    }

    /// Indices of the two bodies of a pair.
    pub fn pair_bodies(&self, pair: usize) -> [usize; 2] {
        self.contacts.bodies(pair)
    }

    /// Number of joints and of springs and bushings that belong to no joint: each has a joint state in a
    /// frame.
    pub fn n_transmitting(&self) -> usize {
        self.joints.all().len() + self.elements.n_of_no_joint()
    }
}

/// States.
impl System {
    /// State vector of bodies placed undeformed.
    ///
    /// # Errors
    ///
    /// [`SystemError::Placements`].
    pub fn initial_state(&self, placements: &[Placement]) -> Result<Vec<f64>, SystemError> {
        self.bodies.initial_state(placements)
    }

    /// Projects the state y to the joints at t = 0, positions, then velocities: by rigid motions of the
    /// bodies, then by the least change in the metric of the masses. Equations that repeat others are left
    /// out from here on.
    ///
    /// # Errors
    ///
    /// [`AssemblyError`]; the system is then unusable.
    pub fn assemble(&mut self, y: &mut [f64]) -> Result<Assembly, AssemblyError> {
        let Self { bodies, elements, joints, .. } = self;
        joints.assemble(bodies, y, &mut |bodies, y| remember(elements, bodies, y))
    }

    /// Projects y to the joints at `time` if it violates them by more than `tolerance` (relative to the sizes
    /// of the system), and updates the memory of springs and stops.
    ///
    /// # Errors
    ///
    /// [`ProjectError`]; y may then have changed.
    pub(crate) fn project(
        &mut self,
        time: f64,
        y: &mut [f64],
        tolerance: f64,
    ) -> Result<Projection, ProjectError> {
        let projection = self.joints.project(&mut self.bodies, time, y, tolerance)?;
        self.remember(time, y)?;
        Ok(projection)
    }

    /// Takes the angles and gaps of an accepted state y as those from which the next step starts.
    pub(crate) fn remember(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        remember(&mut self.elements, &mut self.bodies, y)?;
        if self.joints.counts_turns() {
            self.bodies.set_state(y)?;
            self.joints.remember(self.bodies.at(time, y));
        }
        Ok(())
    }

    /// The joint whose equations nearly depend on those before it at y: whose pivot is below `part` of that
    /// at the start. The factor is lost.
    pub(crate) fn singular_joint(&mut self, time: f64, y: &[f64], part: f64) -> Option<String> {
        self.joints.singular_joint(&mut self.bodies, time, y, part)
    }

    /// Says whether no contact is near, so that the next step may be longer than the periods of the modes.
    /// Stops are met in short steps alone.
    pub(crate) fn set_in_flight(&mut self, in_flight: bool) {
        let has_modes = self.bodies.all().iter().any(|body| body.highest_frequency() > 0.0);
        let is_small = self.coupled() <= carom_integrate::exponential::MOST;
        self.oscillates = in_flight && has_modes && is_small && self.elements.stops().next().is_none();
    }

    /// How far the modes of a body may carry its surface beyond the rigid motion, at the state y and the
    /// velocities that were set last \[m\].
    pub(crate) fn ringing(&self, body: usize, y: &[f64]) -> f64 {
        let (of, start) = (&self.bodies()[body], self.layout().modal(body));
        let speeds = &self.bodies.velocities(body).modal;
        let reach = of.amplitudes.iter().enumerate().map(|(k, amplitude)| {
            let frequency = (of.frame.stiffness_modal[(k, k)] / of.frame.mass_modal[(k, k)]).sqrt();
            let swing = if frequency > 0.0 { speeds[k].abs() / frequency } else { 0.0 };
            amplitude * (y[start + k].abs() + swing)
        });
        2.0 * reach.sum::<f64>()
    }

    /// The first time after `time` at which a load or a drive has a kink, as far as that is known.
    pub(crate) fn next_kink(&self, time: f64) -> f64 {
        let loads = self.loads.point_loads.iter().map(|load| load.scale.next_kink(time));
        loads.fold(f64::INFINITY, f64::min).min(self.joints.next_kink(time))
    }
}

/// Evaluations.
impl System {
    /// Poses, mass matrices and velocities at y.
    ///
    /// # Errors
    ///
    /// [`RateError::Mass`].
    pub fn set_state(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.bodies.set_state(y)
    }

    /// Contact at y, for which [`System::set_state`] was called.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub fn evaluate_contacts(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.contacts.evaluate(&self.bodies.motion(y))
    }

    /// As [`System::evaluate_contacts`], for the forces: [`ContactModel::seek_forces_alone`].
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn evaluate_contact_forces(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.contacts.evaluate_forces(&self.bodies.motion(y))
    }

    /// The reaction of one pair at y, for which [`System::set_state`] was called; contacts are to be
    /// evaluated again before anything else is read.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn evaluate_pair(&mut self, pair: usize, y: &[f64]) -> Result<(), RateError> {
        self.contacts.evaluate_pair(pair, &self.bodies.motion(y))
    }

    /// Evaluates pairs that the last evaluation, at y, has left out as settled.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn evaluate_settled(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.contacts.evaluate_settled(&self.bodies.motion(y))
    }

    /// Takes the last evaluation, at y, as the end of a step of the contacts.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn accept_contacts(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.contacts.complete(&self.bodies.motion(y), false)?;
        self.contacts.accept();
        Ok(())
    }

    /// [`Contacts::give_slots_back`] at the end y of a step.
    pub(crate) fn give_slots_back(&mut self, y: &[f64]) {
        self.contacts.give_slots_back(self.bodies.layout(), y);
    }

    /// Completes the contacts at y, where the last evaluation was of their forces alone.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn complete_contacts(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.contacts.complete(&self.bodies.motion(y), true)
    }

    /// Rows of the joints at y, for which [`System::set_state`] was called.
    pub(crate) fn set_joints(&mut self, time: f64, y: &[f64]) {
        self.joints.set_state(self.bodies.at(time, y));
    }

    /// Sets the forces of loads, elements and contact at y, for which [`System::set_state`] and
    /// [`System::evaluate_contacts`] were called.
    fn apply_known(&mut self, time: f64, y: &[f64]) {
        let Self { bodies, loads, elements, contacts, applied, .. } = self;
        set_loads(loads, bodies.at(time, y), applied);
        elements.apply(bodies.at(time, y), applied);
        applied.add(contacts.forces());
    }

    /// Adds the reactions of the joints at y, which the accelerations under all other forces determine.
    fn apply_reactions(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        if self.joints.is_empty() {
            return Ok(());
        }
        self.joints.react_to(&mut self.bodies, &self.applied.on_bodies, time, y)?;
        self.joints.apply(&mut self.applied);
        Ok(())
    }

    /// Forces of loads, elements, contact and joints at y, for which [`System::set_state`] and
    /// [`System::evaluate_contacts`] were called.
    ///
    /// # Errors
    ///
    /// [`RateError`] where joints lock.
    pub(crate) fn evaluate_reactions(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        if self.n_transmitting() == 0 {
            return Ok(());
        }
        self.apply_known(time, y);
        self.apply_reactions(time, y)
    }

    /// Accelerations of the bodies and forces of the joints at y, for which [`System::set_state`] and
    /// [`System::evaluate_contacts`] were called.
    ///
    /// # Errors
    ///
    /// [`RateError`] where joints lock.
    pub(crate) fn evaluate_accelerations(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        self.apply_known(time, y);
        self.apply_reactions(time, y)?;
        self.bodies.set_accelerations(&self.applied.on_bodies);
        Ok(())
    }

    /// Writes ẏ from velocities and forces, up to the last component that is in use.
    fn write_rates(&mut self, y: &[f64], rate: &mut [f64]) -> Result<(), RateError> {
        self.bodies.write_rates(y, &self.applied.on_bodies, rate);
        self.applied.write_rates(self.bodies.layout(), rate);
        self.contacts.write_rates(self.bodies.layout(), rate)
    }
}

/// Results of an evaluation.
impl System {
    /// Angular velocity of a body frame in its own axes, at the state that was set last \[rad/s\].
    pub fn angular_velocity_b(&self, body: usize) -> Vector3<f64> {
        self.bodies.velocities(body).omega
    }

    /// Balance at y, for which [`System::set_state`] and [`System::evaluate_contacts`] were called.
    pub fn balance(&self, time: f64, y: &[f64]) -> Balance {
        let parts = Parts {
            bodies: &self.bodies,
            contacts: &self.contacts,
            loads: &self.loads,
            spring_energy: self.spring_energy(y),
            may_rest: !self.joints().is_empty() || !self.elements().is_empty() || self.pairs() > 0,
        };
        balance::of(&parts, time, y)
    }

    /// Energy of springs, stops and bushings at y, for which [`System::set_state`] was called \[J\].
    pub fn spring_energy(&self, y: &[f64]) -> f64 {
        self.elements.energy(self.bodies.at(0.0, y))
    }

    /// Writes the transmitted forces at y, for which `evaluate_reactions` was called; one entry for each of
    /// [`System::n_transmitting`].
    pub(crate) fn joint_states(&self, time: f64, y: &[f64], states: &mut [JointState]) {
        write_joint_states(&self.joints, &self.elements, self.bodies.at(time, y), states);
    }

    /// Calls `visit` with the points and forces of all loads on a body but gravity, at a state at which they
    /// were evaluated.
    /// The markers on a body at which joints, springs and applied forces act.
    pub(crate) fn markers_on(&self, body: usize) -> impl Iterator<Item = &Marker> {
        let joints = self.joints.all().iter().flat_map(|joint| &joint.ends);
        let ends = joints.chain(self.elements.ends()).filter(move |end| end.body == Some(body));
        let loads = self.loads.point_loads.iter().filter(move |load| load.body == body);
        ends.map(|end| &end.marker).chain(loads.map(|load| &load.marker))
    }

    pub(crate) fn for_forces_on(
        &self,
        body: usize,
        y: &[f64],
        time: f64,
        visit: &mut dyn FnMut(&Vector3<f64>, &Vector3<f64>),
    ) {
        self.joints.for_forces_on(body, visit);
        self.elements.for_forces_on(body, self.bodies.at(time, y), visit);
        for_loads_on(&self.loads, body, self.bodies.at(time, y), visit);
        self.contacts.for_forces_on(body, visit);
    }
}

/// Takes the angles and gaps of an accepted state y as those from which the next step starts.
fn remember(elements: &mut ForceElements, bodies: &mut Bodies, y: &[f64]) -> Result<(), RateError> {
    if elements.is_empty() {
        return Ok(());
    }
    bodies.set_state(y)?;
    elements.remember(bodies.at(0.0, y));
    Ok(())
}

impl Ode for System {
    type Error = RateError;

    fn dim(&self) -> usize {
        self.layout().dim()
    }

    /// All but impulses, work and damping.
    fn coupled(&self) -> usize {
        self.layout().first_integral()
    }

    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), RateError> {
        self.rate_with(time, y, None, rate)
    }

    /// All but the impulses of pairs in slots that never had one.
    fn in_use(&self) -> usize {
        self.layout().pair_integrals(self.contacts.slots().in_use()).end
    }

    fn rate_in_use(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), RateError> {
        self.set_state(y)?;
        self.evaluate_contact_forces(y)?;
        self.apply_known(time, y);
        self.apply_reactions(time, y)?;
        self.write_rates(y, rate)
    }

    fn oscillates(&self) -> bool {
        self.oscillates
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder<Error = RateError>> {
        Some(self)
    }
}
