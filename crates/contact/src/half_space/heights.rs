//! Heights of exact surfaces over the plane of a contact.

use nalgebra::{Matrix3, Vector3};

use crate::Shape;
use crate::broad::{Bounds, distance_squared};
use crate::geometry::{Crossing, FacesNow, Jet, Start};

/// Steps of Newton's method along the normal, which converges quadratically; bisections at a kink need fifty.
const MOST_STEPS: usize = 80;

/// Least cosine between the normal of the plane and that of the surface.
const LEAST_COSINE: f64 = 0.05;

/// Working memory of a surface that does not deform.
#[derive(Debug)]
pub(super) struct Resting(Option<FacesNow>);

impl Resting {
    pub(super) fn new(shape: &Shape) -> Self {
        Self(shape.state_at_rest())
    }

    /// Position and derivatives of a face at a foot point.
    pub(super) fn jet(&mut self, shape: &Shape, at: Start) -> Option<Jet> {
        Some(shape.as_faces()?.jet(self.0.as_mut()?, at.face, at.xi))
    }

    /// Box around a surface with faces, in the axes of the shape.
    pub(super) fn bounds(&mut self, shape: &Shape) -> Option<Bounds> {
        Some(shape.as_faces()?.bounds(self.0.as_mut()?))
    }

    /// Distance of a point in the axes of the shape, and the outward normal at its foot point; negative
    /// inside. Of several planes the first one counts.
    pub(super) fn distance(
        &mut self,
        shape: &Shape,
        x: &Vector3<f64>,
        start: &mut Option<Start>,
    ) -> Option<(f64, Vector3<f64>)> {
        self.distance_within(shape, x, f64::INFINITY, start)
    }

    /// As [`Self::distance`]; `None` if a search without a start finds nothing nearer than `radius` \[m\]
    /// from a point that is not inside.
    pub(super) fn distance_within(
        &mut self,
        shape: &Shape,
        x: &Vector3<f64>,
        radius: f64,
        start: &mut Option<Start>,
    ) -> Option<(f64, Vector3<f64>)> {
        match (shape, self.0.as_mut()) {
            (Shape::Faces(faces), Some(now)) => {
                let foot = match *start {
                    Some(start) => faces.project(now, x, start),
                    None => {
                        // Points in the box may lie inside of the body, as far as you like from its surface.
                        let is_outside = distance_squared(&faces.bounds(now), x) > 0.0;
                        faces.closest_within(now, x, if is_outside { radius } else { f64::INFINITY })?
                    }
                };
                *start = Some(Start { face: foot.face, xi: foot.xi });
                Some((foot.gap, foot.normal))
            }
            (shape, _) => shape.distance(0, x, &[Vector3::zeros(); 3]),
        }
    }
}

/// The height t at which x + t n lies on a surface \[m\], and the outward normal there; `None` where the line
/// misses the surface or meets it at a grazing angle.
///
/// * `pose` — rotation and origin, from the axes of the body to those of x and n
/// * `start` — the last foot point near by, and the derivatives of its face there, if they are known
/// * `size` — a length of the contact, of which the height is right to 1e-12, or to rounding \[m\]
pub(super) fn height_of(
    (shape, resting): (&Shape, &mut Resting),
    pose: (Matrix3<f64>, Vector3<f64>),
    (start, at_start): (&mut Option<Start>, Option<&Jet>),
    (x, n): (&Vector3<f64>, &Vector3<f64>),
    size: f64,
) -> Option<(f64, Vector3<f64>)> {
    let (rotation, origin) = pose;
    // In the axes of the shape.
    let (x, n) = (rotation.transpose() * (x - origin), rotation.transpose() * n);
    if let (Some(found), Shape::Faces(faces), Some(now)) = (*start, shape, resting.0.as_mut())
        && let Some(Crossing { height, normal, at }) = faces.crossing(now, (&x, &n), (found, at_start))
    {
        *start = Some(at);
        return (normal.dot(&n).abs() >= LEAST_COSINE).then(|| (height, rotation * normal));
    }
    // Coordinates of a place far from the origin are not that exact.
    let least = (1e-12 * size).max(8.0 * f64::EPSILON * x.amax());
    let mut height = 0.0;
    // Heights inside and outside of the surface: across a kink between faces Newton's method may go back and
    // forth.
    let mut bracket = [None; 2];
    let mut before = 0.0;
    for _ in 0..MOST_STEPS {
        let (gap, normal) = resting.distance(shape, &(x + height * n), start)?;
        let slope = normal.dot(&n);
        if slope.is_nan() || slope.abs() < LEAST_COSINE {
            return None;
        }
        bracket[usize::from(gap > 0.0)] = Some(height);
        let mut next = height - gap / slope;
        let mut width = (next - height).abs();
        if let [Some(a), Some(b)] = bracket {
            if (next - a) * (next - b) > 0.0 {
                next = 0.5 * (a + b);
            }
            width = width.min(f64::abs(a - b));
        }
        // Steps of Newton's method shrink with their square: the next one would be w³/w₋₁².
        if width <= least || width * (width / before).powi(2) <= 1e-14 * size {
            return Some((next, rotation * normal));
        }
        (height, before) = (next, width);
    }
    None
}

/// A surface in the common frame of a contact.
#[derive(Debug)]
pub(super) struct Heights<'a> {
    shape: &'a Shape,
    pose: (Matrix3<f64>, Vector3<f64>),
    resting: Resting,
    /// Where the last foot point was.
    start: Option<Start>,
}

impl<'a> Heights<'a> {
    /// * `rotation`, `origin` — from the axes of the body to the common frame
    pub(super) fn new(shape: &'a Shape, rotation: Matrix3<f64>, origin: Vector3<f64>) -> Self {
        Self { shape, pose: (rotation, origin), resting: Resting::new(shape), start: None }
    }

    /// See [`height_of`].
    pub(super) fn at(
        &mut self,
        x: &Vector3<f64>,
        n: &Vector3<f64>,
        size: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        height_of((self.shape, &mut self.resting), self.pose, (&mut self.start, None), (x, n), size)
    }
}

#[cfg(test)]
mod tests {
    use carom_mesh::FaceShape;

    use super::*;
    use crate::test_surfaces::plate;

    #[test]
    fn heights_far_from_the_origin_are_found_to_rounding() {
        let n = Vector3::new(0.1, 0.2, 1.0).normalize();
        for distance in [0.0, 1.0, 100.0] {
            let (surface, positions) = plate(FaceShape::Quad9, 3, 3, |x, y| [x + distance, y, 0.1 * x * x]);
            let shape = Shape::faces(surface, &positions).unwrap();
            let (mut resting, mut start) = (Resting::new(&shape), None);
            for x in [0.31, 0.52, 0.73] {
                let place = Vector3::new(distance + x, 0.4, 0.1 * x * x + 1e-4);
                let pose = (Matrix3::identity(), Vector3::zeros());
                let found = height_of((&shape, &mut resting), pose, (&mut start, None), (&place, &n), 1e-6);
                let (height, _) = found.unwrap_or_else(|| panic!("no height at {distance} m"));
                let foot = place + height * n;
                let error = foot.z - 0.1 * (foot.x - distance).powi(2);
                assert!(error.abs() < 16.0 * f64::EPSILON * (1.0 + distance), "{error:e} at {distance} m");
            }
        }
    }
}
