//! Kinetic energy of the floating frame: mass matrix, velocities from momenta, derivative by the modal coordinates.
//!
//! With z = (v, ω, q̇), v and ω in body axes (THEORY 1.3):
//!
//! ```text
//!         ⎡ m E    m̃c(q)ᵀ   C_tᵀ    ⎤
//! M(q) =  ⎢ m̃c(q)  I(q)     C_r(q)ᵀ ⎥      T = ½ zᵀ M z      (Aᵀ P, Aᵀ (L − r × P), p) = M z
//!         ⎣ C_t    C_r(q)   M̄_e     ⎦
//! ```

use crate::floating_frame::FloatingFrame;
use carom_dynamics::rotation::skew;
use nalgebra::{Cholesky, Matrix3, Matrix6, U6, Vector3, Vector6};

/// The mass matrix has lost its positive definiteness: the deformation is far outside what the modes describe.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the mass matrix is not positive definite at modal coordinates up to {largest:.3e}: the body is deformed beyond what its modes describe"
)]
pub struct MassError {
    /// Largest modal coordinate.
    pub largest: f64,
}

/// Velocities of a body: v = Aᵀ ṙ, ω, q̇.
#[derive(Debug, Clone, PartialEq)]
pub struct Velocities {
    /// v = Aᵀ ṙ \[m/s\], body axes.
    pub v: Vector3<f64>,
    /// ω \[rad/s\], body axes.
    pub omega: Vector3<f64>,
    /// q̇.
    pub modal: Vec<f64>,
}

/// Terms of the mass matrix at some q, with workspace. Nothing allocates after [`Kinetics::new`].
#[derive(Debug, Clone)]
pub struct Kinetics {
    /// mc(q) = ∫ c dm \[kg m\].
    pub first_moment: Vector3<f64>,
    /// I(q) \[kg m²\].
    pub inertia: Matrix3<f64>,
    /// C_r(q)ᵀ: `[3 k + a]`.
    pub coupling_r: Vec<f64>,
    /// G_k = I1_k + Σ_l q_l I2_kl: entry (a, b) at `[3 n b + 3 k + a]`, so that ∂I/∂q_k = G_k + G_kᵀ.
    pub inertia_rates: Vec<f64>,
    /// M̄_e⁻¹ \[C_t C_r\]: n × 6, column by column.
    eliminated: Vec<f64>,
    /// q three times each, then M̄_e⁻¹ p, then ∂C_r/∂q_k q̇.
    work: Vec<f64>,
    /// Factor of what is left of M after the elimination of q̇.
    factor: Option<Cholesky<f64, U6>>,
    /// Velocities found last.
    pub velocities: Velocities,
}

impl Kinetics {
    /// Workspace for a body with n dynamic modes.
    pub fn new(n: usize) -> Self {
        Self {
            first_moment: Vector3::zeros(),
            inertia: Matrix3::zeros(),
            coupling_r: vec![0.0; 3 * n],
            inertia_rates: vec![0.0; 9 * n],
            eliminated: vec![0.0; 6 * n],
            work: vec![0.0; 3 * n],
            factor: None,
            velocities: Velocities { v: Vector3::zeros(), omega: Vector3::zeros(), modal: vec![0.0; n] },
        }
    }

    /// mc(q), I(q), C_r(q), G_k(q); complete to second order in q.
    pub fn set_modal(&mut self, frame: &FloatingFrame, q: &[f64]) {
        let n = frame.n;
        self.first_moment = frame.first_moment + sum_columns(&frame.coupling_t, q);
        self.coupling_r.copy_from_slice(&frame.coupling_r0);
        self.work.chunks_exact_mut(3).zip(q).for_each(|(tripled, q)| tripled.fill(*q));
        for k in 0..n {
            let column = &frame.coupling_r1[3 * n * k..3 * n * (k + 1)];
            let sum = sum_long_columns(column, &self.work);
            for a in 0..3 {
                self.coupling_r[3 * k + a] += sum[a];
            }
        }
        self.inertia_rates.copy_from_slice(&frame.inertia_1);
        self.add_second_order(frame, q);
        self.inertia = frame.inertia;
        for k in 0..n {
            let symmetric =
                block_of(&self.inertia_rates, n, k) + block_of(&frame.inertia_1, n, k).transpose();
            self.inertia += q[k] * symmetric;
        }
    }

