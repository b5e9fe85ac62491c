//! The scheme `static`: a scenario as a static problem of `carom-continuum`, and its result.

mod probes;

use std::sync::Arc;

use carom_continuum::statics::{
    BodySpec, ContactSpec, Force, LoadStep, Place, Pressure, Problem, Settings, Simulation, StaticObserver,
    Support, System,
};
use carom_dynamics::{Axes, Checkpoint, ContactEvent, Frame, Observer, ObserverError};
use carom_fem::Body;
use carom_format::ResultError;
use carom_format::result::{ForceKind, ResultBody, StaticForce};
use carom_format::scenario::model::{BodySpec as SpecOfBody, Rim, Scenario, Spot};
use carom_progress::Progress;

use crate::error::At;
use crate::explicit::ExplicitSetUpError;
use crate::geometry::placement;
use crate::outcome::{
    Described, Phases, RunEnd, RunSummary, StaticOutcome, SupportOutcome, described, described_pair,
};
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::recorder::Recorder;
use crate::rigid_partner::too_rigid;
use crate::run::{Run, RunError};
use crate::scheme::SetUpError;
use crate::system::probes::described as described_probes;
use probes::Probes;

/// A static run. Frame 0 is the unloaded state; each load step is a frame, at the
/// pseudo-time `end_time` times the part of the load.
pub(crate) struct StaticRun<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    simulation: Simulation,
    /// Forces of the frame written last.
    forces: Vec<StaticForce>,
    probes: Probes,
}

impl<'a> StaticRun<'a> {
    /// Factorises the bodies and condenses their contacts.
    ///
    /// * `steps` — equal parts of the load
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        steps: usize,
        progress: &dyn Progress,
    ) -> Result<Self, At<SetUpError>> {
        let probes = Probes::new(scenario, prepared).map_err(At::cast::<ExplicitSetUpError>);
        let probes = probes.map_err(At::cast)?;
        let system = System::new(&problem(scenario, prepared), progress).map_err(SetUpError::from)?;
        let settings = Settings { load_steps: steps, end_time: scenario.simulation.end_time };
        let simulation = Simulation::new(system, settings);
        Ok(Self { scenario, prepared, simulation, forces: Vec::new(), probes })
    }
}

impl Run for StaticRun<'_> {
    fn described(&mut self) -> Described {
        let (scenario, system) = (self.scenario, &self.simulation.system);
        let body = |(number, (spec, ready)): (usize, (&SpecOfBody, &PreparedBody))| ResultBody {
            mass: system.mass(number),
            modes: [system.n_displacements(number), 0],
            ..described(spec, ready)
        };
        let pairs = scenario.contact.iter().enumerate().map(|(number, pair)| {
            let surfaces = system.surfaces(number).cloned();
            described_pair(pair, surfaces.unwrap_or_else(|| pair.between.each_ref().map(ToString::to_string)))
        });
        let bodies = scenario.body.iter().zip(&self.prepared.bodies).enumerate();
        Described {
            bodies: bodies.map(body).collect(),
            pairs: pairs.collect(),
            probes: described_probes(scenario),
            ..Described::default()
        }
    }

    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        Ok(self.simulation.resume(checkpoint).map_err(ResultError::from)?)
    }

    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), RunError> {
        let Self { scenario, simulation, forces, probes, .. } = self;
        let mut steps = LoadSteps { recorder, scenario, forces, probes };
        Ok(simulation.run(&mut steps, progress)?)
    }

    fn end(&mut self, _is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, RunError> {
        let (scenario, simulation) = (self.scenario, &self.simulation);
        let contacts = simulation.events();
        let mut warnings = velocities(scenario);
        warnings.extend(self.prepared.warnings.iter().cloned());
        warnings.extend(simulation.notes());
        warnings.extend(too_rigid(scenario, self.prepared, &contacts));
        warnings.extend(overlaps);
        warnings.extend(simulation.warnings());
        Ok(RunEnd {
            summary: RunSummary {
                time: simulation.time(),
                steps: simulation.n_steps(),
                integration: None,
                ledger: simulation.summary(),
                contacts,
            },
            bodies: simulation.body_states().to_vec(),
            counters: vec![
                ("steps", simulation.n_steps()),
                ("contact_evaluations", simulation.n_evaluations()),
                ("solver_fallbacks", simulation.n_fallbacks()),
            ],
            estimates: Vec::new(),
            modes: Vec::new(),
            responses: Vec::new(),
            notes: Vec::new(),
            remarks: Vec::new(),
            warnings,
            statics: Some(outcome(scenario, simulation.last(), self.forces.clone())),
        })
    }

    fn phases(&self) -> Phases {
        Phases {
            set_up: Some("statics: stiffness and compliance"),
            run: "statics: load steps",
            cpu: "statics, cpu",
        }
    }
}

