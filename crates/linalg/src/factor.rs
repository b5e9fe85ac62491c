//! Sparse Cholesky factorisation, and the inertia of an indefinite matrix by the same code.
//!
//! A left-looking supernodal method on the panels of [`Symbolic`]: a panel is filled with its entries of the matrix,
//! every supernode below it subtracts its contribution by dense products, and then its diagonal block is factorised.
//! Panels work in chunks of about `CHUNK_ROWS` rows; tasks (subtrees) run in parallel with each other, the panels
//! above them run their chunks in parallel. A chunk sums in an order of its own that depends on the matrix alone.
//!
//! An indefinite matrix is factorised as A = W S Wᵀ with signs S = ±1: the square root is taken of |pivot|. No pivoting
//! takes place; how small a pivot became is reported.
//!
//! Rounding errors of the factorisation do not change when A is scaled to D A D, so grading needs no scaling here; what
//! does matter is that pivots are judged by their own diagonal entry, a_jj.

use std::sync::atomic::{AtomicU64, Ordering};

use carom_progress::Progress;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::{ldlt, llt};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::dofs::DofSet;
use crate::ordering::OrderingError;
use crate::symbolic::{MAX_PANEL_DOFS, Panel, Supernode, Symbolic};

/// Rows that one chunk of a panel has, about.
const CHUNK_ROWS: usize = 384;

/// Smallest pivot, relative to its diagonal entry, that a positive definite matrix may have.
///
/// Rounding makes pivots of a singular matrix some 1e-16 to 1e-14 of the diagonal, of either sign.
const SMALLEST_PIVOT: f64 = 1e-13;

/// Why a factorisation failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FactorError {
    /// No elimination order.
    #[error(transparent)]
    Ordering(#[from] OrderingError),
    /// A pivot is not positive: the matrix is singular or indefinite.
    #[error(
        "the matrix is not positive definite: the pivot of node {node}, component {component}, is {pivot:.1e} of its diagonal \
         entry (at least {SMALLEST_PIVOT:.0e} is needed); some part can move freely or has no stiffness"
    )]
    NotPositiveDefinite {
        /// Zero-based node.
        node: usize,
        /// 0, 1, 2 for x, y, z.
        component: usize,
        /// Pivot over diagonal entry; NaN if the matrix has entries that are not finite.
        pivot: f64,
    },
    /// A pivot of the shifted matrix is zero to rounding: the shift is an eigenvalue of a leading submatrix.
    #[error("the shifted matrix has a pivot of {pivot:.1e} of its diagonal entry; move the shift {shift:e}")]
    ShiftTooClose {
        /// σ of K − σ M.
        shift: f64,
        /// Smallest |pivot| over diagonal entry.
        pivot: f64,
    },
    /// The user stopped it.
    #[error("stopped during the factorisation")]
    Interrupted,
}

/// Values of one panel: rows of its supernode's list from its first node on, column-major.
#[derive(Debug, Clone, Default)]
pub(crate) struct PanelValues {
    pub(crate) values: Vec<f64>,
    /// Signs of the pivots, empty if all are positive.
    signs: Vec<f64>,
}

/// A Cholesky factor of (K + s M) restricted to free dofs.
#[derive(Debug)]
pub struct Cholesky {
    pub(crate) symbolic: Symbolic,
    pub(crate) panels: Vec<PanelValues>,
    smallest_pivot: f64,
}

/// Result of an inertia count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Number of eigenvalues of (K, M) below the shift.
    pub below: usize,
    /// Smallest |pivot| over diagonal entry: the count is sure while this is far above 1e-16.
    pub smallest_pivot: f64,
}

impl Cholesky {
    /// Factorises K + s (M_s ⊗ E₃) restricted to the free dofs.
    ///
    /// * `k` — stiffness
    /// * `shifted_mass` — M_s and s; `None` for K itself
    /// * `free` — the free dofs; everything else is held
    ///
    /// # Errors
    ///
    /// [`FactorError::NotPositiveDefinite`] with the node whose pivot failed, [`FactorError::Ordering`],
    /// [`FactorError::Interrupted`].
    pub fn new(
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        free: DofSet,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let symbolic = Symbolic::new(&k.graph, free)?;
        Self::with_symbolic(symbolic, k, shifted_mass, progress)
    }

