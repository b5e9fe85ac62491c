//! Bodies and reduced models of a scenario: read where they are named, made where they are described.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use carom_fem::{Body, Material, QuadratureRule};
use carom_format::scenario::model::{BodySource, BodySpec, MaterialSpec, ReduceSpec, Scenario};
use carom_format::{
    CraigBamptonOptions as StoredOptions, StoredBody, read_body, read_rom, write_body, write_rom,
};
use carom_progress::Progress;
use carom_reduce::{
    Attachment, AttachmentKind, CraigBamptonOptions, Fields, FixedModes, ReduceError, ReducedBody,
    craig_bampton,
};
use serde::Serialize;

use crate::SimulateError;
use crate::recipe::{Recipe, file_checksum, forget};
use crate::references::{self, Parts};
use crate::run::{reduces, supported};

mod source;
pub mod survey;

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
    supported(scenario)?;
    let mut prepared = Prepared::default();
    let mut sources = Vec::new();
    for spec in &scenario.body {
        sources.push(source_of(scenario, spec, workshop, &mut prepared)?);
        if progress.interrupted() {
            return Err(SimulateError::Interrupted);
        }
    }
    let parts: Vec<Parts<'_>> = sources.iter().map(Source::parts).collect();
    if let Some(problem) = references::problems(scenario, &parts).into_iter().next() {
        return Err(problem);
    }
    // Bodies that differ in name and motion alone share files in memory.
    let mut models: BTreeMap<String, Arc<ReducedBody>> = BTreeMap::new();
    for (spec, source) in scenario.body.iter().zip(sources) {
        let source = match source {
            Source::Body(path, stored) if spec.rigid || !reduces(scenario) => {
                prepared.bodies.push(as_it_is(spec, path, stored));
                continue;
            }
            reduced => reduced,
        };
        let body = prepare_body(spec, source, workshop, progress, &mut prepared, &mut models)?;
        prepared.bodies.push(body);
        if progress.interrupted() {
            return Err(SimulateError::Interrupted);
        }
    }
    Ok(prepared)
}

/// What a body is prepared from.
enum Source {
    /// A model that the scenario names.
    Rom(PathBuf),
    /// A body file.
    Body(PathBuf, StoredBody),
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
) -> Result<Source, SimulateError> {
    if let BodySource::Rom { rom } = &spec.source {
        if spec.rigid {
            return Err(SimulateError::RigidRom { body: spec.name.clone() });
        }
        return Ok(Source::Rom(workshop.scenario_folder.join(rom)));
    }
    let started = Instant::now();
    let (path, stored) = body_file(scenario, spec, workshop, prepared)?;
    add_seconds(prepared, "meshing", started);
    Ok(Source::Body(path, stored))
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
    spec: &BodySpec,
    source: Source,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
    prepared: &mut Prepared,
    models: &mut BTreeMap<String, Arc<ReducedBody>>,
) -> Result<PreparedBody, SimulateError> {
    let (path, stored) = match source {
        Source::Rom(path) => return load_model(&path, PathBuf::new(), models),
        Source::Body(path, stored) => (path, stored),
    };
    let Some(reduce) = &spec.reduce else {
        let known = stored.body.set_names().join(", ");
        return Err(SimulateError::NoInterface { body: spec.name.clone(), known });
    };
    let started = Instant::now();
    let rom = reduced(spec, reduce, &stored, workshop, progress, prepared)?;
    add_seconds(prepared, "reduction", started);
    load_model(&rom, path, models)
}

impl Prepared {
    fn add_earlier(&mut self, seconds: &BTreeMap<String, f64>) {
        for (phase, value) in seconds {
            *self.earlier_seconds.entry(phase.clone()).or_insert(0.0) += value;
        }
    }
}

fn add_seconds(prepared: &mut Prepared, phase: &str, since: Instant) {
    *prepared.seconds.entry(phase.to_owned()).or_insert(0.0) += since.elapsed().as_secs_f64();
}

