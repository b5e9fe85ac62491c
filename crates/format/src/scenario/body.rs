//! The table `[[body]]`, read with its defaults.

use carom_fem::Units;
use toml::de::DeValue;

use super::attach::attachments;
use super::damping::damping;
use super::decode::{Interval, Table};
use super::model::{
    Bodies, BodySource, BodySpec, GradeSpec, ImportSpec, MakeSpec, MarkerSpec, NearSpec, ReduceSpec,
    RefineSpec, RotationSpec, Spot, ZoneSpec,
};
use super::shape::{mass_properties, shape};
use super::variant::variant;

const OF_NEAR: &str = "`refine = { near = { at = …, levels = …, radius = … } }` of the body";
const OF_REFINE: &str = "`refine = { … }` of the body";
const OF_GRADE: &str = "`grade = { at = …, finest = … }`";
const OF_MAKE: &str = "`make = { … }` of the body";
const OF_REDUCE: &str = "`reduce = { … }` of the body";
const OF_BODY: &str = "the body itself, beside `make`";

/// Keys of the tables within a body, and where they belong: whoever knows the flags of carom-mesh puts them
/// side by side.
const HOMES: [(&str, &str); 38] = [
    ("near", OF_NEAR),
    ("levels", OF_NEAR),
    ("coarsen", OF_REFINE),
    ("elevate", OF_REFINE),
    ("subdivide", OF_REFINE),
    ("finest", OF_GRADE),
    ("grade", "`make = { … }` or `refine = { … }` of the body"),
    ("shape", OF_MAKE),
    ("radius", "`make = { … }` of the body, or into the braces of `near`, `grade` or `zone`"),
    ("inner_radius", OF_MAKE),
    ("length", OF_MAKE),
    ("semi_axes", OF_MAKE),
    ("pole_radius", OF_MAKE),
    ("focus", OF_MAKE),
    ("degree", OF_MAKE),
    ("elements", OF_MAKE),
    ("nurbs", OF_MAKE),
    ("interface", OF_REDUCE),
    ("attach", OF_REDUCE),
    ("fix", OF_REDUCE),
    ("modes", OF_REDUCE),
    ("split", OF_REDUCE),
    ("inertia_relief", OF_REDUCE),
    ("residual", OF_REDUCE),
    ("massless_boundary", OF_REDUCE),
    ("interface_modes", OF_REDUCE),
    ("reduce_interface", OF_REDUCE),
    ("frame", OF_REDUCE),
    ("rayleigh", OF_REDUCE),
    ("damping_ratio", OF_REDUCE),
    ("refine", OF_BODY),
    ("reduce", OF_BODY),
    ("zone", OF_BODY),
    ("marker", OF_BODY),
    ("material", OF_BODY),
    ("position", OF_BODY),
    ("rotation", OF_BODY),
    ("velocity", OF_BODY),
];

/// Reads a body for a scheme.
pub(super) fn body(table: Table<'_>, takes: Bodies) -> Option<BodySpec> {
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
    check(&table, &spec, source.is_some(), takes);
    table.finish_beside(&HOMES);
    source.map(|_| spec)
}

