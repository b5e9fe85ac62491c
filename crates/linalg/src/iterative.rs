//! Solution of A X = B without a factor: conjugate gradients with multigrid.

use std::sync::atomic::{AtomicUsize, Ordering};

use carom_progress::Progress;
use faer::{Mat, MatMut};

use crate::block::{BlockMatrix, NodeMatrix};
use crate::conjugate::Conjugate;
use crate::dofs::DofSet;
use crate::eigen::{Admissible, Inverse};
use crate::factor::FactorError;
use crate::iteration::IterationError;
use crate::lanes::{LANES, Row, group_of, write_columns};
use crate::multigrid::{Multigrid, System};

/// The inverse of K + sM restricted to free dofs, by iteration.
#[derive(Debug)]
pub struct Iterative {
    free: DofSet,
    n_free: usize,
    /// Node at each position of the system.
    nodes: Vec<u32>,
    multigrid: Multigrid,
    most_iterations: AtomicUsize,
}

impl Iterative {
    /// Makes the levels of K + s (M_s ⊗ E₃) restricted to the free dofs.
    ///
    /// * `k` — stiffness
    /// * `shifted_mass` — M_s and s; `None` for K itself
    /// * `free` — the free dofs; everything else is held
    /// * `points` — position of each node, from which its rigid motions follow \[m\]
    ///
    /// # Errors
    ///
    /// [`FactorError::Iteration`] if the smallest level shows that something can move freely,
    /// [`FactorError::Interrupted`].
    pub fn new(
        k: &BlockMatrix,
        shifted_mass: Option<(&NodeMatrix, f64)>,
        free: DofSet,
        points: &[[f64; 3]],
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        progress.begin("levels of multigrid", 0);
        let System { nodes, matrix } = System::new(k, shifted_mass, &free);
        let motions = rigid_motions(&nodes, &free, points);
        let multigrid = Multigrid::new(matrix, &motions, progress)?;
        progress.end();
        let n_free = free.len();
        Ok(Self { free, n_free, nodes, multigrid, most_iterations: AtomicUsize::new(0) })
    }

    /// Solves A X = B in place on the free dofs; the other rows become zero.
    ///
    /// * `x` — B on entry, X on return, 3 n_nodes × any number of columns; rows of dofs that are not free are
    ///   ignored
    ///
    /// # Errors
    ///
    /// [`IterationError`].
    ///
    /// # Panics
    ///
    /// If `x` has another number of rows.
    pub fn solve_in_place(&self, x: MatMut<'_, f64>, progress: &dyn Progress) -> Result<(), IterationError> {
        assert_eq!(x.nrows(), 3 * self.free.n_nodes(), "rows of x must be the dofs of the body");
        let mut x = x;
        for first in (0..x.ncols()).step_by(LANES) {
            let width = LANES.min(x.ncols() - first);
            let mut columns = x.as_mut().subcols_mut(first, width);
            let mut group = group_of(columns.as_ref());
            self.solve_group(&mut group, progress)?;
            write_columns(&group, columns.as_mut());
        }
        Ok(())
    }

    /// As [`Iterative::solve_in_place`] for one group.
    pub(crate) fn solve_group(&self, x: &mut [Row], progress: &dyn Progress) -> Result<(), IterationError> {
        let mut iteration = Conjugate::new(&self.multigrid);
        gather(&self.nodes, x, &self.free, &mut iteration.b);
        let iterations = iteration.solve(progress)?;
        self.most_iterations.fetch_max(iterations, Ordering::Relaxed);
        scatter(&self.nodes, &iteration.x, x);
        Ok(())
    }

    /// Most iterations that a solution took so far.
    pub fn most_iterations(&self) -> usize {
        self.most_iterations.load(Ordering::Relaxed)
    }

    /// Dofs of each level of multigrid, the finest first.
    pub fn level_dofs(&self) -> Vec<usize> {
        self.multigrid.level_dofs()
    }
}

impl Admissible for Iterative {
    fn clear_reactions(&self, x: MatMut<'_, f64>) {
        self.free.clear_fixed(x);
    }
}

impl Inverse for Iterative {
    fn dimension(&self) -> usize {
        self.n_free
    }

    fn free(&self) -> &DofSet {
        &self.free
    }

    fn solve_in_place(&self, x: MatMut<'_, f64>, progress: &dyn Progress) -> Result<(), IterationError> {
        Self::solve_in_place(self, x, progress)
    }

    fn solve_group(&self, x: &mut [[f64; 8]], progress: &dyn Progress) -> Result<(), IterationError> {
        Self::solve_group(self, x, progress)
    }

    fn basis(&self) -> Mat<f64> {
        self.free.unit_columns()
    }
}

/// The rigid motions of each node about the middle of them all: three translations, three turns scaled to the
/// size of the body; zero where a dof is not free.
fn rigid_motions(nodes: &[u32], free: &DofSet, points: &[[f64; 3]]) -> Vec<[[f64; 6]; 3]> {
    let place = |node: u32, axis: usize| points[node as usize][axis];
    let n = nodes.len().max(1) as f64;
    let center: [f64; 3] =
        std::array::from_fn(|axis| nodes.iter().map(|&node| place(node, axis)).sum::<f64>() / n);
    let size = nodes
        .iter()
        .flat_map(|&node| (0..3).map(move |axis| (place(node, axis) - center[axis]).abs()))
        .fold(f64::MIN_POSITIVE, f64::max);
    nodes
        .iter()
        .map(|&node| {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|axis| (place(node, axis) - center[axis]) / size);
            let mut motions =
                [[1.0, 0.0, 0.0, 0.0, z, -y], [0.0, 1.0, 0.0, -z, 0.0, x], [0.0, 0.0, 1.0, y, -x, 0.0]];
            for (row, is_free) in motions.iter_mut().zip(free.of_node(node as usize)) {
                if !is_free {
                    *row = [0.0; 6];
                }
            }
            motions
        })
        .collect()
}

/// The rows of the system out of a group over all dofs; dofs that are not free are zero.
fn gather(nodes: &[u32], from: &[Row], free: &DofSet, to: &mut [Row]) {
    for (to, &node) in to.as_chunks_mut::<3>().0.iter_mut().zip(nodes) {
        let is_free = free.of_node(node as usize);
        for i in 0..3 {
            to[i] = if is_free[i] { from[3 * node as usize + i] } else { [0.0; LANES] };
        }
    }
}

/// Writes the rows of the system into a group over all dofs; the others become zero.
fn scatter(nodes: &[u32], from: &[Row], to: &mut [Row]) {
    to.fill([0.0; LANES]);
    for (from, &node) in from.as_chunks::<3>().0.iter().zip(nodes) {
        to[3 * node as usize..3 * node as usize + 3].copy_from_slice(from);
    }
}
