//! The scheme `static`: a scenario as a static problem of `carom-continuum`, and its result.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use carom_continuum::statics::{
    BodyForces, BodySpec, ContactSpec, Force, LoadStep, PairOutcome, Place, Pressure, Problem, RunError,
    Settings, Simulation, StaticObserver, Support, System,
};
use carom_dynamics::{Axes, Checkpoint, ContactEvent, Frame, Observer, ObserverError};
use carom_fem::Body;
use carom_format::ResultWriter;
use carom_format::result::{ForceKind, NoteLevel, ResultBody, ResultPair, RunHeader, RunState, StaticForce};
use carom_format::scenario::model::{BodySpec as SpecOfBody, Rim, Scenario, Spot};
use carom_multibody::RunSummary;
use carom_progress::Progress;

use crate::overlap::{OverlapWatch, Watching};
use crate::rigid_partner::too_rigid;
use crate::run::{absolute, cpu_seconds};
use crate::system::placement;
use crate::{Prepared, PreparedBody, PreparedModel, RunOptions, RunOutcome, SimulateError, resume};

/// The equilibrium of a static run under the full load.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StaticOutcome {
    /// Forces on each body.
    pub bodies: Vec<BodyForces>,
    /// Forces of the supports of deformable bodies.
    pub supports: Vec<SupportOutcome>,
    /// All forces on all bodies, as the result keeps them.
    pub forces: Vec<StaticForce>,
    /// The contact pairs.
    pub pairs: Vec<PairOutcome>,
    /// Largest unbalanced force on a free rigid motion, relative to all forces.
    pub residual: f64,
}

/// Force of a support, inertial axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupportOutcome {
    /// `BODY:SET`.
    pub on: String,
    /// Force on the body \[N\].
    pub force: [f64; 3],
}