    /// As [`Cholesky::new`], with the order and structure found before.
    ///
    /// # Errors
    ///
    /// As [`Cholesky::new`].
    pub fn with_symbolic(
        symbolic: Symbolic,
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let mut panels = vec![PanelValues::default(); symbolic.panels.len()];
        let smallest_pivot = {
            let matrix = Matrix { symbolic: &symbolic, k, shifted_mass, indefinite: false };
            factorise(&matrix, &mut panels, progress)?.smallest_pivot
        };
        Ok(Self { symbolic, panels, smallest_pivot })
    }

    /// Order and structure of the factor.
    pub fn symbolic(&self) -> &Symbolic {
        &self.symbolic
    }

    /// Gives up the numbers and keeps order and structure.
    pub fn into_symbolic(self) -> Symbolic {
        self.symbolic
    }

    /// Smallest pivot over diagonal entry: a measure of how near to singular the matrix is.
    pub fn smallest_pivot(&self) -> f64 {
        self.smallest_pivot
    }

    /// Gives up the factor and counts the eigenvalues of (K, M) below σ in its memory.
    ///
    /// By Sylvester's law of inertia their number is the number of negative pivots of K − σ M.
    ///
    /// Returns the count, or [`FactorError::ShiftTooClose`] if a pivot vanishes, or [`FactorError::Interrupted`]; and in
    /// any case the symbolic structure, for another factorisation.
    pub fn into_inertia(
        self,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Symbolic) {
        let mut panels = self.panels;
        (count_in(&self.symbolic, &mut panels, k, m, shift, progress), self.symbolic)
    }
}

/// Number of eigenvalues of (K, M), restricted to the free dofs of `symbolic`, below σ.
///
/// # Errors
///
/// As [`Cholesky::into_inertia`].
pub fn count_below(
    symbolic: &Symbolic,
    k: &BlockMatrix,
    m: &NodeMatrix,
    shift: f64,
    progress: &dyn Progress,
) -> Result<Inertia, FactorError> {
    let mut panels = vec![PanelValues::default(); symbolic.panels.len()];
    count_in(symbolic, &mut panels, k, m, shift, progress)
}

fn count_in(
    symbolic: &Symbolic,
    panels: &mut [PanelValues],
    k: &BlockMatrix,
    m: &NodeMatrix,
    shift: f64,
    progress: &dyn Progress,
) -> Result<Inertia, FactorError> {
    let matrix = Matrix { symbolic, k, shifted_mass: Some((m, -shift)), indefinite: true };
    let smallest_pivot = factorise(&matrix, panels, progress)?.smallest_pivot;
    if smallest_pivot.is_nan() || smallest_pivot < SMALLEST_PIVOT {
        return Err(FactorError::ShiftTooClose { shift, pivot: smallest_pivot });
    }
    let below = panels.iter().flat_map(|panel| &panel.signs).filter(|&&sign| sign < 0.0).count();
    Ok(Inertia { below, smallest_pivot })
}

/// What is factorised.
struct Matrix<'a> {
    symbolic: &'a Symbolic,
    k: &'a BlockMatrix,
    shifted_mass: Option<(&'a NodeMatrix, f64)>,
    indefinite: bool,
}

/// Outcome of some panels.
#[derive(Clone, Copy)]
struct Pivots {
    smallest_pivot: f64,
}

impl Pivots {
    const NONE: Self = Self { smallest_pivot: f64::INFINITY };

    fn and(self, other: Self) -> Self {
        Self { smallest_pivot: self.smallest_pivot.min(other.smallest_pivot) }
    }
}

