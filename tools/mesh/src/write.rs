//! The commands that write a body file.

use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, check_ending, keep_input};
use carom_fem::{Body, Geometry, Material, plausible};
use carom_make::cad::CadOptions;
use carom_make::{ImportOptions, Imported, RefineOptions, Zone, set_materials};
use carom_mesh::{CellRef, Set, SolidChoice};
use carom_progress::Progress;
use serde::Serialize;

use crate::args::{ImportArgs, MakeArgs, RefineArgs};
use crate::file::{import_failure, of_file, read};
use crate::material::{OfSet, default_material_note};

/// The JSON object of a written body.
#[derive(Serialize)]
pub(crate) struct Written<'a> {
    body: &'a Path,
    name: &'a str,
    checksum: String,
    nodes: usize,
    dofs: usize,
    notes: Vec<String>,
    /// Warnings about implausible values.
    warnings: Vec<String>,
}

/// Checks the ending of a body file.
fn body_name(path: &Path) -> Result<(), Failure> {
    let other_way = format!("carom-mesh convert writes a body as {}", carom_make::formats::writable());
    check_ending(path, "bodies", &["npz", "body"], &other_way)
}

pub(crate) fn make(args: &MakeArgs, session: &Session) -> Result<(), Failure> {
    body_name(&args.output.output)?;
    let name = stem(&args.output.output);
    let material = args.material.material()?;
    let mut notes = Vec::new();
    if !args.material.is_given() {
        notes.push(default_material_note(&material));
    }
    let progress = of_file(&args.output.output, session);
    let body = carom_make::make(&args.options(), &name, material, &progress).or_fail(Category::Input)?;
    notes.iter().for_each(|note| session.note(&format!("note: {note}")));
    store(&body, &args.output.output, notes, session)
}

pub(crate) fn import(args: &ImportArgs, session: &Session) -> Result<(), Failure> {
    keep_input(&args.file, &args.output.output)?;
    body_name(&args.output.output)?;
    if args.solid == Some(SolidChoice::Name("all".to_owned())) {
        return crate::solids::import_all(args, session);
    }
    let imported = read_file(args, args.solid.clone(), session)?;
    for note in &imported.notes {
        session.note(&format!("note: {note}"));
    }
    store(&imported.body, &args.output.output, imported.notes, session)
}

/// The body of the file of an import, with its materials and zones.
///
/// * `solid` — the solid of a CAD file that becomes the body
pub(crate) fn read_file(
    args: &ImportArgs,
    solid: Option<SolidChoice>,
    session: &Session,
) -> Result<Imported, Failure> {
    let (material, of_sets) = args.material.materials()?;
    let options = ImportOptions {
        cad: CadOptions {
            solid,
            size: args.size,
            near: args.near.clone(),
            time_limit: args.time_limit,
            order: args.order,
            hex: args.hex,
        },
        scale: args.scale,
        units: args.units,
        thickness: args.thickness,
        materials_of_file: material.is_none(),
    };
    let (material, is_given) = match material {
        Some(material) => (material, true),
        None => (Material::named("steel").or_fail(Category::Input)?, false),
    };
    let by_default = default_material_note(&material);
    let progress = of_file(&args.file, session);
    progress.begin("reading the file", 0);
    let imported =
        carom_make::import_with(&args.file, &options, material, session.progress()).map_err(import_failure);
    progress.end();
    let mut imported = imported?;
    if !is_given && !imported.has_own_materials && !covers(&imported.body, &of_sets) {
        imported.notes.push(by_default);
    }
    set_materials(&mut imported.body, &of_sets).or_fail(Category::Input)?;
    add_zones(&mut imported.body, &args.zones.zones)?;
    Ok(imported)
}

pub(crate) fn refine(args: &RefineArgs, session: &Session) -> Result<(), Failure> {
    if !args.coarsen
        && args.elevate.is_none()
        && args.subdivide.is_none()
        && args.grade.grade().is_none()
        && args.near.near().is_none()
        && args.zones.zones.is_empty()
    {
        let what = "there is nothing to refine".to_owned();
        return Err(Failure::new(Category::Usage, what)
            .hint("give --coarsen, --elevate, --subdivide, --grade, --near or --zone"));
    }
    keep_input(&args.body, &args.output.output)?;
    body_name(&args.output.output)?;
    let progress = of_file(&args.body, session);
    let mut body = read(&args.body)?.body;
    let mut notes = Vec::new();
    if args.coarsen {
        let coarser = carom_make::coarsen(&body, args.tolerance, &progress).or_fail(Category::Input)?;
        session.note(&format!("note: {}", coarser.note));
        body = coarser.body;
        notes.push(coarser.note);
    }
    let options = RefineOptions {
        zones: args.zones.zones.clone(),
        elevate: args.elevate,
        subdivide: args.subdivide,
        grade: args.grade.grade().into_iter().collect(),
        near: args.near.near().into_iter().collect(),
    };
    let fine = carom_make::refine(&body, &options, &progress).or_fail(Category::Input)?;
    store(&fine, &args.output.output, notes, session)
}

/// True if the sets with materials contain all cells.
fn covers(body: &Body, of_sets: &[OfSet]) -> bool {
    let Geometry::Mesh(mesh) = &body.geometry else { return false };
    let cells = |set: &str| match mesh.sets.get(set) {
        Some(Set::Cells(cells)) => cells.clone(),
        _ => Vec::new(),
    };
    let mut covered: Vec<CellRef> = of_sets.iter().flat_map(|(set, _)| cells(set)).collect();
    covered.sort_unstable();
    covered.dedup();
    covered.len() == mesh.cell_counts().values().sum::<usize>()
}

fn add_zones(body: &mut Body, zones: &[Zone]) -> Result<(), Failure> {
    zones.iter().try_for_each(|zone| zone.add_to(body)).or_fail(Category::Input)
}

fn store(body: &Body, path: &Path, notes: Vec<String>, session: &Session) -> Result<(), Failure> {
    session.print_json("carom-mesh body 1", &stored(body, path, notes, session)?)
}

/// Writes a body file and reports it.
pub(crate) fn stored<'a>(
    body: &'a Body,
    path: &'a Path,
    notes: Vec<String>,
    session: &Session,
) -> Result<Written<'a>, Failure> {
    session.check_interrupted()?;
    let progress = of_file(path, session);
    progress.begin("checking and writing the body", 0);
    let discretisation = carom_fem::Discretisation::new(body).or_fail(Category::Input)?;
    // Volume and mass are computed after the checks of the body.
    let implausible = plausible::of_body(body, true).or_fail(Category::Input)?;
    let warnings: Vec<String> = implausible.iter().map(ToString::to_string).collect();
    warnings.iter().for_each(|warning| session.warn(warning));
    let nodes = discretisation.point_is_used().iter().filter(|used| **used).count();
    let checksum = carom_format::write_body(path, body).or_fail(Category::Files)?;
    progress.end();
    let written = Written { body: path, name: &body.name, checksum, nodes, dofs: 3 * nodes, notes, warnings };
    session.print_summary(&format!("{}: {nodes} nodes, {} dofs", path.display(), 3 * nodes))?;
    Ok(written)
}

/// The name of the file without its ending, which becomes the name of the body.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned()
}
