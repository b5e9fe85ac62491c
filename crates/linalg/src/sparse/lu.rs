//! P A Q = L U of general sparse matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::PartialPivLuParams;
use faer::perm::PermRef;
use faer::sparse::linalg::lu::supernodal::{
    SupernodalLu, SymbolicSupernodalLu, factorize_supernodal_numeric_lu,
    factorize_supernodal_numeric_lu_scratch, factorize_supernodal_symbolic_lu,
    factorize_supernodal_symbolic_lu_scratch, solve_in_place_scratch,
};
use faer::sparse::linalg::{LuError, SymbolicSupernodalParams, qr};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Auto, Conj, MatMut, Par, Spec};
use sprs::CsMatView;

use super::columns::Columns;
use super::order::{Order, column_postorder, dissection};
use super::refinement::{Solved, Work, solve_refined};
use super::singular::{CHANGE, Direction};
use super::triangle::pattern;
use super::{SparseError, Symmetric, matching};

/// The factors P R A C Q = L U of a general matrix A: R and C scale, Q is an order of the columns that the
/// analysis makes, P are the pivots.
pub struct SparseLu {
    columns: Columns,
    /// Row of each column in a full set of possible pivots.
    possible_pivots: Vec<usize>,
    factors: Factors,
    work: Work,
    has_factors: bool,
}

impl std::fmt::Debug for SparseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseLu").field("n", &self.columns.n).finish_non_exhaustive()
    }
}

impl SparseLu {
    /// Orders the columns of a pattern; the values do not matter.
    ///
    /// * `matrix` — n × n, by rows or by columns
    ///
    /// # Errors
    ///
    /// [`SparseError::NotSquare`], [`SparseError::StructurallySingular`], [`SparseError::Ordering`],
    /// [`SparseError::Memory`]
    pub fn analyse(matrix: &CsMatView<'_, f64>) -> Result<Self, SparseError> {
        Self::of_columns(Columns::general(matrix)?)
    }

    /// As [`SparseLu::analyse`], of both triangles of a symmetric matrix; it is factorised by
    /// [`SparseLu::factorise_symmetric`].
    ///
    /// # Errors
    ///
    /// As [`SparseLu::analyse`].
    pub fn analyse_symmetric(matrix: &Symmetric) -> Result<Self, SparseError> {
        Self::of_columns(Columns::symmetric(matrix))
    }

