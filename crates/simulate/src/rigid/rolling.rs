//! A remark on bodies that may have rolled on springs of points of their curved faces.

use std::collections::BTreeSet;

use carom_dynamics::ContactEvent;
use carom_fem::Body;
use carom_format::scenario::model::Scenario;
use carom_rigid::Law;

use super::everything::shapes_of;
use super::shapes::has_curved_splines;

/// Steps from which on a contact with friction may be one of a body that rolls.
const LONG: f64 = 100.0;

/// A sentence about bodies of splines that were long in contact with friction by springs, whose points do not
/// move; none without such bodies.
///
/// Whether they roll is not looked at.
pub(super) fn rolling_on_points(
    scenario: &Scenario,
    geometries: &[&Body],
    events: &[ContactEvent],
    time_step: f64,
) -> Option<String> {
    let number = |name: &str| scenario.body.iter().position(|spec| spec.name == name);
    let is_long = |event: &&ContactEvent| {
        let contact = &scenario.contact[event.pair];
        event.end - event.start >= LONG * time_step && contact.friction > 0.0 && contact.law != Law::Hard
    };
    let mut bodies = BTreeSet::new();
    for event in events.iter().filter(is_long) {
        match event.bodies {
            // Both touch the other one with their points.
            Some(both) => {
                bodies.extend(both.iter().copied().filter(|&k| shapes_of(&scenario.body[k]).is_empty()))
            }
            None => {
                let first = &scenario.contact[event.pair].between[0];
                let has_shape =
                    |k: &usize| scenario.body[*k].shape.iter().any(|shape| shape.name == first.part);
                bodies.extend(number(&first.body).filter(|k| !has_shape(k)));
            }
        }
    }
    let rolls = |k: &usize| !scenario.body[*k].fixed && has_curved_splines(geometries[*k]);
    let names: Vec<String> =
        bodies.into_iter().filter(rolls).map(|k| format!("`{}`", scenario.body[k].name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} touched with springs at points on curved faces for more than {LONG} steps: a body that rolls \
             on them is slowed as a prism is, by more than a third in each turn with four knot spans around; \
             without a stiffness, by multipliers, the contact moves over the surface itself, as in the \
             scheme `dynamic`",
            names.join(", ")
        )
    })
}
