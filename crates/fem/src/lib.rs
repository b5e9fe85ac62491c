//! Bodies: a discretisation with sets and materials; quadrature, element kernels, assembly, surfaces, stress.
//!
//! A [`Body`] is what files hold. Its [`Discretisation`] has points, weights and cells with one [`CellBasis`]
//! over Lagrange shapes and Bezier-extracted NURBS; [`assemble`] makes stiffness and mass of it.

pub mod assembly;
pub mod basis;
pub mod body;
pub mod coupling;
pub mod discretisation;
pub mod evaluator;
pub mod face;
pub mod inspect;
mod kernel;
pub mod loads;
pub mod material;
pub mod parts;
pub mod plausible;
pub mod properties;
pub mod quadrature;
pub mod recovery;
pub mod sets;
pub mod soundness;
pub mod statics;
pub mod stress;
pub mod surface;
mod tensor;
pub mod units;

pub use assembly::{AssemblyError, SystemMatrices, assemble};
pub use basis::{CellBasis, SplineCells, Window};
pub use body::{Body, Geometry};
pub use discretisation::{Block, Cells, Discretisation, DiscretisationError};
pub use evaluator::{CellEvaluator, CellPoint};
pub use face::FaceMap;
pub use inspect::{Inspection, SetSummary, inspect};
pub use material::{MATERIALS, Material, MaterialError, NamedMaterial};
pub use plausible::{Implausible, ImpossibleBody};
pub use properties::{MassProperties, mass_properties};
pub use quadrature::{Integrand, Quadrature, QuadratureRule};
pub use recovery::{StressAt, StressSite, StressSites};
pub use sets::SetError;
pub use soundness::Soundness;
pub use statics::{displacement_norm, solve_static};
pub use stress::Stress;
pub use surface::{Face, FaceBasis, Surface, SurfaceError};
pub use units::Units;
