//! Names in a scenario that must refer to something.

use std::collections::BTreeMap;
use std::ops::Range;

use super::decode::{Problems, list_of};
use super::model::{Bodies, BodySource, BodySpec, ContactSpec, SchemeRow};
use super::problem::ProblemKind;
use super::sections::Referring;
use super::suggest::nearest;

/// A body that was read, with the places of its `material` and `name`.
type PlacedBody = (Option<BodySpec>, [Range<usize>; 2]);

fn unknown(kind: &'static str, name: &str, known: &[&str]) -> ProblemKind {
    let suggestion = nearest(name, known.iter().copied());
    ProblemKind::UnknownName { kind, name: name.to_owned(), suggestion, known: list_of(known) }
}

pub(super) fn check_materials(problems: &Problems, bodies: &[PlacedBody], known: &[String]) {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for (body, [span, _]) in bodies {
        let Some(BodySpec { name, material: Some(material), .. }) = body else { continue };
        if !known.contains(&material.as_str()) {
            problems.add(span, &format!("body `{name}`"), unknown("material", material, &known));
        }
    }
}

/// Reports bodies without a model that nothing touches: modes of others are chosen for their contacts.
pub(super) fn check_models<T>(
    problems: &Problems,
    bodies: &[PlacedBody],
    contacts: &[Referring<T>],
    scheme: &SchemeRow,
) {
    if scheme.bodies != Bodies::Reduced {
        return;
    }
    // A name without a body has a problem of its own, and may be meant for any of them.
    let is_unknown = |name: &str| !bodies.iter().flat_map(|(body, _)| body).any(|body| body.name == name);
    let touches = |body: &BodySpec| {
        let mut ends = contacts.iter().flat_map(|contact| &contact.ends);
        ends.any(|(end, _)| end.body == body.name || is_unknown(&end.body))
    };
    for (body, [_, span]) in bodies {
        let Some(body) = body else { continue };
        let has_model = body.reduce.is_some() || matches!(body.source, BodySource::Rom { .. });
        if !body.rigid && !has_model && !touches(body) {
            let (key, why) = (
                "reduce".to_owned(),
                "nothing touches the body, so say how it is reduced, `reduce = \
                 { interface = [\"SET\"], modes = 20 }`, or `rigid = true`",
            );
            problems.add(span, &format!("body `{}`", body.name), ProblemKind::Missing { key, why });
        }
    }
}

pub(super) fn check_names(problems: &Problems, bodies: &[PlacedBody]) {
    for (i, (body, [_, span])) in bodies.iter().enumerate() {
        let Some(body) = body else { continue };
        if bodies[..i].iter().any(|(other, _)| other.as_ref().is_some_and(|other| other.name == body.name)) {
            let text = format!("two bodies are called `{}`: names must differ", body.name);
            problems.add(span, "", ProblemKind::Conflict(text));
        }
    }
}

/// The possible parts of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// A set of the body; whether it exists is known only once the body is read.
    Set,
    /// A set, or the whole body.
    SetOrBody,
    /// A marker or a set; or the ground.
    Place,
    /// A marker or a set.
    Either,
    /// A marker or a set whose motion the model of a reduced body contains.
    Point,
}

/// Markers, attachments and interface sets of a body that the scenario reduces; of others all sets are
/// places.
fn places_of_reduced(body: &BodySpec) -> Option<Vec<&str>> {
    let reduce = body.reduce.as_ref()?;
    let markers = body.marker.iter().map(|marker| marker.name.as_str());
    let tied = reduce.attach.keys().chain(&reduce.interface).map(String::as_str);
    Some(markers.chain(tied).collect())
}

pub(super) fn check_ends<T>(
    problems: &Problems,
    bodies: &[BodySpec],
    referring: &[Referring<T>],
    parts: Parts,
) {
    let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
    for Referring { ends, context, .. } in referring {
        for (end, span) in ends {
            if end.body == ContactSpec::ALL && matches!(parts, Parts::Set | Parts::SetOrBody) {
                continue;
            }
            if end.body == "ground" && parts == Parts::Place {
                continue;
            }
            let Some(body) = bodies.iter().find(|body| body.name == end.body) else {
                problems.add(span, context, unknown("body", &end.body, &names));
                continue;
            };
            if end.part.is_empty() && parts != Parts::SetOrBody {
                let text = format!("`{end}` names no part of the body: write `{}:PART`", end.body);
                problems.add(span, context, ProblemKind::Conflict(text));
                continue;
            }
            if let (Parts::Place | Parts::Point, Some(places)) = (parts, places_of_reduced(body))
                && !places.contains(&end.part.as_str())
            {
                problems.add(span, context, unknown("marker", &end.part, &places));
            }
        }
        if let [(a, span), (b, _)] = ends.as_slice()
            && a == b
            && a.body != ContactSpec::ALL
        {
            problems.add(span, context, ProblemKind::Conflict(format!("`{a}` cannot be paired with itself")));
        }
    }
}

/// Reports two contacts of the same ends, whose forces would act twice.
///
/// * `scheme` — where points of the first end meet the surface of the second, the reversed pair is another
///   contact
pub(super) fn check_pairs<T>(problems: &Problems, referring: &[Referring<T>], scheme: &SchemeRow) {
    // The first contact of each two ends, and of all bodies and of named ones: there may be many thousands.
    let mut first = BTreeMap::new();
    let mut first_of = [None; 2];
    for (i, Referring { ends, context, .. }) in referring.iter().enumerate() {
        let [(a, span), (b, _)] = ends.as_slice() else { continue };
        let is_all = a.body == ContactSpec::ALL;
        let mut key = [a, b].map(|end| (&*end.body, &*end.part));
        if !scheme.points_touch {
            key.sort_unstable();
        }
        let of_other_kind = first_of[usize::from(!is_all)].filter(|_| !scheme.named_replace_automatic);
        let same = first.get(&key).copied();
        if let Some(found) = same.into_iter().chain(of_other_kind).min() {
            let found: &Referring<T> = &referring[found];
            let text = format!("`{a}` and `{b}` are paired already, in {}: remove one", found.context);
            problems.add(span, context, ProblemKind::Conflict(text));
        }
        first.entry(key).or_insert(i);
        first_of[usize::from(is_all)].get_or_insert(i);
    }
}

/// Reports joints, springs and bushings with equal names: plots refer to them by name.
///
/// * `named` — the given name of each, with its place and its table
pub(super) fn check_joint_names<'a>(
    problems: &Problems,
    named: impl Iterator<Item = (Option<&'a String>, Range<usize>, &'a str)>,
) {
    let mut seen: Vec<&String> = Vec::new();
    for (name, span, context) in named {
        let Some(name) = name else { continue };
        if seen.contains(&name) {
            let text =
                format!("another joint, spring or bushing is called `{name}` already: names must differ");
            problems.add(&span, context, ProblemKind::Conflict(text));
        }
        seen.push(name);
    }
}