/// Memory of one worker.
struct Workspace {
    /// Row of each position in the panel at work.
    row_at: Vec<u32>,
    chunk: ChunkWorkspace,
    diagonal: Vec<f64>,
    backup: Vec<f64>,
    pivots: MemBuffer,
}

impl Workspace {
    fn new(symbolic: &Symbolic) -> Self {
        let n = symbolic.panels.iter().map(|panel| width(symbolic, panel)).max().unwrap_or(0);
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default())
            .or(ldlt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
        Self {
            row_at: vec![0; symbolic.order.len()],
            chunk: ChunkWorkspace::default(),
            diagonal: Vec::new(),
            backup: Vec::new(),
            pivots: MemBuffer::new(scratch),
        }
    }
}

/// Memory for the contributions to one chunk.
#[derive(Default)]
struct ChunkWorkspace {
    product: Vec<f64>,
    signed: Vec<f64>,
    rows: Vec<u32>,
    columns: Vec<u32>,
}

/// Dofs of a panel.
fn width(symbolic: &Symbolic, panel: &Panel) -> usize {
    let row_of = &symbolic.supernodes[panel.supernode].row_of;
    (row_of[panel.nodes.end] - row_of[panel.nodes.start]) as usize
}

/// Rows of a panel.
fn height(symbolic: &Symbolic, panel: &Panel) -> usize {
    let supernode = &symbolic.supernodes[panel.supernode];
    supernode.height() - supernode.row_of[panel.nodes.start] as usize
}

/// The factor of a panel as a matrix, rows × width.
pub(crate) fn panel_matrix<'a>(
    symbolic: &Symbolic,
    i_panel: usize,
    values: &'a PanelValues,
) -> MatRef<'a, f64> {
    let panel = &symbolic.panels[i_panel];
    MatRef::from_column_major_slice(&values.values, height(symbolic, panel), width(symbolic, panel))
}

/// Factorises all panels.
fn factorise(
    matrix: &Matrix<'_>,
    panels: &mut [PanelValues],
    progress: &dyn Progress,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let done = Done { flops: AtomicU64::new(0), total: symbolic.flops(), progress };
    progress.begin(if matrix.indefinite { "inertia count" } else { "factorisation" }, 100);
    let outcome = factorise_tasks(matrix, panels, &done).and_then(|below| {
        let mut pivots = below;
        let mut workspace = Workspace::new(symbolic);
        for &s in &symbolic.top {
            for i_panel in symbolic.supernodes[s].panels.clone() {
                let (earlier, rest) = panels.split_at_mut(i_panel);
                let found = factorise_panel(matrix, i_panel, 0, earlier, &mut rest[0], &mut workspace, true)?;
                pivots = pivots.and(found);
            }
            done.add(&symbolic.supernodes[s])?;
        }
        Ok(pivots)
    });
    progress.end();
    outcome
}

/// Progress by operations.
struct Done<'a> {
    flops: AtomicU64,
    total: f64,
    progress: &'a dyn Progress,
}

impl Done<'_> {
    fn add(&self, supernode: &Supernode) -> Result<(), FactorError> {
        let height = supernode.height() as f64;
        let rest = height - supernode.width() as f64;
        let flops = ((height.powi(3) - rest.powi(3)) / 3.0) as u64;
        let all = flops + self.flops.fetch_add(flops, Ordering::Relaxed);
        self.progress.set((100.0 * all as f64 / self.total.max(1.0)).min(100.0) as u64);
        if self.progress.interrupted() { Err(FactorError::Interrupted) } else { Ok(()) }
    }
}

