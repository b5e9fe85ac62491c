//! Kinetic energy of the floating frame: mass matrix, velocities from momenta, derivative by the modal
//! coordinates.
//!
//! With z = (v, ω, q̇), v and ω in body axes (docs/theory/floating-frame.md, eq. (31)):
//!
//! ```text
//!         ⎡ m E     m̃c(q)ᵀ   C_t(q)ᵀ ⎤
//! M(q) =  ⎢ m̃c(q)   I(q)     C_r(q)ᵀ ⎥      T = ½ zᵀ M z      (Aᵀ P, Aᵀ (L − r × P), p) = M z
//!         ⎣ C_t(q)  C_r(q)   M̄_e     ⎦
//! ```
//!
//! C_t depends on q in bodies with displacement of second order and a frame that is tied to some of their
//! points ([`crate::CouplingSlopes`]).

use crate::floating_frame::FloatingFrame;
use crate::velocities::Velocities;
use carom_dynamics::rotation::skew;
use carom_linalg::dense::dot;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// The mass matrix has lost its positive definiteness: the deformation is far outside the range of the
/// modes.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the mass matrix is not positive definite at modal coordinates up to {largest:.3e}: the body is deformed \
     beyond the range of its modes (in a frame that is tied to points of the body, as in files of other \
     programs, fewer modes bear larger deformations)"
)]
pub struct MassError {
    /// Largest modal coordinate.
    pub largest: f64,
}

/// Terms of the mass matrix of one body at some q, with workspace. Nothing allocates after [`Kinetics::new`].
///
/// Terms at the q of the last call are not computed again.
#[derive(Debug, Clone)]
pub struct Kinetics {
    /// C_t(q)ᵀ: `[3 k + a]`.
    pub coupling_t: Vec<f64>,
    /// mc(q) = ∫ c dm \[kg m\].
    pub first_moment: Vector3<f64>,
    /// I(q) \[kg m²\].
    pub inertia: Matrix3<f64>,
    /// C_r(q)ᵀ: `[3 k + a]`.
    pub coupling_r: Vec<f64>,
    /// G_k = I1_k + Σ_l q_l I2_kl: entry (a, b) at `[3 n b + 3 k + a]`, so that ∂I/∂q_k = G_k + G_kᵀ.
    pub inertia_rates: Vec<f64>,
    /// \[C_t C_r\] and M̄_e⁻¹ \[C_t C_r\]: n × 6, column by column.
    couplings: Vec<f64>,
    eliminated: Vec<f64>,
    /// ∂C_r/∂q_k q̇, and the same of C_t.
    work: Vec<f64>,
    work_t: Vec<f64>,
    /// q of the terms, once there are any.
    modal: Vec<f64>,
    is_set: bool,
    /// Inverse of the Schur complement of M after the elimination of q̇, if it belongs to these terms.
    rigid_inverse: Option<RigidMassInverse>,
    /// Velocities found last.
    pub velocities: Velocities,
}

impl Kinetics {
    /// Workspace for a body with n dynamic modes.
    pub fn new(n: usize) -> Self {
        Self {
            coupling_t: vec![0.0; 3 * n],
            first_moment: Vector3::zeros(),
            inertia: Matrix3::zeros(),
            coupling_r: vec![0.0; 3 * n],
            inertia_rates: vec![0.0; 9 * n],
            couplings: vec![0.0; 6 * n],
            eliminated: vec![0.0; 6 * n],
            work: vec![0.0; 3 * n],
            work_t: vec![0.0; 3 * n],
            modal: vec![0.0; n],
            is_set: false,
            rigid_inverse: None,
            velocities: Velocities { v: Vector3::zeros(), omega: Vector3::zeros(), modal: vec![0.0; n] },
        }
    }

    /// mc(q), I(q), C_t(q), C_r(q), G_k(q); complete to second order in q. Terms of the same q are not
    /// computed again: `frame` is always the same one.
    pub fn set_modal(&mut self, frame: &FloatingFrame, q: &[f64]) {
        if self.is_set && self.modal == q {
            return;
        }
        let n = frame.n;
        (self.is_set, self.rigid_inverse) = (true, None);
        self.modal.copy_from_slice(q);
        self.first_moment = frame.first_moment + sum_columns(&frame.coupling_t, q);
        self.coupling_t.copy_from_slice(&frame.coupling_t);
        self.coupling_r.copy_from_slice(&frame.coupling_r0);
        add_columns(&mut self.coupling_r, &frame.coupling_r1_by_first, q);
        if let Some(slopes) = &frame.slopes {
            self.work_t.fill(0.0);
            add_columns(&mut self.work_t, &slopes.translation, q);
            self.first_moment += 0.5 * sum_columns(&self.work_t, q);
            self.coupling_t.iter_mut().zip(&self.work_t).for_each(|(ct, change)| *ct += change);
            add_columns(&mut self.coupling_r, &slopes.rotation, q);
        }
        self.inertia_rates.copy_from_slice(&frame.inertia_1);
        add_columns(&mut self.inertia_rates, &frame.inertia_2, q);
        self.inertia = frame.inertia;
        for k in 0..n {
            let symmetric =
                block_of(&self.inertia_rates, n, k) + block_of(&frame.inertia_1, n, k).transpose();
            self.inertia += q[k] * symmetric;
        }
    }