    /// Adds Σ_l q_l I2_kl to the G_k, q being tripled in `work`. As I2_lk = I2_klᵀ, each entry below the diagonal serves twice, and half of the array is read: this takes
    /// most of the time of a body with hundreds of dynamic modes.
    fn add_second_order(&mut self, frame: &FloatingFrame, q: &[f64]) {
        let n = frame.n;
        for l in 0..n {
            let (first, below) = (3 * l, 3 * (l + 1));
            let mut mirrored = [Vector3::zeros(); 3];
            for (b, mirrored) in mirrored.iter_mut().enumerate() {
                let column = &frame.inertia_2[3 * n * (3 * l + b)..3 * n * (3 * l + b + 1)];
                *mirrored = sum_long_columns(&column[below..], &self.work[below..]);
                let rates = &mut self.inertia_rates[3 * n * b + first..3 * n * (b + 1)];
                for (rate, i2) in rates.iter_mut().zip(&column[first..]) {
                    *rate += q[l] * i2;
                }
            }
            for (b, mirrored) in mirrored.iter().enumerate() {
                for a in 0..3 {
                    self.inertia_rates[3 * n * a + first + b] += mirrored[a];
                }
            }
        }
    }

    /// Factorises M(q) of a free body, for which [`Kinetics::set_modal`] came before.
    ///
    /// q̇ is eliminated first: its block M̄_e is constant, and in the Buckens frame C_t vanishes besides, so that what is
    /// left is the 6 × 6 matrix of a rigid body with small changes.
    ///
    /// # Errors
    ///
    /// [`MassError`] if that matrix is not positive definite.
    pub fn factorise(&mut self, frame: &FloatingFrame, q: &[f64]) -> Result<(), MassError> {
        let n = frame.n;
        self.eliminate(frame);
        let mut schur = Matrix6::zeros();
        schur.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(frame.mass);
        schur.fixed_view_mut::<3, 3>(3, 0).copy_from(&skew(&self.first_moment));
        schur.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        for i in 0..6 {
            let row = coupling(frame, &self.coupling_r, i);
            // The lower triangle is all that the factorisation reads.
            for j in 0..=i {
                let column = &self.eliminated[n * j..n * (j + 1)];
                schur[(i, j)] -= column.iter().enumerate().map(|(k, e)| row(k) * e).sum::<f64>();
            }
        }
        self.factor = schur.cholesky();
        let largest = || q.iter().fold(0.0, |most: f64, q| q.abs().max(most));
        self.factor.as_ref().map(|_| ()).ok_or_else(|| MassError { largest: largest() })
    }

    /// Velocities of a free body from its momenta in body axes: linear Aᵀ P, angular about the frame origin
    /// Aᵀ (L − r × P), modal p. [`Kinetics::factorise`] came before. The result is in [`Kinetics::velocities`].
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

