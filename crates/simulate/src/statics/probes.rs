//! Probes of the scheme `static`: a sample at the unloaded state and at each load step.

use carom_continuum::PlaceStress;
use carom_dynamics::{
    BodyState, Frame, Observer, ObserverError, Placement, Pose, ProbeQuantity, ProbeSample, ProbedStress,
    rotation,
};
use carom_fem::Body;
use carom_fem::constitutive::{SolidLaw, linear_laws};
use carom_fem::internal_force::PointRule;
use carom_fem::stress::{rotated, von_mises};
use carom_format::scenario::model::{BodySpec, ContactSpec, End, Found, ProbePlaceSpec, Scenario};
use nalgebra::Vector3;

use super::named;
use crate::error::{At, AtKey};
use crate::explicit::{WholeProbeError, probed_stresses, weights};
use crate::geometry::{discretisation, placement};
use crate::prepared::Prepared;
use crate::rigid::joined::place;

/// The probes of a run.
#[derive(Default)]
pub(super) struct Probes {
    all: Vec<(On, Vec<ProbeQuantity>)>,
    /// Values of one sample.
    values: Vec<[f64; 3]>,
}

/// The place of a probe.
enum On {
    /// A point of a deformable body.
    Deformable {
        /// Number of the body.
        body: usize,
        /// Points of its mesh with weights whose sum is 1.
        weights: Vec<(u32, f64)>,
        /// The point in source coordinates \[m\].
        position: Vector3<f64>,
        /// The stress there with the laws of the body, source axes.
        stress: Option<Box<(PlaceStress, Vec<SolidLaw>)>>,
    },
    /// A point of a rigid body in source coordinates \[m\], and the pose of the body at the start.
    Rigid { body: usize, position: Vector3<f64>, start: Pose },
    /// The contacts of a body, each with the sign of its force on the body.
    Body(Vec<(usize, f64)>),
    /// A contact.
    Contact(usize),
}

impl Probes {
    /// The probes of a scenario.
    ///
    /// # Errors
    ///
    /// [`WholeProbeError`] at the key of the probe whose place does not exist or has no stress.
    pub(super) fn new(scenario: &Scenario, prepared: &Prepared) -> Result<Self, At<WholeProbeError>> {
        let geometries: Vec<(_, bool)> =
            scenario.body.iter().zip(&prepared.bodies).map(|(spec, ready)| named(spec, ready)).collect();
        let mut stresses = probed_stresses(scenario, |index| {
            let (geometry, is_rigid) = &geometries[index];
            let laws = discretisation(&geometry.name, geometry).map(|found| linear_laws(&found));
            (!is_rigid).then(|| (&**geometry, PointRule::default(), laws.unwrap_or_default()))
        })?;
        let mut all = Vec::with_capacity(scenario.probe.len());
        for (number, spec) in scenario.probe.iter().enumerate() {
            let body = |name: &str| scenario.body.iter().position(|spec| spec.name == name).unwrap_or(0);
            let on = match &spec.place {
                ProbePlaceSpec::Point { on, at, .. } => {
                    let index = body(&on.body);
                    let key = if at.is_some() { "at" } else { "on" };
                    let (geometry, is_rigid) = &geometries[index];
                    let of = (index, &scenario.body[index], &**geometry, *is_rigid);
                    let point = point(of, on, *at);
                    let mut point = point.map_err(|error| error.at(format!("probe.{number}.{key}")))?;
                    if let On::Deformable { stress, .. } = &mut point {
                        *stress = stresses.remove(&number).map(Box::new);
                    }
                    point
                }
                ProbePlaceSpec::Body { on } => On::Body(contacts_of(scenario, on)),
                ProbePlaceSpec::Contact { contact } => {
                    match Found::among(&scenario.contact_titles(), contact) {
                        Found::One(index) => On::Contact(index),
                        _ => unreachable!("names of contacts were checked when the scenario was read"),
                    }
                }
                ProbePlaceSpec::Joint { .. } => unreachable!("the scheme has no joints"),
            };
            all.push((on, spec.what.clone()));
        }
        let longest = all.iter().map(|(_, what)| what.len()).max().unwrap_or(0);
        Ok(Self { all, values: vec![[0.0; 3]; longest] })
    }

