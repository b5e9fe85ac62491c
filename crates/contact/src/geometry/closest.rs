//! The closest point on a surface of faces, docs/theory/contact.md, eq. (42), with all its fallbacks.
//!
//! [`Faces::project`] continues from a known foot point by Newton's method on the face, clamped to its
//! domain; at an edge or a corner it continues on the neighbouring faces. [`Faces::closest`] needs no start:
//! it considers the faces whose boxes may contain the closest point, starts Newton's method from the best
//! point of a coarse sample, and subdivides the Bezier form of a face on which Newton's method does not
//! converge.

use nalgebra::Vector3;

use super::jet::{self, Jet};
use super::{Domain, Faces, FacesNow, FootPoint, Site};
use crate::broad::{Node, distance_squared};

/// A point on a surface by face and parameters: the start of a search, or a foot point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Start {
    /// Number of the face.
    pub face: u32,
    /// Parameters on it.
    pub xi: [f64; 2],
}

/// The closest point on one face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local {
    pub(super) xi: [f64; 2],
    pub(super) jet: Jet,
    pub(super) distance_squared: f64,
    pub(super) converged: bool,
}

const MAX_ITERATIONS: usize = 40;
const MAX_HALVINGS: usize = 25;
/// Largest number of faces crossed from a start; beyond it the global search is faster.
const MAX_HOPS: usize = 40;
/// Below this parameter step y(ξ + dξ) is evaluated by its Taylor series to second order: the next term is
/// 1e-18 of the face.
const TAYLOR_STEP: f64 = 1e-6;
/// The same limit for followed foot points, of which gap and normal are used: the next term is 1e-14 of the
/// face's size, less across it, the error of the normal 1e-9, that of the curvature 1e-4.
const TAYLOR_STEP_FOLLOWED: f64 = 3e-5;
/// A larger Newton step is accepted only if it decreases the distance.
pub(super) const LARGE_STEP: f64 = 0.2;

impl Faces {
    /// Closest point to `x` in the valley of the distance function that contains `start`.
    ///
    /// Uses [`Self::closest`] if the iteration does not converge.
    pub fn project(&self, now: &mut FacesNow, x: &Vector3<f64>, start: Start) -> FootPoint {
        if let Some(foot) = self.follow(now, x, start) {
            return foot;
        }
        let local = self.newton(now, start.face, start.xi, x);
        match self.walk(now, start.face, local, x) {
            Some((face, local)) => FootPoint::on_faces(self, now, face, &local, x),
            // A surface with a start has at least one face, so the search has a result.
            None => {
                self.closest(now, x).unwrap_or_else(|| FootPoint::on_faces(self, now, start.face, &local, x))
            }
        }
    }

    /// Follows a foot point that stays inside its face and that Newton's method reaches in small steps:
    /// nearly every call in a run.
    fn follow(&self, now: &mut FacesNow, x: &Vector3<f64>, start: Start) -> Option<FootPoint> {
        let (kind, domain, polynomial) =
            (self.kind(start.face), self.domain(start.face), self.is_polynomial(start.face));
        let q = self.bezier(now, start.face);
        let mut xi = start.xi;
        for _ in 0..4 {
            let jet = jet::jet(kind, polynomial, q, xi);
            let (step, newton) = free_step(&jet, &(x - jet.y));
            let size = step[0].abs().max(step[1].abs());
            xi = [xi[0] + step[0], xi[1] + step[1]];
            // The comparisons are false if the step is not a number.
            if !(newton && size < LARGE_STEP && domain.is_well_inside(xi)) {
                return None;
            }
            if size < TAYLOR_STEP_FOLLOWED {
                let jet = taylor(&jet, step);
                let normal = self.normal(now, start.face, xi, &jet);
                let gap = (x - jet.y).dot(&normal);
                return Some(FootPoint::new(start.face, xi, Site::Interior, false, gap, normal, &jet));
            }
        }
        None
    }

    /// Closest point to `x` on the whole surface; `None` if it has no faces.
    pub fn closest(&self, now: &mut FacesNow, x: &Vector3<f64>) -> Option<FootPoint> {
        self.closest_within(now, x, f64::INFINITY)
    }

    /// Closest point to `x` on the whole surface if it is nearer than `radius`.
    pub fn closest_within(&self, now: &mut FacesNow, x: &Vector3<f64>, radius: f64) -> Option<FootPoint> {
        if self.n_faces() == 0 {
            return None;
        }
        self.refit(now);
        let mut best: Option<(u32, Local)> = None;
        let mut bound = radius * radius;
        // The tree is balanced, so its depth, and with it the stack, stays below 64.
        let (mut stack, mut depth) = ([0u32; 64], 1);
        while depth > 0 {
            depth -= 1;
            let node = stack[depth];
            if distance_squared(&now.boxes[node as usize], x) >= bound {
                continue;
            }
            match self.tree.node(node) {
                Node::Leaf(face) => {
                    let local = self.closest_directly(now, face, x);
                    if local.distance_squared < bound {
                        bound = local.distance_squared;
                        best = Some((face, local));
                    }
                }
                Node::Inner([a, b]) => {
                    let far_first = distance_squared(&now.boxes[a as usize], x)
                        < distance_squared(&now.boxes[b as usize], x);
                    let (near, far) = if far_first { (a, b) } else { (b, a) };
                    stack[depth] = far;
                    stack[depth + 1] = near;
                    depth += 2;
                }
            }
        }
        let (face, local) = best?;
        let (face, local) = self.walk(now, face, local, x).unwrap_or((face, local));
        Some(FootPoint::on_faces(self, now, face, &local, x))
    }

