//! Displacement of second order of points on a body with modes: where it bends, it becomes shorter.
//!
//! ```text
//! u = φ q − ½ Σ_kl z_k z_l w_kl ,     z = Bᵀ q
//! ```
//!
//! docs/theory/stiffening.md, eq. (132), with the motions B of the body that stiffen it under forces. A force
//! f on the points then does the work of its geometric stiffness K_kl = fᵀ w_kl: forces on modes are
//! derivatives of the same displacement, so that energy is kept.

use std::sync::Arc;

use faer::Mat;
use nalgebra::Vector3;

/// Displacement of second order of points.
#[derive(Debug, Clone)]
pub struct Foreshortening {
    /// B, modes × motions.
    basis: Arc<Mat<f64>>,
    /// w: three rows for each point, one column for each pair k ≤ l of motions, those of the first motion
    /// first.
    values: Mat<f64>,
}

impl Foreshortening {
    /// * `basis` — B, modes × motions
    /// * `values` — w, 3 rows for each point, pairs of motions
    ///
    /// # Panics
    ///
    /// If there are not as many columns as pairs k ≤ l of motions.
    pub fn new(basis: Arc<Mat<f64>>, values: Mat<f64>) -> Self {
        let n = basis.ncols();
        assert_eq!(values.ncols(), n * (n + 1) / 2, "one column for each pair of motions");
        Self { basis, values }
    }

    /// Of other points of the same body.
    ///
    /// * `map` — from the values at these points to those at the others, row by row of the same column
    #[must_use]
    pub fn at(&self, map: impl FnOnce(&Mat<f64>) -> Mat<f64>) -> Self {
        Self { basis: Arc::clone(&self.basis), values: map(&self.values) }
    }

    /// z_k.
    fn motion(&self, k: usize, q: &[f64]) -> f64 {
        self.basis.col_as_slice(k).iter().zip(q).map(|(b, q)| b * q).sum()
    }

    /// Calls `visit` with the number of each pair k ≤ l and its motions.
    fn for_pairs(&self, mut visit: impl FnMut(usize, [usize; 2])) {
        let n = self.basis.ncols();
        let pairs = (0..n).flat_map(|k| (k..n).map(move |l| [k, l]));
        pairs.enumerate().for_each(|(number, pair)| visit(number, pair));
    }

    /// Adds −½ Σ z_k z_l w_kl \[m\].
    ///
    /// * `q` — coordinates of the first modes
    /// * `at_points` — three numbers for each point
    pub fn add_displacement(&self, q: &[f64], at_points: &mut [f64]) {
        self.for_pairs(|pair, [k, l]| {
            let share = if k == l { -0.5 } else { -1.0 };
            self.add_column(pair, share * self.motion(k, q) * self.motion(l, q), at_points);
        });
    }

    /// Adds its rate \[m/s\].
    pub fn add_rate(&self, q: &[f64], rate: &[f64], at_points: &mut [f64]) {
        self.for_pairs(|pair, [k, l]| {
            let share = if k == l { -0.5 } else { -1.0 };
            let change = self.motion(k, rate) * self.motion(l, q) + self.motion(k, q) * self.motion(l, rate);
            self.add_column(pair, share * change, at_points);
        });
    }

    /// Displacement of one point \[m\].
    pub fn displacement_of(&self, point: usize, q: &[f64]) -> Vector3<f64> {
        self.of_point(point, |[k, l]| self.motion(k, q) * self.motion(l, q))
    }

    /// Its rate \[m/s\].
    pub fn rate_of(&self, point: usize, q: &[f64], rate: &[f64]) -> Vector3<f64> {
        let product = |k: usize, l: usize| self.motion(k, rate) * self.motion(l, q);
        self.of_point(point, |[k, l]| product(k, l) + product(l, k))
    }

    fn of_point(&self, point: usize, product: impl Fn([usize; 2]) -> f64) -> Vector3<f64> {
        let mut sum = Vector3::zeros();
        self.for_pairs(|pair, [k, l]| {
            let factor = if k == l { -0.5 } else { -1.0 } * product([k, l]);
            sum += Vector3::from_fn(|a, _| factor * self.values[(3 * point + a, pair)]);
        });
        sum
    }

    fn add_column(&self, pair: usize, factor: f64, at_points: &mut [f64]) {
        if factor != 0.0 {
            let column = self.values.col_as_slice(pair);
            at_points.iter_mut().zip(column).for_each(|(x, w)| *x += factor * w);
        }
    }

    /// Adds the forces on modes of forces on points, −Σ_kl fᵀ w_kl z_l B_k.
    ///
    /// * `forces` — number of a point, and the force on it \[N\]
    pub fn add_forces<F>(&self, q: &[f64], forces: impl Fn() -> F, generalised: &mut [f64])
    where
        F: Iterator<Item = (usize, [f64; 3])>,
    {
        self.for_pairs(|pair, [k, l]| {
            let column = self.values.col_as_slice(pair).as_chunks::<3>().0;
            let of_point =
                |(point, f): (usize, [f64; 3])| (0..3).map(|a| column[point][a] * f[a]).sum::<f64>();
            let work: f64 = forces().map(of_point).sum();
            if work == 0.0 {
                return;
            }
            let share = if k == l { -0.5 } else { -1.0 };
            let of_motions = [share * work * self.motion(l, q), share * work * self.motion(k, q)];
            for (motion, factor) in [k, l].into_iter().zip(of_motions) {
                let column = self.basis.col_as_slice(motion);
                generalised.iter_mut().zip(column).for_each(|(target, b)| *target += factor * b);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two points of a body with three modes and two motions.
    fn example() -> Foreshortening {
        let basis = Mat::from_fn(3, 2, |i, k| 1.0 + 0.3 * i as f64 - 0.7 * k as f64);
        Foreshortening::new(Arc::new(basis), Mat::from_fn(6, 3, |i, k| (1.0 + i as f64).sin() + k as f64))
    }

    const Q: [f64; 3] = [0.2, -0.5, 0.9];
    const V: [f64; 3] = [1.1, 0.4, -0.3];

    fn displacement(q: &[f64]) -> [f64; 6] {
        let mut u = [0.0; 6];
        example().add_displacement(q, &mut u);
        u
    }

    /// The displacement is a polynomial of the second degree: central differences are exact.
    #[test]
    fn the_rate_is_the_derivative_of_the_displacement() {
        let [before, after] = [-0.5, 0.5].map(|h| displacement(&[0, 1, 2].map(|k| Q[k] + h * V[k])));
        let mut rate = [0.0; 6];
        example().add_rate(&Q, &V, &mut rate);
        for i in 0..6 {
            assert!((rate[i] - (after[i] - before[i])).abs() < 1e-14, "{rate:?} {before:?} {after:?}");
        }
    }

    #[test]
    fn forces_on_modes_have_the_power_of_the_forces_on_points() {
        let forces = [(0, [1.0, -2.0, 0.5]), (1, [0.3, 0.7, -1.5])];
        let (mut rate, mut modal) = ([0.0; 6], [0.0; 3]);
        example().add_rate(&Q, &V, &mut rate);
        example().add_forces(&Q, || forces.into_iter(), &mut modal);
        let of_points: f64 =
            forces.iter().flat_map(|(i, f)| (0..3).map(|a| f[a] * rate[3 * i + a]).collect::<Vec<_>>()).sum();
        let of_modes: f64 = modal.iter().zip(V).map(|(f, v)| f * v).sum();
        assert!((of_points - of_modes).abs() < 1e-14, "{of_points} {of_modes}");
    }
}