/// Factorises the subtrees, in parallel.
fn factorise_tasks(
    matrix: &Matrix<'_>,
    panels: &mut [PanelValues],
    done: &Done<'_>,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let mut parts = Vec::with_capacity(symbolic.tasks.len());
    let (mut rest, mut offset) = (panels, 0);
    for task in &symbolic.tasks {
        let first = symbolic.supernodes[task.start].panels.start;
        let end = symbolic.supernodes[task.end - 1].panels.end;
        let (_, from_first) = rest.split_at_mut(first - offset);
        let (part, after) = from_first.split_at_mut(end - first);
        parts.push((task.clone(), first, part));
        (rest, offset) = (after, end);
    }
    let outcomes: Vec<Result<Pivots, FactorError>> = parts
        .into_par_iter()
        .map_init(
            || Workspace::new(symbolic),
            |workspace, (task, first, part)| {
                let mut pivots = Pivots::NONE;
                for s in task {
                    for i_panel in symbolic.supernodes[s].panels.clone() {
                        let (earlier, rest) = part.split_at_mut(i_panel - first);
                        let found =
                            factorise_panel(matrix, i_panel, first, earlier, &mut rest[0], workspace, false)?;
                        pivots = pivots.and(found);
                    }
                    done.add(&symbolic.supernodes[s])?;
                }
                Ok(pivots)
            },
        )
        .collect();
    // The first task that failed, in elimination order, whichever was found first.
    outcomes.into_iter().try_fold(Pivots::NONE, |all, outcome| Ok(all.and(outcome?)))
}

/// Computes one panel from the panels before it.
///
/// `earlier[0]` is panel number `first`.
fn factorise_panel(
    matrix: &Matrix<'_>,
    i_panel: usize,
    first: usize,
    earlier: &[PanelValues],
    target: &mut PanelValues,
    workspace: &mut Workspace,
    parallel: bool,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let panel = &symbolic.panels[i_panel];
    let (n_rows, n_cols) = (height(symbolic, panel), width(symbolic, panel));
    target.signs.clear();
    target.values.clear();
    target.values.resize(n_rows * n_cols, 0.0);
    fill(matrix, panel, &mut target.values, n_rows, workspace);

    let chunks = Chunks { symbolic, i_panel, first, earlier, row_at: &workspace.row_at };
    let values = MatMut::from_column_major_slice_mut(&mut target.values, n_rows, n_cols);
    let mut pieces = chunks.cut(values);
    if parallel {
        pieces.into_par_iter().for_each_init(ChunkWorkspace::default, |memory, (nodes, mut piece)| {
            chunks.subtract_updates(nodes, piece.as_mut(), memory);
        });
    } else {
        for (nodes, piece) in &mut pieces {
            chunks.subtract_updates(nodes.clone(), piece.as_mut(), &mut workspace.chunk);
        }
    }

    let values = MatMut::from_column_major_slice_mut(&mut target.values, n_rows, n_cols);
    let (mut top, below) = values.split_at_row_mut(n_cols);
    let found = factorise_diagonal(matrix, panel, top.as_mut(), &mut target.signs, workspace)?;
    let (top, signs) = (top.as_ref(), &target.signs);
    // Rows below: X Wᵀ S = A, that is X = A W⁻ᵀ S.
    let divide = |mut rows: MatMut<'_, f64>| {
        solve_lower_triangular_in_place(top, rows.as_mut().transpose_mut(), Par::Seq);
        for (j, &sign) in signs.iter().enumerate().filter(|(_, sign)| **sign < 0.0) {
            rows.as_mut().col_mut(j).iter_mut().for_each(|x| *x *= sign);
        }
    };
    if below.nrows() > 0 {
        if parallel {
            below.par_row_chunks_mut(CHUNK_ROWS).for_each(divide);
        } else {
            divide(below);
        }
    }
    Ok(found)
}

