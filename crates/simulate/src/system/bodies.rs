//! The bodies of a system.

use carom_format::scenario::model::{BodySpec, HighModes};
use carom_multibody::Body;
use carom_reduce::StaticModes;

use super::error::AssembleError;
use crate::discretised::Bodies;
use crate::geometry::rigid_mass;
use crate::prepared::{PreparedBody, PreparedModel};
use crate::references::{NoInterface, grounded_moves};

/// A body as the scheme takes it.
///
/// * `high_modes` — how the high modes of a reduced body respond
/// * `modes` — static modes of the loads on it
/// * `known` — bodies of the scenario; equal rigid ones are integrated once
pub(super) fn body<'a>(
    high_modes: Option<HighModes>,
    spec: &BodySpec,
    ready: &'a PreparedBody,
    modes: Option<StaticModes>,
    known: &Bodies<'a>,
) -> Result<Body, AssembleError> {
    let mut body = match &ready.model {
        PreparedModel::Deformable(geometry) => {
            let known = geometry.set_names().join(", ");
            return Err(NoInterface { body: spec.name.clone(), known }.into());
        }
        PreparedModel::Reduced(rom) => {
            let body = match high_modes {
                Some(HighModes::Dynamic | HighModes::Damped) => {
                    Body::with_dynamic_modes(rom.clone(), rom.omega.len())?
                }
                _ => match modes {
                    Some(modes) => Body::with_static_modes(rom, modes)?,
                    None => Body::reduced(rom.clone())?,
                },
            };
            let body = match &spec.damping {
                Some(damping) => body.with_damping(&damping.damping())?,
                None => body,
            };
            if high_modes == Some(HighModes::Damped) { body.with_critical_damping()? } else { body }
        }
        PreparedModel::Rigid(geometry) => {
            let (mass, inertia, com) = rigid_mass(spec, geometry, known)?;
            Body::rigid(&spec.name, mass, inertia, com)?
        }
    };
    body.name.clone_from(&spec.name);
    let held = held(ready);
    if let Some(error) = grounded_moves(spec, held) {
        return Err(error.into());
    }
    Ok(if spec.fixed || !held.is_empty() { body.fixed() } else { body })
}

/// Sets that the model of a body holds to the ground.
fn held(ready: &PreparedBody) -> &[String] {
    match &ready.model {
        PreparedModel::Reduced(rom) => &rom.held,
        PreparedModel::Rigid(_) | PreparedModel::Deformable(_) => &[],
    }
}
