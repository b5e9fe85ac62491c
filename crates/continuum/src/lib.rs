//! Simulation of unreduced bodies: every point of a body is an unknown.
//!
//! * [`complementarity`]: implicit midpoint rule of linear bodies, contact as a complementarity problem
//! * [`explicit`]: central differences in time, large deformation, contact by multipliers
//! * [`half_space`]: a body as seen from places of its surface, for contact that does not see its mesh
//! * [`implicit`]: energy-momentum scheme, midpoint rule and generalised-α, large deformation, contact by
//!   multipliers
//! * [`statics`]: equilibrium under supports, loads and frictionless contact
//! * [`NodalPoints`]: the nodes of a body as surface points, for contact
//!
//! Other schemes for unreduced bodies belong here, too. The crate does not depend on scenarios and files: its
//! input is plain data, and a run passes its states to an observer.
//!
//! # Example
//!
//! A steel bar of 1 m × 0.1 m × 0.05 m, held at one end and pulled at the other with 100 kN, stretches by
//! F L/(E A).
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//!
//! use carom_continuum::statics::{
//!     BodySpec, Force, Place, Problem, Settings, Simulation, Support, System,
//! };
//! use carom_dynamics::{Axes, Ignore, Placement};
//! use carom_fem::{Body, Geometry, Material};
//! use carom_mesh::make::{HexOptions, Solid, hexahedra};
//! use carom_progress::Silent;
//!
//! let size = [1.0, 0.1, 0.05];
//! let options = HexOptions { elements: vec![4, 1, 1], ..HexOptions::default() };
//! let bar = Body {
//!     name: "bar".to_owned(),
//!     geometry: Geometry::Mesh(hexahedra(Solid::Box { size }, &options)?),
//!     materials: vec![Material::new("steel", 7800.0, 210e9, 0.3)?],
//!     material_of_block: vec![0],
//!     sections: Vec::new(),
//! };
//! let held = |set: &str, directions| Support {
//!     body: 0,
//!     set: set.to_owned(),
//!     directions,
//!     rotations: [false; 3],
//!     displacement: [0.0; 3],
//! };
//! let problem = Problem {
//!     bodies: vec![BodySpec {
//!         geometry: Arc::new(bar),
//!         is_rigid: false,
//!         is_fixed: false,
//!         placement: Placement::default(),
//!     }],
//!     supports: vec![
//!         held("west", [true, false, false]),
//!         held("south", [false, true, false]),
//!         held("bottom", [false, false, true]),
//!     ],
//!     forces: vec![Force {
//!         body: 0,
//!         at: Place::Set("east".to_owned()),
//!         force: [1e5, 0.0, 0.0],
//!         torque: [0.0; 3],
//!         axes: Axes::Inertial,
//!     }],
//!     ..Problem::default()
//! };
//! let system = System::new(&problem, &Silent)?;
//! let mut simulation = Simulation::new(system, Settings { load_steps: 1, end_time: 1.0 });
//! simulation.run(&mut Ignore, &Silent)?;
//! let stretch = 1e5 * 1.0 / (210e9 * 0.1 * 0.05);
//! let longest = simulation.last().bodies[0].max_displacement;
//! assert!((longest / stretch - 1.0).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```

pub mod complementarity;
pub mod explicit;
pub mod half_space;
pub mod implicit;
mod mean_turn;
mod nodal_points;
mod point_motion;
mod probes;
pub mod statics;
mod surface_nodes;
mod time_loop;

pub use nodal_points::NodalPoints;
pub use probes::{PlaceStress, StressOfProbes};
