//! Values that a scenario left open, as they were chosen, each with its reason.

use std::fmt;

use carom_format::scenario::model::Scenario;
use serde::Serialize;

use super::rigid_run::Outlook;
use super::shared::{Alike, Sharing};
use super::{periods, touching};

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

/// The places and modes of bodies.
///
/// * `outlooks` — one for each contact
pub(super) fn of_bodies(
    given: &Scenario,
    completed: &Scenario,
    (outlooks, sharing): (&[Outlook], &Sharing),
) -> Vec<Choice> {
    let mut found = Vec::new();
    for (i, (spec, own)) in completed.body.iter().zip(&given.body).enumerate() {
        let Some(reduce) = &spec.reduce else { continue };
        let of = format!("body {}", spec.name);
        let is_old = |place: &String| own.reduce.as_ref().is_some_and(|reduce| reduce.places.contains(place));
        let has_new = reduce.places.iter().any(|place| !is_old(place));
        let bodies = sharing.model_of(i);
        if has_new {
            let reason = match sharing.shared_with(i) {
                Some(alike) => of_surface(alike),
                None => of_regions(touching(given, outlooks, &bodies)),
            };
            found.push(Choice {
                of: of.clone(),
                key: "reduce.places",
                value: format!("{:?}", reduce.places),
                reason,
            });
        }
        let before = own.reduce.as_ref().and_then(|reduce| reduce.up_to);
        if let (Some(up_to), None) = (reduce.up_to, before) {
            let durations = touching(given, outlooks, &bodies).filter_map(|outlook| outlook.duration());
            let accuracy = given.simulation.wanted();
            let duration = durations.reduce(f64::min).unwrap_or(periods(accuracy) / up_to);
            found.push(Choice {
                of,
                key: "reduce.up_to",
                value: format!("{up_to:.1e}"),
                reason: format!(
                    "the shortest impact is expected to last {duration:.3e} s, in which a mode of this \
                     frequency, in Hz, has {} periods, for an accuracy of {accuracy}",
                    (10.0 * periods(accuracy)).round() / 10.0
                ),
            });
        }
    }
    found
}

/// Why loads lie around the places where bodies met.
fn of_regions<'a>(outlooks: impl Iterator<Item = &'a Outlook>) -> String {
    match outlooks.filter_map(Outlook::radius).reduce(f64::max) {
        Some(radius) => format!(
            "the rigid bodies meet there, with a contact radius of {radius:.3e} m; the loads reach beyond it \
             by {} radii or half an edge",
            super::region::MARGIN
        ),
        None => "the rigid bodies come near each other there".to_owned(),
    }
}

/// Why loads lie over the whole surface.
fn of_surface(Alike { bodies, places, .. }: &Alike) -> String {
    let models = match bodies.len() {
        1 => String::new(),
        n => format!(", in one model for {n} bodies,"),
    };
    format!(
        "{places} loads over the whole surface{models} are not more than those of the regions where the \
         rigid bodies meet or come near each other"
    )
}
