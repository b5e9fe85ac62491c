//! The floating frame against direct sums over points, and the momentum form against the velocity form.

use crate::lattice::{Lattice, Numbers};
use carom_dynamics::rotation::skew;
use carom_multibody::velocity_form::{accelerations, mass_matrix, quadratic_velocity_forces};
use carom_multibody::{Body, CouplingSlopes, FloatingFrame, Kinetics, Velocities};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use std::sync::Arc;

/// A lattice with modes that are orthogonal neither to rigid motions nor to each other, so that C_t, C_r0 and
/// M̄_e are full.
struct General {
    lattice: Lattice,
    phi: DMatrix<f64>,
    frame: FloatingFrame,
    q: Vec<f64>,
    z: Velocities,
}

fn general() -> General {
    let mut lattice = Lattice::new(0.5, 3.0, 40.0);
    // A frame next to the centre of mass.
    lattice.positions.iter_mut().for_each(|x| *x += Vector3::new(0.1, -0.2, 0.05));
    let n = 5;
    let mut numbers = Numbers(3);
    let phi = DMatrix::from_fn(3 * lattice.points(), n, |_, _| numbers.next());
    let frame = FloatingFrame::new(&lattice.invariants(&phi), n).unwrap();
    let q = (0..n).map(|_| 0.2 * numbers.next()).collect();
    let z = Velocities {
        v: numbers.vector(),
        omega: 2.0 * numbers.vector(),
        modal: (0..n).map(|_| numbers.next()).collect(),
    };
    General { lattice, phi, frame, q, z }
}

/// The same with displacement of second order: any symmetric slopes of C_t and C_r.
fn shortened() -> General {
    let mut g = general();
    let (n, mut numbers) = (g.q.len(), Numbers(7));
    let mut symmetric = || {
        let values: Vec<Vector3<f64>> = (0..n * n).map(|_| numbers.vector()).collect();
        let entry = |i: usize| 0.5 * (values[i] + values[n * (i % n) + i / n]);
        (0..n * n).flat_map(|i| <[f64; 3]>::from(entry(i))).collect::<Vec<f64>>()
    };
    g.frame.slopes = Some(CouplingSlopes { translation: symmetric(), rotation: symmetric() });
    g
}

impl General {
    /// c_i = R_i + φ_i q.
    fn position(&self, point: usize) -> Vector3<f64> {
        (0..self.q.len()).fold(self.lattice.positions[point], |c, k| {
            c + self.q[k] * self.lattice.shape(&self.phi, point, k)
        })
    }

    /// B_i with Aᵀ ẋ_i = B_i z.
    fn jacobian(&self, point: usize) -> DMatrix<f64> {
        let n = self.q.len();
        let mut b = DMatrix::zeros(3, 6 + n);
        b.view_mut((0, 0), (3, 3)).copy_from(&Matrix3::identity());
        b.view_mut((0, 3), (3, 3)).copy_from(&-skew(&self.position(point)));
        for k in 0..n {
            b.view_mut((0, 6 + k), (3, 1)).copy_from(&self.lattice.shape(&self.phi, point, k));
        }
        b
    }

    fn stacked(&self) -> DVector<f64> {
        let z = &self.z;
        DVector::from_iterator(
            6 + z.modal.len(),
            z.v.iter().chain(z.omega.iter()).chain(z.modal.iter()).copied(),
        )
    }
}

#[test]
fn mass_matrix_equals_the_sum_over_points() {
    let g = general();
    let mut direct = DMatrix::zeros(11, 11);
    for i in 0..g.lattice.points() {
        for j in 0..g.lattice.points() {
            direct += g.lattice.mass[(i, j)] * g.jacobian(i).transpose() * g.jacobian(j);
        }
    }
    let error = (mass_matrix(&g.frame, &g.q) - &direct).amax() / direct.amax();
    assert!(error < 6e-14, "{error:.1e}");
}

