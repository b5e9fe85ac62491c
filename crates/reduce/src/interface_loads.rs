//! Unit loads on interfaces: a force or a moment along each axis, spread over a set of points.

use carom_fem::{Body, Discretisation, SetError};
use nalgebra::{Matrix3, Vector3};

/// Smallest eigenvalue of the second moments of a set, of their largest, below which it cannot take a moment about each axis.
const FLAT: f64 = 1e-10;

/// Directions of the six unit loads.
pub const DIRECTIONS: [&str; 6] = ["force x", "force y", "force z", "moment x", "moment y", "moment z"];

/// A set of points that a unit load is spread over.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedSet {
    /// Name of the set.
    pub name: String,
    /// Its points, ascending.
    pub points: Vec<u32>,
    /// Part of the load that each carries; their sum is 1.
    pub shares: Vec<f64>,
    /// Middle by these parts, in the axes of the points \[m\].
    pub center: [f64; 3],
    /// Inverse of Σ a (d·d E − d dᵀ); `None` for a set that cannot take moments about each axis.
    inverse: Option<Matrix3<f64>>,
    /// d of each point.
    arms: Vec<Vector3<f64>>,
}

impl LoadedSet {
    /// A set of a body: loads are tractions over its faces, or equal forces on its nodes if it has no faces.
    ///
    /// # Errors
    ///
    /// [`SetError`] if the body has no such set.
    pub fn of_set(body: &Body, discretisation: &Discretisation, name: &str) -> Result<Self, SetError> {
        let points = body.points_of_set(discretisation, name)?;
        let shares = match body.faces_of_set(name) {
            Ok(faces) if !faces.is_empty() => {
                let force = carom_fem::loads::total_force(discretisation, &faces, [1.0, 0.0, 0.0]);
                points.iter().map(|&point| force[point as usize][0]).collect()
            }
            _ => vec![1.0; points.len()],
        };
        Ok(Self::new(name, points, shares, &discretisation.points))
    }

    /// Points with the parts of the load that they carry, in any scale.
    ///
    /// # Panics
    ///
    /// If there are fewer parts than points, or a point does not exist.
    pub fn new(name: &str, points: Vec<u32>, mut shares: Vec<f64>, places: &[[f64; 3]]) -> Self {
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        let place = |point: u32| Vector3::from(places[point as usize]);
        let center: Vector3<f64> = points.iter().zip(&shares).map(|(&p, a)| place(p) * *a).sum();
        let arms: Vec<Vector3<f64>> = points.iter().map(|&p| place(p) - center).collect();
        let second: Matrix3<f64> = arms
            .iter()
            .zip(&shares)
            .map(|(d, a)| (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * *a)
            .sum();
        let values = second.symmetric_eigenvalues();
        let inverse = if values.min() > FLAT * values.max() { second.try_inverse() } else { None };
        Self { name: name.to_owned(), points, shares, center: center.into(), inverse, arms }
    }

    /// Forces on the points by the load of [`DIRECTIONS`] with this number \[N\].
    ///
    /// ```text
    /// f_i = a_i F,    f_i = a_i (S⁻¹ τ) × d_i    with Σ d_i × f_i = τ
    /// ```
    ///
    /// Control points serve as well as nodes: rigid motions are linear in them. `None` for moments on a set that cannot take them.
    pub fn unit_load(&self, direction: usize) -> Option<Vec<Vector3<f64>>> {
        let axis = Vector3::ith(direction % 3, 1.0);
        if direction < 3 {
            return Some(self.shares.iter().map(|a| axis * *a).collect());
        }
        let turn = self.inverse? * axis;
        Some(self.arms.iter().zip(&self.shares).map(|(d, a)| turn.cross(d) * *a).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_loads_have_their_resultants() {
        let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.2], [0.0, 2.0, 0.0], [1.0, 1.0, 1.0]];
        let set = LoadedSet::new("set", vec![0, 1, 2, 3], vec![1.0, 2.0, 0.5, 3.0], &places);
        for direction in 0..6 {
            let forces = set.unit_load(direction).unwrap();
            let sum: Vector3<f64> = forces.iter().sum();
            let moment: Vector3<f64> = forces
                .iter()
                .zip(&places)
                .map(|(f, &x)| (Vector3::from(x) - Vector3::from(set.center)).cross(f))
                .sum();
            let unit = Vector3::ith(direction % 3, 1.0);
            let (force, torque) =
                if direction < 3 { (unit, Vector3::zeros()) } else { (Vector3::zeros(), unit) };
            assert!((sum - force).norm() < 1e-14 && (moment - torque).norm() < 1e-14, "{direction}");
        }
    }

    #[test]
    fn points_on_a_line_take_forces_only() {
        let places = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]];
        let set = LoadedSet::new("pair", vec![0, 1], vec![1.0; 2], &places);
        assert!(set.unit_load(2).is_some() && set.unit_load(3).is_none());
    }
}
