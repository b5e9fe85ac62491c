//! The block Krylov space of (K + sM)⁻¹ M, orthonormal in the inner product of M.
//!
//! A block is a group of [`LANES`](crate::lanes) columns. Directions that have lost all figures are left in
//! it as zero columns, which are *dead*: they take no part in the projection.

use std::borrow::Cow;
use std::ops::Range;

use carom_progress::Progress;
use faer::{Mat, MatRef};

use super::operator::Inverse;
use super::pairs::EigenError;
use crate::block::NodeMatrix;
use crate::dense::{DenseEigenError, DensePairs, symmetric_pairs, symmetrised};
use crate::lanes::{LANES, NOTHING, Row, Square, ZERO, add_product, gram, group_of, product, write_columns};
use crate::noise::noise;

mod orthonormal;

use orthonormal::Orthonormal;

/// Part of a normalised block in the basis up to which one subtraction takes it out to rounding.
const SOUND: f64 = 1e-7;

/// Part of a normalised block in the basis that is left there. It is smaller than the deviation from
/// orthogonality that eigenvectors may have, and than the root of the rounding error, up to which the
/// projection of Lanczos is exact (Simon 1984, Math. Comp. 42, 115–142).
const NEGLIGIBLE: f64 = 1e-12;

/// Where the directions of a second search begin in the sequence of random numbers, far behind those of the
/// first.
const AFRESH: u64 = 1 << 48;

/// Most subtractions for a block.
const MAX_PASSES: usize = 3;

/// Ritz approximation in the space: θ = 1/(λ + s), descending.
pub(crate) struct Ritz {
    /// Eigenvalues of the projected operator, descending.
    pub(crate) theta: Vec<f64>,
    /// M-norm of the residual (K + sM)⁻¹ M x − θ x of each.
    pub(crate) residual: Vec<f64>,
    /// Coefficients of each in the basis, one a column; rows of dead columns are zero.
    coefficients: Mat<f64>,
}

/// An M-orthonormal basis with the projection of the operator.
///
/// The last `pending` groups are those to which the operator is applied next. What the operator couples them
/// with in exact arithmetic is subtracted first and makes the projection: the block before them, or after a
/// restart the whole basis. What rounding has left of the other groups is subtracted then.
pub(crate) struct Krylov<'a> {
    /// M_s, in the order of the inverse if that has one.
    mass: Cow<'a, NodeMatrix>,
    /// Nodes of the mass in that order.
    order: Option<Vec<u32>>,
    /// Nodes of the body.
    n_nodes: usize,
    /// Basis V, group by group.
    basis: Vec<Vec<Row>>,
    /// Whether each column of the basis is not zero.
    live: Vec<bool>,
    /// M V of the pending groups.
    mass_pending: Vec<Vec<Row>>,
    /// The first columns are converged eigenvectors. What the operator adds in their direction is rounding,
    /// magnified by the condition of K; left out of the projection it cannot hide pairs with smaller θ.
    locked: usize,
    projected: Mat<f64>,
    /// Coupling of the groups that the operator was applied to last with the pending ones, and the first of
    /// those groups.
    coupling: Option<(Mat<f64>, usize)>,
    pub(crate) n_solves: usize,
    draws: u64,
    /// M times a group: memory that is asked for once is not cleared again by the system.
    scratch: Vec<Row>,
}

impl<'a> Krylov<'a> {
    pub(crate) fn new(mass: &'a NodeMatrix, inverse: &impl Inverse) -> Self {
        let n_nodes = mass.n_nodes();
        let (order, mass) = match inverse.order() {
            Some(nodes) => (Some(nodes.to_vec()), Cow::Owned(mass.reordered(nodes))),
            None => (None, Cow::Borrowed(mass)),
        };
        let scratch = vec![ZERO; 3 * mass.n_nodes()];
        Self {
            mass,
            order,
            n_nodes,
            basis: Vec::new(),
            live: Vec::new(),
            mass_pending: Vec::new(),
            locked: 0,
            projected: Mat::new(),
            coupling: None,
            n_solves: 0,
            draws: 0,
            scratch,
        }
    }