    /// Closest point on one face: best point of a coarse sample, Newton's method, subdivision if that fails.
    pub(super) fn closest_on_face(&self, now: &mut FacesNow, face: u32, x: &Vector3<f64>) -> Local {
        let kind = self.kind(face);
        let q = self.bezier(now, face);
        let mut best = (f64::INFINITY, kind.domain().center());
        for (i, j) in (0..4).flat_map(|j| (0..4).map(move |i| (i, j))) {
            // On a triangle the upper half of the grid falls onto points that are sampled already.
            let xi = kind.domain().clamp([f64::from(i) / 3.0, f64::from(j) / 3.0]);
            let d = (x - jet::position(kind, q, xi)).norm_squared();
            if d < best.0 {
                best = (d, xi);
            }
        }
        let local = self.newton(now, face, best.1, x);
        if local.converged {
            return local;
        }
        let xi = super::subdivide::closest(kind, self.bezier(now, face), x, local.xi, local.distance_squared);
        let again = self.newton(now, face, xi, x);
        if again.distance_squared <= local.distance_squared { again } else { local }
    }

    /// Newton's method on one face within its domain.
    ///
    /// ```text
    /// H dξ = r,   r_a = (x − y)·y,a,   H_ab = m_ab − (x − y)·y,ab
    /// (m_ab alone where H is not positive definite)
    /// ```
    pub(super) fn newton(&self, now: &mut FacesNow, face: u32, xi: [f64; 2], x: &Vector3<f64>) -> Local {
        let (kind, domain, polynomial) = (self.kind(face), self.domain(face), self.is_polynomial(face));
        let q = self.bezier(now, face);
        let mut xi = domain.clamp(xi);
        let mut jet = jet::jet(kind, polynomial, q, xi);
        for _ in 0..MAX_ITERATIONS {
            let d = x - jet.y;
            let distance_squared = d.norm_squared();
            let (step, newton, slope) = newton_step(domain, xi, &jet, &d);
            let (t, _) = domain.limit(xi, step);
            let size = t * step[0].abs().max(step[1].abs());
            if size < TAYLOR_STEP && (t == 1.0 && newton || size < 1e-15) {
                let step = step.map(|s| t * s);
                let jet = taylor(&jet, step);
                xi = domain.clamp([xi[0] + step[0], xi[1] + step[1]]);
                return Local { xi, jet, distance_squared: (x - jet.y).norm_squared(), converged: true };
            }
            let mut scale = t;
            let mut accepted = false;
            for _ in 0..MAX_HALVINGS {
                let trial = domain.clamp([xi[0] + scale * step[0], xi[1] + scale * step[1]]);
                let trial_jet = jet::jet(kind, polynomial, q, trial);
                let decrease = distance_squared - (x - trial_jet.y).norm_squared();
                // Armijo on |x−y|², whose derivative along the step is −2 r·dξ, up to round-off.
                if decrease >= 2e-4 * scale * slope - 8.0 * f64::EPSILON * distance_squared {
                    (xi, jet, accepted) = (trial, trial_jet, true);
                    break;
                }
                scale *= 0.5;
            }
            if !accepted {
                return Local { xi, jet, distance_squared, converged: size < 1e-7 };
            }
        }
        Local { xi, jet, distance_squared: (x - jet.y).norm_squared(), converged: false }
    }

    /// Continues on neighbouring faces while the foot point gets nearer. `None` if Newton's method fails on
    /// one of them.
    fn walk(&self, now: &mut FacesNow, face: u32, local: Local, x: &Vector3<f64>) -> Option<(u32, Local)> {
        let (mut face, mut local) = (face, local);
        for _ in 0..MAX_HOPS {
            if !local.converged {
                return None;
            }
            match self.step_across(now, face, &local, x) {
                Some(next) => (face, local) = next,
                None => return Some((face, local)),
            }
        }
        None
    }

    /// The nearest foot point on the faces that share the edge or corner of `local`, if it is nearer.
    pub(super) fn step_across(
        &self,
        now: &mut FacesNow,
        face: u32,
        local: &Local,
        x: &Vector3<f64>,
    ) -> Option<(u32, Local)> {
        let domain = self.domain(face);
        // The distance must decrease by more than round-off; otherwise the point could alternate between two
        // faces.
        let mut bound = local.distance_squared * (1.0 - 1e-13);
        let mut best = None;
        let mut consider = |next: u32, xi: [f64; 2]| {
            let other = self.newton(now, next, xi, x);
            if other.distance_squared < bound {
                bound = other.distance_squared;
                best = Some((next, other));
            }
        };
        match domain.site(local.xi) {
            Site::Interior => return None,
            Site::Edge(k) => {
                let t = domain.along_edge(k as usize, local.xi);
                let (next, edge, t) = self.topology.across(face, k, t)?;
                consider(next, self.domain(next).on_edge(edge as usize, t));
            }
            Site::Corner(k) => {
                for &(f, c) in self.topology.around(face, k).iter().filter(|&&(f, _)| f != face) {
                    consider(f, self.domain(f).corner(c as usize));
                }
                for &(f, edge, t) in self.topology.beside_corner(face, k) {
                    consider(f, self.domain(f).on_edge(edge as usize, t));
                }
            }
        }
        best
    }
}

