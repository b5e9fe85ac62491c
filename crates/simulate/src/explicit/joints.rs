//! Joints of a scenario between rigid bodies of explicit dynamics.

use carom_continuum::explicit::{BodySpec, SetupError};
use carom_dynamics::rotation;
use carom_fem::Discretisation;
use carom_format::scenario::model::{End, JointSpec as SpecOfJoint, Scenario, Spot};
use carom_rigid::{JointEnd, JointSpec};
use nalgebra::{Matrix3, Vector3};

use super::ExplicitSetUpError;
use crate::error::{At, AtKey};
use crate::geometry::GeometryError;
use crate::references::NoMarker;
use crate::system::joints::{kind, triad};

/// The end of a joint on a body at the start.
struct Held {
    body: usize,
    /// In source coordinates \[m\].
    point: Vector3<f64>,
    /// In inertial coordinates \[m\].
    position: Vector3<f64>,
    /// Source → inertial axes.
    rotation: Matrix3<f64>,
}

/// The joints of a scenario.
///
/// * `number` — of a body by its name
///
/// # Errors
///
/// [`ExplicitSetUpError`] if a place on a body is not known. The scheme's check has refused other bodies, and
/// joints with springs, stops and motions.
pub(super) fn joints(
    scenario: &Scenario,
    bodies: &[BodySpec],
    number: impl Fn(&str) -> usize,
) -> Result<Vec<JointSpec>, At<ExplicitSetUpError>> {
    let made = |(i, spec): (usize, &SpecOfJoint)| {
        joint(scenario, bodies, &number, spec).map_err(|error| error.at(format!("joint.{i}.between")))
    };
    scenario.joint.iter().enumerate().map(made).collect()
}

/// An error of a problem, at the key of its joint.
pub(super) fn placed(scenario: &Scenario, error: SetupError) -> At<ExplicitSetUpError> {
    let joint = match &error {
        SetupError::Joint(source) => scenario.joint.iter().position(|spec| spec.title() == source.joint()),
        _ => None,
    };
    match joint {
        Some(i) => ExplicitSetUpError::from(error).at(format!("joint.{i}")),
        None => ExplicitSetUpError::from(error).into(),
    }
}

fn joint(
    scenario: &Scenario,
    bodies: &[BodySpec],
    number: &impl Fn(&str) -> usize,
    spec: &SpecOfJoint,
) -> Result<JointSpec, ExplicitSetUpError> {
    let of = |end: &End| -> Result<Option<Held>, ExplicitSetUpError> {
        match end.body.as_str() {
            "ground" => Ok(None),
            name => held(scenario, bodies, end, number(name)).map(Some),
        }
    };
    let [first, second] = &spec.between;
    let held = [of(first)?, of(second)?];
    let axis = Vector3::from(spec.axis);
    let axes = [axis, spec.second_axis.map_or(axis, Vector3::from)];
    // A joint to the ground without a `point` is where its other end starts.
    let start = || held.iter().flatten().next().map_or(Vector3::zeros(), |end| end.position);
    let ground = spec.point.map_or_else(start, Vector3::from);
    let [a, b] = held.each_ref().map(|end| end.as_ref().map_or(ground, |end| end.position));
    let kind = kind(spec, (a - b).norm());
    let ends = [0, 1].map(|side| {
        let triad = triad(&axes[side]);
        match &held[side] {
            Some(end) => {
                JointEnd { body: Some(end.body), point: end.point, triad: end.rotation.transpose() * triad }
            }
            None => JointEnd { body: None, point: ground, triad },
        }
    });
    Ok(JointSpec { name: spec.title(), kind, ends })
}

fn held(
    scenario: &Scenario,
    bodies: &[BodySpec],
    end: &End,
    body: usize,
) -> Result<Held, ExplicitSetUpError> {
    let (spec, made) = (&scenario.body[body], &bodies[body]);
    let marker = spec.marker.iter().find(|marker| marker.name == end.part).map(|marker| &marker.at);
    let point = match marker {
        Some(Spot::Point(point)) => Vector3::from(*point),
        Some(Spot::Set(set)) => mean_of_set(spec.name.as_str(), made, set)?,
        None if made.geometry.set_names().contains(&end.part) => {
            mean_of_set(spec.name.as_str(), made, &end.part)?
        }
        None => {
            let markers = spec.marker.iter().map(|marker| marker.name.clone());
            let known: Vec<String> = markers.chain(made.geometry.set_names()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(NoMarker { body: spec.name.clone(), part: end.part.clone(), known }.into());
        }
    };
    let rotation = rotation::matrix(&made.placement.quaternion);
    let position = Vector3::from(made.placement.origin) + rotation * point;
    Ok(Held { body, point, position, rotation })
}

/// The mean of the points of a set, in source coordinates.
fn mean_of_set(name: &str, body: &BodySpec, set: &str) -> Result<Vector3<f64>, ExplicitSetUpError> {
    let geometry = &body.geometry;
    let discretisation = Discretisation::new(geometry)
        .map_err(|source| GeometryError::Discretisation { body: name.to_owned(), source })?;
    let points = geometry.points_of_set(&discretisation, set).map_err(GeometryError::from)?;
    let sum: Vector3<f64> = points.iter().map(|&i| Vector3::from(discretisation.points[i as usize])).sum();
    Ok(sum / points.len().max(1) as f64)
}
