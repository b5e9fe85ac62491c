//! P A Pᵀ = L D Lᵀ of symmetric indefinite matrices, with pivots inside dense diagonal blocks.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::lblt::factor::{LbltParams, PivotingStrategy};
use faer::perm::PermRef;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalIntranodeLbltRef, SymbolicSupernodalCholesky, factorize_supernodal_numeric_intranode_lblt,
    factorize_supernodal_numeric_intranode_lblt_scratch,
};
use faer::{Auto, Conj, Mat, MatMut, Par, Spec};

use super::columns::Columns;
use super::growth;
use super::order::{Order, dissection, partners};
use super::refinement::{Solved, Work, solve_refined};
use super::singular::Direction;
use super::triangle::{Triangle, pattern};
use super::{SparseError, Symmetric};

/// Largest growth of the factors: of sixteen digits eight are left, which refinement makes sixteen.
const MAX_GROWTH: f64 = 1e8;

/// Numbers of positive and negative eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inertia {
    /// Number of positive eigenvalues.
    pub positive: usize,
    /// Number of negative eigenvalues.
    pub negative: usize,
}

/// The factors P S A S Pᵀ = L D Lᵀ of a symmetric matrix A: S scales, P is the order of the analysis and the
/// pivots inside its dense blocks, D has blocks of one and two rows.
pub struct SparseLdlt {
    columns: Columns,
    factors: Factors,
    work: Work,
    growth: f64,
    has_factors: bool,
}

impl std::fmt::Debug for SparseLdlt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseLdlt")
            .field("n", &self.columns.n)
            .field("growth", &self.growth)
            .finish_non_exhaustive()
    }
}

impl SparseLdlt {
    /// Orders the rows of a pattern. The values say which rows have a weak diagonal and to which row each of
    /// them couples best; matrices of the same pattern are factorised in this order.
    ///
    /// # Errors
    ///
    /// [`SparseError::NotFinite`], [`SparseError::Ordering`], [`SparseError::Memory`]
    pub fn analyse(matrix: &Symmetric) -> Result<Self, SparseError> {
        let mut columns = Columns::symmetric(matrix);
        columns.load(&matrix.lower())?;
        let factors = Factors::new(&columns)?;
        Ok(Self { columns, factors, work: Work::default(), growth: f64::NAN, has_factors: false })
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.columns.n
    }

    /// Factorises a matrix of the analysed pattern.
    ///
    /// # Errors
    ///
    /// [`SparseError::Pattern`], [`SparseError::NotFinite`], [`SparseError::Singular`],
    /// [`SparseError::Unstable`] if pivots inside the blocks are too small
    pub fn factorise(&mut self, matrix: &Symmetric) -> Result<(), SparseError> {
        self.has_factors = false;
        self.growth = f64::NAN;
        self.columns.load(&matrix.lower())?;
        let n = self.columns.n;
        if n == 0 {
            self.has_factors = true;
            return Ok(());
        }
        self.factors.factorise(&self.columns.scaled);
        let norm = self.columns.scaled_norm();
        self.growth = growth::of_factors(self.factors.as_faer(), &self.factors.subdiagonal) / norm;
        // Not a number where a pivot is zero.
        let growth = if self.growth.is_nan() { f64::INFINITY } else { self.growth };
        if growth > MAX_GROWTH {
            return Err(SparseError::Unstable { growth });
        }
        let factors = &mut self.factors;
        let direction =
            Direction::estimate(n, |x, _| factors.solve(MatMut::from_column_major_slice_mut(x, n, 1)));
        direction.check(norm)?;
        self.has_factors = true;
        Ok(())
    }

    /// How much larger the factors of the last matrix are than the matrix,
    ///
    /// ```text
    /// ‖ |L| |D| |Lᵀ| ‖∞ / ‖A‖∞
    /// ```
    ///
    /// of the scaled matrix. Rounding in the solution before refinement is about this many times that of a
    /// stable factorisation. Not a number if there are no factors.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Numbers of positive and negative eigenvalues of the last matrix, the signs of the blocks of D.
    ///
    /// # Errors
    ///
    /// [`SparseError::NoFactors`]
    pub fn inertia(&self) -> Result<Inertia, SparseError> {
        if self.has_factors {
            Ok(growth::inertia(self.factors.as_faer(), &self.factors.subdiagonal))
        } else {
            Err(SparseError::NoFactors)
        }
    }

