//! Finite-element meshes: cells, named sets, quality; readers and writers of mesh files.
//!
//! Start at [`Mesh`]; [`cell`] has the table of each kind of cell, [`topology`] the faces that cells share.
//! [`msh`], [`inp`] and [`vtu`] read and write files.
//!
//! ```
//! use carom_mesh::make::{HexOptions, Solid, hexahedra};
//! use carom_mesh::{CellShape, msh, quality};
//!
//! // A bar of 8 × 2 × 2 hexahedra of second order, with a set for each of its sides.
//! let shape = CellShape::from_name("hex20").expect("the kind exists");
//! let options = HexOptions { shape, elements: vec![8, 2, 2], ..HexOptions::default() };
//! let bar = hexahedra(Solid::Box { size: [0.4, 0.1, 0.1] }, &options)?;
//! assert_eq!((bar.n_cells(), bar.faces_of_set("west")?.len()), (32, 4));
//! assert!((bar.volume() - 4.0e-3).abs() < 1e-15);
//! assert!(quality::assess(&bar).is_watertight());
//!
//! // The file of Gmsh gives the same mesh back; cells without a group are in the group `volume` there.
//! let mut file = Vec::new();
//! msh::write_to(&mut file, &bar)?;
//! let (again, notes) = msh::parse(&file)?;
//! assert!(notes.is_empty() && again.blocks == bar.blocks && again.sets["west"] == bar.sets["west"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bisect;
pub mod cell;
mod gluing;
pub mod inp;
pub mod lagrange;
pub mod legacy_vtk;
pub mod make;
pub mod measure;
pub mod mesh;
pub mod msh;
pub mod quadrature;
pub mod quality;
pub mod refine;
pub mod section;
pub mod sets;
pub mod size_near;
pub mod solid_choice;
pub mod straighten;
pub mod topology;
mod vectors;
pub mod vtu;

pub use cell::{CellShape, FaceShape};
pub use mesh::{CellBlock, CellRef, FaceRef, Mesh, Set};
pub use section::{BeamSection, Section, SectionError, ShellSection};
pub use sets::SetError;
pub use size_near::{Around, SizeNear, SizeNearError};
pub use solid_choice::SolidChoice;
pub use topology::FaceTable;
