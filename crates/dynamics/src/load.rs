//! Loads that do not depend on contact: gravity, forces and torques at markers.

use crate::time_function::TimeFunction;
use nalgebra::Vector3;

/// Axes in which a vector is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axes {
    /// Fixed in space: the load keeps its direction.
    #[default]
    Inertial,
    /// Fixed to the body: the load follows its rotation.
    Body,
}

/// A material point of a body, or the mean of several, at which loads act.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marker {
    /// Reference position in the body frame \[m\].
    pub position_b: [f64; 3],
    /// φ: displacement of the marker for each dynamic mode.
    pub displacement: Vec<[f64; 3]>,
    /// ψ: rotation of the marker for each dynamic mode \[rad per unit\].
    pub rotation: Vec<[f64; 3]>,
}

/// A force and torque at a marker, with a fixed direction and a factor that depends on time.
#[derive(Debug, Clone, PartialEq)]
pub struct PointLoad {
    /// Index of the body.
    pub body: usize,
    /// The marker at which it acts.
    pub marker: Marker,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both.
    pub axes: Axes,
    /// Factor of both.
    pub scale: TimeFunction,
}

/// All loads of a system.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loads {
    /// Acceleration of gravity g, inertial axes \[m/s²\].
    pub gravity: [f64; 3],
    /// Forces and torques.
    pub point_loads: Vec<PointLoad>,
}

impl Loads {
    /// g as a vector.
    pub fn gravity(&self) -> Vector3<f64> {
        Vector3::from(self.gravity)
    }
}
