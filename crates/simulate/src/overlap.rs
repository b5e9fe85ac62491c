//! Bodies that lie inside each other: before anything has moved, and at the `frames` of a run.

mod frames;
mod outline;

pub(crate) use frames::OverlapWatch;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use carom_contact::broad::Ball;
use carom_contact::geometry::Faces;
use carom_continuum::half_space::PlaceSpec;
use carom_dynamics::rotation;
use carom_fem::Body;
use carom_format::scenario::model::{BodySpec, End, Scenario};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::discretised::{Bodies, Discretised};
use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::geometry::placement;
use crate::parts::Parts;
use crate::silhouette::{bounds, samples};

/// Depth over the size of a contact zone above which bodies count as lying inside each other instead of
/// pressing on each other: deeper points lie behind the surface, where nothing touches them.
const DEPTH: f64 = 0.05;

/// Bodies lie inside each other at the start.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "contact {pair}: the bodies lie up to {depth:.3e} m inside each other at the start, too deep to touch; \
     move one of them (`position`) so that they are apart"
)]
pub struct Overlap {
    /// The two ends.
    pub pair: String,
    /// Largest depth \[m\].
    pub depth: f64,
}

impl Kind for Overlap {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Each contact pair whose bodies lie inside each other at the start, in the order of the scenario.
///
/// Points of either zone are searched for inside the whole surface of the other body. Schemes whose bodies
/// may begin so have no problems here.
pub(crate) fn problems<'a>(
    scenario: &Scenario,
    parts: &[Parts<'a>],
    bodies: &Bodies<'a>,
) -> Vec<At<Overlap>> {
    if !scenario.simulation.scheme.starts_apart() {
        return Vec::new();
    }
    let placed = |end: &End| {
        let (spec, parts) = scenario.body.iter().zip(parts).find(|(spec, _)| spec.name == end.body)?;
        let Parts::Geometry(body) = parts else { return None };
        Placed::new(spec, body, &end.part, bodies)
    };
    // A pattern names each end in many pairs.
    let mut of_ends: HashMap<[&str; 2], Option<Placed<'a>>> = HashMap::new();
    for end in scenario.contact.iter().flat_map(|pair| &pair.between) {
        of_ends.entry([&end.body, &end.part]).or_insert_with(|| placed(end));
    }
    let mut found = Vec::new();
    for (i, pair) in scenario.contact.iter().enumerate() {
        let known = pair.between.each_ref().map(|end| of_ends[&[&end.body[..], &end.part[..]]].as_ref());
        let [Some(first), Some(second)] = known else {
            continue;
        };
        if first.ball().clearance(&second.ball()) > 0.0 {
            continue;
        }
        let deepest = [first.deepest_inside(second), second.deepest_inside(first)].into_iter().flatten();
        let Some(depth) = deepest.max_by(f64::total_cmp) else { continue };
        let between = format!("{}, {}", pair.between[0], pair.between[1]);
        found.push(Overlap { pair: between, depth }.at(format!("contact.{i}.between")));
    }
    found
}

/// A body where it starts, and its contact zone.
struct Placed<'a> {
    rotation: Matrix3<f64>,
    origin: Vector3<f64>,
    /// Points of the zone in source coordinates \[m\].
    samples: Vec<Vector3<f64>>,
    /// Diagonal of their box \[m\].
    size: f64,
    body: Rc<Discretised<'a>>,
    /// Box of the points of its whole surface, and a ball around them.
    bounds: [Vector3<f64>; 2],
    around: Ball,
    /// Its whole surface, once a point lies in the box; none if it cannot be evaluated.
    faces: OnceCell<Option<Faces>>,
}

impl<'a> Placed<'a> {
    /// None if the body or its set has no surface; another check reports why.
    fn new(spec: &BodySpec, body: &'a Body, set: &str, bodies: &Bodies<'a>) -> Option<Self> {
        let known = bodies.of(body).ok()?;
        let region = set.parse::<PlaceSpec>().ok();
        let zone = match region.as_ref().map(PlaceSpec::set) {
            Some(Some(set)) => known.surface_of_set(set).ok()?,
            // The whole body, or a part of its surface around a point.
            Some(None) | None => Rc::new(known.whole().0.clone()),
        };
        let positions: Vec<[f64; 3]> =
            zone.points.iter().map(|&k| known.discretisation.points[k as usize]).collect();
        let samples = samples(&zone, &positions);
        let [low, high] = bounds(&samples);
        let place = placement(spec);
        Some(Self {
            rotation: rotation::matrix(&place.quaternion),
            origin: Vector3::from(place.origin),
            size: (high - low).norm(),
            bounds: bounds(&known.whole().1),
            around: Ball::around(&known.whole().1),
            faces: OnceCell::new(),
            samples,
            body: known,
        })
    }

    /// The ball around the body where it starts.
    fn ball(&self) -> Ball {
        let Ball { center, radius } = self.around;
        Ball { center: self.rotation * center + self.origin, radius }
    }

    /// How deep the zone lies inside the other body at most \[m\], if that is too deep to touch it.
    ///
    /// Nothing lies inside shells and beams.
    fn deepest_inside(&self, other: &Placed<'_>) -> Option<f64> {
        if other.body.discretisation.is_structural() {
            return None;
        }
        let there =
            |x: &Vector3<f64>| other.rotation.tr_mul(&(self.rotation * x + self.origin - other.origin));
        let [low, high] = &other.bounds;
        let is_near = |x: &Vector3<f64>| (0..3).all(|d| low[d] <= x[d] && x[d] <= high[d]);
        let near: Vec<Vector3<f64>> = self.samples.iter().map(there).filter(is_near).collect();
        if near.is_empty() {
            return None;
        }
        let whole = || {
            let (whole, points) = other.body.whole();
            Faces::new(whole.clone(), points).ok()
        };
        let faces = other.faces.get_or_init(whole).as_ref()?;
        let mut now = faces.state_at_rest();
        let depth = |x: &Vector3<f64>| faces.closest(&mut now, x).map_or(0.0, |foot| -foot.gap);
        let deepest = near.iter().map(depth).fold(0.0, f64::max);
        (deepest > DEPTH * self.size.min(other.size)).then_some(deepest)
    }
}
