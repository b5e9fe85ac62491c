//! The interface of a body: the dofs of interface points, the markers of attached sets, and the supports.

use carom_fem::parts::parts;
use carom_fem::{Body, Discretisation, Geometry, SetError, Surface};
use carom_linalg::DofSet;
use nalgebra::Vector3;

use crate::attachment::{Attached, Attachment, AttachmentKind};
use crate::boundary::Boundary;
use crate::rigid::{LEAST_HOLDING, holding};
use crate::support::{Support, held_components, left_to, list_of_parts};

pub use crate::interface_error::InterfaceError;

/// The interface of a body: all three dofs of its points, six of each marker.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// Its points and markers, and the held dofs.
    pub boundary: Boundary,
    /// Names of the sets with their points, ascending, in the order in which they were given.
    pub sets: Vec<(String, Vec<u32>)>,
    /// Surface of each interface set that has faces.
    pub surfaces: Vec<(String, Surface)>,
}

/// The specification of an interface.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterfaceSpec<'a> {
    /// Names of sets whose points are interface points.
    pub sets: &'a [String],
    /// Further interface points, counted from 0.
    pub points: &'a [u32],
    /// Sets tied to markers.
    pub attachments: &'a [Attachment],
    /// Names of sets that are held.
    pub held: &'a [String],
}

