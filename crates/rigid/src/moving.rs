//! Points that move over curved faces of a body: each is the point of a part of a face that is nearest to
//! the surface of the other body, so that a body rolls on the face itself and not on corners.
//!
//! A part of a face, Ξ = \[l₁, h₁\] × \[l₂, h₂\], touches with
//!
//! ```text
//! g = min over ξ in Ξ of g(y(ξ)),   ∂g/∂ξ_a = n·y,a,   ∂²g/∂ξ_a∂ξ_b = n·y,ab + y,a·∂n/∂x·y,b
//! ```
//!
//! where g(x) is the distance of a point from the other surface and n its gradient, the normal there. At the
//! minimum the motion of the point along the face does not change g to first order: the rate of the gap is
//! that of the material point, as for a point that is fixed in its body.

use carom_contact::geometry::Faces;
use nalgebra::{Matrix2, Vector2, Vector3};

use crate::body::RigidBody;
use crate::pair::{Ball, mobility};
use crate::search::Relative;
use crate::sphere_tree::SphereTree;

/// Parts of curved faces with a point each, in source coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct MovingPoints {
    /// The faces on which they move.
    pub faces: Faces,
    /// The points.
    pub points: Vec<MovingPoint>,
}

/// The part of a face, or of a line on it, over which a point moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingPoint {
    /// Number of the face.
    pub face: u32,
    /// Least and largest parameters; a line has the same of one of them.
    pub range: [[f64; 2]; 2],
    /// True for lower and upper bounds of each parameter at which the point touches too. Elsewhere another
    /// point goes on beyond the bound, or moves along it, and touches for both.
    pub ends: [[bool; 2]; 2],
}

/// The moving points of a body in its own frame.
#[derive(Debug, Clone)]
pub(crate) struct Moving {
    faces: Faces,
    points: Vec<MovingPoint>,
    /// A ball around the part of each point.
    spheres: Vec<Ball>,
    pub(crate) tree: SphereTree,
    /// See [`crate::pair::Pair::mobility`].
    pub(crate) mobility: f64,
    /// Radius of the ball around the centre of mass that contains all parts \[m\].
    pub(crate) radius: f64,
    /// Length by which rounding is measured \[m\].
    size: f64,
}

/// The point of a part that is nearest to another surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    pub(crate) xi: [f64; 2],
    /// Frame of the own body \[m\].
    pub(crate) place: Vector3<f64>,
    /// Gap \[m\], and normal out of the other surface, frame of the other body.
    pub(crate) gap: f64,
    pub(crate) normal: Vector3<f64>,
    /// True if the gap still falls beyond a bound at which another point goes on.
    pub(crate) is_beyond: bool,
}

/// Where a search begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum From {
    /// In the middle of the part.
    Middle,
    /// At the place of another time of the same step. A point that goes beyond its part in the step stays the
    /// same point, by as much as another part; along lines that are as straight as the other surface it
    /// does not move.
    Place([f64; 2]),
}

/// Change of the gap over a part, as a part of the size, that is rounding.
const ROUNDING: f64 = 1e-12;

/// Length over that of the part for the change of the normal.
const DIFFERENCE: f64 = 1e-4;

/// Curvature in one direction of a part over that in the other, from which on a point follows a line of it.
const CURVED: f64 = 1e-3;

const MAX_ITERATIONS: usize = 30;

impl Moving {
    pub(crate) fn placed(spec: &MovingPoints, body: &RigidBody) -> Self {
        let faces = spec.faces.moved(|x| body.point_b(x));
        let spheres: Vec<Ball> = spec.points.iter().map(|point| around(&faces, point)).collect();
        let places = || spec.points.iter().flat_map(|point| samples(&faces, point));
        let radius = spheres.iter().map(|ball| ball.center.norm() + ball.radius).fold(0.0, f64::max);
        let most = places().map(|x| x.norm()).fold(f64::MIN_POSITIVE, f64::max);
        // A point between samples is farther away by what its part stands out.
        let mobility = places().map(|x| mobility(&(x * (radius / most)), &body.inertia)).fold(0.0, f64::max);
        let tree = SphereTree::over(&spheres);
        Self { faces, points: spec.points.clone(), spheres, tree, mobility, radius, size: radius }
    }

    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// The balls around the parts, frame of the body.
    pub(crate) fn spheres(&self) -> &[Ball] {
        &self.spheres
    }

