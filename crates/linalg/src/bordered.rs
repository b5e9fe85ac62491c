//! Solution of K u + Wᵀ λ = f, W u = g with a few dense constraints W, and the inertia of K on the null space
//! of W.
//!
//! W ties some combinations of many dofs, so that W Wᵀ in the matrix would fill it. It stays in a border
//! instead. Some nodes are pinned: dofs p, with which the rest a has a definite matrix A, even where nothing
//! but the constraints holds the body. With z = (u_p, λ),
//!
//! ```text
//! [A  B] [u_a]   [f_a]        B = [K_ap  W_aᵀ],   D = [K_pp  W_pᵀ]
//! [Bᵀ D] [z  ] = [f_z]                                [W_p   0   ]
//!
//! S = D − Bᵀ A⁻¹ B,   S z = f_z − Bᵀ A⁻¹ f_a,   u_a = A⁻¹ f_a − (A⁻¹ B) z
//! ```
//!
//! The pins are unknowns, not supports: which nodes, and how many, changes nothing but rounding. Without pins
//! the border is the constraints.
//!
//! For K − σM in the place of K the law of Haynsworth counts: of the r constraints each adds one negative
//! eigenvalue, so
//!
//! ```text
//! number of λ < σ on ker W = n₋(A) + n₋(S) − r
//! ```
//!
//! # Source
//!
//! Haynsworth (1968), Linear Algebra Appl. 1, 73–81; Gould (1985), Math. Program. 32, 90–99.

use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use crate::block::{BlockMatrix, NodeMatrix};
use crate::dense::{DensePairs, Reflections, symmetric_pairs, symmetrised};
use crate::dofs::DofSet;
use crate::eigen::Inverse;
use crate::factor::{Cholesky, FactorError, SMALLEST_PIVOT};
use crate::iteration::IterationError;
use crate::iterative::Iterative;
use crate::lanes::{LANES, Row};
use crate::solve::{gather, scatter};
use crate::symbolic::Symbolic;
use crate::tall::gram;

mod inverse;
mod rows;

use rows::BorderRows;

/// The constraints of a bordered system, and the nodes that are pinned for its factor.
#[derive(Debug, Clone)]
pub struct Border {
    /// Free dofs, those of the pins among them.
    free: DofSet,
    pin_nodes: Vec<u32>,
    /// Free dofs of the pins.
    pins: Vec<usize>,
    /// Wᵀ, 3 n_nodes × r, zero where dofs are not free.
    constraints: Mat<f64>,
    /// Orthonormal basis of the range of Wᵀ.
    reactions: Mat<f64>,
    /// Units of u_p and λ by the stiffness K_pp and the compliance W A⁻¹ Wᵀ: S is judged and solved in them,
    /// also for K − σM.
    scale: Vec<f64>,
}

impl Border {
    /// Takes constraints.
    ///
    /// * `free` — the dofs that are not held otherwise
    /// * `pin_nodes` — nodes without which the free dofs have a definite stiffness; none if they have it
    ///   anyway
    /// * `constraints` — Wᵀ, 3 n_nodes × r of full rank on the free dofs
    pub fn new(free: DofSet, pin_nodes: Vec<u32>, mut constraints: Mat<f64>) -> Self {
        free.clear_fixed(constraints.as_mut());
        let of_node = |&node: &u32| (0..3).map(move |i| 3 * node as usize + i);
        let pins = pin_nodes.iter().flat_map(of_node).filter(|&dof| free.contains(dof)).collect();
        // Columns of one size first: means and turns differ by a length.
        let norms: Vec<f64> = constraints.col_iter().map(|column| column.norm_l2()).collect();
        let unit =
            Mat::from_fn(constraints.nrows(), constraints.ncols(), |i, j| constraints[(i, j)] / norms[j]);
        let reactions = Reflections::new(unit.as_ref()).span();
        Self { free, pin_nodes, pins, constraints, reactions, scale: Vec::new() }
    }

    /// Number of constraints r.
    pub fn n_constraints(&self) -> usize {
        self.constraints.ncols()
    }

