//! Where a straight line meets a face, by Newton's method on the face from a point near by.

use nalgebra::Vector3;

use super::closest::{LARGE_STEP, taylor};
use super::{Faces, FacesNow, Jet, Start, jet};

/// Steps of Newton's method; each squares the error.
const MOST_STEPS: usize = 6;

/// Below this parameter step the rest is taken from the Taylor series to second order: the next term is
/// 1e-16 of the face's size.
const TAYLOR_STEP: f64 = 1e-5;

/// The point in which a line meets a face.
#[derive(Debug, Clone, Copy)]
pub struct Crossing {
    /// Coordinate t on the line x + t n \[m\].
    pub height: f64,
    /// Outward unit normal of the surface there.
    pub normal: Vector3<f64>,
    /// The point by face and parameters.
    pub at: Start,
}

impl Faces {
    /// The point in which the line x + t n meets the face of `start`, if Newton's method reaches it from
    /// there in small steps inside of the face: nearly every call in a run. Each step of the parameters leads
    /// to the point in which the line meets the tangent plane,
    ///
    /// ```text
    /// dξ₁ = d·(y,₂ × n)/D ,     dξ₂ = d·(n × y,₁)/D ,     t = −d·N/D
    /// d = x − y(ξ) ,     N = y,₁ × y,₂ ,     D = n·N
    /// ```
    ///
    /// * `line` — x and n, of unit length
    /// * `at_start` — the derivatives at the start, if they are known
    pub fn crossing(
        &self,
        now: &mut FacesNow,
        (x, n): (&Vector3<f64>, &Vector3<f64>),
        (start, at_start): (Start, Option<&Jet>),
    ) -> Option<Crossing> {
        let face = start.face;
        let (kind, domain, polynomial) = (self.kind(face), self.domain(face), self.is_polynomial(face));
        let q = self.bezier(now, face);
        let mut xi = start.xi;
        let mut known = at_start;
        for _ in 0..MOST_STEPS {
            let jet = known.take().copied().unwrap_or_else(|| jet::jet(kind, polynomial, q, xi));
            let d = x - jet.y;
            let scale = 1.0 / n.dot(&jet.d[0].cross(&jet.d[1]));
            let step = [scale * d.dot(&jet.d[1].cross(n)), scale * d.dot(&n.cross(&jet.d[0]))];
            let size = step[0].abs().max(step[1].abs());
            xi = [xi[0] + step[0], xi[1] + step[1]];
            // The comparisons are false if the step is not a number.
            if !(size < LARGE_STEP && domain.is_well_inside(xi)) {
                return None;
            }
            if size < TAYLOR_STEP {
                let jet = taylor(&jet, step);
                let across = jet.d[0].cross(&jet.d[1]);
                let height = (jet.y - x).dot(&across) / n.dot(&across);
                let normal = across * (self.orientation(face) / across.norm());
                return Some(Crossing { height, normal, at: Start { face, xi } });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::{ball, one_of_each};

    #[test]
    fn a_line_meets_a_ball_where_the_quadratic_equation_says() {
        let (surface, points) = ball(0.015, 2);
        let faces = Faces::new(surface, &points).unwrap();
        let mut now = faces.state_at_rest();
        let mut found = 0;
        for k in 1..=200 {
            let angle = |factor: f64| (factor * f64::from(k)).sin();
            let outward = Vector3::new(angle(1.3), angle(2.7), angle(0.6)).normalize();
            // Beside the foot point, and inclined to the normal there.
            let aside = Vector3::new(angle(5.1), angle(3.3), angle(1.9));
            let x = 0.0151 * outward + 4e-4 * aside;
            let n = (outward + 0.3 * aside).normalize();
            let foot = faces.closest(&mut now, &(0.015 * outward)).unwrap();
            let start = Start { face: foot.face, xi: foot.xi };
            let Some(at) = faces.crossing(&mut now, (&x, &n), (start, None)) else { continue };
            let Crossing { height, normal, .. } = at;
            let known = faces.jet(&mut now, start.face, start.xi);
            let again = faces.crossing(&mut now, (&x, &n), (start, Some(&known))).unwrap();
            assert_eq!((again.height, again.normal, again.at), (height, normal, at.at));
            found += 1;
            let half = x.dot(&n);
            let exact = -half + (half * half - x.norm_squared() + 0.015f64.powi(2)).sqrt();
            assert!((height - exact).abs() < 1e-15, "{k}: {height:e} {exact:e}");
            let off = (normal - (x + exact * n) / 0.015).norm();
            assert!(off < 1e-9, "{k}: normal off by {off:e}");
        }
        // The others cross to another face.
        assert!(found > 150, "{found} of 200");
    }

    #[test]
    fn the_point_of_every_kind_of_face_lies_on_the_line_and_on_the_face() {
        for (surface, positions) in one_of_each() {
            let faces = Faces::new(surface, &positions).unwrap();
            let mut now = faces.state_at_rest();
            let at = [0.3, 0.35];
            let jet = faces.jet(&mut now, 0, at);
            let normal = faces.normal(&mut now, 0, at, &jet);
            let size = jet.d[0].norm();
            let n = (normal + 0.2 * jet.d[1] / size).normalize();
            let x = jet.y - 0.05 * size * n;
            let start = Start { face: 0, xi: [0.36, 0.28] };
            let found = faces.crossing(&mut now, (&x, &n), (start, None)).unwrap();
            assert!((found.height - 0.05 * size).abs() < 1e-14 * size, "{found:?}");
            assert!((found.normal - normal).norm() < 1e-8, "{found:?}");
            assert!((0..2).all(|d| (found.at.xi[d] - at[d]).abs() < 1e-9), "{found:?}");
        }
    }

    #[test]
    fn a_line_that_leaves_the_face_is_left_to_others() {
        let (surface, points) = ball(0.015, 2);
        let faces = Faces::new(surface, &points).unwrap();
        let mut now = faces.state_at_rest();
        let (x, n) = (Vector3::new(0.1, 0.0, 0.0), Vector3::z());
        let start = Start { face: 0, xi: [0.5; 2] };
        assert!(faces.crossing(&mut now, (&x, &n), (start, None)).is_none());
    }
}
