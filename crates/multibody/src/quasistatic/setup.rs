//! From named surfaces of bodies to the condensed contact problem.

use super::spec::{ContactSetupError, ContactSpec, ContactSurface};
use super::zones::{hertz_numbers, reach};
use super::{PairSetup, QuasistaticContacts, Side};
use crate::body::Body;
use crate::modal_points::ModalPoints;
use carom_contact::Shape;
use carom_contact::assembly::{Assembly, BodyPoints, points_by_body};
use carom_contact::geometry::Faces;
use carom_contact::points::SurfacePoints;
use carom_contact::submodel::{ContactBody, Zone};
use carom_reduce::ReducedBody;
use nalgebra::Vector3;
use std::sync::Arc;

/// A body that takes part in contact, while zones are collected on it.
struct Draft {
    body: usize,
    /// Numbers of the points, ascending.
    numbers: Vec<u32>,
    positions: Vec<[f64; 3]>,
    points: ModalPoints,
    /// Points of a rigid body that zones have taken so far.
    taken: usize,
}

pub(super) fn build(
    bodies: &[Body],
    specs: &[ContactSpec],
) -> Result<QuasistaticContacts, ContactSetupError> {
    check(bodies, specs)?;
    let mut drafts = drafts(bodies, specs)?;
    let (mut assembly, mut pairs) = (Assembly::default(), Vec::new());
    for spec in specs {
        let mut zone_of = |end: usize| {
            let body = spec.bodies[end];
            let side = drafts.iter().position(|draft| draft.body == body);
            let side = side.expect("every body of a pair has a side");
            zone(&spec.surfaces[end], side, &bodies[body], &mut drafts[side])
        };
        let zones = [zone_of(0)?, zone_of(1)?];
        if zones.iter().all(|zone| zone.shape.as_faces().is_none()) {
            let [first, second] = spec.bodies.map(|body| bodies[body].name.clone());
            return Err(ContactSetupError::NoFaces { first, second });
        }
        let hertz = hertz_numbers(bodies, spec, &zones)?;
        let law = spec.law.with_modulus(hertz.modulus);
        let reach = zones.each_ref().map(reach);
        let carrier = assembly.add(zones, law, spec.friction, spec.max_depth);
        pairs.push(PairSetup { bodies: spec.bodies, carrier, reach, hertz, rim: spec.rim });
    }
    let contact_body = |draft: &Draft| ContactBody {
        name: bodies[draft.body].name.clone(),
        n_points: draft.numbers.len(),
        compliance: draft.points.compliance(),
    };
    let model = assembly.build(drafts.iter().map(contact_body).collect())?;
    let (warm, work) = (model.cold(), model.workspace());
    let mut sides: Vec<Side> = drafts.into_iter().map(side).collect();
    for (body, reach) in pairs.iter().flat_map(|pair: &PairSetup| pair.bodies.into_iter().zip(pair.reach)) {
        let side = sides.iter_mut().find(|side| side.body == body);
        let side = side.expect("every body of a pair has a side");
        side.reach = side.reach.max(reach);
    }
    Ok(QuasistaticContacts {
        model,
        warm,
        work,
        sides,
        pairs,
        fallbacks: 0,
        written: Vec::new(),
        aside: None,
    })
}

fn side(draft: Draft) -> Side {
    let numbers = || vec![0.0; 3 * draft.numbers.len()];
    let (positions, rates, motion) = (numbers(), numbers(), (Vector3::zeros(), 0.0));
    let modal = vec![0.0; draft.points.n_coordinates()];
    Side { body: draft.body, modal, positions, rates, points: draft.points, reach: 0.0, motion }
}

fn check(bodies: &[Body], specs: &[ContactSpec]) -> Result<(), ContactSetupError> {
    for (pair, spec) in specs.iter().enumerate() {
        if spec.bodies.iter().any(|&body| body >= bodies.len()) {
            return Err(ContactSetupError::NoSuchBody { pair, bodies: spec.bodies, count: bodies.len() });
        }
    }
    Ok(())
}

