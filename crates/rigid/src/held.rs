//! Points flush with the rim of a face: the face that a point touches.
//!
//! A point may lie on the edge of two faces, or deeper behind the face through which it came than behind
//! the adjacent one. Then the nearest face is not the one that it touches. The motion of the step decides:
//! a point that was outside has passed through the face in front of which it was. It is held by this face
//! until it has left it.

use nalgebra::Vector3;

use crate::pair::{Ball, Pair};
use crate::search::Relative;
use crate::surface::Surface;

/// The plane of the face that holds a point, frame of the body with the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held {
    /// Out of the surface.
    pub(crate) normal: Vector3<f64>,
    /// Distance of the plane from the origin along the normal \[m\].
    pub(crate) offset: f64,
}

/// Cosine of the angle between two normals below which they belong to different faces.
const OTHER_FACE: f64 = 0.5;

impl Held {
    /// Numbers in [`Held::to_array`].
    pub(crate) const NUMBERS: usize = 4;

    /// The plane through the surface point below a ball, from its gap and normal.
    fn below(ball: &Ball, (gap, normal): (f64, Vector3<f64>)) -> Self {
        Self { normal, offset: normal.dot(&ball.center) - ball.radius - gap }
    }

    /// Gap of a ball from the plane \[m\].
    pub(crate) fn gap(&self, ball: &Ball) -> f64 {
        self.normal.dot(&ball.center) - ball.radius - self.offset
    }

    /// All numbers, for checkpoints; zeros without a face.
    pub(crate) fn to_array(held: Option<Self>) -> [f64; Self::NUMBERS] {
        held.map_or([0.0; Self::NUMBERS], |h| [h.normal.x, h.normal.y, h.normal.z, h.offset])
    }

    /// The inverse of [`Held::to_array`].
    pub(crate) fn from_array(&[x, y, z, offset]: &[f64; Self::NUMBERS]) -> Option<Self> {
        let normal = Vector3::new(x, y, z);
        (normal != Vector3::zeros()).then_some(Self { normal, offset })
    }
}

impl Pair {
    /// Gap and normal of a point and a sheet: of the face that holds the point, otherwise of the nearest
    /// face.
    #[inline]
    pub(crate) fn gap(&mut self, slot: usize, ball: &Ball) -> (f64, Vector3<f64>) {
        let sheets = self.surface.shape.sheets();
        let nearest = |surface: &mut Surface| surface.gap(slot % sheets, ball);
        match self.held[slot / sheets] {
            None => nearest(&mut self.surface),
            Some(held) if self.blocks.is_some() => (held.gap(ball), held.normal),
            Some(held) => self.surface.facing(ball, &held).unwrap_or_else(|| nearest(&mut self.surface)),
        }
    }

    /// The same at the end of a step. The holding face is determined when the point has reached the
    /// surface, and released when the point has left it.
    ///
    /// * `start` — the point at the start of the step
    pub(crate) fn gap_at_end(
        &mut self,
        slot: usize,
        there: &Ball,
        start: impl FnOnce(&mut Self) -> Ball,
    ) -> f64 {
        let (gap, normal) = self.gap(slot, there);
        if !self.surface.shape.has_rims() {
            return gap;
        }
        let flush = self.surface.flush();
        if gap > flush {
            self.held[slot] = None;
            return gap;
        }
        if let Some(held) = self.held[slot] {
            if self.surface.facing(there, &held).is_some() {
                return gap;
            }
            self.held[slot] = None;
        }
        let ball = start(self);
        let before = self.surface.gap(0, &ball);
        let came_through_other = before.0 > -flush && before.1.dot(&normal) < OTHER_FACE;
        if !came_through_other {
            return gap;
        }
        match self.surface.facing(there, &Held::below(&ball, before)) {
            Some(found) if found.0 <= flush => {
                self.held[slot] = Some(Held::below(there, found));
                found.0
            }
            _ => gap,
        }
    }

    /// Points on the rim of a face at the start are held by the touching face that faces the centre of mass
    /// of their body most directly.
    pub(crate) fn hold_at_start(&mut self, start: &Relative) {
        if !self.surface.shape.has_rims() || self.blocks.is_some() {
            return;
        }
        let (center, flush) = (start.place(&Vector3::zeros()), self.surface.flush());
        for slot in 0..self.points.len() {
            let ball = start.ball(&self.points[slot], &self.surface);
            let nearest = self.surface.gap(0, &ball);
            let Some(up) = (center - ball.center).try_normalize(0.0) else { continue };
            let is_corner = ball.edges != [Vector3::zeros(); 3];
            if nearest.0.abs() > flush || is_corner {
                continue;
            }
            let mut best = nearest;
            for towards in self.surface.faces_at(&ball, &up) {
                let found = self.surface.facing(&ball, &Held::below(&ball, (0.0, towards)));
                if let Some(found) =
                    found.filter(|found| found.0.abs() <= flush && found.1.dot(&up) > best.1.dot(&up))
                {
                    best = found;
                }
            }
            if best.1.dot(&nearest.1) < OTHER_FACE {
                self.held[slot] = Some(Held::below(&ball, best));
            }
        }
    }
}