    /// The nearest point of a part.
    ///
    /// * `relative` — from the frame of the own body to that of the other one
    /// * `gap` — gap and normal of a point of the other body's frame
    pub(crate) fn nearest(
        &self,
        number: usize,
        from: From,
        relative: &Relative,
        mut gap: impl FnMut(&Ball) -> (f64, Vector3<f64>),
    ) -> Nearest {
        let point = &self.points[number];
        let mut look = |xi: [f64; 2]| At::new(&self.faces, point.face, xi, relative, &mut gap);
        let tolerance = ROUNDING * self.size;
        let range = Range::of(point, from);
        let mut at = look(range.start);
        for _ in 0..MAX_ITERATIONS {
            let Some(step) = range.step(&at, &mut look, tolerance) else { break };
            // A minimum at a kink of the other surface is not at a zero of the derivative.
            let Some(next) = descent(&at, &range, step, &mut look, tolerance) else { break };
            at = next;
        }
        let is_beyond =
            (0..2).any(|d| range.blocked(&at, d, tolerance).is_some_and(|side| !point.ends[d][side]));
        Nearest { xi: at.xi, place: at.place, gap: at.gap, normal: at.normal, is_beyond }
    }
}

/// The gap at a place on a face.
#[derive(Debug, Clone, Copy)]
struct At {
    xi: [f64; 2],
    /// Frame of the own body \[m\].
    place: Vector3<f64>,
    gap: f64,
    /// Frame of the other body.
    normal: Vector3<f64>,
    /// y,a and n·y,ab, frame of the other body.
    tangents: [Vector3<f64>; 2],
    bends: [f64; 3],
}

impl At {
    fn new(
        faces: &Faces,
        face: u32,
        xi: [f64; 2],
        relative: &Relative,
        gap: &mut impl FnMut(&Ball) -> (f64, Vector3<f64>),
    ) -> Self {
        let jet = faces.jet_at_rest(face, xi);
        let (gap, normal) = gap(&Ball::point(relative.place(&jet.y)));
        let tangents = jet.d.map(|d| relative.turn(&d));
        let bends = jet.dd.map(|dd| normal.dot(&relative.turn(&dd)));
        Self { xi, place: jet.y, gap, normal, tangents, bends }
    }

    fn slope(&self, d: usize) -> f64 {
        self.normal.dot(&self.tangents[d])
    }
}

/// Where a point may move, and where it starts.
struct Range {
    start: [f64; 2],
    range: [[f64; 2]; 2],
    /// Lengths of the part, 0 across a line.
    lengths: [f64; 2],
    /// True if the point follows lines that are curved alone.
    follows: bool,
}

impl Range {
    fn of(point: &MovingPoint, from: From) -> Self {
        let lengths = point.range.map(|[low, high]| high - low);
        match from {
            From::Middle => {
                let start = point.range.map(|[low, high]| 0.5 * (low + high));
                Self { start, range: point.range, lengths, follows: false }
            }
            From::Place(start) => {
                let wide = |d: usize| {
                    let ([low, high], [ends_low, ends_high]) = (point.range[d], point.ends[d]);
                    let beyond = |ends: bool| if ends { 0.0 } else { lengths[d] };
                    [low - beyond(ends_low), high + beyond(ends_high)]
                };
                Self { start, range: [wide(0), wide(1)], lengths, follows: true }
            }
        }
    }

    /// The bound that keeps the gap from falling, 0 or 1; none if it does not fall beyond it.
    fn blocked(&self, at: &At, d: usize, tolerance: f64) -> Option<usize> {
        let [low, high] = self.range[d];
        let change = at.slope(d) * self.lengths[d];
        (0..2).find(|&side| {
            self.lengths[d] > 0.0
                && if side == 0 {
                    at.xi[d] <= low && change > tolerance
                } else {
                    at.xi[d] >= high && change < -tolerance
                }
        })
    }

