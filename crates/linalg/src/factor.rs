//! Sparse Cholesky factorisation, and the inertia of an indefinite matrix by the same code.
//!
//! A left-looking supernodal method on the panels of [`Symbolic`]: a panel is filled with its entries of the
//! matrix, every supernode below it subtracts its contribution by dense products, and then its diagonal block
//! is factorised. Here is the interface of callers; read on in
//!
//! * `schedule` — which panels work at the same time
//! * `panel` — one panel: filled, reduced by the panels before it, factorised
//! * `updates` — contributions of earlier panels
//! * `product`, `division` — the dense kernels of both
//! * `pivots` — the diagonal block: its factor, its signs, its smallest pivot
//!
//! An indefinite matrix is factorised as A = W S Wᵀ with signs S = ±1: the square root is taken of |pivot|.
//! No pivoting takes place; how small a pivot became is reported.
//!
//! Rounding errors of the factorisation do not change when A is scaled to D A D, so grading needs no scaling
//! here; but pivots must be judged by their own diagonal entry, a_jj.

use carom_progress::Progress;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::dofs::DofSet;
use crate::iteration::IterationError;
use crate::lanes::Row;
use crate::memory::{memory, missing_bytes};
use crate::ordering::OrderingError;
use crate::symbolic::Symbolic;

mod division;
mod panel;
mod panel_size;
mod pivots;
mod product;
mod schedule;
mod updates;
mod workspace;

pub(crate) use panel_size::panel_tiles;
pub(crate) use pivots::SMALLEST_PIVOT;
pub(crate) use schedule::factorise;

/// Why a factorisation failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FactorError {
    /// No elimination order.
    #[error(transparent)]
    Ordering(#[from] OrderingError),
    /// A pivot is not positive: the matrix is singular or indefinite.
    #[error(
        "the matrix is not positive definite: the pivot of node {node}, component {component}, is \
         {pivot:.1e} of its diagonal entry (at least {SMALLEST_PIVOT:.0e} is needed); some part can move \
         freely or has no stiffness"
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
    /// The constraints of a bordered system do not hold the body, or depend on each other.
    #[error(
        "the constraints do not hold the body, or say the same twice: their pivots differ by {pivot:.1e} (at \
         least {SMALLEST_PIVOT:.0e} is needed)"
    )]
    SingularBorder {
        /// Smallest over largest pivot of the border.
        pivot: f64,
    },
    /// The factor does not fit into the memory.
    #[error(
        "the factor of the stiffness needs {:.1} GB of memory, {:.1} GB more than this machine has free: \
         take a coarser mesh, a lower degree or a machine with more memory",
        *wanted as f64 / 1e9, *missing as f64 / 1e9
    )]
    OutOfMemory {
        /// Bytes of the factor.
        wanted: u64,
        /// Bytes that are missing.
        missing: u64,
    },
    /// A solution without a factor failed.
    #[error(transparent)]
    Iteration(#[from] IterationError),
    /// The user stopped it.
    #[error("stopped during the factorisation")]
    Interrupted,
}

impl FactorError {
    /// Whether an iteration in its place failed on a problem that may have a solution.
    pub fn is_convergence(&self) -> bool {
        matches!(self, Self::Iteration(source) if source.is_convergence())
    }
}

/// Values of one panel: rows of its supernode's list from its first node on, in [`tiles`](crate::tiles).
#[derive(Debug, Clone, Default)]
pub(crate) struct PanelValues {
    pub(crate) values: Vec<Row>,
    /// Signs of the pivots, empty if all are positive.
    pub(crate) signs: Vec<f64>,
}

/// A Cholesky factor of (K + s M) restricted to free dofs.
#[derive(Debug)]
pub struct Cholesky {
    pub(crate) symbolic: Symbolic,
    pub(crate) panels: Vec<PanelValues>,
    pub(crate) smallest_pivot: f64,
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
    /// [`FactorError::OutOfMemory`] before any work, [`FactorError::Interrupted`].
    pub fn new(
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        free: DofSet,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        progress.begin("ordering", 0);
        let symbolic = Symbolic::new(&k.graph, free)?;
        progress.end();
        if progress.interrupted() {
            return Err(FactorError::Interrupted);
        }
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
        let wanted = symbolic.factor_bytes() as u64;
        let missing = missing_bytes(wanted, memory());
        if missing > 0 {
            return Err(FactorError::OutOfMemory { wanted, missing });
        }
        let mut panels = vec![PanelValues::default(); symbolic.panels.len()];
        let smallest_pivot = {
            let matrix = Matrix { symbolic: &symbolic, k, shifted_mass, scale: 1.0, indefinite: false };
            factorise::<f64>(&matrix, &mut panels, progress)?.smallest_pivot
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
}

/// What is factorised.
pub(crate) struct Matrix<'a> {
    pub(crate) symbolic: &'a Symbolic,
    pub(crate) k: &'a BlockMatrix,
    pub(crate) shifted_mass: Option<(&'a NodeMatrix, f64)>,
    /// Factor of all entries.
    pub(crate) scale: f64,
    pub(crate) indefinite: bool,
}
