//! Body files: read where the scenario names them, or made as it describes unless they are up to date.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use carom_files::create_folder;
use carom_format::scenario::model::{BodySpec, Scenario};
use carom_format::{StoredBody, read_body, write_body};
use carom_progress::Progress;

use super::claim::found_or_claimed;
use super::error::PrepareError;
use super::ingredients::{body_as_it_is, body_path, body_recipe, material};
use super::source;
use super::twins::body_owner;
use crate::prepared::{Prepared, Workshop};
use crate::recipe::forget;

/// The body file of a body: the one that the scenario names, or one that is made from its description.
pub(super) fn body_file(
    scenario: &Scenario,
    spec: &BodySpec,
    workshop: Workshop<'_>,
    prepared: &mut Prepared,
    progress: &dyn Progress,
) -> Result<(PathBuf, StoredBody), PrepareError> {
    if let Some(path) = body_as_it_is(spec, workshop) {
        let stored = read_body(&path)?;
        return Ok((path, stored));
    }
    let owner = body_owner(scenario, spec, workshop);
    let recipe = body_recipe(scenario, spec, workshop)?;
    let path = body_path(owner, &recipe, workshop);
    let made = || Some((recipe.made(&path)?, read_body(&path).ok()?));
    let (found, _claim) = found_or_claimed(made, &path, workshop, progress)?;
    if let Some((seconds, stored)) = found {
        prepared.found("body", spec, owner, &seconds);
        return Ok((path, stored));
    }
    let started = Instant::now();
    let material = material(scenario, spec)?;
    let body = source::make(spec, material, workshop.scenario_folder, &mut prepared.notes, progress);
    if progress.interrupted() {
        return Err(PrepareError::Interrupted);
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
