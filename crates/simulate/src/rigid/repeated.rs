//! Contacts of the scheme `rigid` that repeat each other: the same surfaces of the same two bodies, or parts
//! of them, named twice.
//!
//! Impulses of two such contacts would be one too many, and the larger restitution would win. Two bodies with
//! flat faces are the exception when named both ways round, the dual pass of Zywicz and Puso (1999): each way
//! tests the nodes or corners of one body against the faces of the other, and where nodes meet nodes the
//! impulses share the load of a single one.

use std::collections::{HashMap, HashSet};

use carom_fem::{Body, Discretisation, Surface};
use carom_format::scenario::model::{ContactSpec, End, Scenario, ShapeKind};
use nalgebra::Vector3;
use thiserror::Error;

use super::shapes::set_points;

/// Distance, relative to the size of the compared surfaces, within which points coincide.
const SAME: f64 = 1e-6;

/// A contact of surfaces that another contact has already.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RepeatedContact {
    /// Its impulses would come twice.
    #[error(
        "contact between {pair}: these are the surfaces of contact {contact} ({other}), whose impulses would \
         come twice: remove one; both ways round are for two bodies with flat faces (`kind = \"block\"`, or \
         sets of flat faces as second surfaces) alone"
    )]
    Twice {
        /// The surfaces.
        pair: String,
        /// Number of the other contact, from 1.
        contact: usize,
        /// Its surfaces.
        other: String,
    },
    /// Some of its impulses would come twice.
    #[error(
        "contact between {pair}: its surfaces coincide in part with those of contact {contact} ({other}), \
         whose impulses would come twice there: {places}; name sets that have no face in common"
    )]
    InPart {
        /// The surfaces.
        pair: String,
        /// Number of the other contact, from 1.
        contact: usize,
        /// Its surfaces.
        other: String,
        /// Sets with the faces that they share, and where one of them is.
        places: String,
    },
    /// Two bodies with flat faces that meet by other laws the other way round.
    #[error(
        "contact between {pair}: contact {contact} ({other}) is the same the other way round, with another \
         law: give both the same `law`, `restitution` and `friction`"
    )]
    UnequalLaws {
        /// The surfaces.
        pair: String,
        /// Number of the other contact, from 1.
        contact: usize,
        /// Its surfaces.
        other: String,
    },
}

/// The first contact that repeats an earlier one, or that turns an earlier one round with another law, by its
/// number from 0.
///
/// * `geometries` — of each body
pub(super) fn problem(scenario: &Scenario, geometries: &[&Body]) -> Option<(usize, RepeatedContact)> {
    let sides = Sides { scenario, geometries };
    let mut of_bodies = OfBodies::default();
    scenario.contact.iter().enumerate().find_map(|(i, later)| {
        let earlier = of_bodies.before(later);
        let error = earlier.iter().find_map(|&k| sides.error(later, k, &scenario.contact[k]))?;
        Some((i, error))
    })
}

/// Sentences about contacts of two shapes `block` that are named one way round.
pub(super) fn one_way(scenario: &Scenario) -> Vec<String> {
    let is_block = |end: &End| {
        let spec = scenario.body.iter().find(|spec| spec.name == end.body);
        let shape = spec.and_then(|spec| spec.shape.iter().find(|shape| shape.name == end.part));
        shape.is_some_and(|shape| matches!(shape.kind, ShapeKind::Block { .. }))
    };
    let named = scenario.contact.iter().filter(|contact| !contact.is_automatic());
    let blocks: Vec<&[End; 2]> =
        named.map(|contact| &contact.between).filter(|ends| ends.iter().all(is_block)).collect();
    let ways: HashSet<[&str; 2]> =
        blocks.iter().map(|ends| ends.each_ref().map(|end| end.body.as_str())).collect();
    let lone = blocks.iter().filter(|[a, b]| !ways.contains(&[b.body.as_str(), a.body.as_str()]));
    lone.map(|[a, b]| {
        format!(
            "contact {a}, {b}: the corners of `{a}` touch `{b}`, and no corners of `{b}` touch `{a}`: name \
             the contact the other way round as well, `between = [\"{b}\", \"{a}\"]`, or use \
             `between = [\"*\"]`"
        )
    })
    .collect()
}

