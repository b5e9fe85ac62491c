//! A survey of a scenario: the files that its preparation would make, and its errors. Nothing is kept and
//! nothing reduced.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use carom_fem::Body;
use carom_format::scenario::model::{BodySource, BodySpec, Scenario};
use carom_format::{open_rom, read_body};
use carom_make::{CadError, ImportError, cad};
use carom_progress::{Progress, Silent};
use carom_reduce::ReducedBody;
use thiserror::Error;

use super::error::PrepareError;
use super::finer::body_of_repeat;
use super::ingredients::{body_as_it_is, body_path, body_recipe, material};
use super::model::{body_beside, check_solid, rom_file};
use super::twins::{body_owner, model_owner};
use super::{in_body, source};
use crate::cost::{self, Costs, Known};
use crate::cpu_limit::CpuLimit;
use crate::discretised::Bodies;
use crate::error::{At, ErrorKind, Kind};
use crate::expected_size::ExpectedSize;
use crate::explicit::expected_inertia;
use crate::foresee::{self, Choice};
use crate::overlap;
use crate::parts::Parts;
use crate::plausible;
use crate::prepared::{PreparedBody, PreparedModel, Workshop};
use crate::references::{self, NoInterface};
use crate::rigid::left_out;
use crate::scheme::check::check;
use crate::scheme::{self, SetUpError};
use crate::system::stresses::{self, BeforeRun};

/// CPU time in which a check foresees contact. A run takes all the time that it needs: its choices must not
/// depend on the speed of a machine.
const OF_FORESIGHT: Duration = Duration::from_secs(30);

/// The state of a file before a preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is not needed: the model of a rigid body, the body of a model that the scenario names.
    NotNeeded,
    /// The scenario names it.
    Given,
    /// It was made from the present description in the scenario.
    UpToDate,
    /// It does not exist, or was made from another description.
    ToMake,
}

/// The files of a body before a preparation.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyedBody {
    /// Name of the body.
    pub name: String,
    /// Its body file.
    pub body: Standing,
    /// Its present or future path, empty if not needed.
    pub body_path: PathBuf,
    /// Its checksum, if it is there and up to date; empty if not needed.
    pub body_checksum: Option<String>,
    /// Its model.
    pub model: Standing,
    /// Its present or future path, empty if not needed.
    pub rom_path: PathBuf,
    /// Its checksum, if it is there and up to date; empty if not needed.
    pub rom_checksum: Option<String>,
    /// Names of its sets, if they are known.
    pub sets: Option<Vec<String>>,
}

impl SurveyedBody {
    fn new(spec: &BodySpec) -> Self {
        Self {
            name: spec.name.clone(),
            body: Standing::NotNeeded,
            body_path: PathBuf::new(),
            body_checksum: None,
            model: Standing::NotNeeded,
            rom_path: PathBuf::new(),
            rom_checksum: None,
            sets: None,
        }
    }
}

/// The files of a scenario before a preparation, and its errors.
#[derive(Debug, Default)]
pub struct Survey {
    /// Its bodies, in its order.
    pub bodies: Vec<SurveyedBody>,
    /// All errors.
    pub problems: Vec<At<Problem>>,
    /// Implausible figures, a sentence each.
    pub warnings: Vec<String>,
    /// The choices of what the scenario leaves open, with their reasons.
    pub choices: Vec<Choice>,
    /// Properties of the model that a run would report too, a sentence each.
    pub remarks: Vec<String>,
    /// Checks that only a later program can do, a sentence each.
    pub not_checked: Vec<String>,
    /// The scenario with the values that it leaves open, as far as they are known.
    pub completed: Option<Scenario>,
    /// Size of the result of unreduced bodies that move through time, if all of them are known.
    pub result_size: Option<ExpectedSize>,
    /// Time and memory of models and run; none if there are errors.
    pub costs: Option<Costs>,
}

/// Errors of a scenario that are known before anything is computed.
#[derive(Debug, Error)]
pub enum Problem {
    /// From preparing its bodies.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// From its set-up.
    #[error(transparent)]
    SetUp(#[from] SetUpError),
}

impl Kind for Problem {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Prepare(error) => error.kind(),
            Self::SetUp(error) => error.kind(),
        }
    }
}

