//! The table `[[probe]]`, read with its defaults.

use std::ops::Range;

use carom_dynamics::ProbeQuantity;

use super::decode::{Interval, Problems, Table, list_of};
use super::model::{
    Bodies, BodySpec, End, Found, JointSpec, ProbePlaceSpec, ProbeSpec, Scenario, SchemeRow, WALL,
};
use super::problem::ProblemKind;
use super::references::{Parts, check_ends};
use super::sections::{AXES, Referring, one_end};
use super::suggest::nearest;

/// Keys of which a probe has one.
const PLACES: [&str; 3] = ["on", "joint", "contact"];

/// A probe, with the place of the key that says where it is.
pub(super) struct PlacedProbe {
    pub(super) referring: Referring<ProbeSpec>,
    pub(super) span: Range<usize>,
}

pub(super) fn probe(table: Table<'_>, scheme: &SchemeRow) -> Option<PlacedProbe> {
    let name = table.text("name");
    let given: Vec<&str> = PLACES.into_iter().filter(|key| table.has(key)).collect();
    let [joint, contact] = ["joint", "contact"].map(|key| table.text(key));
    match given[..] {
        [] => table.missing(
            "on",
            "the point of a body, `on = \"BODY:MARKER\"` or `on = \"BODY\"` with `at = [x, y, z]`; a whole \
             body, `on = \"BODY\"`; or `joint = \"NAME\"`, `contact = \"BODY/BODY\"`",
        ),
        [_] => {}
        [_, second, ..] => {
            table.conflict(second, "`on`, `joint` and `contact` exclude each other: give one");
        }
    }
    let end = table.has("on").then(|| one_end(&table)).flatten();
    let at = table.vector("at");
    let axes = table.choice("axes", &AXES);
    let wall = table.choice("wall", &WALL.map(|word| (word, word)));
    if !table.has("on") {
        for key in ["at", "axes", "wall"].into_iter().filter(|key| table.has(key)) {
            table.conflict(key, format!("`{key}` belongs to `on`, a point of a body"));
        }
    }
    if let (Some((end, _)), true) = (&end, table.has("at"))
        && !end.part.is_empty()
    {
        let text =
            format!("`{end}` is a place already: write `on = \"{}\"` with `at`, or leave it out", end.body);
        table.conflict("at", text);
    }
    let whole = |on: &End| on.part.is_empty() && !table.has("at");
    if let (Some((on, _)), true) = (&end, table.has("axes"))
        && whole(on)
    {
        table.conflict("axes", "`axes` belongs to a point of a body: those of a whole body are inertial");
    }
    let place = match (&end, joint, contact) {
        (Some((on, _)), _, _) if whole(on) => Some(ProbePlaceSpec::Body { on: on.body.clone() }),
        (Some((on, _)), _, _) => {
            let axes = axes.unwrap_or("inertial").to_owned();
            Some(ProbePlaceSpec::Point { on: on.clone(), at, axes, wall: wall.map(ToOwned::to_owned) })
        }
        (None, Some(joint), _) => Some(ProbePlaceSpec::Joint { joint }),
        (None, None, contact) => contact.map(|contact| ProbePlaceSpec::Contact { contact }),
    };
    let what = place.as_ref().map(|place| quantities(&table, place, scheme));
    let every = table.number("every", Interval::NotNegative).unwrap_or(0.0);
    table.value("what");
    let has_stress = what.iter().flatten().any(|quantity| ProbeQuantity::OF_STRESS.contains(quantity));
    if table.has("wall") && !has_stress {
        let text = "`wall` is the place of a stress in the wall of a shell: leave it out, or write \
                    `what = [\"stress\"]`";
        table.conflict("wall", text);
    }
    let span = given.first().map_or(table.span.clone(), |key| table.span_of(key));
    let context = table.context.clone();
    table.finish();
    let spec = ProbeSpec { name, place: place?, what: what?, every };
    Some(PlacedProbe { referring: Referring { spec, ends: end.into_iter().collect(), context }, span })
}

/// The word for all quantities of the stress.
const STRESS: &str = "stress";

/// The quantities of a place: `what`, or its default.
fn quantities(table: &Table<'_>, place: &ProbePlaceSpec, scheme: &SchemeRow) -> Vec<ProbeQuantity> {
    let Some(words) = table.texts("what") else { return place.default_quantities(scheme.has_time) };
    let own = place.quantities();
    let has_stress = ProbeQuantity::OF_STRESS.iter().all(|quantity| own.contains(quantity));
    let mut known: Vec<&str> = own.iter().map(|quantity| quantity.name()).collect();
    known.extend(has_stress.then_some(STRESS));
    let mut found = Vec::with_capacity(words.len());
    for (word, span) in &words {
        let named: Vec<ProbeQuantity> = match ProbeQuantity::of_name(word) {
            None if word == STRESS && has_stress => ProbeQuantity::OF_STRESS.to_vec(),
            named => named.into_iter().filter(|quantity| own.contains(quantity)).collect(),
        };
        if let Some(twice) = named.iter().find(|quantity| found.contains(*quantity)) {
            let text = format!("`what` names `{}` twice: remove one", twice.name());
            table.problem(span, ProblemKind::Conflict(text));
        } else if named.is_empty() {
            let suggestion = nearest(word, known.iter().copied());
            let (key, found, choices) = ("what".to_owned(), word.clone(), list_of(&known));
            table.problem(span, ProblemKind::UnknownChoice { key, found, suggestion, choices });
        } else {
            found.extend(named);
        }
    }
    if words.is_empty() {
        table.conflict("what", format!("`what` is empty: name some of {}", list_of(&known)));
    }
    found
}