    /// Hands over the samples of a load step.
    ///
    /// # Errors
    ///
    /// The error of the observer.
    pub(super) fn sample(
        &mut self,
        frame: &Frame<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), ObserverError> {
        for (probe, (on, what)) in self.all.iter().enumerate() {
            let values = &mut self.values[..what.len()];
            on.write(frame, what, values);
            observer.probe(&ProbeSample { probe, time: frame.time, values })?;
        }
        Ok(())
    }
}

/// A point of a body, without its stress.
fn point(
    (index, spec, geometry, is_rigid): (usize, &BodySpec, &Body, bool),
    on: &End,
    at: Option<[f64; 3]>,
) -> Result<On, WholeProbeError> {
    if is_rigid {
        let position = match at {
            Some(point) => Vector3::from(point),
            None => place(spec, geometry, &on.part)?,
        };
        let Placement { origin, quaternion, .. } = placement(spec);
        let start = Pose { position: origin.into(), rotation: rotation::matrix(&quaternion) };
        return Ok(On::Rigid { body: index, position, start });
    }
    let weights = weights(spec, geometry, &on.part, at)?;
    let discretisation = discretisation(&spec.name, geometry)?;
    let at = |&(point, weight): &(u32, f64)| weight * Vector3::from(discretisation.points[point as usize]);
    let position = weights.iter().map(at).sum();
    Ok(On::Deformable { body: index, weights, position, stress: None })
}

/// The contacts on a body, with the sign of the force on it.
fn contacts_of(scenario: &Scenario, body: &str) -> Vec<(usize, f64)> {
    let sign = |(pair, contact): (usize, &ContactSpec)| {
        let [first, second] = contact.between.each_ref().map(|end| end.body == body);
        let sign = f64::from(u8::from(first)) - f64::from(u8::from(second));
        (sign != 0.0).then_some((pair, sign))
    };
    scenario.contact.iter().enumerate().filter_map(sign).collect()
}

impl On {
    fn write(&self, frame: &Frame<'_>, what: &[ProbeQuantity], values: &mut [[f64; 3]]) {
        match self {
            Self::Deformable { body, weights, position, stress } => {
                let state = &frame.bodies[*body];
                let pose = pose(state);
                let moved = |&(point, weight): &(u32, f64)| {
                    weight * Vector3::from_column_slice(&state.modal[3 * point as usize..][..3])
                };
                let u: Vector3<f64> = weights.iter().map(moved).sum();
                let stress = stress.as_ref().map(|own| {
                    let own = match &own.0 {
                        PlaceStress::Solid(place) => place.stress(&own.1, &state.modal, None),
                        _ => unreachable!("statics has no shells"),
                    };
                    let axes = &pose.rotation;
                    let [xx, yy, zz, xy, yz, xz] =
                        rotated(&own, &[0, 1, 2].map(|a| [0, 1, 2].map(|b| axes[(a, b)])));
                    let (normal, shear) = ([xx, yy, zz], [xy, yz, xz]);
                    ProbedStress { normal, shear, von_mises: von_mises(&own) }
                });
                for (quantity, value) in what.iter().zip(values) {
                    *value = match quantity {
                        ProbeQuantity::Displacement => (pose.rotation * u).into(),
                        ProbeQuantity::Position => pose.point(&(position + u)).into(),
                        _ => ProbedStress::value(stress.as_ref(), *quantity),
                    };
                }
            }
            Self::Rigid { body, position, start } => {
                let now = pose(&frame.bodies[*body]).point(position);
                for (quantity, value) in what.iter().zip(values) {
                    let is_position = *quantity == ProbeQuantity::Position;
                    *value = if is_position { now } else { now - start.point(position) }.into();
                }
            }
            Self::Body(pairs) => {
                let force = |&(pair, sign): &(usize, f64)| sign * Vector3::from(frame.contacts[pair].force);
                values.fill(pairs.iter().map(force).sum::<Vector3<f64>>().into());
            }
            Self::Contact(pair) => {
                let contact = &frame.contacts[*pair];
                for (quantity, value) in what.iter().zip(values) {
                    *value = match quantity {
                        ProbeQuantity::NormalForce => [contact.normal_force, 0.0, 0.0],
                        ProbeQuantity::Gap => [contact.free_gap, 0.0, 0.0],
                        _ => contact.force,
                    };
                }
            }
        }
    }
}

fn pose(state: &BodyState) -> Pose {
    Pose { position: state.position.into(), rotation: rotation::matrix(&state.quaternion) }
}
