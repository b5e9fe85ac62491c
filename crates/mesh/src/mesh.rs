//! The mesh: points, blocks of cells of one kind, named sets.

use std::collections::BTreeMap;

use crate::CellShape;

/// A cell: block and number within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRef {
    /// Number of the block.
    pub block: u32,
    /// Number of the cell in its block.
    pub cell: u32,
}

/// A face of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceRef {
    /// Number of the block.
    pub block: u32,
    /// Number of the cell in its block.
    pub cell: u32,
    /// Local number of the face in the cell.
    pub face: u8,
}

/// A named set, ascending and without repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// Node numbers, zero-based.
    Nodes(Vec<u32>),
    /// Faces of cells.
    Faces(Vec<FaceRef>),
    /// Cells.
    Cells(Vec<CellRef>),
}

/// Cells of one kind, and of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct CellBlock {
    /// Kind of every cell in the block.
    pub shape: CellShape,
    /// Zero-based node numbers, cell after cell, VTK's order within a cell.
    pub connectivity: Vec<u32>,
}

/// A finite-element mesh. Node `k` is the k-th node of the file that it came from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Node coordinates \[m\].
    pub points: Vec<[f64; 3]>,
    /// Blocks of cells.
    pub blocks: Vec<CellBlock>,
    /// Named sets.
    pub sets: BTreeMap<String, Set>,
}
