//! Joints of a scenario between bodies as they start.

use std::collections::BTreeMap;

use carom_dynamics::{Marker, Placement, repeated_equations, rotation};
use carom_format::result::ResultJoint;
use carom_format::scenario::model::{End, JointKind as KindSpec, JointSpec, Scenario};
use carom_multibody::{
    Assembly, AssemblyError, Body, Displaced, Joint, JointEnd, JointKind, ProjectError, RunError,
};
use nalgebra::{Matrix3, Vector3};

use super::error::AssembleError;
use super::markers::{known_places, marker};
use crate::error::{At, AtKey};
use crate::geometry::placement;
use crate::prepared::Prepared;
use crate::references::NoMarker;

/// Bodies at their places at the start.
pub(crate) struct Start<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    bodies: &'a [Body],
    number: &'a BTreeMap<&'a str, usize>,
    placements: Vec<Placement>,
}

/// The end of a joint on a body.
pub(crate) struct Held {
    body: usize,
    marker: Marker,
    /// Inertial axes \[m\].
    pub(crate) position: Vector3<f64>,
    /// Body → inertial axes.
    pub(crate) rotation: Matrix3<f64>,
}

/// A body that moves, seen from a place on it.
pub(crate) struct Falling {
    /// \[kg\].
    pub(crate) mass: f64,
    /// Radius of gyration \[m\].
    pub(crate) gyration: f64,
    /// Distance of the centre of mass from the place \[m\].
    pub(crate) arm: f64,
    /// Of the centre of mass \[m/s\].
    pub(crate) speed: f64,
    /// \[rad/s\].
    pub(crate) turning: f64,
}

/// The joints of a scenario.
///
/// # Errors
///
/// [`AssembleError`] names the missing place of a body, at the joint that refers to it.
pub(crate) fn joints(scenario: &Scenario, start: &Start<'_>) -> Result<Vec<Joint>, At<AssembleError>> {
    scenario
        .joints()
        .map(|(i, spec)| start.joint(spec).map_err(|error| error.at(format!("joint.{i}.between"))))
        .collect()
}

impl<'a> Start<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        bodies: &'a [Body],
        number: &'a BTreeMap<&'a str, usize>,
    ) -> Self {
        let placements = scenario.body.iter().map(placement).collect();
        Self { scenario, prepared, bodies, number, placements }
    }

    pub(crate) fn scenario(&self) -> &Scenario {
        self.scenario
    }

    /// A body at the start, seen from a place on it; none if it is held.
    pub(crate) fn falling(&self, index: usize, marker: &Marker) -> Option<Falling> {
        let (body, placement) = (&self.bodies[index], &self.placements[index]);
        let norm = |vector: [f64; 3]| Vector3::from(vector).norm();
        (!body.fixed).then(|| Falling {
            mass: body.frame.mass,
            gyration: body.frame.gyration_radius(),
            arm: (Vector3::from(marker.position_b) - body.frame.com_b()).norm(),
            speed: norm(placement.velocity),
            turning: norm(placement.angular_velocity),
        })
    }

    fn joint(&self, spec: &JointSpec) -> Result<Joint, AssembleError> {
        let [first, second] = &spec.between;
        let held = [self.held(first)?, self.held(second)?];
        let axis = Vector3::from(spec.axis);
        let axes = [axis, spec.second_axis.map_or(axis, Vector3::from)];
        // A joint to the ground without a `point` is where its other end starts.
        let start = || held.iter().flatten().next().map_or(Vector3::zeros(), |end| end.position);
        let place = spec.point.map_or_else(start, Vector3::from);
        let at = |end: &Option<Held>| end.as_ref().map_or(place, |end| end.position);
        let distance = (at(&held[0]) - at(&held[1])).norm();
        let ends = [0, 1].map(|side| end(held[side].as_ref(), &place, &triad(&axes[side])));
        Ok(Joint { name: spec.title(), kind: kind(spec, distance), ends })
    }

    pub(crate) fn held(&self, end: &End) -> Result<Option<Held>, AssembleError> {
        if end.body == "ground" {
            return Ok(None);
        }
        let index = self.number[end.body.as_str()];
        let (spec, ready, body) =
            (&self.scenario.body[index], &self.prepared.bodies[index], &self.bodies[index]);
        let marker = marker(&end.part, spec, ready, body)?.ok_or_else(|| NoMarker {
            body: spec.name.clone(),
            part: end.part.clone(),
            known: known_places(spec, ready),
        })?;
        let placement = &self.placements[index];
        let rotation = rotation::matrix(&placement.quaternion);
        let at = body.frame_origin + Vector3::from(marker.position_b);
        let position = Vector3::from(placement.origin) + rotation * at;
        Ok(Some(Held { body: index, marker, position, rotation }))
    }
}