    /// Dofs of the factor: the free ones without the pins.
    pub fn definite(&self) -> DofSet {
        self.free.clone().without_nodes(&self.pin_nodes)
    }
}

/// The complement S of a border, by the eigenpairs of D S D in the units D of the border.
#[derive(Debug)]
struct Schur(DensePairs);

impl Schur {
    /// Finds the units of the border if it has none.
    ///
    /// * `coupling` — [K_p, Wᵀ]
    /// * `response` — A⁻¹ B
    fn new(
        border: &mut Border,
        coupling: MatRef<'_, f64>,
        response: MatRef<'_, f64>,
    ) -> Result<Self, FactorError> {
        let n_pins = border.pins.len();
        let n = coupling.ncols();
        let eliminated = gram(coupling, response);
        let own = Mat::from_fn(n, n, |i, j| match (i < n_pins, j < n_pins) {
            (true, _) => coupling[(border.pins[i], j)],
            (false, true) => coupling[(border.pins[j], i)],
            (false, false) => 0.0,
        });
        if border.scale.is_empty() {
            let size = |i: usize| if i < n_pins { own[(i, i)] } else { eliminated[(i, i)] };
            border.scale = (0..n).map(|i| 1.0 / size(i).abs().sqrt()).collect();
        }
        let scale = &border.scale;
        let schur = symmetrised((own - eliminated).as_ref());
        let scaled = Mat::from_fn(n, n, |i, j| scale[i] * schur[(i, j)] * scale[j]);
        let pairs = symmetric_pairs(scaled.as_ref());
        pairs.map(Self).map_err(|_| FactorError::SingularBorder { pivot: f64::NAN })
    }

    /// |smallest| over |largest| eigenvalue of the scaled S.
    fn smallest_pivot(&self) -> f64 {
        let magnitudes = || self.0.lambda.iter().map(|lambda| lambda.abs());
        magnitudes().fold(f64::INFINITY, f64::min) / magnitudes().fold(0.0, f64::max)
    }

    /// Number of negative eigenvalues of S.
    fn n_negative(&self) -> usize {
        self.0.lambda.iter().filter(|&&lambda| lambda < 0.0).count()
    }

    /// S⁻¹ f.
    ///
    /// * `scale` — the units of the border
    fn solve(&self, f: MatRef<'_, f64>, scale: &[f64]) -> Mat<f64> {
        let scaled = Mat::from_fn(f.nrows(), f.ncols(), |i, j| scale[i] * f[(i, j)]);
        let mut y = self.0.vectors.transpose() * scaled;
        for j in 0..y.ncols() {
            for (i, lambda) in self.0.lambda.iter().enumerate() {
                y[(i, j)] /= lambda;
            }
        }
        let y = &self.0.vectors * y;
        Mat::from_fn(f.nrows(), f.ncols(), |i, j| scale[i] * y[(i, j)])
    }
}

/// The inverse of a stiffness K + sM on the null space of constraints.
#[derive(Debug)]
pub struct Bordered<F = Cholesky> {
    border: Border,
    /// Inverse of the definite part.
    factor: F,
    /// The border in the order of that part.
    rows: BorderRows,
    schur: Schur,
}

impl Bordered {
    /// Factorises K + sM with its border.
    ///
    /// * `shifted_mass` — M_s and s; `None` for K itself
    ///
    /// # Errors
    ///
    /// [`FactorError`]; [`FactorError::SingularBorder`] if the constraints leave motions free that the pins
    /// held.
    pub fn new(
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        border: Border,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let symbolic = Symbolic::new(&k.graph, border.definite())?;
        Self::with_symbolic(symbolic, border, k, shifted_mass, progress)
    }

    /// As [`Bordered::new`], with the order and structure of the definite part found before.
    ///
    /// # Errors
    ///
    /// As [`Bordered::new`].
    pub fn with_symbolic(
        symbolic: Symbolic,
        border: Border,
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let factor = Cholesky::with_symbolic(symbolic, k, shifted_mass, progress)?;
        Self::of_definite(factor, border, k, shifted_mass, progress)
    }
}

