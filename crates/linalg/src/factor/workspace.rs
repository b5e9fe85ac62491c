//! Memory of a worker that factorises panels.

use faer::Par;
use faer::dyn_stack::MemBuffer;
use faer::linalg::cholesky::{ldlt, llt};

use super::division::Triangle;
use super::panel_size::width;
use super::updates::PieceWorkspace;
use crate::number::Number;
use crate::symbolic::Symbolic;

/// Memory of one worker.
pub(super) struct Workspace<T> {
    /// Row of each position in the panel at work.
    pub(super) row_at: Vec<u32>,
    pub(super) piece: PieceWorkspace<T>,
    /// Diagonal of the matrix in the columns of the panel.
    pub(super) diagonal: Vec<f64>,
    /// The diagonal block, column-major; only its lower triangle counts.
    pub(super) block: Vec<T>,
    /// The diagonal block before it was factorised, if that may fail.
    pub(super) backup: Vec<T>,
    pub(super) pivots: MemBuffer,
    pub(super) triangle: Triangle<T>,
}

impl<T: Number> Workspace<T> {
    pub(super) fn new(symbolic: &Symbolic) -> Self {
        let widest = symbolic.panels.iter().map(|panel| width(symbolic, panel)).max().unwrap_or(0);
        Self {
            row_at: vec![0; symbolic.order.len()],
            piece: PieceWorkspace::new(),
            diagonal: Vec::new(),
            block: Vec::new(),
            backup: Vec::new(),
            pivots: pivot_memory::<T>(widest),
            triangle: Triangle::new(),
        }
    }
}

/// Memory in which diagonal blocks up to this width are factorised.
fn pivot_memory<T: Number>(widest: usize) -> MemBuffer {
    let scratch = llt::factor::cholesky_in_place_scratch::<T>(widest, Par::Seq, Default::default())
        .or(ldlt::factor::cholesky_in_place_scratch::<T>(widest, Par::Seq, Default::default()));
    MemBuffer::new(scratch)
}
