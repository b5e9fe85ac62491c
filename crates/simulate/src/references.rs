//! Sets that a scenario names: each must exist where it is looked for.

use carom_fem::{Body, Geometry, SetError};
use carom_format::scenario::model::{BodySpec, ContactSpec, End, Scenario, Spot};
use carom_reduce::ReducedBody;

use crate::SimulateError;
use crate::run::reduces;

/// What is known of a body whose parts are named.
pub(crate) enum Parts<'a> {
    /// Its geometry.
    Geometry(&'a Body),
    /// Its model.
    Model(&'a ReducedBody),
    /// Nothing yet.
    Unknown,
}

/// Every name of a set or marker that leads nowhere, in the order of the scenario.
///
/// * `parts` — what is known of each body of the scenario
pub(crate) fn problems(scenario: &Scenario, parts: &[Parts<'_>]) -> Vec<SimulateError> {
    let mut found = Vec::new();
    for (spec, parts) in scenario.body.iter().zip(parts) {
        if let Parts::Geometry(body) = parts {
            found.extend(sets_of(spec).filter_map(|set| missing(body, set)).map(SimulateError::Set));
        }
    }
    let of = |end: &End| scenario.body.iter().zip(parts).find(|(spec, _)| spec.name == end.body);
    for pair in &scenario.contact {
        for end in &pair.between {
            let problem = of(end).and_then(|(spec, parts)| surface(scenario, pair, end, spec, parts));
            found.extend(problem);
        }
    }
    let ends = scenario.support.iter().map(|support| &support.on);
    for end in ends.chain(scenario.pressure.iter().map(|pressure| &pressure.on)) {
        if let Some((_, Parts::Geometry(body))) = of(end) {
            found.extend(missing(body, &end.part).map(SimulateError::Set));
        }
    }
    for end in scenario.force.iter().map(|force| &force.on).filter(|end| !end.part.is_empty()) {
        found.extend(of(end).and_then(|(spec, parts)| place(end, spec, parts)));
    }
    found
}

/// Sets that the table of a body names.
fn sets_of(spec: &BodySpec) -> impl Iterator<Item = &str> {
    let reduce = spec.reduce.iter();
    let interfaces = reduce.flat_map(|r| r.interface.iter().chain(r.attach.keys()).map(String::as_str));
    interfaces.chain(spec.marker.iter().filter_map(|marker| match &marker.at {
        Spot::Set(set) => Some(set.as_str()),
        Spot::Point(_) => None,
    }))
}

/// The error if a body lacks a set.
fn missing(body: &Body, set: &str) -> Option<SetError> {
    match &body.geometry {
        Geometry::Mesh(mesh) => {
            let found = mesh.set(set).map(|_| ());
            found.map_err(|source| SetError::Mesh { body: body.name.clone(), source }).err()
        }
        Geometry::Nurbs(patches) => {
            let found = patches.region(set).map(|_| ());
            found.map_err(|source| SetError::Region { body: body.name.clone(), source }).err()
        }
    }
}

/// The error if an end of a contact is no surface that can touch.
fn surface(
    scenario: &Scenario,
    pair: &ContactSpec,
    end: &End,
    spec: &BodySpec,
    parts: &Parts<'_>,
) -> Option<SimulateError> {
    let not_an_interface = |known: Vec<&str>| {
        (!known.contains(&end.part.as_str())).then(|| SimulateError::NotAnInterface {
            pair: format!("{}, {}", pair.between[0], pair.between[1]),
            body: spec.name.clone(),
            set: end.part.clone(),
            known: known.join(", "),
        })
    };
    let body = match parts {
        Parts::Geometry(body) => body,
        Parts::Model(model) => {
            return not_an_interface(model.surfaces.iter().map(|s| s.name.as_str()).collect());
        }
        Parts::Unknown => return None,
    };
    if let Err(error) = body.faces_of_set(&end.part) {
        return Some(error.into());
    }
    let reduce = spec.reduce.as_ref().filter(|_| reduces(scenario))?;
    not_an_interface(reduce.interface.iter().map(String::as_str).collect())
}

/// The error if a force acts at no marker or set.
fn place(end: &End, spec: &BodySpec, parts: &Parts<'_>) -> Option<SimulateError> {
    let mut known: Vec<String> = spec.marker.iter().map(|marker| marker.name.clone()).collect();
    match parts {
        Parts::Geometry(body) if missing(body, &end.part).is_none() => return None,
        Parts::Geometry(body) => known.extend(body.set_names()),
        Parts::Model(model) => known.extend(model.surfaces.iter().map(|s| s.name.clone())),
        Parts::Unknown => return None,
    }
    (!known.contains(&end.part)).then(|| SimulateError::NoMarker {
        body: spec.name.clone(),
        part: end.part.clone(),
        known: known.join(", "),
    })
}