/// Finds the equilibrium of a scenario whose bodies are ready, and keeps the result at `path`.
///
/// Frame 0 is the unloaded state; each load step is a frame, at the pseudo-time `end_time` times the part of
/// the load.
///
/// # Errors
///
/// [`SimulateError`]; the load steps that were solved are in the result.
pub(crate) fn run_static(
    scenario: &Scenario,
    scenario_folder: &Path,
    prepared: &Prepared,
    path: &Path,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, SimulateError> {
    let (started, cpu_started) = (Instant::now(), cpu_seconds());
    let system = System::new(&problem(scenario, prepared), progress)?;
    let set_up = started.elapsed().as_secs_f64();
    let header = header(&system, scenario, scenario_folder, prepared);
    let (mut writer, checkpoint) = resume::begin(path, &header, scenario, options)?;
    let mut watch = OverlapWatch::new(scenario, prepared, &header.bodies);
    let settings = Settings {
        load_steps: scenario.simulation.steps.unwrap_or(1),
        end_time: scenario.simulation.end_time,
    };
    let mut simulation = Simulation::new(system, settings);
    let mut record = Record { writer: &mut writer, watch: &mut watch, scenario, forces: Vec::new() };
    let ended = simulation.run(checkpoint.as_ref(), &mut record, progress);
    let forces = record.forces;
    // A result that could not be kept ends at its last checkpoint.
    if let Err(error @ (RunError::Observer(_) | RunError::Checkpoint(_))) = ended {
        return Err(error.into());
    }
    let mut warnings = velocities(scenario);
    warnings.extend(prepared.warnings.iter().cloned());
    warnings.extend(simulation.notes());
    let contacts = simulation.events();
    warnings.extend(too_rigid(scenario, prepared, &contacts));
    warnings.extend(watch.warnings());
    warnings.extend(simulation.warnings());
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu_started);
    let time = simulation.time();
    for warning in &warnings {
        writer.note(time, NoteLevel::Warning, warning)?;
    }
    for event in &contacts {
        writer.contact_event(event).map_err(RunError::from)?;
    }
    let state = match &ended {
        Ok(()) => RunState::Done,
        Err(RunError::Interrupted) => RunState::Interrupted,
        Err(error) => {
            writer.note(time, NoteLevel::Error, &error.to_string())?;
            RunState::Failed
        }
    };
    let mut timings: Vec<(&str, f64)> =
        prepared.seconds.iter().map(|(name, s)| (name.as_str(), *s)).collect();
    timings
        .extend([("statics: stiffness and compliance", set_up), ("statics: load steps", seconds - set_up)]);
    let (steps, evaluations, fallbacks) =
        (simulation.n_steps(), simulation.n_evaluations(), simulation.n_fallbacks());
    let counters = [("steps", steps), ("contact_evaluations", evaluations), ("solver_fallbacks", fallbacks)];
    let ledger = simulation.summary();
    writer.finish(state, &ledger, &timings, &counters)?;
    ended?;
    let counters = carom_integrate::Counters { steps, evaluations, ..Default::default() };
    Ok(RunOutcome {
        remarks: Vec::new(),
        summary: RunSummary {
            time,
            counters,
            ledger,
            contacts,
            quaternion_drift: 0.0,
            rims: Vec::new(),
            fallbacks,
        },
        pairs: header.pairs.into_iter().map(|pair| pair.name).collect(),
        names: header.bodies.into_iter().map(|body| body.name).collect(),
        bodies: simulation.body_states().to_vec(),
        seconds,
        cpu_seconds,
        warnings,
        statics: Some(outcome(scenario, simulation.last(), forces)),
    })
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
    });
    let supports = scenario.support.iter().map(|support| Support {
        body: number(&support.on.body),
        set: support.on.part.clone(),
        directions: ["x", "y", "z"].map(|axis| support.directions.iter().any(|held| held == axis)),
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
    let (geometry, is_rigid) = match &ready.model {
        PreparedModel::Deformable(body) => (body, false),
        PreparedModel::Rigid(body) => (body, true),
        PreparedModel::Reduced(_) => unreachable!("statics prepares bodies as they are"),
    };
    let geometry = if geometry.name == spec.name {
        geometry.clone()
    } else {
        Arc::new(Body { name: spec.name.clone(), ..(**geometry).clone() })
    };
    BodySpec { geometry, is_rigid, is_fixed: spec.fixed, placement: placement(spec) }
}

/// The place that a marker or set names.
fn place(spec: &SpecOfBody, part: &str) -> Place {
    match spec.marker.iter().find(|marker| marker.name == part).map(|marker| &marker.at) {
        Some(Spot::Point(position)) => Place::Point { name: part.to_owned(), position: *position },
        Some(Spot::Set(set)) => Place::Set(set.clone()),
        None => Place::Set(part.to_owned()),
    }
}

fn header(system: &System, scenario: &Scenario, folder: &Path, prepared: &Prepared) -> RunHeader {
    let described = |(number, (spec, ready)): (usize, (&SpecOfBody, &PreparedBody))| ResultBody {
        name: spec.name.clone(),
        rigid: spec.rigid,
        fixed: spec.fixed,
        mass: system.mass(number),
        frame_origin: [0.0; 3],
        modes: [system.n_displacements(number), 0],
        rom_path: String::new(),
        rom_checksum: String::new(),
        body_path: absolute(&ready.body_path),
        body_checksum: ready.body_checksum.clone(),
    };
    let pairs = scenario.contact.iter().enumerate().map(|(number, pair)| {
        let surfaces = system.surfaces(number).cloned();
        let [first, second] = surfaces.unwrap_or_else(|| pair.between.each_ref().map(ToString::to_string));
        ResultPair { name: format!("{}/{}", pair.between[0].body, pair.between[1].body), first, second }
    });
    RunHeader {
        scenario: scenario.without_pictures().to_toml(),
        scenario_folder: absolute(folder),
        bodies: scenario.body.iter().zip(&prepared.bodies).enumerate().map(described).collect(),
        pairs: pairs.collect(),
        joints: Vec::new(),
    }
}

/// Warnings of velocities, which statics does not know.
fn velocities(scenario: &Scenario) -> Vec<String> {
    let moves = |spec: &&SpecOfBody| spec.velocity != [0.0; 3] || spec.angular_velocity != [0.0; 3];
    let warning = |spec: &SpecOfBody| format!("body `{}`: velocities have no meaning in statics", spec.name);
    scenario.body.iter().filter(moves).map(warning).collect()
}

/// Keeps frames, forces and checkpoints in the result.
struct Record<'a> {
    writer: &'a mut ResultWriter,
    watch: &'a mut OverlapWatch,
    scenario: &'a Scenario,
    /// Forces of the frame written last.
    forces: Vec<StaticForce>,
}

impl Record<'_> {
    fn watching(&mut self) -> Watching<'_, ResultWriter> {
        Watching { observer: self.writer, watch: self.watch }
    }
}

impl Observer for Record<'_> {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.watching().frame(frame)
    }

    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError> {
        self.watching().contact_event(event)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        self.watching().checkpoint(checkpoint)
    }
}

impl StaticObserver for Record<'_> {
    fn load_step(&mut self, step: &LoadStep) -> Result<(), ObserverError> {
        self.forces = forces(self.scenario, step, self.writer.n_frames() as usize - 1);
        self.writer.static_forces(&self.forces).map_err(|error| ObserverError(Box::new(error)))
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
