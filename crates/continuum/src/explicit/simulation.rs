//! The time loop: steps, frames, impacts, checkpoints.

mod reported;

use std::time::{Duration, Instant};

use carom_dynamics::{
    Balance, BodyState, Checkpoint, ContactEvent, ContactState, JointState, LedgerSummary, MeanProbes,
    Observer, ObserverError, SurfacePressures,
};
use carom_progress::Progress;

use super::bodies::Bodies;
use super::books::Books;
use super::contact::{ContactCounts, Contacts};
use super::deformable::Deformable;
use super::flexible::MaterialEnergies;
use super::probed::On;
use super::problem::{Problem, Settings};
use super::step::System;
use super::step_size::StepSize;
use super::which::Which;
use super::{RunError, SetupError, StepError};
use crate::time_loop::{self, March, Record, Taken};

/// A run of a problem.
pub struct Simulation {
    pub(super) system: System,
    pub(super) settings: Settings,
    pub(super) record: Record,
    pub(super) probes: MeanProbes<On>,
    /// Largest |D_num| and energy so far, at frames \[J\].
    pub(super) missed: [f64; 2],
    /// Largest energy of hourglass control and of all deformation so far, at frames \[J\].
    pub(super) hourglass: [f64; 2],
    /// Largest turn of each deformable body with a law of small strains, at frames \[rad\].
    pub(super) turns: Vec<f64>,
    /// Wall time in frames and checkpoints so far.
    in_output: Duration,
}

impl Simulation {
    /// The bodies at their start.
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the body, load or pair that does not fit.
    pub fn new(problem: &Problem, settings: Settings) -> Result<Self, SetupError> {
        check(&settings)?;
        let mut bodies = Bodies::new(problem, settings.end_time)?;
        let no_sweep = |(body, source)| SetupError::Sweep { body, source };
        if let Some(step) = problem.smallest_step {
            check_smallest_step(step, &settings)?;
            let mut whole = bodies.flexible.iter().filter_map(Deformable::whole);
            if let Some(body) = whole.find(|body| body.turning().is_some()) {
                return Err(SetupError::MassOfShells { body: body.name.clone() });
            }
            bodies.add_mass(problem, step / settings.courant).map_err(no_sweep)?;
        }
        let size = StepSize::new(&mut bodies, settings.courant, settings.time_step)
            .map_err(no_sweep)?
            .ok_or(SetupError::NoStep)?;
        let dt = size.dt.min(settings.end_time);
        bodies.start(dt)?;
        let mut contacts = Contacts::new(problem, &bodies)?;
        contacts.set_accuracy(settings.contact_tolerance, settings.step_rule);
        let n_flexible = bodies.flexible.len();
        let system = System {
            bodies,
            contacts,
            books: Books::default(),
            size,
            time: 0.0,
            steps: 0,
            lengths: [dt; 2],
            in_contact: Duration::ZERO,
        };
        Ok(Self {
            system,
            settings,
            record: Record::default(),
            probes: MeanProbes::default(),
            missed: [0.0; 2],
            hourglass: [0.0; 2],
            turns: vec![0.0; n_flexible],
            in_output: Duration::ZERO,
        })
    }

    /// Runs to the end time, from the start or from a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError`].
    pub fn run(&mut self, observer: &mut dyn Observer, progress: &dyn Progress) -> Result<(), RunError> {
        time_loop::run(self, observer, progress)
    }

    /// Updates the contact events of the present step.
    fn follow(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let (now, dt_mean) = (self.system.time, self.system.dt_mean());
        let System { bodies, contacts, .. } = &mut self.system;
        let mut take = |event| self.record.take(observer, event);
        contacts.follow(bodies, [now, dt_mean], &mut take)?;
        match &mut bodies.rigid {
            Some(rigid) => rigid.follow(now, take),
            None => Ok(()),
        }
    }

    /// Passes a frame at t_n to the observer.
    fn hand_over(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let begin = Instant::now();
        let balance = self.record()?;
        let states = self.system.body_states();
        let contacts: Vec<ContactState> = self.system.contact_states();
        for (turn, body) in self.turns.iter_mut().zip(&self.system.bodies.flexible) {
            if let Some(body) = body.whole().filter(|body| body.is_linear()) {
                *turn = turn.max(body.turn());
            }
        }
        let (time, share) = (self.system.time, self.system.books.share);
        let joints = self.system.bodies.rigid.as_mut().map(|rigid| rigid.joint_states(time, share));
        let joints: Vec<JointState> = joints.unwrap_or_default();
        self.record.hand_over(observer, self.system.steps, balance, (states, &contacts, &joints))?;
        self.in_output += begin.elapsed();
        Ok(())
    }

