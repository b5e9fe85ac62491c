//! Values that a scenario left open, as they were chosen, each with its reason.

use std::fmt;

use carom_format::scenario::model::{BodySource, Scenario};
use serde::Serialize;

use super::PERIODS;
use super::rigid_run::Outlook;

/// A value that a scenario left open, as it was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The table that it belongs to: `body ball`, `contact ball / rod`.
    pub of: String,
    /// The key in that table: `reduce.up_to`.
    pub key: &'static str,
    /// The value, as the scenario would give it.
    pub value: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, key, value, reason } = self;
        write!(f, "{of}: {key} = {value}, as {reason}")
    }
}

/// The numbers of cells of bodies that are described by their shape alone.
///
/// * `meshed` — the scenario with these numbers
pub(super) fn cells(given: &Scenario, meshed: &Scenario) -> Vec<Choice> {
    let mut found = Vec::new();
    for (spec, own) in meshed.body.iter().zip(&given.body) {
        let (BodySource::Make { make }, BodySource::Make { make: was }) = (&spec.source, &own.source) else {
            continue;
        };
        if make.elements == was.elements {
            continue;
        }
        let reason = match make.shape.as_str() {
            "box" | "plate" => {
                "its edges are then those of a plate's thickness, or a quarter of a block's least"
            }
            "rod" | "capsule" | "tube" => {
                "cells are then as long as the body is wide, and around it at most 0.4 radii"
            }
            _ => "edges of 0.4 radii of curvature carry the loads of a contact on a grid of its own",
        };
        found.push(Choice {
            of: format!("body {}", spec.name),
            key: "make.elements",
            value: format!("{:?}", make.elements),
            reason: reason.to_owned(),
        });
    }
    found
}

/// The places and modes of bodies.
///
/// * `outlooks` — one for each contact
pub(super) fn of_bodies(given: &Scenario, completed: &Scenario, outlooks: &[Outlook]) -> Vec<Choice> {
    let mut found = Vec::new();
    for (spec, own) in completed.body.iter().zip(&given.body) {
        let Some(reduce) = &spec.reduce else { continue };
        let of = format!("body {}", spec.name);
        let is_old = |place: &String| own.reduce.as_ref().is_some_and(|reduce| reduce.places.contains(place));
        let new: Vec<String> =
            reduce.places.iter().filter(|place| !is_old(place)).map(|place| format!("{place:?}")).collect();
        let touching = || {
            let pairs = given.contact.iter().zip(outlooks);
            pairs.filter(|(pair, _)| pair.between.iter().any(|end| end.body == spec.name))
        };
        if !new.is_empty() {
            let radius = touching().filter_map(|(_, outlook)| outlook.radius()).reduce(f64::max);
            let reason = match radius {
                Some(radius) => format!(
                    "the rigid bodies meet there, with a contact radius of {radius:.3e} m; the loads reach \
                     beyond it by {} radii or half an edge",
                    super::region::MARGIN
                ),
                None => "the rigid bodies come near each other there".to_owned(),
            };
            found.push(Choice {
                of: of.clone(),
                key: "reduce.places",
                value: format!("[{}]", new.join(", ")),
                reason,
            });
        }
        let before = own.reduce.as_ref().and_then(|reduce| reduce.up_to);
        if let (Some(up_to), None) = (reduce.up_to, before) {
            let shortest = touching().filter_map(|(_, outlook)| outlook.duration()).reduce(f64::min);
            let duration = shortest.unwrap_or(PERIODS / up_to);
            found.push(Choice {
                of,
                key: "reduce.up_to",
                value: format!("{up_to:.1e} Hz"),
                reason: format!(
                    "the shortest impact is expected to last {duration:.3e} s, in which such a mode has \
                     {PERIODS} periods"
                ),
            });
        }
    }
    found
}
