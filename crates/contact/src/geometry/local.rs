//! Foot points on single faces: all local minima of the distance to a surface.
//!
//! The closest point alone is not enough if a point touches several faces: in a concave edge it lies in front
//! of two of them. A point that has penetrated one of these lies beyond the edge of the other. There the
//! other face is continued as a polynomial, so that its gap remains defined.

use nalgebra::Vector3;

use super::closest::{Local, free_step};
use super::jet;
use super::{Faces, FacesNow, FootPoint, Site};

/// A foot point on one face with no nearer point on the neighbouring faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFoot {
    /// The foot point.
    pub foot: FootPoint,
    /// True if it lies on the continuation of the face beyond a concave edge.
    pub is_continued: bool,
    /// Distance from the face itself \[m\].
    pub distance: f64,
}

/// Sine of the angle between two faces above which their common edge is concave.
const CONCAVE: f64 = 0.02;
/// Distance by which a face is continued beyond an edge, in ξ.
const CONTINUED: f64 = 0.5;
/// Distance from an edge in ξ up to which a point is flush with the edge, on either side.
///
/// Two rims that lie on each other bend alike, and neither has points inside the other. Chords of bent rims
/// are apart by a part of a face that is the square of the angle between them over eight.
pub(crate) const FLUSH: f64 = 1e-3;
/// Distance from a face, relative to its size, of which round-off is a part.
const ROUND_OFF: f64 = 1e-9;
const MAX_ITERATIONS: usize = 12;
/// Newton's method has converged below this step in ξ; the error is its square.
const SMALL_STEP: f64 = 1e-7;

impl Faces {
    /// The foot point of a point on one face, if the distance to the surface has a local minimum there.
    ///
    /// `None` if a neighbouring face is nearer: its foot point then represents both.
    pub fn local_foot(&self, now: &mut FacesNow, face: u32, x: &Vector3<f64>) -> Option<LocalFoot> {
        let local = self.closest_directly(now, face, x);
        let distance = local.distance_squared.sqrt();
        if self.domain(face).site(local.xi) != Site::Interior {
            if let Some(foot) = self.continued(now, face, &local, x) {
                return Some(LocalFoot { foot, is_continued: true, distance });
            }
            if let Some(foot) = self.flush_with_rim(now, face, &local, x) {
                return Some(LocalFoot { foot, is_continued: false, distance });
            }
            if self.step_across(now, face, &local, x).is_some() {
                return None;
            }
        }
        let foot = FootPoint::on_faces(self, now, face, &local, x);
        Some(LocalFoot { foot, is_continued: false, distance })
    }

    /// The foot point of a point on one face of a sheet, if the distance to the sheet has a local minimum
    /// there. The normal points to the side on which the point is, so that no gap is below zero.
    ///
    /// `None` if a neighbouring face is nearer.
    pub(crate) fn sheet_foot(&self, now: &mut FacesNow, face: u32, x: &Vector3<f64>) -> Option<LocalFoot> {
        let local = self.closest_directly(now, face, x);
        let site = self.domain(face).site(local.xi);
        if site != Site::Interior && self.step_across(now, face, &local, x).is_some() {
            return None;
        }
        let d = x - local.jet.y;
        let own = self.normal(now, face, local.xi, &local.jet);
        let distance = d.norm();
        let level = own * if d.dot(&own) < 0.0 { -1.0 } else { 1.0 };
        let scale = local.jet.d[0].norm() + local.jet.d[1].norm();
        let normal =
            if site == Site::Interior || distance <= ROUND_OFF * scale { level } else { d / distance };
        let foot = FootPoint::new(face, local.xi, site, false, d.dot(&normal), normal, &local.jet);
        Some(LocalFoot { foot, is_continued: false, distance })
    }

    /// The orthogonal projection on a face continued beyond its edges: a smooth function of all positions.
    ///
    /// * `start` — parameters near the foot point
    ///
    /// `None` if there is none within the size of the face from it.
    pub fn projected(
        &self,
        now: &mut FacesNow,
        face: u32,
        start: [f64; 2],
        x: &Vector3<f64>,
    ) -> Option<FootPoint> {
        let xi = self.free_foot(now, face, start, x)?;
        Some(self.level_foot(now, face, xi, x))
    }

    /// The foot point at the parameters of an orthogonal projection.
    fn level_foot(&self, now: &mut FacesNow, face: u32, xi: [f64; 2], x: &Vector3<f64>) -> FootPoint {
        let jet = self.jet(now, face, xi);
        let normal = self.normal(now, face, xi, &jet);
        let gap = (x - jet.y).dot(&normal);
        FootPoint::new(face, xi, Site::Interior, false, gap, normal, &jet)
    }

    /// The closest point of one face alone, whatever its neighbours are.
    pub fn foot_on_face(&self, now: &mut FacesNow, face: u32, x: &Vector3<f64>) -> LocalFoot {
        let local = self.closest_directly(now, face, x);
        let foot = FootPoint::on_faces(self, now, face, &local, x);
        LocalFoot { foot, is_continued: false, distance: local.distance_squared.sqrt() }
    }

