//! Stress of the modes, for `--stress`.

use carom_cli::{Category, Failure, Session};
use carom_fem::{Body, Discretisation, StressAt};
use carom_reduce::field_modes::FieldModes;
use carom_reduce::stress_modes::StressModesError;
use carom_reduce::{Modes, ReducedBody, StressModes};

use crate::args::{FieldsName, StressName};

/// Adds the stress of its modes to a model with modes at all points, then drops the points that `fields` does
/// not contain.
pub(crate) fn add(
    model: &mut ReducedBody,
    body: &Body,
    wanted: StressName,
    fields: FieldsName,
    session: &Session,
) -> Result<(), Failure> {
    let at = match wanted {
        StressName::None => return Ok(()),
        StressName::Nodes => StressAt::Nodes,
        StressName::Gauss => StressAt::GaussPoints,
    };
    let surface_only = fields != FieldsName::Full;
    let kept = model.fields.as_ref().map(FieldModes::modes).transpose();
    let kept = kept.map_err(|error| Failure::from_error(Category::Files, error))?;
    let found =
        StressModes::new(kept, model.com, body, at, surface_only, session.progress()).map_err(|error| {
            match error {
                StressModesError::Interrupted => Failure::interrupted(),
                error => Failure::from_error(Category::Input, error),
            }
        })?;
    session.note(&format!(
        "the stress of {} modes at {} places needs {:.1} MB in the model",
        found.values.ncols(),
        found.len(),
        8.0 * (found.values.nrows() * found.values.ncols()) as f64 / 1e6
    ));
    let surface = |full: &Modes| {
        let discretisation =
            Discretisation::new(body).map_err(|error| Failure::from_error(Category::Input, error))?;
        Ok(full.at(&discretisation.surface(&body.boundary_faces()).points).into())
    };
    match (fields, kept) {
        (FieldsName::Interface, _) => model.fields = None,
        (_, Some(full)) if surface_only => model.fields = Some(surface(full)?),
        _ => (),
    }
    model.stress = Some(found);
    Ok(())
}