/// Writes the entries of the matrix into a panel and notes the row of each position and the diagonal.
fn fill(matrix: &Matrix<'_>, panel: &Panel, values: &mut [f64], n_rows: usize, workspace: &mut Workspace) {
    let symbolic = matrix.symbolic;
    let supernode = &symbolic.supernodes[panel.supernode];
    let first_row = supernode.row_of[panel.nodes.start];
    for k in panel.nodes.start..supernode.list.len() {
        workspace.row_at[supernode.list[k] as usize] = supernode.row_of[k] - first_row;
    }
    workspace.diagonal.clear();
    for &position in &supernode.list[panel.nodes.clone()] {
        let col = workspace.row_at[position as usize] as usize;
        let col_node = symbolic.order[position as usize] as usize;
        let col_free = symbolic.free.of_node(col_node);
        for entry in symbolic.entries_of(position as usize) {
            let row = workspace.row_at[entry.row as usize] as usize;
            let row_node = symbolic.order[entry.row as usize] as usize;
            let row_free = symbolic.free.of_node(row_node);
            let block = &matrix.k.values[entry.index as usize];
            let on_diagonal =
                matrix.shifted_mass.map_or(0.0, |(mass, shift)| shift * mass.values[entry.index as usize]);
            // The stored block has the larger node in its rows.
            let (stride_row, stride_col) = if row_node >= col_node { (3, 1) } else { (1, 3) };
            for (at_col, j) in (col..).zip((0..3).filter(|&j| col_free[j])) {
                for (at, i) in (at_col * n_rows + row..).zip((0..3).filter(|&i| row_free[i])) {
                    values[at] =
                        block[stride_row * i + stride_col * j] + if i == j { on_diagonal } else { 0.0 };
                }
            }
        }
    }
    let n_cols = values.len() / n_rows.max(1);
    workspace.diagonal.extend((0..n_cols).map(|j| values[j * n_rows + j]));
}

/// Factorises the diagonal block of a panel in place: A = W Wᵀ, or W S Wᵀ if the matrix may be indefinite.
fn factorise_diagonal(
    matrix: &Matrix<'_>,
    panel: &Panel,
    mut top: MatMut<'_, f64>,
    signs: &mut Vec<f64>,
    workspace: &mut Workspace,
) -> Result<Pivots, FactorError> {
    let n = top.ncols();
    if matrix.indefinite {
        workspace.backup.clear();
        workspace.backup.extend((0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| top[(i, j)]));
    }
    let stack = MemStack::new(&mut workspace.pivots);
    let outcome =
        llt::factor::cholesky_in_place(top.as_mut(), Default::default(), Par::Seq, stack, Default::default());
    let mut pivots = Pivots::NONE;
    let diagonal = &workspace.diagonal;
    match outcome {
        Ok(_) => {
            for j in 0..n {
                let pivot = top[(j, j)].powi(2) / diagonal[j].abs();
                if !matrix.indefinite && (pivot.is_nan() || pivot < SMALLEST_PIVOT) {
                    return Err(not_positive_definite(matrix.symbolic, panel, j, pivot));
                }
                pivots = pivots.and(Pivots { smallest_pivot: if pivot.is_nan() { 0.0 } else { pivot } });
            }
        }
        Err(llt::factor::LltError::NonPositivePivot { index }) if !matrix.indefinite => {
            // faer leaves the failed pivot where it was found.
            return Err(not_positive_definite(
                matrix.symbolic,
                panel,
                index,
                top[(index, index)] / diagonal[index],
            ));
        }
        Err(_) => {
            top.copy_from(MatRef::from_column_major_slice(&workspace.backup, n, n));
            let stack = MemStack::new(&mut workspace.pivots);
            let params = Default::default();
            if ldlt::factor::cholesky_in_place(top.as_mut(), Default::default(), Par::Seq, stack, params)
                .is_err()
            {
                return Ok(Pivots { smallest_pivot: 0.0 });
            }
            signs.extend((0..n).map(|j| top[(j, j)].signum()));
            for j in 0..n {
                let pivot = top[(j, j)];
                let relative = (pivot / diagonal[j]).abs();
                pivots =
                    pivots.and(Pivots { smallest_pivot: if relative.is_nan() { 0.0 } else { relative } });
                let root = pivot.abs().sqrt();
                top[(j, j)] = root;
                for i in j + 1..n {
                    top[(i, j)] *= root;
                }
            }
        }
    }
    Ok(pivots)
}

