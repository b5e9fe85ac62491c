//! Selection of the foot points of one node that are contacts.

use nalgebra::Vector3;

use super::Limits;
use crate::broad;
use crate::geometry::{Faces, FacesNow, LocalFoot};
use crate::shape::Shape;

/// Distance between two foot points below which they are equal, relative to their distance from the node or
/// to the size of a face.
const SAME_PLACE: f64 = 1e-9;
/// Sine of the angle between the normals of one foot point on two faces, below which they are equal.
const SAME_NORMAL: f64 = 1e-6;

/// The foot points of a node, ordered by face.
#[derive(Debug, Clone, Default)]
pub(super) struct Feet {
    pub(super) found: Vec<LocalFoot>,
}

impl Feet {
    /// Foot points on a shape without faces: one on each of its sheets.
    pub(super) fn on_shape(&mut self, shape: &Shape, x: &Vector3<f64>, limits: &Limits) {
        self.found.clear();
        for foot in (0..shape.sheets()).filter_map(|sheet| shape.closest(sheet, x)) {
            if foot.gap <= limits.reach && -foot.gap <= limits.depth {
                self.found.push(LocalFoot { foot, is_continued: false, distance: foot.gap.abs() });
            }
        }
    }

    /// Foot points on the faces near a node, before [`Feet::select`].
    ///
    /// * `is_sheet` — true for a face with two sides
    pub(super) fn on_faces(
        &mut self,
        (faces, now): (&Faces, &mut FacesNow),
        is_sheet: impl Fn(u32) -> bool,
        candidates: &[u32],
        x: &Vector3<f64>,
        limits: &Limits,
    ) {
        self.found.clear();
        let radius = limits.reach.max(limits.depth);
        let mut nearest: Option<LocalFoot> = None;
        for &face in candidates {
            if broad::distance_squared(&faces.box_of(now, face), x) > radius * radius {
                continue;
            }
            if is_sheet(face) {
                let found = faces.sheet_foot(now, face, x).filter(|found| found.distance <= radius);
                self.found.extend(found.filter(|found| !self.is_known(found)));
            } else if let Some(found) = faces.local_foot(now, face, x) {
                if found.distance <= radius && !self.is_known(&found) {
                    self.found.push(found);
                }
            } else if self.found.is_empty() {
                let alone = faces.foot_on_face(now, face, x);
                if alone.distance <= radius && nearest.is_none_or(|known| alone.distance < known.distance) {
                    nearest = Some(alone);
                }
            }
        }
        if self.found.is_empty() {
            // By round-off each of two faces may exclude a point as nearer to the other.
            self.found.extend(nearest);
        }
    }

    /// Keeps the foot points that are contacts.
    pub(super) fn select(&mut self, limits: &Limits) {
        self.drop_hidden();
        self.found.retain(|found| found.foot.gap <= limits.reach && -found.foot.gap <= limits.depth);
    }

    /// True if a foot point on the common edge of two faces has been found on the other face.
    fn is_known(&self, found: &LocalFoot) -> bool {
        let (foot, size) = (&found.foot, found.foot.tangents[0].norm() + found.foot.tangents[1].norm());
        self.found.iter().any(|known| {
            (known.foot.position - foot.position).norm() <= SAME_PLACE * (size + found.distance)
                && known.foot.normal.cross(&foot.normal).norm() <= SAME_NORMAL
                && known.foot.normal.dot(&foot.normal) > 0.0
        })
    }

    /// Removes faces that the node is behind without having penetrated them: other sides of a body, or the
    /// far side of a thin one. These lie behind a nearer face.
    fn drop_hidden(&mut self) {
        let mut k = 0;
        while k < self.found.len() {
            if self.is_hidden(&self.found[k]) {
                self.found.remove(k);
            } else {
                k += 1;
            }
        }
    }

    fn is_hidden(&self, found: &LocalFoot) -> bool {
        if found.foot.gap >= 0.0 || found.is_continued {
            return false;
        }
        self.found.iter().any(|other| {
            let from = found.foot.position - other.foot.position;
            !other.is_continued
                && other.distance < found.distance
                && from.dot(&other.foot.normal) < -SAME_PLACE * found.distance
        })
    }
}
