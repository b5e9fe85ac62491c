//! Checks that mass and stiffness of a reduced body are positive semi-definite.

use faer::{Mat, Side};
use thiserror::Error;

use crate::Invariants;

/// Largest negative eigenvalue, of a matrix with a unit diagonal, that rounding and lumped masses can
/// produce.
const ROUNDING: f64 = 1e-8;
/// Largest accepted asymmetry, relative to the diagonal entries.
const ASYMMETRY: f64 = 1e-6;

/// Errors in the constants of a floating frame.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum IndefiniteError {
    /// The mass of the body is not positive.
    #[error("the mass is {mass:?} kg: it must be positive and finite")]
    Mass {
        /// Its value \[kg\].
        mass: f64,
    },
    /// A negative diagonal entry, or a zero diagonal entry in a nonzero row.
    #[error("entry {index} of the diagonal of the {matrix} matrix is {value:?}: it must be positive")]
    Diagonal {
        /// "mass" or "stiffness".
        matrix: &'static str,
        /// Its number, from 1.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A matrix that is not symmetric.
    #[error(
        "the {matrix} matrix is not symmetric: its entries ({row}, {column}) and ({column}, {row}) are \
         {value:?} and {mirrored:?}"
    )]
    Asymmetric {
        /// "mass" or "stiffness".
        matrix: &'static str,
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// The entry.
        value: f64,
        /// The transposed entry.
        mirrored: f64,
    },
    /// A matrix with a negative eigenvalue.
    #[error("the {matrix} matrix has a negative eigenvalue: no body has such a {matrix}")]
    Negative {
        /// "mass" or "stiffness".
        matrix: &'static str,
    },
}

impl Invariants {
    /// Checks that the total mass is positive, and that modal mass and stiffness are symmetric and not
    /// negative.
    ///
    /// Modes of a massless boundary may have no mass at all. The coupling of modes with rigid motions is not
    /// checked: published SID files have couplings with an indefinite mass matrix, and the start of a run
    /// refuses such modes.
    ///
    /// # Errors
    ///
    /// [`IndefiniteError`]
    pub fn check_definite(&self) -> Result<(), IndefiniteError> {
        let is_positive = self.mass > 0.0 && self.mass.is_finite();
        if !is_positive {
            return Err(IndefiniteError::Mass { mass: self.mass });
        }
        definite("stiffness", &self.stiffness_modal, false)?;
        definite("mass", &self.mass_modal, true)
    }
}