    /// Newton's step within the bounds; none at a minimum.
    fn step(&self, at: &At, look: &mut impl FnMut([f64; 2]) -> At, tolerance: f64) -> Option<[f64; 2]> {
        let is_free = |d: usize| self.lengths[d] > 0.0 && self.blocked(at, d, tolerance).is_none();
        let falls = |d: usize| (at.slope(d) * self.lengths[d]).abs() > tolerance;
        let mut free = [is_free(0), is_free(1)];
        if !(0..2).any(|d| free[d] && falls(d)) {
            return None;
        }
        // In parts of the lengths of the range.
        let slopes = Vector2::from_fn(|d, _| at.slope(d) * self.lengths[d]);
        let h = self.hessian(at, look, free);
        if self.follows {
            let most = (0..2).filter(|&d| free[d]).map(|d| h[(d, d)]).fold(0.0, f64::max);
            (0..2).for_each(|d| free[d] &= h[(d, d)] > CURVED * most);
        }
        let along = match free {
            [true, true] if h.determinant() > ROUNDING * h[(0, 0)] * h[(1, 1)] && h[(0, 0)] > 0.0 => {
                -(h.try_inverse()? * slopes)
            }
            _ => Vector2::from_fn(|d, _| match free[d] {
                true if slopes[d].abs() <= tolerance => 0.0,
                true if h[(d, d)] > slopes[d].abs() => -slopes[d] / h[(d, d)],
                // The gap falls up to the bound.
                true => -slopes[d].signum(),
                false => 0.0,
            }),
        };
        let length = along.amax();
        (length > 0.0).then(|| [0, 1].map(|d| along[d] / length.max(1.0) * self.lengths[d]))
    }

    /// Second derivatives of the gap by the parameters over the lengths of the range.
    fn hessian(&self, at: &At, look: &mut impl FnMut([f64; 2]) -> At, free: [bool; 2]) -> Matrix2<f64> {
        let [b11, b12, b22] = at.bends;
        let mut h = Matrix2::new(b11, b12, b12, b22);
        for d in (0..2).filter(|&d| free[d]) {
            let up = at.xi[d] < 0.5 * (self.range[d][0] + self.range[d][1]);
            let step = if up { DIFFERENCE } else { -DIFFERENCE } * self.lengths[d];
            let mut xi = at.xi;
            xi[d] += step;
            let turned = (look(xi).normal - at.normal) / step;
            (0..2).for_each(|e| h[(e, d)] += at.tangents[e].dot(&turned));
        }
        let off = if free == [true; 2] { 0.5 * (h[(0, 1)] + h[(1, 0)]) } else { 0.0 };
        let [l1, l2] = self.lengths;
        Matrix2::new(h[(0, 0)] * l1 * l1, off * l1 * l2, off * l1 * l2, h[(1, 1)] * l2 * l2)
    }

    fn clamped(&self, xi: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|d| xi[d].clamp(self.range[d][0], self.range[d][1]))
    }
}

/// The place after a step, or after a part of it, where the gap has not grown; none if there is none.
fn descent(
    at: &At,
    range: &Range,
    step: [f64; 2],
    look: &mut impl FnMut([f64; 2]) -> At,
    tolerance: f64,
) -> Option<At> {
    /// Parts of the step that are tried, each a quarter of the one before.
    const PARTS: i32 = 8;
    (0..PARTS).find_map(|k| {
        let part = 0.25_f64.powi(k);
        let xi = range.clamped([0, 1].map(|d| at.xi[d] + part * step[d]));
        if xi == at.xi {
            return None;
        }
        Some(look(xi)).filter(|next| next.gap <= at.gap + tolerance)
    })
}

