//! The time loop: steps, frames, impacts, the balance.

use carom_dynamics::{Balance, BodyState, ContactEvent, LedgerSummary, MeanProbes, Observer};
use carom_fem::internal_force::PointRule;
use carom_progress::Progress;
use nalgebra::Vector3;

use super::body::{ElasticBody, Energies};
use super::contact::{ContactSpec, RowKey};
use super::steps::Steps;
use super::system::{Counts, Elastodynamics};
use super::{Method, RunError, SetupError, StepsError};
use crate::explicit::loads::Loads;
use crate::explicit::{BodyKind, BodySpec, Problem, SideSpec, held};
use crate::mean_turn::{self, TURNED};
use crate::probes::NodalPlace;
use crate::time_loop::{self, Record};
use carom_contact::Law;
use carom_dynamics::rotation;

/// Energy error of the integration relative to the largest energy, above which there is a warning.
const DOUBTFUL: f64 = 0.02;

/// Energy that contact may add, relative to the largest energy, above which there is a warning.
const GAINED: f64 = 1e-3;

/// Time steps and output of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// End of the run \[s\].
    pub end_time: f64,
    /// Time between frames \[s\].
    pub output_every: f64,
    /// Length of a step \[s\]; steps without a solution are halved.
    pub time_step: f64,
    /// Method of all steps.
    pub method: Method,
    /// True if closing contacts give their energy back, see [`Elastodynamics::with_persistency`].
    pub is_persistent: bool,
    /// True if forces of contact follow the gradient of the mixed formulation, see [`ContactSpec::is_mixed`].
    pub is_mixed: bool,
}

/// Works and impulses since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) external: f64,
    /// Work of the multipliers.
    pub(super) contact: f64,
    /// Work of springs with friction, and the loss by friction.
    pub(super) springs: f64,
    pub(super) friction: f64,
    /// Work of the internal forces, of generalised-α with that against the inertia.
    pub(super) internal: f64,
    pub(super) impulse: Vector3<f64>,
    pub(super) ang_impulse: Vector3<f64>,
    /// Elastic energy at the start.
    pub(super) stored: f64,
}

/// A run of a problem.
pub struct Simulation {
    pub(super) system: Elastodynamics,
    loads: Vec<Loads>,
    pub(super) settings: Settings,
    pub(super) steps: Steps,
    pub(super) time: f64,
    pub(super) n_steps: u64,
    pub(super) totals: Totals,
    pub(super) record: Record,
    pub(super) probes: MeanProbes<NodalPlace>,
    /// Rows of the pattern of bodies in contact after the last step.
    pub(super) pattern: Vec<RowKey>,
    /// Largest error of the integration and energy so far, at frames: |D_num|, of generalised-α its gain
    /// \[J\].
    pub(super) missed: [f64; 2],
    pub(super) most_touching: u64,
    /// Largest turn of each body with a law of small strains, at frames \[rad\].
    pub(super) turns: Vec<f64>,
}

