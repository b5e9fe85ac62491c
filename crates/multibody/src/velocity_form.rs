//! The equations of motion in velocities, docs/theory/floating-frame.md, eq. (31): for implicit schemes, for
//! accelerations, and to check the momentum form against.

use crate::floating_frame::FloatingFrame;
use crate::kinetics::Kinetics;
use crate::velocities::Velocities;
use carom_dynamics::rotation::skew;
use nalgebra::{DMatrix, DVector, Vector3};

/// M(q), (6 + n) × (6 + n), in the order (v, ω, q̇).
pub fn mass_matrix(frame: &FloatingFrame, q: &[f64]) -> DMatrix<f64> {
    let n = frame.n;
    let mut terms = Kinetics::new(n);
    terms.set_modal(frame, q);
    let mut m = DMatrix::zeros(6 + n, 6 + n);
    m.view_mut((0, 0), (3, 3)).fill_diagonal(frame.mass);
    m.view_mut((3, 0), (3, 3)).copy_from(&skew(&terms.first_moment));
    m.view_mut((0, 3), (3, 3)).copy_from(&skew(&terms.first_moment).transpose());
    m.view_mut((3, 3), (3, 3)).copy_from(&terms.inertia);
    m.view_mut((6, 6), (n, n)).copy_from(&frame.mass_modal.dense());
    for k in 0..n {
        for a in 0..3 {
            m[(a, 6 + k)] = terms.coupling_t[3 * k + a];
            m[(3 + a, 6 + k)] = terms.coupling_r[3 * k + a];
            m[(6 + k, a)] = m[(a, 6 + k)];
            m[(6 + k, 3 + a)] = m[(3 + a, 6 + k)];
        }
    }
    m
}

/// h_ω of (1.1), see [`Kinetics::quadratic_forces`]: 6 + n.
pub fn quadratic_velocity_forces(
    frame: &FloatingFrame,
    q: &[f64],
    omega: &Vector3<f64>,
    rate: &[f64],
) -> DVector<f64> {
    let mut terms = Kinetics::new(frame.n);
    terms.set_modal(frame, q);
    terms.velocities = Velocities { v: Vector3::zeros(), omega: *omega, modal: rate.to_vec() };
    let mut h = DVector::zeros(6 + frame.n);
    let (translation, rotation) = terms.quadratic_forces(frame, &mut h.as_mut_slice()[6..]);
    h.fixed_rows_mut::<3>(0).copy_from(&translation);
    h.fixed_rows_mut::<3>(3).copy_from(&rotation);
    h
}

/// (a₀, ω̇, q̈) of a free body under the generalised forces `h_d` (6 + n, body axes), elastic forces included
/// here.
///
/// None if the mass matrix is not positive definite.
pub fn accelerations(
    frame: &FloatingFrame,
    q: &[f64],
    z: &Velocities,
    h_d: &DVector<f64>,
) -> Option<DVector<f64>> {
    let mut right = h_d - quadratic_velocity_forces(frame, q, &z.omega, &z.modal);
    let mut elastic = DVector::from_fn(frame.n, |k, _| frame.stiffness_modal.row_times(k, q));
    if let Some(damping) = &frame.damping_modal {
        elastic += DVector::from_fn(frame.n, |k, _| damping.row_times(k, &z.modal));
    }
    for k in 0..frame.n {
        right[6 + k] -= elastic[k];
    }
    mass_matrix(frame, q).cholesky().map(|factor| factor.solve(&right))
}
