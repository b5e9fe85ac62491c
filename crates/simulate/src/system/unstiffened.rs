//! Joints, springs and forces at places of a body with geometric stiffness whose displacement of second order
//! its model lacks: they load the body without a change of its stiffness.

use carom_dynamics::{Loads, Marker, MarkerPoints};
use carom_multibody::{Body, ForceElement, Joint, JointEnd};

/// The reason why a force at a place does not change the stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// The model has no displacement of second order at its interface.
    OldModel,
    /// The place lies off the interface.
    OffInterface,
}

impl Lack {
    /// None where the marker has its displacement of second order, and at points that move with the frame
    /// alone.
    fn of(marker: &Marker) -> Option<Self> {
        let moves = marker.displacement.iter().chain(&marker.rotation).any(|value| *value != [0.0; 3]);
        match marker.points {
            _ if marker.second_order.is_some() || !moves => None,
            MarkerPoints::Interface(_) => Some(Self::OldModel),
            _ => Some(Self::OffInterface),
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::OldModel => {
                "as its model lacks the displacement of second order at the interface, like all model files \
                 before version 1.10: reduce the body again"
            }
            Self::OffInterface => {
                "as the point lies off the interface of its model: make the faces there an interface \
                 (`reduce.interface`) or attach them (`reduce.attach`), and name that set"
            }
        }
    }
}

/// A note for each body with geometric stiffness, and each reason, with the joints, springs and forces.
pub(super) fn notes(
    bodies: &[Body],
    joints: &[Joint],
    elements: &[ForceElement],
    loads: &Loads,
) -> Vec<String> {
    let is_stiffened = |body: usize| bodies[body].reduced.as_ref().is_some_and(|it| it.stiffening.is_some());
    let mut found: Vec<(usize, Lack, Vec<String>)> = Vec::new();
    let mut add = |body: usize, marker: &Marker, name: &dyn Fn() -> String| {
        let Some(lack) = Lack::of(marker).filter(|_| is_stiffened(body)) else { return };
        match found.iter_mut().find(|(of, why, _)| (*of, *why) == (body, lack)) {
            Some((.., names)) => names.push(name()),
            None => found.push((body, lack, vec![name()])),
        }
    };
    let mut add_ends = |ends: &[JointEnd; 2], kind: &str, name: &str| {
        let of_bodies = ends.iter().filter_map(|end| Some((end.body?, &end.marker)));
        of_bodies.for_each(|(body, marker)| add(body, marker, &|| format!("{kind} `{name}`")));
    };
    joints.iter().for_each(|joint| add_ends(&joint.ends, "joint", &joint.name));
    // Springs and stops of joints act where their joints do.
    let own = elements.iter().filter(|element| element.joint.is_none());
    own.for_each(|element| add_ends(&element.ends, "spring", &element.name));
    for (number, load) in loads.point_loads.iter().enumerate() {
        add(load.body, &load.marker, &|| format!("force {}", number + 1));
    }
    let text = |(body, lack, names): (usize, Lack, Vec<String>)| {
        format!(
            "body `{}`: `stiffening` leaves out the change of its stiffness by {}, {}",
            bodies[body].name,
            names.join(", "),
            lack.why()
        )
    };
    found.into_iter().map(text).collect()
}
