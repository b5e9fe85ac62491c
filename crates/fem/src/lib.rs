//! Bodies: a discretisation with sets and materials; quadrature, element kernels, assembly, surfaces, stress.
//!
//! A [`Body`] is what files hold. Its [`Discretisation`] has points, weights and cells with one [`CellBasis`] over
//! Lagrange shapes and Bezier-extracted NURBS; [`assemble`] makes stiffness and mass of it.

pub mod assembly;
pub mod basis;
pub mod body;
pub mod discretisation;
pub mod evaluator;
mod kernel;
pub mod material;
pub mod quadrature;
pub mod surface;

pub use assembly::{AssemblyError, SystemMatrices, assemble};
pub use basis::{CellBasis, SplineCells};
pub use body::{Body, Geometry};
pub use discretisation::{Block, Cells, Discretisation, DiscretisationError};
pub use evaluator::{CellEvaluator, CellPoint};
pub use material::{MATERIALS, Material, MaterialError, NamedMaterial};
pub use quadrature::{Integrand, Quadrature, QuadratureRule};
pub use surface::{Face, FaceBasis, Surface, SurfaceError};