    /// M⁻¹ of generalised forces or momenta of a free body, for which [`Kinetics::factorise`] came before: returns the parts
    /// of v and ω and writes that of q̇ to `modal`.
    pub fn apply_inverse_mass(
        &self,
        frame: &FloatingFrame,
        linear: &Vector3<f64>,
        angular: &Vector3<f64>,
        p: &[f64],
        modal: &mut [f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        let n = frame.n;
        apply_inverse(frame, p, modal);
        let mut right = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        for i in 0..6 {
            let row = coupling(frame, &self.coupling_r, i);
            right[i] -= modal.iter().enumerate().map(|(k, x)| row(k) * x).sum::<f64>();
        }
        if let Some(factor) = &self.factor {
            factor.solve_mut(&mut right);
        }
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

    /// Adds ∂T/∂q_k = v · (ω × C_tᵀ e_k) + ωᵀ G_k ω + ω · (∂C_rᵀ/∂q_k) q̇ to `rate`, with the velocities found last.
    /// This replaces all centrifugal and Coriolis terms.
    pub fn add_kinetic_force(&mut self, frame: &FloatingFrame, rate: &mut [f64]) {
        let n = frame.n;
        let Velocities { v, omega, modal } = &self.velocities;
        self.work.fill(0.0);
        for m in 0..n {
            let column = &frame.coupling_r1[3 * n * m..3 * n * (m + 1)];
            for (work, c) in self.work.iter_mut().zip(column) {
                *work += modal[m] * c;
            }
        }
        let carried = v.cross(omega);
        for k in 0..n {
            let ct = Vector3::from_column_slice(&frame.coupling_t[3 * k..3 * k + 3]);
            let cr = Vector3::from_column_slice(&self.work[3 * k..3 * k + 3]);
            let g = block_of(&self.inertia_rates, n, k);
            rate[k] += carried.dot(&ct) + omega.dot(&(g * omega)) + omega.dot(&cr);
        }
    }

    /// h_ω of THEORY (1.1) with the velocities found last: the quadratic velocity terms for the unknown a₀ = Aᵀ r̈. Those of
    /// the modes are written to `modal`.
    ///
    /// G_rk = −2 ∫ c̃ φ̃_k dm = 2 (I1_k + Σ_l q_l I2_lk): with I2_kl = −∫ φ̃_k φ̃_l dm the *second* index is that of the mode
    /// whose rate it multiplies, so the transpose of ∂I/∂q's half enters.
    pub fn quadratic_forces(&self, frame: &FloatingFrame, modal: &mut [f64]) -> (Vector3<f64>, Vector3<f64>) {
        let n = frame.n;
        let Velocities { omega, modal: rate, .. } = &self.velocities;
        let drift = sum_columns(&frame.coupling_t, rate);
        let translation = omega.cross(&omega.cross(&self.first_moment)) + 2.0 * omega.cross(&drift);
        let mut rotation = omega.cross(&(self.inertia * omega));
        for k in 0..n {
            let i1 = block_of(&frame.inertia_1, n, k);
            let g = block_of(&self.inertia_rates, n, k);
            rotation += 2.0 * rate[k] * (i1 * omega + (g - i1).tr_mul(omega));
            let column = &frame.coupling_r1[3 * n * k..3 * n * (k + 1)];
            modal[k] = 2.0 * omega.dot(&sum_columns(column, rate)) - omega.dot(&(g * omega));
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
        let linear = frame.mass * z.v + z.omega.cross(mc) + sum_columns(&frame.coupling_t, &z.modal);
        let angular = mc.cross(&z.v) + self.inertia * z.omega + sum_columns(&self.coupling_r, &z.modal);
        for k in 0..frame.n {
            let ct = Vector3::from_column_slice(&frame.coupling_t[3 * k..3 * k + 3]);
            let cr = Vector3::from_column_slice(&self.coupling_r[3 * k..3 * k + 3]);
            p[k] = ct.dot(&z.v) + cr.dot(&z.omega);
            p[k] += frame.times_mass(k, &z.modal);
        }
        (linear, angular)
    }

    /// M̄_e⁻¹ \[C_t C_r\].
    fn eliminate(&mut self, frame: &FloatingFrame) {
        let n = frame.n;
        for j in 0..6 {
            for k in 0..n {
                self.work[k] =
                    if j < 3 { frame.coupling_t[3 * k + j] } else { self.coupling_r[3 * k + j - 3] };
            }
            apply_inverse(frame, &self.work[..n], &mut self.eliminated[n * j..n * (j + 1)]);
        }
    }
}

/// Row i of \[C_tᵀ; C_r(q)ᵀ\], 6 × n.
fn coupling<'a>(frame: &'a FloatingFrame, coupling_r: &'a [f64], i: usize) -> impl Fn(usize) -> f64 + 'a {
    let (values, start) = if i < 3 { (&frame.coupling_t[..], i) } else { (coupling_r, i - 3) };
    move |k| values[3 * k + start]
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

/// The same with each x_k three times in `tripled`: twelve sums, so that none waits for the last.
fn sum_long_columns(columns: &[f64], tripled: &[f64]) -> Vector3<f64> {
    let (blocks, rest) = columns.as_chunks::<12>();
    let (factors, last) = tripled.as_chunks::<12>();
    let mut sums = [0.0; 12];
    for (block, factors) in blocks.iter().zip(factors) {
        for i in 0..12 {
            sums[i] += factors[i] * block[i];
        }
    }
    let mut sum = Vector3::from_fn(|a, _| (sums[a] + sums[3 + a]) + (sums[6 + a] + sums[9 + a]));
    for (i, (x, factor)) in rest.iter().zip(last).enumerate() {
        sum[i % 3] += factor * x;
    }
    sum
}

/// The k-th 3 × 3 block of a 3n × 3 array.
pub(crate) fn block_of(array: &[f64], n: usize, k: usize) -> Matrix3<f64> {
    Matrix3::from_fn(|a, b| array[3 * n * b + 3 * k + a])
}
