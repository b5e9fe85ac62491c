//! Where two surfaces are nearest to each other: the start of a contact.

use nalgebra::{Matrix3, Vector3};

use super::footprint::tangents_of;
use super::heights::Resting;
use crate::Shape;
use crate::geometry::{Domain, Faces};

/// Smallest part of an edge of a face in the search for the nearest point.
const LEAST_PART: f64 = 1.0 / 512.0;

/// Parts of one size from which on their bounds are made tighter.
const MANY: usize = 200;

/// Most rounds in which a place settles.
const MOST_SETTLING: usize = 200;

/// Last step of a place that settles, in gaps: a gap has no slope above 1.
const LEAST_STEP: f64 = 0.01;

/// About the nearest point of the first surface to the second one, in the axes of the first body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// On the first surface \[m\].
    pub place: Vector3<f64>,
    /// Out of the first body.
    pub normal: Vector3<f64>,
    /// Distance of both surfaces there, negative if they overlap \[m\].
    pub gap: f64,
}

/// Two bodies, of which the second is moved by a rotation and a translation to the axes of the first.
#[derive(Debug)]
pub struct Approach<'a> {
    shapes: [&'a Shape; 2],
    resting: [Resting; 2],
    pose: (Matrix3<f64>, Vector3<f64>),
    /// The first surface with faces or of a ball, whose points are looked at.
    side: Option<usize>,
}

/// A point, its distance from the other surface, and the normal of that surface at its foot point.
type Near = (f64, Vector3<f64>, Vector3<f64>);

/// Points among which the nearest one is sought.
struct Among<'a> {
    /// Farther than this from a place; all points if none \[m\].
    beyond: Option<(&'a Vector3<f64>, f64)>,
    /// Largest distance of interest \[m\].
    limit: f64,
    /// The least distance is found to this length, or to 2 % of itself \[m\].
    fine: f64,
}

/// A part of a face that was looked at.
struct Seen {
    /// Face, least parameters, and size.
    part: (u32, [f64; 2], f64),
    /// Distance of its middle from the other surface \[m\].
    gap: f64,
    middle: Vector3<f64>,
    /// Of the other surface at the foot point of the middle.
    normal: Vector3<f64>,
    corners: [Vector3<f64>; 4],
    /// Largest distance from the middle, with that of faces that bulge \[m\].
    radius: f64,
}

impl Seen {
    /// A bound on the gap of the part that is quadratic in its size where both surfaces are smooth:
    ///
    /// ```text
    /// g + min_k m·(c_k − x) − r max_k |m_k − m| − max |½(c_k + c_l) − x| ,     c_k and c_l opposite
    /// ```
    ///
    /// with the normals m of the other surface at the foot points of the middle x and of the corners c.
    /// The last two terms are twice the curvature of both surfaces over the part. Surfaces that touch
    /// along a line have many parts whose gap is almost the least one, and each would be divided down to
    /// the wanted length.
    fn least_gap(&self, mut distance: impl FnMut(&Vector3<f64>) -> Option<(f64, Vector3<f64>)>) -> f64 {
        let Self { gap, middle, normal, corners, radius, .. } = self;
        let (mut along, mut turn) = (0.0_f64, 0.0_f64);
        for corner in corners {
            let Some((_, other)) = distance(corner) else { return gap - radius };
            along = along.min(normal.dot(&(corner - middle)));
            turn = turn.max((other - normal).norm());
        }
        let bulge = [(0, 3), (1, 2)].map(|(k, l)| (0.5 * (corners[k] + corners[l]) - middle).norm());
        (gap + along - radius * turn - bulge[0].max(bulge[1])).max(gap - radius)
    }
}

