//! Checks that joints, springs and bushings fit the bodies.

use super::{Joint, JointEnd, JointKind, SpecError};
use crate::body::Body;

/// Checks that two ends are on different bodies that exist, with markers that were made for them.
///
/// * `what` — `joint`, `spring` or `bushing`, for messages
pub(crate) fn check_ends(
    what: &'static str,
    name: &str,
    ends: &[JointEnd; 2],
    bodies: &[Body],
) -> Result<(), SpecError> {
    let joint = || name.to_owned();
    for end in ends {
        let Some(body) = end.body else { continue };
        let of = bodies.get(body).ok_or_else(|| SpecError::NoSuchBody {
            what,
            joint: joint(),
            body,
            bodies: bodies.len(),
        })?;
        for found in [end.marker.displacement.len(), end.marker.rotation.len()] {
            if found != of.frame.n {
                let expected = of.frame.n;
                let body = of.name.clone();
                return Err(SpecError::Marker { what, joint: joint(), body, found, expected });
            }
        }
    }
    let [first, second] = ends.each_ref().map(|end| end.body);
    if first == second {
        let on =
            first.map_or_else(|| "the ground".to_owned(), |body| format!("body `{}`", bodies[body].name));
        return Err(SpecError::SameBody { what, joint: joint(), on });
    }
    Ok(())
}

/// Checks the ends and the figures of a joint.
pub(super) fn check_joint(joint: &Joint, bodies: &[Body]) -> Result<(), SpecError> {
    check_ends("joint", &joint.name, &joint.ends, bodies)?;
    match joint.kind {
        JointKind::Distance { length } if !(length > 0.0 && length.is_finite()) => {
            Err(SpecError::Length { joint: joint.name.clone(), length })
        }
        _ => Ok(()),
    }
}
