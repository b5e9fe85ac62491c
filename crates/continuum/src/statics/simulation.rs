//! A static run: the load in steps, each passed to an observer.

use carom_dynamics::{
    BodyState, ContactEvent, ContactState, Frame, Ignore, Ledger, LedgerSummary, Observer, ObserverError,
};
use carom_progress::Progress;

use super::body::StaticBody;
use super::contacts::Contacts;
use super::doubts::doubts;
use super::equilibrium::{Balanced, Search, check_held};
use super::outcome::LoadStep;
use super::problem::Problem;
use super::state::{BodyResult, balance, body_result};
use super::{EquilibriumError, RunError, SetupError};

/// Bodies with their factorised stiffness, and the contacts between them.
pub struct System {
    pub(super) bodies: Vec<StaticBody>,
    pub(super) contact: Option<Contacts>,
}

impl System {
    /// Assembles and factorises the bodies and condenses their contacts.
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the body, support, load or contact that is wrong.
    pub fn new(problem: &Problem, progress: &dyn Progress) -> Result<Self, SetupError> {
        let mut bodies = Vec::with_capacity(problem.bodies.len());
        for number in 0..problem.bodies.len() {
            bodies.push(StaticBody::new(problem, number, progress)?);
        }
        let touched = |number: usize| problem.contacts.iter().any(|pair| pair.bodies.contains(&number));
        check_held(&bodies, touched)?;
        let contact = Contacts::new(problem, &bodies, progress)?;
        Ok(Self { bodies, contact })
    }

    /// Mass of a body \[kg\].
    pub fn mass(&self, body: usize) -> f64 {
        self.bodies[body].mass()
    }

    /// Number of displacements of a body: three a point, none of a rigid body.
    pub fn n_displacements(&self, body: usize) -> usize {
        let body = &self.bodies[body];
        if body.elastic.is_some() { body.discretisation.n_dofs() } else { 0 }
    }

    /// The surfaces of a contact pair, `BODY:SET`: the one that carries the pressure, the other one.
    pub fn surfaces(&self, pair: usize) -> Option<&[String; 2]> {
        self.contact.as_ref()?.surfaces(pair)
    }

    /// The equilibrium under a part of the load.
    fn solve(
        &mut self,
        (step, part): (usize, f64),
        start: &Balanced,
        progress: &dyn Progress,
    ) -> Result<Balanced, EquilibriumError> {
        let Some(contact) = &mut self.contact else { return Ok(start.clone()) };
        let mut search = Search { bodies: &self.bodies, contact, step, part, evaluations: 0 };
        let mut found = search.run(&start.motion, progress)?;
        let mut round = 1;
        while search.contact.adapt(step, round)? {
            found = search.run(&found.motion, progress)?;
            round += 1;
        }
        contact.check_spots(step)?;
        found.rims = contact.check_rims()?;
        Ok(found)
    }

    pub(super) fn at_rest(&self) -> Balanced {
        let motion = self.bodies.iter().map(|body| vec![0.0; body.motions.len()]).collect();
        Balanced { motion, ..Balanced::default() }
    }

    fn results(
        &self,
        part: f64,
        balanced: &Balanced,
        contact: Option<&Contacts>,
        progress: &dyn Progress,
    ) -> Result<Vec<BodyResult>, EquilibriumError> {
        let bodies = self.bodies.iter().enumerate();
        bodies.map(|(number, body)| body_result(number, body, part, balanced, contact, progress)).collect()
    }
}

/// Load steps of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Number of equal parts of loads and prescribed displacements.
    pub load_steps: usize,
    /// Pseudo-time at which the full load acts \[s\].
    pub end_time: f64,
}

/// Receiver of a static run. The run stops at the first error.
pub trait StaticObserver: Observer {
    /// Forces and pressures in the equilibrium of the last frame.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be kept.
    fn load_step(&mut self, step: &LoadStep) -> Result<(), ObserverError>;
}

impl StaticObserver for Ignore {
    fn load_step(&mut self, _: &LoadStep) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// A run of a system to the full load.
pub struct Simulation {
    /// Bodies and contacts.
    pub system: System,
    settings: Settings,
    pub(super) ledger: Ledger,
    /// Number of load steps, and of evaluations of the contact.
    pub(super) counts: [u64; 2],
    pub(super) time: f64,
    states: Vec<BodyState>,
    /// For each pair with contact the time of first contact, and its largest force.
    pub(super) events: Vec<Option<ContactEvent>>,
    last: LoadStep,
    /// The last equilibrium, from which the next is sought.
    pub(super) balanced: Balanced,
    pub(super) fallbacks: u64,
    /// Pressure at rims in the last load step.
    rims: Vec<String>,
}

impl Simulation {
    /// A system without load.
    pub fn new(system: System, settings: Settings) -> Self {
        let n_pairs = system.contact.as_ref().map_or(0, Contacts::len);
        Self {
            settings,
            ledger: Ledger::default(),
            counts: [0; 2],
            time: 0.0,
            states: Vec::new(),
            events: vec![None; n_pairs],
            last: LoadStep::default(),
            balanced: system.at_rest(),
            system,
            fallbacks: 0,
            rims: Vec::new(),
        }
    }

