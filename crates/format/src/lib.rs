//! The files that carom writes and reads: bodies, reduced-order models, scenarios, results.
//!
//! * [`body_file`] and [`rom_file`]: `.npz` archives ([`npz`]) that `numpy.load` opens
//! * [`matrices`]: stiffness and mass as text with their nodes
//! * [`sid`]: SID_FEM, the text files by which multibody programs exchange flexible bodies
//! * [`scenario`]: TOML files that say what a run is made from, every problem with its line
//! * [`result`]: SQLite databases that grow while a run may be killed
//!
//! Every file but a growing result appears whole or not at all (`carom_files`). Files begin with kind and
//! version; readers check them before anything else. The formats are described in `docs/`.

pub mod body_file;
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
pub use rom_file::{CraigBamptonOptions, StoredRom, read_rom, write_rom};
pub use scenario::{Scenario, ScenarioError};

/// The program that writes files, as `program` in them says.
pub const PROGRAM: &str = concat!("carom ", env!("CARGO_PKG_VERSION"));
