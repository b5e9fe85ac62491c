//! Overlap of the surfaces without force: corners of cells that lie inside the other body.

use nalgebra::Vector3;

use super::super::corners::Corner;
use super::super::pair::Pairs;
use super::Gaps;
use super::memory::GapMemory;
use crate::shape::Shape;

impl Gaps {
    /// Depth of a corner inside the other body \[m\]; negative outside, and where the surface faces away from
    /// that body.
    pub(in super::super) fn corner_depth(
        &mut self,
        (k, corner): (usize, &Corner),
        pairs: &Pairs,
        memory: &GapMemory,
    ) -> f64 {
        let (pair, geometry) = (pairs.get(k), &mut self.pairs[k]);
        let points = pair.cells.points(corner.cell).iter().zip(&corner.values);
        let x: Vector3<f64> = points.map(|(&k, r)| geometry.first_in_2[k as usize] * *r).sum();
        let foot = match &pairs.second(k).shape {
            Shape::Faces(faces) => geometry.second.as_mut().and_then(|now| {
                if memory.cells[pair.cell_offset + corner.cell].has_feet {
                    let first = pair.feet(corner.cell).start;
                    Some(faces.project(now, &x, memory.feet[first + corner.nearest]))
                } else {
                    faces.closest(now, &x)
                }
            }),
            shape => shape.closest(0, &x),
        };
        let Some(foot) = foot.filter(|foot| !foot.beyond_rim && -foot.gap <= pair.max_depth) else {
            return f64::NEG_INFINITY;
        };
        let outward = geometry.outward(pair, corner.cell);
        if outward.dot(&foot.normal) < 0.0 { -foot.gap } else { f64::NEG_INFINITY }
    }
}