    /// Passes the unloaded state and all load steps to the observer, or those after the checkpoint from which
    /// the run continues. Each is a frame at the pseudo-time `end_time` times the part of the load. Contacts
    /// are passed on at the end of the run, also after an error.
    ///
    /// # Errors
    ///
    /// [`RunError`].
    pub fn run(
        &mut self,
        observer: &mut dyn StaticObserver,
        progress: &dyn Progress,
    ) -> Result<(), RunError> {
        let ended = self.run_on(observer, progress);
        if !matches!(ended, Err(RunError::Observer(_))) {
            for event in self.events.iter().flatten() {
                observer.contact_event(event)?;
            }
        }
        ended
    }

    fn run_on(&mut self, observer: &mut dyn StaticObserver, progress: &dyn Progress) -> Result<(), RunError> {
        let steps = self.settings.load_steps;
        let taken = self.counts[0] as usize;
        if taken == 0 {
            self.unloaded(observer, progress)?;
        }
        progress.begin("load steps", steps as u64);
        for step in taken + 1..=steps {
            let part = step as f64 / steps as f64;
            self.balanced = self.system.solve((step, part), &self.balanced, progress)?;
            self.record(part, observer, progress)?;
            if step < steps {
                observer.checkpoint(&self.checkpoint())?;
            }
            progress.set(step as u64);
            if progress.interrupted() {
                return Err(RunError::Interrupted);
            }
        }
        progress.end();
        Ok(())
    }

    /// Pseudo-time reached \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Load steps taken.
    pub fn n_steps(&self) -> u64 {
        self.counts[0]
    }

    /// Evaluations of the contact.
    pub fn n_evaluations(&self) -> u64 {
        self.counts[1]
    }

    /// Evaluations of the contact that needed the fallback of the solver.
    pub fn n_fallbacks(&self) -> u64 {
        self.fallbacks
    }

    /// Forces and pressures in the last equilibrium.
    pub fn last(&self) -> &LoadStep {
        &self.last
    }

    /// The bodies in the last equilibrium.
    pub fn body_states(&self) -> &[BodyState] {
        &self.states
    }

    /// The pairs with contact: time of first contact, and largest force.
    pub fn events(&self) -> Vec<ContactEvent> {
        self.events.iter().flatten().copied().collect()
    }

    /// Errors of the balance so far.
    pub fn summary(&self) -> LedgerSummary {
        self.ledger.summary()
    }

    /// Sentences about solutions that were found without a factor.
    pub fn notes(&self) -> Vec<String> {
        self.system.bodies.iter().filter_map(StaticBody::printed).collect()
    }

    /// Warnings about the last equilibrium: pressure at rims, unbalanced forces, bodies beyond linear theory,
    /// surfaces that do not resolve their contact.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.rims.clone();
        warnings.extend(doubts(&self.last));
        warnings.extend(self.system.contact.iter().flat_map(Contacts::doubts));
        warnings
    }

    /// Frame 0: no load, no displacement, the contact not evaluated.
    fn unloaded(
        &mut self,
        observer: &mut dyn StaticObserver,
        progress: &dyn Progress,
    ) -> Result<(), RunError> {
        let bodies = self.system.results(0.0, &self.balanced, None, progress)?;
        let open = ContactState::far();
        let contacts = vec![open; self.events.len()];
        self.states = bodies.iter().map(|body| body.state.clone()).collect();
        let balance = balance(self.time, &bodies, None, 0.0);
        self.frame(balance, &contacts, observer)
    }

    /// Passes a load step to the observer.
    fn record(
        &mut self,
        part: f64,
        observer: &mut dyn StaticObserver,
        progress: &dyn Progress,
    ) -> Result<(), RunError> {
        let (contact, balanced) = (self.system.contact.as_ref(), &self.balanced);
        let bodies = self.system.results(part, balanced, contact, progress)?;
        self.time = self.settings.end_time * part;
        self.counts[0] += 1;
        self.counts[1] += balanced.evaluations;
        self.rims = balanced.rims.iter().map(ToString::to_string).collect();
        self.fallbacks += contact.map_or(0, |contact| contact.fallbacks() as u64);
        let contacts = contact.map_or_else(Vec::new, Contacts::states);
        let pairs = contact.map_or_else(Vec::new, Contacts::pair_outcomes);
        let balance = balance(self.time, &bodies, contact, balanced.residual);
        self.states = bodies.iter().map(|body| body.state.clone()).collect();
        self.frame(balance, &contacts, observer)?;
        let bodies = bodies.into_iter().map(|body| body.forces).collect();
        self.last = LoadStep { bodies, pairs, residual: self.balanced.residual };
        observer.load_step(&self.last)?;
        for (pair, (event, state)) in self.events.iter_mut().zip(&contacts).enumerate() {
            touch(event, pair, self.time, state);
        }
        Ok(())
    }

    fn frame(
        &mut self,
        balance: carom_dynamics::Balance,
        contacts: &[ContactState],
        observer: &mut dyn StaticObserver,
    ) -> Result<(), RunError> {
        let row = self.ledger.record(balance);
        let (time, steps) = (self.time, self.counts[0]);
        let frame = Frame { time, steps, bodies: &self.states, contacts, joints: &[], ledger: &row };
        Ok(observer.frame(&frame)?)
    }
}

/// Records the contact of a pair: time of first contact, and largest force.
fn touch(event: &mut Option<ContactEvent>, pair: usize, time: f64, state: &ContactState) {
    if state.normal_force > 0.0 {
        let event = event.get_or_insert(ContactEvent { pair, start: time, open: true, ..Default::default() });
        event.end = time;
        event.max_approach = event.max_approach.max(-state.free_gap);
        if state.normal_force > event.peak_force {
            (event.peak_force, event.peak_time) = (state.normal_force, time);
        }
    }
}
