//! Given mass and inertia of a rigid body, and its shapes that touch, instead of those of its geometry.

use serde::Serialize;

/// Mass and inertia instead of those of the geometry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MassSpec {
    /// \[kg\].
    pub mass: f64,
    /// Ixx, Iyy, Izz about the centre of mass, source axes \[kg m²\].
    pub inertia: [f64; 3],
    /// Ixy, Ixz, Iyz of the tensor (its entries, signs included) \[kg m²\].
    pub products: [f64; 3],
    /// Centre of mass in source coordinates \[m\].
    pub center: [f64; 3],
}

/// Kind and sizes of a shape; source coordinates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ShapeKind {
    /// Points that touch, or balls of one radius around them.
    Points {
        /// Where they are \[m\].
        points: Vec<[f64; 3]>,
        /// Radius of the balls, 0 for points \[m\].
        radius: f64,
    },
    /// The outside of a ball.
    Ball {
        /// Centre \[m\].
        center: [f64; 3],
        /// Radius \[m\].
        radius: f64,
    },
    /// The inside of a hollow ball.
    Cavity {
        /// Centre \[m\].
        center: [f64; 3],
        /// Radius \[m\].
        radius: f64,
    },
    /// The outside of a box along the source axes; its corners are its points.
    Block {
        /// Centre \[m\].
        center: [f64; 3],
        /// Edge lengths \[m\].
        size: [f64; 3],
    },
    /// The inside of a box along the source axes.
    Room {
        /// Centre \[m\].
        center: [f64; 3],
        /// Edge lengths \[m\].
        size: [f64; 3],
    },
    /// A plane without an end.
    Plane {
        /// A point of it \[m\].
        point: [f64; 3],
        /// Into the free side.
        normal: [f64; 3],
    },
}

/// A shape that contacts name in place of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapeSpec {
    /// Its name.
    pub name: String,
    /// Kind and sizes.
    #[serde(flatten)]
    pub kind: ShapeKind,
}
