//! The point of a patch, or of a box of its parameters, that is closest to a given point.
//!
//! For preparations: placing graded knots, choosing the faces of a region. Contact has its own faster
//! search.

use crate::{Multipatch, Patch};

/// A closest point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Parameters in the patch.
    pub parameters: [f64; 3],
    /// The point \[m\].
    pub point: [f64; 3],
    /// Its distance \[m\].
    pub distance: f64,
}

/// Number of the best samples whose minima are computed.
const N_STARTS: usize = 4;
/// Largest number of Newton steps; a dozen is usual.
const MAX_STEPS: usize = 60;

impl Patch {
    /// The point of the patch closest to `target`.
    pub fn closest(&self, target: [f64; 3]) -> Closest {
        self.closest_in(self.domain(), target)
    }

    /// The same within a box of parameters; an interval may be a single value, which searches a side.
    ///
    /// Samples the box, then minimises ½|x(u) − target|² from the best samples by damped Newton steps that
    /// are cut off at the box.
    pub fn closest_in(&self, bounds: [[f64; 2]; 3], target: [f64; 3]) -> Closest {
        let samples = [0, 1, 2].map(|d| self.samples(d, bounds[d]));
        let mut starts: Vec<Closest> = Vec::with_capacity(N_STARTS + 1);
        for &w in &samples[2] {
            for &v in &samples[1] {
                for &u in &samples[0] {
                    let found = self.closest_at([u, v, w], target);
                    let place = starts.partition_point(|s| s.distance <= found.distance);
                    if place < N_STARTS {
                        starts.insert(place, found);
                        starts.truncate(N_STARTS);
                    }
                }
            }
        }
        let mut best = starts[0];
        for start in starts {
            let found = self.descend(start, bounds, target);
            if found.distance < best.distance {
                best = found;
            }
        }
        best
    }

    fn closest_at(&self, parameters: [f64; 3], target: [f64; 3]) -> Closest {
        let point = self.point(parameters);
        Closest { parameters, point, distance: distance(point, target) }
    }

    /// Parameters at which a direction is sampled: the breakpoints within the bounds and points between
    /// them.
    fn samples(&self, direction: usize, [low, high]: [f64; 2]) -> Vec<f64> {
        if low == high {
            return vec![low];
        }
        let mut breaks = vec![low];
        breaks.extend(self.basis[direction].breakpoints().into_iter().filter(|&u| u > low && u < high));
        breaks.push(high);
        let parts = (8 / (breaks.len() - 1)).max(2);
        let mut samples = vec![low];
        for pair in breaks.windows(2) {
            samples.extend((1..=parts).map(|i| pair[0] + (pair[1] - pair[0]) * i as f64 / parts as f64));
        }
        samples
    }

    fn descend(&self, start: Closest, bounds: [[f64; 2]; 3], target: [f64; 3]) -> Closest {
        let mut at = start;
        let mut damping = 0.0;
        for _ in 0..MAX_STEPS {
            let map = self.derivatives(at.parameters);
            let r = [0, 1, 2].map(|c| map.point[c] - target[c]);
            let gradient = [0, 1, 2].map(|d| dot(map.first[d], r));
            let width = bounds.map(|[low, high]| high - low);
            // A direction at its bound that would leave the box is fixed.
            let free = [0, 1, 2].map(|d| {
                let [low, high] = bounds[d];
                width[d] > 0.0
                    && !(at.parameters[d] <= low && gradient[d] >= 0.0)
                    && !(at.parameters[d] >= high && gradient[d] <= 0.0)
            });
            let Some(step) = newton_step(&map, r, gradient, free, damping) else {
                damping = if damping == 0.0 { 1e-3 } else { 10.0 * damping };
                continue;
            };
            let mut next = at.parameters;
            for d in 0..3 {
                next[d] = (next[d] + step[d]).clamp(bounds[d][0], bounds[d][1]);
            }
            let moved = (0..3)
                .filter(|&d| free[d])
                .map(|d| (next[d] - at.parameters[d]).abs() / width[d])
                .fold(0.0, f64::max);
            let found = self.closest_at(next, target);
            if found.distance < at.distance {
                at = found;
                damping *= 0.1;
            } else {
                damping = if damping == 0.0 { 1e-3 } else { 10.0 * damping };
            }
            if moved < 1e-13 || at.distance == 0.0 {
                break;
            }
        }
        at
    }
}

