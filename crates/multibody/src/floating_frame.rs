//! Constants of the floating frame of reference over the dynamic modes, laid out for the rate.

use carom_linalg::DenseEigenError;
use carom_reduce::unread::UnreadArrayError;
use carom_reduce::{DampingError, Invariants, Stiffening};
use faer::{Mat, MatRef};
use nalgebra::{DMatrix, Matrix3, Matrix6, Vector3};

use crate::modal_matrix::ModalMatrix;
use crate::velocities::Velocities;

/// Invariants of docs/theory/floating-frame.md, eq. (29) over the first n modes. A rigid body has n = 0. With
/// indices a, b of components and k, l, m of modes, arrays are flat: see each field. High modes are in no
/// inertia term (docs/theory/contact.md, eq. (50)).
#[derive(Debug, Clone)]
pub struct FloatingFrame {
    /// Number n of dynamic modes.
    pub n: usize,
    /// m \[kg\].
    pub mass: f64,
    /// ∫ R dm \[kg m\].
    pub first_moment: Vector3<f64>,
    /// I₀ \[kg m²\] about the origin of the body frame.
    pub inertia: Matrix3<f64>,
    /// C_tᵀ: `[3 k + a]`.
    pub coupling_t: Vec<f64>,
    /// C_r0ᵀ: `[3 k + a]`.
    pub coupling_r0: Vec<f64>,
    /// (∫ φ_l × φ_k dm)_a: `[3 n k + 3 l + a]`.
    pub coupling_r1: Vec<f64>,
    /// The same with k and l exchanged, for sums over l: `[3 n l + 3 k + a]`.
    pub(crate) coupling_r1_by_first: Vec<f64>,
    /// Symmetric slopes of C_t and C_r; none without displacement of second order.
    pub slopes: Option<CouplingSlopes>,
    /// I1_k: entry (a, b) at `[3 n b + 3 k + a]`.
    pub inertia_1: Vec<f64>,
    /// I2_kl: entry (a, b) at `[3 n (3 l + b) + 3 k + a]`.
    pub inertia_2: Vec<f64>,
    /// M̄_e, n × n.
    pub mass_modal: ModalMatrix,
    /// M̄_e⁻¹; none if M̄_e is the identity.
    pub(crate) mass_modal_inverse: Option<DMatrix<f64>>,
    /// K̄_e, n × n.
    pub stiffness_modal: ModalMatrix,
    /// D̄_e, n × n: the force −D̄_e q̇ on the modes, none on the rigid motion. None if nothing is damped.
    pub damping_modal: Option<ModalMatrix>,
    /// M_R⁻¹ [C_t C_r0]ᵀ, 6 × n: the rigid motion that comes with the modes; none in the Buckens frame.
    pub(crate) carried: Option<DMatrix<f64>>,
}

/// Slopes of C_t and C_r by the displacement of second order w of the body, symmetric in the modes
/// (docs/theory/stiffening.md, eq. (129)).
///
/// ```text
/// C_t(q)_k = C_t,k − Σ_l q_l ∫ w_kl dm ,     C_r(q)_k = C_r0,k + Σ_l q_l (C_r1,l,k − ∫ R × w_kl dm)
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CouplingSlopes {
    /// −(∫ w_kl dm)_a: `[3 n l + 3 k + a]`.
    pub translation: Vec<f64>,
    /// −(∫ R × w_kl dm)_a: the same places.
    pub rotation: Vec<f64>,
}

impl CouplingSlopes {
    /// Slopes of entry k by q_l.
    pub(crate) fn at(&self, n: usize, l: usize, k: usize) -> [Vector3<f64>; 2] {
        [&self.translation, &self.rotation]
            .map(|of| Vector3::from_column_slice(&of[3 * (n * l + k)..3 * (n * l + k) + 3]))
    }
}

/// Errors from the constants of a body.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// The mass must be positive.
    #[error("the mass is {mass:e} kg; it must be positive and finite")]
    Mass {
        /// The given mass \[kg\].
        mass: f64,
    },
    /// The inertia tensor about the centre of mass must be positive definite and obey the triangle
    /// inequality.
    #[error(
        "the principal moments of inertia about the centre of mass are {moments:?} kg m²; they must be \
         positive, and none may exceed the sum of the others"
    )]
    Inertia {
        /// Principal moments, ascending \[kg m²\].
        moments: [f64; 3],
    },
    /// More dynamic modes than modes.
    #[error("{n_low} dynamic modes are requested, but the body has {n_modes}")]
    Modes {
        /// Asked for.
        n_low: usize,
        /// Present.
        n_modes: usize,
    },
    /// Modes without mass cannot move by themselves.
    #[error(
        "{n} modes are to be dynamic, but only the first {n_massive} have mass: the boundary of this model \
         is massless. Run it with `scheme = \"quasistatic\"`, or reduce the body again with `residual` in \
         place of `massless_boundary`"
    )]
    Massless {
        /// Asked for.
        n: usize,
        /// With mass.
        n_massive: usize,
    },
    /// Some array has the wrong size or numbers that are not finite.
    #[error(
        "array `{name}` of the reduced body has {rows} rows and {columns} columns with finite numbers needed \
         in all, expected {expected:?}"
    )]
    Shape {
        /// Name of the array.
        name: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// Rows and columns expected, at least.
        expected: (usize, usize),
    },
    /// The damping is invalid for these modes.
    #[error("the body cannot be damped: {source}")]
    Damping {
        /// Why.
        source: DampingFailure,
    },
    /// Arrays of all modes, of which static modes are combinations, cannot be read from the file.
    #[error(transparent)]
    Unread(#[from] UnreadArrayError),
    /// Modes are dependent or contain rigid motion.
    #[error(
        "the mass matrix of the floating frame is not positive definite: the modes contain rigid motion or \
         depend on each other; reduce the body again"
    )]
    Singular,
}

