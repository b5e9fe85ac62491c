//! Bodies as they are shown: VTK grids with fields, and pictures.
//!
//! [`BodyGrid`] turns a body into cells of VTK: mesh cells as they are, knot spans as rational Bezier cells
//! of the exact shape. It carries values at the body's points (nodes, control points) to the points of the
//! grid; [`StressRecovery`] gives their stress. [`picture()`] draws the surface of a grid without any other
//! program.

pub mod body_grid;
pub mod picture;
mod spline_stress;
pub mod stress;
pub mod surface_stress;
mod tessellate;

pub use body_grid::BodyGrid;
pub use picture::{Coloring, picture};
pub use stress::{Stress, StressRecovery};
pub use surface_stress::SurfaceStressRecovery;