/// Places of a part: its corners, and some in between.
fn samples(faces: &Faces, point: &MovingPoint) -> impl Iterator<Item = Vector3<f64>> {
    const PARTS: usize = 4;
    let at = |d: usize, k: usize| {
        let [low, high] = point.range[d];
        low + (high - low) * k as f64 / PARTS as f64
    };
    let face = point.face;
    (0..=PARTS)
        .flat_map(move |i| (0..=PARTS).map(move |j| [at(0, i), at(1, j)]))
        .map(move |xi| faces.jet_at_rest(face, xi).y)
}

/// A ball around a part of a face.
fn around(faces: &Faces, point: &MovingPoint) -> Ball {
    /// A part stands out between its samples by a small part of its size.
    const STANDS_OUT: f64 = 1.05;
    let middle = point.range.map(|[low, high]| 0.5 * (low + high));
    let center = faces.jet_at_rest(point.face, middle).y;
    let farthest = samples(faces, point).map(|x| (x - center).norm()).fold(0.0, f64::max);
    Ball::new(center, STANDS_OUT * farthest)
}

#[cfg(test)]
mod tests {
    use carom_contact::Shape;
    use carom_contact::geometry::Sphere;
    use carom_dynamics::rotation;
    use carom_fem::{Face, FaceBasis, Surface as Splines};
    use nalgebra::{Matrix3, Rotation3};

    use super::*;
    use crate::surface::Surface;

    /// Half of the side of the face below \[m\].
    const HALF: f64 = 0.1;

