//! Pairs: points or balls of one body that may touch a surface of another.

use std::sync::Arc;

use carom_contact::geometry::Sphere;
use carom_contact::{Block, Edge, Law, Shape, Stiffness};
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use crate::body::RigidBody;
use crate::crowd::Key;
use crate::edges::{Spheres, are_too_many, fit};
use crate::held::Held;
use crate::known_gaps::KnownGaps;
use crate::moving::{Moving, MovingPoints};
use crate::parted::Blocks;
use crate::surface::Surface;
use crate::swept::Missed;

/// A point of a body, or a ball around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre \[m\].
    pub center: Vector3<f64>,
    /// Radius, 0 for a point \[m\].
    pub radius: f64,
    /// Unit vectors of the edges that meet in a corner, from it along the body; zero without a corner. A
    /// corner does not touch a face of a box that its edges would pierce: where boxes stand flush, several
    /// faces are equally near.
    pub edges: [Vector3<f64>; 3],
}

impl Ball {
    /// A ball.
    pub fn new(center: Vector3<f64>, radius: f64) -> Self {
        Self { center, radius, edges: [Vector3::zeros(); 3] }
    }

    /// The ball in the frame of its body.
    pub(crate) fn placed(&self, body: &RigidBody) -> Self {
        Self {
            center: body.point_b(&self.center),
            radius: self.radius,
            edges: self.edges.map(|edge| body.vector_b(&edge)),
        }
    }

    /// A point.
    pub fn point(center: Vector3<f64>) -> Self {
        Self::new(center, 0.0)
    }

    /// The corners of a box along the source axes, those with the smallest z first.
    pub fn corners(center: Vector3<f64>, size: Vector3<f64>) -> [Self; 8] {
        std::array::from_fn(|corner| {
            let side = Vector3::from_fn(|axis, _| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 });
            let edges = [0, 1, 2].map(|axis| Vector3::ith(axis, -side[axis]));
            Self { center: center + 0.5 * side.component_mul(&size), radius: 0.0, edges }
        })
    }
}

/// A pair as given by the user, in source coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSpec {
    /// Index of the body with the points, and of that with the surface.
    pub bodies: [usize; 2],
    /// The points.
    pub points: Vec<Ball>,
    /// Points that move over curved faces, by multipliers and not by springs.
    pub moving: Option<MovingPoints>,
    /// Edges of the body with the points, and of that with the surface, which touch each other by multipliers
    /// and not by springs. If a pair is given in both orders, one of the two has the edges. Edges of which
    /// there are more than 65536 pairs do not touch ([`crate::System::for_without_edges`]).
    pub edges: [Vec<Edge>; 2],
    /// The surface.
    pub shape: Shape,
    /// Law: hard, by impulses that bring about the restitution within one step; or a spring at each point, U
    /// = ½ k \[−g\]₊² of its dynamic gap.
    pub law: Law,
    /// e: normal velocity after the impact over that before, 0 to 1; for multipliers alone.
    pub restitution: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
}

/// Errors of a pair.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PairError {
    /// It names a body that does not exist, or one body twice.
    #[error("contact {}: bodies {first} and {second} must be two of the {bodies} bodies", pair + 1)]
    Bodies {
        /// Number of the pair.
        pair: usize,
        /// First body.
        first: usize,
        /// Second body.
        second: usize,
        /// Bodies of the system.
        bodies: usize,
    },
    /// Both bodies are fixed.
    #[error("contact {}: `{first}` and `{second}` are both fixed", pair + 1)]
    Fixed {
        /// Number of the pair.
        pair: usize,
        /// First body.
        first: String,
        /// Second body.
        second: String,
    },
    /// It has no points, fixed or moving, or its surface no sheets.
    #[error("contact {}: it needs at least one point and one surface", pair + 1)]
    Empty {
        /// Number of the pair.
        pair: usize,
    },
    /// An invalid number.
    #[error("contact {}: {what} is {value}; it must be {valid}", pair + 1)]
    Value {
        /// Number of the pair.
        pair: usize,
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Valid range.
        valid: &'static str,
    },
    /// Points lie behind the surface at the start.
    #[error(
        "contact {}: points lie up to {depth:.3e} m behind the surface at the start; move the bodies apart",
        pair + 1
    )]
    Overlap {
        /// Number of the pair.
        pair: usize,
        /// Largest depth \[m\].
        depth: f64,
    },
}

