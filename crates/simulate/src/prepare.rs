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
use crate::recipe::{Recipe, file_checksum};

mod source;

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
    /// The model file, empty for a rigid body.
    pub rom_path: PathBuf,
    /// Its checksum, empty for a rigid body.
    pub rom_checksum: String,
}

/// All bodies of a scenario, in its order, with what it took.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// The bodies.
    pub bodies: Vec<PreparedBody>,
    /// Seconds by phase: "meshing", "reduction".
    pub seconds: BTreeMap<String, f64>,
    /// What was made and what was up to date, a sentence each.
    pub notes: Vec<String>,
}

/// Makes or reads every body and model that a scenario names. What is up to date is not made again.
///
/// # Errors
///
/// [`SimulateError`]; finished files are kept.
pub fn prepare(
    scenario: &Scenario,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
) -> Result<Prepared, SimulateError> {
    let mut prepared = Prepared::default();
    // Bodies that differ in name and motion alone share files in memory.
    let mut models: BTreeMap<String, Arc<ReducedBody>> = BTreeMap::new();
    for spec in &scenario.body {
        let body = prepare_body(scenario, spec, workshop, progress, &mut prepared, &mut models)?;
        prepared.bodies.push(body);
        if progress.interrupted() {
            return Err(SimulateError::Interrupted);
        }
    }
    Ok(prepared)
}

fn prepare_body(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    progress: &dyn Progress,
    prepared: &mut Prepared,
    models: &mut BTreeMap<String, Arc<ReducedBody>>,
) -> Result<PreparedBody, SimulateError> {
    if let BodySource::Rom { rom } = &spec.source {
        if spec.rigid {
            return Err(SimulateError::RigidRom { body: spec.name.clone() });
        }
        return load_model(&workshop.scenario_folder.join(rom), PathBuf::new(), models);
    }
    let started = Instant::now();
    let (path, stored) = body_file(scenario, spec, workshop, prepared)?;
    add_seconds(prepared, "meshing", started);
    if spec.rigid {
        return Ok(PreparedBody {
            model: PreparedModel::Rigid(Arc::new(stored.body)),
            body_path: path,
            body_checksum: stored.checksum,
            rom_path: PathBuf::new(),
            rom_checksum: String::new(),
        });
    }
    let Some(reduce) = &spec.reduce else {
        let known = stored.body.set_names().join(", ");
        return Err(SimulateError::NoInterface { body: spec.name.clone(), known });
    };
    let started = Instant::now();
    let rom = reduced(spec, reduce, &stored, workshop, progress, prepared)?;
    add_seconds(prepared, "reduction", started);
    load_model(&rom, path, models)
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
    let is_as_it_is = spec.refine.is_none() && spec.zone.is_empty() && spec.material.is_none();
    if let (BodySource::Body { body }, true) = (&spec.source, is_as_it_is) {
        let path = workshop.scenario_folder.join(body);
        let stored = read_body(&path)?;
        return Ok((path, stored));
    }
    let path = workshop.bodies.join(format!("{}.npz", spec.name));
    let recipe = body_recipe(scenario, spec, workshop)?;
    if recipe.made(&path)
        && let Ok(stored) = read_body(&path)
    {
        prepared.notes.push(format!("body `{}` is up to date", spec.name));
        return Ok((path, stored));
    }
    let body = source::make(spec, material(scenario, spec)?, workshop.scenario_folder, &mut prepared.notes)?;
    create_folder(workshop.bodies)?;
    write_body(&path, &body)?;
    recipe.keep(&path)?;
    prepared.notes.push(format!("body `{}` made: {}", spec.name, path.display()));
    let stored = read_body(&path)?;
    Ok((path, stored))
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
    let path = workshop.bodies.join(format!("{}.rom", spec.name));
    let recipe = Recipe::of(&(reduce, &stored.checksum));
    if recipe.made(&path) {
        prepared.notes.push(format!("model `{}` is up to date", spec.name));
        return Ok(path);
    }
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
    write_rom(&path, &result.reduced, &stored_options(reduce))?;
    recipe.keep(&path)?;
    prepared.notes.push(format!(
        "model `{}` made: {} dofs reduced to {} low and {} high modes",
        spec.name,
        result.reduced.n_dofs,
        result.reduced.n_low,
        result.reduced.omega.len() - result.reduced.n_low
    ));
    let s = &result.seconds;
    for (phase, seconds) in [
        ("reduction: assembly", s.assembly),
        ("reduction: factorisation", s.factorisation),
        ("reduction: constraint modes", s.constraint_modes),
        ("reduction: eigenpairs", s.eigen),
        ("reduction: projection", s.projection),
    ] {
        *prepared.seconds.entry(phase.to_owned()).or_insert(0.0) += seconds;
    }
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
