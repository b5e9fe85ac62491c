//! Errors of the joints of explicit dynamics.

use carom_continuum::explicit::SetupError;
use carom_format::scenario::model::Scenario;

use super::ExplicitSetUpError;
use crate::error::{At, AtKey};

/// An error of a problem, at the key of its joint.
pub(super) fn placed(scenario: &Scenario, error: SetupError) -> At<ExplicitSetUpError> {
    let joint = match &error {
        SetupError::Joint(source) => scenario.joint_of_title(source.joint()),
        _ => None,
    };
    match joint {
        Some(i) => ExplicitSetUpError::from(error).at(format!("joint.{i}")),
        None => ExplicitSetUpError::from(error).into(),
    }
}
