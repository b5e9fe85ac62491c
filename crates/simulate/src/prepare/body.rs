//! Body files: taken as the scenario names them, or made from what it describes unless they are up to date.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use carom_fem::Material;
use carom_files::create_folder;
use carom_format::scenario::model::{BodySource, BodySpec, MaterialSpec, RefineSpec, Scenario, ZoneSpec};
use carom_format::{StoredBody, read_body, write_body};
use carom_progress::Progress;
use serde::Serialize;

use super::twins::body_owner;
use super::{Prepared, Workshop, source};
use crate::SimulateError;
use crate::recipe::{Recipe, file_checksum, forget};

/// The body file of a body: the one that it names, or one that is made of what it describes.
pub(super) fn body_file(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    prepared: &mut Prepared,
    progress: &dyn Progress,
) -> Result<(PathBuf, StoredBody), SimulateError> {
    if let Some(path) = body_as_it_is(spec, workshop) {
        let stored = read_body(&path)?;
        return Ok((path, stored));
    }
    let owner = body_owner(scenario, spec, workshop);
    let path = body_path(owner, workshop);
    let recipe = body_recipe(scenario, spec, workshop)?;
    if let Some(seconds) = recipe.made(&path)
        && let Ok(stored) = read_body(&path)
    {
        prepared.found("body", spec, owner, &seconds);
        return Ok((path, stored));
    }
    let started = Instant::now();
    let material = material(scenario, spec)?;
    let body = source::make(spec, material, workshop.scenario_folder, &mut prepared.notes, progress);
    if progress.interrupted() {
        return Err(SimulateError::Interrupted);
    }
    let body = body?;
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
pub(super) fn body_as_it_is(spec: &BodySpec, workshop: Workshop<'_>) -> Option<PathBuf> {
    let is_as_it_is = spec.refine.is_none() && spec.zone.is_empty() && spec.material.is_none();
    match &spec.source {
        BodySource::Body { body } if is_as_it_is => Some(workshop.scenario_folder.join(body)),
        _ => None,
    }
}

/// Where a body file is made that belongs to `owner`.
pub(super) fn body_path(owner: &BodySpec, workshop: Workshop<'_>) -> PathBuf {
    workshop.bodies.join(format!("{}.npz", owner.name))
}

/// Everything that a body file is made from.
#[derive(Serialize)]
struct BodyIngredients<'a> {
    source: &'a BodySource,
    file: Option<String>,
    refine: &'a Option<RefineSpec>,
    zone: &'a [ZoneSpec],
    material_name: &'a Option<String>,
    material: Option<&'a MaterialSpec>,
}

pub(super) fn body_recipe(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
) -> Result<Recipe, SimulateError> {
    let file = match &spec.source {
        BodySource::Import(import) => Some(&import.file),
        BodySource::Body { body } => Some(body),
        BodySource::Make { .. } | BodySource::Rom { .. } => None,
    };
    let checksum = |file: &String| {
        let path = workshop.scenario_folder.join(file);
        file_checksum(&path).map_err(|source| SimulateError::SourceFile {
            body: spec.name.clone(),
            path,
            source,
        })
    };
    let file = file.map(checksum).transpose()?;
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
pub(super) fn material(scenario: &Scenario, spec: &BodySpec) -> Result<Option<Material>, SimulateError> {
    let failed = |source| SimulateError::Material { body: spec.name.clone(), source };
    let Some(name) = &spec.material else { return Ok(None) };
    let found = match scenario.material.get(name) {
        Some(m) => Material::new(name.clone(), m.density, m.young, m.poisson),
        None => Material::named(name),
    };
    found.map(Some).map_err(failed)
}
