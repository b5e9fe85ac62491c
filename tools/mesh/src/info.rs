//! The commands `info` and `materials`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_fem::{Body, Inspection, MATERIALS, Material, Section, Soundness, plausible};
use carom_make::{ImportOptions, import};
use carom_mesh::quality::without_negative_zero;
use carom_nurbs::Side;
use carom_progress::Progress;
use serde::Serialize;

use crate::args::InfoArgs;
use crate::file::{import_failure, of_file, read};
use crate::places::Places;

/// The JSON object of `info`.
#[derive(Serialize)]
struct Info<'a> {
    name: &'a str,
    kind: &'a str,
    nodes: usize,
    elements: &'a BTreeMap<&'static str, usize>,
    /// Cells of each level of a local refinement; empty if there is none.
    levels: &'a [usize],
    patches: usize,
    /// Largest degree of all patches in each direction.
    degrees: Vec<usize>,
    patch_degrees: &'a [[usize; 3]],
    dofs: usize,
    volume: f64,
    mass: f64,
    center_of_mass: [f64; 3],
    inertia: [[f64; 3]; 3],
    surface_area: f64,
    min_scaled_jacobian: f64,
    soundness: SoundnessInfo,
    findings: &'a [String],
    /// Warnings about implausible values.
    warnings: &'a [String],
    sets: BTreeMap<&'a str, SetInfo>,
    materials: Vec<MaterialInfo<'a>>,
    /// Checksum of the body file; none for a file of another program.
    checksum: Option<&'a str>,
    #[serde(flatten)]
    places: &'a Places,
}

#[derive(Serialize)]
struct SetInfo {
    kind: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct MaterialInfo<'a> {
    name: &'a str,
    density: f64,
    young: f64,
    poisson: f64,
}

/// Connectivity of the cells; node numbers are counted from one, as in mesh files.
#[derive(Serialize)]
struct SoundnessInfo {
    watertight: bool,
    parts: usize,
    open_edges: usize,
    non_manifold_edges: usize,
    overlapping_faces: usize,
    overlaid_cells: usize,
    unused_nodes: usize,
    duplicate_nodes: usize,
    /// The first ten: a node, and the node at the same position.
    first_duplicates: Vec<[u32; 2]>,
    folded_cells: usize,
    inverted_cells: usize,
    slivers: usize,
    collapsed_sides: Vec<String>,
    /// Pairs of sides with the same corners but different surfaces.
    near_sides: Vec<[String; 2]>,
}

impl SoundnessInfo {
    fn of(found: &Soundness) -> Self {
        Self {
            watertight: found.watertight,
            parts: found.parts,
            open_edges: found.open_edges,
            non_manifold_edges: found.non_manifold_edges,
            overlapping_faces: found.overlapping_faces,
            overlaid_cells: found.overlaid_cells,
            unused_nodes: found.unused_nodes,
            duplicate_nodes: found.duplicate_nodes.len(),
            first_duplicates: found.duplicate_nodes.iter().take(10).map(|(a, b)| [b + 1, a + 1]).collect(),
            folded_cells: found.folded_cells,
            inverted_cells: found.inverted_cells,
            slivers: found.slivers,
            collapsed_sides: found.collapsed_sides.iter().copied().map(side_name).collect(),
            near_sides: found
                .near_sides
                .iter()
                .map(|near| [near.first, near.second].map(side_name))
                .collect(),
        }
    }
}

fn side_name((patch, side): (u32, Side)) -> String {
    format!("patch{patch}:{}", side.name())
}

/// The body of a body file with its checksum, or that of a mesh or NURBS file.
fn any_body(path: &Path, session: &Session) -> Result<(Body, Option<String>), Failure> {
    if !carom_make::import::is_geometry(path) {
        let stored = read(path)?;
        return Ok((stored.body, Some(stored.checksum)));
    }
    let steel = Material::named("steel").or_fail(Category::Other)?;
    let options = ImportOptions { materials_of_file: true, ..ImportOptions::default() };
    let progress = of_file(path, session);
    progress.begin("reading the file", 0);
    let imported = import(path, &options, steel).map_err(import_failure);
    progress.end();
    let imported = imported?;
    for note in &imported.notes {
        session.note(&format!("note: {note}"));
    }
    Ok((imported.body, None))
}

