//! Contact that does not see the mesh: the dent from a half-space on a fine grid of its own, everything else
//! from the finite elements (docs/theory/half-space.md).
//!
//! ```text
//! u = Sᵀ G_FE S f + (G_hs − Sᵀ G_hs S) f
//! ```
//!
//! f are forces on the cells of a fine grid in the plane of the contact. S spreads each of them over smooth
//! loads at fixed places of the surface, with its resultant and its moment; the transpose reads the
//! displacement with the same weights. So the compliance is symmetric, the forces of a step do the work that
//! the displacements receive, and the mesh sees loads alone that it resolves.
//!
//! Read in this order: [`kernel`] (the shape of a load), [`material`] (the half-space), [`cells`] (Love's and
//! Cerruti's means), [`grid`] (the cells of a contact), [`surface_lattice`] (cells on a curved surface),
//! [`table`] (loads among each other), [`footprint`] (loads on a mesh), [`facets`] (meshes of flat faces),
//! [`weights`] (moving least squares), [`compliance`] and [`grid_compliance`] (all of it together),
//! [`short_cut`] (one number for a small contact), [`overlap`] and [`pair`] (two bodies pressed together),
//! [`fixed_grid`] (two bodies that move), [`shear`] and [`grid_anchor`] (friction).

mod bessel;
pub mod cells;
pub mod compliance;
mod cut;
pub mod definite;
pub mod estimate;
pub mod facets;
pub mod fixed_grid;
pub mod footprint;
pub mod grid;
pub mod grid_anchor;
pub mod grid_compliance;
pub mod grid_plan;
mod heights;
pub mod kernel;
pub mod material;
pub mod mesh_doubts;
pub mod nearest;
pub mod overlap;
pub mod pair;
pub mod places;
pub mod shear;
pub mod short_cut;
pub mod stress;
pub mod surface_lattice;
pub mod table;
pub mod weights;

pub use compliance::{ComplianceError, Directions, Loads, PlacedBody};
pub use fixed_grid::{FixedGrid, GridBody, GridSums, Position};
pub use footprint::{Footprint, FootprintError, LoadedSurface};
pub use grid::PressureGrid;
pub use grid_anchor::GridAnchor;
pub use grid_compliance::GridCompliance;
pub use grid_plan::GridPlan;
pub use kernel::Kernel;
pub use material::{HalfSpace, SurfaceMeans};
pub use short_cut::{ShortCut, ShortCutError, SmallContact};
