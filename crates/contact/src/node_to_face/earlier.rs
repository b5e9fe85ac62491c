//! Faces that a node has come through since an earlier configuration.

use nalgebra::{Matrix3, Vector3};

use super::Limits;
use crate::broad;
use crate::geometry::{FLUSH, Faces, FacesNow, FootPoint, LocalFoot, Site};

/// Depth of a node that counts as in front of a face, relative to the reach: what the solution of an earlier
/// step has left.
const SLACK: f64 = 0.02;

/// Cosine of the angle between two normals from which on two rows stop the same motion.
const SAME_WAY: f64 = 0.9;

/// Newton's method for a crossing: largest number of iterations, and its accuracy in ξ.
const MAX_ITERATIONS: usize = 8;
const SMALL_STEP: f64 = 1e-9;

/// The faces of the earlier configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct Earlier {
    pub(super) then: Option<FacesNow>,
}

impl Earlier {
    /// Sets the positions of the points.
    pub(super) fn place(&mut self, faces: &Faces, positions: &[Vector3<f64>]) {
        self.then.get_or_insert_with(|| faces.state()).set_positions(|k| positions[k]);
    }

    /// Adds the feet on faces that the node has come through, unless a foot with a gap below zero has the
    /// same direction. Removes feet behind whose faces the node was already, as it was outside of the body:
    /// the nearest face is then one across an edge.
    ///
    /// * `near` — faces near the node
    /// * `way` — places of the node then and now
    pub(super) fn add_entered(
        &mut self,
        (faces, now): (&Faces, &mut FacesNow),
        near: &[u32],
        way: [&Vector3<f64>; 2],
        limits: &Limits,
        found: &mut Vec<LocalFoot>,
    ) {
        let Some(then) = &mut self.then else { return };
        let least = SLACK * limits.reach;
        // One behind a face that it was in front of has its row.
        let is_behind = |f: &LocalFoot| f.foot.site == Site::Interior && f.foot.gap < -least;
        let mut was_behind =
            |f: &LocalFoot| height(faces, then, f.foot.face, way[0]).is_some_and(|(_, h)| h < -least);
        if found.iter().any(|f| is_behind(f) && !was_behind(f)) {
            return;
        }
        // Of faces whose edge the node is flush with it has come through one: that with the deepest gap.
        let mut flush: Option<LocalFoot> = None;
        let n_found = found.len();
        for &face in near {
            let Some((entered, is_flush)) = entered([&mut *then, now], faces, face, way, (least, limits))
            else {
                continue;
            };
            if !is_flush {
                add_new(found, entered);
            } else if flush.is_none_or(|deepest| entered.distance > deepest.distance) {
                flush = Some(entered);
            }
        }
        if let Some(flush) = flush {
            add_new(found, flush);
        }
        if found.len() > n_found {
            let mut k = 0;
            found.retain(|f| {
                k += 1;
                k > n_found || !is_behind(f)
            });
        }
    }
}

/// True if the way of a node keeps away from that of a face: their boxes are apart.
fn is_apart(
    [then, now]: [&mut FacesNow; 2],
    faces: &Faces,
    face: u32,
    [before, x]: [&Vector3<f64>; 2],
) -> bool {
    let swept = broad::union(&faces.box_of(then, face), &faces.box_of(now, face));
    let aside = 2.0 * FLUSH * (swept[1] - swept[0]).norm();
    broad::separation(&swept, &[before.inf(x), before.sup(x)]) > aside
}

/// Parameters of the projection on a face continued beyond its edges, and the height over it there \[m\].
fn height(faces: &Faces, state: &mut FacesNow, face: u32, x: &Vector3<f64>) -> Option<([f64; 2], f64)> {
    // From the middle of a face with four corners or less Newton's method converges, or x is far aside.
    let start = if faces.is_linear(face) {
        faces.domain(face).center()
    } else {
        faces.foot_on_face(state, face, x).foot.xi
    };
    let xi = faces.free_foot(state, face, start, x)?;
    let jet = faces.jet(state, face, xi);
    let normal = faces.normal(state, face, xi, &jet);
    Some((xi, (x - jet.y).dot(&normal)))
}

/// The foot of a node on the continuation of a face that it has come through, and true if it came through it
/// at an edge.
fn entered(
    [then, now]: [&mut FacesNow; 2],
    faces: &Faces,
    face: u32,
    [before, x]: [&Vector3<f64>; 2],
    (least, limits): (f64, &Limits),
) -> Option<(LocalFoot, bool)> {
    if is_apart([then, now], faces, face, [before, x]) {
        return None;
    }
    let (xi, gap) = height(faces, now, face, x)?;
    if !(gap < 0.0 && -gap <= limits.depth) {
        return None;
    }
    let (xi_then, height_then) = height(faces, then, face, before)?;
    // A fast node comes from farther away than the reach.
    if !(-least..=limits.depth).contains(&height_then) {
        return None;
    }
    let crossed = if height_then > 0.0 {
        let part = height_then / (height_then - gap);
        let start = std::array::from_fn(|a| xi_then[a] + part * (xi[a] - xi_then[a]));
        crossing([then, now], faces, face, [before, x], (start, part))?
    } else {
        xi_then
    };
    let domain = faces.domain(face);
    let inside = (0..domain.n_corners()).map(|k| domain.distance(k, crossed)).fold(f64::INFINITY, f64::min);
    let jet = faces.jet(now, face, xi);
    let normal = faces.normal(now, face, xi, &jet);
    let foot = FootPoint::new(face, xi, Site::Interior, false, gap, normal, &jet);
    (inside >= -FLUSH).then_some((LocalFoot { foot, is_continued: true, distance: -gap }, inside <= FLUSH))
}

/// Parameters at which a node crosses a face, x(τ) = y(ξ, τ), if both move uniformly.
fn crossing(
    [then, now]: [&mut FacesNow; 2],
    faces: &Faces,
    face: u32,
    [before, x]: [&Vector3<f64>; 2],
    (mut xi, mut part): ([f64; 2], f64),
) -> Option<[f64; 2]> {
    for _ in 0..MAX_ITERATIONS {
        let (old, new) = (faces.jet(then, face, xi), faces.jet(now, face, xi));
        let way = |old: Vector3<f64>, new: Vector3<f64>| old + part * (new - old);
        let apart = way(*before, *x) - way(old.y, new.y);
        let tangents = [0, 1].map(|a| way(old.d[a], new.d[a]));
        let rate = (x - before) - (new.y - old.y);
        let step = Matrix3::from_columns(&[tangents[0], tangents[1], -rate]).try_inverse()? * apart;
        xi = [xi[0] + step[0], xi[1] + step[1]];
        part += step[2];
        let is_near = |x: &f64| (-1.0..=2.0).contains(x);
        // The comparison is false if the step is not a number.
        if !xi.iter().all(is_near) {
            return None;
        }
        if step[0].abs().max(step[1].abs()) < SMALL_STEP {
            return Some(xi);
        }
    }
    None
}

/// Adds a foot unless one with a gap below zero stops the same motion.
fn add_new(found: &mut Vec<LocalFoot>, entered: LocalFoot) {
    let stops =
        |known: &LocalFoot| known.foot.gap < 0.0 && known.foot.normal.dot(&entered.foot.normal) > SAME_WAY;
    if !found.iter().any(stops) {
        found.push(entered);
    }
}