impl PairError {
    /// The same error with another number of the pair.
    #[must_use]
    pub fn renumbered(mut self, number: usize) -> Self {
        match &mut self {
            Self::Bodies { pair, .. }
            | Self::Fixed { pair, .. }
            | Self::Empty { pair }
            | Self::Value { pair, .. }
            | Self::Overlap { pair, .. } => *pair = number,
        }
        self
    }

    /// Number of the pair.
    pub fn pair(&self) -> usize {
        match *self {
            Self::Bodies { pair, .. }
            | Self::Fixed { pair, .. }
            | Self::Empty { pair }
            | Self::Value { pair, .. }
            | Self::Overlap { pair, .. } => pair,
        }
    }
}

/// A pair in the frames of its bodies.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) key: Key,
    pub(crate) bodies: [usize; 2],
    pub(crate) points: Arc<[Ball]>,
    /// The moving points; their slots follow those of the points.
    pub(crate) moving: Option<Arc<Moving>>,
    pub(crate) surface: Surface,
    /// Edges of the first body, and of the second.
    pub(crate) edges: [Arc<[Edge]>; 2],
    /// True if the edges of both bodies are too many to touch each other.
    pub(crate) is_without_edges: bool,
    /// Balls around the edges.
    pub(crate) spheres: Option<Spheres>,
    /// Both blocks, if the points are the corners of one on the other.
    pub(crate) blocks: Option<Box<Blocks>>,
    pub(crate) law: Law,
    pub(crate) restitution: f64,
    pub(crate) friction: f64,
    /// (ω × r)² ≤ 2 T_rot times this for all points [1/kg].
    pub(crate) mobility: f64,
    /// First step that can bring it into contact.
    pub(crate) due: u64,
    /// The face that holds each point, and each moving one, if it is not the nearest one.
    pub(crate) held: Vec<Option<Held>>,
    /// Gaps of the balls of the tree of moving points, where they are known.
    pub(crate) known: KnownGaps,
    /// Dynamic gap of each point and sheet, then of each two edges; infinite while open \[m\].
    pub(crate) gaps: Vec<f64>,
    /// The deepest point so far that passed through the surface between the ends of a step.
    pub(crate) missed: Missed,
}

impl Pair {
    pub(crate) fn new(number: usize, spec: &PairSpec, bodies: &[RigidBody]) -> Result<Self, PairError> {
        let [first, second] = spec.bodies;
        if first.max(second) >= bodies.len() || first == second {
            return Err(PairError::Bodies { pair: number, first, second, bodies: bodies.len() });
        }
        let [a, b] = [&bodies[first], &bodies[second]];
        if a.fixed && b.fixed {
            return Err(PairError::Fixed { pair: number, first: a.name.clone(), second: b.name.clone() });
        }
        check(number, spec)?;
        let points: Arc<[Ball]> = spec.points.iter().map(|ball| ball.placed(a)).collect();
        let surface = Surface::new(&spec.shape, b);
        // A spring would hold the lines of edges that have slid off each other's ends.
        let n_edges = spec.edges.each_ref().map(Vec::len);
        let is_without_edges = spec.law == Law::Hard && are_too_many(n_edges);
        let has_edges = spec.law == Law::Hard && fit(n_edges);
        let edges = match &spec.edges {
            [of_a, of_b] if has_edges => [placed(of_a, a), placed(of_b, b)],
            _ => Default::default(),
        };
        let moving = spec.moving.as_ref().filter(|_| spec.law == Law::Hard);
        let moving = moving.map(|moving| Arc::new(Moving::placed(moving, a)));
        let known = KnownGaps::none(&points, moving.as_deref(), &surface);
        let n_points = points.len() + moving.as_ref().map_or(0, |moving| moving.len());
        let touches = n_points * surface.shape.sheets();
        let slots = touches + edges.iter().map(|edges| edges.len()).product::<usize>();
        if touches == 0 {
            return Err(PairError::Empty { pair: number });
        }
        let ends = edges[0].iter().flat_map(|edge: &Edge| [edge.center - edge.half, edge.center + edge.half]);
        let places = points.iter().map(|ball| ball.center).chain(ends);
        let of_moving = moving.as_ref().map_or(0.0, |moving| moving.mobility);
        let mobility = places.map(|x| mobility(&x, &a.inertia)).fold(of_moving, f64::max);
        Ok(Self {
            key: [0, number as u32, 0],
            bodies: spec.bodies,
            blocks: Blocks::of(spec.law, &points, &surface.shape),
            points,
            moving,
            surface,
            spheres: Spheres::around(&edges),
            edges,
            is_without_edges,
            law: spec.law,
            restitution: spec.restitution,
            friction: spec.friction,
            mobility,
            due: 0,
            held: vec![None; n_points],
            known,
            gaps: vec![f64::INFINITY; slots],
            missed: Missed::default(),
        })
    }

