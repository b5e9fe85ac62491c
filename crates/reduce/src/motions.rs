//! Rigid motions of a body that its supports leave free.

use nalgebra::{Matrix6, Vector3, Vector6};

/// Rigid motions u = t + θ × (x − c) with small rotations that the supports of a body permit.
///
/// A motion is stored as (t, ℓθ) with a length ℓ of the body, so that all six numbers are lengths.
#[derive(Debug, Clone)]
pub struct RigidMotions {
    center: Vector3<f64>,
    length: f64,
    modes: Vec<Vector6<f64>>,
}

/// Eigenvalues of the supports' matrix below this fraction of the largest count as free motions.
const FREE: f64 = 1e-12;

impl RigidMotions {
    /// The motions of points with zero displacement of every held component.
    ///
    /// ```text
    /// Σ_held r rᵀ m = 0,    r = ∂(component)/∂(t, ℓθ)
    /// ```
    ///
    /// * `held` — the held components of each point
    pub fn left_by(points: &[[f64; 3]], held: &[[bool; 3]]) -> Self {
        let center = points.iter().map(|&x| Vector3::from(x)).sum::<Vector3<f64>>() / points.len() as f64;
        let length = points.iter().map(|&x| (Vector3::from(x) - center).norm()).fold(0.0, f64::max);
        let length = if length > 0.0 { length } else { 1.0 };
        let all = Self { center, length, modes: Vec::new() };
        let mut gram = Matrix6::zeros();
        for (x, held) in points.iter().zip(held) {
            for component in (0..3).filter(|&d| held[d]) {
                let row = all.row(x, component);
                gram += row * row.transpose();
            }
        }
        let eigen = gram.symmetric_eigen();
        let limit = FREE * eigen.eigenvalues.max();
        let mut free: Vec<usize> = (0..6).filter(|&k| eigen.eigenvalues[k] <= limit).collect();
        free.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let modes = free.into_iter().map(|k| eigen.eigenvectors.column(k).into_owned()).collect();
        Self { modes, ..all }
    }

    /// Number of motions.
    pub fn len(&self) -> usize {
        self.modes.len()
    }

