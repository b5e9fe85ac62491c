//! The ball around a surface: bodies whose balls are apart need no search for the nearest points.

use carom_contact::Shape;
use carom_contact::broad::Ball;
use nalgebra::{Matrix3, Vector3};

/// Points along a side of a face, less one: they miss the outermost point of a curved face by some 1e-4 of
/// its radius of curvature, far less than the gap at which a search begins.
const PARTS: [usize; 2] = [8, 2];

/// Faces from which on there are fewer points on each.
const MANY: usize = 200;

/// Part of its radius by which the ball of a body with modes is larger: linear theory does not hold beyond.
const DEFLECTION: f64 = 0.1;

/// A ball around a surface, and its reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hull {
    /// Of the surface in the body frame, deflections included; none of a plane.
    ball: Option<Ball>,
    /// Radius of a ball about the frame origin that holds the surface \[m\]; the distance of a plane.
    pub(super) reach: f64,
}

impl Hull {
    /// * `has_modes` — true of a surface that moves in its body frame
    pub(super) fn of(shape: &Shape, has_modes: bool) -> Self {
        match shape {
            Shape::Planes(planes) => {
                let reach = planes.iter().map(|plane| plane.origin.norm()).fold(0.0, f64::max);
                Self { ball: None, reach }
            }
            Shape::Sphere(sphere) => {
                let ball = Ball { center: sphere.center, radius: sphere.radius };
                Self { ball: Some(ball), reach: shape.radius() }
            }
            shape => {
                let ball = shape.as_faces().map(|_| {
                    let Ball { center, radius } = Ball::around(&samples(shape));
                    Ball { center, radius: if has_modes { (1.0 + DEFLECTION) * radius } else { radius } }
                });
                Self { ball, reach: shape.radius() }
            }
        }
    }

    /// False of a plane.
    pub(super) fn is_bounded(&self) -> bool {
        self.ball.is_some()
    }

    /// The middle of the ball, of a plane the origin of the body.
    pub(super) fn center(&self) -> Vector3<f64> {
        self.ball.map(|ball| ball.center).unwrap_or_default()
    }

    /// Motion from one pose to another: of a point, and an upper bound of what other points of the
    /// surface move differently \[m\]. Among origin and middle of the ball that point counts that gives
    /// the smaller sum.
    pub(super) fn motion(
        &self,
        from: &(Matrix3<f64>, Vector3<f64>),
        to: &(Matrix3<f64>, Vector3<f64>),
    ) -> (Vector3<f64>, f64) {
        let turn = to.0 - from.0;
        let of_origin = (to.1 - from.1, turn.norm() * self.reach);
        let Some(Ball { center, radius }) = self.ball else { return of_origin };
        let of_middle = (to.1 - from.1 + turn * center, turn.norm() * radius);
        let way = |(moved, turned): &(Vector3<f64>, f64)| moved.norm() + turned;
        if way(&of_middle) < way(&of_origin) { of_middle } else { of_origin }
    }

    /// Bound from below on the gap of two surfaces \[m\].
    ///
    /// * `rotation`, `origin` — from the axes of the second body to those of the first
    pub(super) fn gap(&self, second: &Self, rotation: &Matrix3<f64>, origin: &Vector3<f64>) -> Option<f64> {
        let (first, second) = (self.ball?, second.ball?);
        let moved = Ball { center: rotation * second.center + origin, radius: second.radius };
        Some(first.clearance(&moved))
    }
}

fn samples(shape: &Shape) -> Vec<Vector3<f64>> {
    let Some(faces) = shape.as_faces() else { return Vec::new() };
    let mut now = faces.state_at_rest();
    let n = PARTS[usize::from(faces.n_faces() > MANY)];
    let part = |k: usize| k as f64 / n as f64;
    let mut points = Vec::with_capacity(faces.n_faces() * (n + 1).pow(2));
    for face in 0..faces.n_faces() as u32 {
        let domain = faces.domain(face);
        for (i, k) in (0..=n).flat_map(|i| (0..=n).map(move |k| (i, k))) {
            points.push(faces.position(&mut now, face, domain.clamp([part(i), part(k)])));
        }
    }
    points
}