    /// Inverts M(q) of a free body, for which [`Kinetics::set_modal`] came before.
    ///
    /// q̇ is eliminated first: its block M̄_e is constant, and in the Buckens frame C_t vanishes. The
    /// Schur complement is then the 6 × 6 matrix of a rigid body with small changes.
    ///
    /// # Errors
    ///
    /// [`MassError`] if that matrix is not positive definite.
    pub fn invert(&mut self, frame: &FloatingFrame, q: &[f64]) -> Result<(), MassError> {
        if self.rigid_inverse.is_some() {
            return Ok(());
        }
        let n = frame.n;
        self.eliminate(frame);
        let mut schur = self.rigid_mass(frame);
        for i in 0..6 {
            // The lower triangle is all that the factorisation reads.
            for j in 0..=i {
                let (row, column) = (n * i..n * (i + 1), n * j..n * (j + 1));
                schur[(i, j)] -= dot(&self.couplings[row], &self.eliminated[column]);
            }
        }
        self.rigid_inverse =
            Some(RigidMassInverse::new(schur).ok_or_else(|| MassError { largest: largest(q) })?);
        Ok(())
    }

    /// Lower triangle of the mass matrix of rigid motions.
    fn rigid_mass(&self, frame: &FloatingFrame) -> Matrix6<f64> {
        let mut mass = Matrix6::zeros();
        mass.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(frame.mass);
        mass.fixed_view_mut::<3, 3>(3, 0).copy_from(&skew(&self.first_moment));
        mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        mass
    }

    /// Inverse of the mass matrix of rigid motions, at the modal coordinates of the last
    /// [`Kinetics::set_modal`].
    ///
    /// # Errors
    ///
    /// [`MassError`] if that matrix is not positive definite.
    pub(crate) fn rigid_mass_inverse(&self, frame: &FloatingFrame) -> Result<RigidMassInverse, MassError> {
        let inverse = RigidMassInverse::new(self.rigid_mass(frame));
        inverse.ok_or_else(|| MassError { largest: largest(&self.modal) })
    }

    /// Velocities of a free body from its momenta in body axes: linear Aᵀ P, angular about the frame origin
    /// Aᵀ (L − r × P), modal p. [`Kinetics::invert`] came before. The result is in
    /// [`Kinetics::velocities`].
    pub fn solve_free(
        &mut self,
        frame: &FloatingFrame,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
        p: &[f64],
    ) {
        let mut velocities = std::mem::take(&mut self.velocities.modal);
        let (v, omega) = self.apply_inverse_mass(frame, linear, angular, p, &mut velocities);
        self.velocities = Velocities { v, omega, modal: velocities };
    }

