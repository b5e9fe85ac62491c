//! Values of modes at the points of a body.

use faer::Mat;

/// Values of the modes at points: rows 3 i + a, column k is component a of mode k at the i-th listed point.
#[derive(Debug, Clone)]
pub struct Modes {
    /// Numbers of the body's points, ascending.
    pub points: Vec<u32>,
    /// Their reference positions in the body frame \[m\].
    pub positions_b: Vec<[f64; 3]>,
    /// Mode values, 3 n_points × n_modes \[1/√kg for mass-normalised modes\].
    pub values: Mat<f64>,
}

impl Modes {
    /// The same modes at some of the points.
    ///
    /// * `points` — ascending; those that the modes do not have are left out
    #[must_use]
    pub fn at(&self, points: &[u32]) -> Self {
        let rows: Vec<usize> = points.iter().filter_map(|p| self.points.binary_search(p).ok()).collect();
        Self {
            points: rows.iter().map(|&row| self.points[row]).collect(),
            positions_b: rows.iter().map(|&row| self.positions_b[row]).collect(),
            values: Mat::from_fn(3 * rows.len(), self.values.ncols(), |i, k| {
                self.values[(3 * rows[i / 3] + i % 3, k)]
            }),
        }
    }

    /// Displacement of all points of a body, Σ_k q_k φ_k \[m\]; zero at points that the modes do not have.
    ///
    /// * `modal` — coordinates of the first modes; those that are left out count as zero
    /// * `n_points` — number of points of the body, above every number in `points`
    pub fn displacement(&self, modal: &[f64], n_points: usize) -> Vec<[f64; 3]> {
        let mut displacement = vec![[0.0; 3]; n_points];
        for (k, &q) in modal.iter().enumerate().take(self.values.ncols()) {
            if q == 0.0 {
                continue;
            }
            let column = self.values.col(k);
            for (i, &point) in self.points.iter().enumerate() {
                for (a, u) in displacement[point as usize].iter_mut().enumerate() {
                    *u += q * column[3 * i + a];
                }
            }
        }
        displacement
    }

    /// The same modes with other numbers of their points, in ascending order of these.
    ///
    /// * `numbers` — the new number of each point
    #[must_use]
    pub fn renumbered(&self, numbers: &[u32]) -> Self {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by_key(|&i| numbers[i]);
        Self {
            points: order.iter().map(|&i| numbers[i]).collect(),
            positions_b: order.iter().map(|&i| self.positions_b[i]).collect(),
            values: Mat::from_fn(self.values.nrows(), self.values.ncols(), |row, k| {
                self.values[(3 * order[row / 3] + row % 3, k)]
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points, numbers 1 and 4, in two modes: component a of point i in mode k is 100 k + 10 i + a.
    fn modes() -> Modes {
        Modes {
            points: vec![1, 4],
            positions_b: vec![[1.0; 3], [4.0; 3]],
            values: Mat::from_fn(6, 2, |row, k| (100 * k + 10 * (row / 3) + row % 3) as f64),
        }
    }

    #[test]
    fn a_displacement_is_a_sum_over_the_modes_and_zero_elsewhere() {
        let found = modes().displacement(&[2.0, 1.0], 5);
        assert_eq!(found[1], [100.0, 103.0, 106.0]);
        assert_eq!(found[4], [130.0, 133.0, 136.0]);
        assert_eq!((found[0], found[2]), ([0.0; 3], [0.0; 3]));
        assert_eq!(modes().displacement(&[2.0], 5)[4], [20.0, 22.0, 24.0]);
    }

    #[test]
    fn new_numbers_keep_each_point_with_its_values() {
        let found = modes().renumbered(&[7, 3]);
        assert_eq!(found.points, [3, 7]);
        assert_eq!(found.positions_b, [[4.0; 3], [1.0; 3]]);
        assert_eq!([found.values[(1, 1)], found.values[(4, 1)]], [111.0, 101.0]);
    }
}