impl<'a> Approach<'a> {
    /// * `rotation`, `origin` — from the axes of the second body to those of the first
    pub fn new(shapes: [&'a Shape; 2], rotation: Matrix3<f64>, origin: Vector3<f64>) -> Self {
        let has_points = |side: &usize| matches!(shapes[*side], Shape::Faces(_) | Shape::Sphere(_));
        let side = [0, 1].into_iter().find(has_points);
        Self { shapes, resting: shapes.map(Resting::new), pose: (rotation, origin), side }
    }

    /// Distance from a surface and the normal at its foot point, in the axes of the first body.
    fn distance(&mut self, side: usize, x: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        self.distance_within(side, x, f64::INFINITY)
    }

    /// The same if the surface is nearer than `radius` \[m\].
    fn distance_within(&mut self, side: usize, x: &Vector3<f64>, radius: f64) -> Option<(f64, Vector3<f64>)> {
        let (rotation, origin) = self.pose_of(side);
        let seen = rotation.transpose() * (x - origin);
        let (gap, normal) =
            self.resting[side].distance_within(self.shapes[side], &seen, radius, &mut None)?;
        Some((gap, rotation * normal))
    }

    /// About the nearest point, on the surface with faces or on the line from the centre of a ball; `None` if
    /// neither surface has faces or is a ball.
    ///
    /// Faces are divided where they may come nearer than the nearest point so far: the distance of a part
    /// differs from that of its middle by its radius at most.
    ///
    /// * `fine` — the gap is the least one to this length, or to 2 % of itself \[m\]
    pub fn nearest(&mut self, fine: f64) -> Option<Nearest> {
        let side = self.side?;
        let ((gap, x, normal), radius) = match self.shapes[side] {
            Shape::Sphere(sphere) => {
                let (rotation, origin) = self.pose_of(side);
                let center = rotation * sphere.center + origin;
                let (gap, normal) = self.distance(1 - side, &center)?;
                ((gap, center, normal), sphere.radius)
            }
            shape => {
                let all = Among { beyond: None, limit: f64::INFINITY, fine };
                (self.nearest_on(side, shape.as_faces()?, &all)?, 0.0)
            }
        };
        let place = if side == 1 {
            x - gap * normal
        } else {
            // Of a ball the point that looks at the other surface.
            x - radius * normal
        };
        let normal = match (side, radius > 0.0) {
            (1, _) => normal,
            (_, true) => -normal,
            (_, false) => self.distance(0, &x)?.1,
        };
        Some(Nearest { place, normal, gap: gap - radius })
    }

    /// The least gap near a place, also at an edge of a surface: the search goes on in smaller steps from the
    /// point with the least gap.
    ///
    /// * `step` — the first step, the accuracy with which the place is known \[m\]
    pub fn settled(&mut self, nearest: Nearest, step: f64) -> Nearest {
        let mut best = nearest;
        let mut step = step;
        for _ in 0..MOST_SETTLING {
            let around = tangents_of(&best.normal);
            let found = (0..8).filter_map(|k| {
                let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_4).sin_cos();
                let beside = best.place + step * (cos * around[0] + sin * around[1]);
                let (height, normal) = self.distance(0, &beside)?;
                // At an edge the foot point is on the edge, and the normal that of the face there.
                let place = beside - height * normal;
                let (gap, _) = self.distance(1, &place)?;
                Some(Nearest { place, normal, gap })
            });
            match found.min_by(|a, b| a.gap.total_cmp(&b.gap)).filter(|next| next.gap < best.gap) {
                Some(next) => best = next,
                None if step < LEAST_STEP * best.gap.abs() => break,
                None => step *= 0.5,
            }
        }
        best
    }

    /// A point of the first surface and its distance from the second one, of surfaces that are far apart: the
    /// foot point of a point in the middle of the second body. The least gap is smaller.
    pub fn about(&mut self, middle: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        let (height, normal) = self.distance(0, middle)?;
        let place = middle - height * normal;
        let (gap, _) = self.distance(1, &place)?;
        Some((place, gap))
    }

    /// The rotation and translation of the points of a surface to the axes of the first body.
    fn pose_of(&self, side: usize) -> (Matrix3<f64>, Vector3<f64>) {
        if side == 0 { (Matrix3::identity(), Vector3::zeros()) } else { self.pose }
    }

