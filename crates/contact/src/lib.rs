//! Contact is one room for all schemes: shapes, search, geometry, laws, solvers.
//!
//! * [`shape`]: what can be touched: planes, spheres, cavities, blocks with their edges, faces
//! * [`points`]: from the coordinates of a body to its surface points, and back
//! * [`foreshortening`]: the displacement of second order of points, by which a bent body is shorter
//! * [`broad`]: which of many boxes overlap: bodies that may touch, faces near a point
//! * [`geometry`]: faces over moving points, the closest point, the gap with its variations
//! * [`node_to_face`]: rows of gaps of nodes against faces; [`pressure`]: one pressure per cell, with its
//!   averaged gap
//! * [`step_gradient`]: the gradient of a gap in a step of a conserving scheme
//! * [`law`]: the pressure that a gap brings about
//! * [`solver`]: complementarity problems
//! * [`half_space`]: the compliance of a body on a fine grid of its own, from a half-space and a coarse mesh
//! * [`closed_form`]: Hertz, a sphere on the end of a rod
//! * [`region`]: the compliance of a contact region under a point load or a Hertz pressure, mode by mode
//! * [`patch`]: the plane of a pressure, Hertz' ellipse of two sampled surfaces, Hertz' pressure fitted to
//!   faces
//! * [`submodel`]: the condensed quasistatic problem that multibody and static schemes solve
//! * [`assembly`]: its zones and pairs, made of pairs of surfaces; which of these carries the pressure
//!
//! # Example
//!
//! A node in a concave corner touches two faces. The gaps are rows over the points of both surfaces.
//!
//! ```
//! use carom_contact::Shape;
//! use carom_contact::geometry::Plane;
//! use carom_contact::node_to_face::{ContactSide, Limits, NodeToFace, Nodes, Passes};
//! use nalgebra::Vector3;
//!
//! let wall = |axis| Plane::new(Vector3::zeros(), Vector3::ith(axis, 1.0)).unwrap();
//! let corner = ContactSide { shape: Shape::Planes(vec![wall(0), wall(2)]), nodes: Nodes::default() };
//! let ball = ContactSide { shape: Shape::Planes(Vec::new()), nodes: Nodes::of_points(&[0]) };
//! let limits = Limits { reach: 0.01, depth: 0.01 };
//! let mut contact = NodeToFace::new([ball, corner], limits, Passes::Single)?;
//!
//! let node = Vector3::new(0.002, 0.5, -0.001);
//! let gaps: Vec<f64> = contact.update([&[node], &[]]).iter().map(|row| row.foot.gap).collect();
//! assert_eq!(gaps, [0.002, -0.001]);
//! # Ok::<(), carom_contact::node_to_face::NodeToFaceError>(())
//! ```

pub mod assembly;
pub mod broad;
pub mod closed_form;
pub mod edge_to_edge;
pub mod foreshortening;
pub mod geometry;
pub mod half_space;
pub mod law;
pub mod node_to_face;
pub mod patch;
pub mod points;
pub mod pressure;
pub mod region;
pub mod shape;
pub mod solver;
pub mod step_gradient;
pub mod submodel;

pub use law::{Law, Stiffness};
pub use shape::{Block, Edge, Parting, Shape};

#[cfg(test)]
mod test_surfaces;
