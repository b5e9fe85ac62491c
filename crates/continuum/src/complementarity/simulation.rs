//! The time loop: steps, frames, impacts, the balance.

use carom_contact::solver::LcpMethod;
use carom_dynamics::{
    Balance, BodyState, ContactEvent, LedgerSummary, MeanProbes, Observer, Placement, rotation,
};
use carom_progress::Progress;
use nalgebra::Vector3;

use super::body::Energies;
use super::setup::{Wall, is_wall, linear_body, pair};
use super::system::{Counts, System};
use super::{BodyOptions, MassKind, RunError, SetupError, StepError};
use crate::explicit::loads::Loads;
use crate::explicit::{Problem, held};
use crate::mean_turn::TURNED;
use crate::probes::NodalPlace;
use crate::time_loop::{self, Record};

/// Turn of a body at which a run ends \[rad\]: the stiffness takes it for a strain of 2 %.
const LARGEST_TURN: f64 = 0.2;

/// Energy that contact may add, relative to the largest energy, above which there is a warning.
const GAINED: f64 = 1e-3;

/// Time steps and output of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// End of the run \[s\].
    pub end_time: f64,
    /// Time between frames \[s\].
    pub output_every: f64,
    /// Length of a step \[s\].
    pub time_step: f64,
    /// Mass of all bodies.
    pub mass: MassKind,
    /// Method for the complementarity problems; the first one that solves a problem if none is given.
    pub method: Option<LcpMethod>,
}

/// Works and impulses since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) external: f64,
    /// Work of all contact forces.
    pub(super) contact: f64,
    /// Losses where nodes arrive, and by friction.
    pub(super) arrival: f64,
    pub(super) friction: f64,
    pub(super) damped: f64,
    pub(super) impulse: Vector3<f64>,
    pub(super) ang_impulse: Vector3<f64>,
    /// Angular impulse of the forces between bodies \[N m s\].
    pub(super) pressed: Vector3<f64>,
}

impl Totals {
    /// Loss of contact that is neither arrival nor friction, negative for a gain: of surfaces that turn or
    /// curve within a step, and of the forces of the start of a step where points have no mass.
    fn missed(&self) -> f64 {
        -self.contact - self.arrival - self.friction
    }
}

/// A run of a problem.
pub struct Simulation {
    pub(super) system: System,
    /// Number among the deformable bodies of each body; none of walls.
    pub(super) which: Vec<Option<usize>>,
    walls: Vec<Wall>,
    loads: Vec<Loads>,
    /// Loads at the start of the step \[N\].
    at_start: Vec<Vec<f64>>,
    pub(super) settings: Settings,
    pub(super) time: f64,
    pub(super) n_steps: u64,
    pub(super) totals: Totals,
    pub(super) record: Record,
    pub(super) probes: MeanProbes<NodalPlace>,
    /// Largest energy \[J\] and size of the angular momentum \[N m s\] at frames.
    pub(super) most_energy: f64,
    pub(super) most_spin: f64,
    /// Largest turn of each deformable body, at frames \[rad\].
    pub(super) turns: Vec<f64>,
}

