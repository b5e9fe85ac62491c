//! Bodies and reduced models of a scenario: read where it names them, made where it describes them.
//!
//! `body` makes body files, `model` reduces them; `survey` reports which files would be made.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use carom_cost::cpu_seconds;
use carom_fem::Body;
use carom_format::scenario::model::{BodySource, BodySpec, Scenario};
use carom_progress::{Part, Progress};
use carom_reduce::ReducedBody;

use crate::discretised::Bodies;
use crate::error::{At, AtKey};
use crate::foresee::{self, Completed};
use crate::overlap;
use crate::parts::Parts;
use crate::plausible;
use crate::prepared::{Prepared, PreparedBody, PreparedModel, Workshop};
use crate::references::{self, NoInterface};
use crate::scheme::check::check;

mod body;
mod claim;
pub(crate) mod error;
mod finer;
mod ingredients;
mod model;
mod source;
mod survey;
mod twins;

pub use error::PrepareError;
pub use survey::{Problem, Standing, Survey, SurveyedBody, survey};

use body::body_file;
use model::{Models, load_model, reduced};

/// Makes or reads every body and model that a scenario names. Files that are up to date are not made again.
///
/// All bodies come first: a missing set is reported before anything is reduced.
///
/// # Errors
///
/// [`PrepareError`] at its key of the scenario; finished files are kept.
pub fn prepare(
    scenario: &Scenario,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
) -> Result<Prepared, At<PrepareError>> {
    check(scenario).map_err(At::cast)?;
    let (scenario, choices) = foresee::meshed(scenario);
    let scenario = &*scenario;
    let mut prepared = Prepared { choices, ..Prepared::default() };
    let mut models = Models::default();
    let mut sources = Vec::new();
    let n_bodies = scenario.body.len();
    for (i, spec) in scenario.body.iter().enumerate() {
        let own = Part::of(progress, &spec.name, i + 1, n_bodies);
        let source = source_of(scenario, spec, workshop, (&mut prepared, &mut models), &own);
        sources.push(source.map_err(|error| in_body(i, error))?);
        if progress.interrupted() {
            return Err(PrepareError::Interrupted.into());
        }
    }
    let parts: Vec<Parts<'_>> = sources.iter().map(Source::parts).collect();
    let bodies = Bodies::default();
    if let Some(problem) = references::problems(scenario, &parts, &bodies).into_iter().next() {
        return Err(problem.cast());
    }
    if let Some(problem) = overlap::problems(scenario, &parts, &bodies).into_iter().next() {
        return Err(problem.cast());
    }
    let geometries: Vec<_> = sources.iter().map(Source::geometry).collect();
    let completed = foresee::completed(scenario, &geometries, &parts, progress).map_err(At::cast)?;
    prepared.warnings = plausible::warnings(scenario, &parts, &bodies).map_err(At::cast)?;
    if parts.len() > 1 {
        prepared.silhouettes = parts.iter().map(|parts| parts.silhouette(&bodies)).collect();
    }
    if let Some(Completed { scenario, choices, warnings }) = completed {
        prepared.choices.extend(choices);
        prepared.completed = Some(Arc::new(scenario));
        prepared.warnings.extend(warnings);
    }
    let completed = prepared.completed.clone();
    let scenario = completed.as_deref().unwrap_or(scenario);
    drop(bodies);
    drop(geometries);
    for (i, (spec, source)) in scenario.body.iter().zip(sources).enumerate() {
        let source = match source {
            Source::Body(file) if !scenario.simulation.scheme.reduces_body(spec) => {
                prepared.bodies.push(as_it_is(spec, file));
                continue;
            }
            reduced => reduced,
        };
        let own = Part::of(progress, &spec.name, i + 1, n_bodies);
        let body = prepare_body(scenario, spec, source, workshop, &own, &mut prepared, &mut models)
            .map_err(|error| in_body(i, error))?;
        if let (BodySource::Rom { .. }, PreparedModel::Reduced(model)) = (&spec.source, &body.model) {
            let of_model = plausible::of_model(spec, model).map_err(|error| in_body(i, error.into()))?;
            prepared.warnings.extend(of_model.iter().map(ToString::to_string));
        }
        // Once for all bodies with the same model.
        let is_first = prepared.bodies.iter().all(|other| other.rom_checksum != body.rom_checksum);
        if let (true, PreparedModel::Reduced(model)) = (is_first, &body.model) {
            prepared.warnings.extend(plausible::of_mesh(spec, model, scenario.simulation.wanted()));
        }
        prepared.bodies.push(body);
        if progress.interrupted() {
            return Err(PrepareError::Interrupted.into());
        }
    }
    Ok(prepared)
}

