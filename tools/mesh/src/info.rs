//! The commands that say something.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_fem::{Inspection, MATERIALS, Soundness};
use carom_format::{ReadArchiveError, StoredBody};
use serde::Serialize;

use crate::args::InfoArgs;

/// The JSON object of `info`.
#[derive(Serialize)]
struct Info<'a> {
    name: &'a str,
    kind: &'a str,
    nodes: usize,
    elements: &'a BTreeMap<&'static str, usize>,
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
    sets: BTreeMap<&'a str, SetInfo>,
    materials: Vec<MaterialInfo<'a>>,
    checksum: &'a str,
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

/// How the cells hang together; numbers of nodes are counted from one, as in mesh files.
#[derive(Serialize)]
struct SoundnessInfo {
    watertight: bool,
    parts: usize,
    open_edges: usize,
    non_manifold_edges: usize,
    overlapping_faces: usize,
    unused_nodes: usize,
    duplicate_nodes: usize,
    /// The first ten: a node, and the one in whose place it is.
    first_duplicates: Vec<[u32; 2]>,
    folded_cells: usize,
    inverted_cells: usize,
    collapsed_sides: Vec<String>,
}

impl SoundnessInfo {
    fn of(found: &Soundness) -> Self {
        Self {
            watertight: found.watertight,
            parts: found.parts,
            open_edges: found.open_edges,
            non_manifold_edges: found.non_manifold_edges,
            overlapping_faces: found.overlapping_faces,
            unused_nodes: found.unused_nodes,
            duplicate_nodes: found.duplicate_nodes.len(),
            first_duplicates: found.duplicate_nodes.iter().take(10).map(|(a, b)| [b + 1, a + 1]).collect(),
            folded_cells: found.folded_cells,
            inverted_cells: found.inverted_cells,
            collapsed_sides: found
                .collapsed_sides
                .iter()
                .map(|(patch, side)| format!("patch{patch}:{}", side.name()))
                .collect(),
        }
    }
}

/// Reads a body file.
pub(crate) fn read(path: &Path) -> Result<StoredBody, Failure> {
    carom_format::read_body(path).map_err(|error| {
        let category = match error {
            ReadArchiveError::Io { .. } => Category::Files,
            _ => Category::Input,
        };
        Failure::from_error(category, error)
    })
}

pub(crate) fn info(args: &InfoArgs, session: &Session) -> Result<(), Failure> {
    let stored = read(&args.body)?;
    session.progress().begin("measuring the body", 0);
    let inspected = carom_fem::inspect(&stored.body).or_fail(Category::Input);
    session.progress().end();
    let inspection = inspected?;
    if let Some(path) = &args.picture {
        keep_input(&args.body, path)?;
        crate::picture::write(&stored.body, path)?;
    }
    session.print(&text(&stored, &inspection))?;
    let properties = &inspection.properties;
    let object = Info {
        name: &stored.body.name,
        kind: inspection.kind,
        nodes: inspection.nodes,
        elements: &inspection.elements,
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
        sets: inspection
            .sets
            .iter()
            .map(|(name, set)| (name.as_str(), SetInfo { kind: set.kind, count: set.count }))
            .collect(),
        materials: stored
            .body
            .materials
            .iter()
            .map(|m| MaterialInfo { name: &m.name, density: m.density, young: m.young, poisson: m.poisson })
            .collect(),
        checksum: &stored.checksum,
    };
    session.print_json("carom-mesh info 1", &object)
}

fn degrees(inspection: &Inspection) -> Vec<usize> {
    if inspection.degrees.is_empty() {
        return Vec::new();
    }
    (0..3).map(|a| inspection.degrees.iter().map(|d| d[a]).max().unwrap_or(0)).collect()
}

fn text(stored: &StoredBody, inspection: &Inspection) -> String {
    let mut out = String::new();
    let elements: Vec<String> = inspection.elements.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let p = &inspection.properties;
    let [x, y, z] = p.center_of_mass;
    let _ = writeln!(out, "body             {} ({})", stored.body.name, inspection.kind);
    let _ = writeln!(out, "elements         {}", elements.join(", "));
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
    let _ = writeln!(out, "worst cell       scaled Jacobian {:.3}", inspection.min_scaled_jacobian);
    let closed = if inspection.soundness.watertight { "yes" } else { "no" };
    let parts = inspection.soundness.parts;
    let _ = writeln!(out, "watertight       {closed}, {parts} part{}", if parts == 1 { "" } else { "s" });
    for material in &stored.body.materials {
        let _ = writeln!(
            out,
            "material         {}: {} kg/m³, E {:.4e} Pa, ν {}",
            material.name, material.density, material.young, material.poisson
        );
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
