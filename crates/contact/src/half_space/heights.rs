//! Heights of exact surfaces over the plane of a contact.

use nalgebra::{Matrix3, Vector3};

use crate::Shape;
use crate::geometry::{FacesNow, Start};

/// Steps of Newton's method along the normal; it converges quadratically.
const MOST_STEPS: usize = 30;

/// Least cosine between the normal of the plane and that of the surface.
const LEAST_COSINE: f64 = 0.05;

/// A surface in the common frame of a contact.
#[derive(Debug)]
pub(super) struct Heights<'a> {
    shape: &'a Shape,
    rotation: Matrix3<f64>,
    origin: Vector3<f64>,
    now: Option<FacesNow>,
    /// Where the last foot point was.
    start: Option<Start>,
}

impl<'a> Heights<'a> {
    /// * `rotation`, `origin` — from the axes of the body to the common frame
    pub(super) fn new(shape: &'a Shape, rotation: Matrix3<f64>, origin: Vector3<f64>) -> Self {
        Self { shape, rotation, origin, now: shape.state_at_rest(), start: None }
    }

    /// Distance of a point and the outward normal at its foot point; negative inside.
    fn distance(&mut self, x: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        let x = self.rotation.transpose() * (x - self.origin);
        let (gap, normal) = match (self.shape, self.now.as_mut()) {
            (Shape::Faces(faces), Some(now)) => {
                let foot = match self.start {
                    Some(start) => faces.project(now, &x, start),
                    None => faces.closest(now, &x)?,
                };
                self.start = Some(Start { face: foot.face, xi: foot.xi });
                (foot.gap, foot.normal)
            }
            (shape, _) => shape.distance(0, &x, &[Vector3::zeros(); 3])?,
        };
        Some((gap, self.rotation * normal))
    }

    /// The height t at which x + t n lies on the surface \[m\], and the outward normal there; `None` where
    /// the line misses the surface or meets it at a grazing angle.
    pub(super) fn at(
        &mut self,
        x: &Vector3<f64>,
        n: &Vector3<f64>,
        size: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let mut height = 0.0;
        for _ in 0..MOST_STEPS {
            let (gap, normal) = self.distance(&(x + height * n))?;
            let slope = normal.dot(n);
            if slope.is_nan() || slope.abs() < LEAST_COSINE {
                return None;
            }
            let step = -gap / slope;
            height += step;
            if step.abs() <= 1e-12 * size {
                return Some((height, normal));
            }
        }
        None
    }
}