/// Reads a model, once for all bodies that use it.
fn load_model(
    path: &Path,
    body_path: PathBuf,
    models: &mut BTreeMap<String, Arc<ReducedBody>>,
) -> Result<PreparedBody, SimulateError> {
    let stored = read_rom(path)?;
    let body_checksum = stored.reduced.body_checksum.clone();
    let model = models.entry(stored.checksum.clone()).or_insert_with(|| Arc::new(stored.reduced));
    Ok(PreparedBody {
        model: PreparedModel::Reduced(Arc::clone(model)),
        body_path,
        body_checksum,
        rom_path: path.to_owned(),
        rom_checksum: stored.checksum,
    })
}

/// The body file of a body: the one that it names, or one that is made of what it describes.
fn body_file(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    prepared: &mut Prepared,
) -> Result<(PathBuf, StoredBody), SimulateError> {
    if let Some(path) = body_as_it_is(spec, workshop) {
        let stored = read_body(&path)?;
        return Ok((path, stored));
    }
    let path = body_path(spec, workshop);
    let recipe = body_recipe(scenario, spec, workshop)?;
    if let Some(seconds) = recipe.made(&path)
        && let Ok(stored) = read_body(&path)
    {
        prepared.add_earlier(&seconds);
        prepared.notes.push(format!("body `{}` is up to date", spec.name));
        return Ok((path, stored));
    }
    let started = Instant::now();
    let body = source::make(spec, material(scenario, spec)?, workshop.scenario_folder, &mut prepared.notes)?;
    create_folder(workshop.bodies)?;
    forget(&path);
    write_body(&path, &body)?;
    let seconds = BTreeMap::from([("meshing".to_owned(), started.elapsed().as_secs_f64())]);
    recipe.keep(&path, &seconds)?;
    prepared.n_meshed += 1;
    prepared.notes.push(format!("body `{}` made: {}", spec.name, path.display()));
    let stored = read_body(&path)?;
    Ok((path, stored))
}

/// The file of a body that is taken as it is.
fn body_as_it_is(spec: &BodySpec, workshop: Workshop<'_>) -> Option<PathBuf> {
    let is_as_it_is = spec.refine.is_none() && spec.zone.is_empty() && spec.material.is_none();
    match &spec.source {
        BodySource::Body { body } if is_as_it_is => Some(workshop.scenario_folder.join(body)),
        _ => None,
    }
}

/// Where the body file of a body is made.
fn body_path(spec: &BodySpec, workshop: Workshop<'_>) -> PathBuf {
    workshop.bodies.join(format!("{}.npz", spec.name))
}

/// Where its model is made, and from what.
fn rom_file(
    spec: &BodySpec,
    reduce: &ReduceSpec,
    body_checksum: &str,
    workshop: Workshop<'_>,
) -> (PathBuf, Recipe) {
    (workshop.bodies.join(format!("{}.rom", spec.name)), Recipe::of(&(reduce, body_checksum)))
}

/// Everything that a body file is made from.
#[derive(Serialize)]
struct BodyIngredients<'a> {
    source: &'a BodySource,
    file: Option<String>,
    refine: &'a Option<carom_format::scenario::model::RefineSpec>,
    zone: &'a [carom_format::scenario::model::ZoneSpec],
    material_name: &'a Option<String>,
    material: Option<&'a MaterialSpec>,
}

fn body_recipe(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
) -> Result<Recipe, SimulateError> {
    let file = match &spec.source {
        BodySource::Import(import) => Some(file_checksum(&workshop.scenario_folder.join(&import.file))?),
        BodySource::Body { body } => Some(file_checksum(&workshop.scenario_folder.join(body))?),
        BodySource::Make { .. } | BodySource::Rom { .. } => None,
    };
    Ok(Recipe::of(&BodyIngredients {
        source: &spec.source,
        file,
        refine: &spec.refine,
        zone: &spec.zone,
        material_name: &spec.material,
        material: spec.material.as_ref().and_then(|name| scenario.material.get(name)),
    }))
}

