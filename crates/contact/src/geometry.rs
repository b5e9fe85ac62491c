//! Geometry of contact: neighbourhood, the closest point, the gap and its variations
//! (docs/theory/contact.md).
//!
//! Geometry works on points only. [`Faces`] prepares a [`carom_fem::Surface`]: Bezier form, neighbours, rim.
//! [`FacesNow`] holds its state, the positions of its points in one frame. [`closest`] finds foot points on
//! it; a [`FootPoint`] is data: face, parameters, gap, normal, tangents, metric, curvature. [`Plane`] and
//! [`Sphere`] are surfaces of rigid bodies without faces. The gap is positive if the surfaces are apart.

pub mod analytic;
pub mod bezier;
pub mod closest;
mod crossing;
pub mod domain;
pub mod faces;
mod fillet;
pub mod foot;
pub mod jet;
mod local;
mod subdivide;
pub mod topology;

pub use analytic::{Plane, Side, Sphere, across};
pub use closest::Start;
pub use crossing::Crossing;
pub use domain::{Domain, Site};
pub use faces::{Faces, FacesNow};
pub(crate) use fillet::dual_components;
pub use foot::FootPoint;
pub use jet::Jet;
pub(crate) use local::FLUSH;
pub use local::LocalFoot;
