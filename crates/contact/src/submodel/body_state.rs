//! States of the bodies at which the contact is solved.

use nalgebra::{Matrix3, Vector3};

/// Configuration of a body without its high modes.
#[derive(Debug, Clone, Copy)]
pub struct BodyState<'a> {
    /// Rotation from body to inertial components.
    pub rot_ib: Matrix3<f64>,
    /// Origin of the body frame, inertial components \[m\].
    pub r_ib_i: Vector3<f64>,
    /// Positions of the surface points in the body frame, low modes included, high modes not: 3n numbers
    /// \[m\].
    pub positions_b: &'a [f64],
    /// Velocities, for the rates of the gaps; without them the rates are zero.
    pub twist: Option<Twist<'a>>,
}
/// Velocity of a body without its high modes, in body components.
#[derive(Debug, Clone, Copy)]
pub struct Twist<'a> {
    /// Velocity of the origin of the body frame \[m/s\].
    pub v_ib_b: Vector3<f64>,
    /// Angular velocity \[rad/s\].
    pub omega_ib_b: Vector3<f64>,
    /// Velocities of the points relative to the body frame (Φ_lf q̇_lf), 3n numbers \[m/s\]; empty for a
    /// rigid body.
    pub rates_b: &'a [f64],
}
