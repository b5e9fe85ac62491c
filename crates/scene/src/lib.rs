//! Display of bodies: VTK grids with fields, and pictures.
//!
//! [`BodyGrid`] converts a body to cells of VTK: unchanged mesh cells, and knot spans as rational Bezier
//! cells of the exact shape. It maps values at the body's points (nodes, control points) to the points of
//! the grid. [`StressRecovery`] computes the stress there, by linear elasticity or by a law of large
//! deformation. [`picture()`] draws the surface of a grid.
//!
//! ```
//! use carom_fem::{Body, Geometry, Material};
//! use carom_mesh::make::{HexOptions, Solid, hexahedra};
//! use carom_scene::{BodyGrid, StressRecovery};
//!
//! let mesh = hexahedra(Solid::Box { size: [0.1, 0.02, 0.01] }, &HexOptions::default()).unwrap();
//! let steel = Material::named("steel").unwrap();
//! // Stretched by 0.1 % along x, with lateral contraction.
//! let strain = [1e-3, -1e-3 * steel.poisson, -1e-3 * steel.poisson];
//! let stretched = |x: &[f64; 3]| [0, 1, 2].map(|a| strain[a] * x[a]);
//! let displacement: Vec<[f64; 3]> = mesh.points.iter().map(stretched).collect();
//! let body = Body {
//!     name: "bar".to_owned(),
//!     material_of_block: vec![0; mesh.blocks.len()],
//!     geometry: Geometry::Mesh(mesh),
//!     materials: vec![steel.clone()],
//!     sections: Vec::new(),
//! };
//! let grid = BodyGrid::surface(&body);
//! let stress = StressRecovery::new(&grid, &body).unwrap().stress(&displacement);
//! assert!(stress.von_mises.iter().all(|s| (s / (1e-3 * steel.young) - 1.0).abs() < 1e-6));
//! ```

pub mod body_grid;
pub mod picture;
mod shell_stress;
mod spline_stress;
pub mod stress;
pub mod surface_stress;
mod tessellate;
mod tube;

pub use body_grid::BodyGrid;
pub use picture::{Coloring, picture};
pub use shell_stress::{ShellStressRecovery, WallStress};
pub use stress::{Stress, StressRecovery, StressTheory};
pub use surface_stress::{PlaceStressRecovery, SampledStress, SurfaceStressRecovery, nearest_place};