    /// True if the supports hold the body.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty()
    }

    /// Derivatives of a displacement component of the point x by (t, ℓθ).
    fn row(&self, x: &[f64; 3], component: usize) -> Vector6<f64> {
        let arm = (Vector3::from(*x) - self.center) / self.length;
        let mut row = Vector6::zeros();
        row[component] = 1.0;
        for axis in 0..3 {
            let mut theta = Vector3::zeros();
            theta[axis] = 1.0;
            row[3 + axis] = theta.cross(&arm)[component];
        }
        row
    }

    /// Displacement of a point in a unit of motion k.
    pub fn at(&self, k: usize, x: &[f64; 3]) -> Vector3<f64> {
        let (t, theta) = self.parts(&self.modes[k]);
        t + theta.cross(&(Vector3::from(*x) - self.center))
    }

    /// t and θ of a motion.
    fn parts(&self, mode: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
        (mode.fixed_rows::<3>(0).into_owned(), mode.fixed_rows::<3>(3) / self.length)
    }

    /// Translation of a point x and rotation of the sum of all motions with these coordinates.
    pub fn combined(&self, coordinates: &[f64], x: &[f64; 3]) -> (Vector3<f64>, Vector3<f64>) {
        let sum: Vector6<f64> = self.modes.iter().zip(coordinates).map(|(mode, a)| mode * *a).sum();
        let (t, theta) = self.parts(&sum);
        (t + theta.cross(&(Vector3::from(*x) - self.center)), theta)
    }

    /// Scales every motion to a largest displacement of 1 m.
    pub fn normalise(&mut self, points: &[[f64; 3]]) {
        for k in 0..self.len() {
            let largest = points.iter().map(|x| self.at(k, x).norm()).fold(0.0, f64::max);
            if largest > 0.0 {
                self.modes[k] /= largest;
            }
        }
    }

    /// A minimal set of dofs that hold all motions: each is the dof with the largest displacement in the
    /// motions that are left.
    ///
    /// * `allowed` — true for dofs that may be chosen
    pub fn holding_dofs(&self, points: &[[f64; 3]], allowed: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let n = self.len();
        let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
        for (i, x) in points.iter().enumerate() {
            let moved: Vec<Vector3<f64>> = (0..n).map(|k| self.at(k, x)).collect();
            for d in (0..3).filter(|&d| allowed(i, d)) {
                rows.push((3 * i + d, moved.iter().map(|u| u[d]).collect()));
            }
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut chosen = Vec::with_capacity(n);
        for _ in 0..n {
            let Some((dof, pivot)) =
                rows.iter().max_by(|a, b| dot(&a.1, &a.1).total_cmp(&dot(&b.1, &b.1))).cloned()
            else {
                return chosen;
            };
            chosen.push(dof);
            let square = dot(&pivot, &pivot);
            for (_, row) in &mut rows {
                let part = dot(row, &pivot) / square;
                row.iter_mut().zip(&pivot).for_each(|(r, p)| *r -= part * p);
            }
        }
        chosen
    }

    /// The motion in words, for messages: "along (x, y, z)", or "about (x, y, z)".
    pub fn words(&self, coordinates: &[f64]) -> String {
        let sum: Vector6<f64> = self.modes.iter().zip(coordinates).map(|(mode, a)| mode * *a).sum();
        let (t, theta) = (sum.fixed_rows::<3>(0).into_owned(), sum.fixed_rows::<3>(3).into_owned());
        let (kind, v) = if t.norm() >= theta.norm() { ("along", t) } else { ("in rotation about", theta) };
        let v =
            v.try_normalize(0.0).unwrap_or_else(Vector3::zeros).map(|x| if x.abs() < 5e-4 { 0.0 } else { x });
        format!("{kind} ({:.3}, {:.3}, {:.3})", v.x, v.y, v.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];

    fn left(held: impl Fn(usize) -> [bool; 3]) -> RigidMotions {
        RigidMotions::left_by(&CUBE, &(0..8).map(held).collect::<Vec<_>>())
    }

    #[test]
    fn supports_leave_the_motions_expected_by_statics() {
        assert_eq!(left(|_| [false; 3]).len(), 6);
        assert_eq!(left(|k| [k == 0; 3]).len(), 3, "a point held leaves the rotations about it");
        assert_eq!(
            left(|k| [k == 0 || k == 7; 3]).len(),
            1,
            "two points leave the rotation about their line"
        );
        assert_eq!(left(|k| [false, false, k < 4]).len(), 3, "a face on rollers slides and spins");
        assert_eq!(left(|k| [k % 2 == 0, k % 4 < 2, k < 4]).len(), 0, "three faces on rollers hold a block");
    }

    #[test]
    fn free_motions_do_not_move_held_dofs() {
        let motions = left(|k| [k == 0 || k == 7; 3]);
        assert!(motions.at(0, &CUBE[0]).norm() < 1e-14 && motions.at(0, &CUBE[7]).norm() < 1e-14);
        assert!(motions.words(&[1.0]).contains("rotation"), "{}", motions.words(&[1.0]));
    }

    #[test]
    fn held_dofs_stop_every_motion() {
        for motions in [left(|_| [false; 3]), left(|k| [k == 0; 3]), left(|k| [false, false, k < 4])] {
            let dofs = motions.holding_dofs(&CUBE, |_, _| true);
            let held = (0..8).map(|k| [0, 1, 2].map(|d| dofs.contains(&(3 * k + d)))).collect::<Vec<_>>();
            let rest = RigidMotions::left_by(&CUBE, &held);
            assert!(dofs.len() == motions.len() && rest.len() == 6 - motions.len());
        }
    }
}
