//! The tables `[[joint]]`, `[[spring]]` and `[[bushing]]`, read with their defaults.

use super::decode::{Interval, Table};
use super::functions::{self, Run};
use super::model::{ActionSpec, BushingSpec, JointKind, JointSpec, JointSpringSpec, SpringSpec, StopSpec};
use super::sections::{AXES, PlacedEnd, Referring, two_ends};

pub(super) const JOINTS: [JointKind; 9] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Spherical,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Universal,
    JointKind::Planar,
    JointKind::Distance,
    JointKind::Screw,
];

/// A joint between two ends.
///
/// * `kind` — its kind, unless that is unknown
pub(super) fn joint(table: Table<'_>, kind: Option<JointKind>, run: Run) -> Option<Referring<JointSpec>> {
    let name = table.text("name");
    let ends = two_ends(&table);
    let needs_axis = !matches!(kind, Some(JointKind::Fixed | JointKind::Spherical | JointKind::Distance));
    if needs_axis && !table.has("axis") {
        table.missing("axis", "the axis of the joint in inertial axes, such as [0.0, 1.0, 0.0]");
    }
    let axis = table.vector("axis").unwrap_or([0.0, 0.0, 1.0]);
    if axis == [0.0; 3] {
        table.conflict("axis", "`axis` must not be zero");
    }
    let second_axis = second_axis(&table, kind, axis);
    let length = table.number("length", Interval::Positive);
    if length.is_some() && kind != Some(JointKind::Distance) {
        table.conflict("length", "`length` belongs to `kind = \"distance\"`");
    }
    let pitch = pitch(&table, kind);
    let point = match kind {
        Some(JointKind::Distance) => ground_point(
            &table,
            ends.as_ref(),
            "where the ground holds the distance, such as [0.0, 0.0, 1.0], in metres",
        ),
        _ => None,
    };
    let action = action(&table, kind, run);
    let turn = turn(&table, kind, run);
    let context = table.context.clone();
    table.finish();
    let [a, b] = ends?;
    Some(Referring {
        spec: JointSpec {
            name,
            kind: kind?,
            between: [a.0.clone(), b.0.clone()],
            axis,
            second_axis,
            length,
            pitch,
            point,
            action,
            turn,
        },
        ends: vec![a, b],
        context,
    })
}

/// The translation in a turn of a screw.
fn pitch(table: &Table<'_>, kind: Option<JointKind>) -> Option<f64> {
    let is_screw = kind == Some(JointKind::Screw);
    if is_screw && !table.has("pitch") {
        table.missing("pitch", "the translation in a turn, in metres, positive for a right-handed screw");
    }
    let pitch = table.number("pitch", Interval::Any);
    if !is_screw && pitch.is_some() {
        table.conflict("pitch", "`pitch` belongs to `kind = \"screw\"`");
    }
    if pitch == Some(0.0) {
        table.conflict("pitch", "`pitch` must not be zero: a `revolute` joint turns without a translation");
    }
    pitch
}

/// The axis of the second end of a universal joint.
fn second_axis(table: &Table<'_>, kind: Option<JointKind>, axis: [f64; 3]) -> Option<[f64; 3]> {
    let is_universal = kind == Some(JointKind::Universal);
    if !is_universal && table.has("second_axis") {
        table.conflict("second_axis", "`second_axis` belongs to `kind = \"universal\"`");
    }
    if is_universal && !table.has("second_axis") {
        table.missing("second_axis", "the axis about which the second end turns, perpendicular to `axis`");
    }
    let second = table.vector("second_axis")?;
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // Written so that a zero is refused, too.
    let is_across = dot(axis, second).abs() < 1e-6 * (dot(axis, axis) * dot(second, second)).sqrt();
    if !is_across {
        table.conflict("second_axis", "`second_axis` must be perpendicular to `axis`");
    }
    Some(second)
}

/// Spring, stops and motion of the coordinate of a joint, if it has one.
fn action(table: &Table<'_>, kind: Option<JointKind>, run: Run) -> ActionSpec {
    let action = acting(table, run);
    let has_one = kind.is_none_or(|kind| !kind.coordinates().is_empty());
    for (key, given) in [("spring", action.spring.is_some()), ("stops", action.stops.is_some())] {
        if given && !has_one {
            let text = format!(
                "`{key}` belongs to `revolute` (about the axis), `prismatic`, `cylindrical` and `screw` \
                 (along it); add a [[spring]] or a [[bushing]] to other joints"
            );
            table.conflict(key, text);
        }
    }
    if action.motion.is_some() && !has_one && kind != Some(JointKind::Distance) {
        let text = "`motion` belongs to `revolute` (the angle), `prismatic`, `cylindrical` and `screw` (the \
            shift) and `distance` (the length)";
        table.conflict("motion", text);
    }
    action
}

/// Spring, stops and motion of the angle of a cylindrical or screw joint.
fn turn(table: &Table<'_>, kind: Option<JointKind>, run: Run) -> Option<ActionSpec> {
    let inner = table.table("turn")?;
    if !matches!(kind, Some(JointKind::Cylindrical | JointKind::Screw)) {
        table.conflict(
            "turn",
            "`turn` belongs to `kind = \"cylindrical\"` and `\"screw\"`, which have a shift and an angle",
        );
    }
    let action = acting(&inner, run);
    inner.finish();
    Some(action)
}