/// The material of a body: defined in the scenario, or named; `None` if the body's file says.
fn material(scenario: &Scenario, spec: &BodySpec) -> Result<Option<Material>, SimulateError> {
    let failed = |source| SimulateError::Material { body: spec.name.clone(), source };
    let Some(name) = &spec.material else { return Ok(None) };
    let found = match scenario.material.get(name) {
        Some(m) => Material::new(name.clone(), m.density, m.young, m.poisson),
        None => Material::named(name),
    };
    found.map(Some).map_err(failed)
}

/// The model file of a body, made if it is not up to date.
fn reduced(
    spec: &BodySpec,
    reduce: &ReduceSpec,
    stored: &StoredBody,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
    prepared: &mut Prepared,
) -> Result<PathBuf, SimulateError> {
    let (path, recipe) = rom_file(spec, reduce, &stored.checksum, workshop);
    if let Some(seconds) = recipe.made(&path) {
        prepared.add_earlier(&seconds);
        prepared.notes.push(format!("model `{}` is up to date", spec.name));
        return Ok(path);
    }
    let started = Instant::now();
    let options = options(reduce, &stored.checksum);
    let result = craig_bampton(&stored.body, &options, progress);
    if progress.interrupted() {
        return Err(SimulateError::Interrupted);
    }
    let mut result = result.map_err(|source: ReduceError| SimulateError::Reduce {
        body: spec.name.clone(),
        source: Box::new(source),
    })?;
    result.reduced.name.clone_from(&spec.name);
    create_folder(workshop.bodies)?;
    forget(&path);
    write_rom(&path, &result.reduced, &stored_options(reduce))?;
    let s = &result.seconds;
    let mut seconds: BTreeMap<String, f64> = [
        ("reduction: assembly", s.assembly),
        ("reduction: factorisation", s.factorisation),
        ("reduction: constraint modes", s.constraint_modes),
        ("reduction: eigenpairs", s.eigen),
        ("reduction: projection", s.projection),
    ]
    .map(|(phase, seconds)| (phase.to_owned(), seconds))
    .into();
    for (phase, value) in &seconds {
        *prepared.seconds.entry(phase.clone()).or_insert(0.0) += value;
    }
    seconds.insert("reduction".to_owned(), started.elapsed().as_secs_f64());
    recipe.keep(&path, &seconds)?;
    prepared.n_reduced += 1;
    prepared.notes.push(format!(
        "model `{}` made: {} dofs reduced to {} low and {} high modes",
        spec.name,
        result.reduced.n_dofs,
        result.reduced.n_low,
        result.reduced.omega.len() - result.reduced.n_low
    ));
    Ok(path)
}

fn options(reduce: &ReduceSpec, checksum: &str) -> CraigBamptonOptions {
    let kind = |kind: &str| if kind == "mean" { AttachmentKind::Mean } else { AttachmentKind::Rigid };
    CraigBamptonOptions {
        interface_sets: reduce.interface.clone(),
        interface_points: Vec::new(),
        attachments: reduce
            .attach
            .iter()
            .map(|(set, how)| Attachment { set: set.clone(), kind: kind(how) })
            .collect(),
        modes: match (reduce.modes, reduce.up_to) {
            (Some(n), _) => FixedModes::Count(n),
            (None, Some(hz)) => FixedModes::UpTo(hz),
            (None, None) => FixedModes::Default,
        },
        split: reduce.split,
        fields: if reduce.fields == "surface" { Fields::Surface } else { Fields::Full },
        rule: Some(if reduce.quadrature == "high" { QuadratureRule::High } else { QuadratureRule::Default }),
        body_checksum: checksum.to_owned(),
    }
}

fn stored_options(reduce: &ReduceSpec) -> StoredOptions {
    StoredOptions {
        interfaces: reduce.interface.clone(),
        attachments: reduce.attach.iter().map(|(set, how)| format!("{set}={how}")).collect(),
        modes: reduce.modes,
        up_to_hz: reduce.up_to,
        split_hz: reduce.split,
        quadrature: reduce.quadrature.clone(),
    }
}

fn create_folder(path: &Path) -> Result<(), SimulateError> {
    std::fs::create_dir_all(path).map_err(|source| SimulateError::Io { path: path.to_owned(), source })
}
