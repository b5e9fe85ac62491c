//! From named surfaces of bodies to the condensed contact problem.

use super::zones::{hertz_numbers, is_flipped, reach};
use super::{PairSetup, QuasistaticContacts, Side};
use crate::body::Body;
use crate::contact::RimPolicy;
use carom_contact::geometry::Faces;
use carom_contact::submodel::{ContactBody, Pair, QuasistaticContact, SetupError, Zone, compliance};
use carom_contact::{Law, Shape};
use carom_reduce::ReducedBody;
use faer::Mat;
use std::sync::Arc;

/// A surface that may touch another.
#[derive(Debug, Clone)]
pub enum ContactSurface {
    /// A named surface of a reduced body.
    Named(String),
    /// A shape of a rigid body, in source coordinates.
    Of {
        /// Name, for messages.
        name: String,
        /// The shape.
        shape: Shape,
    },
}

/// Two surfaces that may touch.
#[derive(Debug, Clone)]
pub struct ContactSpec {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Their surfaces.
    pub surfaces: [ContactSurface; 2],
    /// Normal law.
    pub law: Law,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// E* \[Pa\] if not that of the bodies' materials (two rigid bodies have none).
    pub modulus: Option<f64>,
    /// Effective radius of curvature \[m\] for the estimate of the impact's duration, if not that of the
    /// surfaces.
    pub radius: Option<f64>,
    /// What pressure at the rim of a zone does to the run.
    pub rim: RimPolicy,
    /// Depth beyond which a point counts as behind the other surface \[m\]; otherwise chosen from the size of
    /// the zone.
    pub max_depth: Option<f64>,
}

/// Why a contact pair cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ContactSetupError {
    /// The pair names a body that is not there.
    #[error("contact {pair} is between bodies {bodies:?}, but there are {count}")]
    NoSuchBody {
        /// Index of the pair.
        pair: usize,
        /// What it names.
        bodies: [usize; 2],
        /// Number of bodies.
        count: usize,
    },
    /// The body has no surface of that name.
    #[error(
        "body `{body}` has no surface `{surface}` to touch with; it has {known}; name it as interface when \
         reducing the body"
    )]
    NoSuchSurface {
        /// Name of the body.
        body: String,
        /// Name asked for.
        surface: String,
        /// Names that it has.
        known: String,
    },
    /// Faces, planes and spheres of the caller belong to rigid bodies.
    #[error("body `{body}` is reduced: contact needs one of its named surfaces, which say how it gives way")]
    NotRigid {
        /// Name of the body.
        body: String,
    },
    /// Two rigid bodies, and nothing says how they give way.
    #[error(
        "contact between `{first}` and `{second}`: neither body is elastic, so nothing says how they give \
         way: give the contact a stiffness in Pa/m, `law = {{ kind = \"penalty\", stiffness = ... }}`, or \
         reduce one of them"
    )]
    NoModulus {
        /// Name of the first body.
        first: String,
        /// Name of the second body.
        second: String,
    },
    /// Neither surface has faces.
    #[error(
        "contact between `{first}` and `{second}`: one of the surfaces must have faces to carry the pressure"
    )]
    NoFaces {
        /// Name of the first body.
        first: String,
        /// Name of the second body.
        second: String,
    },
    /// What the submodel says.
    #[error(transparent)]
    Submodel(#[from] SetupError),
}

/// Points of a side and the zones on them, while they are collected.
struct Draft {
    side: Side,
    /// Numbers of the points, ascending.
    numbers: Vec<u32>,
    positions: Vec<[f64; 3]>,
}

