//! Sparse Cholesky factorisation, and the inertia of an indefinite matrix by the same code.
//!
//! A left-looking supernodal method on the panels of [`Symbolic`]: a panel is filled with its entries of the
//! matrix, every supernode below it subtracts its contribution by dense products, and then its diagonal block
//! is factorised. Here is what callers use; read on in
//!
//! * `schedule` — which panels work at the same time
//! * `panel` — one panel: filled, reduced by the panels before it, factorised
//! * `updates` — what earlier panels subtract
//! * `product`, `division` — the dense kernels of both
//! * `pivots` — the diagonal block: its factor, its signs, its smallest pivot
//! * `inertia` — counts, in single precision where that is certain to count right
//!
//! An indefinite matrix is factorised as A = W S Wᵀ with signs S = ±1: the square root is taken of |pivot|.
//! No pivoting takes place; how small a pivot became is reported.
//!
//! Rounding errors of the factorisation do not change when A is scaled to D A D, so grading needs no scaling
//! here; what does matter is that pivots are judged by their own diagonal entry, a_jj.

use carom_progress::Progress;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::conjugate::IterationError;
use crate::dofs::DofSet;
use crate::lanes::Row;
use crate::memory::{memory, missing_bytes};
use crate::ordering::OrderingError;
use crate::symbolic::Symbolic;

mod division;
mod inertia;
mod panel;
mod pivots;
mod product;
mod schedule;
mod updates;

use inertia::factorise_indefinite;
pub use inertia::{Inertia, count_below};
pub(crate) use panel::panel_tiles;
pub(crate) use pivots::SMALLEST_PIVOT;
use schedule::factorise;

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
    smallest_pivot: f64,
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

    /// Gives up the factor and counts the eigenvalues of (K, M) below σ in its memory.
    ///
    /// By Sylvester's law of inertia their number is the number of negative pivots of K − σ M. Large matrices
    /// are factorised in single precision if that is certain to count the same, see the module `inertia`.
    ///
    /// Returns the count, or [`FactorError::ShiftTooClose`] if a pivot vanishes, or
    /// [`FactorError::Interrupted`]; and in any case the symbolic structure, for another factorisation.
    pub fn into_inertia(
        self,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Symbolic) {
        let Self { symbolic, mut panels, .. } = self;
        (inertia::count(&symbolic, &mut panels, k, m, shift, progress), symbolic)
    }

    /// As [`Cholesky::into_inertia`] in double precision, and keeps W S Wᵀ = K − σ M: if the count succeeds,
    /// what is returned solves with it.
    pub(crate) fn into_indefinite(
        self,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Self) {
        let Self { symbolic, mut panels, .. } = self;
        let outcome = factorise_indefinite(&symbolic, &mut panels, k, m, shift, progress);
        let smallest_pivot = outcome.as_ref().map_or(0.0, |inertia| inertia.smallest_pivot);
        (outcome, Self { symbolic, panels, smallest_pivot })
    }

    /// Factorises K − σ M = W S Wᵀ and counts its negative pivots.
    pub(crate) fn indefinite(
        symbolic: Symbolic,
        k: &BlockMatrix,
        m: &NodeMatrix,
        shift: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Self) {
        let panels = vec![PanelValues::default(); symbolic.panels.len()];
        Self { symbolic, panels, smallest_pivot: 0.0 }.into_indefinite(k, m, shift, progress)
    }
}

/// What is factorised.
struct Matrix<'a> {
    symbolic: &'a Symbolic,
    k: &'a BlockMatrix,
    shifted_mass: Option<(&'a NodeMatrix, f64)>,
    /// Factor of all entries.
    scale: f64,
    indefinite: bool,
}
