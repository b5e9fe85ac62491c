//! Modal analysis, Craig-Bampton reduction, mode split, invariants of the floating frame.
//!
//! [`modes()`] finds frequencies and shapes of a body; [`craig_bampton()`] makes a [`ReducedBody`] of it, the
//! only thing the solver knows of a flexible body. Read: [`interface`] (which dofs are boundary),
//! [`attachment`] (sets tied to markers), [`boundary`] (the dofs of both, the interior behind them),
//! [`solver`] (by a factor or by iteration), [`condensation`] (constraint modes and fixed-interface modes),
//! [`second`] (the second eigenproblem, free of rigid motion), [`moments`] (mass integrals), [`matrices`]
//! (bodies that are known by stiffness and mass alone), [`flexibility`] (statics of the whole body,
//! [`motions`] that its supports leave taken out by the mass), [`comparison`] (a model beside its body),
//! [`further`] (inertia relief, free modes with residual attachment modes), [`characteristic`] (interface
//! reduction), [`frame`] (the body frame), [`variant`] (how these are chosen), [`damping`], [`free`] (the
//! free vibrations of a model in any frame), [`mod@craig_bampton`] (all of it in order, its core in
//! `subject`).

pub mod attachment;
pub mod boundary;
pub mod characteristic;
pub mod column;
pub mod comparison;
pub mod condensation;
pub mod craig_bampton;
pub mod damping;
pub mod definite;
pub mod doubtful;
pub mod error;
pub mod flexibility;
pub mod frame;
pub mod free;
pub mod further;
pub mod interface;
pub mod matrices;
pub mod modes;
pub mod moments;
pub mod motions;
pub mod reduced;
mod refinement;
pub mod rigid;
pub mod second;
pub mod size;
mod solve;
pub mod solver;
pub mod static_modes;
pub mod statics;
pub mod stress_modes;
mod subject;
pub mod support;
mod ties;
pub mod timing;
pub mod variant;

pub use attachment::{Attachment, AttachmentError, AttachmentKind};
pub use carom_linalg::memory::peak_memory_bytes;
pub use characteristic::Keep;
pub use column::{BoundaryDof, Column, Composition, Motion};
pub use comparison::{Comparison, ComparisonError, ComparisonOptions, compare};
pub use craig_bampton::{
    CraigBampton, CraigBamptonOptions, Fields, FixedModes, craig_bampton, craig_bampton_of_matrices,
    reduction_size,
};
pub use damping::{Damping, DampingError, DampingRatio};
pub use doubtful::DoubtfulModes;
pub use error::ReduceError;
pub use flexibility::Flexibility;
pub use frame::{BodyFrame, FrameChoiceError};
pub use interface::InterfaceError;
pub use matrices::{Entries, MatricesError, MatrixBody};
pub use modes::{ModalAnalysis, ModalOptions, ModesError, ModesWanted, modes};
pub use motions::RigidMotions;
pub use reduced::{AttachedMarker, Invariants, Modes, NamedSurface, ReducedBody};
pub use size::ReductionSize;
pub use solver::{Solver, SolverChoice};
pub use static_modes::StaticModes;
pub use stress_modes::StressModes;
pub use support::{Support, SupportError};
pub use timing::Seconds;
pub use variant::{ChoiceTextError, ModeKind, Variant, VariantError};
