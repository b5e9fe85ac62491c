//! Generalised minimal residuals: A x = b of a general matrix with a preconditioner on its right.
//!
//! ```text
//! A P⁻¹ V_k = V_{k+1} H_k ,   x = P⁻¹ V_k y ,   y = argmin ‖ ‖b‖ e₁ − H_k y ‖
//! ```
//!
//! V is orthonormal (modified Gram-Schmidt), H is reduced to a triangle by rotations as it grows. Without
//! restarts: the basis has as many vectors as there are iterations.
//!
//! # Source
//!
//! Saad & Schultz (1986), SIAM J. Sci. Stat. Comput. 7(3), 856–869; preconditioned on the right.

/// A system of which only products are known.
pub trait Operator {
    /// y ← A x.
    fn apply(&mut self, x: &[f64], y: &mut [f64]);

    /// x ← P⁻¹ x.
    fn precondition(&mut self, x: &mut [f64]);
}

/// Memory of the method, for systems of any size.
///
/// ```
/// use carom_linalg::gmres::{Gmres, Operator};
///
/// struct Upper;
/// impl Operator for Upper {
///     fn apply(&mut self, x: &[f64], y: &mut [f64]) {
///         y.copy_from_slice(&[2.0 * x[0] + x[1], 3.0 * x[1]]);
///     }
///     fn precondition(&mut self, _: &mut [f64]) {}
/// }
/// let mut x = [4.0, 6.0];
/// assert_eq!(Gmres::default().solve(&mut Upper, &mut x, 1e-14, 10), Some(2));
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Gmres {
    basis: Vec<Vec<f64>>,
    /// Columns of H, reduced to a triangle.
    columns: Vec<Vec<f64>>,
    rotations: Vec<[f64; 2]>,
    /// ‖b‖ e₁ after the rotations.
    right: Vec<f64>,
}

impl Gmres {
    /// x ← A⁻¹ x; returns the number of iterations, or `None` if the residual is still too large after
    /// `most` iterations or is not finite. x is then undefined.
    ///
    /// * `tolerance` — of the residual relative to the right-hand side
    pub fn solve(
        &mut self,
        system: &mut impl Operator,
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Option<usize> {
        let n = x.len();
        let norm = length(x);
        if norm == 0.0 {
            return Some(0);
        }
        self.rotations.clear();
        self.right.clear();
        self.right.push(norm);
        self.vector(0, n).iter_mut().zip(&*x).for_each(|(v, x)| *v = x / norm);
        let mut done = 0;
        while self.right[done].abs() > tolerance * norm {
            if done == most {
                return None;
            }
            x.copy_from_slice(&self.basis[done]);
            system.precondition(x);
            self.vector(done + 1, n);
            system.apply(x, &mut self.basis[done + 1]);
            self.extend(done);
            done += 1;
        }
        // Not a number is not converged.
        if self.right[done].is_nan() {
            return None;
        }
        self.resolve(done);
        x.fill(0.0);
        for (y, v) in self.right[..done].iter().zip(&self.basis) {
            x.iter_mut().zip(v).for_each(|(x, v)| *x += y * v);
        }
        system.precondition(x);
        x.iter().all(|x| x.is_finite()).then_some(done)
    }

    /// Vector k of the basis, of n numbers.
    fn vector(&mut self, k: usize, n: usize) -> &mut [f64] {
        if self.basis.len() == k {
            self.basis.push(Vec::new());
        }
        self.basis[k].resize(n, 0.0);
        &mut self.basis[k]
    }

    /// Makes vector k + 1 orthonormal to those before it, and adds a column to the triangle.
    fn extend(&mut self, k: usize) {
        if self.columns.len() == k {
            self.columns.push(Vec::new());
        }
        let column = &mut self.columns[k];
        column.clear();
        let (before, rest) = self.basis.split_at_mut(k + 1);
        let new = &mut rest[0];
        for v in before.iter() {
            let part = dot(v, new);
            new.iter_mut().zip(v).for_each(|(new, v)| *new -= part * v);
            column.push(part);
        }
        let norm = length(new);
        if norm > 0.0 {
            new.iter_mut().for_each(|x| *x /= norm);
        }
        for (i, [c, s]) in self.rotations.iter().enumerate() {
            let [a, b] = [column[i], column[i + 1]];
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let radius = column[k].hypot(norm);
        let [c, s] = [column[k] / radius, norm / radius];
        column[k] = radius;
        self.rotations.push([c, s]);
        let last = self.right[k];
        self.right[k] = c * last;
        self.right.push(-s * last);
    }

    /// Replaces the first k numbers of the right-hand side by the factors of the basis.
    fn resolve(&mut self, k: usize) {
        let y = &mut self.right;
        for i in (0..k).rev() {
            for j in i + 1..k {
                y[i] -= self.columns[j][i] * y[j];
            }
            y[i] /= self.columns[i][i];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A convection matrix, and the inverse of its diagonal.
    struct Convection(usize);

    impl Operator for Convection {
        fn apply(&mut self, x: &[f64], y: &mut [f64]) {
            for i in 0..self.0 {
                let at = |k: Option<usize>| k.and_then(|k| x.get(k)).copied().unwrap_or(0.0);
                y[i] = (2.0 + i as f64) * x[i] - 1.4 * at(i.checked_sub(1)) - 0.6 * at(Some(i + 1));
            }
        }

        fn precondition(&mut self, x: &mut [f64]) {
            x.iter_mut().enumerate().for_each(|(i, x)| *x /= 2.0 + i as f64);
        }
    }

    #[test]
    fn solutions_have_the_residual_that_was_wanted() {
        let mut gmres = Gmres::default();
        for (n, tolerance) in [(50, 1e-6), (7, 1e-12), (80, 1e-12)] {
            let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let (mut x, mut back) = (right.clone(), vec![0.0; n]);
            let taken = gmres.solve(&mut Convection(n), &mut x, tolerance, n).unwrap();
            assert!(taken <= n && taken > 2, "{taken}");
            Convection(n).apply(&x, &mut back);
            let left = back.iter().zip(&right).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(left <= 2.0 * tolerance * length(&right), "{left}");
        }
    }

    #[test]
    fn too_few_iterations_and_numbers_that_are_not_finite_have_no_solution() {
        let mut x = vec![1.0; 60];
        assert_eq!(Gmres::default().solve(&mut Convection(60), &mut x, 1e-12, 3), None);
        let mut x = vec![f64::NAN; 4];
        assert_eq!(Gmres::default().solve(&mut Convection(4), &mut x, 1e-12, 30), None);
        let mut x = vec![0.0; 4];
        assert_eq!(Gmres::default().solve(&mut Convection(4), &mut x, 1e-12, 30), Some(0));
    }
}
