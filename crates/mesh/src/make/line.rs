//! Subdividing a parameter line, uniformly or graded towards points on it.

use super::MakeError;

/// Largest number of cells along one line: a larger number is probably a wrong unit.
const MAX_CELLS: usize = 20_000;

/// A requested cell size around one parameter of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Focus {
    /// The parameter, in \[0,1\].
    pub(super) at: f64,
    /// Size of the cells at the parameter, as a part of the line.
    pub(super) finest: f64,
    /// Distance on either side with this cell size, as a part of the line.
    pub(super) zone: f64,
    /// Largest ratio of the sizes of neighbouring cells, > 1.
    pub(super) growth: f64,
}

impl Focus {
    /// Cell size at `t`: constant in the zone, then growing linearly with slope ln(growth), so that the sizes
    /// form a geometric series.
    fn size(&self, t: f64) -> f64 {
        self.finest + self.growth.ln() * ((t - self.at).abs() - self.zone).max(0.0)
    }

    /// ∫ dt / size over a distance from the focus: the number of cells there.
    fn cells_within(&self, distance: f64) -> f64 {
        let inner = distance.min(self.zone);
        let outer = distance - inner;
        let slope = self.growth.ln();
        inner / self.finest + (1.0 + slope * outer / self.finest).ln() / slope
    }
}

/// Points 0 = t₀ < t₁ < … = 1 with cells of at most 1/`n_uniform`, smaller near the foci.
///
/// Between the ends and the foci the number of cells is ∫ dt/h, rounded up; h is the smallest size that
/// applies at t. Cells have equal parts of that integral: neighbours then differ at most by the growth.
pub(super) fn subdivide(n_uniform: usize, foci: &[Focus]) -> Result<Vec<f64>, MakeError> {
    let coarsest = 1.0 / n_uniform as f64;
    let mut stops: Vec<f64> = vec![0.0, 1.0];
    for focus in foci {
        // A focus very close to an end or another focus would cause a sliver.
        let at = focus.at.clamp(0.0, 1.0);
        if stops.iter().all(|stop| (stop - at).abs() > 0.5 * focus.finest) {
            stops.push(at);
        }
    }
    stops.sort_by(f64::total_cmp);
    let mut points = vec![0.0];
    for piece in stops.windows(2) {
        subdivide_piece([piece[0], piece[1]], coarsest, foci, &mut points)?;
    }
    Ok(points)
}

/// Appends the points of (a, b].
fn subdivide_piece(
    [a, b]: [f64; 2],
    coarsest: f64,
    foci: &[Focus],
    points: &mut Vec<f64>,
) -> Result<(), MakeError> {
    let size = |t: f64| foci.iter().map(|focus| focus.size(t)).fold(coarsest, f64::min);
    // Exact for one focus; for several foci an upper bound, which only makes the sampling denser.
    let bound: f64 = foci.iter().map(|f| f.cells_within((a - f.at).abs().max((b - f.at).abs()))).sum();
    let bound = bound + (b - a) / coarsest;
    if bound.is_nan() || bound >= MAX_CELLS as f64 {
        return Err(MakeError::TooManyCells { count: bound, most: MAX_CELLS });
    }
    // The integral of 1/h by steps that follow h: 32 trapezia a cell are exact to 1e-4 of a cell.
    let (mut t, mut sum) = (a, 0.0);
    let mut samples = vec![(a, 0.0)];
    while t < b {
        let step = size(t) / 32.0;
        let next = if t + step < b - 0.5 * step { t + step } else { b };
        sum += 0.5 * (next - t) * (1.0 / size(t) + 1.0 / size(next));
        samples.push((next, sum));
        t = next;
    }
    // Rounded up, with an allowance for rounding errors of the sum.
    let n = ((sum - 1e-3).ceil() as usize).max(1);
    let mut i = 0;
    for k in 1..n {
        let wanted = sum * k as f64 / n as f64;
        while samples[i + 1].1 < wanted {
            i += 1;
        }
        let ((t0, s0), (t1, s1)) = (samples[i], samples[i + 1]);
        points.push(t0 + (t1 - t0) * (wanted - s0) / (s1 - s0));
    }
    points.push(b);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(points: &[f64]) -> Vec<f64> {
        points.windows(2).map(|p| p[1] - p[0]).collect()
    }

    #[test]
    fn without_a_focus_cells_are_equal() {
        for n in [1, 2, 3, 7, 100] {
            let points = subdivide(n, &[]).unwrap();
            assert_eq!(points.len(), n + 1);
            for (k, t) in points.iter().enumerate() {
                assert!((t - k as f64 / n as f64).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn cells_are_fine_in_the_zone_and_grow_by_the_ratio_at_most() {
        for (at, growth) in [(0.5, 2.0), (1.0, 1.5), (0.31, 2.0)] {
            let focus = Focus { at, finest: 0.002, zone: 0.02, growth };
            let points = subdivide(6, &[focus]).unwrap();
            assert!(points.iter().any(|t| (t - at).abs() < 1e-14), "the focus is a node");
            assert_eq!(*points.last().unwrap(), 1.0);
            let sizes = sizes(&points);
            for (k, size) in sizes.iter().enumerate() {
                let middle = 0.5 * (points[k] + points[k + 1]);
                assert!(*size <= 1.0 / 6.0 + 1e-12);
                if (middle - at).abs() < 0.02 {
                    assert!(*size < 0.002 * 1.01 && *size > 0.001, "{size}");
                }
            }
            for pair in sizes.windows(2) {
                let ratio = (pair[1] / pair[0]).max(pair[0] / pair[1]);
                assert!(ratio <= growth * 1.001, "{ratio} at {at}");
            }
        }
    }

    #[test]
    fn a_tiny_size_is_refused_instead_of_filling_the_memory() {
        let focus = Focus { at: 0.5, finest: 1e-9, zone: 0.1, growth: 2.0 };
        assert!(matches!(subdivide(2, &[focus]), Err(MakeError::TooManyCells { .. })));
    }
}