    fn record(&mut self) -> Result<Balance, RunError> {
        let balance = self.system.balance()?;
        self.record.ledger.record(balance);
        let size = balance.e_kin + balance.e_el + balance.e_con + balance.d_pl;
        let internal = balance.e_el + balance.d_pl + balance.e_hg;
        self.hourglass = [self.hourglass[0].max(balance.e_hg), self.hourglass[1].max(internal)];
        let missed = balance.d_num + balance.d_con;
        self.missed = [self.missed[0].max(missed.abs()), self.missed[1].max(size)];
        self.check_stability(&balance)?;
        Ok(balance)
    }

    /// Stable steps miss a small part of the energy that moves; unstable ones make any amount.
    fn check_stability(&self, balance: &Balance) -> Result<(), StepError> {
        let start = self.record.ledger.initial.unwrap_or_default();
        let there =
            start.e_kin.abs() + start.e_el + balance.w_ext.abs() + (balance.e_pot - start.e_pot).abs();
        let made = -(balance.d_num + balance.d_con);
        if made <= there.max(self.system.bodies.round_off()) {
            return Ok(());
        }
        let size = &self.system.size;
        let (time, dt, critical) = (self.system.time, size.dt, size.critical);
        Err(StepError::Unstable { time, made, dt, critical })
    }

    /// Time reached \[s\].
    pub fn time(&self) -> f64 {
        self.system.time
    }

    /// Steps taken.
    pub fn n_steps(&self) -> u64 {
        self.system.steps
    }

    /// Bodies at the last frame.
    pub fn body_states(&self) -> &[BodyState] {
        &self.record.states
    }

    /// Impacts so far, in the order in which they ended.
    pub fn events(&self) -> &[ContactEvent] {
        &self.record.events
    }

    /// Errors of the balance so far.
    pub fn summary(&self) -> LedgerSummary {
        self.record.ledger.summary()
    }

    /// Largest error of an equation of a joint at t_{n+1/2}, in metres or as the cosine of an angle.
    pub fn joint_error(&self) -> f64 {
        self.system.bodies.rigid.as_ref().map_or(0.0, |rigid| rigid.system.joint_error())
    }

    /// Counts of the contact solution.
    pub fn contact_counts(&self) -> ContactCounts {
        self.system.contacts.counts
    }

    /// Wall time of this run in contact (search, multipliers, impacts of rigid bodies), and in frames and
    /// checkpoints \[s\]. A resumed run counts its own time alone.
    pub fn seconds(&self) -> [f64; 2] {
        [self.system.in_contact, self.in_output].map(|spent| spent.as_secs_f64())
    }

    /// The last critical step, the smallest one so far, and the present step \[s\].
    pub fn step_sizes(&self) -> [f64; 3] {
        let size = &self.system.size;
        [size.critical, size.least_critical, size.dt]
    }
}

impl March for Simulation {
    type Error = StepError;

    const REPORT: u64 = 64;

    fn clock(&self) -> (f64, u64) {
        (self.system.time, self.system.steps)
    }

    fn end_time(&self) -> f64 {
        self.settings.end_time
    }

    /// The forces at t_n, with the frame and the events of that time; then the step to t_{n+1}.
    fn step(&mut self, observer: &mut dyn Observer, _: &dyn Progress) -> Result<Taken, RunError> {
        let left = self.settings.end_time - self.system.time;
        // The remainder is rounding, or a further step.
        let is_last = left <= 1e-9 * self.system.size.dt;
        self.system.accelerate(if is_last { self.system.lengths[0] } else { left })?;
        self.follow(observer)?;
        if is_last {
            return Ok(Taken::End);
        }
        if self.record.is_due(self.system.time, self.system.lengths[1], self.settings.output_every) {
            self.hand_over(observer)?;
        }
        if !self.probes.is_empty() {
            self.sample(observer)?;
        }
        self.system.advance()?;
        Ok(Taken::Step)
    }

    fn note(&self) -> String {
        format!("t = {:.3e} s, step {:.2e} s", self.system.time, self.system.size.dt)
    }

    fn checkpoint(&self) -> Checkpoint {
        Simulation::checkpoint(self)
    }

