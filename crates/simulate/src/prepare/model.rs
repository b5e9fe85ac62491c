//! Reduced models: read, or made from a body file unless they are up to date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use carom_continuum::half_space::{PlacedModelError, reduced_with_places};
use carom_fem::Body;
use carom_files::create_folder;
use carom_format::body_file::stated_checksum;
use carom_format::scenario::model::{BodySpec, ReduceSpec, Scenario};
use carom_format::{open_rom, write_rom};
use carom_progress::Progress;
use carom_reduce::ReducedBody;

use super::claim::found_or_claimed;
use super::error::PrepareError;
use super::ingredients::path_of;
use super::twins::model_owner;
use crate::prepared::{Prepared, PreparedBody, PreparedModel, Workshop};
use crate::recipe::{Recipe, forget};
use crate::reduction::{places, reduction, stored_options};

/// The models of a run: bodies that differ in name and motion alone share files in memory.
#[derive(Default)]
pub(super) struct Models {
    /// By the path of the file; with the checksum.
    of_files: BTreeMap<PathBuf, (Arc<ReducedBody>, String)>,
}

impl Models {
    /// The model of a file and its checksum.
    fn open(&mut self, path: &Path) -> Result<(Arc<ReducedBody>, String), PrepareError> {
        if let Some(known) = self.of_files.get(path) {
            return Ok(known.clone());
        }
        let stored = open_rom(path)?;
        // A copy of another file.
        let same = self.of_files.values().find(|(_, checksum)| *checksum == stored.checksum);
        let model = same.map_or_else(|| Arc::new(stored.reduced), |(model, _)| Arc::clone(model));
        let opened = (model, stored.checksum);
        self.of_files.insert(path.to_owned(), opened.clone());
        Ok(opened)
    }
}

/// Reads a model, once for all bodies that use it.
///
/// * `body_path` — the body file from which it was made; if unknown, the folder of the model is searched
pub(super) fn load_model(
    path: &Path,
    body_path: Option<PathBuf>,
    models: &mut Models,
) -> Result<(PreparedBody, Arc<ReducedBody>), PrepareError> {
    let (model, rom_checksum) = models.open(path)?;
    let prepared = PreparedBody {
        model: PreparedModel::Reduced(Arc::clone(&model)),
        body_path: body_path.unwrap_or_else(|| body_beside(path, &model)),
        body_checksum: model.body_checksum.clone(),
        rom_path: path.to_owned(),
        rom_checksum,
    };
    Ok((prepared, model))
}

/// The body file of a model, if it lies in the same folder: it has the name of the model or of its body, and
/// the checksum that the model states. Empty otherwise. Pictures and markers at points need it.
pub(super) fn body_beside(rom: &Path, model: &ReducedBody) -> PathBuf {
    let folder = rom.parent().unwrap_or(Path::new(""));
    let named = ["npz", "body"].map(|ending| folder.join(format!("{}.{ending}", model.name)));
    let candidates = [rom.with_extension("npz"), rom.with_extension("body")].into_iter().chain(named);
    let is_its_own = |path: &PathBuf| {
        !model.body_checksum.is_empty() && stated_checksum(path).as_ref() == Some(&model.body_checksum)
    };
    candidates.into_iter().find(is_its_own).unwrap_or_default()
}

/// The path of the model of `owner`, and its recipe.
pub(super) fn rom_file(
    owner: &BodySpec,
    reduce: &ReduceSpec,
    body_checksum: &str,
    workshop: Workshop<'_>,
) -> (PathBuf, Recipe) {
    let recipe = Recipe::of(&(reduce, body_checksum));
    (path_of(owner, &recipe, "rom", workshop), recipe)
}

/// Refuses bodies that cannot be reduced: those of shells or beams.
pub(super) fn check_solid(spec: &BodySpec, body: &Body) -> Result<(), PrepareError> {
    if body.is_structural() { Err(PrepareError::NotSolid { body: spec.name.clone() }) } else { Ok(()) }
}

/// The model file of a body, made if it is not up to date.
pub(super) fn reduced(
    scenario: &Scenario,
    spec: &BodySpec,
    reduce: &ReduceSpec,
    (body, checksum): (&Body, &str),
    workshop: Workshop<'_>,
    progress: &dyn Progress,
    prepared: &mut Prepared,
) -> Result<PathBuf, PrepareError> {
    check_solid(spec, body)?;
    let owner = model_owner(scenario, spec, workshop);
    let (path, recipe) = rom_file(owner, reduce, checksum, workshop);
    let (found, _claim) = found_or_claimed(|| recipe.made(&path), &path, workshop, progress)?;
    if let Some(seconds) = found {
        prepared.found("model", spec, owner, &seconds);
        return Ok(path);
    }
    let started = Instant::now();
    let options = reduction(reduce, checksum);
    let places = places(reduce)?;
    let result = reduced_with_places(body, &options, &places, progress);
    if progress.interrupted() {
        return Err(PrepareError::Interrupted);
    }
    let mut result = result.map_err(|source| match source {
        PlacedModelError::Reduce(source) => {
            PrepareError::Reduce { body: spec.name.clone(), source: Box::new(source) }
        }
        source => PrepareError::Places(Box::new(source)),
    })?;
    result.reduced.name.clone_from(&spec.name);
    create_folder(workshop.bodies)?;
    forget(&path);
    let written = write_rom(
        &path,
        &result.reduced,
        &stored_options(reduce, options.words(result.is_iterative)),
        progress,
    );
    if progress.interrupted() {
        return Err(PrepareError::Interrupted);
    }
    written?;
    let s = &result.seconds;
    let mut seconds: BTreeMap<String, f64> = [
        ("reduction: assembly", s.assembly),
        ("reduction: factorisation", s.factorisation),
        ("reduction: constraint modes", s.constraint_modes),
        ("reduction: eigenpairs", s.eigen),
        ("reduction: projection", s.projection),
        ("reduction: places", s.places),
        ("reduction: stiffening", s.stiffening),
        ("reduction: check of the mesh", s.mesh_check),
    ]
    .map(|(phase, seconds)| (phase.to_owned(), seconds))
    .into();
    for (phase, value) in &seconds {
        *prepared.seconds.entry(phase.clone()).or_insert(0.0) += value;
    }
    seconds.insert("reduction".to_owned(), started.elapsed().as_secs_f64());
    recipe.keep(&path, &seconds)?;
    prepared.n_reduced += 1;
    prepared.notes.extend(result.notes.iter().map(|note| format!("model `{}`: {note}", spec.name)));
    prepared.notes.push(format!(
        "model `{}` made: {} dofs reduced to {} low and {} high modes",
        spec.name,
        result.reduced.n_dofs,
        result.reduced.n_low,
        result.reduced.omega.len() - result.reduced.n_low
    ));
    Ok(path)
}