    /// Radii of the balls around the centres of mass of both bodies that contain all points, edges and
    /// surfaces of the pair \[m\].
    pub(crate) fn radii(&self) -> [f64; 2] {
        let edge = |edge: &Edge| edge.center.norm() + edge.half.norm();
        let of = |edges: &[Edge], radius: f64| edges.iter().map(edge).fold(radius, f64::max);
        let moving = self.moving.as_ref().map_or(0.0, |moving| moving.radius);
        let points = self.points.iter().map(|ball| ball.center.norm() + ball.radius).fold(moving, f64::max);
        [of(&self.edges[0], points), of(&self.edges[1], self.surface.shape.radius())]
    }

    /// The points, and balls around the parts of faces on which points move.
    pub(crate) fn balls(&self) -> impl Iterator<Item = &Ball> {
        self.points.iter().chain(self.moving.iter().flat_map(|moving| moving.spheres()))
    }

    /// A point, or the middle of the part of a face on which a point moves.
    pub(crate) fn ball(&self, number: usize) -> Ball {
        match (self.points.get(number), &self.moving) {
            (None, Some(moving)) => Ball::point(moving.spheres()[number - self.points.len()].center),
            _ => self.points[number],
        }
    }

    /// The number of the moving point of a slot; none for slots of points and edges.
    pub(crate) fn moving_of(&self, slot: usize) -> Option<usize> {
        let number = (slot / self.surface.shape.sheets()).checked_sub(self.points.len())?;
        (number < self.held.len() - self.points.len()).then_some(number)
    }

    /// True if one of its springs is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.stiffness() > 0.0 && self.gaps.iter().any(|gap| *gap < 0.0)
    }

    /// k of a penalty, 0 for multipliers \[N/m\].
    pub(crate) fn stiffness(&self) -> f64 {
        of_point(self.law).unwrap_or(0.0)
    }
}

/// Edges in the frame of a body.
pub(crate) fn placed(edges: &[Edge], body: &RigidBody) -> Arc<[Edge]> {
    edges.iter().map(|edge| edge.map(|x| body.point_b(x), |v| body.vector_b(v))).collect()
}

/// k of a penalty of points; `None` for hard contact. Other stiffnesses give NaN \[N/m\].
pub(crate) fn of_point(law: Law) -> Option<f64> {
    match law {
        Law::Hard => None,
        Law::Penalty(Stiffness::PerPoint(stiffness)) => Some(stiffness),
        Law::Penalty(_) => Some(f64::NAN),
    }
}

