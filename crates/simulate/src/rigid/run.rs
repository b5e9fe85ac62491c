//! A run of the scheme `rigid`.

use carom_dynamics::{Checkpoint, LedgerSummary, repeated_equations};
use carom_fem::Body;
use carom_format::result::ResultBody;
use carom_format::scenario::model::{BodySpec, Scenario};
use carom_progress::Progress;
use carom_rigid::{Displaced, RigidBody, Simulation, System};

use super::doubts::{Doubts, smallest_extent};
use super::error::RigidSetUpError;
use super::everything::left_out;
use super::repeated::one_way;
use super::rolling::rolling_on_points;
use super::setup::{named, simulation};
use crate::error::At;
use crate::outcome::{Described, RunEnd, RunSummary, described, described_pair, unbalanced};
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::recorder::Recorder;
use crate::run::{Run, RunError};
use crate::system::joints::{described as described_joints, motion_begins_elsewhere};
use crate::system::probes::described as described_probes;

/// Name of a counter: contacts that every step has missed.
pub(crate) const MISSED_CONTACTS: &str = "missed_contacts";

/// Name of the counter of contact impulses.
pub(crate) const CONTACT_IMPULSES: &str = "contact_impulses";

/// Relative error of the energy above which there is a warning: these runs conserve energy to round-off.
const ENERGY_ERROR: f64 = 1e-8;

/// A run of rigid bodies.
pub(crate) struct RigidRun<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    geometries: Vec<&'a Body>,
    simulation: Simulation,
    /// Sentences about joints that say the same twice, and about motions that begin elsewhere.
    of_joints: Vec<String>,
}

impl<'a> RigidRun<'a> {
    /// Puts bodies and pairs together.
    ///
    /// * `time_step` — length of all steps \[s\]
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        time_step: f64,
    ) -> Result<Self, At<RigidSetUpError>> {
        let geometries = geometries(scenario, prepared)?;
        let simulation = simulation(scenario, &geometries, time_step)?;
        let system = &simulation.system;
        let repeated = system.repeated_equations();
        let repeated = repeated.into_iter().map(|(joint, n)| repeated_equations(joint, n));
        let of_joints = repeated.chain(displaced(system)).collect();
        Ok(Self { scenario, prepared, geometries, simulation, of_joints })
    }

    /// A sentence about bodies that may have rolled on points.
    fn rolling(&self) -> Option<String> {
        let (events, step) = (self.simulation.events(), self.simulation.system.time_step());
        rolling_on_points(self.scenario, &self.geometries, events, step)
    }
}

impl Run for RigidRun<'_> {
    fn described(&mut self) -> Described {
        let body = |((spec, ready), body): ((&BodySpec, &PreparedBody), &RigidBody)| ResultBody {
            mass: body.mass,
            frame_origin: body.com.into(),
            ..described(spec, ready)
        };
        let pairs = self.scenario.contact.iter();
        let pairs = pairs.map(|pair| described_pair(pair, pair.between.each_ref().map(ToString::to_string)));
        let bodies = self.scenario.body.iter().zip(&self.prepared.bodies).zip(&self.simulation.system.bodies);
        Described {
            bodies: bodies.map(body).collect(),
            pairs: pairs.collect(),
            joints: described_joints(self.scenario),
            probes: described_probes(self.scenario),
        }
    }

    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        Ok(self.simulation.resume(checkpoint)?)
    }

    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), RunError> {
        Ok(self.simulation.run(recorder, progress)?)
    }

    fn end(&mut self, _is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, RunError> {
        let ledger = LedgerSummary { energy_limit: Some(ENERGY_ERROR), ..self.simulation.summary() };
        let system = &self.simulation.system;
        let title = |pair: usize| title(self.scenario, system, pair);
        let doubts = Doubts::of(system, title, |body| smallest_extent(self.geometries[body]));
        let mut warnings = self.prepared.warnings.clone();
        warnings.extend(unbalanced(&ledger, "shorten simulation.time_step"));
        warnings.extend(doubts.warnings());
        warnings.extend(one_way(self.scenario));
        warnings.extend(self.of_joints.iter().cloned());
        warnings.extend(missed_energy(&self.simulation));
        warnings.extend(overlaps);
        Ok(RunEnd {
            summary: RunSummary {
                time: system.time(),
                steps: system.steps(),
                integration: None,
                ledger,
                contacts: self.simulation.events().to_vec(),
            },
            bodies: system.body_states(),
            counters: vec![
                ("steps", system.steps()),
                (CONTACT_IMPULSES, system.n_impulses()),
                ("divided_steps", system.n_divided()),
                (MISSED_CONTACTS, doubts.missed()),
                ("reduced_restitutions", system.limited().steps),
            ],
            notes: Vec::new(),
            remarks: left_out(self.scenario).into_iter().chain(self.rolling()).collect(),
            warnings,
            estimates: Vec::new(),
            modes: Vec::new(),
            responses: Vec::new(),
            statics: None,
        })
    }
}

/// Sentences about joints whose motions have moved bodies before the start.
fn displaced(system: &System) -> Vec<String> {
    let Displaced { joints, moved } = system.displaced();
    let sentence = |(joint, offset, is_length): &(String, f64, bool)| {
        motion_begins_elsewhere(joint, *offset, *is_length, *moved)
    };
    joints.iter().map(sentence).collect()
}

/// Part of the energy that moves which joints and springs may miss without a warning.
const MISSED: f64 = 0.01;

/// A sentence about the error of the steps with joints and springs.
fn missed_energy(simulation: &Simulation) -> Option<String> {
    let [missed, size] = simulation.missed();
    (missed > MISSED * size).then(|| {
        format!(
            "the steps miss up to {missed:.2e} J by joints and springs, {:.1} % of the largest energy, \
             {size:.2e} J: shorten simulation.time_step (the error decreases with its square)",
            100.0 * missed / size
        )
    })
}

/// The geometry of each body.
fn geometries<'a>(scenario: &Scenario, prepared: &'a Prepared) -> Result<Vec<&'a Body>, RigidSetUpError> {
    let of = |(spec, ready): (&BodySpec, &'a PreparedBody)| match &ready.model {
        PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => Ok(&**geometry),
        PreparedModel::Reduced(_) => Err(RigidSetUpError::Rom { body: spec.name.clone() }),
    };
    scenario.body.iter().zip(&prepared.bodies).map(of).collect()
}

/// A pair of bodies for the user: its contact, or that of all bodies.
fn title(scenario: &Scenario, system: &System, pair: usize) -> String {
    match (system.crowd(pair), named(scenario).nth(pair)) {
        (None, Some((number, contact))) => {
            format!("contact {}, {}, {}", number + 1, contact.between[0], contact.between[1])
        }
        _ => {
            let [a, b] = system.bodies_of_pair(pair).map(|body| &scenario.body[body].name);
            format!("contact of all bodies, `{a}` and `{b}`")
        }
    }
}
