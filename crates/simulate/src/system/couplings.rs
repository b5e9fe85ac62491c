//! Gears, racks, screws and couplers of a scenario.

use carom_format::scenario::model::{CouplingSpec, Found, JointCoordinate, JointKind, JointSpec, Scenario};
use carom_multibody::{Coordinate, Coupling, CouplingTerm};

use super::error::AssembleError;
use super::joints::Start;
use crate::error::{At, AtKey};

/// The couplings of a scenario, and the relations of its screws.
///
/// # Errors
///
/// [`AssembleError`] at the joint whose ends do not exist.
pub(crate) fn couplings(scenario: &Scenario, start: &Start<'_>) -> Result<Vec<Coupling>, At<AssembleError>> {
    let mut couplings = Vec::new();
    for (number, (i, spec)) in scenario.joints().enumerate() {
        if let (JointKind::Screw, Some(pitch)) = (spec.kind, spec.pitch) {
            let screw = screw(start, number, spec, pitch).map_err(|error| error.at(format!("joint.{i}")))?;
            couplings.push(screw);
        }
    }
    let joints: Vec<&JointSpec> = scenario.joints().map(|(_, joint)| joint).collect();
    let titles: Vec<String> = joints.iter().map(|joint| joint.title()).collect();
    for (i, spec) in scenario.couplings() {
        let coupling = coupling(start, spec, &joints, &titles);
        couplings.push(coupling.map_err(|error| error.at(format!("joint.{i}")))?);
    }
    Ok(couplings)
}

/// shift − pitch/2π · angle = 0.
fn screw(start: &Start<'_>, joint: usize, spec: &JointSpec, pitch: f64) -> Result<Coupling, AssembleError> {
    let shift = Coordinate::Shift { zero: start.shift(spec)? };
    let per_radian = pitch / std::f64::consts::TAU;
    let terms = vec![
        CouplingTerm { joint, coordinate: shift, factor: 1.0 },
        CouplingTerm { joint, coordinate: Coordinate::Angle, factor: -per_radian },
    ];
    Ok(Coupling { name: spec.title(), terms })
}

fn coupling(
    start: &Start<'_>,
    spec: &CouplingSpec,
    joints: &[&JointSpec],
    titles: &[String],
) -> Result<Coupling, AssembleError> {
    let term = |(name, (coordinate, factor)): (&String, (JointCoordinate, f64))| {
        let Found::One(joint) = Found::among(titles, name) else {
            unreachable!("names of joints were checked when the scenario was read")
        };
        let coordinate = match coordinate {
            JointCoordinate::Angle => Coordinate::Angle,
            JointCoordinate::Shift => Coordinate::Shift { zero: start.shift(joints[joint])? },
        };
        Ok(CouplingTerm { joint, coordinate, factor })
    };
    let terms: Result<_, AssembleError> = spec.joints.iter().zip(spec.terms()).map(term).collect();
    Ok(Coupling { name: spec.title(), terms: terms? })
}
