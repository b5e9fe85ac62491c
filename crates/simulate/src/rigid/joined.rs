//! Joints, springs and forces of a scenario between rigid bodies of `carom-rigid`.

use carom_dynamics::{Axes, Placement, TimeFunction, rotation};
use carom_fem::{Body, Discretisation};
use carom_format::scenario::model::{
    ActionSpec as SpecOfAction, BodySpec, End, ForceSpec as SpecOfForce, FunctionError, JointKind,
    JointSpec as SpecOfJoint, Scenario, Spot, SpringSpec as SpecOfSpring,
};
use carom_rigid::{
    ActionSpec, Coordinate, ForceSpec, JointEnd, JointSpec, JointSpring, SpringSpec, StopLaw, StopSpec,
};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::geometry::GeometryError;
use crate::references::NoMarker;
use crate::system::joints::{kind, triad};

/// Errors from joints, springs and forces of rigid bodies.
#[derive(Debug, Error)]
pub enum EndError {
    /// A body has no such place.
    #[error(transparent)]
    NoMarker(#[from] NoMarker),
    /// The geometry of a body cannot be evaluated.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A function of time that cannot be read.
    #[error(transparent)]
    Function(#[from] FunctionError),
}

impl Kind for EndError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Bodies at their places at the start, in the order of the scenario.
pub(crate) struct Standing<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) geometries: &'a [&'a Body],
    pub(crate) placements: &'a [Placement],
}

/// A place on a body at the start.
struct Held {
    body: usize,
    /// In source coordinates \[m\].
    point: Vector3<f64>,
    /// In inertial coordinates \[m\].
    position: Vector3<f64>,
    /// Source → inertial axes.
    rotation: Matrix3<f64>,
}

impl Standing<'_> {
    /// The joints of the scenario.
    ///
    /// # Errors
    ///
    /// The place of an end that is not known, and a motion that cannot be read. The scheme's check has
    /// refused other bodies, and in explicit dynamics springs, stops and motions.
    pub(crate) fn joints(&self) -> Result<Vec<JointSpec>, At<EndError>> {
        let joint = |(i, spec): (usize, &SpecOfJoint)| {
            let (joint, shift) = self.joint(spec).map_err(|e| e.at(format!("joint.{i}.between")))?;
            let actions =
                actions(spec, shift).map_err(|e| EndError::from(e).at(format!("joint.{i}.motion")))?;
            Ok(JointSpec { actions, ..joint })
        };
        self.scenario.joints().map(joint).collect()
    }

    /// The springs of the scenario.
    ///
    /// # Errors
    ///
    /// As [`Self::joints`].
    pub(crate) fn springs(&self) -> Result<Vec<SpringSpec>, At<EndError>> {
        let all = self.scenario.spring.iter().enumerate();
        let spring = |(i, spec): (usize, &SpecOfSpring)| {
            let ends =
                self.ends(&spec.between, spec.point).map_err(|e| e.at(format!("spring.{i}.between")))?;
            let length = (ends[0].1 - ends[1].1).norm();
            Ok(SpringSpec {
                name: spec.title(),
                ends: ends.map(|(end, _)| end),
                stiffness: spec.stiffness,
                damping: spec.damping,
                free: spec.free.unwrap_or(length),
                preload: spec.preload,
            })
        };
        all.map(spring).collect()
    }

    /// The forces of the scenario.
    ///
    /// # Errors
    ///
    /// As [`Self::joints`], and a function of time that cannot be read.
    pub(crate) fn forces(&self) -> Result<Vec<ForceSpec>, At<EndError>> {
        let all = self.scenario.force.iter().enumerate();
        let force = |(i, load): (usize, &SpecOfForce)| {
            let held = self.held(&load.on).map_err(|e| e.at(format!("force.{i}.on")))?;
            let scale = match &load.scale {
                Some(scale) => {
                    scale.function().map_err(|e| EndError::from(e).at(format!("force.{i}.scale")))?
                }
                None => TimeFunction::Constant(1.0),
            };
            Ok(ForceSpec {
                body: held.body,
                point: held.point,
                force: load.force.into(),
                torque: load.torque.into(),
                axes: if load.axes == "body" { Axes::Body } else { Axes::Inertial },
                scale,
            })
        };
        all.map(force).collect()
    }

    /// A joint without its actions, and how far its second end is from the first along the axis \[m\].
    fn joint(&self, spec: &SpecOfJoint) -> Result<(JointSpec, f64), EndError> {
        let axis = Vector3::from(spec.axis);
        let axes = [axis, spec.second_axis.map_or(axis, Vector3::from)];
        let [(first, a), (second, b)] = self.ends(&spec.between, spec.point)?;
        let turned = |end: JointEnd, side: usize| {
            let triad = triad(&axes[side]);
            JointEnd { triad: end.triad * triad, ..end }
        };
        let joint = JointSpec {
            name: spec.title(),
            kind: kind(spec, (a - b).norm()),
            ends: [turned(first, 0), turned(second, 1)],
            actions: Vec::new(),
        };
        Ok((joint, axis.normalize().dot(&(b - a))))
    }

    /// Both ends, with inertial axes as triads, and their places \[m\].
    ///
    /// * `point` — of the ground; by default where the other end starts
    fn ends(
        &self,
        between: &[End; 2],
        point: Option<[f64; 3]>,
    ) -> Result<[(JointEnd, Vector3<f64>); 2], EndError> {
        let of = |end: &End| -> Result<Option<Held>, EndError> {
            if end.body == "ground" { Ok(None) } else { self.held(end).map(Some) }
        };
        let held = [of(&between[0])?, of(&between[1])?];
        let start = || held.iter().flatten().next().map_or(Vector3::zeros(), |end| end.position);
        let ground = point.map_or_else(start, Vector3::from);
        Ok(held.each_ref().map(|held| match held {
            Some(end) => {
                let triad = end.rotation.transpose();
                (JointEnd { body: Some(end.body), point: end.point, triad }, end.position)
            }
            None => (JointEnd { body: None, point: ground, triad: Matrix3::identity() }, ground),
        }))
    }

    fn held(&self, end: &End) -> Result<Held, EndError> {
        let body = self.scenario.body.iter().position(|spec| spec.name == end.body);
        let body = body.expect("the format checks the ends of joints, springs and forces");
        let point = place(&self.scenario.body[body], self.geometries[body], &end.part)?;
        let placement = &self.placements[body];
        let rotation = rotation::matrix(&placement.quaternion);
        Ok(Held { body, point, position: Vector3::from(placement.origin) + rotation * point, rotation })
    }
}

