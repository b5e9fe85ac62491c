//! The source of a body and its refinement.

use carom_fem::Units;
use carom_mesh::SizeNear;
use toml::de::DeValue;

use super::decode::{Interval, Table};
use super::homes::HOMES;
use super::model::{BodySource, GradeSpec, ImportSpec, MakeSpec, NearSpec, RefineSpec, Spot};
use super::problem::ProblemKind;

/// The one source of a body: `make`, `file`, `body` or `rom`.
pub(super) fn source(table: &Table<'_>) -> Option<BodySource> {
    const KEYS: [&str; 4] = ["make", "file", "body", "rom"];
    let make = table.table("make").map(make);
    let file = table.text("file");
    let import = ImportSpec {
        file: file.clone().unwrap_or_default(),
        solid: solid(table),
        size: table.number("size", Interval::Positive),
        near: if file.is_some() { near_sizes(table) } else { Vec::new() },
        time_limit: table.number("time_limit", Interval::Positive),
        order: order(table),
        hex: table.flag("hex").unwrap_or(false),
        scale: table.number("scale", Interval::Positive).unwrap_or(1.0),
        thickness: table.number("thickness", Interval::Positive),
        units: units(table),
    };
    let body = table.text("body");
    let rom = table.text("rom");
    let given: Vec<&str> = KEYS.into_iter().filter(|key| table.has(key)).collect();
    match given.as_slice() {
        [] => table.missing("make", "say where the body comes from: `make`, `file`, `body` or `rom`"),
        [_] => {}
        [a, b, ..] => {
            let last = if table.span_of(a).start > table.span_of(b).start { a } else { b };
            table.conflict(last, format!("`{a}` and `{b}` exclude each other: a body has one source"));
        }
    }
    if file.is_none() {
        for key in ["solid", "size", "time_limit", "order", "hex", "scale", "thickness", "units"]
            .into_iter()
            .filter(|key| table.has(key))
        {
            table.conflict(key, format!("`{key}` belongs to `file`; for `make` write it within its braces"));
        }
    }
    if let Some(make) = make {
        return Some(BodySource::Make { make });
    }
    file.map(|_| BodySource::Import(import))
        .or(body.map(|body| BodySource::Body { body }))
        .or(rom.map(|rom| BodySource::Rom { rom }))
}

/// A solid of a CAD file: a number or a name. A body is one solid, so that `all` is refused.
fn solid(table: &Table<'_>) -> Option<String> {
    let text = match table.value("solid")?.get_ref() {
        DeValue::Integer(_) => table.count("solid", 1)?.to_string(),
        _ => table.text("solid")?,
    };
    if text == "all" {
        table.conflict(
            "solid",
            "a body is one solid: write a [[body]] for each, with `solid = 1`, `solid = 2`, …",
        );
        return None;
    }
    Some(text)
}

/// Places with small cells in a CAD file.
fn near_sizes(table: &Table<'_>) -> Vec<String> {
    let texts = table.texts("near").unwrap_or_default();
    for (text, span) in &texts {
        if let Err(error) = text.parse::<SizeNear>() {
            table.problem(span, ProblemKind::Conflict(error.to_string()));
        }
    }
    texts.into_iter().map(|(text, _)| text).collect()
}

/// Units of a file, which exclude a scale other than 1. A scenario that is written out has the scale 1.
fn units(table: &Table<'_>) -> Option<String> {
    let units = table.text("units")?;
    if let Err(message) = units.parse::<Units>() {
        table.conflict("units", format!("`{units}` is not a system of units: {message}"));
        return None;
    }
    if table.has("scale") && table.number("scale", Interval::Positive) != Some(1.0) {
        table.conflict(
            "scale",
            "`scale` and `units` exclude each other: both say how long one unit of the file is",
        );
    }
    Some(units)
}

fn order(table: &Table<'_>) -> Option<usize> {
    let order = table.count("order", 1);
    if order.is_some_and(|order| order > 2) {
        table.conflict("order", "`order` is 1 (linear) or 2 (quadratic)");
    }
    order
}

fn make(table: Table<'_>) -> MakeSpec {
    if !table.has("shape") {
        table.missing("shape", "`ball`, `rod`, …: see `carom-mesh make --help`");
    }
    let spec = MakeSpec {
        shape: table.text("shape").unwrap_or_default(),
        radius: table.number("radius", Interval::Positive),
        inner_radius: table.number("inner_radius", Interval::Positive),
        length: table.number("length", Interval::Positive),
        size: table.vector("size"),
        semi_axes: table.vector("semi_axes"),
        pole_radius: table.number("pole_radius", Interval::Positive),
        focus: table.number("focus", Interval::Positive),
        degree: table.count("degree", 1),
        elements: table.counts("elements").unwrap_or_default(),
        nurbs: table.flag("nurbs").unwrap_or(!table.has("hex")),
        hex: table.flag("hex").unwrap_or(false),
        order: order(&table),
        grade: table.one_or_more("grade").into_iter().filter_map(grade).collect(),
    };
    if spec.nurbs && spec.hex {
        table.conflict("hex", "`nurbs` and `hex` exclude each other");
    }
    for (key, lengths, message) in [
        ("size", spec.size, "`size` must be three lengths above 0"),
        ("semi_axes", spec.semi_axes, "`semi_axes` must be three lengths above 0"),
    ] {
        if lengths.is_some_and(|lengths| lengths.iter().any(|&length| length <= 0.0)) {
            table.conflict(key, message);
        }
    }
    table.finish_beside(&HOMES);
    spec
}

/// A set or a point.
pub(super) fn spot(table: &Table<'_>, key: &'static str) -> Option<Spot> {
    if !table.has(key) {
        table.missing(key, "a set, such as \"end\", or a point, such as [0.0, 0.0, 0.0]");
    }
    match table.value(key)?.get_ref() {
        DeValue::String(_) => table.text(key).map(Spot::Set),
        _ => table.vector(key).map(Spot::Point),
    }
}

fn grade(table: Table<'_>) -> Option<GradeSpec> {
    let at = spot(&table, "at");
    if !table.has("finest") {
        table.missing("finest", "the size of the knot spans or cells there, in metres");
    }
    let finest = table.number("finest", Interval::Positive);
    let radius = table.number("radius", Interval::Positive);
    table.finish_beside(&HOMES);
    Some(GradeSpec { at: at?, finest: finest?, radius })
}

/// The table `refine`.
pub(super) fn refine(table: Table<'_>) -> RefineSpec {
    let spec = RefineSpec {
        coarsen: table.flag("coarsen").unwrap_or(false),
        elevate: table.count("elevate", 0).unwrap_or(0),
        subdivide: table.count("subdivide", 1).unwrap_or(1),
        grade: table.one_or_more("grade").into_iter().filter_map(grade).collect(),
        near: table.one_or_more("near").into_iter().filter_map(near).collect(),
    };
    table.finish_beside(&HOMES);
    spec
}

fn near(table: Table<'_>) -> Option<NearSpec> {
    let at = spot(&table, "at");
    if !table.has("levels") {
        table.missing("levels", "the number of times that knot spans are halved there");
    }
    let levels = table.count("levels", 1);
    let radius = table.number("radius", Interval::Positive);
    table.finish_beside(&HOMES);
    Some(NearSpec { at: at?, radius, levels: levels? })
}