    /// The closest point of a face, from its middle if the distance has one minimum on it.
    ///
    /// The squared distance from a face with straight edges is convex if
    ///
    /// ```text
    /// |x − y(ξ)| |y,₁₂| < λ_min(m) ≥ det m/tr m
    /// ```
    ///
    /// on the whole face; a quarter of the bound at the foot allows for the change of m. Newton's method
    /// within the domain then finds the minimum.
    pub(super) fn closest_directly(&self, now: &mut FacesNow, face: u32, x: &Vector3<f64>) -> Local {
        if self.is_linear(face) && self.is_polynomial(face) {
            let local = self.newton(now, face, self.domain(face).center(), x);
            let jet = &local.jet;
            let [m, n] = jet.d.map(|d| d.norm_squared());
            let det = m * n - jet.d[0].dot(&jet.d[1]).powi(2);
            let farthest = local.distance_squared.sqrt() + m.sqrt() + n.sqrt();
            if local.converged && farthest * jet.dd[1].norm() < 0.25 * det / (m + n) {
                return local;
            }
        }
        self.closest_on_face(now, face, x)
    }

    /// The foot point on the continuation of a face beyond concave edges with its closest point, for a point
    /// that is behind the faces there.
    fn continued(&self, now: &mut FacesNow, face: u32, local: &Local, x: &Vector3<f64>) -> Option<FootPoint> {
        let domain = self.domain(face);
        let n = domain.n_corners();
        let concave = [0, 1, 2, 3]
            .map(|k| k < n && domain.touches(k, local.xi) && self.is_behind_concave(now, face, k, local, x));
        if !concave.contains(&true) {
            return None;
        }
        let xi = self.free_foot(now, face, local.xi, x)?;
        let is_allowed = |k: usize| {
            let beyond = -domain.distance(k, xi);
            beyond <= 0.0 || concave[k] && beyond <= CONTINUED
        };
        if !(0..n).all(is_allowed) {
            return None;
        }
        Some(self.level_foot(now, face, xi, x))
    }

    /// The foot point on the continuation of a face beyond the rim of the surface, for a point that is flush
    /// with the rim. The direction from the rim to the point would be at random if the point is as near to
    /// the face as it is to its rim, and behind the face it would hold the point there.
    fn flush_with_rim(
        &self,
        now: &mut FacesNow,
        face: u32,
        local: &Local,
        x: &Vector3<f64>,
    ) -> Option<FootPoint> {
        let domain = self.domain(face);
        if !self.on_rim(face, domain.site(local.xi)) {
            return None;
        }
        let own = self.normal(now, face, local.xi, &local.jet);
        let d = x - local.jet.y;
        let aside = (d - own * d.dot(&own)).norm();
        let [first, second] = local.jet.d.map(|d| d.norm());
        if aside > 2.0 * FLUSH * (first + second) {
            return None;
        }
        let xi = self.free_foot(now, face, local.xi, x)?;
        let is_flush = (0..domain.n_corners()).all(|k| domain.distance(k, xi) >= -FLUSH);
        is_flush.then(|| self.level_foot(now, face, xi, x))
    }

    /// Parameters of the orthogonal projection on the face continued beyond its edges.
    pub(crate) fn free_foot(
        &self,
        now: &mut FacesNow,
        face: u32,
        start: [f64; 2],
        x: &Vector3<f64>,
    ) -> Option<[f64; 2]> {
        let (kind, polynomial) = (self.kind(face), self.is_polynomial(face));
        let q = self.bezier(now, face);
        let mut xi = start;
        for _ in 0..MAX_ITERATIONS {
            let jet = jet::jet(kind, polynomial, q, xi);
            let (step, newton) = free_step(&jet, &(x - jet.y));
            xi = [xi[0] + step[0], xi[1] + step[1]];
            let size = step[0].abs().max(step[1].abs());
            let is_near = |x: &f64| (-2.0 * CONTINUED..=1.0 + 2.0 * CONTINUED).contains(x);
            // The comparisons are false if the step is not a number.
            if !(newton && xi.iter().all(is_near)) {
                return None;
            }
            if size < SMALL_STEP {
                return Some(xi);
            }
        }
        None
    }

    /// True if the face across an edge rises above this one, and the point lies behind that face.
    fn is_behind_concave(
        &self,
        now: &mut FacesNow,
        face: u32,
        edge: usize,
        local: &Local,
        x: &Vector3<f64>,
    ) -> bool {
        let t = self.domain(face).along_edge(edge, local.xi);
        let Some((next, next_edge, t)) = self.topology.across(face, edge as u8, t) else { return false };
        let own = self.normal(now, face, local.xi, &local.jet);
        let domain = self.domain(next);
        let (inward, along) = (domain.inward(next_edge as usize), domain.edge_direction(next_edge as usize));
        let xi = domain.on_edge(next_edge as usize, t);
        let jet = self.jet(now, next, xi);
        let tangent = |c: [f64; 2]| jet.d[0] * c[0] + jet.d[1] * c[1];
        let Some(edge) = tangent(along).try_normalize(0.0) else { return false };
        let into = tangent(inward);
        let across = into - edge * into.dot(&edge);
        let rises = across.dot(&own) > CONCAVE * across.norm();
        let other = self.normal(now, next, xi, &jet);
        rises && (x - local.jet.y).dot(&other) < 0.0
    }
}