    /// M⁻¹ of generalised forces or momenta of a free body, for which [`Kinetics::invert`] came before:
    /// returns the parts of v and ω and writes that of q̇ to `modal`.
    ///
    /// # Panics
    ///
    /// Without the inverse at this state.
    pub fn apply_inverse_mass(
        &self,
        frame: &FloatingFrame,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
        p: &[f64],
        modal: &mut [f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        let n = frame.n;
        let inverse = self.rigid_inverse.as_ref().expect("the mass matrix was inverted");
        if n == 0 {
            return inverse.apply(linear, angular);
        }
        apply_inverse(frame, p, modal);
        let mut right = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        for i in 0..6 {
            right[i] -= dot(&self.couplings[n * i..n * (i + 1)], modal);
        }
        let right = inverse.0 * right;
        for j in 0..6 {
            for (x, e) in modal.iter_mut().zip(&self.eliminated[n * j..n * (j + 1)]) {
                *x -= right[j] * e;
            }
        }
        (right.fixed_rows::<3>(0).into(), right.fixed_rows::<3>(3).into())
    }

    /// M⁻¹ of a body whose frame is held.
    pub(crate) fn apply_inverse_modal_mass(frame: &FloatingFrame, p: &[f64], modal: &mut [f64]) {
        apply_inverse(frame, p, modal);
    }

    /// Velocities of a body whose frame is held: q̇ = M̄_e⁻¹ p.
    pub fn solve_fixed(&mut self, frame: &FloatingFrame, p: &[f64]) {
        self.velocities.v = Vector3::zeros();
        self.velocities.omega = Vector3::zeros();
        apply_inverse(frame, p, &mut self.velocities.modal);
    }

    /// Adds ∂T/∂q_k = v · (ω × C_tᵀ e_k) + ωᵀ G_k ω + ω · (∂C_rᵀ/∂q_k) q̇ + v · (∂C_tᵀ/∂q_k) q̇ to `rate`,
    /// with the velocities found last. This replaces all centrifugal and Coriolis terms.
    pub fn add_kinetic_force(&mut self, frame: &FloatingFrame, rate: &mut [f64]) {
        let n = frame.n;
        let Velocities { v, omega, modal } = &self.velocities;
        self.work.fill(0.0);
        add_columns(&mut self.work, &frame.coupling_r1, modal);
        if let Some(slopes) = &frame.slopes {
            add_columns(&mut self.work, &slopes.rotation, modal);
            self.work_t.fill(0.0);
            add_columns(&mut self.work_t, &slopes.translation, modal);
            for (rate, change) in rate.iter_mut().zip(self.work_t.as_chunks::<3>().0) {
                *rate += v.dot(&Vector3::from(*change));
            }
        }
        let carried = v.cross(omega);
        for k in 0..n {
            let ct = Vector3::from_column_slice(&self.coupling_t[3 * k..3 * k + 3]);
            let cr = Vector3::from_column_slice(&self.work[3 * k..3 * k + 3]);
            let g = block_of(&self.inertia_rates, n, k);
            rate[k] += carried.dot(&ct) + omega.dot(&(g * omega)) + omega.dot(&cr);
        }
    }

    /// h_ω of docs/theory/floating-frame.md, eq. (32), with the velocities found last: the quadratic velocity
    /// terms for the unknown a₀ = Aᵀ r̈. Those of the modes are written to `modal`.
    ///
    /// G_rk = −2 ∫ c̃ φ̃_k dm = 2 (I1_k + Σ_l q_l I2_lk): with I2_kl = −∫ φ̃_k φ̃_l dm the *second* index is
    /// that of the mode whose rate it multiplies, so the transpose of ∂I/∂q's half enters.
    pub fn quadratic_forces(
        &mut self,
        frame: &FloatingFrame,
        modal: &mut [f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        let n = frame.n;
        let Velocities { omega, modal: rate, .. } = &self.velocities;
        let drift = sum_columns(&self.coupling_t, rate);
        let mut translation = omega.cross(&omega.cross(&self.first_moment)) + 2.0 * omega.cross(&drift);
        let mut rotation = omega.cross(&(self.inertia * omega));
        if let Some(slopes) = &frame.slopes {
            // ω × C_r q̇ + Ċ_r q̇ and Ċ_t q̇ of the symmetric slopes. On the modes they cancel.
            for (of, is_rotation) in [(&slopes.translation, false), (&slopes.rotation, true)] {
                self.work.fill(0.0);
                add_columns(&mut self.work, of, rate);
                let [by_rate, by_place] = [rate, &self.modal].map(|x| sum_columns(&self.work, x));
                match is_rotation {
                    true => rotation += omega.cross(&by_place) + by_rate,
                    false => translation += by_rate,
                }
            }
        }
        self.work.fill(0.0);
        add_columns(&mut self.work, &frame.coupling_r1_by_first, rate);
        for k in 0..n {
            let i1 = block_of(&frame.inertia_1, n, k);
            let g = block_of(&self.inertia_rates, n, k);
            rotation += 2.0 * rate[k] * (i1 * omega + (g - i1).tr_mul(omega));
            let turned = Vector3::from_column_slice(&self.work[3 * k..3 * k + 3]);
            modal[k] = 2.0 * omega.dot(&turned) - omega.dot(&(g * omega));
        }
        (translation, rotation)
    }

    /// Momenta M z in body axes: linear, angular about the frame origin; the modal ones are written to `p`.
    pub fn momenta(
        &self,
        frame: &FloatingFrame,
        z: &Velocities,
        p: &mut [f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        let mc = &self.first_moment;
        let linear = frame.mass * z.v + z.omega.cross(mc) + sum_columns(&self.coupling_t, &z.modal);
        let angular = mc.cross(&z.v) + self.inertia * z.omega + sum_columns(&self.coupling_r, &z.modal);
        for k in 0..frame.n {
            let ct = Vector3::from_column_slice(&self.coupling_t[3 * k..3 * k + 3]);
            let cr = Vector3::from_column_slice(&self.coupling_r[3 * k..3 * k + 3]);
            p[k] = ct.dot(&z.v) + cr.dot(&z.omega);
            p[k] += frame.mass_modal.row_times(k, &z.modal);
        }
        (linear, angular)
    }

    /// M̄_e⁻¹ \[C_t C_r\].
    fn eliminate(&mut self, frame: &FloatingFrame) {
        let n = frame.n;
        for j in 0..6 {
            let column = n * j..n * (j + 1);
            let couplings = &mut self.couplings[column.clone()];
            let of = if j < 3 { &self.coupling_t } else { &self.coupling_r };
            couplings.iter_mut().enumerate().for_each(|(k, out)| *out = of[3 * k + j % 3]);
            apply_inverse(frame, couplings, &mut self.eliminated[column]);
        }
    }
}

/// Inverse of the mass matrix of a body that moves without changing its shape: it is applied for each row of
/// a joint, and a product costs less than a solution with factors.
#[derive(Debug, Clone)]
pub(crate) struct RigidMassInverse(Matrix6<f64>);

impl RigidMassInverse {
    /// Of a matrix of which the lower triangle is read; none if it is not positive definite.
    fn new(mass: Matrix6<f64>) -> Option<Self> {
        mass.cholesky().map(|factor| Self(factor.inverse()))
    }

    /// Velocities (v, ω) under an impulse and a moment of impulse about the frame origin, in body axes.
    pub(crate) fn apply(
        &self,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let right = self.0 * Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        (right.fixed_rows::<3>(0).into(), right.fixed_rows::<3>(3).into())
    }
}

/// Largest magnitude.
fn largest(q: &[f64]) -> f64 {
    q.iter().fold(0.0, |most: f64, q| q.abs().max(most))
}

/// out = M̄_e⁻¹ x.
fn apply_inverse(frame: &FloatingFrame, x: &[f64], out: &mut [f64]) {
    let Some(inverse) = &frame.mass_modal_inverse else {
        out.copy_from_slice(x);
        return;
    };
    for (k, out) in out.iter_mut().enumerate() {
        *out = (0..frame.n).map(|l| inverse[(k, l)] * x[l]).sum();
    }
}

/// Σ_k x_k (column k of a 3 × n array).
fn sum_columns(columns: &[f64], x: &[f64]) -> Vector3<f64> {
    let mut sum = Vector3::zeros();
    for (column, x) in columns.chunks_exact(3).zip(x) {
        sum += *x * Vector3::new(column[0], column[1], column[2]);
    }
    sum
}

/// out += Σ_k x_k (column k of an array with as many rows as `out`), four columns at a time.
fn add_columns(out: &mut [f64], columns: &[f64], x: &[f64]) {
    let rows = out.len();
    if rows == 0 {
        return;
    }
    let (mut fours, mut factors) = (columns.chunks_exact(4 * rows), x.chunks_exact(4));
    for (four, x) in fours.by_ref().zip(factors.by_ref()) {
        let (first, second) = four.split_at(2 * rows);
        let ((a, b), (c, d)) = (first.split_at(rows), second.split_at(rows));
        for i in 0..rows {
            out[i] = out[i] + x[0] * a[i] + x[1] * b[i] + x[2] * c[i] + x[3] * d[i];
        }
    }
    for (column, x) in fours.remainder().chunks_exact(rows).zip(factors.remainder()) {
        out.iter_mut().zip(column).for_each(|(out, c)| *out += x * c);
    }
}

/// The k-th 3 × 3 block of a 3n × 3 array.
pub(crate) fn block_of(array: &[f64], n: usize, k: usize) -> Matrix3<f64> {
    Matrix3::from_fn(|a, b| array[3 * n * b + 3 * k + a])
}

#[cfg(test)]
mod tests {
    use super::Kinetics;
    use crate::body::Body;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn a_rigid_mass_that_is_not_positive_definite_is_an_error_and_not_an_impulse() {
        let body = Body::rigid("ball", 2.0, 0.5 * Matrix3::identity(), Vector3::zeros()).unwrap();
        let mut kinetics = Kinetics::new(0);
        kinetics.set_modal(&body.frame, &[]);
        let inverse = kinetics.rigid_mass_inverse(&body.frame).unwrap();
        let (v, omega) = inverse.apply(&Vector3::new(2.0, 0.0, 4.0), &Vector3::new(0.0, 1.0, 0.0));
        let error = (v - Vector3::new(1.0, 0.0, 2.0)).norm() + (omega - Vector3::new(0.0, 2.0, 0.0)).norm();
        assert!(error < 1e-14, "{v} {omega}");
        kinetics.inertia[(1, 1)] = -0.5;
        let error = kinetics.rigid_mass_inverse(&body.frame).unwrap_err();
        assert!(error.to_string().contains("not positive definite"), "{error}");
    }
}
