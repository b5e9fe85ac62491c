//! Bodies: a discretisation with sets and materials; quadrature, element kernels, assembly, surfaces, stress,
//! and internal forces in large deformation.
//!
//! A [`Body`] is the geometry and materials that a file holds. Its [`Discretisation`] has points, weights and
//! cells with one [`CellBasis`] over Lagrange shapes and Bezier-extracted NURBS; [`assemble`] makes stiffness
//! and mass of it. [`internal_force`] has forces and tangents for the laws of [`constitutive`].
//!
//! ```
//! # use std::collections::BTreeMap;
//! use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, assemble, mass_properties};
//! use carom_mesh::{CellBlock, CellShape, Mesh};
//! use carom_progress::Silent;
//!
//! // A steel cube of 1 m as a single hexahedron.
//! let points = CellShape::Hex8.reference_nodes().to_vec();
//! let cells = CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() };
//! let body = Body {
//!     name: "cube".into(),
//!     geometry: Geometry::Mesh(Mesh { points, blocks: vec![cells], sets: BTreeMap::new() }),
//!     materials: vec![Material::named("steel")?],
//!     material_of_block: vec![0],
//!     sections: Vec::new(),
//! };
//! let discretisation = Discretisation::new(&body)?;
//! assert!((mass_properties(&discretisation).mass - 7800.0).abs() < 1e-9);
//!
//! let system = assemble(&discretisation, QuadratureRule::Default, &Silent)?;
//! assert_eq!(system.stiffness.n_dofs(), 24);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod assembly;
pub mod basis;
pub mod body;
pub mod constitutive;
pub mod coupling;
pub mod discretisation;
pub mod enriched;
pub mod evaluator;
pub mod face;
pub mod foreshortening;
pub mod geometric_stiffness;
pub mod inspect;
pub mod internal_force;
mod kernel;
pub mod loads;
pub mod lumped_mass;
pub mod material;
pub mod material_point;
pub mod parts;
pub mod places;
pub mod plausible;
pub mod properties;
pub mod quadrature;
pub mod recovery;
pub mod sets;
pub mod soundness;
pub mod statics;
pub mod stress;
pub mod structural;
pub mod surface;
mod tensor;
pub mod units;

pub use assembly::{AssemblyError, SystemMatrices, assemble};
pub use basis::{CellBasis, SplineCells, Window};
pub use body::{Body, Geometry};
pub use carom_mesh::Section;
pub use discretisation::{Block, Cells, Discretisation, DiscretisationError, NotSolid};
pub use enriched::Enriched;
pub use evaluator::{CellEvaluator, CellPoint};
pub use face::FaceMap;
pub use inspect::{Inspection, SetSummary, inspect};
pub use lumped_mass::{LumpedMass, Lumping};
pub use material::{MATERIALS, Material, MaterialError, NamedMaterial};
pub use material_point::{MaterialPoint, material_point};
pub use places::{SetPlace, SurfacePoint, set_places, surface_at};
pub use plausible::{Implausible, ImpossibleBody};
pub use properties::{MassProperties, mass_properties, rough_mass_properties};
pub use quadrature::{Integrand, Quadrature, QuadratureRule};
pub use recovery::{PlaceRecovery, StressAt, StressSite, StressSites};
pub use sets::SetError;
pub use soundness::Soundness;
pub use statics::{displacement_norm, solve_static};
pub use stress::Stress;
pub use surface::{Face, FaceBasis, Surface, SurfaceError};
pub use units::Units;
