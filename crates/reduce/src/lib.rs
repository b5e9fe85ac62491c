//! Modal analysis, Craig-Bampton reduction, mode split, invariants of the floating frame.

pub mod reduced;

pub use reduced::{Invariants, Modes, NamedSurface, ReducedBody};
