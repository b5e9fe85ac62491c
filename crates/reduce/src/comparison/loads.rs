//! Static answers of a model to unit loads on its interface, beside those of the whole body.

use carom_fem::{Body, Discretisation};
use faer::Mat;

use super::{ComparisonError, DIRECTIONS, LoadMatch};
use crate::attachment::{Attached, Attachment, AttachmentKind};
use crate::flexibility::Flexibility;
use crate::interface::InterfaceError;
use crate::reduced::ReducedBody;
use crate::statics::Statics;

/// Whom a unit load acts on.
enum Target {
    /// Points of the interface, by their rows at the boundary.
    Points(Vec<usize>),
    /// A marker of the model.
    Marker(usize),
}

/// The interface sets, what else the interface has, and the averaged sets.
fn targets(
    model: &ReducedBody,
    body: &Body,
    discretisation: &Discretisation,
    statics: &Statics<'_>,
    sets: &[String],
) -> Result<Vec<(Attached, Target)>, ComparisonError> {
    let mut rest = model.boundary.points.clone();
    let mut targets = Vec::new();
    let mean = |set: &str| {
        let attachment = Attachment { set: set.to_owned(), kind: AttachmentKind::Mean };
        match Attached::new(body, discretisation, &attachment) {
            Ok(attached) => Ok(Some(attached)),
            // Too few points for moments.
            Err(InterfaceError::NoRotation { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    for set in sets {
        let points = body.points_of_set(discretisation, set)?;
        rest.retain(|point| !points.contains(point));
        let Some(attached) = mean(set)? else { continue };
        if let Some(rows) = statics.rows_of(&attached.points) {
            targets.push((attached, Target::Points(rows)));
        }
    }
    if let Some(attached) = Attached::of_points("interface nodes", rest, &discretisation.points)
        && let Some(rows) = statics.rows_of(&attached.points)
    {
        targets.push((attached, Target::Points(rows)));
    }
    for (k, marker) in model.markers.iter().enumerate().filter(|(_, m)| m.kind == AttachmentKind::Mean) {
        if let Some(attached) = mean(&marker.name)? {
            targets.push((attached, Target::Marker(k)));
        }
    }
    Ok(targets)
}

/// Static answers to the unit loads on sets and on the markers of averaged sets.
///
/// A unit load is spread so that its work is that on the mean motion y = W u of the set ([`Attached`]): f = Wᵀ e_k.
pub(super) fn loads(
    model: &ReducedBody,
    body: &Body,
    discretisation: &Discretisation,
    flexibility: &Flexibility,
    sets: &[String],
) -> Result<Vec<LoadMatch>, ComparisonError> {
    let failed = |source| ComparisonError::Model { body: model.name.clone(), source };
    let statics = Statics::new(model).map_err(failed)?;
    let mut found = Vec::new();
    for (set, target) in &targets(model, body, discretisation, &statics, sets)? {
        let n = set.points.len();
        let mut whole = Mat::zeros(discretisation.n_dofs(), 6);
        for (i, &point) in set.points.iter().enumerate() {
            for (a, k) in (0..3).flat_map(|a| (0..6).map(move |k| (a, k))) {
                whole[(3 * point as usize + a, k)] = set.mean[(3 * i + a, k)];
            }
        }
        flexibility.respond(whole.as_mut());
        for (k, direction) in DIRECTIONS.into_iter().enumerate() {
            let force: Vec<[f64; 3]> = (0..n).map(|i| [0, 1, 2].map(|a| set.mean[(3 * i + a, k)])).collect();
            let at = |i: usize, a: usize| whole[(3 * set.points[i] as usize + a, k)];
            let components = || (0..n).flat_map(|i| (0..3).map(move |a| (i, a)));
            let work: f64 = components().map(|(i, a)| force[i][a] * at(i, a)).sum();
            let (lost, displacement_error) = match target {
                Target::Points(rows) => {
                    let u = statics.displacement(rows, &force);
                    let apart = components().map(|(i, a)| (at(i, a) - u[i][a]).abs()).fold(0.0, f64::max);
                    let largest = components().map(|(i, a)| at(i, a).abs()).fold(0.0, f64::max);
                    (components().map(|(i, a)| force[i][a] * (at(i, a) - u[i][a])).sum(), apart / largest)
                }
                Target::Marker(marker) => {
                    let lost = work - statics.marker_compliance(*marker, k);
                    (lost, (lost / work).abs())
                }
            };
            let energy_error = (lost / work).abs().sqrt();
            found.push(LoadMatch { set: set.name.clone(), direction, energy_error, displacement_error });
        }
    }
    Ok(found)
}