    /// The point of a surface that is nearest to the middle of the other body, so that a search begins with a
    /// bound on the gap.
    fn towards(&mut self, side: usize) -> Option<Near> {
        let (rotation, origin) = self.pose_of(1 - side);
        let [low, high] = self.resting[1 - side].bounds(self.shapes[1 - side])?;
        let middle = rotation * (0.5 * (low + high)) + origin;
        let (height, normal) = self.distance(side, &middle)?;
        let x = middle - height * normal;
        let (gap, normal) = self.distance(1 - side, &x)?;
        Some((gap, x, normal))
    }

    /// The nearest point of a surface, in the axes of the first body; `None` if there is none below the
    /// limit.
    fn nearest_on(&mut self, side: usize, faces: &Faces, among: &Among<'_>) -> Option<Near> {
        let (rotation, origin) = self.pose_of(side);
        let mut now = faces.state_at_rest();
        let mut best = if among.beyond.is_none() { self.towards(side) } else { None };
        let mut parts: Vec<(u32, [f64; 2], f64)> =
            (0..faces.n_faces() as u32).map(|k| (k, [0.0; 2], 1.0)).collect();
        while !parts.is_empty() {
            // All parts of one size, so that the best one is known before parts are divided.
            let mut seen: Vec<Seen> = Vec::with_capacity(parts.len());
            for part @ (face, low, size) in std::mem::take(&mut parts) {
                let domain = faces.domain(face);
                if domain == Domain::Triangle && low[0] + low[1] >= 1.0 {
                    continue;
                }
                let mut at = |[u, v]: [f64; 2]| {
                    let xi = domain.clamp([low[0] + u * size, low[1] + v * size]);
                    rotation * faces.position(&mut now, face, xi) + origin
                };
                let middle = at([0.5; 2]);
                let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(&mut at);
                // A quarter more for faces that bulge between their corners.
                let radius = 1.25 * corners.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
                let apart = |(place, beyond): (&Vector3<f64>, f64)| (middle - place).norm() - beyond;
                let outside = among.beyond.map_or(f64::INFINITY, apart);
                if outside + radius <= 0.0 {
                    continue;
                }
                // Farther from the other surface than this, no point of the part is the nearest one.
                let least = best.map_or(among.limit, |(least, ..)| least);
                let found = self.distance_within(1 - side, &middle, least.max(0.0) + radius);
                let Some((gap, normal)) = found else { continue };
                if outside > 0.0 && gap < best.map_or(among.limit, |(least, ..)| least) {
                    best = Some((gap, middle, normal));
                }
                seen.push(Seen { part, gap, middle, normal, corners, radius });
            }
            let least = best.map_or(among.limit, |(least, ..)| least);
            if least == f64::INFINITY {
                break;
            }
            let enough = least - among.fine.max(0.02 * least.abs());
            seen.retain(|part| part.gap - part.radius < enough);
            if seen.len() > MANY {
                seen.retain(|part| part.least_gap(|x| self.distance(1 - side, x)) < enough);
            }
            for Seen { part: (face, low, size), .. } in seen {
                let half = 0.5 * size;
                if half > LEAST_PART {
                    for (u, v) in [(0.0, 0.0), (half, 0.0), (0.0, half), (half, half)] {
                        parts.push((face, [low[0] + u, low[1] + v], half));
                    }
                }
            }
        }
        best
    }

    /// The deepest point of the surface inside the other body, farther than `beyond` from a place \[m\], with
    /// its depth; `None` if none is deeper than `fine` \[m\], or no surface has faces.
    pub fn deepest_elsewhere(
        &mut self,
        place: &Vector3<f64>,
        beyond: f64,
        fine: f64,
    ) -> Option<(Vector3<f64>, f64)> {
        let side = [0, 1].into_iter().find(|side| self.shapes[*side].as_faces().is_some())?;
        let elsewhere = Among { beyond: Some((place, beyond)), limit: 0.0, fine };
        let (gap, x, _) = self.nearest_on(side, self.shapes[side].as_faces()?, &elsewhere)?;
        Some((x, -gap))
    }
}

