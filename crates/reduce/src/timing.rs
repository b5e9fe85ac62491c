//! Wall time of the phases of a reduction.

use std::time::Instant;

/// Wall-clock seconds of each phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    /// Stiffness and mass.
    pub assembly: f64,
    /// Ordering and Cholesky factor.
    pub factorisation: f64,
    /// Constraint modes: solves with the factor.
    pub constraint_modes: f64,
    /// Eigenpairs, the inertia count included.
    pub eigen: f64,
    /// Reduced matrices, second eigenproblem, invariants, mode values.
    pub projection: f64,
    /// Loads at places of contact on half-space grids: static modes, interactions, errors of the mesh.
    pub places: f64,
    /// Geometric stiffness: static response of the whole body, projection on the motions that can move.
    pub stiffening: f64,
    /// Errors of the lowest frequencies by the mesh: the reduction of the body in a richer space.
    pub mesh_check: f64,
    /// The whole reduction.
    pub total: f64,
}

/// A stopwatch that returns the time since its last reading.
pub(crate) struct Lap(Instant);

impl Lap {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}
