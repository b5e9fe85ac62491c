//! Sides that lie on each other without being glued: found, and told apart.

use crate::closest::bounding_box;
use crate::topology::side_points;
use crate::{GlueError, Multipatch, Side};

/// A side of a body.
type PatchSide = (u32, Side);

impl Multipatch {
    /// Refuses outer sides that lie on each other.
    pub(crate) fn check_touching(&self, outer: &[PatchSide], tolerance: f64) -> Result<(), GlueError> {
        let boxes: Vec<_> = outer.iter().map(|&side| self.side_box(side)).collect();
        for (i, &first) in outer.iter().enumerate() {
            for (j, &second) in outer.iter().enumerate() {
                // Sides of one patch that meet in an edge cannot lie on each other unless it folds.
                let neighbours =
                    first.0 == second.0 && (i == j || first.1.direction() != second.1.direction());
                let apart = neighbours
                    || (0..3).any(|d| {
                        boxes[i][0][d] > boxes[j][1][d] + tolerance
                            || boxes[j][0][d] > boxes[i][1][d] + tolerance
                    });
                let inside = [0.21, 0.48, 0.77].into_iter().flat_map(|a| [0.23, 0.52, 0.79].map(|b| [a, b]));
                if !apart && inside.into_iter().any(|at| self.lies_on(first, at, second, tolerance)) {
                    return Err(self.how_they_touch(first, second, tolerance));
                }
            }
        }
        Ok(())
    }

    fn side_box(&self, (patch, side): PatchSide) -> [[f64; 3]; 2] {
        let patch = &self.patches[patch as usize];
        bounding_box(side_points(patch.counts(), side).iter().map(|&i| &patch.points[i]))
    }

    /// Whether a place of the first side, given on \[0,1\]², lies on the second.
    fn lies_on(&self, first: PatchSide, at: [f64; 2], second: PatchSide, tolerance: f64) -> bool {
        let (patch, other) = (&self.patches[first.0 as usize], &self.patches[second.0 as usize]);
        let point = patch.side_point(first.1, at);
        let [low, high] = self.side_box(second);
        if (0..3).any(|d| point[d] < low[d] - tolerance || point[d] > high[d] + tolerance) {
            return false;
        }
        let mut bounds = other.domain();
        let end = bounds[second.1.direction()][usize::from(second.1.is_end())];
        bounds[second.1.direction()] = [end, end];
        other.closest_in(bounds, point).distance < tolerance
    }

    /// What is wrong with two outer sides that touch: one whose corners all lie on the other is a part of it.
    fn how_they_touch(&self, first: PatchSide, second: PatchSide, tolerance: f64) -> GlueError {
        let corners = |side: PatchSide, other: PatchSide| {
            (0..4)
                .filter(|&c| self.lies_on(side, [f64::from(c % 2), f64::from(c / 2)], other, tolerance))
                .count()
        };
        match (corners(first, second), corners(second, first)) {
            (4, 4) => GlueError::NotMatching { first, second },
            (4, _) => GlueError::Hanging { part: first, whole: second },
            (_, 4) => GlueError::Hanging { part: second, whole: first },
            _ => GlueError::Overlapping { first, second },
        }
    }
}
