//! The place in the model of a step that failed: the body of the failing component, the contact with the
//! largest force, and a body or a joint that leaves the range of its equations.

use carom_integrate::IntegrateError;

use crate::layout::Layout;
use crate::outcome::RunError;
use crate::system::System;
use crate::system_error::RateError;

/// A pivot of the joints below this part of that at the start is named where a step failed: about a tenth of
/// a radian from a singular position.
const NEAR: f64 = 1e-2;

/// The error of a step that failed from the state y, with its place in the model.
pub(crate) fn no_step(
    system: &mut System,
    (time, y): (f64, &[f64]),
    source: IntegrateError<RateError>,
) -> RunError {
    let component = source.component().and_then(|component| Some((component, owner(system, component)?)));
    let component = component.map(|(component, owner)| format!("; component {component} is {owner}"));
    let contact = hardest_contact(system);
    // A mass that vanishes in some direction makes the equations of joints there depend on each other too.
    let mass = nearly_indefinite(system, y);
    let joint = system.singular_joint(time, y, NEAR).filter(|_| mass.is_none()).map(|joint| {
        format!(
            "; the mechanism comes near a singular position, where the equations of joint `{joint}` depend \
             on those of the other joints: if it only passes there, take `simulation.integrator = \
             \"dop853\"`; if it locks, end the run before or keep motions away"
        )
    });
    RunError::Step { source, place: component.into_iter().chain(contact).chain(mass).chain(joint).collect() }
}

/// A body whose mass matrix is about to lose its positive definiteness.
fn nearly_indefinite(system: &System, y: &[f64]) -> Option<String> {
    let layout = system.layout();
    let mut all = system.bodies().iter().enumerate();
    let (_, found) = all.find(|(number, body)| {
        let q = &y[layout.modal(*number)..][..layout.modes(*number)];
        body.is_nearly_indefinite(q)
    })?;
    Some(format!(
        "; the mass matrix of body `{}` loses its positive definiteness at a deformation that is \
         a tenth larger: its modes do not reach so far (in a frame that is tied to points of the body, as in \
         files of other programs, fewer modes bear larger deformations)",
        found.name
    ))
}

fn owner(system: &System, component: usize) -> Option<String> {
    let (body, part) = part_of(system.layout(), component)?;
    Some(format!("{part} of body `{}`", system.bodies()[body].name))
}

/// The pair with the largest force at the state that was evaluated last: the one of the failed attempt, as a
/// rule.
fn hardest_contact(system: &System) -> Option<String> {
    let pressing = system.contacts().reactions().filter(|(_, reaction)| reaction.normal_force > 0.0);
    let (pair, reaction) = pressing.max_by(|a, b| a.1.normal_force.total_cmp(&b.1.normal_force))?;
    let [first, second] = system.contacts().surface_names(pair);
    Some(format!("; contact `{first}` / `{second}` presses most, with {:.3e} N", reaction.normal_force))
}

/// The body of a component of the state, and the name of the component there; none for integrals.
fn part_of(layout: &Layout, component: usize) -> Option<(usize, String)> {
    if component >= layout.first_integral() {
        return None;
    }
    let body = (0..layout.bodies()).rfind(|&body| layout.position(body) <= component)?;
    let along = |start: usize| ["x", "y", "z"][component - start];
    let (modal, modal_momentum) = (layout.modal(body), layout.modal_momentum(body));
    let part = if component < layout.quaternion(body) {
        format!("position {}", along(layout.position(body)))
    } else if component < modal {
        "the orientation".to_owned()
    } else if component < layout.momentum(body) {
        format!("modal coordinate {}", component - modal)
    } else if component < layout.ang_momentum(body) {
        format!("momentum {}", along(layout.momentum(body)))
    } else if component < modal_momentum {
        format!("angular momentum {}", along(layout.ang_momentum(body)))
    } else {
        format!("the momentum of modal coordinate {}", component - modal_momentum)
    };
    Some((body, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_has_its_name() {
        let layout = Layout::new(vec![0, 2], 1);
        let part = |component| part_of(&layout, component);
        let named = |body, part: &str| Some((body, part.to_owned()));
        assert_eq!(part(1), named(0, "position y"));
        assert_eq!(part(6), named(0, "the orientation"));
        assert_eq!(part(9), named(0, "momentum z"));
        assert_eq!(part(12), named(0, "angular momentum z"));
        assert_eq!(part(13), named(1, "position x"));
        assert_eq!(part(21), named(1, "modal coordinate 1"));
        assert_eq!(part(22), named(1, "momentum x"));
        assert_eq!(part(28), named(1, "the momentum of modal coordinate 0"));
        assert_eq!(part(29), named(1, "the momentum of modal coordinate 1"));
        assert_eq!((part(30), part(layout.dim())), (None, None));
    }
}