    /// A space in the complement of known eigenvectors, which are locked in it; its random directions come
    /// from another part of the sequence.
    ///
    /// * `known` — M-orthonormal
    /// * `theta` — of each
    pub(crate) fn beside(
        mass: &'a NodeMatrix,
        inverse: &impl Inverse,
        known: MatRef<'_, f64>,
        theta: &[f64],
    ) -> Self {
        let empty = Self::new(mass, inverse);
        let n = known.ncols();
        let basis: Vec<Vec<Row>> = (0..n)
            .step_by(LANES)
            .map(|first| empty.ordered(group_of(known.subcols(first, LANES.min(n - first)))))
            .collect();
        let n_columns = LANES * basis.len();
        let projected =
            Mat::from_fn(n_columns, n_columns, |i, j| if i == j && i < n { theta[i] } else { 0.0 });
        Self {
            basis,
            live: (0..n_columns).map(|column| column < n).collect(),
            locked: n_columns,
            projected,
            draws: AFRESH,
            ..empty
        }
    }

    /// Rows of a group over all dofs of the body, in the order of the space.
    fn ordered(&self, rows: Vec<Row>) -> Vec<Row> {
        match &self.order {
            None => rows,
            Some(order) => order
                .iter()
                .flat_map(|&node| (0..3).map(move |i| 3 * node as usize + i))
                .map(|dof| rows[dof])
                .collect(),
        }
    }

    /// Rows of a group of the space, as those of all dofs of the body.
    fn spread(&self, rows: Vec<Row>) -> Vec<Row> {
        let Some(order) = &self.order else { return rows };
        let mut all = vec![ZERO; 3 * self.n_nodes];
        for (&node, rows) in order.iter().zip(rows.chunks_exact(3)) {
            all[3 * node as usize..][..3].copy_from_slice(rows);
        }
        all
    }

    /// Dof of the body in each row of a group.
    fn dof(&self, row: usize) -> usize {
        self.order.as_ref().map_or(row, |order| 3 * order[row / 3] as usize + row % 3)
    }

    /// Groups to which the operator has been applied.
    fn n_applied_groups(&self) -> usize {
        self.basis.len() - self.mass_pending.len()
    }

    /// Number of basis vectors to which the operator has been applied.
    pub(crate) fn n_applied(&self) -> usize {
        LANES * self.n_applied_groups()
    }

    /// True if the next block does not fit into a space of this dimension.
    pub(crate) fn exceeds(&self, max_dim: usize) -> bool {
        LANES * (self.basis.len() + self.mass_pending.len()) > max_dim
    }

    /// True if the space is invariant: nothing is left to apply the operator to.
    pub(crate) fn is_exhausted(&self) -> bool {
        !self.live[self.n_applied()..].iter().any(|&live| live)
    }

    /// Adds pseudo-random directions, smoothed once by the operator, to the pending block.
    pub(crate) fn add_start_block(
        &mut self,
        inverse: &impl Inverse,
        n_directions: usize,
        progress: &dyn Progress,
    ) -> Result<(), EigenError> {
        let free = inverse.free();
        let is_free: Vec<bool> =
            (0..3 * self.mass.n_nodes()).map(|row| free.contains(self.dof(row))).collect();
        for _ in 0..n_directions.div_ceil(LANES) {
            let mut y = vec![ZERO; 3 * self.mass.n_nodes()];
            for lane in 0..LANES {
                for (row, _) in y.iter_mut().zip(&is_free).filter(|(_, is_free)| **is_free) {
                    row[lane] = noise(self.draws);
                    self.draws += 1;
                }
            }
            self.mass.group_product(&y, &mut self.scratch);
            y.copy_from_slice(&self.scratch);
            self.solve(inverse, &mut y, progress)?;
            self.subtract(&mut y, 0);
            let block = self.orthonormal(y)?;
            self.push(block);
        }
        self.coupling = None;
        Ok(())
    }

    fn solve(
        &mut self,
        inverse: &impl Inverse,
        y: &mut [Row],
        progress: &dyn Progress,
    ) -> Result<(), EigenError> {
        inverse.solve_group(y, progress)?;
        self.n_solves += LANES;
        Ok(())
    }

