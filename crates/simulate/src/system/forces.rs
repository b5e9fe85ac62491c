//! Springs, bushings, and the springs, stops and drives of joints.

use carom_format::scenario::model::{
    ActionSpec, BushingSpec, JointKind, JointSpec, Scenario, SpringSpec, StopSpec,
};
use carom_multibody::{Bushing, Coordinate, Drive, ForceElement, ForceLaw, Joint, JointEnd, Spring, Stops};
use nalgebra::{Matrix3, Vector3};

use super::error::AssembleError;
use super::joints::{Start, end};
use super::stops::{self, Chosen};
use crate::error::{At, AtKey};

/// Springs, stops, bushings; drives of joints.
#[derive(Debug, Default)]
pub(crate) struct Acting {
    pub(crate) elements: Vec<ForceElement>,
    pub(crate) drives: Vec<Drive>,
    /// Choices that the scenario leaves open.
    pub(crate) notes: Vec<String>,
}

/// The force elements and drives of a scenario.
///
/// * `joints` — those of the scenario, in its order
///
/// # Errors
///
/// [`AssembleError`] names the missing place of a body, at the table that refers to it.
pub(crate) fn acting(
    scenario: &Scenario,
    start: &Start<'_>,
    joints: &[Joint],
) -> Result<Acting, At<AssembleError>> {
    let mut acting = Acting::default();
    for (number, ((i, spec), joint)) in scenario.joints().zip(joints).enumerate() {
        let at = |error: AssembleError| error.at(format!("joint.{i}"));
        let shift = || start.shift(spec).map(|zero| Coordinate::Shift { zero });
        let coordinate = match spec.kind {
            JointKind::Revolute => Coordinate::Angle,
            JointKind::Distance => Coordinate::Length,
            _ => shift().map_err(at)?,
        };
        acting.add(start, &spec.action, number, joint, coordinate).map_err(at)?;
        if let Some(turn) = &spec.turn {
            acting.add(start, turn, number, joint, Coordinate::Angle).map_err(at)?;
        }
    }
    for (i, spec) in scenario.spring.iter().enumerate() {
        let spring = spring(spec, start).map_err(|error| error.at(format!("spring.{i}.between")))?;
        acting.elements.push(spring);
    }
    for (i, spec) in scenario.bushing.iter().enumerate() {
        let bushing = bushing(spec, start).map_err(|error| error.at(format!("bushing.{i}.between")))?;
        acting.elements.push(bushing);
    }
    Ok(acting)
}

impl Acting {
    fn add(
        &mut self,
        start: &Start<'_>,
        action: &ActionSpec,
        number: usize,
        joint: &Joint,
        coordinate: Coordinate,
    ) -> Result<(), AssembleError> {
        if let Some(motion) = &action.motion {
            self.drives.push(Drive { joint: number, coordinate, course: motion.function()? });
        }
        if action.spring.is_none() && action.stops.is_none() {
            return Ok(());
        }
        let spring = action.spring.map_or(Spring::NONE, |spec| Spring {
            stiffness: spec.stiffness,
            damping: spec.damping,
            free: spec.free,
            preload: spec.preload,
        });
        let stops = match &action.stops {
            Some(spec) => Some(Stops {
                low: spec.low.unwrap_or(f64::NEG_INFINITY),
                high: spec.high.unwrap_or(f64::INFINITY),
                stiffness: match spec.stiffness {
                    Some(stiffness) => stiffness,
                    None => self.choose_stiffness(start, joint, coordinate, spec)?,
                },
                damping: spec.damping,
            }),
            None => None,
        };
        let law = ForceLaw::Along { coordinate, spring, stops };
        let (name, ends) = (joint.name.clone(), joint.ends.clone());
        self.elements.push(ForceElement { name, ends, law, joint: Some(number) });
        Ok(())
    }
}

impl Acting {
    /// The stiffness of stops that the scenario does not give, with a note.
    fn choose_stiffness(
        &mut self,
        start: &Start<'_>,
        joint: &Joint,
        coordinate: Coordinate,
        spec: &StopSpec,
    ) -> Result<f64, AssembleError> {
        let chosen = stops::stiffness(start, joint, coordinate, spec)
            .ok_or_else(|| AssembleError::StopStiffness { joint: joint.name.clone() })?;
        let Chosen { stiffness, speed, depth } = chosen;
        let [force, rate, length] =
            if coordinate.is_angle() { ["N m/rad", "rad/s", "rad"] } else { ["N/m", "m/s", "m"] };
        self.notes.push(format!(
            "joint `{}`: its stops have a stiffness of {stiffness:.3e} {force}: a body that arrives at \
             {speed:.3e} {rate} goes some {depth:.1e} {length} beyond them",
            joint.name
        ));
        Ok(stiffness)
    }
}

fn spring(spec: &SpringSpec, start: &Start<'_>) -> Result<ForceElement, AssembleError> {
    let [first, second] = &spec.between;
    let held = [start.held(first)?, start.held(second)?];
    let point = Vector3::from(spec.point.unwrap_or_default());
    let place = |side: usize| held[side].as_ref().map_or(point, |held| held.position);
    let axes = Matrix3::identity();
    let law = ForceLaw::Along {
        coordinate: Coordinate::Length,
        spring: Spring {
            stiffness: spec.stiffness,
            damping: spec.damping,
            free: spec.free.unwrap_or((place(0) - place(1)).norm()),
            preload: spec.preload,
        },
        stops: None,
    };
    let ends = [0, 1].map(|side| end(held[side].as_ref(), &point, &axes));
    Ok(ForceElement { name: spec.title(), ends, law, joint: None })
}

fn bushing(spec: &BushingSpec, start: &Start<'_>) -> Result<ForceElement, AssembleError> {
    let [first, second] = &spec.between;
    let held = [start.held(first)?, start.held(second)?];
    let axes = match &held[0] {
        Some(held) if spec.axes == "body" => held.rotation,
        _ => Matrix3::identity(),
    };
    // The other end of a bushing to the ground is where the first end starts.
    let other = held.iter().flatten().next().map_or(Vector3::zeros(), |end| end.position);
    let place = |side: usize| held[side].as_ref().map_or(other, |held| held.position);
    let bushing = Bushing {
        stiffness: spec.stiffness,
        ang_stiffness: spec.rotational_stiffness,
        damping: spec.damping,
        ang_damping: spec.rotational_damping,
        zero: axes.tr_mul(&(place(1) - place(0))).into(),
    };
    let ends: [JointEnd; 2] = [0, 1].map(|side| end(held[side].as_ref(), &other, &axes));
    let law = ForceLaw::Bushing(bushing);
    Ok(ForceElement { name: spec.title(), ends, law, joint: None })
}

impl Start<'_> {
    /// How far the second end of a joint is from the first at the start, along the axis \[m\].
    pub(crate) fn shift(&self, spec: &JointSpec) -> Result<f64, AssembleError> {
        let [first, second] = [self.held(&spec.between[0])?, self.held(&spec.between[1])?];
        Ok(match (first, second) {
            (Some(first), Some(second)) => {
                Vector3::from(spec.axis).normalize().dot(&(second.position - first.position))
            }
            _ => 0.0,
        })
    }
}
