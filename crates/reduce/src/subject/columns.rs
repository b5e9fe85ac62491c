//! Description of the columns of a basis, with the share of each in the strain energy of each mode.

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{generalised_pairs, symmetric_pairs};
use carom_linalg::tall::product;
use faer::{Mat, MatRef};

use super::Subject;
use crate::characteristic::{Kept, Part, ReducedInterface, coordinates};
use crate::column::{Column, strain_shares};
use crate::condensation::Condensation;
use crate::frequency::hz;

/// Combinations of residual attachment modes are dependent below this fraction of the largest strain energy.
const DEPENDENT: f64 = 1e-13;

/// Columns of the basis with their share in each mode, columns × modes.
pub(super) struct Described {
    pub(super) columns: Vec<Column>,
    pub(super) strain_shares: Mat<f64>,
}

/// Modes of the second eigenproblem, in the Buckens frame.
pub(super) struct SecondPairs<'a> {
    /// Z.
    pub(super) combination: MatRef<'a, f64>,
    /// ω \[rad/s\].
    pub(super) omega: &'a [f64],
    /// Number of modes of the free body, which come first.
    pub(super) n_free: usize,
}

impl Subject<'_> {
    /// The columns of T = [constraint modes, fixed-interface modes, further interior fields].
    fn plain_columns(&self, condensation: &Condensation) -> Vec<Column> {
        let n_fixed = condensation.fixed_lambda.len();
        let lambda = |i: usize| condensation.stiffness[(i, i)];
        let relief_from = condensation.n_interface + n_fixed;
        let constraint = self.boundary.named_dofs(self.sets).into_iter().map(Column::Constraint);
        let fixed = (condensation.n_interface..relief_from).zip(0..);
        let fixed = fixed.map(|(i, number)| Column::FixedMode { number, hz: hz(lambda(i)) });
        let relief = (relief_from..condensation.stiffness.nrows()).zip(0..);
        let relief = relief.map(|(i, number)| Column::InertiaRelief { number, hz: hz(lambda(i)) });
        constraint.chain(fixed).chain(relief).collect()
    }

    /// Columns of a basis of fixed-interface modes.
    ///
    /// * `z`, `omega` — the modes of the model, in the columns of T
    /// * `parts`, `reduced` — reduced parts of the interface
    pub(super) fn described(
        &self,
        condensation: &Condensation,
        z: MatRef<'_, f64>,
        omega: &[f64],
        parts: &[Part],
        reduced: Option<&ReducedInterface>,
    ) -> Described {
        let stiffness = condensation.stiffness.as_ref();
        let plain = self.plain_columns(condensation);
        let Some(ReducedInterface { map, kept, .. }) = reduced else {
            return Described { columns: plain, strain_shares: strain_shares(stiffness, z, omega) };
        };
        let named = |kept: &Kept| match *kept {
            Kept::Whole(column) => plain[column].clone(),
            Kept::Mode { part, number, hz } => {
                Column::Interface { part: parts[part].name.clone(), number: number as u32, hz }
            }
        };
        let own = product(map.transpose(), product(stiffness, map.as_ref()).as_ref());
        let y = coordinates(map.as_ref(), z);
        Described {
            columns: kept.iter().map(named).collect(),
            strain_shares: strain_shares(own.as_ref(), y.as_ref(), omega),
        }
    }

    /// Columns of a basis of free modes: residual attachment modes, free modes, and the additional
    /// inertia-relief modes.
    ///
    /// T spans them, but in other combinations, so that they are computed from the modes of the second
    /// eigenproblem. The first `n_free` of these are the free modes; with z_r the others and z_b their rows
    /// at the boundary, the residual attachment modes are
    ///
    /// ```text
    /// A = z_r Ω_r⁻² z_bᵀ,    z_r p = A y + (the rest),   s_jk = y_j (Aᵀ K̂ z_r p)_j / ω_k²
    /// ```
    ///
    /// * `second` — modes in the Buckens frame
    /// * `parts` — P = Zᵀ M̂ Z', coordinates of the modes of the model in them
    /// * `omega` — ω of the modes of the model
    ///
    /// # Errors
    ///
    /// [`DenseEigenError`] if the small eigenproblems over A fail.
    pub(super) fn described_free(
        &self,
        condensation: &Condensation,
        second: &SecondPairs<'_>,
        parts: MatRef<'_, f64>,
        omega: &[f64],
    ) -> Result<Described, DenseEigenError> {
        let (n_b, n_free) = (condensation.n_interface, second.n_free);
        let n_rest = second.omega.len() - n_free;
        let lengths = self.boundary.lengths();
        // In coordinates Ω p the strain energy is a sum of squares.
        let of_unit_loads = Mat::from_fn(n_rest, n_b, |k, j| {
            lengths[j] * second.combination[(j, n_free + k)] / second.omega[n_free + k]
        });
        let amplitude =
            Mat::from_fn(n_rest, omega.len(), |k, m| second.omega[n_free + k] * parts[(n_free + k, m)]);
        let residual = residual_shares(&of_unit_loads, &amplitude)?;
        let flexibility: Vec<f64> = second.omega[n_free..].iter().map(|omega| omega.powi(-2)).collect();
        let (lambda, relief) = rest_shares(&residual.rest, &flexibility, &amplitude)?;
        let mut columns: Vec<Column> =
            self.boundary.named_dofs(self.sets).into_iter().map(Column::Residual).collect();
        columns.extend(
            (0..).zip(&second.omega[..n_free]).map(|(number, w)| Column::FreeMode { number, hz: hz(w * w) }),
        );
        columns.extend((0..).zip(&lambda).map(|(number, &l)| Column::InertiaRelief { number, hz: hz(l) }));
        let energy = |i: usize, m: usize| match i {
            i if i < n_b => residual.energies[(i, m)],
            i if i < n_b + n_free => (second.omega[i - n_b] * parts[(i - n_b, m)]).powi(2),
            i => relief[(i - n_b - n_free, m)],
        };
        let strain_shares = Mat::from_fn(columns.len(), omega.len(), |i, m| energy(i, m) / omega[m].powi(2));
        Ok(Described { columns, strain_shares })
    }
}