    fn save(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let begin = Instant::now();
        observer.checkpoint(&Simulation::checkpoint(self))?;
        self.in_output += begin.elapsed();
        Ok(())
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let now = self.system.time;
        let System { bodies, contacts, .. } = &mut self.system;
        let mut take = |event| self.record.take(observer, event);
        contacts.finish_events(bodies, now, &mut take)?;
        if let Some(rigid) = &mut bodies.rigid {
            rigid.finish_events(now, take)?;
        }
        self.hand_over(observer)?;
        self.sample(observer)?;
        Ok(())
    }
}

impl System {
    /// The balance at t_n.
    fn balance(&mut self) -> Result<Balance, StepError> {
        let mut energies = MaterialEnergies::default();
        for body in &mut self.bodies.flexible {
            let (time, step) = (self.time, self.steps);
            let own = body.energies().map_err(|source| StepError::Sweep {
                time,
                step,
                body: body.name().to_owned(),
                source,
            })?;
            energies.stored += own.stored;
            energies.plastic += own.plastic;
            energies.damped += own.damped;
            (0..2).for_each(|i| energies.hourglass[i] += own.hourglass[i]);
        }
        Ok(self.books.balance(self.time, &self.bodies, &self.contacts, energies))
    }

    /// All bodies at t_n, in the order of the problem.
    fn body_states(&mut self) -> Vec<BodyState> {
        let rigid =
            self.bodies.rigid.as_ref().map(|rigid| rigid.reported(self.books.share)).unwrap_or_default();
        let Bodies { flexible, which, .. } = &mut self.bodies;
        let of = |which: &Which| match *which {
            Which::Flexible(k) => flexible[k].reported(&self.books.bodies[k], self.books.share),
            Which::Rigid(k) => rigid[k].clone(),
        };
        which.iter().map(of).collect()
    }

    /// Number of contacts: the largest number of one, plus one.
    pub(super) fn n_contacts(&self) -> usize {
        let numbers = self.contacts.pairs.iter().map(|pair| pair.number);
        let of_rigid = self.bodies.rigid.iter().flat_map(|rigid| rigid.contacts.numbers());
        numbers.chain(of_rigid).map(|number| number + 1).max().unwrap_or(0)
    }

    /// All contacts at t_n, by their numbers.
    fn contact_states(&self) -> Vec<ContactState> {
        let rigid = self.bodies.rigid.as_ref();
        let nothing = ContactState::far();
        let mut states = vec![nothing; self.n_contacts()];
        for (k, pair) in self.contacts.pairs.iter().enumerate() {
            let mut surfaces = self.contacts.pressures(k, self.dt_mean());
            let [force, normal_force] = pair.forces();
            let normal_force = if pair.is_automatic { pair.pressed } else { normal_force.norm() };
            let of_first = if pair.is_automatic { None } else { surfaces.pop() };
            let SurfacePressures { faces: pressure_faces, pressures, .. } = of_first.unwrap_or_default();
            states[pair.number] = ContactState {
                force: force.into(),
                normal_force,
                free_gap: pair.least_gap,
                pressure_faces,
                pressures,
                surfaces,
                ..ContactState::default()
            };
        }
        if let Some(rigid) = rigid {
            rigid.add_contact_states(&mut states);
        }
        states
    }
}

fn check_smallest_step(step: f64, settings: &Settings) -> Result<(), SetupError> {
    if !(step > 0.0 && step.is_finite()) {
        return Err(SetupError::Setting { name: "mass_scaling", value: step, more: "" });
    }
    match settings.time_step {
        Some(value) => {
            let more = ", and without `mass_scaling`, which chooses the step";
            Err(SetupError::Setting { name: "time_step", value, more })
        }
        None => Ok(()),
    }
}

fn check(settings: &Settings) -> Result<(), SetupError> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    for (name, value) in [("end_time", settings.end_time), ("output_every", settings.output_every)] {
        if !positive(value) {
            return Err(SetupError::Setting { name, value, more: "" });
        }
    }
    if !(positive(settings.courant) && settings.courant <= 1.0) {
        let more = ", at most 1, above which central differences are unstable";
        return Err(SetupError::Setting { name: "courant", value: settings.courant, more });
    }
    if !(0.0..=0.1).contains(&settings.contact_tolerance) {
        let more = ", or 0 for round-off, and at most 0.1 of a face";
        let (name, value) = ("contact_tolerance", settings.contact_tolerance);
        return Err(SetupError::Setting { name, value, more });
    }
    match settings.time_step {
        Some(value) if !positive(value) => Err(SetupError::Setting { name: "time_step", value, more: "" }),
        _ => Ok(()),
    }
}