/// The contacts between each two bodies: no others can repeat each other.
#[derive(Default)]
pub(super) struct OfBodies<'a> {
    numbers: HashMap<[&'a str; 2], Vec<usize>>,
    next: usize,
}

impl<'a> OfBodies<'a> {
    /// Numbers of those of the same two bodies before the next contact, which is this one.
    pub(super) fn before(&mut self, contact: &'a ContactSpec) -> &[usize] {
        let [a, b] = [0, 1].map(|side: usize| contact.between[side].body.as_str());
        let numbers = self.numbers.entry([a.min(b), a.max(b)]).or_default();
        numbers.push(self.next);
        self.next += 1;
        &numbers[..numbers.len() - 1]
    }
}

/// The ends of contacts, with their bodies and shapes.
struct Sides<'a> {
    scenario: &'a Scenario,
    geometries: &'a [&'a Body],
}

impl Sides<'_> {
    fn error(&self, later: &ContactSpec, number: usize, earlier: &ContactSpec) -> Option<RepeatedContact> {
        let [a, b] = &later.between;
        let [c, d] = &earlier.between;
        let names = |pair: &ContactSpec| format!("{}, {}", pair.between[0], pair.between[1]);
        let (pair, other) = (names(later), names(earlier));
        let contact = number + 1;
        if self.are_same(a, c) && self.are_same(b, d) {
            return Some(RepeatedContact::Twice { pair, contact, other });
        }
        if !(self.are_same(a, d) && self.are_same(b, c)) {
            let turned = !(self.is_flat(b) && self.is_flat(d));
            let places = self.places([(a, c), (b, d)]);
            let places = places.or_else(|| self.places([(a, d), (b, c)]).filter(|_| turned))?;
            return Some(RepeatedContact::InPart { pair, contact, other, places });
        }
        // Turned round, the points of each lie on the faces of the other.
        if !(self.is_flat(b) && self.is_flat(d)) {
            return Some(RepeatedContact::Twice { pair, contact, other });
        }
        let law = |pair: &ContactSpec| (pair.law, pair.restitution.unwrap_or(1.0), pair.friction);
        (law(later) != law(earlier)).then_some(RepeatedContact::UnequalLaws { pair, contact, other })
    }

    fn body(&self, end: &End) -> Option<usize> {
        self.scenario.body.iter().position(|spec| spec.name == end.body)
    }

    fn shape(&self, end: &End) -> Option<&ShapeKind> {
        let spec = &self.scenario.body[self.body(end)?];
        spec.shape.iter().find(|shape| shape.name == end.part).map(|shape| &shape.kind)
    }

    /// Nodes of a set, or points on its knot spans.
    fn samples(&self, end: &End) -> Vec<Vector3<f64>> {
        let Some(i) = self.body(end) else { return Vec::new() };
        let points = set_points(&self.scenario.body[i], self.geometries[i], &end.part);
        points.map_or_else(|_| Vec::new(), |points| points.iter().map(|ball| ball.center).collect())
    }

    /// True if one of two ends lies wholly on the other.
    fn are_same(&self, a: &End, b: &End) -> bool {
        if a.body != b.body {
            return false;
        }
        if a.part == b.part {
            return true;
        }
        match (self.shape(a), self.shape(b)) {
            (Some(a), Some(b)) => a == b,
            (Some(shape), None) => lies_on(&self.samples(b), |x| distance(shape, x)),
            (None, Some(shape)) => lies_on(&self.samples(a), |x| distance(shape, x)),
            (None, None) => {
                let (a, b) = (self.samples(a), self.samples(b));
                lies_on(&a, |x| nearest(&b, x)) || lies_on(&b, |x| nearest(&a, x))
            }
        }
    }

    /// The common faces of two contacts, if both ends of one share faces with, or are, the ends of the other.
    fn places(&self, ends: [(&End, &End); 2]) -> Option<String> {
        let mut places = Vec::new();
        for (a, b) in ends {
            if !self.are_same(a, b) {
                places.push(self.shared(a, b)?);
            }
        }
        Some(places.join("; "))
    }

    /// Faces that two sets of one body share, and the middle of the first of them.
    fn shared(&self, a: &End, b: &End) -> Option<String> {
        let body = self.body(a).filter(|_| a.body == b.body)?;
        let geometry = self.geometries[body];
        let [first, second] = [a, b].map(|end| geometry.faces_of_set(&end.part).unwrap_or_default());
        let common: Vec<_> = first.into_iter().filter(|face| second.contains(face)).collect();
        let discretisation = Discretisation::new(geometry).ok()?;
        let one = discretisation.surface(common.get(..1)?);
        let points = one.points.iter().map(|&i| Vector3::from(discretisation.points[i as usize]));
        let [x, y, z] = (points.sum::<Vector3<f64>>() / one.points.len() as f64).into();
        let n = common.len();
        Some(format!(
            "`{a}` and `{b}` share {n} faces, one near ({x:.4e}, {y:.4e}, {z:.4e}) m of `{}`",
            a.body
        ))
    }

    /// True if an end has flat faces: a block, or a set of faces that are flat.
    fn is_flat(&self, end: &End) -> bool {
        if let Some(shape) = self.shape(end) {
            return matches!(shape, ShapeKind::Block { .. });
        }
        self.body(end).is_some_and(|i| has_flat_faces(self.geometries[i], &end.part))
    }
}

