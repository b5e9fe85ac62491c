//! Modal analysis, Craig-Bampton reduction, mode split, invariants of the floating frame.
//!
//! [`modes()`] computes frequencies and shapes of a body; [`craig_bampton()`] makes a [`ReducedBody`] from
//! it, which is all that the solver needs. Read in this order: [`options`] and [`variant`] (the choices),
//! [`interface`] (interface dofs and supports), [`attachment`] (sets tied to markers), [`boundary`] (the dofs
//! of both, and the interior), [`solver`] (factorisation or iteration), [`condensation`] (constraint modes
//! and fixed-interface modes), [`further`] (inertia relief, free modes with residual attachment modes),
//! [`characteristic`] (interface reduction), [`second`] (the second eigenproblem, free of rigid motion),
//! [`moments`] and [`invariants`] (mass integrals), [`frame`] (the body frame), [`damping`],
//! [`mod@craig_bampton`] (all of it in order, its core in `subject`).
//!
//! In addition: [`given`] (solutions of another program, checked), [`matrices`] (bodies given by stiffness
//! and mass), [`free`] (the free vibrations of a model in any frame), [`flexibility`] (statics of the whole
//! body under inertia relief), [`comparison`] (errors of a model).
//!
//! ```
//! use carom_fem::{Body, Geometry, Material};
//! use carom_mesh::make::{HexOptions, Solid, hexahedra};
//! use carom_progress::Silent;
//! use carom_reduce::{CraigBamptonOptions, FixedModes, craig_bampton};
//!
//! // A steel bar, 120 mm × 20 mm × 30 mm.
//! let options = HexOptions { elements: vec![6, 1, 1], ..HexOptions::default() };
//! let mesh = hexahedra(Solid::Box { size: [0.12, 0.02, 0.03] }, &options).unwrap();
//! let body = Body {
//!     name: "bar".to_owned(),
//!     material_of_block: vec![0; mesh.blocks.len()],
//!     geometry: Geometry::Mesh(mesh),
//!     materials: vec![Material::named("steel").unwrap()],
//!     sections: Vec::new(),
//! };
//!
//! // Its left end is the interface; the modes up to 20 kHz are dynamic.
//! let options = CraigBamptonOptions {
//!     interface_sets: vec!["west".to_owned()],
//!     modes: FixedModes::Count(12),
//!     split: Some(2e4),
//!     ..CraigBamptonOptions::default()
//! };
//! let model = craig_bampton(&body, &options, &Silent).unwrap().reduced;
//! assert!(model.omega.is_sorted() && model.n_low < model.omega.len());
//! assert!((model.invariants.mass - 7800.0 * 0.12 * 0.02 * 0.03).abs() < 1e-9 * model.invariants.mass);
//! ```

pub mod attachment;
pub mod boundary;
pub mod characteristic;
pub mod column;
pub mod comparison;
pub mod condensation;
mod correction;
pub mod cost;
pub mod craig_bampton;
pub mod damping;
pub mod definite;
mod dofs;
pub mod doubtful;
pub mod error;
pub mod field_modes;
pub mod flexibility;
pub mod frame;
pub mod free;
mod frequency;
pub mod frequency_error;
pub mod further;
pub mod given;
pub mod interface;
mod interface_error;
pub mod invariants;
pub mod matrices;
pub mod modes;
pub mod moments;
pub mod motions;
pub mod options;
pub mod pair_integrals;
pub mod places;
pub mod point_modes;
pub mod reduced;
pub mod reduction;
mod refinement;
pub mod residual;
pub mod rigid;
mod rigid_part;
pub mod second;
pub mod size;
mod solve;
pub mod solver;
pub mod static_modes;
pub mod statics;
mod stiffening;
pub mod stress_modes;
mod subject;
pub mod support;
mod ties;
pub mod timing;
pub mod unread;
pub mod variant;

pub use attachment::{AttachedMarker, Attachment, AttachmentError, AttachmentKind};
pub use carom_linalg::memory::peak_memory_bytes;
pub use column::{BoundaryDof, Column, Composition, Motion};
pub use comparison::{Comparison, ComparisonError, ComparisonOptions, compare};
pub use craig_bampton::{
    craig_bampton, craig_bampton_of_matrices, craig_bampton_of_solutions, interface_spec, reduction_size,
};
pub use damping::{Damping, DampingError, DampingRatio};
pub use doubtful::DoubtfulModes;
pub use error::ReduceError;
pub use flexibility::Flexibility;
pub use frame::{BodyFrame, FrameChoiceError};
pub use frequency_error::frequency_errors;
pub use given::{GivenError, InteriorSolutions};
pub use interface::InterfaceError;
pub use invariants::{ImpossibleInertia, Invariants};
pub use matrices::{Entries, MatricesError, MatrixBody};
pub use modes::{ModalAnalysis, ModalOptions, ModesError, ModesWanted, modes};
pub use motions::RigidMotions;
pub use options::{CraigBamptonOptions, Fields, FixedModes};
pub use pair_integrals::PairIntegrals;
pub use point_modes::Modes;
pub use reduced::{NamedSurface, ReducedBody};
pub use reduction::CraigBampton;
pub use size::ReductionSize;
pub use solver::{Solver, SolverChoice};
pub use static_modes::StaticModes;
pub use stiffening::Stiffening;
pub use stress_modes::StressModes;
pub use support::{Support, SupportError};
pub use timing::Seconds;
pub use variant::{ChoiceTextError, Keep, ModeKind, Variant, VariantError};
