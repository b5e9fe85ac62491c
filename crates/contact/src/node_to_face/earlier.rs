//! Faces that a node has come through since an earlier configuration.

use nalgebra::Vector3;

use super::Limits;
use crate::geometry::{Faces, FacesNow, FootPoint, LocalFoot, Site};

/// Distance of a node from the orthogonal projection on a face, relative to the face, up to which it lies
/// behind the face and not beside it.
const ASIDE: f64 = 1e-6;

/// Depth of a node that counts as in front of a face, relative to the reach: what the solution of an earlier
/// step has left.
const SLACK: f64 = 0.02;

/// Cosine of the angle between two normals from which on two rows stop the same motion.
const SAME_WAY: f64 = 0.9;

/// The faces of the earlier configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct Earlier {
    then: Option<FacesNow>,
}

impl Earlier {
    /// Sets the positions of the points.
    pub(super) fn place(&mut self, faces: &Faces, positions: &[Vector3<f64>]) {
        self.then.get_or_insert_with(|| faces.state()).set_positions(|k| positions[k]);
    }

    /// Adds the feet on faces on whose outer side the node was and that it is behind now, unless a foot with
    /// a gap below zero has the same direction.
    ///
    /// * `near` — faces near the node
    /// * `way` — places of the node then and now
    pub(super) fn add_entered(
        &mut self,
        (faces, now): (&Faces, &mut FacesNow),
        near: &[u32],
        [before, x]: [&Vector3<f64>; 2],
        limits: &Limits,
        found: &mut Vec<LocalFoot>,
    ) {
        let Some(then) = &mut self.then else { return };
        // A node in front of the surface has come through no face; one well behind a face has its row.
        let least = SLACK * limits.reach;
        let is_behind = |f: &LocalFoot| f.foot.site == Site::Interior && f.foot.gap < -least;
        if found.iter().all(|f| f.foot.gap > least) || found.iter().any(is_behind) {
            return;
        }
        // Of faces whose edge the node is flush with it has come through one: that with the deepest gap.
        let mut flush: Option<LocalFoot> = None;
        for &face in near {
            let height = |state: &mut FacesNow, x: &Vector3<f64>| {
                let xi = faces.foot_on_face(state, face, x).foot.xi;
                let jet = faces.jet(state, face, xi);
                let normal = faces.normal(state, face, xi, &jet);
                (xi, jet, normal, (x - jet.y).dot(&normal))
            };
            // A fast node comes from farther away than the reach.
            if !(-least..=limits.depth).contains(&height(&mut *then, before).3) {
                continue;
            }
            let (xi, jet, normal, gap) = height(&mut *now, x);
            let aside = (x - jet.y - gap * normal).norm();
            let size = jet.d[0].norm() + jet.d[1].norm();
            if !(gap < 0.0 && -gap <= limits.depth && aside <= ASIDE * size) {
                continue;
            }
            let entered = LocalFoot {
                foot: FootPoint::new(face, xi, Site::Interior, false, gap, normal, &jet),
                is_continued: true,
                distance: -gap,
            };
            if faces.domain(face).site(xi) == Site::Interior {
                add_new(found, entered);
            } else if flush.is_none_or(|deepest| entered.distance > deepest.distance) {
                flush = Some(entered);
            }
        }
        if let Some(flush) = flush {
            add_new(found, flush);
        }
    }
}

/// Adds a foot unless one with a gap below zero stops the same motion.
fn add_new(found: &mut Vec<LocalFoot>, entered: LocalFoot) {
    let stops =
        |known: &LocalFoot| known.foot.gap < 0.0 && known.foot.normal.dot(&entered.foot.normal) > SAME_WAY;
    if !found.iter().any(stops) {
        found.push(entered);
    }
}