/// Reports probes on bodies or markers that do not exist.
pub(super) fn check_bodies(problems: &Problems, bodies: &[BodySpec], probes: &[PlacedProbe]) {
    for PlacedProbe { referring, .. } in probes {
        let parts = match referring.spec.place {
            ProbePlaceSpec::Body { .. } | ProbePlaceSpec::Point { at: Some(_), .. } => Parts::SetOrBody,
            _ => Parts::Point,
        };
        check_ends(problems, bodies, std::slice::from_ref(referring), parts);
    }
}

/// Reports probes whose joint or contact does not exist, and probes with the same name.
pub(super) fn check(problems: &Problems, probes: &[PlacedProbe], scenario: &Scenario) {
    for (i, probe) in probes.iter().enumerate() {
        let Referring { spec, context, .. } = &probe.referring;
        let (kind, wanted, names) = match &spec.place {
            ProbePlaceSpec::Joint { joint } => ("joint", joint, scenario.joint_titles()),
            ProbePlaceSpec::Contact { contact } => ("contact", contact, scenario.contact_titles()),
            ProbePlaceSpec::Body { .. } | ProbePlaceSpec::Point { .. } => ("", &String::new(), Vec::new()),
        };
        let of_all = if kind == "contact" { scenario.contact_of_all(wanted) } else { None };
        match (Found::among(&names, wanted), of_all) {
            (Found::Nothing, Some((_, ends))) => {
                if let Some(why) = never_touch(scenario, ends) {
                    let text = format!("the bodies of `{wanted}` do not touch in `*`: {why}");
                    problems.add(&probe.span, context, ProblemKind::Conflict(text));
                }
            }
            (Found::Nothing, None) if !kind.is_empty() => {
                let suggestion = nearest(wanted, names.iter().map(String::as_str));
                let (name, known) = (wanted.clone(), list_of(&names));
                problems.add(
                    &probe.span,
                    context,
                    ProblemKind::UnknownName { kind, name, suggestion, known },
                );
            }
            (Found::Several(n), _) => {
                let text = format!(
                    "{n} {kind}s are called `{wanted}`: give the number of one from 1, `{kind} = \"1\"`"
                );
                problems.add(&probe.span, context, ProblemKind::Conflict(text));
            }
            _ => {}
        }
        if let Some(text) = without_section(scenario, spec).or_else(|| without_stress(scenario, spec)) {
            problems.add(&probe.span, context, ProblemKind::Conflict(text));
        }
        let title = spec.title();
        if probes[..i].iter().any(|other| other.referring.spec.title() == title) {
            let text = format!("another probe is called `{title}`: give each a `name` of its own");
            problems.add(&probe.span, context, ProblemKind::Conflict(text));
        }
    }
}

/// Why a probe has no wall or section; none if it names none, or if the bodies of the scheme may have them.
fn without_section(scenario: &Scenario, spec: &ProbeSpec) -> Option<String> {
    let row = scenario.simulation.scheme.row();
    let ProbePlaceSpec::Point { wall, .. } = &spec.place else { return None };
    if row.bodies == Bodies::Whole || !(spec.has_section() || wall.is_some()) {
        return None;
    }
    let what = if wall.is_some() { "`wall`" } else { "`section_force` and `section_moment`" };
    Some(format!(
        "walls are those of shells and sections those of beams, which the scheme `{}` does not have: \
         leave out {what}, or choose the scheme `explicit`",
        row.name
    ))
}

/// Why the place of a probe has no stress; none if it has one, or if the probe names none.
fn without_stress(scenario: &Scenario, spec: &ProbeSpec) -> Option<String> {
    let ProbePlaceSpec::Point { on, .. } = &spec.place else { return None };
    let row = scenario.simulation.scheme.row();
    if !spec.has_stress() {
        return None;
    }
    let schemes = SchemeRow::names(|row| row.bodies != Bodies::Rigid);
    match row.bodies {
        Bodies::Rigid => Some(format!(
            "the bodies of the scheme `{}` are rigid, and a rigid body has no stress: leave out `stress`, or \
             choose one of the schemes {schemes}",
            row.name
        )),
        Bodies::Whole | Bodies::Reduced => {
            let is_rigid = scenario.body.iter().any(|body| body.name == on.body && body.rigid);
            is_rigid.then(|| {
                format!(
                    "body `{}` is rigid, and a rigid body has no stress: leave out `stress`, or remove \
                     `rigid = true`",
                    on.body
                )
            })
        }
    }
}

/// Why two bodies do not touch in the contact of all bodies; none if they may.
fn never_touch(scenario: &Scenario, ends: [usize; 2]) -> Option<&'static str> {
    let bodies = ends.map(|body| &scenario.body[body]);
    if bodies.iter().all(|body| body.fixed) {
        return Some("both are fixed");
    }
    let connects = |(_, joint): (usize, &JointSpec)| {
        let own = joint.between.each_ref().map(|end| end.body.as_str());
        let names = bodies.map(|body| body.name.as_str());
        joint.excludes_contact() && (own == names || own == [names[1], names[0]])
    };
    scenario.joints().any(connects).then_some("a joint connects them")
}