/// The kind, without the relation of a screw, of a joint whose ends are this far apart at the start \[m\].
pub(crate) fn kind(spec: &JointSpec, distance: f64) -> JointKind {
    match spec.kind {
        KindSpec::Fixed => JointKind::Fixed,
        KindSpec::Revolute => JointKind::Revolute,
        KindSpec::Spherical => JointKind::Spherical,
        KindSpec::Prismatic => JointKind::Prismatic,
        KindSpec::Cylindrical | KindSpec::Screw => JointKind::Cylindrical,
        KindSpec::Universal => JointKind::Universal,
        KindSpec::Planar => JointKind::Planar,
        KindSpec::Distance => JointKind::Distance { length: spec.length.unwrap_or(distance) },
    }
}

pub(crate) fn end(held: Option<&Held>, ground: &Vector3<f64>, triad: &Matrix3<f64>) -> JointEnd {
    match held {
        Some(held) => JointEnd {
            body: Some(held.body),
            marker: held.marker.clone(),
            triad_b: held.rotation.transpose() * triad,
        },
        None => JointEnd {
            body: None,
            marker: Marker { position_b: (*ground).into(), ..Marker::default() },
            triad_b: *triad,
        },
    }
}

/// Axes whose third is this one.
pub(crate) fn triad(axis: &Vector3<f64>) -> Matrix3<f64> {
    let z = axis.normalize();
    let x = z.cross(&Vector3::ith(z.iamin(), 1.0)).normalize();
    Matrix3::from_columns(&[x, z.cross(&x), z])
}

/// An error of a run at its start, at the key of its joint.
pub(crate) fn placed(scenario: &Scenario, error: RunError) -> At<AssembleError> {
    let (joint, key) = match &error {
        RunError::Assembly(AssemblyError::Driven { joint }) => (joint, ".motion"),
        RunError::Assembly(AssemblyError::Contradiction { joint, .. })
        | RunError::Assembly(AssemblyError::Stretched { joint, .. })
        | RunError::Assembly(AssemblyError::Project(ProjectError::Open { joint, .. })) => (joint, ""),
        _ => return AssembleError::from(error).into(),
    };
    // Of joints with the same title, the last one repeats the others.
    match scenario.joint_of_title(joint) {
        Some(i) => AssembleError::from(error).at(format!("joint.{i}{key}")),
        None => AssembleError::from(error).into(),
    }
}

/// Joints, springs and bushings for the header of the result, in the order of the system.
pub(crate) fn described(scenario: &Scenario) -> Vec<ResultJoint> {
    let entry = |name: String, kind: &str, [first, second]: &[End; 2]| ResultJoint {
        name,
        kind: kind.to_owned(),
        first: first.to_string(),
        second: second.to_string(),
    };
    let joints = scenario.joints().map(|(_, spec)| entry(spec.title(), spec.kind.name(), &spec.between));
    let springs = scenario.spring.iter().map(|spec| entry(spec.title(), "spring", &spec.between));
    let bushings = scenario.bushing.iter().map(|spec| entry(spec.title(), "bushing", &spec.between));
    joints.chain(springs).chain(bushings).collect()
}

/// Largest displacement, over the size of the mechanism, and angle \[rad\] by which bodies are moved without
/// a warning until their joints close: coordinates of a scenario have some six digits.
const PLACED: f64 = 1e-6;

/// The sentence about a joint whose motion begins at an offset \[m or rad\] from the placed bodies, which
/// were moved by up to `moved` \[m\].
pub(crate) fn motion_begins_elsewhere(joint: &str, offset: f64, is_length: bool, moved: f64) -> String {
    let unit = if is_length { "m" } else { "rad" };
    format!(
        "joint `{joint}`: its motion begins {:.3e} {unit} away from the placed bodies, which were moved by \
         up to {moved:.3e} m before the start: change the motion, or the `position` of the bodies",
        offset.abs()
    )
}

/// Warnings about joints that were closed before the start.
pub(crate) fn notes(assembly: &Assembly) -> Vec<String> {
    let repeated = assembly.redundant.iter().map(|(joint, count)| repeated_equations(joint, *count));
    let mut notes: Vec<String> = repeated.collect();
    let moved = assembly.moved;
    let is_reported = |displaced: &&Displaced| {
        displaced.offset.abs() > PLACED * if displaced.is_angle { 1.0 } else { assembly.size }
    };
    for Displaced { joint, offset, is_angle } in assembly.displaced.iter().filter(is_reported) {
        notes.push(motion_begins_elsewhere(joint, *offset, !is_angle, moved));
    }
    let is_apart = assembly.apart && moved > PLACED * assembly.size;
    if is_apart {
        notes.push(format!(
            "bodies were moved by up to {moved:.3e} m until their joints closed; place them so that the ends \
             of joints meet"
        ));
    }
    if is_apart && assembly.strain_energy > 0.0 {
        notes.push(format!(
            "bodies begin deformed, with {:.3e} J: their joints do not close otherwise; check lengths and \
             axes if this is not intended",
            assembly.strain_energy
        ));
    }
    notes
}