    /// Applies the operator to the pending block and makes the result the next one.
    pub(crate) fn expand(
        &mut self,
        inverse: &impl Inverse,
        progress: &dyn Progress,
    ) -> Result<(), EigenError> {
        let old = self.basis.len();
        let first = self.n_applied_groups();
        // Before the pending block lies the one that made it; after a restart or a start block, anything.
        let coupled = self.coupling.as_ref().map_or(0, |(_, first)| *first);
        let operands = std::mem::take(&mut self.mass_pending);
        let n_operands = operands.len();
        self.projected.resize_with(LANES * old, LANES * old, |_, _| 0.0);
        let mut coupling = Mat::zeros(LANES * n_operands, LANES * n_operands);
        for (operand, mut y) in operands.into_iter().enumerate() {
            self.solve(inverse, &mut y, progress)?;
            let coefficients = self.subtract(&mut y, coupled);
            for (group, square) in (coupled..).zip(&coefficients) {
                for (i, j) in (0..LANES).flat_map(|i| (0..LANES).map(move |j| (i, j))) {
                    let (row, column) = (LANES * group + i, LANES * (first + operand) + j);
                    if group >= old {
                        coupling[(row - LANES * old, LANES * operand + j)] = square[i][j];
                    } else if row >= self.locked {
                        self.projected[(row, column)] = square[i][j];
                        if group < first {
                            self.projected[(column, row)] = square[i][j];
                        }
                    }
                }
            }
            let block = self.orthonormal(y)?;
            for (i, j) in (0..LANES).flat_map(|i| (0..LANES).map(move |j| (i, j))) {
                coupling[(LANES * operand + i, LANES * operand + j)] = block.r[(i, j)];
            }
            self.push(block);
        }
        self.coupling = Some((coupling, first));
        Ok(())
    }

    /// Subtracts from Y its part in the basis from a group on; returns the coefficients.
    fn subtract(&mut self, y: &mut [Row], from: usize) -> Vec<Square> {
        self.mass.group_product(y, &mut self.scratch);
        let coefficients = gram(&self.basis[from..], &self.scratch);
        add_product(y, -1.0, &self.basis[from..], &coefficients);
        coefficients
    }

    /// Orthonormalises a block, from which its coupling has been subtracted, within itself and against the
    /// basis.
    ///
    /// Rounding leaves of that part what cancellation and the scaling of small directions make of it: it is
    /// subtracted again until what is found is small. In every second block of a clamped body nothing has to
    /// be subtracted: its products with the basis show that, and the other half of the work is saved.
    fn orthonormal(&self, y: Vec<Row>) -> Result<Orthonormal, DenseEigenError> {
        let mut block = Orthonormal::new(y, &self.mass);
        for _ in 0..MAX_PASSES {
            block.normalise()?;
            let left = gram(&self.basis, &block.mass_q);
            let is_at_most =
                |limit: f64| left.as_flattened().as_flattened().iter().all(|part| part.abs() <= limit);
            if is_at_most(NEGLIGIBLE) {
                break;
            }
            add_product(&mut block.q, -1.0, &self.basis, &left);
            self.mass.group_product(&block.q, &mut block.mass_q);
            if is_at_most(SOUND) {
                break;
            }
        }
        block.normalise()?;
        Ok(block)
    }

    fn push(&mut self, block: Orthonormal) {
        self.live.extend(block.live());
        self.basis.push(block.q);
        self.mass_pending.push(block.mass_q);
    }

    /// Eigenpairs of the projected operator.
    pub(crate) fn ritz(&self) -> Result<Ritz, DenseEigenError> {
        let columns: Vec<usize> = (0..self.n_applied()).filter(|&column| self.live[column]).collect();
        let n = columns.len();
        let projected = Mat::from_fn(n, n, |i, j| self.projected[(columns[i], columns[j])]);
        let DensePairs { lambda, vectors } = symmetric_pairs(symmetrised(projected.as_ref()).as_ref())?;
        let theta: Vec<f64> = lambda.iter().rev().copied().collect();
        let mut coefficients = Mat::zeros(self.n_applied(), n);
        for (i, &column) in columns.iter().enumerate() {
            for j in 0..n {
                coefficients[(column, j)] = vectors[(i, n - 1 - j)];
            }
        }
        let residual = match &self.coupling {
            Some((coupling, first)) if !self.is_exhausted() => {
                let tail = coupling * coefficients.subrows(LANES * first, coupling.ncols());
                (0..n).map(|j| tail.col(j).norm_l2()).collect()
            }
            // A start block has been added: what it will change is unknown. Without a pending block nothing
            // is left.
            _ => vec![if self.is_exhausted() { 0.0 } else { f64::INFINITY }; n],
        };
        Ok(Ritz { theta, residual, coefficients })
    }

