//! Sparse symmetric matrices over a graph of nodes, their factorisation and eigenpairs.

pub mod block;

pub use block::{BlockMatrix, NodeGraph, NodeMatrix};