impl Interface {
    /// Collects the points of sets and lists, the attachments, and the supports.
    ///
    /// The interface of a set of faces contains every point whose function is nonzero on them: then the
    /// static response to loads on the set is exact (docs/theory/reduction.md, section 2.1).
    ///
    /// # Errors
    ///
    /// [`InterfaceError`].
    pub fn new(
        body: &Body,
        discretisation: &Discretisation,
        spec: InterfaceSpec<'_>,
    ) -> Result<Self, InterfaceError> {
        let name = || body.name.clone();
        let points_of = |set: &String| -> Result<Vec<u32>, InterfaceError> {
            let mut own = body.points_of_set(discretisation, set)?;
            own.sort_unstable();
            Ok(own)
        };
        let (mut of_sets, mut surfaces) = (Vec::new(), Vec::new());
        for (i, set) in spec.sets.iter().enumerate() {
            // A set that is named twice is used once.
            if spec.sets[..i].contains(set) {
                continue;
            }
            let surface = body.surface_of_set(discretisation, set);
            let points = match (&body.geometry, &surface) {
                // The points of a set of a NURBS body are those of its surface.
                (Geometry::Nurbs(_), Ok(surface)) => surface.points.clone(),
                _ => points_of(set)?,
            };
            of_sets.push((set.clone(), points));
            match surface {
                Ok(surface) => surfaces.push((set.clone(), surface)),
                // A set of single nodes can be an interface, but it cannot be in contact.
                Err(SetError::NoFaces { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let known = body.set_names();
        let mut held = Vec::new();
        for text in spec.held {
            held.push((text.clone(), points_of(&Support::read(text, &known)?.set)?));
        }
        let markers: Vec<Attached> = spec
            .attachments
            .iter()
            .map(|attachment| Attached::new(body, discretisation, attachment))
            .collect::<Result<_, _>>()?;
        if of_sets.is_empty() && spec.points.is_empty() && markers.is_empty() {
            return Err(InterfaceError::Empty { body: name(), known: known_sets(body) });
        }
        check_overlaps(&body.name, &of_sets, spec.points, &markers, &held)?;
        let held = held_components(body, discretisation, spec.held)?;
        check_held(body, discretisation, &held, &markers, spec.held)?;
        let held: Vec<usize> = (0..3 * held.len()).filter(|dof| held[dof / 3][dof % 3]).collect();
        let listed = of_sets.iter().flat_map(|(_, points)| points.iter()).chain(spec.points).copied();
        let points = existing_points(&body.name, listed, &discretisation.point_is_used())?;
        let mut boundary = Boundary { points, markers, held, pins: Vec::new() };
        check_rest(&body.name, discretisation, &boundary)?;
        boundary.pins = pins(&boundary, discretisation);
        Ok(Self { boundary, sets: of_sets, surfaces })
    }
}

/// Refuses supports that leave a rigid motion, and free bodies of several parts.
///
/// * `held` — components of each point
fn check_held(
    body: &Body,
    discretisation: &Discretisation,
    held: &[[bool; 3]],
    markers: &[Attached],
    supports: &[String],
) -> Result<(), InterfaceError> {
    let rigid = markers.iter().filter(|m| m.kind == AttachmentKind::Rigid);
    let rigid: Vec<&[u32]> = rigid.map(|marker| marker.points.as_slice()).collect();
    let parts = parts(discretisation, &rigid);
    let name = || body.name.clone();
    if supports.is_empty() {
        return match parts.len() {
            0 | 1 => Ok(()),
            n => Err(InterfaceError::Parts {
                body: name(),
                n,
                parts: list_of_parts(body, discretisation, &parts),
            }),
        };
    }
    let left = parts.iter().map(|part| left_to(discretisation, part, held));
    let Some((k, left)) = left.enumerate().find(|(_, left)| !left.is_empty()) else { return Ok(()) };
    let which = match (parts.len(), left.len()) {
        (1, 1) => format!(" ({})", left.words(&[1.0])),
        (1, _) => String::new(),
        (n, _) => {
            format!(
                " to part {} of {n} that share no node ({})",
                k + 1,
                list_of_parts(body, discretisation, &parts)
            )
        }
    };
    let supports: Vec<String> = supports.iter().map(|support| format!("`{support}`")).collect();
    Err(InterfaceError::StillFree { body: name(), sets: supports.join(", "), left: left.len(), which })
}

/// Refuses a boundary without an interior, or one that does not hold the interior.
fn check_rest(
    body: &str,
    discretisation: &Discretisation,
    boundary: &Boundary,
) -> Result<(), InterfaceError> {
    let used = DofSet::from_flags(discretisation.point_is_used().iter().map(|&used| [used; 3]).collect());
    if boundary.interior(&used).len() <= boundary.n_constraints() {
        return Err(InterfaceError::NoInterior { body: body.to_owned(), n_points: used.len() / 3 });
    }
    if boundary.n_constraints() == 0 && !holds_interior(boundary, discretisation) {
        let n_points = boundary.points.len();
        return Err(InterfaceError::FloatingInterior { body: body.to_owned(), n_points });
    }
    Ok(())
}

/// True if no part of the interior can move without strain while interface points, rigid sets and supports
/// are fixed.
fn holds_interior(boundary: &Boundary, discretisation: &Discretisation) -> bool {
    let rigid = boundary.markers.iter().filter(|marker| marker.kind == AttachmentKind::Rigid);
    let at_rest = merged(boundary.points.iter().chain(rigid.flat_map(|marker| &marker.points)).copied());
    let mut held = vec![[false; 3]; discretisation.n_points()];
    boundary.held.iter().for_each(|dof| held[dof / 3][dof % 3] = true);
    at_rest.iter().for_each(|&point| held[point as usize] = [true; 3]);
    let holds = |part: &Vec<u32>| {
        let own: Vec<u32> = part.iter().copied().filter(|&point| held[point as usize] == [true; 3]).collect();
        // Points on a line up to rounding do not hold; supports in single directions are checked by their
        // motions.
        holding(&places_of(&discretisation.points, &own)) > LEAST_HOLDING
            || !boundary.held.is_empty() && left_to(discretisation, part, &held).is_empty()
    };
    parts(discretisation, &[]).iter().all(holds)
}

/// Nodes that a bordered factor must pin: three of an averaged set, far apart, if nothing else holds the
/// interior.
fn pins(boundary: &Boundary, discretisation: &Discretisation) -> Vec<u32> {
    let mean = boundary.markers.iter().find(|marker| marker.kind == AttachmentKind::Mean);
    match mean {
        Some(marker) if !holds_interior(boundary, discretisation) => {
            spread(&marker.points, &discretisation.points, marker.center)
        }
        _ => Vec::new(),
    }
}

/// Three points far from each other: the point farthest from the centre, the point farthest from it, and the
/// point farthest from the line through both; ascending.
fn spread(points: &[u32], places: &[[f64; 3]], center: [f64; 3]) -> Vec<u32> {
    let place = |point: u32| Vector3::from(places[point as usize]);
    let farthest = |distance: &dyn Fn(u32) -> f64| {
        points
            .iter()
            .copied()
            .reduce(|best, point| if distance(point) > distance(best) { point } else { best })
    };
    let Some(a) = farthest(&|p| (place(p) - Vector3::from(center)).norm()) else { return Vec::new() };
    let Some(b) = farthest(&|p| (place(p) - place(a)).norm()) else { return Vec::new() };
    let along = (place(b) - place(a)).normalize();
    let Some(c) = farthest(&|p| (place(p) - place(a)).cross(&along).norm()) else { return Vec::new() };
    merged([a, b, c].into_iter())
}

/// Ascending, each once.
fn merged(points: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut points: Vec<u32> = points.collect();
    points.sort_unstable();
    points.dedup();
    points
}

fn places_of(places: &[[f64; 3]], points: &[u32]) -> Vec<[f64; 3]> {
    points.iter().map(|&point| places[point as usize]).collect()
}

/// Refuses points whose motion two sets prescribe; interface sets may have common points.
fn check_overlaps(
    body: &str,
    sets: &[(String, Vec<u32>)],
    listed: &[u32],
    markers: &[Attached],
    held: &[(String, Vec<u32>)],
) -> Result<(), InterfaceError> {
    let listed = merged(listed.iter().copied());
    let mut interfaces: Vec<(String, &[u32])> =
        sets.iter().map(|(set, points)| (format!("the interface set `{set}`"), points.as_slice())).collect();
    interfaces.push(("the list of interface nodes".to_owned(), &listed));
    let attached = markers
        .iter()
        .map(|marker| (format!("the attached set `{}`", marker.name), marker.points.as_slice()));
    let held = held.iter().map(|(set, points)| (format!("the held set `{set}`"), points.as_slice()));
    let n_interfaces = interfaces.len();
    let n_attached = markers.len();
    let claims: Vec<(String, &[u32])> = interfaces.into_iter().chain(attached).chain(held).collect();
    for (j, (second, points)) in claims.iter().enumerate() {
        for (i, (first, others)) in claims[..j].iter().enumerate() {
            let both_interfaces = j < n_interfaces;
            let both_held = i >= n_interfaces + n_attached;
            if both_interfaces || both_held {
                continue;
            }
            let mut shared = points.iter().filter(|point| others.binary_search(point).is_ok());
            if let Some(&point) = shared.next() {
                return Err(InterfaceError::Overlap {
                    body: body.to_owned(),
                    node: u64::from(point) + 1,
                    n_more: shared.count(),
                    first: first.clone(),
                    second: second.clone(),
                });
            }
        }
    }
    Ok(())
}

/// Interface points in ascending order, if they can hold a body and leave an interior.
///
/// * `points` — in any order, repetitions allowed
/// * `places` — positions of all points \[m\]
/// * `is_used` — true for points that belong to a cell
///
/// # Errors
///
/// [`InterfaceError`].
pub(crate) fn checked_points(
    body: &str,
    points: Vec<u32>,
    places: &[[f64; 3]],
    is_used: &[bool],
) -> Result<Vec<u32>, InterfaceError> {
    let name = || body.to_owned();
    let points = existing_points(body, points.into_iter(), is_used)?;
    if is_used.iter().filter(|&&used| used).count() == points.len() {
        return Err(InterfaceError::NoInterior { body: name(), n_points: points.len() });
    }
    if holding(&places_of(places, &points)) <= LEAST_HOLDING {
        return Err(InterfaceError::FloatingInterior { body: name(), n_points: points.len() });
    }
    Ok(points)
}

/// Ascending, if all are points of the body.
fn existing_points(
    body: &str,
    points: impl Iterator<Item = u32>,
    is_used: &[bool],
) -> Result<Vec<u32>, InterfaceError> {
    let (name, n_points) = (|| body.to_owned(), is_used.len());
    let points = merged(points);
    if let Some(&point) = points.iter().find(|&&point| point as usize >= n_points) {
        return Err(InterfaceError::NoSuchPoint { body: name(), node: u64::from(point) + 1, n_points });
    }
    if let Some(&point) = points.iter().find(|&&point| !is_used[point as usize]) {
        return Err(InterfaceError::LoosePoint { body: name(), node: u64::from(point) + 1 });
    }
    Ok(points)
}

/// Names of the sets of a body in quotes, or that there are none.
fn known_sets(body: &Body) -> String {
    let names: Vec<String> = body.set_names().iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