    /// x ← A⁻¹ x for any number of right-hand sides, refined.
    ///
    /// # Errors
    ///
    /// [`SparseError::NoFactors`], [`SparseError::Dimension`], [`SparseError::RightHandSide`],
    /// [`SparseError::Inaccurate`]
    pub fn solve_in_place(&mut self, x: MatMut<'_, f64>) -> Result<Solved, SparseError> {
        if !self.has_factors {
            return Err(SparseError::NoFactors);
        }
        let factors = &mut self.factors;
        solve_refined(&self.columns, &mut self.work, x, false, |x| factors.solve(x))
    }
}

/// The factors in faer's form.
struct Factors {
    order: Order,
    lower: Triangle,
    symbolic: SymbolicSupernodalCholesky<usize>,
    values: Vec<f64>,
    /// Off-diagonal entry of blocks of two rows, at their first row; zero for blocks of one row.
    subdiagonal: Vec<f64>,
    /// Order of the pivots inside the dense blocks.
    forward: Vec<usize>,
    inverse: Vec<usize>,
    memory: MemBuffer,
    permuted: Mat<f64>,
}

impl Factors {
    fn new(columns: &Columns) -> Result<Self, SparseError> {
        let n = columns.n;
        let too_large = |_| SparseError::Memory { n };
        let partner = partners(columns);
        let order = Order::new(dissection(columns, &partner)?);
        let (order, lower, symbolic) =
            Triangle::analyse(columns, &partner, order).ok_or(SparseError::Memory { n })?;
        let request =
            factorize_supernodal_numeric_intranode_lblt_scratch::<usize, f64>(&symbolic, Par::Seq, spec())
                .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let mut values = Vec::new();
        values.try_reserve_exact(symbolic.len_val()).map_err(|_| SparseError::Memory { n })?;
        values.resize(symbolic.len_val(), 0.0);
        Ok(Self {
            memory: MemBuffer::try_new(request).map_err(too_large)?,
            values,
            subdiagonal: vec![0.0; n],
            forward: (0..n).collect(),
            inverse: (0..n).collect(),
            permuted: Mat::zeros(n, 1),
            order,
            lower,
            symbolic,
        })
    }

    /// * `values` — of both triangles
    fn factorise(&mut self, values: &[f64]) {
        self.lower.load(values);
        let n = self.forward.len();
        let matrix = SparseColMatRef::new(
            pattern(n, &self.lower.starts, &self.lower.rows),
            self.lower.values.as_slice(),
        );
        self.subdiagonal.fill(0.0);
        factorize_supernodal_numeric_intranode_lblt(
            &mut self.values,
            &mut self.subdiagonal,
            &mut self.forward,
            &mut self.inverse,
            matrix,
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.memory),
            spec(),
        );
    }

    fn as_faer(&self) -> SupernodalIntranodeLbltRef<'_, usize, f64> {
        let pivots = PermRef::new_checked(&self.forward, &self.inverse, self.forward.len());
        SupernodalIntranodeLbltRef::new(&self.symbolic, &self.values, &self.subdiagonal, pivots)
    }

    /// Solves with the factors of the scaled matrix, in place.
    fn solve(&mut self, mut x: MatMut<'_, f64>) {
        let (n, n_cols) = (x.nrows(), x.ncols());
        if n == 0 || n_cols == 0 {
            return;
        }
        if self.permuted.ncols() < n_cols {
            self.permuted = Mat::zeros(n, n_cols);
        }
        let request = self.symbolic.solve_in_place_scratch::<f64>(n_cols, Par::Seq);
        if self.memory.len() < request.unaligned_bytes_required() {
            self.memory = MemBuffer::new(request);
        }
        let rows = |k: usize| self.order.forward[self.forward[k]];
        for j in 0..n_cols {
            (0..n).for_each(|k| self.permuted[(k, j)] = x[(rows(k), j)]);
        }
        let pivots = PermRef::new_checked(&self.forward, &self.inverse, n);
        SupernodalIntranodeLbltRef::new(&self.symbolic, &self.values, &self.subdiagonal, pivots)
            .solve_in_place_no_numeric_permute_with_conj(
                Conj::No,
                self.permuted.as_mut().subcols_mut(0, n_cols),
                Par::Seq,
                MemStack::new(&mut self.memory),
            );
        for j in 0..n_cols {
            (0..n).for_each(|k| x[(rows(k), j)] = self.permuted[(k, j)]);
        }
    }
}

fn spec() -> Spec<LbltParams, f64> {
    let mut parameters = <LbltParams as Auto<f64>>::auto();
    parameters.pivoting = PivotingStrategy::Rook;
    parameters.into()
}