/// The matrix of a step: H, or the Gauss-Newton matrix if H is not positive definite; and which of them.
#[inline(always)]
fn step_matrix(jet: &Jet, d: &Vector3<f64>) -> ([f64; 3], bool) {
    let m = [jet.d[0].norm_squared(), jet.d[0].dot(&jet.d[1]), jet.d[1].norm_squared()];
    let h = [m[0] - d.dot(&jet.dd[0]), m[1] - d.dot(&jet.dd[1]), m[2] - d.dot(&jet.dd[2])];
    // Nearly singular H (the centre of curvature) counts as not positive definite.
    let newton = h[0] > 1e-8 * m[0] && h[0] * h[2] - h[1] * h[1] > 1e-8 * m[0] * m[2];
    // If the tangents are parallel (at a pole), a multiple of the identity keeps the step finite.
    let floor = 1e-12 * (m[0] + m[2]) + f64::MIN_POSITIVE;
    (if newton { h } else { [m[0] + floor, m[1], m[2] + floor] }, newton)
}

#[inline(always)]
fn solve2(h: &[f64; 3], r: &[f64; 2]) -> [f64; 2] {
    let scale = 1.0 / (h[0] * h[2] - h[1] * h[1]);
    [(h[2] * r[0] - h[1] * r[1]) * scale, (h[0] * r[1] - h[1] * r[0]) * scale]
}

/// Newton step on the face continued beyond its edges, and whether it used H.
#[inline(always)]
pub(super) fn free_step(jet: &Jet, d: &Vector3<f64>) -> ([f64; 2], bool) {
    let (h, newton) = step_matrix(jet, d);
    (solve2(&h, &[d.dot(&jet.d[0]), d.dot(&jet.d[1])]), newton)
}

/// Newton step that stays within the edges on which ξ lies; whether it used H; its slope r·dξ.
fn newton_step(domain: Domain, xi: [f64; 2], jet: &Jet, d: &Vector3<f64>) -> ([f64; 2], bool, f64) {
    let r = [d.dot(&jet.d[0]), d.dot(&jet.d[1])];
    let (h, newton) = step_matrix(jet, d);
    let step = within_edges(domain, xi, r, h, solve2(&h, &r));
    (step, newton, r[0] * step[0] + r[1] * step[1])
}

/// The step `free`, unless it leaves the domain through an edge that contains ξ: then Newton's step along
/// that edge, or a zero step in a corner.
///
/// In a corner the edge with the larger decrease is used: straight above the line of one edge, the step along
/// the other is zero up to round-off, of either sign.
fn within_edges(domain: Domain, xi: [f64; 2], r: [f64; 2], h: [f64; 3], free: [f64; 2]) -> [f64; 2] {
    let leaves = |k: usize, step: [f64; 2]| {
        let n = domain.inward(k);
        domain.touches(k, xi) && n[0] * step[0] + n[1] * step[1] < 0.0
    };
    let edges = 0..domain.n_corners();
    if !edges.clone().any(|k| leaves(k, free)) {
        return free;
    }
    // Newton's step along edge k, and its predicted decrease.
    let along = |k: usize| {
        let t = domain.edge_direction(k);
        let curvature = h[0] * t[0] * t[0] + 2.0 * h[1] * t[0] * t[1] + h[2] * t[1] * t[1];
        let slope = r[0] * t[0] + r[1] * t[1];
        let s = slope / curvature;
        (t.map(|t| s * t), s * slope)
    };
    edges
        .clone()
        .filter(|&k| domain.touches(k, xi))
        .map(|k| (k, along(k)))
        .filter(|&(k, (step, _))| !edges.clone().any(|j| j != k && leaves(j, step)))
        .max_by(|(_, a), (_, b)| a.1.total_cmp(&b.1))
        .map_or([0.0; 2], |(_, (step, _))| step)
}

/// y(ξ + dξ), y,a(ξ + dξ) to second and first order.
#[inline(always)]
pub(super) fn taylor(jet: &Jet, s: [f64; 2]) -> Jet {
    let [d11, d12, d22] = jet.dd;
    let first = [d11 * s[0] + d12 * s[1], d12 * s[0] + d22 * s[1]];
    let y = jet.y + (jet.d[0] + first[0] * 0.5) * s[0] + (jet.d[1] + first[1] * 0.5) * s[1];
    Jet { y, d: [jet.d[0] + first[0], jet.d[1] + first[1]], dd: jet.dd }
}

#[cfg(test)]
mod tests;
