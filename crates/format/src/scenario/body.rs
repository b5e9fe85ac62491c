//! The table `[[body]]`, read with its defaults.

use super::damping::damping;
use super::decode::{Interval, Table};
use super::homes::HOMES;
use super::model::{Bodies, BodySource, BodySpec, Elements, MarkerSpec, RotationSpec, SchemeRow, ZoneSpec};
use super::reduce::reduce;
use super::shape::{mass_properties, shape};
use super::source::{refine, source, spot};

/// Reads a body for a scheme.
pub(super) fn body(table: Table<'_>, scheme: &SchemeRow) -> Option<BodySpec> {
    let takes = scheme.bodies;
    if !table.has("name") {
        table.missing("name", "joints, contacts and results refer to bodies by their names");
    }
    let name = table.text("name");
    if let Some(name) = &name
        && (name.contains([':', '/', '\\']) || name == "ground" || name.is_empty())
    {
        table.conflict(
            "name",
            format!(
                "a body cannot be called `{name}`: `ground` and `:` have a meaning of their own, and files \
                 are called as their bodies"
            ),
        );
    }
    let source = source(&table);
    let rotation = table.table("rotation").map_or(no_rotation(), rotation);
    let reduce = table.table("reduce").map(reduce);
    let spec = BodySpec {
        name: name.unwrap_or_default(),
        material: table.text("material"),
        elements: elements(&table, scheme),
        rigid: table.flag("rigid").unwrap_or(takes == Bodies::Rigid),
        fixed: table.flag("fixed").unwrap_or(false),
        position: table.vector("position").unwrap_or_default(),
        velocity: table.vector("velocity").unwrap_or_default(),
        angular_velocity: table.vector("angular_velocity").unwrap_or_default(),
        damping: damping(&table, "damping"),
        rotation,
        refine: table.table("refine").map(refine),
        zone: table.tables("zone").into_iter().filter_map(zone).collect(),
        marker: table.tables("marker").into_iter().filter_map(marker).collect(),
        shape: table.tables("shape").into_iter().filter_map(shape).collect(),
        mass_properties: table.table("mass_properties").and_then(mass_properties),
        reduce,
        source: source.clone().unwrap_or(BodySource::Rom { rom: String::new() }),
    };
    check(&table, &spec, source.is_some(), scheme);
    table.finish_beside(&HOMES);
    source.map(|_| spec)
}

/// The elements of a body; a rigid one, and one of a scheme without a choice, has none.
fn elements(table: &Table<'_>, scheme: &SchemeRow) -> Elements {
    let elements = table.choice("elements", &Elements::NAMES);
    if elements.is_some() && !scheme.has_elements {
        let text = format!(
            "`elements` belongs to the scheme `explicit`; the scheme `{}` has the points of the stiffness",
            scheme.name
        );
        table.conflict("elements", text);
    } else if elements.is_some() && table.flag("rigid") == Some(true) {
        table.conflict("elements", "a rigid body has no strains: remove `elements`, or `rigid = true`");
    }
    elements.unwrap_or_default()
}

