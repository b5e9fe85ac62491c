//! How bodies come about: shapes with sizes, source files, refinement of bodies.
//!
//! * [`shape`]: balls, rods, boxes, …, as exact NURBS or as hexahedra
//! * [`mod@import`]: files of meshers, spline libraries and CAD programs
//! * [`mod@coarsen`]: fewer knots for the same shape
//! * [`mod@refine`]: finer cells everywhere or towards a place
//!
//! The options are what the flags of `carom-mesh` say and what a scenario says under `make = { … }`, with the
//! same names.

pub mod cad;
pub mod coarsen;
pub mod import;
pub mod materials;
pub mod place;
pub mod refine;
pub mod shape;
pub mod size;
pub mod zone;

pub use cad::CadError;
pub use coarsen::{CoarsenError, Coarser, coarsen};
pub use import::{ImportError, ImportErrorKind, ImportOptions, Imported, import, import_with};
pub use materials::{SetMaterialError, set_materials};
pub use place::{Place, PlaceError};
pub use refine::{NearPlace, RefineError, RefineOptions, refine};
pub use shape::{MakeError, Shape, ShapeOptions, make};
pub use size::TooMany;
pub use zone::{Zone, ZoneError};
