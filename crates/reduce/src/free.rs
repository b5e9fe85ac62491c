//! The free vibrations of a reduced body, whatever its frame.
//!
//! In the Buckens frame these are the modes themselves. In another frame the modes carry momentum; the free
//! vibrations follow from the effective mass, with the rigid motion that cancels this momentum,
//!
//! ```text
//! M_eff = M̄_e − [C_t C_r0] M_R⁻¹ [C_t C_r0]ᵀ,   K̄_e u = ω² M_eff u,   Uᵀ M_eff U = E
//! ```
//!
//! with M_R the 6 × 6 mass matrix of the rigid body.

use std::borrow::Cow;

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{fix_signs, generalised_pairs, symmetrised};
use carom_linalg::tall::product;
use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;
use nalgebra::{DMatrix, Matrix3, Matrix6, SMatrix, Vector3};

use crate::attachment::AttachedMarker;
use crate::invariants::Invariants;
use crate::point_modes::Modes;
use crate::reduced::ReducedBody;
use crate::rigid::rigid_modes;

/// Deviation from unit mass and diagonal stiffness that counts as rounding.
const ROUNDING: f64 = 1e-10;

/// Free vibrations of the first modes of a reduced body.
#[derive(Debug, Clone)]
pub struct FreeVibrations {
    /// Circular frequencies, ascending \[rad/s\].
    pub omega: Vec<f64>,
    /// M_eff U, n × n: coordinates of the free modes are (M_eff U)ᵀ q. None if they are the modes themselves.
    pub dual: Option<Mat<f64>>,
}

/// The modes of a model relative to the Buckens frame, at the points of the model.
///
/// Statics and vibrations of a free body are compared in this frame: u = Φ Ω⁻² Φᵀ f is the response under
/// inertia relief.
#[derive(Debug, Clone)]
pub struct FreeShapes<'a> {
    /// Circular frequencies, ascending \[rad/s\].
    pub omega: Cow<'a, [f64]>,
    /// Number of modes with mass; the others are those of a massless boundary.
    pub n_massive: usize,
    /// Mode values at the boundary points.
    pub boundary: Cow<'a, Modes>,
    /// Markers of the attachments with their motions.
    pub markers: Cow<'a, [AttachedMarker]>,
    /// None if the modes of the model are the free ones.
    change: Option<Change>,
}

/// From the modes of a model to its free modes, Φ_free = Φ U + R B.
#[derive(Debug, Clone)]
struct Change {
    /// U, n × n.
    combination: Mat<f64>,
    /// B, 6 × n.
    rigid: Mat<f64>,
}

impl Change {
    fn applied_to(&self, modes: &Modes) -> Modes {
        let n = self.combination.ncols();
        let motions = rigid_modes(&modes.positions_b, [0.0; 3]);
        let own = product(modes.values.subcols(0, n), self.combination.as_ref())
            + product(motions.as_ref(), self.rigid.as_ref());
        let values = Mat::from_fn(modes.values.nrows(), modes.values.ncols(), |i, k| {
            if k < n { own[(i, k)] } else { modes.values[(i, k)] }
        });
        Modes { values, ..modes.clone() }
    }
}

impl<'a> FreeShapes<'a> {
    /// The free modes of a model in any frame.
    ///
    /// ```text
    /// Φ_free = Φ U − R M_R⁻¹ [C_t C_r0]ᵀ U
    /// ```
    ///
    /// # Errors
    ///
    /// [`DenseEigenError`] as [`free_vibrations`].
    pub fn new(model: &'a ReducedBody) -> Result<Self, DenseEigenError> {
        let n = model.invariants.n_massive();
        let FreeVibrations { omega, dual } = free_vibrations(model, n)?;
        let Some(dual) = dual else {
            return Ok(Self {
                omega: Cow::Borrowed(&model.omega),
                n_massive: n,
                boundary: Cow::Borrowed(&model.boundary),
                markers: Cow::Borrowed(&model.markers),
                change: None,
            });
        };
        // (M_eff U)ᵀ U = E.
        let combination = dual.transpose().partial_piv_lu().inverse();
        let factor = rigid_mass(&model.invariants)
            .cholesky()
            .ok_or(DenseEigenError::NotPositiveDefinite { row: 0, n: 6 })?;
        let coupling = DMatrix::from_fn(6, n, |i, k| momentum(&model.invariants, i, k));
        let rigid = factor.solve(&coupling);
        // The frame of a held body does not move.
        let share = if model.held.is_empty() { -1.0 } else { 0.0 };
        let rigid = Mat::from_fn(6, n, |i, k| share * rigid[(i, k)]) * &combination;
        let markers = model.markers.iter().map(|marker| seen_marker(marker, &combination, &rigid)).collect();
        let change = Change { combination, rigid };
        Ok(Self {
            omega: omega.into_iter().chain(model.omega[n..].iter().copied()).collect(),
            n_massive: n,
            boundary: Cow::Owned(change.applied_to(&model.boundary)),
            markers,
            change: Some(change),
        })
    }