/// What does not fit together within one body.
fn check(table: &Table<'_>, spec: &BodySpec, has_source: bool, takes: Bodies) {
    let reduced = takes == Bodies::Reduced;
    check_rigid(table, spec, takes);
    if spec.rigid && spec.reduce.is_some() {
        let way_out = if takes == Bodies::Rigid { "" } else { " or `rigid = true`" };
        table.conflict("reduce", format!("a rigid body is not reduced: remove `reduce`{way_out}"));
    }
    let is_rom = matches!(spec.source, BodySource::Rom { .. });
    if has_source && !reduced && is_rom {
        table.conflict(
            "rom",
            "this scheme takes the body itself, `make`, `file` or `body`, and no reduced-order model",
        );
    }
    if has_source && reduced && !spec.rigid && !is_rom && spec.reduce.is_none() {
        table.missing(
            "reduce",
            "say how the body is reduced, `reduce = \
            { interface = [\"SET\"], modes = 20 }`, or `rigid = true`",
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

/// Keys of the scheme `rigid`, and bodies that it does not take.
fn check_rigid(table: &Table<'_>, spec: &BodySpec, takes: Bodies) {
    if takes == Bodies::Rigid && !spec.rigid {
        table.conflict("rigid", "the scheme `rigid` takes rigid bodies alone: remove `rigid = false`");
    }
    if takes != Bodies::Rigid && table.has("shape") {
        table.conflict("shape", "`shape` belongs to the scheme `rigid`: elsewhere name a set of the body");
    }
    if table.has("mass_properties") && (takes == Bodies::Whole || !spec.rigid) {
        table.conflict(
            "mass_properties",
            "`mass_properties` belongs to rigid bodies (`rigid = true`) of schemes that move them, `rigid` \
             and `quasistatic`",
        );
    }
    for (i, shape) in spec.shape.iter().enumerate() {
        if spec.shape[..i].iter().any(|other| other.name == shape.name) {
            table.conflict("shape", format!("two shapes are called `{}`: names must differ", shape.name));
        }
    }
}

fn source(table: &Table<'_>) -> Option<BodySource> {
    const KEYS: [&str; 4] = ["make", "file", "body", "rom"];
    let make = table.table("make").map(make);
    let file = table.text("file");
    let import = ImportSpec {
        file: file.clone().unwrap_or_default(),
        size: table.number("size", Interval::Positive),
        order: order(table),
        hex: table.flag("hex").unwrap_or(false),
        scale: table.number("scale", Interval::Positive).unwrap_or(1.0),
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
        for key in ["size", "order", "hex", "scale", "units"].into_iter().filter(|key| table.has(key)) {
            table.conflict(key, format!("`{key}` belongs to `file`; for `make` it stands within its braces"));
        }
    }
    if let Some(make) = make {
        return Some(BodySource::Make { make });
    }
    file.map(|_| BodySource::Import(import))
        .or(body.map(|body| BodySource::Body { body }))
        .or(rom.map(|rom| BodySource::Rom { rom }))
}

/// Units of a file; a scale would say the same twice. A scenario that is written out has the scale 1.
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

fn spot(table: &Table<'_>, key: &'static str) -> Option<Spot> {
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
        table.missing("finest", "the size of the spans there, in metres");
    }
    let finest = table.number("finest", Interval::Positive);
    let radius = table.number("radius", Interval::Positive);
    table.finish_beside(&HOMES);
    Some(GradeSpec { at: at?, finest: finest?, radius })
}

fn refine(table: Table<'_>) -> RefineSpec {
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
        table.missing("levels", "how often spans are halved there");
    }
    let levels = table.count("levels", 1);
    let radius = table.number("radius", Interval::Positive);
    table.finish_beside(&HOMES);
    Some(NearSpec { at: at?, radius, levels: levels? })
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

fn reduce(table: Table<'_>) -> ReduceSpec {
    let interface =
        table.texts("interface").unwrap_or_default().into_iter().map(|(set, _)| set).collect::<Vec<_>>();
    let fix = table.texts("fix").unwrap_or_default().into_iter().map(|(set, _)| set).collect();
    let attach = table.table("attach").map(|ties| attachments(&ties)).unwrap_or_default();
    if interface.is_empty() && attach.is_empty() {
        table.missing(
            "interface",
            "a body is reduced about its interface: name the sets where it touches or is held",
        );
    }
    let choice = |key, words: [&'static str; 2]| {
        table.choice(key, &words.map(|word| (word, word))).unwrap_or(words[0]).to_owned()
    };
    let spec = ReduceSpec {
        interface,
        attach,
        fix,
        modes: table.count("modes", 0),
        up_to: table.number("up_to", Interval::Positive),
        split: table.number("split", Interval::NotNegative),
        // What pictures need, unless it is said.
        fields: table
            .choice("fields", &["full", "surface", "interface"].map(|word| (word, word)))
            .unwrap_or_default()
            .to_owned(),
        quadrature: choice("quadrature", ["default", "high"]),
        solver: table
            .choice("solver", &["auto", "direct", "iterative"].map(|word| (word, word)))
            .unwrap_or("auto")
            .to_owned(),
        variant: variant(&table),
    };
    if spec.modes.is_some() && spec.up_to.is_some() {
        table.conflict("up_to", "`modes` (a number) and `up_to` (a frequency) exclude each other");
    }
    table.finish_beside(&HOMES);
    spec
}