    /// The first Ritz vectors, with one step of the operator: A x = θ x + Q c, with Q the pending block and c
    /// its coupling, needs no solve.
    pub(crate) fn vectors(&self, ritz: &Ritz, count: usize) -> Mat<f64> {
        let mut coefficients = Mat::zeros(LANES * self.basis.len(), count);
        let n = self.n_applied();
        coefficients.as_mut().subrows_mut(0, n).copy_from(ritz.coefficients.subcols(0, count));
        if let Some((coupling, first)) = &self.coupling {
            let tail = coupling * ritz.coefficients.submatrix(LANES * first, 0, coupling.ncols(), count);
            for (j, theta) in ritz.theta[..count].iter().enumerate() {
                for i in 0..tail.nrows() {
                    coefficients[(n + i, j)] = tail[(i, j)] / theta;
                }
            }
        }
        let mut vectors = Mat::zeros(3 * self.n_nodes, count);
        for first in (0..count).step_by(LANES) {
            let columns = first..count.min(first + LANES);
            let group = self.spread(self.combined(coefficients.as_ref(), columns.clone()));
            write_columns(&group, vectors.as_mut().subcols_mut(first, columns.len()));
        }
        vectors
    }

    /// V C for some columns of C, at most a group; V are the first groups of the basis, as many as C has
    /// rows.
    fn combined(&self, coefficients: MatRef<'_, f64>, columns: Range<usize>) -> Vec<Row> {
        let groups = &self.basis[..coefficients.nrows() / LANES];
        let squares: Vec<Square> = (0..groups.len())
            .map(|g| square(coefficients.submatrix(LANES * g, columns.start, LANES, columns.len())))
            .collect();
        product(groups, &squares, 3 * self.mass.n_nodes())
    }

    /// Number of columns that are converged eigenvectors.
    pub(crate) fn n_locked(&self) -> usize {
        self.locked
    }

    /// Keeps the first `keep` Ritz vectors and the pending block only, and locks the first `lock` of them.
    pub(crate) fn restart(&mut self, ritz: &Ritz, keep: usize, lock: usize) {
        let kept = ritz.coefficients.subcols(0, keep);
        let mut basis: Vec<Vec<Row>> = (0..keep)
            .step_by(LANES)
            .map(|first| self.combined(kept, first..keep.min(first + LANES)))
            .collect();
        let n_kept = LANES * basis.len();
        let mut live: Vec<bool> = (0..n_kept).map(|column| column < keep).collect();
        live.extend(&self.live[self.n_applied()..]);
        basis.extend(self.basis.drain(self.n_applied_groups()..));
        (self.basis, self.live) = (basis, live);
        if let Some((coupling, first)) = self.coupling.take() {
            let mut tail = Mat::zeros(coupling.nrows(), n_kept);
            let of_kept = &coupling * kept.subrows(LANES * first, coupling.ncols());
            tail.as_mut().subcols_mut(0, keep).copy_from(of_kept);
            self.coupling = Some((tail, 0));
        }
        self.projected = Mat::zeros(n_kept, n_kept);
        for i in 0..keep {
            self.projected[(i, i)] = ritz.theta[i];
        }
        self.locked = lock.min(keep);
    }
}

/// A small matrix as coefficients between two groups; missing entries are zero.
fn square(coefficients: MatRef<'_, f64>) -> Square {
    let mut square = NOTHING;
    for i in 0..coefficients.nrows() {
        for j in 0..coefficients.ncols() {
            square[i][j] = coefficients[(i, j)];
        }
    }
    square
}
