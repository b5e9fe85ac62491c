//! Making of bodies: shapes with sizes, source files, refinement.
//!
//! * [`shape`]: balls, rods, boxes, …, as exact NURBS or as hexahedra
//! * [`mod@import`]: files of meshers, spline libraries and CAD programs; [`formats`] has the table of them
//! * [`mod@coarsen`]: fewer knots for the same shape
//! * [`mod@refine`]: finer cells everywhere or near a place
//!
//! The options are those of the flags of `carom-mesh` and of `make = { … }` in a scenario, with the same
//! names.
//!
//! ```
//! use carom_fem::Material;
//! use carom_make::{Shape, ShapeOptions, make};
//! use carom_progress::Silent;
//!
//! // An exact ball of 15 mm radius, as NURBS.
//! let options = ShapeOptions { radius: Some(0.015), ..ShapeOptions::of(Shape::Ball) };
//! let ball = make(&options, "ball", Material::named("steel").unwrap(), &Silent).unwrap();
//! assert!(ball.set_names().iter().any(|name| name == "pole"));
//!
//! // A missing size is an error that names the flag and the key.
//! let steel = Material::named("steel").unwrap();
//! let error = make(&ShapeOptions::of(Shape::Rod), "rod", steel, &Silent).unwrap_err();
//! assert!(error.to_string().contains("radius"));
//! ```

pub mod cad;
pub mod coarsen;
pub mod formats;
pub mod import;
pub mod materials;
pub mod place;
pub mod refine;
pub mod shape;
pub mod size;
pub mod zone;

pub use cad::CadError;
pub use coarsen::{CoarsenError, Coarser, coarsen};
pub use formats::{ExportError, export};
pub use import::{ImportError, ImportErrorKind, ImportOptions, Imported, import, import_with};
pub use materials::{SetMaterialError, set_materials};
pub use place::{Place, PlaceError};
pub use refine::{NearPlace, RefineError, RefineOptions, refine};
pub use shape::{MakeError, Shape, ShapeOptions, make};
pub use size::TooMany;
pub use zone::{Zone, ZoneError};
