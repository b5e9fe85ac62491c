//! Bodies that differ in name and motion alone: made once, in the files of the first of them.

use carom_format::scenario::model::{BodySource, BodySpec, Scenario};

use super::ingredients::{body_as_it_is, body_recipe};
use crate::prepared::Workshop;
use crate::recipe::Recipe;

/// The first body of the scenario whose body file is made in the same way as that of `spec`.
pub(super) fn body_owner<'a>(
    scenario: &'a Scenario,
    spec: &'a BodySpec,
    workshop: Workshop<'_>,
) -> &'a BodySpec {
    owner(scenario, spec, workshop, |_| true)
}

/// The first body of the scenario that is made and reduced in the same way as `spec`.
pub(super) fn model_owner<'a>(
    scenario: &'a Scenario,
    spec: &'a BodySpec,
    workshop: Workshop<'_>,
) -> &'a BodySpec {
    owner(scenario, spec, workshop, |other| !other.rigid && other.reduce == spec.reduce)
}

fn owner<'a>(
    scenario: &'a Scenario,
    spec: &'a BodySpec,
    workshop: Workshop<'_>,
    serves: impl Fn(&BodySpec) -> bool,
) -> &'a BodySpec {
    let Some(wanted) = origin(scenario, spec, workshop) else { return spec };
    let is_twin = |other: &&BodySpec| {
        serves(other) && origin(scenario, other, workshop).is_some_and(|of_other| of_other == wanted)
    };
    scenario.body.iter().take_while(|other| other.name != spec.name).find(is_twin).unwrap_or(spec)
}

/// The recipe of a body's geometry and material; none for a model, or if its file cannot be read. Another
/// check reports such a file.
fn origin(scenario: &Scenario, spec: &BodySpec, workshop: Workshop<'_>) -> Option<Recipe> {
    match body_as_it_is(spec, workshop) {
        Some(path) => Some(Recipe::of(&path)),
        None if matches!(spec.source, BodySource::Rom { .. }) => None,
        None => body_recipe(scenario, spec, workshop).ok(),
    }
}