/// The scenario as plain data of `carom-continuum`.
fn problem(scenario: &Scenario, prepared: &Prepared) -> Problem {
    let number = |name: &str| {
        let found = scenario.body.iter().position(|spec| spec.name == name);
        found.expect("the format checks the ends of supports, loads and contacts")
    };
    let contacts = scenario.contact.iter().map(|pair| ContactSpec {
        bodies: pair.between.each_ref().map(|end| number(&end.body)),
        sets: pair.between.each_ref().map(|end| end.part.clone()),
        law: pair.law,
        tolerates_rim: pair.rim == Rim::Warning,
        on_grid: pair.is_on_grid(),
    });
    let supports = scenario.support.iter().map(|support| Support {
        body: number(&support.on.body),
        set: support.on.part.clone(),
        directions: ["x", "y", "z"].map(|axis| support.directions.iter().any(|held| held == axis)),
        rotations: ["rx", "ry", "rz"].map(|axis| support.directions.iter().any(|held| held == axis)),
        displacement: support.displacement,
    });
    let pressures = scenario.pressure.iter().map(|load| Pressure {
        body: number(&load.on.body),
        set: load.on.part.clone(),
        value: load.value,
    });
    let forces = scenario.force.iter().map(|load| {
        let body = number(&load.on.body);
        Force {
            body,
            at: place(&scenario.body[body], &load.on.part),
            force: load.force,
            torque: load.torque,
            axes: if load.axes == "body" { Axes::Body } else { Axes::Inertial },
        }
    });
    Problem {
        bodies: scenario.body.iter().zip(&prepared.bodies).map(body).collect(),
        supports: supports.collect(),
        pressures: pressures.collect(),
        forces: forces.collect(),
        contacts: contacts.collect(),
        gravity: scenario.simulation.gravity,
    }
}

fn body((spec, ready): (&SpecOfBody, &PreparedBody)) -> BodySpec {
    let (geometry, is_rigid) = named(spec, ready);
    BodySpec { geometry, is_rigid, is_fixed: spec.fixed, placement: placement(spec) }
}

/// The geometry of an unreduced body under its name in the scenario, and whether it is rigid.
pub(crate) fn named(spec: &SpecOfBody, ready: &PreparedBody) -> (Arc<Body>, bool) {
    let (geometry, is_rigid) = match &ready.model {
        PreparedModel::Deformable(body) => (body, false),
        PreparedModel::Rigid(body) => (body, true),
        PreparedModel::Reduced(_) => unreachable!("the caller takes reduced bodies"),
    };
    if geometry.name == spec.name {
        return (geometry.clone(), is_rigid);
    }
    (Arc::new(Body { name: spec.name.clone(), ..(**geometry).clone() }), is_rigid)
}

/// The place that a marker or set names.
pub(crate) fn place(spec: &SpecOfBody, part: &str) -> Place {
    match spec.marker.iter().find(|marker| marker.name == part).map(|marker| &marker.at) {
        Some(Spot::Point(position)) => Place::Point { name: part.to_owned(), position: *position },
        Some(Spot::Set(set)) => Place::Set(set.clone()),
        None => Place::Set(part.to_owned()),
    }
}

/// Warnings of velocities, which statics does not know.
fn velocities(scenario: &Scenario) -> Vec<String> {
    let moves = |spec: &&SpecOfBody| spec.velocity != [0.0; 3] || spec.angular_velocity != [0.0; 3];
    let warning = |spec: &SpecOfBody| format!("body `{}`: velocities have no meaning in statics", spec.name);
    scenario.body.iter().filter(moves).map(warning).collect()
}

/// Hands load steps to the recorder, with the forces under the names of the scenario.
struct LoadSteps<'a> {
    recorder: &'a mut Recorder,
    scenario: &'a Scenario,
    forces: &'a mut Vec<StaticForce>,
    probes: &'a mut Probes,
}

impl Observer for LoadSteps<'_> {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.recorder.frame(frame)?;
        self.probes.sample(frame, &mut *self.recorder)
    }

    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError> {
        self.recorder.contact_event(event)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        self.recorder.checkpoint(checkpoint)
    }
}

impl StaticObserver for LoadSteps<'_> {
    fn load_step(&mut self, step: &LoadStep) -> Result<(), ObserverError> {
        *self.forces = forces(self.scenario, step, self.recorder.last_frame());
        self.recorder.static_forces(self.forces)
    }
}

/// The forces on all bodies as rows of the result.
fn forces(scenario: &Scenario, step: &LoadStep, frame: usize) -> Vec<StaticForce> {
    let mut rows = Vec::new();
    for (body, forces) in step.bodies.iter().enumerate() {
        let mut add = |kind, name: String, force| rows.push(StaticForce { frame, body, kind, name, force });
        add(ForceKind::Load, String::new(), forces.load);
        for pair in &forces.by_pair {
            let [first, second] = &scenario.contact[pair.number].between;
            add(ForceKind::Contact, format!("{}/{}", first.body, second.body), pair.force);
        }
        for support in &forces.by_support {
            add(ForceKind::Support, scenario.support[support.number].on.to_string(), support.force);
        }
        if forces.by_support.is_empty() && forces.support != [0.0; 3] {
            add(ForceKind::Support, forces.name.clone(), forces.support);
        }
    }
    rows
}

fn outcome(scenario: &Scenario, step: &LoadStep, forces: Vec<StaticForce>) -> StaticOutcome {
    let supports = step.bodies.iter().flat_map(|body| &body.by_support);
    let supports = supports.map(|support| SupportOutcome {
        on: scenario.support[support.number].on.to_string(),
        force: support.force,
    });
    StaticOutcome {
        supports: supports.collect(),
        forces,
        bodies: step.bodies.clone(),
        pairs: step.pairs.clone(),
        residual: step.residual,
    }
}