/// The key of the scenario that an error of the body of a number is about.
fn in_body(i: usize, error: PrepareError) -> At<PrepareError> {
    let key = match &error {
        PrepareError::Make { .. } | PrepareError::Value { .. } => ".make",
        PrepareError::Import { .. } | PrepareError::SourceFile { .. } => ".file",
        PrepareError::Refine { .. } => ".refine",
        PrepareError::Zone { .. } => ".zone",
        PrepareError::Material { .. } => ".material",
        PrepareError::Reduce { .. } => ".reduce",
        PrepareError::Places(_) | PrepareError::PlaceText(_) => ".reduce.places",
        PrepareError::RigidRom { .. } => ".rom",
        _ => "",
    };
    error.at(format!("body.{i}{key}"))
}

/// The source from which a body is prepared.
enum Source {
    /// A model that the scenario names.
    Rom { prepared: Box<PreparedBody>, model: Arc<ReducedBody> },
    /// A body file.
    Body(BodyFile),
}

impl Source {
    fn parts(&self) -> Parts<'_> {
        match self {
            Self::Rom { model, .. } => Parts::Model(model),
            Self::Body(file) => Parts::Geometry(&file.body),
        }
    }

    fn geometry(&self) -> Option<Arc<Body>> {
        match self {
            Self::Rom { .. } => None,
            Self::Body(file) => Some(Arc::clone(&file.body)),
        }
    }
}

/// A body file that was read.
struct BodyFile {
    path: PathBuf,
    body: Arc<Body>,
    checksum: String,
}

fn source_of(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    (prepared, models): (&mut Prepared, &mut Models),
    progress: &dyn Progress,
) -> Result<Source, PrepareError> {
    if let BodySource::Rom { rom } = &spec.source {
        if spec.rigid {
            return Err(PrepareError::RigidRom { body: spec.name.clone() });
        }
        let (prepared, model) = load_model(&workshop.scenario_folder.join(rom), None, models)?;
        return Ok(Source::Rom { model, prepared: Box::new(prepared) });
    }
    let started = (Instant::now(), cpu_seconds());
    let (path, stored) = body_file(scenario, spec, workshop, prepared, progress)?;
    add_seconds(prepared, "meshing", started);
    Ok(Source::Body(BodyFile { path, body: Arc::new(stored.body), checksum: stored.checksum }))
}

/// A body that is not reduced, as its file has it.
fn as_it_is(spec: &BodySpec, BodyFile { path, body, checksum }: BodyFile) -> PreparedBody {
    PreparedBody {
        model: if spec.rigid { PreparedModel::Rigid(body) } else { PreparedModel::Deformable(body) },
        body_path: path,
        body_checksum: checksum,
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
    models: &mut Models,
) -> Result<PreparedBody, PrepareError> {
    let file = match source {
        Source::Rom { prepared, .. } => return Ok(*prepared),
        Source::Body(file) => file,
    };
    let Some(reduce) = spec.reduce.as_ref().filter(|reduce| !reduce.is_open()) else {
        let known = file.body.set_names().join(", ");
        return Err(NoInterface { body: spec.name.clone(), known }.into());
    };
    let started = (Instant::now(), cpu_seconds());
    let rom = reduced(scenario, spec, reduce, (&file.body, &file.checksum), workshop, progress, prepared)?;
    add_seconds(prepared, "reduction", started);
    load_model(&rom, Some(file.path), models).map(|(prepared, _)| prepared)
}

/// Adds the wall time and the CPU time of a phase.
fn add_seconds(prepared: &mut Prepared, phase: &str, (since, cpu_since): (Instant, f64)) {
    let mut add = |phase: String, seconds| *prepared.seconds.entry(phase).or_insert(0.0) += seconds;
    add(phase.to_owned(), since.elapsed().as_secs_f64());
    add(format!("{phase}, cpu"), cpu_seconds() - cpu_since);
}