/// Why a body cannot be damped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(transparent)]
pub enum DampingFailure {
    /// Its numbers.
    Numbers(#[from] DampingError),
    /// The modes of the body.
    Modes(#[from] DenseEigenError),
}

impl FloatingFrame {
    /// A rigid body with its frame in the centre of mass.
    ///
    /// # Errors
    ///
    /// [`FrameError::Mass`], [`FrameError::Inertia`].
    pub fn rigid(mass: f64, inertia: Matrix3<f64>) -> Result<Self, FrameError> {
        let frame = Self {
            n: 0,
            mass,
            first_moment: Vector3::zeros(),
            inertia: 0.5 * (inertia + inertia.transpose()),
            coupling_t: Vec::new(),
            coupling_r0: Vec::new(),
            coupling_r1: Vec::new(),
            coupling_r1_by_first: Vec::new(),
            slopes: None,
            inertia_1: Vec::new(),
            inertia_2: Vec::new(),
            mass_modal: ModalMatrix::Diagonal(Vec::new()),
            mass_modal_inverse: None,
            stiffness_modal: ModalMatrix::Diagonal(Vec::new()),
            damping_modal: None,
            carried: None,
        };
        frame.check()?;
        Ok(frame)
    }

    /// The first `n` of the modes of a reduced body.
    ///
    /// # Errors
    ///
    /// [`FrameError`] if arrays do not fit together or describe no body.
    pub fn new(invariants: &Invariants, n: usize) -> Result<Self, FrameError> {
        let n_modes = invariants.mass_modal.nrows();
        if n > n_modes {
            return Err(FrameError::Modes { n_low: n, n_modes });
        }
        let n_massive = invariants.n_massive();
        if n > n_massive {
            return Err(FrameError::Massless { n, n_massive });
        }
        let flat = |name, matrix: MatRef<'_, f64>, rows: usize, columns: usize| {
            leading_block(matrix, rows, columns).ok_or(FrameError::Shape {
                name,
                rows: matrix.nrows(),
                columns: matrix.ncols(),
                expected: (rows, columns),
            })
        };
        let square = |name, matrix: &Mat<f64>| {
            flat(name, matrix.as_ref(), n, n).map(|values| ModalMatrix::from(DMatrix::from_vec(n, n, values)))
        };
        let mass_modal = square("mass_modal", &invariants.mass_modal)?;
        let coupling_r1 = flat("coupling_r1", invariants.coupling_r1.leading(3 * n, n)?, 3 * n, n)?;
        let frame = Self {
            n,
            mass: invariants.mass,
            first_moment: Vector3::from(invariants.first_moment),
            inertia: Matrix3::from_fn(|a, b| 0.5 * (invariants.inertia[a][b] + invariants.inertia[b][a])),
            coupling_t: flat("coupling_t", invariants.coupling_t.as_ref(), 3, n)?,
            coupling_r0: flat("coupling_r0", invariants.coupling_r0.as_ref(), 3, n)?,
            coupling_r1_by_first: exchanged(&coupling_r1, n),
            coupling_r1,
            slopes: None,
            inertia_1: flat("inertia_1", invariants.inertia_1.as_ref(), 3 * n, 3)?,
            inertia_2: flat("inertia_2", invariants.inertia_2.leading(3 * n, 3 * n)?, 3 * n, 3 * n)?,
            mass_modal_inverse: inverse(&mass_modal)?,
            mass_modal,
            stiffness_modal: square("stiffness_modal", &invariants.stiffness_modal)?,
            damping_modal: match &invariants.damping_modal {
                Some(damping) => Some(square("damping_modal", damping)?),
                None => None,
            },
            carried: None,
        };
        frame.check()?;
        Ok(Self { carried: frame.carried(), ..frame })
    }

    /// Subtracts ½ qᵀ K(ω) q, K(ω) the geometric stiffness of the body under its centrifugal stress, from the
    /// kinetic energy: it is a part of I2 (docs/theory/stiffening.md, eq. (125)). That of accelerations of
    /// the frame is in the slopes of C_t and C_r.
    pub(crate) fn stiffen(&mut self, stiffening: &Stiffening) {
        let n = self.n;
        let slopes = |of: &[Mat<f64>]| -> Vec<f64> {
            let matrices: Vec<_> = of.iter().map(|k| stiffening.over_modes(k, n)).collect();
            let entry = |i: usize| matrices.get(i % 3).map_or(0.0, |k| -k[(i / 3 % n, i / 3 / n)]);
            (0..3 * n * n).map(entry).collect()
        };
        let Stiffening { weight, turning, .. } = stiffening;
        self.slopes = (!(weight.is_empty() && turning.is_empty()))
            .then(|| CouplingSlopes { translation: slopes(weight), rotation: slopes(turning) });
        let of_inertia = stiffening.of_inertia(self.n);
        for (j, column) in self.inertia_2.chunks_exact_mut((3 * self.n).max(1)).enumerate() {
            column.iter_mut().zip(of_inertia.col(j).iter()).for_each(|(i2, part)| *i2 += part);
        }
    }

    /// M_R⁻¹ [C_t C_r0]ᵀ, if it is more than rounding.
    fn carried(&self) -> Option<DMatrix<f64>> {
        let coupling = DMatrix::from_fn(6, self.n, |i, k| {
            if i < 3 { self.coupling_t[3 * k + i] } else { self.coupling_r0[3 * k + i - 3] }
        });
        let (t, r) = (self.mass.sqrt(), self.inertia.trace().sqrt());
        let is_rounding = |(i, x): (usize, &f64)| x.abs() <= 1e-8 * if i % 6 < 3 { t } else { r };
        if coupling.iter().enumerate().all(is_rounding) {
            return None;
        }
        let mut rigid = Matrix6::zeros();
        let moment = self.first_moment.cross_matrix();
        rigid.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(self.mass);
        rigid.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment);
        rigid.fixed_view_mut::<3, 3>(0, 3).copy_from(&moment.transpose());
        rigid.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        rigid.cholesky().map(|factor| factor.solve(&coupling))
    }

