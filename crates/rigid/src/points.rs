//! Points of a rigid body as functions of its pose.

use carom_contact::points::{PointForce, Response, SurfacePoints};
use carom_dynamics::rotation;
use nalgebra::{Matrix3, Vector3};

use crate::body::RigidBody;

/// Points that rest in the frame of a rigid body, X + Λ c; inertial frame.
///
/// Coordinates are the position of the centre of mass and the quaternion, 7 numbers; velocities are v in the
/// inertial frame and ω in that of the body, 6 numbers, with force and moment as generalised forces.
#[derive(Debug, Clone)]
pub struct OffsetPoints {
    /// From the centre of mass to each point, frame of the body \[m\].
    pub offsets_b: Vec<Vector3<f64>>,
    /// 1/m; 0 of a fixed body \[1/kg\].
    inverse_mass: f64,
    /// 1/J₁, 1/J₂, 1/J₃; 0 of a fixed body \[1/(kg m²)\].
    inverse_inertia: Vector3<f64>,
}

impl OffsetPoints {
    /// Points of a body.
    ///
    /// * `offsets_b` — in the principal axes of the body, from its centre of mass \[m\]
    pub fn new(body: &RigidBody, offsets_b: Vec<Vector3<f64>>) -> Self {
        let (inverse_mass, inverse_inertia) = if body.fixed {
            (0.0, Vector3::zeros())
        } else {
            (body.mass.recip(), body.inertia.map(f64::recip))
        };
        Self { offsets_b, inverse_mass, inverse_inertia }
    }

    fn rotation(q: &[f64]) -> Matrix3<f64> {
        rotation::matrix(&[q[3], q[4], q[5], q[6]])
    }

    /// Writes or adds the velocities of all points by those of the body.
    fn move_points(
        &self,
        rot_ib: &Matrix3<f64>,
        [v, omega_b]: &[Vector3<f64>; 2],
        mut take: impl FnMut(usize, Vector3<f64>),
    ) {
        for (k, c) in self.offsets_b.iter().enumerate() {
            take(k, v + rot_ib * omega_b.cross(c));
        }
    }

    /// Force, and moment in the frame of the body, of forces on points.
    fn wrench(
        &self,
        rot_ib: &Matrix3<f64>,
        forces: impl Iterator<Item = (usize, Vector3<f64>)>,
    ) -> [Vector3<f64>; 2] {
        let mut sums = [Vector3::zeros(); 2];
        for (k, f) in forces {
            sums[0] += f;
            sums[1] += self.offsets_b[k].cross(&rot_ib.tr_mul(&f));
        }
        sums
    }
}

fn vector(numbers: &[f64], k: usize) -> Vector3<f64> {
    Vector3::new(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2])
}

fn add(numbers: &mut [f64], k: usize, vector: &Vector3<f64>) {
    (0..3).for_each(|d| numbers[3 * k + d] += vector[d]);
}

fn on_few(forces: &[PointForce]) -> impl Iterator<Item = (usize, Vector3<f64>)> {
    forces.iter().map(|&(point, force)| (point as usize, force.into()))
}

impl SurfacePoints for OffsetPoints {
    fn n_points(&self) -> usize {
        self.offsets_b.len()
    }

    fn n_coordinates(&self) -> usize {
        7
    }

    fn n_velocities(&self) -> usize {
        6
    }

    fn positions_into(&self, q: &[f64], positions: &mut [f64]) {
        let rot_ib = Self::rotation(q);
        for (place, c) in positions.chunks_exact_mut(3).zip(&self.offsets_b) {
            place.copy_from_slice((vector(q, 0) + rot_ib * c).as_slice());
        }
    }

    fn velocities_into(&self, q: &[f64], v: &[f64], velocities: &mut [f64]) {
        let motion = [vector(v, 0), vector(v, 1)];
        self.move_points(&Self::rotation(q), &motion, |k, x| {
            velocities[3 * k..3 * k + 3].copy_from_slice(x.as_slice());
        });
    }

    fn add_forces(&self, q: &[f64], forces: &[f64], generalised: &mut [f64]) {
        let all = (0..self.n_points()).map(|k| (k, vector(forces, k)));
        let wrench = self.wrench(&Self::rotation(q), all);
        (0..2).for_each(|k| add(generalised, k, &wrench[k]));
    }

    fn add_point_forces(&self, q: &[f64], forces: &[PointForce], generalised: &mut [f64]) {
        let wrench = self.wrench(&Self::rotation(q), on_few(forces));
        (0..2).for_each(|k| add(generalised, k, &wrench[k]));
    }