fn check(pair: usize, spec: &PairSpec) -> Result<(), PairError> {
    let radius = |ball: &Ball| ("the radius of a point", ball.radius, ball.radius >= 0.0, "0 or above");
    let mut values = vec![
        ("the friction", spec.friction, spec.friction >= 0.0, "0 or above"),
        ("the restitution", spec.restitution, (0.0..=1.0).contains(&spec.restitution), "from 0 to 1"),
    ];
    if let Some(stiffness) = of_point(spec.law) {
        values.push(("the stiffness of a point", stiffness, stiffness > 0.0, "above 0"));
    }
    values.extend(spec.points.iter().map(radius));
    match &spec.shape {
        Shape::Sphere(Sphere { radius, .. }) | Shape::Cavity(Sphere { radius, .. }) => {
            values.push(("the radius of the surface", *radius, *radius > 0.0, "above 0"));
        }
        Shape::Block(Block { half, .. }) => {
            values.push(("the smallest half length", half.min(), half.min() > 0.0, "above 0"));
        }
        Shape::Planes(planes) => {
            let length = planes.iter().map(|plane| plane.normal.norm()).fold(f64::INFINITY, f64::min);
            values.push(("the length of a normal", length, length > 0.0, "above 0"));
        }
        Shape::Faces(_) => {}
    }
    match values.into_iter().find(|(_, value, holds, _)| !holds || value.is_nan()) {
        Some((what, value, _, valid)) => Err(PairError::Value { pair, what, value, valid }),
        None => Ok(()),
    }
}

/// Largest (ω × r)² / ω·J ω over all ω: the largest eigenvalue of J^(−½) (r² E − r rᵀ) J^(−½).
pub(crate) fn mobility(r: &Vector3<f64>, inertia: &Vector3<f64>) -> f64 {
    let root = Matrix3::from_diagonal(&inertia.map(|j| 1.0 / j.sqrt()));
    let squares = Matrix3::identity() * r.norm_squared() - r * r.transpose();
    (root * squares * root).symmetric_eigenvalues().max().max(0.0)
}

#[cfg(test)]
mod tests {
    use carom_contact::geometry::Plane;
    use nalgebra::Unit;

    use super::*;

    #[test]
    fn mobility_bounds_the_speed_of_a_point() {
        let (r, inertia) = (Vector3::new(0.5, -0.2, 0.1), Vector3::new(1.0, 2.0, 0.1));
        let bound = mobility(&r, &inertia);
        let mut largest = 0.0_f64;
        for k in 0..2000 {
            let a = f64::from(k);
            let omega = Vector3::new(a.sin(), (1.7 * a).cos(), (0.3 * a).sin());
            let energy = omega.dot(&inertia.component_mul(&omega));
            largest = largest.max(omega.cross(&r).norm_squared() / energy);
        }
        assert!(largest <= bound * (1.0 + 1e-12) && largest > 0.95 * bound, "{largest} {bound}");
    }

    #[test]
    fn impossible_pairs_are_refused() {
        let inertia = Matrix3::identity();
        let body = RigidBody::new("a", 1.0, inertia, Vector3::zeros()).unwrap();
        let bodies = [body.clone(), body];
        let good = PairSpec {
            bodies: [0, 1],
            points: vec![Ball::point(Vector3::zeros())],
            moving: None,
            edges: [Vec::new(), Vec::new()],
            shape: Shape::Sphere(Sphere { center: Vector3::zeros(), radius: 1.0 }),
            law: Law::Hard,
            restitution: 1.0,
            friction: 0.0,
        };
        let error = |change: &dyn Fn(&mut PairSpec)| {
            let mut spec = good.clone();
            change(&mut spec);
            Pair::new(3, &spec, &bodies).unwrap_err().to_string()
        };
        assert!(error(&|s| s.bodies = [0, 2]).contains("two of the 2 bodies"));
        assert!(error(&|s| s.bodies = [1, 1]).contains("two of the 2 bodies"));
        assert!(error(&|s| s.points.clear()).contains("at least one point"));
        assert!(error(&|s| s.restitution = 1.5).contains("restitution is 1.5; it must be from 0 to 1"));
        assert!(error(&|s| s.friction = -0.1).contains("friction is -0.1"));
        assert!(error(&|s| s.friction = f64::NAN).contains("friction is NaN"));
        assert!(error(&|s| s.law = Law::per_area(1e12)).contains("stiffness of a point is NaN"));
        assert!(error(&|s| s.law = Law::per_point(0.0)).contains("stiffness of a point is 0"));
        let plane = || Plane { origin: Vector3::zeros(), normal: Unit::new_unchecked(Vector3::zeros()) };
        assert!(error(&|s| s.shape = Shape::Planes(vec![plane()])).contains("normal is 0"));
        assert!(error(&|s| s.shape = Shape::Planes(Vec::new())).contains("at least one point"));
    }
}
