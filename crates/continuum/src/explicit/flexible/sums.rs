//! Sums over the points of a deformable body.

use nalgebra::Vector3;

/// Sums over points at t_n; powers and forces, before multiplication by a step.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::explicit) struct Sums {
    /// ½ v_{n−1/2}·M ((1 − 2θ) v_{n−1/2} + 2θ v_{n+1/2}) \[J\].
    pub(in crate::explicit) kinetic: f64,
    /// f_int·v_{n−1/2} and f_int·(v_{n−1/2} + v_{n+1/2}) \[W\].
    pub(in crate::explicit) internal: [f64; 2],
    /// Powers of the forces of bulk viscosity on the points, in the same form \[W\].
    pub(in crate::explicit) viscous: [f64; 2],
    /// Powers of loads and reactions, in the same form \[W\].
    pub(in crate::explicit) external: [f64; 2],
    /// Σ m ((1 − θ) v_{n−1/2} + θ v_{n+1/2}) and its moment about the origin.
    pub(in crate::explicit) momentum: Vector3<f64>,
    pub(in crate::explicit) ang_momentum: Vector3<f64>,
    /// Σ m x and Σ m.
    pub(in crate::explicit) mass_moment: Vector3<f64>,
    pub(in crate::explicit) mass: f64,
    /// Σ m v_{n−1/2} and Σ m (v_{n−1/2} + v_{n+1/2}), for the work of gravity.
    pub(in crate::explicit) momenta: [Vector3<f64>; 2],
    /// Σ f of loads and reactions and its moment.
    pub(in crate::explicit) force: Vector3<f64>,
    pub(in crate::explicit) moment: Vector3<f64>,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        self.kinetic += other.kinetic;
        for k in 0..2 {
            self.internal[k] += other.internal[k];
            self.viscous[k] += other.viscous[k];
            self.external[k] += other.external[k];
            self.momenta[k] += other.momenta[k];
        }
        self.momentum += other.momentum;
        self.ang_momentum += other.ang_momentum;
        self.mass_moment += other.mass_moment;
        self.mass += other.mass;
        self.force += other.force;
        self.moment += other.moment;
    }
}