/// * `may_vanish` — true if rows may be zero
fn definite(matrix: &'static str, a: &Mat<f64>, may_vanish: bool) -> Result<(), IndefiniteError> {
    let n = a.nrows();
    let is_zero = |i: usize| (0..n).all(|k| a[(i, k)] == 0.0 && a[(k, i)] == 0.0);
    let rows: Vec<usize> = (0..n).filter(|&i| !(may_vanish && is_zero(i))).collect();
    for &i in &rows {
        let value = a[(i, i)];
        // NaN is refused too.
        if !(value > 0.0 && value.is_finite()) {
            return Err(IndefiniteError::Diagonal { matrix, index: i + 1, value });
        }
    }
    let root: Vec<f64> = (0..n).map(|i| a[(i, i)].sqrt()).collect();
    // Sums of the entries beside the unit diagonal of the scaled matrix.
    let mut beside = vec![0.0; n];
    for &i in &rows {
        for &k in rows.iter().take_while(|&&k| k < i) {
            let (value, mirrored) = (a[(i, k)], a[(k, i)]);
            let scale = root[i] * root[k];
            // False for NaN.
            let is_symmetric = (value - mirrored).abs() <= ASYMMETRY * scale;
            if !is_symmetric {
                return Err(IndefiniteError::Asymmetric {
                    matrix,
                    row: i + 1,
                    column: k + 1,
                    value,
                    mirrored,
                });
            }
            if value != 0.0 {
                let size = (value / scale).abs();
                beside[i] += size;
                beside[k] += size;
            }
        }
    }
    // No eigenvalue is farther from 1 (Gershgorin): those of diagonal matrices, as reductions make them.
    if beside.iter().all(|&sum| sum < 1.0) {
        return Ok(());
    }
    let scaled = Mat::from_fn(rows.len(), rows.len(), |i, k| {
        let (i, k) = (rows[i], rows[k]);
        let shift = if i == k { ROUNDING } else { 0.0 };
        a[(i, k)] / (root[i] * root[k]) + shift
    });
    match scaled.llt(Side::Lower) {
        Ok(_) => Ok(()),
        Err(_) => Err(IndefiniteError::Negative { matrix }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rod of 2 kg with two modes; the second may be massless.
    fn invariants(mass: [f64; 2], stiffness: [f64; 2]) -> Invariants {
        Invariants {
            mass: 2.0,
            first_moment: [0.2, 0.0, 0.0],
            inertia: [[0.1, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]],
            coupling_t: Mat::zeros(3, 2),
            coupling_r0: Mat::zeros(3, 2),
            coupling_r1: Mat::zeros(6, 2).into(),
            inertia_1: Mat::zeros(6, 3),
            inertia_2: Mat::zeros(6, 6).into(),
            mass_modal: Mat::from_fn(2, 2, |i, k| if i == k { mass[i] } else { 0.0 }),
            stiffness_modal: Mat::from_fn(2, 2, |i, k| if i == k { stiffness[i] } else { 0.0 }),
            damping_modal: None,
        }
    }

    #[test]
    fn modes_with_and_without_mass_are_accepted() {
        assert_eq!(invariants([1.0, 1.0], [1e6, 1e9]).check_definite(), Ok(()));
        assert_eq!(invariants([1.0, 0.0], [1e6, 1e9]).check_definite(), Ok(()));
    }

    #[test]
    fn negative_mass_or_stiffness_is_named() {
        let message = |constants: Invariants| constants.check_definite().unwrap_err().to_string();
        assert!(
            message(invariants([1.0; 2], [1e6, -1.0])).contains("entry 2 of the diagonal of the stiffness")
        );
        assert!(message(invariants([1.0; 2], [1e6, 0.0])).contains("stiffness matrix is 0.0"));
        assert!(message(invariants([-1.0, 1.0], [1e6; 2])).contains("entry 1 of the diagonal of the mass"));
        let none = Invariants { mass: 0.0, ..invariants([1.0; 2], [1e6; 2]) };
        assert!(message(none).contains("the mass is 0.0 kg"));
        let mut coupled = invariants([1.0; 2], [1e6; 2]);
        coupled.stiffness_modal[(1, 0)] = 2e6;
        assert!(message(coupled.clone()).contains("not symmetric"));
        coupled.stiffness_modal[(0, 1)] = 2e6;
        assert!(message(coupled).contains("stiffness matrix has a negative eigenvalue"));
    }

    /// Eigenvalues 1 − c and 1 + 2 c of a unit diagonal with equal entries c beside it, in units of 1e6.
    #[test]
    fn strongly_coupled_modes_are_judged_by_their_eigenvalues() {
        let coupled = |c: f64| {
            let stiffness_modal = Mat::from_fn(3, 3, |i, k| if i == k { 1e6 } else { 1e6 * c });
            let constants = Invariants { stiffness_modal, ..invariants([1.0; 2], [1e6; 2]) };
            constants.check_definite()
        };
        for c in [0.6, 0.999_999, 0.3, -0.3, -0.499_999] {
            assert_eq!(coupled(c), Ok(()), "{c}");
        }
        for c in [-0.500_001, -0.6, 1.000_001] {
            assert_eq!(coupled(c), Err(IndefiniteError::Negative { matrix: "stiffness" }), "{c}");
        }
    }
}