impl Simulation {
    /// The bodies at their start.
    ///
    /// * `options` — of each body of the problem; those of walls are ignored
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the body, load or pair that does not fit.
    ///
    /// # Panics
    ///
    /// If there are not as many options as bodies.
    pub fn new(problem: &Problem, options: &[BodyOptions], settings: Settings) -> Result<Self, SetupError> {
        assert_eq!(options.len(), problem.bodies.len(), "options of each body");
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
        let (mut bodies, mut loads, mut which, mut walls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, (spec, options)) in problem.bodies.iter().zip(options).enumerate() {
            if is_wall(spec)? {
                walls.push(Wall::new(spec));
                which.push(None);
                continue;
            }
            let mut body = linear_body(problem, number, spec, options, settings.mass)?;
            let held = held(problem, number, &spec.geometry, &body.discretisation, settings.end_time)?;
            let (dofs, velocities) = held.iter().map(|held| (held.dof, held.velocity)).unzip();
            body.drive(dofs, velocities);
            body.set_gravity(problem.gravity);
            let pose = (rotation::matrix(&spec.placement.quaternion), Vector3::from(spec.placement.origin));
            loads.push(Loads::new(problem, number, &spec.geometry, &body.discretisation, pose)?);
            which.push(Some(bodies.len()));
            bodies.push(body);
        }
        if let Some(rigid) = problem.rigid_contacts.first() {
            let [a, b] = rigid.bodies.map(|body| &problem.bodies[body].geometry.name);
            return Err(SetupError::NotTwoBodies { pair: format!("`{a}` and `{b}`") });
        }
        let pairs = problem.contacts.iter().map(|spec| pair(problem, spec, (&bodies, &which), &settings));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        let at_start = bodies.iter().map(|body| vec![0.0; body.load.len()]).collect();
        let turns = vec![0.0; bodies.len()];
        let mut made = Self {
            system: System::new(bodies, pairs, settings.method),
            which,
            walls,
            loads,
            at_start,
            settings,
            time: 0.0,
            n_steps: 0,
            totals: Totals::default(),
            record: Record::default(),
            probes: MeanProbes::default(),
            most_energy: 0.0,
            most_spin: 0.0,
            turns,
        };
        made.load_at(0.0);
        Ok(made)
    }

    /// Runs to the end time, from the start or from a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError`].
    pub fn run(&mut self, observer: &mut dyn Observer, progress: &dyn Progress) -> Result<(), RunError> {
        time_loop::run(self, observer, progress)
    }

    /// Sets the loads at the start of the next step.
    pub(super) fn load_at(&mut self, time: f64) {
        for (loads, at_start) in self.loads.iter_mut().zip(&mut self.at_start) {
            loads.forces(time, &[], at_start);
        }
    }

    /// One step with the mean of the loads at its ends; returns its length.
    pub(super) fn advance(&mut self) -> Result<f64, StepError> {
        let wanted = self.settings.time_step;
        let left = self.settings.end_time - self.time;
        // Other lengths need a factor of their own.
        let is_whole = left >= (1.0 - 1e-6) * wanted;
        let length = if is_whole { wanted } else { left };
        // Not a sum of lengths, whose rounding a resumed run would not have.
        let end = if is_whole { (self.n_steps + 1) as f64 * wanted } else { self.settings.end_time };
        for ((body, loads), at_start) in
            self.system.bodies.iter_mut().zip(&mut self.loads).zip(&mut self.at_start)
        {
            body.load.copy_from_slice(at_start);
            loads.forces(end, &[], at_start);
            body.load.iter_mut().zip(&*at_start).for_each(|(mean, end)| *mean = 0.5 * (*mean + end));
        }
        self.system.step(self.time, length)?;
        let (sum, losses) = self.system.exchange(length);
        let totals = &mut self.totals;
        totals.external += sum.external;
        totals.contact += sum.contact;
        totals.arrival += losses.arrival;
        totals.friction += losses.friction;
        totals.damped += sum.damped;
        totals.impulse += length * sum.force;
        totals.ang_impulse += length * sum.moment;
        totals.pressed += length * sum.pressed;
        self.n_steps += 1;
        self.time = end;
        Ok(length)
    }

    /// Passes a frame to the observer.
    pub(super) fn hand_over(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let balance = self.balance();
        self.record.ledger.record(balance);
        self.most_energy = self.most_energy.max(balance.e_kin + balance.e_el);
        self.most_spin = self.most_spin.max(balance.ang_momentum_scale);
        for (most, body) in self.turns.iter_mut().zip(&self.system.bodies) {
            let turn = body.turn();
            *most = most.max(turn);
            if turn > LARGEST_TURN {
                let (body, time, strain) = (body.name.clone(), self.time, 0.5 * turn * turn);
                return Err(StepError::Turned { body, time, turn, strain }.into());
            }
        }
        let mut walls = self.walls.iter();
        let state = |which: &Option<usize>| match which {
            Some(body) => self.system.bodies[*body].reported(),
            None => {
                let placement = walls.next().map(|wall| wall.placement).unwrap_or_default();
                let Placement { origin: position, quaternion, .. } = placement;
                BodyState { position, quaternion, ..BodyState::default() }
            }
        };
        let states = self.which.iter().map(state).collect();
        let contacts = time_loop::contact_states(&self.system.contacts.pairs);
        self.record.hand_over(observer, self.n_steps, balance, (states, &contacts, &[]))?;
        Ok(())
    }