/// True if there are points, and all are nearer than [`SAME`] of their box.
fn lies_on(points: &[Vector3<f64>], distance: impl Fn(&Vector3<f64>) -> f64) -> bool {
    let size = points.iter().fold(f64::MIN_POSITIVE, |most, x| most.max((x - points[0]).norm()));
    !points.is_empty() && points.iter().all(|x| distance(x) <= SAME * size)
}

fn nearest(points: &[Vector3<f64>], x: &Vector3<f64>) -> f64 {
    points.iter().map(|point| (point - x).norm()).fold(f64::INFINITY, f64::min)
}

/// Distance of a point from the surface of a shape \[m\].
fn distance(shape: &ShapeKind, x: &Vector3<f64>) -> f64 {
    let from = |point: &[f64; 3]| x - Vector3::from(*point);
    match shape {
        ShapeKind::Points { points, radius } => {
            let centres = points.iter().map(|point| from(point).norm());
            (centres.fold(f64::INFINITY, f64::min) - radius).abs()
        }
        ShapeKind::Ball { center, radius } | ShapeKind::Cavity { center, radius } => {
            (from(center).norm() - radius).abs()
        }
        ShapeKind::Block { center, size } | ShapeKind::Room { center, size } => {
            let beyond = from(center).abs() - 0.5 * Vector3::from(*size);
            let outside = beyond.map(|d| d.max(0.0)).norm();
            if outside > 0.0 { outside } else { -beyond.max() }
        }
        ShapeKind::Plane { point, normal } => {
            let normal = Vector3::from(*normal);
            normal.dot(&from(point)).abs() / normal.norm()
        }
    }
}

/// True if no face of a set bulges: its middle is the mean of its corners.
fn has_flat_faces(body: &Body, set: &str) -> bool {
    let Ok(discretisation) = Discretisation::new(body) else { return false };
    let Ok(surface) = body.surface_of_set(&discretisation, set) else { return false };
    let positions: Vec<[f64; 3]> =
        surface.points.iter().map(|&i| discretisation.points[i as usize]).collect();
    (0..surface.faces.len()).all(|face| bulge(&surface, face, &positions) <= SAME)
}

/// Distance of the middle of a face from the mean of its corners, over the distance of the corners from it.
fn bulge(surface: &Surface, face: usize, positions: &[[f64; 3]]) -> f64 {
    let at = |xi: [f64; 2]| Vector3::from(surface.position(face, xi, positions));
    let (corners, middle): (&[[f64; 2]], [f64; 2]) = if surface.faces[face].basis.is_triangle() {
        (&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0 / 3.0; 2])
    } else {
        (&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.5; 2])
    };
    let mean = corners.iter().map(|&xi| at(xi)).sum::<Vector3<f64>>() / corners.len() as f64;
    let size = corners.iter().map(|&xi| (at(xi) - mean).norm()).fold(f64::MIN_POSITIVE, f64::max);
    (at(middle) - mean).norm() / size
}