/// One draft a body, with the points of all its surfaces.
fn drafts(bodies: &[Body], specs: &[ContactSpec]) -> Result<Vec<Draft>, ContactSetupError> {
    let mut surfaces: Vec<(usize, &[u32])> = Vec::new();
    for (&index, surface) in specs.iter().flat_map(|spec| spec.bodies.iter().zip(&spec.surfaces)) {
        let body = &bodies[index];
        let points = match (&body.reduced, surface) {
            (Some(reduced), ContactSurface::Named(name)) => &named(body, reduced, name)?.surface.points[..],
            (Some(_), ContactSurface::Of { .. }) => {
                return Err(ContactSetupError::NotRigid { body: body.name.clone() });
            }
            // Points of rigid surfaces have no numbers yet.
            (None, _) => &[],
        };
        surfaces.push((index, points));
    }
    let draft = |found: BodyPoints| match &bodies[found.body].reduced {
        Some(reduced) => reduced_draft(found, reduced, bodies),
        None => rigid_draft(found.body, bodies, specs),
    };
    Ok(points_by_body(surfaces).into_iter().map(draft).collect())
}

fn reduced_draft(found: BodyPoints, reduced: &Arc<ReducedBody>, bodies: &[Body]) -> Draft {
    let BodyPoints { body, points: mut numbers } = found;
    let boundary = &reduced.boundary;
    // Points that the boundary does not hold are reported when their zone is made.
    numbers.retain(|number| boundary.points.binary_search(number).is_ok());
    let rows: Vec<usize> = numbers.iter().filter_map(|n| boundary.points.binary_search(n).ok()).collect();
    let positions = rows.iter().map(|&row| boundary.positions_b[row]).collect();
    let points = ModalPoints::reduced(reduced.clone(), rows, bodies[body].frame.n);
    Draft { body, numbers, positions, points, taken: 0 }
}

/// Points of rigid surfaces are numbered one after the other, in the order of the pairs.
fn rigid_draft(body: usize, bodies: &[Body], specs: &[ContactSpec]) -> Draft {
    let surfaces = specs.iter().flat_map(|spec| spec.bodies.iter().zip(&spec.surfaces));
    let mut positions: Vec<[f64; 3]> = Vec::new();
    for (_, surface) in surfaces.filter(|(index, _)| **index == body) {
        if let ContactSurface::Of { shape: Shape::Faces(faces), .. } = surface {
            let origin = bodies[body].frame_origin;
            positions.extend(faces.reference.iter().map(|x| <[f64; 3]>::from(x - origin)));
        }
    }
    let numbers = (0..positions.len() as u32).collect();
    Draft { body, numbers, points: ModalPoints::rigid(&positions), positions, taken: 0 }
}

fn named<'a>(
    body: &Body,
    reduced: &'a ReducedBody,
    name: &str,
) -> Result<&'a carom_reduce::NamedSurface, ContactSetupError> {
    reduced.surfaces.iter().find(|surface| surface.name == name).ok_or_else(|| {
        let known: Vec<_> = reduced.surfaces.iter().map(|surface| format!("`{}`", surface.name)).collect();
        ContactSetupError::NoSuchSurface {
            body: body.name.clone(),
            surface: name.to_owned(),
            known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        }
    })
}

fn zone(
    surface: &ContactSurface,
    side: usize,
    body: &Body,
    draft: &mut Draft,
) -> Result<Zone, ContactSetupError> {
    let label = |name: &str| format!("{}:{name}", body.name);
    if !matches!(surface, ContactSurface::Named(_)) && body.reduced.is_some() {
        return Err(ContactSetupError::NotRigid { body: body.name.clone() });
    }
    match surface {
        ContactSurface::Named(name) => {
            let Some(reduced) = &body.reduced else {
                return Err(ContactSetupError::NoSuchSurface {
                    body: body.name.clone(),
                    surface: name.clone(),
                    known: "none, being rigid".to_owned(),
                });
            };
            let found = named(body, reduced, name)?;
            let (points, positions) = (&draft.numbers, &draft.positions);
            let faces = found.surface.clone();
            let zone = Zone::of_faces(side, &label(name), faces, points, positions, &found.is_interface)?;
            Ok(zone.with_sharp_edges(&found.sharp_edges))
        }
        ContactSurface::Of { name, shape } => {
            let shape = shape.moved(|x| x - body.frame_origin, |v| *v);
            let (start, n) = (draft.taken, shape.as_faces().map_or(0, Faces::n_points));
            draft.taken += n;
            let points = (start as u32..(start + n) as u32).collect();
            Ok(Zone { name: label(name), body: side, shape, points, is_interface: vec![true; n] })
        }
    }
}
