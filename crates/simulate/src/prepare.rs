//! Bodies and reduced models of a scenario: read where they are named, made where they are described.
//!
//! `body` makes body files, `model` reduces them; `survey` says what would be made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use carom_fem::Body;
use carom_format::StoredBody;
use carom_format::scenario::model::{BodySource, BodySpec, Scenario};
use carom_progress::{Part, Progress};
use carom_reduce::ReducedBody;

use crate::SimulateError;
use crate::discretised::Bodies;
use crate::overlap::{self, Silhouette};
use crate::plausible;
use crate::references::{self, Parts};

mod body;
mod model;
mod source;
pub mod survey;
mod twins;

use body::body_file;
pub(crate) use model::reduction;
use model::{load_model, reduced};

/// Where files are looked for and made.
#[derive(Debug, Clone, Copy)]
pub struct Workshop<'a> {
    /// Folder of the scenario: paths in it are relative to it.
    pub scenario_folder: &'a Path,
    /// Folder in which bodies and models are made.
    pub bodies: &'a Path,
}

/// What the solver takes of a body.
#[derive(Debug, Clone)]
pub enum PreparedModel {
    /// A rigid body: its geometry.
    Rigid(Arc<Body>),
    /// A reduced model.
    Reduced(Arc<ReducedBody>),
    /// A deformable body as it is, for schemes that do not reduce.
    Deformable(Arc<Body>),
}

/// A body that is ready.
#[derive(Debug, Clone)]
pub struct PreparedBody {
    /// What the solver takes.
    pub model: PreparedModel,
    /// The body file, empty if unknown.
    pub body_path: PathBuf,
    /// Its checksum, empty if unknown.
    pub body_checksum: String,
    /// The model file, empty for a body that is not reduced.
    pub rom_path: PathBuf,
    /// Its checksum, empty for a body that is not reduced.
    pub rom_checksum: String,
}

/// All bodies of a scenario, in its order, with what it took.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// The bodies.
    pub bodies: Vec<PreparedBody>,
    /// Their boundaries; none of a model without a body, nor where there is one body alone.
    pub silhouettes: Vec<Option<Silhouette>>,
    /// Seconds by phase: "meshing", "reduction".
    pub seconds: BTreeMap<String, f64>,
    /// Seconds that what was up to date took when it was made, by phase.
    pub earlier_seconds: BTreeMap<String, f64>,
    /// How many body files were made.
    pub n_meshed: usize,
    /// How many models were made.
    pub n_reduced: usize,
    /// What was made and what was up to date, a sentence each.
    pub notes: Vec<String>,
    /// Implausible figures of the scenario, a sentence each.
    pub warnings: Vec<String>,
}

/// Makes or reads every body and model that a scenario names. What is up to date is not made again.
///
/// All bodies come first: a set that is missing is told before anything is reduced.
///
/// # Errors
///
/// [`SimulateError`]; finished files are kept.
pub fn prepare(
    scenario: &Scenario,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
) -> Result<Prepared, SimulateError> {
    crate::scheme::check(scenario)?;
    let mut prepared = Prepared::default();
    let mut sources = Vec::new();
    let n_bodies = scenario.body.len();
    for (i, spec) in scenario.body.iter().enumerate() {
        let own = Part::of(progress, &spec.name, i + 1, n_bodies);
        let source = source_of(scenario, spec, workshop, &mut prepared, &own);
        sources.push(source.map_err(|error| in_body(i, error))?);
        if progress.interrupted() {
            return Err(SimulateError::Interrupted);
        }
    }
    let parts: Vec<Parts<'_>> = sources.iter().map(Source::parts).collect();
    let bodies = Bodies::default();
    if let Some(problem) = references::problems(scenario, &parts, &bodies).into_iter().next() {
        return Err(problem);
    }
    if let Some(problem) = overlap::problems(scenario, &parts, &bodies).into_iter().next() {
        return Err(problem);
    }
    prepared.warnings = plausible::warnings(scenario, &parts, &bodies)?;
    if parts.len() > 1 {
        prepared.silhouettes = parts.iter().map(|parts| parts.silhouette(&bodies)).collect();
    }
    drop(bodies);
    // Bodies that differ in name and motion alone share files in memory.
    let mut models: BTreeMap<String, Arc<ReducedBody>> = BTreeMap::new();
    for (i, (spec, source)) in scenario.body.iter().zip(sources).enumerate() {
        let source = match source {
            Source::Body(path, stored) if spec.rigid || !scenario.simulation.scheme.reduces() => {
                prepared.bodies.push(as_it_is(spec, path, *stored));
                continue;
            }
            reduced => reduced,
        };
        let own = Part::of(progress, &spec.name, i + 1, n_bodies);
        let body = prepare_body(scenario, spec, source, workshop, &own, &mut prepared, &mut models)
            .map_err(|error| in_body(i, error))?;
        if let (BodySource::Rom { .. }, PreparedModel::Reduced(model)) = (&spec.source, &body.model) {
            let of_model = plausible::of_model(spec, model).map_err(|error| in_body(i, error))?;
            prepared.warnings.extend(of_model.iter().map(ToString::to_string));
        }
        prepared.bodies.push(body);
        if progress.interrupted() {
            return Err(SimulateError::Interrupted);
        }
    }
    Ok(prepared)
}