    /// The free modes at other points of the model.
    ///
    /// * `modes` — those of the model there
    pub fn at<'m>(&self, modes: &'m Modes) -> Cow<'m, Modes> {
        self.change.as_ref().map_or(Cow::Borrowed(modes), |change| Cow::Owned(change.applied_to(modes)))
    }
}

/// A model with the modes of its free vibrations at the boundary points, whatever its body frame.
///
/// # Errors
///
/// [`DenseEigenError`] as [`free_vibrations`].
pub fn free_body(model: &ReducedBody) -> Result<ReducedBody, DenseEigenError> {
    let shapes = FreeShapes::new(model)?;
    Ok(ReducedBody { omega: shapes.omega.to_vec(), boundary: shapes.boundary.into_owned(), ..model.clone() })
}

/// A marker that moves with combinations of the first modes and a rigid motion of each.
fn seen_marker(marker: &AttachedMarker, combination: &Mat<f64>, rigid: &Mat<f64>) -> AttachedMarker {
    let n = combination.ncols();
    let motions = rigid_modes(&[marker.position_b], [0.0; 3]);
    let mut seen = marker.clone();
    let of_place = marker.translation.subcols(0, n) * combination + motions * rigid;
    seen.translation.subcols_mut(0, n).copy_from(of_place);
    let of_turn = marker.rotation.subcols(0, n) * combination + rigid.subrows(3, 3);
    seen.rotation.subcols_mut(0, n).copy_from(of_turn);
    seen
}

/// M_R, the mass matrix of the rigid body.
fn rigid_mass(invariants: &Invariants) -> Matrix6<f64> {
    let mut rigid = Matrix6::zeros();
    let moment = Vector3::from(invariants.first_moment).cross_matrix();
    rigid.fixed_view_mut::<3, 3>(0, 0).copy_from(&(invariants.mass * Matrix3::identity()));
    rigid.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment);
    rigid.fixed_view_mut::<3, 3>(0, 3).copy_from(&moment.transpose());
    let inertia = Matrix3::from_fn(|a, b| 0.5 * (invariants.inertia[a][b] + invariants.inertia[b][a]));
    rigid.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
    rigid
}

/// Component i of the linear and angular momentum of mode k.
fn momentum(invariants: &Invariants, i: usize, k: usize) -> f64 {
    if i < 3 { invariants.coupling_t[(i, k)] } else { invariants.coupling_r0[(i - 3, k)] }
}

/// M_eff of the first n modes: their mass when the body frame cancels their momentum; for a held body M̄_e
/// itself.
///
/// None if the rigid body has no positive definite mass matrix.
pub fn effective_mass(model: &ReducedBody, n: usize) -> Option<Mat<f64>> {
    let invariants = &model.invariants;
    if !model.held.is_empty() {
        return Some(symmetrised(invariants.mass_modal.submatrix(0, 0, n, n)));
    }
    let factor = rigid_mass(invariants).cholesky()?;
    let columns: Vec<SMatrix<f64, 6, 1>> = (0..n)
        .map(|k| {
            let mut column = SMatrix::<f64, 6, 1>::from_fn(|i, _| momentum(invariants, i, k));
            factor.l().solve_lower_triangular_mut(&mut column);
            column
        })
        .collect();
    let mass = Mat::from_fn(n, n, |i, j| invariants.mass_modal[(i, j)] - columns[i].dot(&columns[j]));
    Some(symmetrised(mass.as_ref()))
}

/// Free vibrations of the first n modes; for a held body the vibrations of the held body.
///
/// # Errors
///
/// [`DenseEigenError`] if stiffness or effective mass are not positive definite: the modes contain rigid
/// motion.
pub fn free_vibrations(model: &ReducedBody, n: usize) -> Result<FreeVibrations, DenseEigenError> {
    let mass = effective_mass(model, n).ok_or(DenseEigenError::NotPositiveDefinite { row: 0, n: 6 })?;
    let stiffness = symmetrised(model.invariants.stiffness_modal.submatrix(0, 0, n, n));
    let is_plain = (0..n).all(|i| {
        (0..n).all(|j| {
            let unit = if i == j { 1.0 } else { 0.0 };
            let scale = (stiffness[(i, i)] * stiffness[(j, j)]).abs().sqrt();
            (mass[(i, j)] - unit).abs() <= ROUNDING && (i == j || stiffness[(i, j)].abs() <= ROUNDING * scale)
        })
    });
    if is_plain {
        let omega = (0..n).map(|k| stiffness[(k, k)].max(0.0).sqrt()).collect();
        return Ok(FreeVibrations { omega, dual: None });
    }
    let mut pairs = generalised_pairs(stiffness.as_ref(), mass.as_ref())?;
    fix_signs(pairs.vectors.as_mut());
    let omega = pairs.lambda.iter().map(|lambda| lambda.sqrt()).collect();
    Ok(FreeVibrations { omega, dual: Some(&mass * &pairs.vectors) })
}