fn acting(table: &Table<'_>, run: Run) -> ActionSpec {
    ActionSpec {
        spring: table.table("spring").map(joint_spring),
        stops: table.table("stops").and_then(stops),
        motion: functions::motion(table, run),
    }
}

fn joint_spring(table: Table<'_>) -> JointSpringSpec {
    let of = |key, interval| table.number(key, interval).unwrap_or(0.0);
    let spec = JointSpringSpec {
        stiffness: of("stiffness", Interval::NotNegative),
        damping: of("damping", Interval::NotNegative),
        free: of("free", Interval::Any),
        preload: of("preload", Interval::Any),
    };
    needs_one(&table, &["stiffness", "damping", "preload"]);
    table.finish();
    spec
}

/// One of these keys is needed.
fn needs_one(table: &Table<'_>, keys: &[&'static str]) {
    if !keys.iter().any(|key| table.has(key)) {
        table.missing(keys[0], "a `stiffness`, a `damping` or a `preload` makes a spring");
    }
}

fn stops(table: Table<'_>) -> Option<StopSpec> {
    let [low, high] = ["low", "high"].map(|key| table.number(key, Interval::Any));
    if !table.has("low") && !table.has("high") {
        table.missing("low", "the lowest value, or `high`, the highest one, in m or rad from the start");
    }
    if let (Some(low), Some(high)) = (low, high)
        && low >= high
    {
        table.conflict("high", "`high` must be above `low`");
    }
    let stiffness = table.number("stiffness", Interval::Positive);
    let damping = table.number("damping", Interval::NotNegative).unwrap_or(0.0);
    let restitution = table.number("restitution", Interval::Share);
    if restitution.is_some() && (table.has("stiffness") || table.has("damping")) {
        table.conflict(
            "restitution",
            "`restitution` belongs to hard stops, which have no `stiffness` and no `damping`",
        );
    }
    table.finish();
    Some(StopSpec { low, high, stiffness, damping, restitution })
}

/// The point of an end on the ground; needed for such ends, refused for others.
///
/// * `why` — the message if it is missing
fn ground_point(table: &Table<'_>, ends: Option<&[PlacedEnd; 2]>, why: &'static str) -> Option<[f64; 3]> {
    let point = table.vector("point");
    let has_ground = ends?.iter().any(|(end, _)| end.body == "ground");
    if has_ground && !table.has("point") {
        table.missing("point", why);
    }
    if !has_ground && table.has("point") {
        table.conflict("point", "`point` is where the ground holds an end, and neither end is `ground`");
    }
    point
}

pub(super) fn spring(table: Table<'_>) -> Option<Referring<SpringSpec>> {
    let name = table.text("name");
    let ends = two_ends(&table);
    let stiffness = table.number("stiffness", Interval::NotNegative).unwrap_or(0.0);
    let damping = table.number("damping", Interval::NotNegative).unwrap_or(0.0);
    let preload = table.number("preload", Interval::Any).unwrap_or(0.0);
    needs_one(&table, &["stiffness", "damping", "preload"]);
    let free = table.number("free", Interval::NotNegative);
    let why = "where the ground holds the spring, such as [0.0, 0.0, 1.0], in metres";
    let point = ground_point(&table, ends.as_ref(), why);
    let context = table.context.clone();
    table.finish();
    let [a, b] = ends?;
    let between = [a.0.clone(), b.0.clone()];
    let spec = SpringSpec { name, between, point, stiffness, damping, free, preload };
    Some(Referring { spec, ends: vec![a, b], context })
}

pub(super) fn bushing(table: Table<'_>) -> Option<Referring<BushingSpec>> {
    const KEYS: [&str; 4] = ["stiffness", "rotational_stiffness", "damping", "rotational_damping"];
    let name = table.text("name");
    let ends = two_ends(&table);
    let numbers = KEYS.map(|key| table.vector(key).unwrap_or_default());
    for (key, numbers) in KEYS.into_iter().zip(numbers) {
        if numbers.iter().any(|number| *number < 0.0) {
            table.conflict(key, format!("`{key}` must not be negative"));
        }
    }
    if !KEYS.iter().any(|key| table.has(key)) {
        table.missing(
            "stiffness",
            "along x, y, z in N/m, such as [1.0e6, 1.0e6, 1.0e5]; or `rotational_stiffness`, `damping`",
        );
    }
    let axes = table.choice("axes", &AXES).unwrap_or("inertial");
    if let Some([(first, _), _]) = &ends
        && axes == "body"
        && first.body == "ground"
    {
        table.conflict(
            "axes",
            "the first end is the ground, which has the axes of space alone: name the body first",
        );
    }
    let context = table.context.clone();
    table.finish();
    let [a, b] = ends?;
    let [stiffness, rotational_stiffness, damping, rotational_damping] = numbers;
    let between = [a.0.clone(), b.0.clone()];
    let axes = axes.to_owned();
    let spec =
        BushingSpec { name, between, axes, stiffness, rotational_stiffness, damping, rotational_damping };
    Some(Referring { spec, ends: vec![a, b], context })
}