    fn of_columns(columns: Columns) -> Result<Self, SparseError> {
        let possible_pivots = matching::row_of_columns(&columns)?;
        let factors = Factors::new(&columns)?;
        Ok(Self { columns, possible_pivots, factors, work: Work::default(), has_factors: false })
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
    /// [`SparseError::Memory`]
    pub fn factorise(&mut self, matrix: &CsMatView<'_, f64>) -> Result<(), SparseError> {
        self.has_factors = false;
        self.columns.load(matrix)?;
        self.factorise_loaded()
    }

    /// Factorises a symmetric matrix of the analysed pattern.
    ///
    /// # Errors
    ///
    /// As [`SparseLu::factorise`].
    pub fn factorise_symmetric(&mut self, matrix: &Symmetric) -> Result<(), SparseError> {
        self.factorise(&matrix.lower())
    }

    fn factorise_loaded(&mut self) -> Result<(), SparseError> {
        if self.columns.n == 0 {
            self.has_factors = true;
            return Ok(());
        }
        self.factorise_scaled()?;
        let direction = self.direction();
        if direction.smallest.is_finite() {
            direction.check(self.columns.scaled_norm())?;
            self.has_factors = true;
            return Ok(());
        }
        // A pivot of zero leaves factors without a direction: a small change of the pivots gives it.
        for (j, &row) in self.possible_pivots.iter().enumerate() {
            let range = self.columns.starts[j]..self.columns.starts[j + 1];
            let entry = self.columns.rows[range.clone()].iter().position(|&i| i == row);
            let entry = range.start + entry.expect("possible pivots are entries");
            let value = &mut self.columns.scaled[entry];
            *value += if *value < 0.0 { -CHANGE } else { CHANGE };
        }
        self.factorise_scaled()?;
        let direction = self.direction();
        self.columns.scale();
        Err(direction.of_changed(&self.columns))
    }

    fn direction(&mut self) -> Direction {
        let n = self.columns.n;
        Direction::estimate(n, |x, is_transposed| {
            self.factors.solve(MatMut::from_column_major_slice_mut(x, n, 1), is_transposed);
        })
    }

    fn factorise_scaled(&mut self) -> Result<(), SparseError> {
        let n = self.columns.n;
        self.factors.factorise(&self.columns).map_err(|error| match error {
            // The pivots of a dense block are used up.
            LuError::SymbolicSingular { index } => {
                let column = self.factors.order.forward[index.min(n - 1)];
                SparseError::Singular { pivot: 0.0, row: self.possible_pivots[column], column }
            }
            LuError::Generic(_) => SparseError::Memory { n },
        })
    }

    /// x ← A⁻¹ x for any number of right-hand sides, refined.
    ///
    /// # Errors
    ///
    /// [`SparseError::NoFactors`], [`SparseError::Dimension`], [`SparseError::RightHandSide`],
    /// [`SparseError::Inaccurate`]
    pub fn solve_in_place(&mut self, x: MatMut<'_, f64>) -> Result<Solved, SparseError> {
        self.solve_refined(x, false)
    }

    /// x ← A⁻ᵀ x for any number of right-hand sides, refined.
    ///
    /// # Errors
    ///
    /// As [`SparseLu::solve_in_place`].
    pub fn solve_transposed_in_place(&mut self, x: MatMut<'_, f64>) -> Result<Solved, SparseError> {
        self.solve_refined(x, true)
    }

    fn solve_refined(&mut self, x: MatMut<'_, f64>, is_transposed: bool) -> Result<Solved, SparseError> {
        if !self.has_factors {
            return Err(SparseError::NoFactors);
        }
        let factors = &mut self.factors;
        solve_refined(&self.columns, &mut self.work, x, is_transposed, |x| factors.solve(x, is_transposed))
    }
}

/// The factors in faer's form.
struct Factors {
    order: Order,
    symbolic: SymbolicSupernodalLu<usize>,
    transposed: Transposed,
    values: SupernodalLu<usize, f64>,
    row_forward: Vec<usize>,
    row_inverse: Vec<usize>,
    memory: MemBuffer,
}

impl Factors {
    fn new(columns: &Columns) -> Result<Self, SparseError> {
        let n = columns.n;
        let too_large = |()| SparseError::Memory { n };
        let transposed = Transposed::new(columns);
        let alone: Vec<usize> = (0..n).collect();
        let pattern = pattern(n, &columns.starts, &columns.rows);
        let order = column_postorder(pattern, Order::new(dissection(columns, &alone)?));
        let symbolic =
            analyse_columns(pattern, transposed.pattern(n), &order).ok_or(()).map_err(too_large)?;
        let request = factorize_supernodal_numeric_lu_scratch::<usize, f64>(&symbolic, spec())
            .or(solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
        Ok(Self {
            memory: MemBuffer::try_new(request).map_err(|_| too_large(()))?,
            row_forward: (0..n).collect(),
            row_inverse: (0..n).collect(),
            values: SupernodalLu::new(),
            order,
            symbolic,
            transposed,
        })
    }

    /// Factorises the scaled matrix.
    fn factorise(&mut self, columns: &Columns) -> Result<(), LuError> {
        let n = columns.n;
        self.transposed.load(&columns.scaled);
        let matrix =
            SparseColMatRef::new(pattern(n, &columns.starts, &columns.rows), columns.scaled.as_slice());
        let transposed = SparseColMatRef::new(self.transposed.pattern(n), self.transposed.values.as_slice());
        factorize_supernodal_numeric_lu(
            &mut self.row_forward,
            &mut self.row_inverse,
            &mut self.values,
            matrix,
            transposed,
            self.order.as_permutation(),
            &self.symbolic,
            Par::Seq,
            MemStack::new(&mut self.memory),
            spec(),
        )
    }

    /// Solves with the factors of the scaled matrix or of its transpose, in place.
    fn solve(&mut self, x: MatMut<'_, f64>, is_transposed: bool) {
        let (n, n_cols) = (x.nrows(), x.ncols());
        if n == 0 || n_cols == 0 {
            return;
        }
        let request = solve_in_place_scratch::<usize, f64>(n, n_cols, Par::Seq);
        if self.memory.len() < request.unaligned_bytes_required() {
            self.memory = MemBuffer::new(request);
        }
        let rows = PermRef::new_checked(&self.row_forward, &self.row_inverse, n);
        let columns = self.order.as_permutation();
        let stack = MemStack::new(&mut self.memory);
        if is_transposed {
            self.values.solve_transpose_in_place_with_conj(rows, columns, Conj::No, x, Par::Seq, stack);
        } else {
            self.values.solve_in_place_with_conj(rows, columns, Conj::No, x, Par::Seq, stack);
        }
    }
}

/// Aᵀ in compressed columns, which faer reads besides A.
#[derive(Debug, Clone)]
struct Transposed {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// Place of each entry of A.
    places: Vec<usize>,
}

impl Transposed {
    fn new(columns: &Columns) -> Self {
        let n = columns.n;
        let mut starts = vec![0; n + 1];
        columns.rows.iter().for_each(|&i| starts[i + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut rows = vec![0; columns.rows.len()];
        let mut places = Vec::with_capacity(columns.rows.len());
        for j in 0..n {
            for &i in &columns.rows[columns.starts[j]..columns.starts[j + 1]] {
                rows[next[i]] = j;
                places.push(next[i]);
                next[i] += 1;
            }
        }
        Self { starts, values: vec![0.0; rows.len()], rows, places }
    }

    fn load(&mut self, values: &[f64]) {
        self.places.iter().zip(values).for_each(|(&place, &value)| self.values[place] = value);
    }

    fn pattern(&self, n: usize) -> SymbolicSparseColMatRef<'_, usize> {
        pattern(n, &self.starts, &self.rows)
    }
}

/// The structure of the factors; `None` if memory is too small.
fn analyse_columns(
    pattern: SymbolicSparseColMatRef<'_, usize>,
    transposed: SymbolicSparseColMatRef<'_, usize>,
    order: &Order,
) -> Option<SymbolicSupernodalLu<usize>> {
    let n = order.forward.len();
    let request = qr::col_etree_scratch::<usize>(n, n)
        .or(qr::column_counts_aat_scratch::<usize>(n, n))
        .or(factorize_supernodal_symbolic_lu_scratch::<usize>(n, n));
    let mut memory = MemBuffer::try_new(request).ok()?;
    let stack = MemStack::new(&mut memory);
    let mut tree = vec![0_usize; n];
    let (mut counts, mut first_columns) = (vec![0_usize; n], vec![0_usize; n]);
    let places: Vec<usize> = (0..n).collect();
    let permutation = Some(order.as_permutation());
    let tree = qr::col_etree(pattern, permutation, &mut tree, stack);
    qr::column_counts_ata(&mut counts, &mut first_columns, transposed, permutation, tree, &places, stack);
    let parameters = SymbolicSupernodalParams::default();
    factorize_supernodal_symbolic_lu(pattern, permutation, &first_columns, tree, &counts, stack, parameters)
        .ok()
}

fn spec() -> Spec<PartialPivLuParams, f64> {
    <PartialPivLuParams as Auto<f64>>::auto().into()
}
