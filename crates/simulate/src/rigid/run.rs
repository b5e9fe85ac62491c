//! A run of the scheme `rigid`.

use carom_dynamics::{Checkpoint, LedgerSummary, repeated_equations};
use carom_fem::{Body, Discretisation};
use carom_format::result::ResultBody;
use carom_format::scenario::model::{BodySpec, Scenario};
use carom_progress::Progress;
use carom_rigid::{Displaced, Law, RigidBody, Simulation, System};

use super::error::RigidSetUpError;
use super::everything::left_out;
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
        let mut warnings = self.prepared.warnings.clone();
        warnings.extend(unbalanced(&ledger, "shorten simulation.time_step"));
        warnings.extend(doubtful_contacts(self.scenario, &self.geometries, system));
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
                (MISSED_CONTACTS, system.missed().count() as u64),
                ("reduced_restitutions", system.limited().steps),
            ],
            notes: Vec::new(),
            remarks: left_out(self.scenario).into_iter().collect(),
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

/// Part of the smallest extent of the moving bodies of a pair that is a deep approach for rigid bodies.
const DEEP: f64 = 0.01;

/// Warnings of contacts that every step has missed, and of bodies that have sunk into each other.
fn doubtful_contacts(scenario: &Scenario, geometries: &[&Body], system: &System) -> Vec<String> {
    let title = |pair: usize| match (system.crowd(pair), named(scenario).nth(pair)) {
        (None, Some((number, contact))) => {
            format!("contact {}, {}, {}", number + 1, contact.between[0], contact.between[1])
        }
        _ => {
            let [a, b] = system.bodies_of_pair(pair).map(|body| &scenario.body[body].name);
            format!("contact of all bodies, `{a}` and `{b}`")
        }
    };
    let passed = system.missed().map(|(pair, time, behind)| {
        format!(
            "{}: a point passed through the surface between two steps at t = {time:.6e} s and was not \
             stopped; a time_step of {behind:.1e} s would detect it",
            title(pair)
        )
    });
    let mut out: Vec<String> = passed.collect();
    for (pair, report) in system.reports.iter().enumerate().filter(|(_, report)| report.depth > 0.0) {
        let moving = system.bodies_of_pair(pair).into_iter().filter(|&body| !scenario.body[body].fixed);
        let extent =
            moving.filter_map(|body| smallest_extent(geometries[body])).fold(f64::INFINITY, f64::min);
        if report.depth > DEEP * extent {
            let way_out = match system.law(pair) {
                Law::Penalty(_) => "raise the point_stiffness",
                _ => "shorten simulation.time_step",
            };
            out.push(format!(
                "{}: the bodies overlapped by up to {:.1e} m, {:.1} % of the smallest extent: {way_out}",
                title(pair),
                report.depth,
                100.0 * report.depth / extent
            ));
        }
    }
    let limited = system.limited();
    if limited.steps > 0 {
        out.push(format!(
            "in {} of {} steps impacts with friction would have created energy: their restitution was \
             reduced, to no less than {:.3} of the given value",
            limited.steps,
            system.steps(),
            limited.least_factor
        ));
    }
    out.extend(system.loose().warning(system.steps()));
    if system.n_divided() > 0 {
        out.push(format!(
            "{} of {} steps had no solution and were divided: shorten simulation.time_step",
            system.n_divided(),
            system.steps()
        ));
    }
    out
}

/// Shortest side of the box around the points of a body \[m\]; none if it has no points.
fn smallest_extent(geometry: &Body) -> Option<f64> {
    let points = Discretisation::new(geometry).ok()?.points;
    let side = |axis: usize| {
        let [least, largest] = points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], point| {
            [a.min(point[axis]), b.max(point[axis])]
        });
        largest - least
    };
    Some((0..3).map(side).fold(f64::INFINITY, f64::min)).filter(|extent| *extent > 0.0)
}
