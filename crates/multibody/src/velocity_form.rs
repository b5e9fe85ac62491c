//! The equations of motion in velocities, THEORY (1.1): for implicit schemes, for accelerations, and to check the
//! momentum form against.

use crate::floating_frame::FloatingFrame;
use crate::kinetics::{Kinetics, Velocities, block_of};
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
    m.view_mut((6, 6), (n, n)).copy_from(&frame.mass_modal);
    for k in 0..n {
        for a in 0..3 {
            m[(a, 6 + k)] = frame.coupling_t[3 * k + a];
            m[(3 + a, 6 + k)] = terms.coupling_r[3 * k + a];
            m[(6 + k, a)] = m[(a, 6 + k)];
            m[(6 + k, 3 + a)] = m[(3 + a, 6 + k)];
        }
    }
    m
}

/// h_ω of (1.1): the quadratic velocity terms, 6 + n, for the unknown a₀ = Aᵀ r̈.
///
/// G_rk = −2 ∫ c̃ φ̃_k dm = 2 (I1_k + Σ_l q_l I2_lk): with I2_kl = −∫ φ̃_k φ̃_l dm the *second* index is that of the mode
/// whose rate it multiplies, so the transpose of ∂I/∂q's half enters.
pub fn quadratic_velocity_forces(
    frame: &FloatingFrame,
    q: &[f64],
    omega: &Vector3<f64>,
    rate: &[f64],
) -> DVector<f64> {
    let n = frame.n;
    let mut terms = Kinetics::new(n);
    terms.set_modal(frame, q);
    let mut translation = omega.cross(&omega.cross(&terms.first_moment));
    let mut rotation = omega.cross(&(terms.inertia * omega));
    let mut h = DVector::zeros(6 + n);
    for k in 0..n {
        let ct = Vector3::from_column_slice(&frame.coupling_t[3 * k..3 * k + 3]);
        translation += 2.0 * rate[k] * omega.cross(&ct);
        let i1 = block_of(&frame.inertia_1, n, k);
        let second_order = block_of(&terms.inertia_rates, n, k) - i1;
        rotation += 2.0 * rate[k] * (i1 + second_order.transpose()) * omega;
        h[6 + k] = -omega.dot(&(block_of(&terms.inertia_rates, n, k) * omega));
        for l in 0..n {
            let c1 = Vector3::from_column_slice(&frame.coupling_r1[3 * n * k + 3 * l..3 * n * k + 3 * l + 3]);
            h[6 + k] += 2.0 * rate[l] * omega.dot(&c1);
        }
    }
    h.fixed_rows_mut::<3>(0).copy_from(&translation);
    h.fixed_rows_mut::<3>(3).copy_from(&rotation);
    h
}

/// (a₀, ω̇, q̈) of a free body under the generalised forces `h_d` (6 + n, body axes), elastic forces included here.
///
/// None if the mass matrix is not positive definite.
pub fn accelerations(
    frame: &FloatingFrame,
    q: &[f64],
    z: &Velocities,
    h_d: &DVector<f64>,
) -> Option<DVector<f64>> {
    let mut right = h_d - quadratic_velocity_forces(frame, q, &z.omega, &z.modal);
    let mut elastic = &frame.stiffness_modal * DVector::from_column_slice(q);
    if let Some(damping) = &frame.damping_modal {
        elastic += damping * DVector::from_column_slice(&z.modal);
    }
    for k in 0..frame.n {
        right[6 + k] -= elastic[k];
    }
    mass_matrix(frame, q).cholesky().map(|factor| factor.solve(&right))
}
