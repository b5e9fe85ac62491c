//! Bodies: a discretisation with sets and materials; quadrature, element kernels, assembly, surfaces, stress.

pub mod body;
pub mod surface;

pub use body::{Body, Geometry, Material};
pub use surface::{Face, FaceBasis, Surface, SurfaceError};