/// −(H + damping)⁻¹ gradient over the free directions, with the full Hessian where it is positive definite.
fn newton_step(
    map: &crate::Derivatives,
    r: [f64; 3],
    gradient: [f64; 3],
    free: [bool; 3],
    damping: f64,
) -> Option<[f64; 3]> {
    let second = [[0, 3, 4], [3, 1, 5], [4, 5, 2]];
    for curvature in [1.0, 0.0] {
        let mut h = [[0.0; 3]; 3];
        let mut right = [0.0; 3];
        for i in 0..3 {
            if !free[i] {
                h[i][i] = 1.0;
                continue;
            }
            right[i] = -gradient[i];
            for j in (0..3).filter(|&j| free[j]) {
                h[i][j] = dot(map.first[i], map.first[j]) + curvature * dot(map.second[second[i][j]], r);
            }
            h[i][i] += damping * dot(map.first[i], map.first[i]);
        }
        if let Some(step) = solve_positive(h, right) {
            return Some(step);
        }
    }
    None
}

/// Cholesky solution of a 3 × 3 system, if the matrix is safely positive definite.
fn solve_positive(a: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let mut l = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let sum: f64 = a[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 1e-12 * a[i][i].abs() {
                    return None;
                }
                l[i][i] = sum.sqrt();
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    let mut x = b;
    for i in 0..3 {
        x[i] = (x[i] - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..3).rev() {
        x[i] = (x[i] - (i + 1..3).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
    }
    Some(x)
}

impl Multipatch {
    /// The patch that is closest to a point, and the closest point.
    pub fn closest(&self, target: [f64; 3]) -> (usize, Closest) {
        let mut best: Option<(usize, Closest)> = None;
        for (number, patch) in self.patches.iter().enumerate() {
            let found = patch.closest(target);
            if best.is_none_or(|(_, b)| found.distance < b.distance) {
                best = Some((number, found));
            }
        }
        best.expect("a body has at least one patch")
    }
}

/// Corners of the box around control points, which holds the patch since weights are positive.
pub(crate) fn bounding_box<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> [[f64; 3]; 2] {
    let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for point in points {
        for d in 0..3 {
            corners[0][d] = corners[0][d].min(point[d]);
            corners[1][d] = corners[1][d].max(point[d]);
        }
    }
    corners
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    dot(d, d).sqrt()
}

#[cfg(test)]
mod tests {
    use crate::testing::warped;

    #[test]
    fn the_closest_point_of_an_inner_point_is_the_point_itself() {
        let patch = warped();
        for u in [[0.2, -0.3, 0.3], [0.7, 1.1, 2.0], [0.41, 0.6, 0.6], [1.0, 2.0, 3.0]] {
            let found = patch.closest(patch.point(u));
            assert!(found.distance < 1e-13, "{u:?}: {found:?}");
            assert!((0..3).all(|d| (found.parameters[d] - u[d]).abs() < 1e-10));
        }
    }

    #[test]
    fn the_line_to_the_closest_point_is_normal_to_the_side() {
        let patch = warped();
        let mut bounds = patch.domain();
        bounds[2] = [3.0, 3.0];
        let target = [1.5, 2.4, 4.0];
        let found = patch.closest_in(bounds, target);
        let map = patch.derivatives(found.parameters);
        for d in 0..2 {
            let t = map.first[d];
            let along: f64 = (0..3).map(|c| (target[c] - map.point[c]) * t[c]).sum();
            assert!(along.abs() < 1e-10 * super::dot(t, t).sqrt(), "{along:e}");
        }
    }
}