/// Reports contradictions within one body.
fn check(table: &Table<'_>, spec: &BodySpec, has_source: bool, scheme: &SchemeRow) {
    let takes = scheme.bodies;
    check_rigid(table, spec, scheme);
    if spec.rigid && spec.reduce.is_some() {
        let way_out = if takes == Bodies::Rigid { "" } else { " or `rigid = true`" };
        table.conflict("reduce", format!("a rigid body is not reduced: remove `reduce`{way_out}"));
    }
    let is_rom = matches!(spec.source, BodySource::Rom { .. });
    if has_source && !scheme.takes_models && is_rom {
        table.conflict(
            "rom",
            "this scheme takes the body itself, `make`, `file` or `body`, and no reduced-order model",
        );
    }
    if has_source && is_rom {
        for key in ["reduce", "refine", "zone", "material"] {
            if table.has(key) {
                table.conflict(
                    key,
                    format!("`{key}` has no meaning for a body that is read from a reduced-order model"),
                );
            }
        }
    }
    // A file whose units are known may bring its own materials.
    let needs_material = match &spec.source {
        BodySource::Make { .. } => true,
        BodySource::Import(import) => import.units.is_none(),
        BodySource::Body { .. } | BodySource::Rom { .. } => false,
    };
    if needs_material && spec.material.is_none() {
        table.missing("material", "the name of a material, `material = \"steel\"`");
    }
    let holds = spec.reduce.as_ref().is_some_and(|reduce| !reduce.fix.is_empty());
    if holds && !spec.rigid && (spec.velocity != [0.0; 3] || spec.angular_velocity != [0.0; 3]) {
        table.conflict(
            "reduce",
            "a body that is held at sets (`reduce.fix`) is grounded and has no velocity: remove `velocity` \
             and `angular_velocity`, or `fix`",
        );
    }
    if spec.fixed && (spec.velocity != [0.0; 3] || spec.angular_velocity != [0.0; 3]) {
        table.conflict(
            "fixed",
            "a fixed body has no velocity: remove `velocity` and `angular_velocity`, or `fixed = true`",
        );
    }
}

/// Keys of rigid bodies, and bodies that the scheme `rigid` does not take.
fn check_rigid(table: &Table<'_>, spec: &BodySpec, scheme: &SchemeRow) {
    let takes = scheme.bodies;
    if takes == Bodies::Rigid && !spec.rigid {
        table.conflict("rigid", "the scheme `rigid` takes rigid bodies alone: remove `rigid = false`");
    }
    if table.has("shape") && !(scheme.has_shapes && spec.rigid) {
        table.conflict(
            "shape",
            "`shape` belongs to rigid bodies of the schemes `rigid`, `explicit` and `complementarity`: \
             elsewhere name a set of the body",
        );
    }
    if table.has("mass_properties") && !(scheme.has_time && spec.rigid) {
        table.conflict(
            "mass_properties",
            "`mass_properties` belongs to rigid bodies (`rigid = true`) of schemes that move them, such as \
             `rigid`, `quasistatic` and `explicit`",
        );
    }
    for (i, shape) in spec.shape.iter().enumerate() {
        if spec.shape[..i].iter().any(|other| other.name == shape.name) {
            table.conflict("shape", format!("two shapes are called `{}`: names must differ", shape.name));
        }
    }
}

fn no_rotation() -> RotationSpec {
    RotationSpec { axis: [0.0, 0.0, 1.0], degrees: 0.0 }
}

fn rotation(table: Table<'_>) -> RotationSpec {
    if !table.has("axis") {
        table.missing("axis", "the axis of the rotation, such as [0.0, 0.0, 1.0]");
    }
    let axis = table.vector("axis").unwrap_or([0.0, 0.0, 1.0]);
    if axis == [0.0; 3] {
        table.conflict("axis", "`axis` must not be zero");
    }
    let degrees = table.number("degrees", Interval::Any).unwrap_or(0.0);
    table.finish();
    RotationSpec { axis, degrees }
}

fn zone(table: Table<'_>) -> Option<ZoneSpec> {
    for (key, why) in [
        ("name", "the name of the new set"),
        ("set", "the set that the zone is a part of"),
        ("center", "the centre in source coordinates, three numbers in metres"),
        ("radius", "the radius in metres"),
    ] {
        if !table.has(key) {
            table.missing(key, why);
        }
    }
    let (name, set) = (table.text("name"), table.text("set"));
    let (center, radius) = (table.vector("center"), table.number("radius", Interval::Positive));
    table.finish();
    Some(ZoneSpec { name: name?, set: set?, center: center?, radius: radius? })
}

fn marker(table: Table<'_>) -> Option<MarkerSpec> {
    if !table.has("name") {
        table.missing("name", "joints and forces refer to markers by their names");
    }
    let (name, at) = (table.text("name"), spot(&table, "at"));
    table.finish();
    Some(MarkerSpec { name: name?, at: at? })
}