/// Shares of the residual attachment modes.
struct ResidualShares {
    /// Orthonormal basis of the complement of their span.
    rest: Mat<f64>,
    /// y_j (Aᵀ K̂ z)_j, loads × modes.
    energies: Mat<f64>,
}

/// y = Aᵀ (A Aᵀ)⁺ e.
///
/// * `modes` — A, one column a load, and
/// * `amplitude` — e, the modes of the model, both in coordinates in which the strain energy is a sum of
///   squares
fn residual_shares(modes: &Mat<f64>, amplitude: &Mat<f64>) -> Result<ResidualShares, DenseEigenError> {
    let pairs = symmetric_pairs(product(modes.as_ref(), modes.transpose()).as_ref())?;
    let largest = pairs.lambda.last().copied().unwrap_or(0.0);
    let n_rest = pairs.lambda.partition_point(|&lambda| lambda <= DEPENDENT * largest);
    let rank = pairs.lambda.len() - n_rest;
    let span = pairs.vectors.subcols(n_rest, rank);
    let mut inside = product(span.transpose(), amplitude.as_ref());
    for m in 0..inside.ncols() {
        (0..rank).for_each(|k| inside[(k, m)] /= pairs.lambda[n_rest + k]);
    }
    let y = product(modes.transpose(), product(span, inside.as_ref()).as_ref());
    let forces = product(modes.transpose(), amplitude.as_ref());
    let energies = Mat::from_fn(y.nrows(), y.ncols(), |j, m| y[(j, m)] * forces[(j, m)]);
    Ok(ResidualShares { rest: pairs.vectors.subcols(0, n_rest).to_owned(), energies })
}

/// Uncoupled fields of the complement: their λ and their energies in each mode.
///
/// * `rest` — orthonormal basis of the complement
/// * `flexibility` — mass in its coordinates, a diagonal \[s²\]
fn rest_shares(
    rest: &Mat<f64>,
    flexibility: &[f64],
    amplitude: &Mat<f64>,
) -> Result<(Vec<f64>, Mat<f64>), DenseEigenError> {
    let n = rest.ncols();
    if n == 0 {
        return Ok((Vec::new(), Mat::zeros(0, amplitude.ncols())));
    }
    let weighted = Mat::from_fn(rest.nrows(), n, |i, k| flexibility[i] * rest[(i, k)]);
    let mass = product(rest.transpose(), weighted.as_ref());
    let pairs = generalised_pairs(Mat::identity(n, n).as_ref(), mass.as_ref())?;
    let inside = product(rest.transpose(), amplitude.as_ref());
    let parts = product(pairs.vectors.transpose(), inside.as_ref());
    let energies = Mat::from_fn(n, parts.ncols(), |i, m| parts[(i, m)].powi(2) / pairs.lambda[i]);
    Ok((pairs.lambda, energies))
}
