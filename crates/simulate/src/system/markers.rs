//! Places on bodies at which joints, springs and loads act.

use carom_dynamics::Marker;
use carom_format::scenario::model::{BodySpec, Spot};
use carom_multibody::{Body, attached_marker, mean_marker};
use carom_reduce::ReducedBody;
use nalgebra::Vector3;

use super::body_of_model::{BodyOfModelError, body_of_model};
use super::error::AssembleError;
use super::material_point::{self, Within};
use crate::geometry::{GeometryError, discretisation};
use crate::prepared::{PreparedBody, PreparedModel};

/// A named marker, the marker of an attachment, or the mean of an interface set. The marker of a point of a
/// reduced body is over all modes of the model, and the point lies on its surface: loads act there.
pub(super) fn marker(
    part: &str,
    spec: &BodySpec,
    ready: &PreparedBody,
    body: &Body,
) -> Result<Option<Marker>, AssembleError> {
    marker_within(Within::Surface, part, spec, ready, body)
}

/// The same, where points may lie inside of a reduced body.
///
/// * `within` — the part of a reduced body in which points may lie
pub(super) fn marker_within(
    within: Within,
    part: &str,
    spec: &BodySpec,
    ready: &PreparedBody,
    body: &Body,
) -> Result<Option<Marker>, AssembleError> {
    let set = match spec.marker.iter().find(|marker| marker.name == part).map(|marker| &marker.at) {
        Some(Spot::Point(point)) => {
            if let PreparedModel::Reduced(rom) = &ready.model {
                return material_point::marker((*point, within), part, ready, rom, body).map(Some);
            }
            return Ok(Some(body.frame_marker(Vector3::from(*point) - body.frame_origin)));
        }
        Some(Spot::Set(set)) => set.as_str(),
        None => part,
    };
    match &ready.model {
        PreparedModel::Reduced(rom) => {
            let surface = rom.surfaces.iter().find(|surface| surface.name == set);
            let of_surface = || surface.and_then(|surface| mean_marker(rom, &surface.surface.points));
            match attached_marker(rom, set).or_else(of_surface) {
                Some(marker) => Ok(Some(marker)),
                None => of_nodes(set, ready, rom),
            }
        }
        PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => {
            let discretisation = discretisation(&spec.name, geometry)?;
            let points = geometry.points_of_set(&discretisation, set).map_err(GeometryError::from)?;
            let sum: Vector3<f64> =
                points.iter().map(|&i| Vector3::from(discretisation.points[i as usize])).sum();
            let mean = sum / points.len().max(1) as f64;
            Ok((!points.is_empty()).then(|| body.frame_marker(mean - body.frame_origin)))
        }
    }
}

/// The mean of a set of single nodes that belong to the interface of a model: the model does not keep the
/// names of such sets, the body from which it was made does. None if it has no such set.
fn of_nodes(set: &str, ready: &PreparedBody, rom: &ReducedBody) -> Result<Option<Marker>, AssembleError> {
    if rom.boundary.points.is_empty() {
        return Ok(None);
    }
    let geometry = match body_of_model(ready) {
        Ok(geometry) => geometry,
        Err(BodyOfModelError::Read(error)) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let discretisation = discretisation(&geometry.name, &geometry)?;
    let Ok(points) = geometry.points_of_set(&discretisation, set) else { return Ok(None) };
    let are_kept = points.iter().all(|point| rom.boundary.points.binary_search(point).is_ok());
    Ok(mean_marker(rom, &points).filter(|_| are_kept))
}

/// Names of the markers and sets of a body, for messages.
pub(super) fn known_places(spec: &BodySpec, ready: &PreparedBody) -> String {
    let mut names: Vec<String> = spec.marker.iter().map(|marker| marker.name.clone()).collect();
    match &ready.model {
        PreparedModel::Reduced(rom) => {
            names.extend(rom.markers.iter().map(|marker| marker.name.clone()));
            names.extend(rom.surfaces.iter().map(|s| s.name.clone()));
        }
        PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => {
            names.extend(geometry.set_names());
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