#[test]
fn quadratic_velocity_forces_equal_the_sum_over_points() {
    let g = general();
    let omega = g.z.omega;
    let mut direct = DVector::zeros(11);
    for i in 0..g.lattice.points() {
        for j in 0..g.lattice.points() {
            let drift: Vector3<f64> = (0..5).map(|k| g.z.modal[k] * g.lattice.shape(&g.phi, j, k)).sum();
            let acceleration = omega.cross(&omega.cross(&g.position(j))) + 2.0 * omega.cross(&drift);
            direct += g.lattice.mass[(i, j)] * g.jacobian(i).transpose() * acceleration;
        }
    }
    let error =
        (quadratic_velocity_forces(&g.frame, &g.q, &omega, &g.z.modal) - &direct).amax() / direct.amax();
    assert!(error < 6e-14, "{error:.1e}");
}

#[test]
fn velocities_from_momenta_invert_the_mass_matrix() {
    for g in [general(), shortened()] {
        let mut kinetics = Kinetics::new(5);
        kinetics.set_modal(&g.frame, &g.q);
        let mut p = vec![0.0; 5];
        let (linear, angular) = kinetics.momenta(&g.frame, &g.z, &mut p);
        let direct = mass_matrix(&g.frame, &g.q) * g.stacked();
        assert!((linear - direct.fixed_rows::<3>(0)).norm() < 1e-13 * direct.norm());
        assert!((angular - direct.fixed_rows::<3>(3)).norm() < 1e-13 * direct.norm());
        kinetics.invert(&g.frame, &g.q).unwrap();
        kinetics.solve_free(&g.frame, &linear, &angular, &p);
        let found = &kinetics.velocities;
        let error = (found.v - g.z.v).norm()
            + (found.omega - g.z.omega).norm()
            + (0..5).map(|k| (found.modal[k] - g.z.modal[k]).abs()).sum::<f64>();
        // The condition number of M is some hundred.
        assert!(error < 1e-11, "{error:.1e}");
    }
}

#[test]
fn momentum_form_and_velocity_form_give_the_same_accelerations() {
    for g in [general(), shortened()] {
        let z = g.stacked();
        // Momentum form: rates of M z in body axes for a free body.
        let mut kinetics = Kinetics::new(5);
        kinetics.set_modal(&g.frame, &g.q);
        let mut p = vec![0.0; 5];
        let (linear, angular) = kinetics.momenta(&g.frame, &g.z, &mut p);
        kinetics.invert(&g.frame, &g.q).unwrap();
        kinetics.solve_free(&g.frame, &linear, &angular, &p);
        let mut kinetic = vec![0.0; 5];
        kinetics.add_kinetic_force(&g.frame, &mut kinetic);
        let elastic = g.frame.stiffness_modal.dense() * DVector::from_column_slice(&g.q);
        let mut momentum_rate = DVector::zeros(11);
        momentum_rate.fixed_rows_mut::<3>(0).copy_from(&linear.cross(&g.z.omega));
        momentum_rate.fixed_rows_mut::<3>(3).copy_from(&(angular.cross(&g.z.omega) + linear.cross(&g.z.v)));
        for k in 0..5 {
            momentum_rate[6 + k] = kinetic[k] - elastic[k];
        }
        // M(q) is quadratic in q, so the central difference of its rate is exact.
        let shifted = |sign: f64| {
            let q: Vec<f64> = g.q.iter().zip(&g.z.modal).map(|(q, rate)| q + sign * 0.5 * rate).collect();
            mass_matrix(&g.frame, &q)
        };
        let mass_rate = shifted(1.0) - shifted(-1.0);
        let mut from_momenta =
            mass_matrix(&g.frame, &g.q).cholesky().unwrap().solve(&(momentum_rate - mass_rate * z));
        // The unknown of the velocity form is a₀ = v̇ + ω × v.
        let carried = g.z.omega.cross(&g.z.v);
        for a in 0..3 {
            from_momenta[a] += carried[a];
        }
        let from_velocities = accelerations(&g.frame, &g.q, &g.z, &DVector::zeros(11)).unwrap();
        let error = (&from_momenta - &from_velocities).amax() / from_velocities.amax();
        assert!(error < 1e-12, "{error:.1e}");
    }
}

