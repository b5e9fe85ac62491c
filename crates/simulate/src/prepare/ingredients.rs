//! Everything that a body file is made from.

use std::path::PathBuf;

use carom_fem::Material;
use carom_format::scenario::model::{BodySource, BodySpec, MaterialSpec, RefineSpec, Scenario, ZoneSpec};
use serde::Serialize;

use super::error::PrepareError;
use crate::prepared::{Users, Workshop};
use crate::recipe::{Recipe, file_checksum};

/// The file of a body that the scenario uses unchanged.
pub(super) fn body_as_it_is(spec: &BodySpec, workshop: Workshop<'_>) -> Option<PathBuf> {
    let is_as_it_is = spec.refine.is_none() && spec.zone.is_empty() && spec.material.is_none();
    match &spec.source {
        BodySource::Body { body } if is_as_it_is => Some(workshop.scenario_folder.join(body)),
        _ => None,
    }
}

/// The path of the body file of `owner`.
pub(super) fn body_path(owner: &BodySpec, recipe: &Recipe, workshop: Workshop<'_>) -> PathBuf {
    path_of(owner, recipe, "npz", workshop)
}

/// The path of a file that is made for `owner`.
pub(super) fn path_of(owner: &BodySpec, recipe: &Recipe, ending: &str, workshop: Workshop<'_>) -> PathBuf {
    let name = match workshop.users {
        Users::One => format!("{}.{ending}", owner.name),
        Users::Many => format!("{}-{}.{ending}", owner.name, recipe.digits()),
    };
    workshop.bodies.join(name)
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

/// The recipe of the file of a body that is made.
pub(super) fn body_recipe(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
) -> Result<Recipe, PrepareError> {
    let file = match &spec.source {
        BodySource::Import(import) => Some(&import.file),
        BodySource::Body { body } => Some(body),
        BodySource::Make { .. } | BodySource::Rom { .. } => None,
    };
    let checksum = |file: &String| {
        let path = workshop.scenario_folder.join(file);
        file_checksum(&path).map_err(|source| PrepareError::SourceFile {
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

/// The material of a body: defined in the scenario, or named; `None` if the body's file contains it.
pub(super) fn material(scenario: &Scenario, spec: &BodySpec) -> Result<Option<Material>, PrepareError> {
    let failed = |source| PrepareError::Material { body: spec.name.clone(), source };
    let Some(name) = &spec.material else { return Ok(None) };
    let found = match scenario.material.get(name) {
        Some(m) => Material::new(name.clone(), m.density, m.young, m.poisson),
        None => Material::named(name),
    };
    found.map(Some).map_err(failed)
}