/// Springs, stops and motions of the coordinates of a joint.
///
/// * `shift` — of the second end from the first along the axis at the start \[m\]
fn actions(spec: &SpecOfJoint, shift: f64) -> Result<Vec<ActionSpec>, FunctionError> {
    let own = match spec.kind {
        JointKind::Revolute => Coordinate::Angle,
        JointKind::Distance => Coordinate::Length,
        _ => Coordinate::Shift { zero: shift },
    };
    let turn = spec.turn.as_ref().map(|turn| (Coordinate::Angle, turn));
    let all = std::iter::once((own, &spec.action)).chain(turn);
    all.filter(|(_, action)| **action != SpecOfAction::default())
        .map(|(coordinate, action)| {
            Ok(ActionSpec {
                coordinate,
                spring: action.spring.map(|spring| JointSpring {
                    stiffness: spring.stiffness,
                    damping: spring.damping,
                    free: spring.free,
                    preload: spring.preload,
                }),
                stops: action.stops.map(|stops| StopSpec {
                    low: stops.low.unwrap_or(f64::NEG_INFINITY),
                    high: stops.high.unwrap_or(f64::INFINITY),
                    law: match stops.stiffness {
                        Some(stiffness) => StopLaw::Spring { stiffness, damping: stops.damping },
                        None => StopLaw::Hard { restitution: stops.restitution.unwrap_or(1.0) },
                    },
                }),
                motion: action.motion.as_ref().map(|motion| motion.function()).transpose()?,
            })
        })
        .collect()
}

/// A marker of a rigid body, or the mean of a set, in source coordinates \[m\].
///
/// # Errors
///
/// [`EndError`] if the body has no such part, or its geometry cannot be evaluated.
pub(crate) fn place(spec: &BodySpec, geometry: &Body, part: &str) -> Result<Vector3<f64>, EndError> {
    let marker = spec.marker.iter().find(|marker| marker.name == part).map(|marker| &marker.at);
    Ok(match marker {
        Some(Spot::Point(point)) => Vector3::from(*point),
        Some(Spot::Set(set)) => mean_of_set(&spec.name, geometry, set)?,
        None if geometry.set_names().iter().any(|set| set == part) => {
            mean_of_set(&spec.name, geometry, part)?
        }
        None => {
            let markers = spec.marker.iter().map(|marker| marker.name.clone());
            let known: Vec<String> = markers.chain(geometry.set_names()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(NoMarker { body: spec.name.clone(), part: part.to_owned(), known }.into());
        }
    })
}

/// The mean of the points of a set, in source coordinates.
fn mean_of_set(name: &str, geometry: &Body, set: &str) -> Result<Vector3<f64>, GeometryError> {
    let discretisation = Discretisation::new(geometry)
        .map_err(|source| GeometryError::Discretisation { body: name.to_owned(), source })?;
    let points = geometry.points_of_set(&discretisation, set)?;
    let sum: Vector3<f64> = points.iter().map(|&i| Vector3::from(discretisation.points[i as usize])).sum();
    Ok(sum / points.len().max(1) as f64)
}
