//! Points that coincide within a tolerance.

use std::collections::HashMap;

/// A hash grid of points: finds a known point near a new one in constant time.
#[derive(Debug, Clone)]
pub(crate) struct PointGrid {
    tolerance: f64,
    spacing: f64,
    cells: HashMap<[i64; 3], Vec<(u32, [f64; 3])>>,
}

impl PointGrid {
    /// An empty grid. Points closer than `tolerance` \[m\] coincide; a tolerance of zero finds only equal
    /// points.
    pub(crate) fn new(tolerance: f64) -> Self {
        // Grid cells are much larger than the tolerance: a search rarely visits more than one.
        let spacing = if tolerance > 0.0 { 64.0 * tolerance } else { f64::MIN_POSITIVE };
        Self { tolerance, spacing, cells: HashMap::new() }
    }

    /// The number of the nearest inserted point within the tolerance of `x`.
    pub(crate) fn find(&self, x: [f64; 3]) -> Option<u32> {
        let low = x.map(|c| self.cell(c - self.tolerance));
        let high = x.map(|c| self.cell(c + self.tolerance));
        let mut best: Option<(f64, u32)> = None;
        for i in low[0]..=high[0] {
            for j in low[1]..=high[1] {
                for k in low[2]..=high[2] {
                    for (number, y) in self.cells.get(&[i, j, k]).into_iter().flatten() {
                        let distance = crate::sets::distance(x, *y);
                        if distance <= self.tolerance && best.is_none_or(|(d, _)| distance < d) {
                            best = Some((distance, *number));
                        }
                    }
                }
            }
        }
        best.map(|(_, number)| number)
    }

    /// Adds a point.
    pub(crate) fn insert(&mut self, number: u32, x: [f64; 3]) {
        self.cells.entry(x.map(|c| self.cell(c))).or_default().push((number, x));
    }

    fn cell(&self, c: f64) -> i64 {
        // The conversion saturates for absurd coordinates; many points then share a grid cell.
        (c / self.spacing).floor() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_points_are_found_across_the_borders_of_grid_cells() {
        let mut grid = PointGrid::new(1e-3);
        for k in 0..100 {
            grid.insert(k, [f64::from(k) * 0.032, 0.0, -0.064]);
        }
        for k in 0..100 {
            let x = f64::from(k) * 0.032;
            for shift in [-9e-4, 0.0, 9e-4] {
                assert_eq!(grid.find([x + shift, -1e-4, -0.064]), Some(k));
            }
            assert_eq!(grid.find([x + 2e-3, 0.0, -0.064]), None);
        }
    }
}
