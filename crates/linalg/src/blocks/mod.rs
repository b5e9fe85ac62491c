//! LU factorisation of sparse matrices of small dense blocks: equations of motion of bodies and joints.
//!
//! The unknowns are divided into *nodes*: one for the coordinates of each body, one for the multipliers of
//! each constraint. A block of the matrix is stored where two nodes couple. The elimination order and the
//! places of all blocks are computed once for a [`BlockPattern`]; [`BlockLu`] then factorises any number of
//! matrices of that pattern without allocation. Chains and trees of bodies cost in proportion to their
//! number, loops add the fill of the nodes that close them.
//!
//! * `elimination`: the order of the nodes, and which ones each elimination couples
//! * `supernodes`: nodes that are eliminated in one front
//! * `front`: the elimination of the unknowns of a front; `few`: those of rigid bodies and joints
//! * `lu`: factors and solutions

mod elimination;
mod few;
mod front;
mod lu;
mod supernodes;

pub use lu::{BlockLu, BlockMut};

/// What makes the diagonal block of a node regular.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Coordinates of a body that moves freely without its constraints: the block is regular by itself.
    Free,
    /// Coordinates of a body whose frame is held: regular too, but its elimination leaves no rigid motion.
    Held,
    /// Multipliers of constraint equations between the neighbours: the block may be zero, and becomes
    /// regular by the elimination of neighbours that can follow the constraint.
    Constraint {
        /// True if one side of the constraint is the ground.
        grounded: bool,
    },
}

/// Nodes of a matrix and their couplings.
///
/// ```
/// use carom_linalg::blocks::{BlockKind, BlockLu, BlockPattern};
///
/// // Masses 1 and 3 with equal accelerations under a force of 8 on the first: m₁ a₁ + λ = 8,
/// // m₂ a₂ − λ = 0, a₁ − a₂ = 0.
/// let constraint = BlockKind::Constraint { grounded: false };
/// let pattern = BlockPattern {
///     unknowns: vec![vec![0], vec![1], vec![2]],
///     kinds: vec![BlockKind::Free, BlockKind::Free, constraint],
///     blocks: vec![[0, 0], [1, 1], [0, 2], [1, 2], [2, 0], [2, 1]],
/// };
/// let mut lu = BlockLu::new(&pattern);
/// let values = [1.0, 3.0, 1.0, -1.0, 1.0, -1.0];
/// lu.factorise(|block, mut out| out.row_mut(0)[0] = values[block]);
/// let mut acceleration = [0.0; 3];
/// lu.solve(|i| [8.0, 0.0, 0.0][i], |i, x| acceleration[i] = x);
/// assert!((acceleration[0] - 2.0).abs() < 1e-15 && (acceleration[1] - 2.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BlockPattern {
    /// Numbers of the unknowns (and equations) of each node; each number from 0 occurs once.
    pub unknowns: Vec<Vec<usize>>,
    /// Kind of each node.
    pub kinds: Vec<BlockKind>,
    /// Row node and column node of each block. All others are zero; the order is the caller's.
    pub blocks: Vec<[usize; 2]>,
}
