//! Static response of a model to unit loads on its interface, compared with the whole body.

use carom_fem::{Body, Discretisation};
use carom_progress::Progress;
use faer::Mat;

use super::{ComparisonError, DIRECTIONS, LoadMatch};
use crate::attachment::{Attached, Attachment, AttachmentKind};
use crate::flexibility::Flexibility;
use crate::interface::InterfaceError;
use crate::reduced::ReducedBody;
use crate::statics::Statics;

/// The target of a unit load.
enum Target {
    /// Points of the interface, by their rows at the boundary.
    Points(Vec<usize>),
    /// A marker of the model.
    Marker(usize),
}

/// The targets of unit loads, and the sets without loads.
#[derive(Default)]
struct Targets {
    loaded: Vec<(Attached, Target)>,
    /// A sentence for each set without loads.
    untested: Vec<String>,
}

impl Targets {
    /// Adds loads on points of the interface, if the model has all of them.
    fn add_points(&mut self, statics: &Statics<'_>, attached: Attached) {
        match statics.rows_of(&attached.points) {
            Some(rows) => self.loaded.push((attached, Target::Points(rows))),
            None => {
                self.untested.push(format!("`{}`: not all of its points are in the model", attached.name))
            }
        }
    }
}

/// The interface sets, the other interface points, and the markers.
fn targets(
    model: &ReducedBody,
    body: &Body,
    discretisation: &Discretisation,
    statics: &Statics<'_>,
    sets: &[String],
) -> Result<Targets, ComparisonError> {
    let mut rest = model.boundary.points.clone();
    let mut targets = Targets::default();
    for set in sets {
        let points = body.points_of_set(discretisation, set)?;
        rest.retain(|point| !points.contains(point));
        let attachment = Attachment { set: set.clone(), kind: AttachmentKind::Mean, at: None };
        match Attached::new(body, discretisation, &attachment) {
            Ok(attached) => targets.add_points(statics, attached),
            Err(InterfaceError::NoRotation { set, n_points, .. }) => targets.untested.push(format!(
                "`{set}`: {n_points} {} that define no rotation and cannot carry a moment",
                if n_points == 1 { "point" } else { "points" }
            )),
            Err(error) => return Err(error.into()),
        }
    }
    let n_rest = rest.len();
    match Attached::of_points("interface nodes", rest, &discretisation.points) {
        Some(attached) => targets.add_points(statics, attached),
        None if n_rest > 0 => targets.untested.push(format!(
            "{n_rest} listed interface {} that define no rotation and cannot carry a moment",
            if n_rest == 1 { "node" } else { "nodes" }
        )),
        None => {}
    }
    for (k, marker) in model.markers.iter().enumerate() {
        let at = Some(std::array::from_fn(|a| marker.position_b[a] + model.com[a]));
        let attachment = Attachment { set: marker.name.clone(), kind: marker.kind, at };
        targets.loaded.push((Attached::new(body, discretisation, &attachment)?, Target::Marker(k)));
    }
    Ok(targets)
}

/// Static response to the unit loads on sets and markers, and the sets without loads.
///
/// A unit load is distributed so that it works on the mean motion y = W u of the set ([`Attached`]): f = Wᵀ
/// e_k. On a rigid set only its resultant matters, which is that of e_k.
pub(super) fn loads(
    model: &ReducedBody,
    body: &Body,
    discretisation: &Discretisation,
    flexibility: &Flexibility,
    sets: &[String],
    progress: &dyn Progress,
) -> Result<(Vec<LoadMatch>, Vec<String>), ComparisonError> {
    let failed = |source| ComparisonError::Model { body: model.name.clone(), source };
    let statics = Statics::new(model).map_err(failed)?;
    let mut found = Vec::new();
    let Targets { loaded, untested } = targets(model, body, discretisation, &statics, sets)?;
    progress.begin("static answers of the body", loaded.len() as u64);
    for (done, (set, target)) in (1..).zip(&loaded) {
        let n = set.points.len();
        let mut whole = Mat::zeros(discretisation.n_dofs(), 6);
        for (i, &point) in set.points.iter().enumerate() {
            for (a, k) in (0..3).flat_map(|a| (0..6).map(move |k| (a, k))) {
                whole[(3 * point as usize + a, k)] = set.mean[(3 * i + a, k)];
            }
        }
        flexibility
            .respond(whole.as_mut(), progress)
            .map_err(|source| ComparisonError::Solution { body: body.name.clone(), source })?;
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
        progress.set(done);
    }
    progress.end();
    Ok((found, untested))
}