impl Bordered<Iterative> {
    /// As [`Bordered::new`], without a factor.
    ///
    /// * `points` — position of each node \[m\]
    ///
    /// # Errors
    ///
    /// As [`Bordered::new`], and [`FactorError::Iteration`].
    pub fn iterative(
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        border: Border,
        points: &[[f64; 3]],
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let inverse = Iterative::new(k, shifted_mass, border.definite(), points, progress)?;
        Self::of_definite(inverse, border, k, shifted_mass, progress)
    }
}

impl<F: Inverse> Bordered<F> {
    /// Eliminates the definite part.
    ///
    /// * `factor` — inverse of K + sM on the free dofs without the pins
    fn of_definite(
        factor: F,
        mut border: Border,
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let coupling = coupling(k, shifted_mass, &border);
        let mut response = coupling.clone();
        factor.solve_in_place(response.as_mut(), progress)?;
        let schur = Schur::new(&mut border, coupling.as_ref(), response.as_ref())?;
        let pivot = schur.smallest_pivot();
        if pivot.is_nan() || pivot < SMALLEST_PIVOT {
            return Err(FactorError::SingularBorder { pivot });
        }
        let rows = BorderRows::new(&border, factor.order(), coupling.as_ref(), response.as_ref());
        Ok(Self { border, factor, rows, schur })
    }

    /// Solves K u + Wᵀ λ = f, W u = g in place for u.
    ///
    /// * `x` — f on entry, u on return, 3 n_nodes × columns; rows of dofs that are not free are ignored and
    ///   become zero
    /// * `values` — g, constraints × columns
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    pub fn solve_with(
        &self,
        mut x: MatMut<'_, f64>,
        values: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        let pins = &self.border.pins;
        let n_pins = pins.len();
        let of_border = Mat::from_fn(self.border.scale.len(), x.ncols(), |i, j| {
            if i < n_pins { x[(pins[i], j)] } else { values[(i - n_pins, j)] }
        });
        self.factor.solve_in_place(x.as_mut(), progress)?;
        for first in (0..x.ncols()).step_by(LANES) {
            let n = LANES.min(x.ncols() - first);
            let columns = x.as_mut().subcols_mut(first, n);
            let mut group = gather(columns.as_ref(), &self.rows.dofs);
            self.join(&mut group, of_border.subcols(first, n));
            scatter(&group, &self.rows.dofs, columns);
        }
        Ok(())
    }

    /// From the A⁻¹ f_a of a group to its u, in the order of the definite part.
    ///
    /// * `of_border` — f_z, columns of the group
    fn join(&self, x: &mut [Row], of_border: MatRef<'_, f64>) {
        let along = self.rows.along(x);
        let rest = Mat::from_fn(of_border.nrows(), of_border.ncols(), |i, lane| {
            of_border[(i, lane)] - along[i / LANES][i % LANES][lane]
        });
        let z = self.schur.solve(rest.as_ref(), &self.border.scale);
        self.rows.subtract(x, z.as_ref());
    }

    /// W u: the values of the constraints for fields, constraints × columns.
    pub fn sums_of(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        gram(self.border.constraints.as_ref(), x)
    }

    /// The inverse of the definite part.
    pub fn definite(&self) -> &F {
        &self.factor
    }

    /// The constraints.
    pub fn border(&self) -> &Border {
        &self.border
    }
}

/// [(K + sM)_p, Wᵀ], rows of dofs that are not free zero.
fn coupling(k: &BlockMatrix, shifted_mass: Option<(&NodeMatrix, f64)>, border: &Border) -> Mat<f64> {
    let n_pins = border.pins.len();
    let mut coupling = k.columns(&border.pins);
    if let Some((m, shift)) = shifted_mass {
        let mut unit = Mat::zeros(k.n_dofs(), n_pins);
        for (j, &pin) in border.pins.iter().enumerate() {
            unit[(pin, j)] = 1.0;
        }
        coupling += faer::Scale(shift) * m.product(unit.as_ref());
    }
    border.free.clear_fixed(coupling.as_mut());
    let n_border = n_pins + border.n_constraints();
    coupling.resize_with(k.n_dofs(), n_border, |i, j| border.constraints[(i, j - n_pins)]);
    coupling
}