pub(crate) fn info(args: &InfoArgs, session: &Session) -> Result<(), Failure> {
    if carom_make::cad::is_cad(&args.body) && !carom_make::cad::is_script(&args.body) {
        return crate::solids::info(args, session);
    }
    if args.density.is_some() {
        let what = "--density is for CAD files: other bodies have their materials".to_owned();
        return Err(Failure::new(Category::Usage, what));
    }
    let (body, checksum) = any_body(&args.body, session)?;
    let progress = of_file(&args.body, session);
    progress.begin("measuring the body", 0);
    let inspected = carom_fem::inspect(&body).or_fail(Category::Input);
    progress.end();
    let inspection = inspected?;
    let implausible = plausible::of_measured(&body, &inspection.properties, true).or_fail(Category::Input)?;
    let warnings: Vec<String> = implausible.iter().map(ToString::to_string).collect();
    warnings.iter().for_each(|warning| session.warn(warning));
    if let Some(path) = &args.picture {
        keep_input(&args.body, path)?;
        progress.begin("drawing the body", 0);
        let drawn = crate::picture::write(&body, path);
        progress.end();
        drawn?;
    }
    let places = Places::of(args, &body)?;
    session.print(&(text(&body, &inspection) + &places.text()))?;
    let properties = &inspection.properties;
    let object = Info {
        name: &body.name,
        kind: inspection.kind,
        nodes: inspection.nodes,
        elements: &inspection.elements,
        levels: &inspection.levels,
        patches: inspection.patches,
        degrees: degrees(&inspection),
        patch_degrees: &inspection.degrees,
        dofs: inspection.dofs,
        volume: properties.volume,
        mass: properties.mass,
        center_of_mass: properties.center_of_mass,
        inertia: properties.inertia,
        surface_area: inspection.surface_area,
        min_scaled_jacobian: inspection.min_scaled_jacobian,
        soundness: SoundnessInfo::of(&inspection.soundness),
        findings: &inspection.findings,
        warnings: &warnings,
        sets: inspection
            .sets
            .iter()
            .map(|(name, set)| (name.as_str(), SetInfo { kind: set.kind, count: set.count }))
            .collect(),
        materials: body
            .materials
            .iter()
            .map(|m| MaterialInfo { name: &m.name, density: m.density, young: m.young, poisson: m.poisson })
            .collect(),
        checksum: checksum.as_deref(),
        places: &places,
    };
    session.print_json("carom-mesh info 1", &object)
}

fn degrees(inspection: &Inspection) -> Vec<usize> {
    if inspection.degrees.is_empty() {
        return Vec::new();
    }
    (0..3).map(|a| inspection.degrees.iter().map(|d| d[a]).max().unwrap_or(0)).collect()
}

fn text(body: &Body, inspection: &Inspection) -> String {
    let mut out = String::new();
    let elements: Vec<String> = inspection.elements.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let p = &inspection.properties;
    let [x, y, z] = p.center_of_mass;
    let _ = writeln!(out, "body             {} ({})", body.name, inspection.kind);
    let _ = writeln!(out, "elements         {}", elements.join(", "));
    if !inspection.levels.is_empty() {
        let cells: Vec<String> =
            inspection.levels.iter().enumerate().map(|(level, n)| format!("{n} of level {level}")).collect();
        let _ = writeln!(out, "refined locally  {}", cells.join(", "));
    }
    if inspection.patches > 0 {
        let _ = writeln!(out, "patches          {}, degrees {:?}", inspection.patches, degrees(inspection));
    }
    let _ = writeln!(out, "nodes            {} ({} dofs)", inspection.nodes, inspection.dofs);
    let _ = writeln!(out, "volume           {:.9e} m³", p.volume);
    let _ = writeln!(out, "surface          {:.9e} m²", inspection.surface_area);
    let _ = writeln!(out, "mass             {:.9e} kg", p.mass);
    let _ = writeln!(out, "centre of mass   {x:.6e} {y:.6e} {z:.6e} m");
    for (i, row) in p.inertia.iter().enumerate() {
        let label = if i == 0 { "inertia" } else { "" };
        let unit = if i == 0 { " kg m², about the centre of mass" } else { "" };
        let _ = writeln!(out, "{label:<16} {:>13.6e} {:>13.6e} {:>13.6e}{unit}", row[0], row[1], row[2]);
    }
    let worst = without_negative_zero(inspection.min_scaled_jacobian);
    let _ = writeln!(out, "worst cell       scaled Jacobian {worst:.3}");
    let closed = if inspection.soundness.watertight { "yes" } else { "no" };
    let parts = inspection.soundness.parts;
    let _ = writeln!(out, "watertight       {closed}, {parts} part{}", if parts == 1 { "" } else { "s" });
    for material in &body.materials {
        let _ = writeln!(
            out,
            "material         {}: {} kg/m³, E {:.4e} Pa, ν {}",
            material.name, material.density, material.young, material.poisson
        );
    }
    for (block, section) in body.sections.iter().enumerate() {
        let text = match section {
            None => continue,
            Some(Section::Shell(shell)) => {
                format!("shell of {} m, {} layers", plausible::plain(shell.thickness), shell.n_layers)
            }
            Some(Section::Beam(beam)) => format!(
                "beam of {} m², I {} and {} m⁴, J {} m⁴",
                plausible::plain(beam.area),
                plausible::plain(beam.inertia[0]),
                plausible::plain(beam.inertia[1]),
                plausible::plain(beam.torsion)
            ),
        };
        let _ = writeln!(out, "section          block {block}: {text}");
    }
    for (name, set) in &inspection.sets {
        let _ = writeln!(out, "set              {name}: {} {}", set.count, set.kind);
    }
    for finding in &inspection.findings {
        let _ = writeln!(out, "finding          {finding}");
    }
    out
}

pub(crate) fn materials(session: &Session) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Table<'a> {
        materials: Vec<MaterialInfo<'a>>,
    }
    let mut out = format!("{:<17} {:>9} {:>10} {:>7}\n", "name", "ρ kg/m³", "E GPa", "ν");
    for row in MATERIALS {
        let _ = writeln!(
            out,
            "{:<17} {:>9} {:>10.3} {:>7}   {}",
            row.name,
            row.density,
            row.young / 1e9,
            row.poisson,
            row.note
        );
    }
    session.print(&out)?;
    let materials = MATERIALS
        .iter()
        .map(|m| MaterialInfo { name: m.name, density: m.density, young: m.young, poisson: m.poisson })
        .collect();
    session.print_json("carom-mesh materials 1", &Table { materials })
}