fn of_bodies(error: At<PrepareError>) -> At<Problem> {
    error.cast()
}

/// Geometry or model of a body, as far as it was found.
#[derive(Clone)]
enum Found {
    Geometry(Arc<Body>),
    Model(Arc<ReducedBody>),
    Nothing,
}

impl Found {
    fn parts(&self) -> Parts<'_> {
        match self {
            Self::Geometry(body) => Parts::Geometry(body),
            Self::Model(model) => Parts::Model(model),
            Self::Nothing => Parts::Unknown,
        }
    }

    fn shared(&self) -> Option<Arc<Body>> {
        match self {
            Self::Geometry(body) => Some(Arc::clone(body)),
            Self::Model(_) | Self::Nothing => None,
        }
    }

    fn model(&self) -> Option<Arc<ReducedBody>> {
        match self {
            Self::Model(model) => Some(Arc::clone(model)),
            Self::Geometry(_) | Self::Nothing => None,
        }
    }

    fn geometry(&self) -> Option<&Body> {
        match self {
            Self::Geometry(body) => Some(body),
            Self::Model(_) | Self::Nothing => None,
        }
    }
}

/// Checks a scenario without computing its run, but for a moment to know its cost: files exist and can be
/// read, named sets exist (bodies are made in memory, except those that Gmsh would mesh), the scheme takes
/// the scenario. Contact that the scenario leaves open is completed by a run of the rigid bodies.
pub fn survey(scenario: &Scenario, workshop: Workshop<'_>, progress: &dyn Progress) -> Survey {
    let given = scenario;
    let (scenario, choices) = foresee::meshed(scenario);
    let scenario = &*scenario;
    let mut survey = Survey { choices, completed: Some(scenario.clone()), ..Survey::default() };
    survey.problems.extend(check(scenario).err().map(|error| of_bodies(error.cast())));
    let mut found: Vec<Found> = Vec::new();
    for (i, spec) in scenario.body.iter().enumerate() {
        let mut body = SurveyedBody::new(spec);
        match look_at(scenario, spec, workshop, &found, &mut body) {
            Ok(what) => {
                survey.not_checked.extend(not_checked(spec, &what));
                found.push(what);
            }
            Err(problem) => {
                survey.problems.push(in_body(i, problem).cast());
                found.push(Found::Nothing);
            }
        }
        survey.bodies.push(body);
    }
    let parts: Vec<Parts<'_>> = found.iter().map(Found::parts).collect();
    let bodies = Bodies::default();
    let named = references::problems(scenario, &parts, &bodies);
    survey.problems.extend(named.into_iter().map(|error| of_bodies(error.cast())));
    let inside = overlap::problems(scenario, &parts, &bodies);
    survey.problems.extend(inside.into_iter().map(|error| of_bodies(error.cast())));
    let limit = CpuLimit::new(progress, OF_FORESIGHT);
    let scenario = &*completed(scenario, &found, &parts, &mut survey, &limit);
    let is_incomplete = scenario.contact.iter().any(|pair| foresee::is_open(scenario, pair, &parts));
    for (i, spec) in scenario.body.iter().enumerate() {
        let looked = look_at_model(scenario, (spec, &found[i]), workshop, &mut survey.bodies[i]);
        // Contact that could not be completed leaves its bodies without models, for now.
        if looked.is_err() && is_incomplete {
            survey.bodies[i].model = Standing::ToMake;
        }
        let problem = looked.err().filter(|_| !is_incomplete);
        survey.problems.extend(problem.map(|problem| in_body(i, problem).cast()));
    }
    let before_run = scenario.body.iter().zip(&found).zip(&survey.bodies);
    let before_run = before_run.map(|((spec, found), surveyed)| of_stress(scenario, spec, found, surveyed));
    for error in stresses::problems(scenario, &before_run.collect::<Vec<_>>()) {
        // A place that the body does not have is reported already.
        if survey.problems.iter().all(|known| known.key().is_none() || known.key() != error.key()) {
            survey.problems.push(error.cast::<SetUpError>().cast());
        }
    }
    let known = found.iter().map(Found::geometry);
    survey.result_size = ExpectedSize::of_bodies(scenario, &known.collect::<Vec<_>>());
    let geometries = scenario.body.iter().zip(&found);
    let remarks = geometries.filter_map(|(spec, found)| expected_inertia(scenario, spec, found.geometry()?));
    survey.remarks.extend(remarks);
    survey.remarks.extend(left_out(scenario));
    match plausible::warnings(scenario, &parts, &bodies) {
        Ok(warnings) => survey.warnings.extend(warnings),
        Err(problem) => survey.problems.push(of_bodies(problem.cast())),
    }
    // Bodies and pairs are put together only if each of them is valid.
    if survey.problems.is_empty() {
        survey.problems.extend(scheme::problem(scenario, &parts).map(At::cast));
    }
    if survey.problems.is_empty() && !limit.is_over() {
        let owner = |spec: &BodySpec| {
            let owner = model_owner(scenario, spec, workshop);
            scenario.body.iter().position(|body| body.name == owner.name).unwrap_or_default()
        };
        let geometries: Vec<_> = found.iter().map(Found::shared).collect();
        let bodies = scenario.body.iter().zip(&found).zip(&survey.bodies).enumerate();
        let known = bodies.map(|(i, ((spec, found), body))| {
            let is_to_make = body.model == Standing::ToMake;
            let finer = || body_of_repeat((given, scenario), i, &geometries, workshop);
            Known {
                geometry: found.shared(),
                finer: if is_to_make { finer() } else { None },
                model: found.model(),
                rom_path: (body.model == Standing::UpToDate).then(|| body.rom_path.clone()),
                is_to_make,
                owner: owner(spec),
            }
        });
        survey.costs = Some(cost::of(scenario, &known.collect::<Vec<_>>()));
    }
    survey
}