/// The key of the scenario that an error of the body of a number is about.
fn in_body(i: usize, error: SimulateError) -> SimulateError {
    let key = match &error {
        SimulateError::Make { .. } | SimulateError::Value { .. } => ".make",
        SimulateError::Import { .. } | SimulateError::SourceFile { .. } => ".file",
        SimulateError::Refine { .. } => ".refine",
        SimulateError::Zone { .. } => ".zone",
        SimulateError::Material { .. } => ".material",
        SimulateError::Reduce { .. } => ".reduce",
        SimulateError::RigidRom { .. } => ".rom",
        _ => "",
    };
    error.at(format!("body.{i}{key}"))
}

/// What a body is prepared from.
enum Source {
    /// A model that the scenario names.
    Rom(PathBuf),
    /// A body file.
    Body(PathBuf, Box<StoredBody>),
}

impl Source {
    fn parts(&self) -> Parts<'_> {
        match self {
            Self::Rom(_) => Parts::Unknown,
            Self::Body(_, stored) => Parts::Geometry(&stored.body),
        }
    }
}

fn source_of(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    prepared: &mut Prepared,
    progress: &dyn Progress,
) -> Result<Source, SimulateError> {
    if let BodySource::Rom { rom } = &spec.source {
        if spec.rigid {
            return Err(SimulateError::RigidRom { body: spec.name.clone() });
        }
        return Ok(Source::Rom(workshop.scenario_folder.join(rom)));
    }
    let started = Instant::now();
    let (path, stored) = body_file(scenario, spec, workshop, prepared, progress)?;
    add_seconds(prepared, "meshing", started);
    Ok(Source::Body(path, Box::new(stored)))
}

/// A body that is not reduced, as its file has it.
fn as_it_is(spec: &BodySpec, path: PathBuf, stored: StoredBody) -> PreparedBody {
    let body = Arc::new(stored.body);
    PreparedBody {
        model: if spec.rigid { PreparedModel::Rigid(body) } else { PreparedModel::Deformable(body) },
        body_path: path,
        body_checksum: stored.checksum,
        rom_path: PathBuf::new(),
        rom_checksum: String::new(),
    }
}

fn prepare_body(
    scenario: &Scenario,
    spec: &BodySpec,
    source: Source,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
    prepared: &mut Prepared,
    models: &mut BTreeMap<String, Arc<ReducedBody>>,
) -> Result<PreparedBody, SimulateError> {
    let (path, stored) = match source {
        Source::Rom(path) => return load_model(&path, None, models),
        Source::Body(path, stored) => (path, stored),
    };
    let Some(reduce) = &spec.reduce else {
        let known = stored.body.set_names().join(", ");
        return Err(SimulateError::NoInterface { body: spec.name.clone(), known });
    };
    let started = Instant::now();
    let rom = reduced(scenario, spec, reduce, &stored, workshop, progress, prepared)?;
    add_seconds(prepared, "reduction", started);
    load_model(&rom, Some(path), models)
}

impl Prepared {
    /// Notes that a file is there: from an earlier run, or as another body of this one has the same.
    fn found(&mut self, what: &str, spec: &BodySpec, owner: &BodySpec, seconds: &BTreeMap<String, f64>) {
        if owner.name == spec.name {
            self.add_earlier(seconds);
            self.notes.push(format!("{what} `{}` is up to date", spec.name));
        } else {
            self.notes.push(format!("{what} `{}` is that of `{}`", spec.name, owner.name));
        }
    }

    fn add_earlier(&mut self, seconds: &BTreeMap<String, f64>) {
        for (phase, value) in seconds {
            *self.earlier_seconds.entry(phase.clone()).or_insert(0.0) += value;
        }
    }
}

fn add_seconds(prepared: &mut Prepared, phase: &str, since: Instant) {
    *prepared.seconds.entry(phase.to_owned()).or_insert(0.0) += since.elapsed().as_secs_f64();
}