#[test]
fn kinetic_force_is_the_derivative_of_the_energy() {
    for g in [general(), shortened()] {
        let energy = |q: &[f64]| 0.5 * g.stacked().dot(&(mass_matrix(&g.frame, q) * g.stacked()));
        let mut kinetics = Kinetics::new(5);
        kinetics.set_modal(&g.frame, &g.q);
        kinetics.velocities = g.z.clone();
        let mut force = vec![0.0; 5];
        kinetics.add_kinetic_force(&g.frame, &mut force);
        for k in 0..5 {
            // Quadratic in q: the central difference is exact.
            let at = |d: f64| {
                let mut q = g.q.clone();
                q[k] += d;
                energy(&q)
            };
            let difference = (at(0.5) - at(-0.5)) / 1.0;
            assert!((force[k] - difference).abs() < 1e-12 * difference.abs().max(1.0), "{k}");
        }
    }
}

#[test]
fn elastic_modes_of_a_free_body_give_the_buckens_frame() {
    let lattice = Lattice::new(0.5, 3.0, 40.0);
    let frame = lattice.body(8).frame;
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(largest(&frame.coupling_t) < 1e-12 && largest(&frame.coupling_r0) < 1e-12);
    assert!(frame.first_moment.norm() < 1e-14);
    assert!((frame.mass_modal.dense() - DMatrix::identity(8, 8)).amax() < 1e-12);
}

#[test]
fn placement_gives_the_velocity_of_the_centre_of_mass() {
    // The frame is off the centre of mass and the source origin elsewhere: momenta against sums over
    // points.
    let g = general();
    let mut reduced = g.lattice.reduced(4, 4);
    reduced.invariants = g.lattice.invariants(&g.phi);
    reduced.n_low = 5;
    reduced.com = [0.3, 0.1, -0.4];
    let body = Body::reduced(Arc::new(reduced)).unwrap();
    let placement = carom_dynamics::Placement {
        origin: [2.0, -1.0, 0.5],
        velocity: [0.3, 0.2, -0.7],
        angular_velocity: [1.0, -2.0, 0.6],
        ..carom_dynamics::Placement::rotated([1.0, 2.0, -0.5], 67.0)
    };
    let state = body.placed(&placement);
    let a = carom_dynamics::rotation::matrix(&placement.quaternion);
    let source = |i: usize| g.lattice.positions[i] + Vector3::new(0.3, 0.1, -0.4);
    let points: Vec<Vector3<f64>> =
        (0..g.lattice.points()).map(|i| Vector3::from(placement.origin) + a * source(i)).collect();
    let weight = |i: usize| g.lattice.mass.column(i).sum();
    let com: Vector3<f64> = (0..points.len()).map(|i| weight(i) * points[i]).sum::<Vector3<f64>>() / 3.0;
    let velocity = |i: usize| {
        Vector3::from(placement.velocity)
            + Vector3::from(placement.angular_velocity).cross(&(points[i] - com))
    };
    let (mut momentum, mut ang_momentum) = (Vector3::zeros(), Vector3::zeros());
    for i in 0..points.len() {
        let weighted: Vector3<f64> = (0..points.len()).map(|j| g.lattice.mass[(i, j)] * velocity(j)).sum();
        momentum += weighted;
        ang_momentum += points[i].cross(&weighted);
    }
    assert!((state.momentum - momentum).norm() < 1e-13 * momentum.norm());
    assert!((state.ang_momentum - ang_momentum).norm() < 1e-13 * ang_momentum.norm());
    assert!((momentum - 3.0 * Vector3::from(placement.velocity)).norm() < 1e-13);
}

#[test]
fn impossible_bodies_are_refused_with_values() {
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 3.0));
    let error = Body::rigid("plate", 1.0, inertia, Vector3::zeros()).unwrap_err().to_string();
    assert!(error.contains("plate") && error.contains("3.0"), "{error}");
    let error = Body::rigid("dust", 0.0, Matrix3::identity(), Vector3::zeros()).unwrap_err().to_string();
    assert!(error.contains("dust"), "{error}");
    let error = Body::rigid("fog", 1.0, f64::NAN * Matrix3::identity(), Vector3::zeros()).unwrap_err();
    assert!(error.to_string().contains("fog"));
}