/// The scenario with all that its contacts leave open, with the choices.
fn completed<'a>(
    scenario: &'a Scenario,
    found: &[Found],
    parts: &[Parts<'_>],
    survey: &mut Survey,
    limit: &CpuLimit<'_>,
) -> Cow<'a, Scenario> {
    let is_waiting = found.iter().any(|found| matches!(found, Found::Nothing));
    if is_waiting && scenario.contact.iter().any(|pair| foresee::is_open(scenario, pair, parts)) {
        let what = "where bodies meet, and the models that follow from it: known once all bodies are meshed";
        survey.not_checked.push(what.to_owned());
    }
    if !survey.problems.is_empty() || is_waiting {
        return Cow::Borrowed(scenario);
    }
    let geometries: Vec<_> = found.iter().map(Found::shared).collect();
    match foresee::completed(scenario, &geometries, parts, limit) {
        Ok(None) => Cow::Borrowed(scenario),
        Ok(Some(completed)) => {
            survey.choices.extend(completed.choices);
            survey.warnings.extend(completed.warnings);
            survey.completed = Some(completed.scenario.clone());
            Cow::Owned(completed.scenario)
        }
        Err(_) if limit.is_over() => {
            let seconds = OF_FORESIGHT.as_secs();
            survey.not_checked.push(format!(
                "where bodies meet, the models that follow from it, and the time of models and run: the run \
                 of the bodies as rigid ones takes more than {seconds} s of CPU time; `carom run` makes it"
            ));
            Cow::Borrowed(scenario)
        }
        Err(error) => {
            survey.problems.push(of_bodies(error.cast()));
            Cow::Borrowed(scenario)
        }
    }
}

/// The checks of a body that have to wait for the mesher.
fn not_checked(spec: &BodySpec, found: &Found) -> Option<String> {
    if !matches!(found, Found::Nothing) {
        return None;
    }
    Some(format!(
        "body `{}`: its sets, size and mass, and contacts, joints and loads that name its sets: known once \
         Gmsh has meshed its file",
        spec.name
    ))
}

/// * `earlier` — the bodies before this one
fn look_at(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    earlier: &[Found],
    out: &mut SurveyedBody,
) -> Result<Found, PrepareError> {
    if let BodySource::Rom { rom } = &spec.source {
        if spec.rigid {
            return Err(PrepareError::RigidRom { body: spec.name.clone() });
        }
        out.model = Standing::Given;
        out.rom_path = workshop.scenario_folder.join(rom);
        let stored = open_rom(&out.rom_path)?;
        out.body_checksum = Some(stored.reduced.body_checksum.clone());
        out.rom_checksum = Some(stored.checksum);
        out.sets = Some(stored.reduced.surfaces.iter().map(|surface| surface.name.clone()).collect());
        return Ok(Found::Model(Arc::new(stored.reduced)));
    }
    let body = look_at_body(scenario, spec, workshop, earlier, out)?;
    out.sets = body.as_deref().map(Body::set_names);
    Ok(body.map_or(Found::Nothing, Found::Geometry))
}

