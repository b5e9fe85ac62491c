//! The files that carom writes and reads: bodies, reduced-order models, scenarios, results.
//!
//! * [`body_file`] and [`rom_file`]: `.npz` archives ([`npz`]) that `numpy.load` opens
//! * [`matrices`]: stiffness and mass with their nodes
//! * [`interior`]: the interior of a body for another program, and its solutions
//! * [`sid`]: SID_FEM, the text files by which multibody programs exchange flexible bodies
//! * [`scenario`]: TOML files that describe a run; errors are reported with their line
//! * [`result`]: SQLite databases that grow during a run and stay valid if it is killed
//!
//! All files except a growing result are written atomically (`carom_files`). Files begin with kind and
//! version, which readers check first. The formats are described in `docs/`.
//!
//! ```
//! use carom_fem::{Body, Geometry, Material};
//! use carom_mesh::make::{HexOptions, Solid, hexahedra};
//!
//! let mesh = hexahedra(Solid::Box { size: [0.1, 0.02, 0.01] }, &HexOptions::default()).unwrap();
//! let body = Body {
//!     name: "block".to_owned(),
//!     material_of_block: vec![0; mesh.blocks.len()],
//!     geometry: Geometry::Mesh(mesh),
//!     materials: vec![Material::named("steel").unwrap()],
//!     sections: Vec::new(),
//! };
//! let path = std::env::temp_dir().join(format!("carom-format-example-{}.npz", std::process::id()));
//! let checksum = carom_format::write_body(&path, &body).unwrap();
//!
//! let stored = carom_format::read_body(&path).unwrap();
//! assert_eq!(stored.checksum, checksum);
//! assert_eq!(stored.body.materials[0].name, "steel");
//! std::fs::remove_file(path).unwrap();
//! ```

pub mod body_file;
pub mod interior;
pub mod matrices;
pub mod npz;
pub mod result;
pub mod rom_file;
pub mod scenario;
pub mod sid;
mod watched;

pub use body_file::{StoredBody, read_body, write_body};
pub use npz::{ReadArchiveError, Version};
pub use result::{ResultError, ResultReader, ResultWriter};
pub use rom_file::{CraigBamptonOptions, StoredRom, open_rom, read_rom, write_rom};
pub use scenario::{Scenario, ScenarioError};

/// The entry `program` of written files.
pub const PROGRAM: &str = concat!("carom ", env!("CARGO_PKG_VERSION"));
