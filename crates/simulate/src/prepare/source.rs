//! From the description of a body in a scenario to the body.

use std::path::Path;

use carom_fem::{Body, Material};
use carom_format::read_body;
use carom_format::scenario::model::{
    BodySource, BodySpec, GradeSpec, ImportSpec, MakeSpec, NearSpec, Spot, ZoneSpec,
};
use carom_make::cad::CadOptions;
use carom_make::shape::Grade;
use carom_make::{
    ImportErrorKind, ImportOptions, MakeError, NearPlace, Place, RefineError, RefineOptions, Shape,
    ShapeOptions, Zone,
};
use carom_progress::Progress;

use super::error::PrepareError;

/// Makes, reads, refines the body that `spec` describes, and names its zones.
pub(super) fn make(
    spec: &BodySpec,
    material: Option<Material>,
    folder: &Path,
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Body, PrepareError> {
    let name = || spec.name.clone();
    let steel = || {
        Material::named("steel").map_err(|source| PrepareError::Material { body: spec.name.clone(), source })
    };
    let mut body = match &spec.source {
        BodySource::Make { make } => {
            let options = shape_options(spec, make)?;
            carom_make::make(&options, &spec.name, material.map_or_else(steel, Ok)?, progress).map_err(
                |source| match source {
                    MakeError::Refine(RefineError::Zone(source)) => {
                        PrepareError::Zone { body: name(), source }
                    }
                    source => PrepareError::Make { body: name(), source },
                },
            )?
        }
        BodySource::Import(import) => {
            let path = folder.join(&import.file);
            let options = import_options(import, material.is_none());
            let is_given = material.is_some();
            let imported =
                carom_make::import_with(&path, &options, material.map_or_else(steel, Ok)?, progress)
                    .map_err(|source| match source.kind() {
                        ImportErrorKind::Interrupted => PrepareError::Interrupted,
                        _ => PrepareError::Import { body: name(), source },
                    })?;
            if !is_given && !imported.has_own_materials {
                return Err(PrepareError::NoMaterial { body: name(), path });
            }
            notes.extend(imported.notes.iter().map(|note| format!("body `{}`: {note}", spec.name)));
            imported.body
        }
        BodySource::Body { body } => {
            let mut body = read_body(&folder.join(body))?.body;
            if let Some(material) = material {
                body.materials = vec![material];
                body.material_of_block.fill(0);
            }
            body
        }
        BodySource::Rom { .. } => unreachable!("a reduced model needs no body"),
    };
    body.name.clone_from(&spec.name);
    if spec.refine.as_ref().is_some_and(|refine| refine.coarsen) {
        body = carom_make::coarsen(&body, None, progress)
            .map_err(|source| PrepareError::Refine { body: name(), source: source.into() })?
            .body;
    }
    carom_make::refine(&body, &refine_options(spec), progress).map_err(|source| match source {
        RefineError::Zone(source) => PrepareError::Zone { body: name(), source },
        source => PrepareError::Refine { body: name(), source },
    })
}

fn zones(spec: &BodySpec) -> Vec<Zone> {
    let zone = |zone: &ZoneSpec| Zone {
        name: zone.name.clone(),
        of: zone.set.clone(),
        centre: zone.center,
        radius: zone.radius,
    };
    spec.zone.iter().map(zone).collect()
}

/// The refinement of a body that exists: everything except the part of [`shape_options`], and the zones of
/// bodies that are read.
fn refine_options(spec: &BodySpec) -> RefineOptions {
    let made = match &spec.source {
        BodySource::Make { make } => Some(make),
        _ => None,
    };
    let mut options = RefineOptions::default();
    if made.is_none() {
        options.zones = zones(spec);
    }
    if let Some(refine) = &spec.refine {
        options.elevate = Some(refine.elevate);
        options.subdivide = Some(refine.subdivide).filter(|_| !made.is_some_and(|make| make.hex));
        options.grade = refine.grade.iter().map(grade).collect();
        options.near = refine.near.iter().map(near).collect();
    }
    options
}

fn place(spot: &Spot) -> Place {
    match spot {
        Spot::Set(name) => Place::Set(name.clone()),
        Spot::Point(point) => Place::Point(*point),
    }
}

fn grade(spec: &GradeSpec) -> Grade {
    Grade { at: place(&spec.at), finest: spec.finest, radius: spec.radius }
}

fn near(spec: &NearSpec) -> NearPlace {
    NearPlace { at: place(&spec.at), radius: spec.radius, levels: spec.levels }
}

/// * `materials_of_file` — whether the scenario names no material
fn import_options(import: &ImportSpec, materials_of_file: bool) -> ImportOptions {
    // The units were checked when the scenario was read.
    let units = import.units.as_ref().and_then(|units| units.parse().ok());
    ImportOptions {
        cad: CadOptions {
            solid: import.solid.as_ref().and_then(|solid| solid.parse().ok()),
            size: import.size,
            // The places were checked when the scenario was read.
            near: import.near.iter().filter_map(|near| near.parse().ok()).collect(),
            time_limit: import.time_limit,
            order: import.order.map(|n| n as u8),
            hex: import.hex,
        },
        scale: Some(import.scale).filter(|_| units.is_none()),
        units,
        thickness: import.thickness,
        materials_of_file,
    }
}

/// The shape to make, with its zones, to which `make.grade` may refer. Hexahedra are subdivided here too:
/// zones of meshes are cut from the finest faces.
fn shape_options(spec: &BodySpec, make: &MakeSpec) -> Result<ShapeOptions, PrepareError> {
    let shape = match make.shape.as_str() {
        "ball" => Shape::Ball,
        "octant" => Shape::Octant,
        "ellipsoid" => Shape::Ellipsoid,
        "shell" => Shape::Shell,
        "rod" => Shape::Rod,
        "capsule" => Shape::Capsule,
        "tube" => Shape::Tube,
        "box" => Shape::Box,
        "plate" => Shape::Plate,
        "torus" => Shape::Torus,
        other => {
            return Err(PrepareError::Value {
                body: spec.name.clone(),
                key: "make.shape",
                value: other.to_owned(),
                valid: "ball, octant, ellipsoid, shell, rod, capsule, tube, box, plate or torus",
            });
        }
    };
    Ok(ShapeOptions {
        shape,
        radius: make.radius,
        inner_radius: make.inner_radius,
        length: make.length,
        size: make.size,
        semi_axes: make.semi_axes,
        pole_radius: make.pole_radius,
        focus: make.focus,
        degree: make.degree,
        elements: make.elements.clone(),
        grade: make.grade.iter().map(grade).collect(),
        hex: make.hex,
        order: make.order.map(|n| n as u8),
        elevate: None,
        subdivide: spec.refine.as_ref().filter(|_| make.hex).map(|refine| refine.subdivide),
        zones: zones(spec),
    })
}