    fn add_response(&self, response: Response, q: &[f64], forces: &[PointForce], motion: &mut [f64]) -> bool {
        let rot_ib = Self::rotation(q);
        if response == Response::InverseMass {
            let [force, moment_b] = self.wrench(&rot_ib, on_few(forces));
            let by_impulse = [force * self.inverse_mass, moment_b.component_mul(&self.inverse_inertia)];
            self.move_points(&rot_ib, &by_impulse, |k, x| add(motion, k, &x));
        }
        // A rigid body has no compliance: forces do not displace its points.
        true
    }
}

#[cfg(test)]
mod tests {
    use carom_contact::points::response_of_rows;

    use super::*;

    fn points() -> (OffsetPoints, Vec<f64>) {
        let inertia = Matrix3::new(3.0, 0.2, -0.1, 0.2, 2.5, 0.3, -0.1, 0.3, 2.0);
        let body = RigidBody::new("b", 1.7, inertia, Vector3::zeros()).unwrap();
        let offsets = vec![Vector3::new(0.3, -0.1, 0.2), Vector3::new(-0.4, 0.5, 0.1)];
        let quaternion = rotation::from_vector(&Vector3::new(0.4, -0.7, 0.2));
        (OffsetPoints::new(&body, offsets), [&[1.0, -2.0, 0.5][..], &quaternion].concat())
    }

    const V: [f64; 6] = [0.3, -0.2, 0.7, 1.1, -0.4, 0.6];
    const F: [f64; 6] = [2.0, -1.0, 0.3, 0.4, 1.5, -0.6];

    #[test]
    fn velocities_are_the_rates_of_the_positions() {
        let (points, q) = points();
        let at = |t: f64| {
            let quaternion = [q[3], q[4], q[5], q[6]];
            let rate = rotation::rate(&quaternion, &Vector3::new(V[3], V[4], V[5]));
            let mut moved = q.clone();
            (0..3).for_each(|d| moved[d] += t * V[d]);
            (0..4).for_each(|k| moved[3 + k] += t * rate[k]);
            let mut x = [0.0; 6];
            points.positions_into(&moved, &mut x);
            x
        };
        let (h, mut expected) = (1e-6, [0.0; 6]);
        points.velocities_into(&q, &V, &mut expected);
        let (minus, plus) = (at(-h), at(h));
        for i in 0..6 {
            assert!(((plus[i] - minus[i]) / (2.0 * h) - expected[i]).abs() < 1e-9, "{i}");
        }
    }

    #[test]
    fn forces_have_the_same_power_on_points_and_coordinates() {
        let (points, q) = points();
        let (mut velocities, mut all, mut few) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        points.velocities_into(&q, &V, &mut velocities);
        points.add_forces(&q, &F, &mut all);
        points.add_point_forces(&q, &[(0, [2.0, -1.0, 0.3]), (1, [0.4, 1.5, -0.6])], &mut few);
        assert_eq!(all, few);
        let power = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert!((power(&F, &velocities) - power(&all, &V)).abs() < 1e-14);
    }

    /// W = J M⁻¹ Jᵀ against the response of one point to its own impulse, d·d/m + (c × d)·J⁻¹ (c × d).
    #[test]
    fn the_inverse_mass_of_a_row_is_the_response_to_an_impulse() {
        let (points, q) = points();
        let (d, e) = (Vector3::new(0.6, 0.0, 0.8), Vector3::new(0.0, 1.0, 0.0));
        let rows: [&[PointForce]; 2] = [&[(0, d.into())], &[(1, e.into())]];
        let mut room = [0.0; 6];
        let mut w = |i: usize, j: usize| {
            response_of_rows(&points, Response::InverseMass, &q, [rows[i], rows[j]], &mut room).unwrap()
        };
        let rot = OffsetPoints::rotation(&q);
        let arm = |k: usize, d: &Vector3<f64>| points.offsets_b[k].cross(&rot.tr_mul(d));
        let own = 1.0 / 1.7 + arm(0, &d).component_mul(&points.inverse_inertia).dot(&arm(0, &d));
        let other = arm(0, &d).component_mul(&points.inverse_inertia).dot(&arm(1, &e));
        assert!((w(0, 0) - own).abs() < 1e-15 && (w(0, 1) - other).abs() < 1e-15);
        assert!((w(0, 1) - w(1, 0)).abs() < 1e-15);
    }
}
