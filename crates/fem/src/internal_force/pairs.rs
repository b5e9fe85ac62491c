//! The pairs of points of a cell.

/// The pairs (i, j) of the points of a cell whose blocks K_ij are computed, j after j, i ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Those with i ≥ j: the tangent is symmetric.
    Lower,
    /// All.
    All,
}

impl Pairs {
    /// The first i of the pairs of j.
    #[inline(always)]
    pub(super) fn first(self, j: usize) -> usize {
        match self {
            Self::Lower => j,
            Self::All => 0,
        }
    }

    /// Number of pairs of n points.
    pub(super) fn count(self, n: usize) -> usize {
        match self {
            Self::Lower => n * (n + 1) / 2,
            Self::All => n * n,
        }
    }

    /// Number of the pair (i, j) of n points.
    #[inline(always)]
    pub(super) fn place(self, n: usize, i: usize, j: usize) -> usize {
        match self {
            Self::Lower => (2 * n - j - 1) * j / 2 + i,
            Self::All => n * j + i,
        }
    }
}