impl Simulation {
    /// The bodies at their start.
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the body, load or pair that does not fit.
    pub fn new(problem: &Problem, settings: Settings) -> Result<Self, SetupError> {
        let lengths = [
            ("end_time", settings.end_time),
            ("output_every", settings.output_every),
            ("time_step", settings.time_step),
        ];
        for (name, value) in lengths {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SetupError::Setting { name, value });
            }
        }
        let (mut bodies, mut loads) = (Vec::new(), Vec::new());
        for (number, spec) in problem.bodies.iter().enumerate() {
            let mut body = elastic_body(spec)?;
            let held = held(problem, number, &spec.geometry, body.discretisation(), settings.end_time)?;
            let (dofs, velocities): (Vec<u32>, Vec<f64>) =
                held.iter().map(|held| (held.dof, held.velocity)).unzip();
            body.drive(&dofs, &velocities);
            body.set_gravity(problem.gravity);
            let pose = (rotation::matrix(&spec.placement.quaternion), Vector3::from(spec.placement.origin));
            let mut own = Loads::new(problem, number, &spec.geometry, body.discretisation(), pose)?;
            body.press(own.take_pressures());
            loads.push(own);
            bodies.push(body);
        }
        let contacts = contacts(problem, settings.is_mixed)?;
        let mut system = Elastodynamics::new(bodies, settings.method)?.with_contacts(&contacts)?;
        if settings.is_persistent {
            system = system.with_persistency()?;
        }
        if settings.method.is_alpha() {
            for (body, loads) in system.bodies.iter_mut().zip(&mut loads) {
                if body.is_pressed() {
                    return Err(SetupError::Pressed { body: body.name.clone() });
                }
                loads.forces(0.0, &[], &mut body.force);
            }
            system.start()?;
        }
        let energies = system.energies().map_err(|source| SetupError::Start { source })?;
        let stored = held_energy(&energies, settings.method);
        Ok(Self {
            system,
            loads,
            settings,
            steps: Steps::new(settings.time_step),
            time: 0.0,
            n_steps: 0,
            totals: Totals { stored, ..Totals::default() },
            record: Record::default(),
            probes: MeanProbes::default(),
            pattern: Vec::new(),
            missed: [0.0; 2],
            most_touching: 0,
            turns: vec![0.0; problem.bodies.len()],
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

    /// One step, with the loads of the time of its forces; returns its length.
    pub(super) fn advance(&mut self, progress: &dyn Progress) -> Result<f64, StepsError> {
        let Self { system, loads, steps, time, totals, .. } = self;
        let left = self.settings.end_time - *time;
        let before = (*steps, system.counts);
        let method = self.settings.method;
        let taken = steps.take(method, [*time, left], |h| {
            for (body, loads) in system.bodies.iter_mut().zip(&mut *loads) {
                loads.forces(*time + method.moment_of_forces() * h, &[], &mut body.force);
            }
            system.step_unless(h, &|| progress.interrupted())
        });
        if taken.as_ref().is_err_and(StepsError::is_interrupted) {
            (*steps, system.counts) = before;
        }
        let (length, step) = taken?;
        self.pattern.clear();
        self.pattern.extend_from_slice(system.coupled.keys());
        for body in &system.bodies {
            let sum = body.exchange();
            totals.external += sum.external;
            totals.internal += sum.internal + if method.is_alpha() { sum.inertial } else { 0.0 };
            // Generalised-α moves by the mean of both accelerations with the weights 1 − γ and γ: this mean
            // is larger than the acceleration by its forces by (α_f − ½) (a₁ − a₀).
            totals.impulse += length * (sum.force + (0.5 - method.moment_of_forces()) * sum.lag);
            totals.ang_impulse += length * sum.moment;
        }
        totals.contact += step.contact_work;
        totals.springs += step.spring_work;
        totals.friction += step.friction_loss;
        self.most_touching = self.most_touching.max(step.touching as u64);
        self.time += length;
        self.n_steps += 1;
        Ok(length)
    }

    /// Passes a frame to the observer.
    pub(super) fn hand_over(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let balance = self.balance()?;
        self.record.ledger.record(balance);
        let size = balance.e_kin + balance.e_el;
        // Generalised-alpha is chosen for the energy that it takes.
        let is_alpha = self.settings.method.is_alpha();
        let missed = if is_alpha { -balance.d_num } else { balance.d_num.abs() };
        self.missed = [self.missed[0].max(missed), self.missed[1].max(size)];
        for (turn, body) in self.turns.iter_mut().zip(&self.system.bodies) {
            *turn = turn.max(body.doubtful_turn());
        }
        let states = self.system.bodies.iter().map(ElasticBody::reported).collect();
        let contacts = time_loop::contact_states(&self.system.contacts.pairs);
        self.record.hand_over(observer, self.n_steps, balance, (states, &contacts, &[]))?;
        Ok(())
    }

    /// The balance at present.
    fn balance(&mut self) -> Result<Balance, RunError> {
        let (method, time) = (self.settings.method, self.time);
        let broken = |source| StepsError::new(method, (time, 0.0), source);
        let energies = self.system.energies().map_err(broken)?;
        let totals = self.totals;
        let mut balance = Balance {
            time: self.time,
            e_kin: energies.kinetic,
            e_el: energies.stored,
            e_pot: energies.weight,
            w_ext: totals.external,
            e_con: self.system.spring_energy(),
            d_imp: -totals.contact,
            d_fric: totals.friction,
            momentum: energies.momentum,
            ang_momentum: energies.ang_momentum,
            external_impulse: totals.impulse.into(),
            external_ang_impulse: totals.ang_impulse.into(),
            pen_max: self.system.contacts.pairs.iter().map(|pair| pair.deepest).fold(0.0, f64::max),
            ..Balance::default()
        };
        // The discrete gradient leaves no difference between the stored energy and the work of its forces:
        // the ledger shows any difference as its residual.
        if self.settings.method != Method::EnergyMomentum {
            balance.d_num = totals.internal - (held_energy(&energies, self.settings.method) - totals.stored);
        }
        // Work of springs that neither their energy nor friction has: of the midpoint rule, of nodes that
        // pass an edge, and of an overlap at the start.
        balance.d_con = -(totals.springs + balance.e_con + totals.friction);
        for body in &mut self.system.bodies {
            let (mass, center) = body.mass();
            let own = body.energies().map_err(|source| broken(body.swept(source)))?;
            let size = Vector3::from(own.momentum).norm();
            balance.momentum_scale += size;
            balance.ang_momentum_scale += Vector3::from(own.ang_momentum).norm() + center.norm() * size;
            balance.mass += mass;
            balance.radius = balance.radius.max(center.norm());
        }
        Ok(balance)
    }

    /// Time reached \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Steps taken, and steps that had no solution and were halved.
    pub fn step_counts(&self) -> [u64; 2] {
        self.steps.counts()
    }

    /// Counts of the equations.
    pub fn counts(&self) -> Counts {
        self.system.counts()
    }

    /// The largest number of nodes that touched at a time.
    pub fn most_touching(&self) -> u64 {
        self.most_touching
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

    /// Mass of a body \[kg\].
    pub fn mass(&self, body: usize) -> f64 {
        self.system.bodies[body].mass().0
    }

    /// Number of displacements of a body.
    pub fn n_displacements(&self, body: usize) -> usize {
        self.system.bodies[body].displacements().len()
    }

    /// Warnings about the accuracy, each with its value and a remedy.
    pub fn warnings(&self) -> Vec<String> {
        let turned = self.turns.iter().zip(&self.system.bodies).filter(|(turn, _)| **turn > TURNED);
        let mut out: Vec<String> = turned.map(|(turn, body)| mean_turn::warning(&body.name, *turn)).collect();
        let [missed, energy] = self.missed;
        let is_alpha = self.settings.method.is_alpha();
        if missed > DOUBTFUL * energy {
            out.push(format!(
                "{} {missed:.2e} J, {:.1} % of the energy: use a smaller `simulation.time_step`, or \
                 `energy-momentum`, whose steps have no such error, as the scheme{}",
                if is_alpha { "generalised-alpha has added" } else { "the midpoint rule has an error of" },
                100.0 * missed / energy,
                if is_alpha { " without `spectral_radius`" } else { "" }
            ));
        }
        let gained = self.totals.contact;
        if gained > GAINED * energy {
            out.push(format!(
                "contact has added {gained:.2e} J, {:.2} % of the energy, where nodes moved from face \
                 to face: use a smaller `simulation.time_step`, or a finer surface",
                100.0 * gained / energy
            ));
        }
        let [taken, failed] = self.steps.counts();
        if failed > taken / 10 {
            out.push(format!(
                "{failed} steps had no solution and were halved, beside {taken} that had one: use a smaller \
                 `simulation.time_step`"
            ));
        }
        out
    }
}

/// The energy whose change the internal forces should have as work, of generalised-α with the inertia \[J\].
fn held_energy(energies: &Energies, method: Method) -> f64 {
    energies.stored + if method.is_alpha() { energies.kinetic } else { 0.0 }
}

/// The body of a table, if implicit steps can move it.
fn elastic_body(spec: &BodySpec) -> Result<ElasticBody, SetupError> {
    let name = || spec.geometry.name.clone();
    let BodyKind::Deformable { laws, rule, viscosity } = &spec.kind else {
        return Err(SetupError::NotDeformable { body: name() });
    };
    if spec.geometry.is_structural() {
        return Err(SetupError::Structural { body: name() });
    }
    if *viscosity != [0.0; 2] {
        return Err(SetupError::Viscosity { body: name() });
    }
    if *rule != PointRule::default() {
        return Err(SetupError::Elements { body: name() });
    }
    ElasticBody::new(&spec.geometry, &spec.placement, laws)
}

/// The pairs of surfaces.
fn contacts(problem: &Problem, is_mixed: bool) -> Result<Vec<ContactSpec>, SetupError> {
    let of_pair = |spec: &crate::explicit::ContactSpec| {
        let set = |side: &SideSpec| match side {
            SideSpec::Set(set) => set.clone(),
            SideSpec::Shape(_) => unreachable!("shapes belong to rigid bodies"),
        };
        let pair = || {
            let name = |k: usize| &problem.bodies[spec.bodies[k]].geometry.name;
            format!("`{}` and `{}`", name(0), name(1))
        };
        if spec.law == Law::Hard && spec.friction > 0.0 {
            return Err(SetupError::Friction { pair: pair() });
        }
        if spec.bodies[0] == spec.bodies[1] {
            return Err(SetupError::SameBody { pair: pair() });
        }
        let sets = spec.sides.each_ref().map(set);
        let (law, friction) = (spec.law, spec.friction);
        Ok(ContactSpec { law, friction, is_mixed, bodies: spec.bodies, sets, number: spec.number })
    };
    problem.contacts.iter().map(of_pair).collect()
}