#[cfg(test)]
mod tests {
    use carom_mesh::FaceShape;

    use super::*;
    use crate::geometry::Sphere;
    use crate::test_surfaces::{ball, plate};

    #[test]
    fn balls_and_planes_are_found_on_the_line_of_their_centres() {
        let sphere = Shape::Sphere(Sphere { center: Vector3::zeros(), radius: 0.02 });
        let (surface, points) = ball(0.015, 2);
        let faces = Shape::faces(surface, &points).unwrap();
        let away = Vector3::new(0.02, -0.01, 0.03);
        let rotation = nalgebra::Rotation3::from_euler_angles(0.3, 0.2, -0.9).into_inner();
        let small = Shape::Sphere(Sphere { center: Vector3::zeros(), radius: 0.015 });
        // A ball by its centre is exact. A gap that is right to 1e-4 m belongs to a point within
        // √(2 · 1e-4/κ) of the nearest one, with the relative curvature κ, 0.23 radii of the ball.
        for (first, off) in [(&faces, 0.23), (&small, 1e-12)] {
            let found = Approach::new([first, &sphere], rotation, away).nearest(1e-4).unwrap();
            assert!((found.normal - away.normalize()).norm() < off, "{}", found.normal);
            assert!((found.place.norm() - 0.015).abs() < 1e-9);
            let gap = away.norm() - 0.035;
            assert!(found.gap - gap > -1e-12 && found.gap - gap < 1e-4, "{} {gap}", found.gap);
        }
        // The middle of a single large face is found too.
        let (surface, points) = plate(FaceShape::Quad4, 1, 1, |x, y| [0.1 * x - 0.047, 0.1 * y - 0.052, 0.0]);
        let large = Shape::faces(surface, &points).unwrap();
        let above = Vector3::new(0.0, 0.0, 0.02 + 2e-6);
        let found = Approach::new([&large, &sphere], Matrix3::identity(), above).nearest(1e-4).unwrap();
        assert!(found.gap >= 2e-6 && found.gap < 1.02e-4, "{found:?}");
        let plane = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
        let above = Vector3::new(0.1, 0.2, 0.02 - 1e-6);
        for (shapes, away) in [([&plane, &sphere], above), ([&sphere, &plane], -above)] {
            let found = Approach::new(shapes, Matrix3::identity(), away).nearest(1e-4).unwrap();
            assert!((found.gap + 1e-6).abs() < 1e-12 && found.normal.z.abs() > 1.0 - 1e-12, "{found:?}");
        }
        assert!(Approach::new([&plane, &plane], rotation, away).nearest(1e-4).is_none());
    }

    /// A ball beside an edge of a plate: the nearest point is on the edge, next to its middle.
    #[test]
    fn a_place_settles_at_an_edge() {
        let (surface, points) = plate(FaceShape::Quad4, 6, 5, |x, y| [0.1 * x, 0.1 * y, 0.0]);
        let faces = Shape::faces(surface, &points).unwrap();
        let sphere = Shape::Sphere(Sphere { center: Vector3::zeros(), radius: 0.02 });
        for shapes in [[&faces, &sphere], [&sphere, &faces]] {
            let sign = if std::ptr::eq(shapes[0], &faces) { 1.0 } else { -1.0 };
            let center = Vector3::new(0.1 + 1e-3, 0.043, 0.02 + 1e-5);
            let mut approach = Approach::new(shapes, Matrix3::identity(), sign * center);
            let coarse = approach.nearest(1e-4).unwrap();
            let found = approach.settled(coarse, 1e-3);
            let gap = 1e-3_f64.hypot(center.z) - 0.02;
            assert!((found.gap - gap).abs() < 1e-3 * gap, "{found:?} {gap}");
        }
    }
}
