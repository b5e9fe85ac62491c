//! Velocities of a body in its own axes.

use nalgebra::Vector3;

/// Velocities of a body: v = Aᵀ ṙ, ω, q̇.
#[derive(Debug, Clone, PartialEq)]
pub struct Velocities {
    /// v = Aᵀ ṙ \[m/s\], body axes.
    pub v: Vector3<f64>,
    /// ω \[rad/s\], body axes.
    pub omega: Vector3<f64>,
    /// q̇.
    pub modal: Vec<f64>,
}