/// A body for the stress at its probes; none if the scheme does not reduce it, or if it is not known yet.
fn of_stress(
    scenario: &Scenario,
    spec: &BodySpec,
    found: &Found,
    surveyed: &SurveyedBody,
) -> Option<BeforeRun> {
    match found {
        Found::Geometry(body) if scenario.simulation.scheme.reduces_body(spec) => {
            Some(BeforeRun::ToReduce(Arc::clone(body)))
        }
        Found::Model(model) => Some(BeforeRun::Ready(PreparedBody {
            body_path: body_beside(&surveyed.rom_path, model),
            body_checksum: model.body_checksum.clone(),
            rom_path: surveyed.rom_path.clone(),
            ..PreparedBody::without_files(PreparedModel::Reduced(Arc::clone(model)))
        })),
        Found::Geometry(_) | Found::Nothing => None,
    }
}

/// The model of a body, present or future.
fn look_at_model(
    scenario: &Scenario,
    (spec, found): (&BodySpec, &Found),
    workshop: Workshop<'_>,
    out: &mut SurveyedBody,
) -> Result<(), PrepareError> {
    if out.model == Standing::Given {
        return Ok(());
    }
    if !scenario.simulation.scheme.reduces_body(spec) {
        out.rom_checksum = Some(String::new());
        return Ok(());
    }
    let Some(reduce) = spec.reduce.as_ref().filter(|reduce| !reduce.is_open()) else {
        let known = out.sets.clone().unwrap_or_default().join(", ");
        return Err(NoInterface { body: spec.name.clone(), known }.into());
    };
    found.geometry().map_or(Ok(()), |body| check_solid(spec, body))?;
    let checksum = out.body_checksum.clone().unwrap_or_default();
    let (path, recipe) = rom_file(model_owner(scenario, spec, workshop), reduce, &checksum, workshop);
    let made = recipe.made(&path).and_then(|_| open_rom(&path).ok());
    out.model = if made.is_some() { Standing::UpToDate } else { Standing::ToMake };
    out.rom_checksum = made.map(|stored| stored.checksum);
    out.rom_path = path;
    Ok(())
}

/// The body, present or future; none if only Gmsh can make it.
fn look_at_body(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    earlier: &[Found],
    out: &mut SurveyedBody,
) -> Result<Option<Arc<Body>>, PrepareError> {
    if let Some(path) = body_as_it_is(spec, workshop) {
        out.body = Standing::Given;
        out.body_path = path;
        let stored = read_body(&out.body_path)?;
        out.body_checksum = Some(stored.checksum);
        return Ok(Some(Arc::new(stored.body)));
    }
    out.body = Standing::ToMake;
    let owner = body_owner(scenario, spec, workshop);
    let recipe = body_recipe(scenario, spec, workshop)?;
    out.body_path = body_path(owner, &recipe, workshop);
    if recipe.made(&out.body_path).is_some()
        && let Ok(stored) = read_body(&out.body_path)
    {
        out.body = Standing::UpToDate;
        out.body_checksum = Some(stored.checksum);
        return Ok(Some(Arc::new(stored.body)));
    }
    // A twin of an earlier body is that body.
    let twin = scenario.body.iter().position(|other| other.name == owner.name);
    if let Some(Found::Geometry(body)) = twin.and_then(|twin| earlier.get(twin)) {
        return Ok(Some(Arc::clone(body)));
    }
    let material = material(scenario, spec)?;
    if let BodySource::Import(import) = &spec.source
        && cad::is_cad(import.file.as_ref())
    {
        if cad::program().is_none() {
            let missing = CadError::Missing { path: workshop.scenario_folder.join(&import.file) };
            return Err(PrepareError::Import { body: spec.name.clone(), source: ImportError::Cad(missing) });
        }
        return Ok(None);
    }
    let body = source::make(spec, material, workshop.scenario_folder, &mut Vec::new(), &Silent)?;
    Ok(Some(Arc::new(body)))
}