    /// The face z = ½ κ₁ x² + ½ κ₂ y² of one span, with a moving point on each part of a grid, and its body.
    fn paraboloid(curvatures: [f64; 2], parts: usize) -> (Moving, RigidBody) {
        let heights = curvatures.map(|k| [1.0, -1.0, 1.0].map(|b| 0.5 * k * HALF * HALF * b));
        let along = |i: usize| HALF * (i as f64 - 1.0);
        let control =
            |k: usize| Vector3::new(along(k % 3), along(k / 3), heights[0][k % 3] + heights[1][k / 3]);
        let reference: Vec<Vector3<f64>> = (0..9).map(control).collect();
        let surface = Splines {
            points: (0..9).collect(),
            weights: vec![1.0; 9],
            faces: vec![Face {
                basis: FaceBasis::Spline { degrees: [2; 2], operators: [0; 2] },
                points: (0..9).collect(),
                orientation: -1.0,
            }],
            operators: vec![(0..9).map(|k| if k % 4 == 0 { 1.0 } else { 0.0 }).collect()],
        };
        let range = |k: usize| [k as f64 / parts as f64, (k + 1) as f64 / parts as f64];
        let point = |k: usize| MovingPoint {
            face: 0,
            range: [range(k % parts), range(k / parts)],
            ends: [[false; 2]; 2],
        };
        let points = (0..parts * parts).map(point).collect();
        let faces = Faces::new(surface, &reference).unwrap();
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 1.1, 1.2));
        let body = RigidBody::new("paraboloid", 1.0, inertia, Vector3::new(0.01, 0.02, 0.05)).unwrap();
        (Moving::placed(&MovingPoints { faces, points }, &body), body)
    }

    fn fixed() -> RigidBody {
        RigidBody::new("other", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap()
    }

    fn plane() -> Surface {
        Surface::new(&Shape::plane(Vector3::zeros(), Vector3::z()).unwrap(), &fixed())
    }

    /// The axes of the face turned by a rotation, with the body at a place.
    fn placed(body: &RigidBody, rotation: &Rotation3<f64>, shift: Vector3<f64>) -> Relative {
        // Body axes → source axes, in which the face is given.
        let turned = rotation.matrix() * rotation::matrix(&body.axes);
        Relative::new((&turned, &shift), (&Matrix3::identity(), &Vector3::zeros()))
    }

    /// The place of a face nearest to a plane, x = −n_x/(n_z κ₁) and y = −n_y/(n_z κ₂) in the axes of the
    /// face, belongs to one part of it; the others go on beyond their bounds.
    #[test]
    fn one_part_of_a_face_touches_a_plane_where_their_normals_agree() {
        let curvatures = [4.0, 7.0];
        let ((moving, body), mut surface) = (paraboloid(curvatures, 3), plane());
        for [a, b, c] in [[0.0, 0.0, 0.3], [0.2, -0.1, 0.5], [-0.31, 0.22, 1.0], [0.4, 0.05, -2.0]] {
            let rotation = Rotation3::from_euler_angles(a, b, c);
            let relative = placed(&body, &rotation, Vector3::new(0.3, -0.2, 0.4));
            let n = rotation.inverse() * Vector3::z();
            let [x, y] = [0, 1].map(|d| -n[d] / (n.z * curvatures[d]));
            assert!(x.abs().max(y.abs()) < HALF, "{x} {y}");
            let all = (0..9).map(|k| moving.nearest(k, From::Middle, &relative, |ball| surface.gap(0, ball)));
            let found: Vec<Nearest> = all.filter(|nearest| !nearest.is_beyond).collect();
            let [found] = found[..] else { panic!("{found:?}") };
            let height = 0.5 * (curvatures[0] * x * x + curvatures[1] * y * y);
            let place = body.point_b(&Vector3::new(x, y, height));
            assert!((found.place - place).norm() < 1e-11, "{} for {place}", found.place);
            assert!((found.gap - relative.place(&place).z).abs() < 1e-14);
        }
    }

    /// The gap from a ball, and from a hollow, is that of the nearest of many places.
    #[test]
    fn the_nearest_place_to_a_ball_is_that_of_a_fine_grid() {
        const N: usize = 400;
        let (moving, body) = paraboloid([4.0, -3.0], 1);
        let ball = Sphere { center: Vector3::zeros(), radius: 0.07 };
        let hollow = Sphere { center: Vector3::zeros(), radius: 0.6 };
        for shape in [Shape::Sphere(ball), Shape::Cavity(hollow)] {
            let mut surface = Surface::new(&shape, &fixed());
            for [a, b, c] in [[0.1, 0.2, 0.3], [-0.3, 0.1, 2.0]] {
                let rotation = Rotation3::from_euler_angles(a, b, c);
                let relative = placed(&body, &rotation, Vector3::new(0.02, -0.03, 0.2));
                let found = moving.nearest(0, From::Middle, &relative, |ball| surface.gap(0, ball));
                let at = |k: usize| [k % (N + 1), k / (N + 1)].map(|i| i as f64 / N as f64);
                let places = (0..(N + 1) * (N + 1)).map(|k| moving.faces.jet_at_rest(0, at(k)).y);
                let gaps = places.map(|x| surface.gap(0, &Ball::point(relative.place(&x))).0);
                let least = gaps.fold(f64::INFINITY, f64::min);
                println!("{} {least} at {:?}", found.gap, found.xi);
                assert!(found.gap <= least + 1e-12 && least - found.gap < 1e-6, "{} {least}", found.gap);
            }
        }
    }

    /// Within a step a point goes on beyond its part, and keeps its place along a straight line.
    #[test]
    fn a_point_goes_on_beyond_its_part_but_not_along_a_straight_line() {
        let ((moving, body), mut surface) = (paraboloid([4.0, 0.0], 2), plane());
        // The lowest place lies beyond the bound x = 0 of the first part, and the line is tilted a little.
        let tilt = 0.02_f64;
        let rotation = Rotation3::from_axis_angle(&Vector3::x_axis(), 1e-6)
            * Rotation3::from_axis_angle(&Vector3::y_axis(), tilt);
        let relative = placed(&body, &rotation, Vector3::zeros());
        let from = From::Place([0.49, 0.2]);
        let found = moving.nearest(0, from, &relative, |ball| surface.gap(0, ball));
        let xi = 0.5 + 0.5 * tilt.tan() / (4.0 * HALF);
        assert!((found.xi[0] - xi).abs() < 1e-9 && found.xi[1] == 0.2, "{:?} for {xi}", found.xi);
    }
}
