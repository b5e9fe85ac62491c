//! Search for sides that coincide without being glued, and their classification.

use crate::closest::bounding_box;
use crate::topology::side_points;
use crate::{GlueError, Patch, Side};

/// A side of the surface with the box around its control points.
#[derive(Clone, Copy)]
struct Outer {
    side: (u32, Side),
    corners: [[f64; 3]; 2],
}

impl Outer {
    /// True if the other side cannot lie on this one: it is too far away, or is a side of the same patch
    /// that meets this one in an edge.
    fn is_apart(&self, other: &Self, tolerance: f64) -> bool {
        let (here, there) = (self.side, other.side);
        let meet = here.0 == there.0 && (here == there || here.1.direction() != there.1.direction());
        let beyond = |a: &Self, b: &Self, d: usize| a.corners[0][d] > b.corners[1][d] + tolerance;
        meet || (0..3).any(|d| beyond(self, other, d) || beyond(other, self, d))
    }

    fn holds(&self, point: [f64; 3], tolerance: f64) -> bool {
        let [low, high] = self.corners;
        (0..3).all(|d| point[d] >= low[d] - tolerance && point[d] <= high[d] + tolerance)
    }
}

/// The search for sides of patches that lie on each other.
pub(crate) struct Touching<'a> {
    patches: &'a [Patch],
    /// Distance up to which sides touch \[m\].
    tolerance: f64,
}

impl<'a> Touching<'a> {
    pub(crate) fn new(patches: &'a [Patch], tolerance: f64) -> Self {
        Self { patches, tolerance }
    }

    /// Refuses outer sides that lie on each other.
    pub(crate) fn check(&self, outer: &[(u32, Side)]) -> Result<(), GlueError> {
        let outer: Vec<Outer> = outer.iter().map(|&side| self.outer(side)).collect();
        for first in &outer {
            for second in &outer {
                let mut inside =
                    [0.21, 0.48, 0.77].into_iter().flat_map(|a| [0.23, 0.52, 0.79].map(|b| [a, b]));
                if !first.is_apart(second, self.tolerance) && inside.any(|at| self.lies_on(first, at, second))
                {
                    return Err(self.how_they_touch(first, second));
                }
            }
        }
        Ok(())
    }

    fn outer(&self, side: (u32, Side)) -> Outer {
        let patch = &self.patches[side.0 as usize];
        let points = side_points(patch.counts(), side.1);
        Outer { side, corners: bounding_box(points.iter().map(|&i| &patch.points[i])) }
    }

    /// True if a point of the first side, given on \[0,1\]², lies on the second.
    fn lies_on(&self, first: &Outer, at: [f64; 2], second: &Outer) -> bool {
        let point = self.patches[first.side.0 as usize].side_point(first.side.1, at);
        if !second.holds(point, self.tolerance) {
            return false;
        }
        let (other, side) = (&self.patches[second.side.0 as usize], second.side.1);
        let mut bounds = other.domain();
        let end = bounds[side.direction()][usize::from(side.is_end())];
        bounds[side.direction()] = [end, end];
        other.closest_in(bounds, point).distance < self.tolerance
    }

    /// The kind of contact of two outer sides: a side whose corners all lie on the other is a part of it.
    fn how_they_touch(&self, first: &Outer, second: &Outer) -> GlueError {
        let all_corners = |side: &Outer, other: &Outer| {
            let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
            corners.into_iter().all(|at| self.lies_on(side, at, other))
        };
        let (first_on_second, second_on_first) = (all_corners(first, second), all_corners(second, first));
        let (first, second) = (first.side, second.side);
        match (first_on_second, second_on_first) {
            (true, true) => GlueError::NotMatching { first, second },
            (true, false) => GlueError::Hanging { part: first, whole: second },
            (false, true) => GlueError::Hanging { part: second, whole: first },
            (false, false) => GlueError::Overlapping { first, second },
        }
    }
}