pub(super) fn build(
    bodies: &[Body],
    specs: &[ContactSpec],
) -> Result<QuasistaticContacts, ContactSetupError> {
    check(bodies, specs)?;
    let drafts = drafts(bodies, specs)?;
    let side_of = |body: usize| {
        drafts.iter().position(|draft| draft.side.body == body).expect("every body of a pair has a side")
    };
    let mut zones = Vec::new();
    let mut next_rigid = vec![0; drafts.len()];
    let (mut pairs, mut setups) = (Vec::new(), Vec::new());
    for spec in specs {
        for (surface, body) in spec.surfaces.iter().zip(spec.bodies) {
            let side = side_of(body);
            zones.push(zone(surface, side, &bodies[body], &drafts[side], &mut next_rigid[side])?);
        }
        let at = zones.len() - 2;
        let flipped = is_flipped(&zones[at], &zones[at + 1]);
        let [first, second] = if flipped { [at + 1, at] } else { [at, at + 1] };
        if zones[first].shape.as_faces().is_none() {
            let [first, second] = spec.bodies.map(|body| bodies[body].name.clone());
            return Err(ContactSetupError::NoFaces { first, second });
        }
        let hertz = hertz_numbers(bodies, spec, &zones[at..])?;
        let law = spec.law.with_modulus(hertz.modulus);
        setups.push(PairSetup {
            bodies: spec.bodies,
            flipped,
            reach: [at, at + 1].map(|zone| reach(&zones[zone])),
            hertz,
            rim: spec.rim,
        });
        pairs.push(Pair { first, second, law, friction: spec.friction, max_depth: spec.max_depth });
    }
    let contact_bodies = drafts.iter().map(|draft| contact_body(bodies, draft)).collect();
    let model = QuasistaticContact::new(contact_bodies, zones, &pairs)?;
    let (warm, work) = (model.cold(), model.workspace());
    let sides = drafts.into_iter().map(|draft| draft.side).collect();
    Ok(QuasistaticContacts { model, warm, work, sides, pairs: setups, fallbacks: 0 })
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
    let mut involved: Vec<usize> = specs.iter().flat_map(|spec| spec.bodies).collect();
    involved.sort_unstable();
    involved.dedup();
    let surfaces_of = |body: usize| {
        specs.iter().flat_map(move |spec| {
            spec.bodies.into_iter().zip(&spec.surfaces).filter(move |(b, _)| *b == body).map(|(_, s)| s)
        })
    };
    involved
        .into_iter()
        .map(|index| {
            let body = &bodies[index];
            match &body.reduced {
                Some(reduced) => reduced_draft(index, body, reduced, surfaces_of(index)),
                None => Ok(rigid_draft(index, body, surfaces_of(index))),
            }
        })
        .collect()
}

fn reduced_draft<'a>(
    index: usize,
    body: &Body,
    reduced: &Arc<ReducedBody>,
    surfaces: impl Iterator<Item = &'a ContactSurface>,
) -> Result<Draft, ContactSetupError> {
    let mut numbers = Vec::new();
    for surface in surfaces {
        let ContactSurface::Named(name) = surface else {
            return Err(ContactSetupError::NotRigid { body: body.name.clone() });
        };
        numbers.extend_from_slice(&named(body, reduced, name)?.surface.points);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let boundary = &reduced.boundary;
    // Points that the boundary does not hold are reported when their zone is made.
    numbers.retain(|number| boundary.points.binary_search(number).is_ok());
    let rows: Vec<usize> = numbers.iter().filter_map(|n| boundary.points.binary_search(n).ok()).collect();
    let positions: Vec<[f64; 3]> = rows.iter().map(|&row| boundary.positions_b[row]).collect();
    let n_low = body.frame.n;
    let entries =
        (0..n_low).flat_map(|k| rows.iter().flat_map(move |row| (0..3).map(move |a| (3 * row + a, k))));
    let low = entries.map(|entry| boundary.values[entry]).collect();
    let side = side(index, &positions, low, n_low, Some((reduced.clone(), rows)));
    Ok(Draft { side, numbers, positions })
}

/// Rigid surfaces are numbered one after the other.
fn rigid_draft<'a>(index: usize, body: &Body, surfaces: impl Iterator<Item = &'a ContactSurface>) -> Draft {
    let mut positions: Vec<[f64; 3]> = Vec::new();
    for surface in surfaces {
        if let ContactSurface::Of { shape: Shape::Faces(faces), .. } = surface {
            positions.extend(faces.reference.iter().map(|x| <[f64; 3]>::from(x - body.frame_origin)));
        }
    }
    let numbers = (0..positions.len() as u32).collect();
    let side = side(index, &positions, Vec::new(), 0, None);
    Draft { side, numbers, positions }
}

fn side(
    body: usize,
    positions: &[[f64; 3]],
    low: Vec<f64>,
    n_low: usize,
    reduced: Option<(Arc<ReducedBody>, Vec<usize>)>,
) -> Side {
    let reference = positions.concat();
    let (positions, rates) = (reference.clone(), vec![0.0; reference.len()]);
    Side { body, reference, low, n_low, reduced, positions, rates }
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
    draft: &Draft,
    next_rigid: &mut usize,
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
            let (start, n) = (*next_rigid, shape.as_faces().map_or(0, Faces::n_points));
            *next_rigid += n;
            let points = (start as u32..(start + n) as u32).collect();
            Ok(Zone { name: label(name), body: side, shape, points, is_interface: vec![true; n] })
        }
    }
}

/// U of the quasistatic modes at the points of a side.
fn contact_body(bodies: &[Body], draft: &Draft) -> ContactBody {
    let side = &draft.side;
    let high = side.reduced.as_ref().filter(|(reduced, _)| reduced.omega.len() > side.n_low);
    let compliance = high.map(|(reduced, rows)| {
        let n_high = reduced.omega.len() - side.n_low;
        let modes = Mat::from_fn(3 * rows.len(), n_high, |i, k| {
            reduced.boundary.values[(3 * rows[i / 3] + i % 3, side.n_low + k)]
        });
        compliance(modes.as_ref(), &reduced.omega[side.n_low..])
    });
    ContactBody { name: bodies[side.body].name.clone(), n_points: draft.numbers.len(), compliance }
}