    /// Velocity of the frame's origin and angular velocity of the mean motion, to first order in the
    /// deformation: those of the frame and the rigid motion in the modes. The same for any choice of the
    /// frame.
    pub fn mean_motion(&self, velocities: &Velocities) -> (Vector3<f64>, Vector3<f64>) {
        let (mut v, mut omega) = (velocities.v, velocities.omega);
        if let Some(carried) = &self.carried {
            for (k, rate) in velocities.modal.iter().enumerate() {
                v += *rate * carried.fixed_view::<3, 1>(0, k);
                omega += *rate * carried.fixed_view::<3, 1>(3, k);
            }
        }
        (v, omega)
    }

    /// Centre of mass of the undeformed body in the body frame \[m\].
    pub fn com_b(&self) -> Vector3<f64> {
        self.first_moment / self.mass
    }

    /// Inertia tensor about the centre of mass of the undeformed body \[kg m²\].
    pub fn inertia_com(&self) -> Matrix3<f64> {
        let c = self.com_b();
        self.inertia - self.mass * (c.norm_squared() * Matrix3::identity() - c * c.transpose())
    }

    /// Largest radius of gyration \[m\].
    pub fn gyration_radius(&self) -> f64 {
        (self.inertia_com().symmetric_eigenvalues().max() / self.mass).sqrt()
    }

    fn check(&self) -> Result<(), FrameError> {
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Err(FrameError::Mass { mass: self.mass });
        }
        let moments = if self.inertia_com().iter().all(|x| x.is_finite()) {
            let mut moments: [f64; 3] = self.inertia_com().symmetric_eigenvalues().into();
            moments.sort_by(f64::total_cmp);
            moments
        } else {
            [f64::NAN; 3]
        };
        // A slack for inertia tensors that were rounded when written.
        if !(moments[0] > 0.0 && moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-6)) {
            return Err(FrameError::Inertia { moments });
        }
        Ok(())
    }
}

/// M̄_e⁻¹, or none for the identity.
fn inverse(mass_modal: &ModalMatrix) -> Result<Option<DMatrix<f64>>, FrameError> {
    let n = mass_modal.n();
    let departure = (mass_modal.dense() - DMatrix::identity(n, n)).amax();
    // The second eigenproblem leaves round-off only; treating that as the identity changes energies by as
    // much.
    if n == 0 || departure < 1e-10 {
        return Ok(None);
    }
    mass_modal.dense().cholesky().map(|factor| Some(factor.inverse())).ok_or(FrameError::Singular)
}

/// Vectors `[3 n k + 3 l + a]` as `[3 n l + 3 k + a]`.
fn exchanged(vectors: &[f64], n: usize) -> Vec<f64> {
    let indices = (0..n).flat_map(|l| (0..n).flat_map(move |k| (0..3).map(move |a| (l, k, a))));
    indices.map(|(l, k, a)| vectors[3 * n * k + 3 * l + a]).collect()
}

/// The leading block of a matrix, column by column, if it exists and is finite.
fn leading_block(matrix: MatRef<'_, f64>, rows: usize, columns: usize) -> Option<Vec<f64>> {
    if matrix.nrows() < rows || matrix.ncols() < columns {
        return None;
    }
    let indices = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
    let values: Vec<f64> = indices.map(|index| matrix[index]).collect();
    values.iter().all(|x| x.is_finite()).then_some(values)
}
