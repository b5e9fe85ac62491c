//! Errors from the preparation of shells and beams.

use thiserror::Error;

use carom_mesh::section::SectionError;

/// Errors from [`StructuralForce::new`](super::StructuralForce::new).
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum StructuralError {
    /// A block of solids.
    #[error(
        "block {block} (counted from 0) has solids, other blocks of the body shells or beams: solids are not \
         joined to them in this release; make two bodies of them, which can touch"
    )]
    Solid {
        /// Number of the block.
        block: usize,
    },
    /// A section with an impossible number.
    #[error("block {block}: {source}")]
    Section {
        /// Number of the block.
        block: usize,
        /// The number.
        source: SectionError,
    },
    /// A cell without area or length, or with an inner angle of half a turn or more.
    #[error(
        "cell {cell} of block {block} (counted from 0) has no area or length, or is not convex; mesh the \
         body anew there"
    )]
    Flat {
        /// Number of the block.
        block: usize,
        /// Number of the cell in the block.
        cell: usize,
    },
    /// A node of a cell that is not a point of the body.
    #[error("cell {cell} of block {block} has node {node}, but there are {n_points} points")]
    NoSuchPoint {
        /// Number of the block.
        block: usize,
        /// Number of the cell in the block.
        cell: usize,
        /// The node.
        node: u32,
        /// Number of points.
        n_points: usize,
    },
    /// Shells rotate: their law must be objective.
    #[error(
        "block {block}: shells have no law `{law}`, which takes rotations for strains; use that of \
         St. Venant and Kirchhoff (`st-venant-kirchhoff` in a scenario), `neo-hookean` or `plastic`"
    )]
    LawOfShells {
        /// Number of the block.
        block: usize,
        /// Name of the law.
        law: &'static str,
    },
    /// Beams are elastic.
    #[error(
        "block {block}: beams have no law `{law}`, their sections are elastic; use that of St. Venant and \
         Kirchhoff (`st-venant-kirchhoff` in a scenario), or shells"
    )]
    LawOfBeams {
        /// Number of the block.
        block: usize,
        /// Name of the law.
        law: &'static str,
    },
}