/// The error of a failed pivot in column j of a panel.
fn not_positive_definite(symbolic: &Symbolic, panel: &Panel, j: usize, pivot: f64) -> FactorError {
    let supernode = &symbolic.supernodes[panel.supernode];
    let row = supernode.row_of[panel.nodes.start] as usize + j;
    let k = supernode.row_of.partition_point(|&start| start as usize <= row) - 1;
    let node = symbolic.order[supernode.list[k] as usize] as usize;
    let mut components = (0..3).filter(|&i| symbolic.free.of_node(node)[i]);
    let component = components.nth(row - supernode.row_of[k] as usize).unwrap_or(0);
    FactorError::NotPositiveDefinite { node, component, pivot }
}

/// One panel at work, with what it needs from the panels before it.
struct Chunks<'a> {
    symbolic: &'a Symbolic,
    i_panel: usize,
    first: usize,
    earlier: &'a [PanelValues],
    row_at: &'a [u32],
}

impl Chunks<'_> {
    /// Cuts a panel into chunks of whole nodes: ranges of the supernode's list with their rows.
    fn cut<'m>(&self, values: MatMut<'m, f64>) -> Vec<(std::ops::Range<usize>, MatMut<'m, f64>)> {
        let panel = &self.symbolic.panels[self.i_panel];
        let supernode = &self.symbolic.supernodes[panel.supernode];
        let mut pieces = Vec::new();
        let mut rest = values;
        let mut start = panel.nodes.start;
        while start < supernode.list.len() {
            let limit = supernode.row_of[start] + CHUNK_ROWS as u32;
            let end = (supernode.row_of.partition_point(|&row| row <= limit) - 1)
                .clamp(start + 1, supernode.list.len());
            let n_rows = supernode.row_of[end] - supernode.row_of[start];
            let (piece, after) = rest.split_at_row_mut(n_rows as usize);
            pieces.push((start..end, piece));
            (rest, start) = (after, end);
        }
        pieces
    }

    /// Subtracts from the rows of one chunk what all earlier panels contribute.
    fn subtract_updates(
        &self,
        nodes: std::ops::Range<usize>,
        mut piece: MatMut<'_, f64>,
        memory: &mut ChunkWorkspace,
    ) {
        let panel = &self.symbolic.panels[self.i_panel];
        let supernode = &self.symbolic.supernodes[panel.supernode];
        // Panels of the same supernode have the same rows: the product goes straight into its place.
        for i_source in supernode.panels.start..self.i_panel {
            let source = self.source(i_source);
            let source_row = supernode.row_of[self.symbolic.panels[i_source].nodes.start];
            let row = (supernode.row_of[nodes.start] - source_row) as usize;
            let middle = (supernode.row_of[panel.nodes.start] - source_row) as usize;
            let left = source.subrows(row, piece.nrows());
            let right =
                signed(self.signs(i_source), source.subrows(middle, piece.ncols()), &mut memory.signed);
            matmul(piece.as_mut(), Accum::Add, left, right.transpose(), -1.0, Par::Seq);
        }
        for update in self.symbolic.updates_of(self.i_panel) {
            self.subtract_supernode(
                update.source as usize,
                update.first as usize,
                &nodes,
                piece.as_mut(),
                memory,
            );
        }
    }

    /// Subtracts the contribution of one supernode of the subtrees below.
    fn subtract_supernode(
        &self,
        i_source: usize,
        middle: usize,
        nodes: &std::ops::Range<usize>,
        mut piece: MatMut<'_, f64>,
        memory: &mut ChunkWorkspace,
    ) {
        let panel = &self.symbolic.panels[self.i_panel];
        let target = &self.symbolic.supernodes[panel.supernode];
        let source = &self.symbolic.supernodes[i_source];
        let last_column = target.list[panel.nodes.end - 1];
        let (first_row, last_row) = (target.list[nodes.start], target.list[nodes.end - 1]);
        let begin = middle + source.list[middle..].partition_point(|&position| position < first_row);
        let end = begin + source.list[begin..].partition_point(|&position| position <= last_row);
        if begin == end {
            return;
        }
        // In the chunk with the diagonal, columns past its last row belong to the upper triangle.
        let last_needed = last_column.min(last_row);
        let middle_end = middle + source.list[middle..].partition_point(|&position| position <= last_needed);
        let chunk_row = target.row_of[nodes.start] - target.row_of[panel.nodes.start];
        let dof_rows = |range: std::ops::Range<usize>, shift: u32, out: &mut Vec<u32>| {
            out.clear();
            for k in range {
                let start = self.row_at[source.list[k] as usize] - shift;
                out.extend(start..start + (source.row_of[k + 1] - source.row_of[k]));
            }
        };
        dof_rows(begin..end, chunk_row, &mut memory.rows);
        dof_rows(middle..middle_end, 0, &mut memory.columns);
        let (n_rows, n_cols) = (memory.rows.len(), memory.columns.len());
        let contiguous = |list: &[u32]| (list[list.len() - 1] - list[0]) as usize == list.len() - 1;
        let in_place = contiguous(&memory.rows) && contiguous(&memory.columns);
        if !in_place && memory.product.len() < n_rows * n_cols {
            memory.product.resize(n_rows * n_cols, 0.0);
        }
        for (k, i_panel) in source.panels.clone().enumerate() {
            let values = self.source(i_panel);
            let offset = source.row_of[self.symbolic.panels[i_panel].nodes.start];
            let left = values.subrows((source.row_of[begin] - offset) as usize, n_rows);
            let right = values.subrows((source.row_of[middle] - offset) as usize, n_cols);
            let right = signed(self.signs(i_panel), right, &mut memory.signed).transpose();
            if in_place {
                let (row, col) = (memory.rows[0] as usize, memory.columns[0] as usize);
                let place = piece.as_mut().submatrix_mut(row, col, n_rows, n_cols);
                matmul(place, Accum::Add, left, right, -1.0, Par::Seq);
            } else {
                let product = MatMut::from_column_major_slice_mut(
                    &mut memory.product[..n_rows * n_cols],
                    n_rows,
                    n_cols,
                );
                let accum = if k == 0 { Accum::Replace } else { Accum::Add };
                matmul(product, accum, left, right, 1.0, Par::Seq);
            }
        }
        if !in_place {
            scatter(piece, &memory.product, &memory.rows, &memory.columns);
        }
    }

    fn source(&self, i_panel: usize) -> MatRef<'_, f64> {
        panel_matrix(self.symbolic, i_panel, &self.earlier[i_panel - self.first])
    }

    fn signs(&self, i_panel: usize) -> &[f64] {
        &self.earlier[i_panel - self.first].signs
    }
}

/// Subtracts a dense product from listed rows and columns.
fn scatter(mut piece: MatMut<'_, f64>, product: &[f64], rows: &[u32], columns: &[u32]) {
    for (j, &column) in columns.iter().enumerate() {
        let product = &product[j * rows.len()..(j + 1) * rows.len()];
        let target = piece.as_mut().col_mut(column as usize).try_as_col_major_mut();
        let target = target.expect("panels are stored by columns").as_slice_mut();
        for (&row, &value) in rows.iter().zip(product) {
            target[row as usize] -= value;
        }
    }
}

/// The matrix with its columns times the signs: itself if all are positive, else a copy.
fn signed<'a>(signs: &[f64], matrix: MatRef<'a, f64>, memory: &'a mut Vec<f64>) -> MatRef<'a, f64> {
    if signs.is_empty() {
        return matrix;
    }
    memory.clear();
    for (j, &sign) in signs.iter().enumerate() {
        memory.extend(matrix.col(j).iter().map(|x| sign * x));
    }
    MatRef::from_column_major_slice(memory, matrix.nrows(), matrix.ncols())
}

const _: () = assert!(MAX_PANEL_DOFS <= CHUNK_ROWS, "the first chunk should hold the diagonal block");