    /// The balance at present.
    fn balance(&mut self) -> Balance {
        let totals = self.totals;
        let pairs = &self.system.contacts.pairs;
        let mut balance = Balance {
            time: self.time,
            w_ext: totals.external,
            d_mat: totals.damped,
            d_fric: totals.friction,
            d_imp: totals.arrival,
            d_num: totals.missed(),
            external_impulse: totals.impulse.into(),
            external_ang_impulse: totals.ang_impulse.into(),
            pen_max: pairs.iter().map(|pair| pair.history.deepest).fold(0.0, f64::max),
            ..Balance::default()
        };
        let (mut momentum, mut ang_momentum) = (Vector3::zeros(), Vector3::zeros());
        for body in &mut self.system.bodies {
            let Energies { kinetic, stored, weight, momentum: p, ang_momentum: l } = body.energies();
            balance.e_kin += kinetic;
            balance.e_el += stored;
            balance.e_pot += weight;
            momentum += p;
            ang_momentum += l;
            let (mass, center) = body.center();
            balance.momentum_scale += p.norm();
            balance.ang_momentum_scale += l.norm() + center.norm() * p.norm();
            balance.mass += mass;
            balance.radius = balance.radius.max(center.norm());
        }
        (balance.momentum, balance.ang_momentum) = (momentum.into(), ang_momentum.into());
        balance
    }

    /// Time reached \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Counts of the complementarity problems.
    pub fn counts(&self) -> Counts {
        self.system.counts
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
        match self.which[body] {
            Some(number) => self.system.bodies[number].center().0,
            None => self.wall(body).mass,
        }
    }

    /// A wall.
    ///
    /// * `body` — its number in the problem
    pub(super) fn wall(&self, body: usize) -> &Wall {
        let before = self.which[..body].iter().filter(|which| which.is_none()).count();
        &self.walls[before]
    }

    /// Number of displacements of a body; 0 of walls.
    pub fn n_displacements(&self, body: usize) -> usize {
        self.which[body].map_or(0, |number| self.system.bodies[number].load.len())
    }

    /// Displacements of all points of a body \[m\]; empty for walls.
    pub fn displacements(&self, body: usize) -> &[f64] {
        self.which[body].map_or(&[], |number| &self.system.bodies[number].state.u)
    }

    /// Warnings about the accuracy, each with its value and a remedy.
    pub fn warnings(&self) -> Vec<String> {
        let turned = self.turns.iter().zip(&self.system.bodies).filter(|(turn, _)| **turn > TURNED);
        let mut out: Vec<String> = turned
            .map(|(turn, body)| {
                format!(
                    "body `{}` turned by {turn:.2e} rad: the linear stiffness sees a strain of {:.1e} in \
                     that; choose the scheme `energy-momentum` or `midpoint` with `law = \
                     \"st-venant-kirchhoff\"`",
                    body.name,
                    0.5 * turn * turn
                )
            })
            .collect();
        let gained = -self.totals.missed();
        if gained > GAINED * self.most_energy {
            out.push(format!(
                "contact has added {gained:.2e} J, {:.2} % of the energy, where surfaces are curved, slide, \
                 or part under pressure: use a smaller `simulation.time_step`",
                100.0 * gained / self.most_energy
            ));
        }
        let moment = self.pressed_moment().norm();
        if moment > GAINED * self.most_spin {
            out.push(format!(
                "forces between bodies have added {moment:.2e} N m s to the angular momentum, {:.2} % of it: \
                 linear theory takes moments about undeformed bodies, whose surfaces are not at one place; \
                 use a finer mesh where they slide, or the scheme `energy-momentum`",
                100.0 * moment / self.most_spin
            ));
        }
        out
    }

    /// Angular impulse of the forces between bodies since the start, which the ledger has as residual: node
    /// and foot point are at one place, but not the places of the undeformed bodies \[N m s\].
    pub fn pressed_moment(&self) -> Vector3<f64> {
        self.totals.pressed
    }
}
